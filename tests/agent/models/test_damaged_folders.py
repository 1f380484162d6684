"""Whatever is wrong with a model folder is one clear line, and never a guess."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cadwright.agent.models.artefact import ModelCard, artefact_parts, write_card
from cadwright.agent.models.loading import load_model
from cadwright.agent.models.local import open_model
from cadwright.agent.models.options import ModelOptions
from cadwright.tools.errors import UsageError

Damage = Callable[[Path], object]


@pytest.fixture
def folder(family_folder: Callable[[str], Path], tmp_path: Path) -> Path:
    """A model folder that may be damaged."""
    return Path(shutil.copytree(family_folder("qwen3_vl"), tmp_path / "model"))


def without(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


def half(name: str) -> Damage:
    def damage(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: len(data) // 2])

    return damage


def holding(name: str, data: bytes) -> Damage:
    return lambda folder: (folder / name).write_bytes(data)


def setting(name: str, key: str, value: Any) -> Damage:
    def damage(folder: Path) -> None:
        settings = json.loads((folder / name).read_text(encoding="utf-8"))
        (folder / name).write_text(json.dumps({**settings, key: value}), encoding="utf-8")

    return damage


WEIGHTS = "model.safetensors"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"
DAMAGES = {
    "no config": (without("config.json"), "no model can be loaded"),
    "half a config": (half("config.json"), "not a valid JSON file"),
    "unknown family": (setting("config.json", "model_type", "novel"), "does not recognize"),
    "no tokenizer": (without("tokenizer.json"), "processor or tokenizer cannot be loaded"),
    "half a tokenizer": (half("tokenizer.json"), "processor or tokenizer cannot be loaded"),
    "foreign tokenizer": (holding("tokenizer.json", b"{}"), "KeyError 'added_tokens'"),
    "no processor": (without("processor_config.json"), "processor or tokenizer cannot be loaded"),
    "half a processor": (half("processor_config.json"), "not a valid JSON file"),
    "odd bytes": (holding("tokenizer_config.json", b"\xff\xfe"), "codec can't decode"),
    "no template": (without("chat_template.jinja"), "chat template"),
    "half a template": (half("chat_template.jinja"), "chat template fails"),
    "no weights": (without(WEIGHTS), "weights cannot be loaded"),
    "half the weights": (half(WEIGHTS), "weights cannot be loaded.*not fully covered"),
    "empty weights": (holding(WEIGHTS, b""), "weights cannot be loaded"),
    "pointer": (holding(WEIGHTS, POINTER), "is a Git LFS pointer"),
    "other image token": (setting("config.json", "image_token_id", 9), "becomes no image token: 9"),
}


@pytest.mark.parametrize(("damage", "words"), DAMAGES.values(), ids=DAMAGES)
def test_damage_is_one_clear_line(
    folder: Path, damage: Damage, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    damage(folder)
    with pytest.raises(UsageError, match=words) as raised:
        open_model(ModelOptions(str(folder)))
    assert "\n" not in str(raised.value)
    assert capfd.readouterr().err == ""


def test_weights_of_another_size_are_counted(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    text = {**config["text_config"], "intermediate_size": 64}
    setting("config.json", "text_config", text)(folder)
    with pytest.raises(UsageError, match=r"6 weights have other .* has \(32, 48\), not \(32, 64"):
        load_model(ModelOptions(str(folder)))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tokenizer.json", "the tokenizer of this model is missing"),
        ("processor_config.json", "the image processor of this model is missing"),
    ],
)
def test_a_pinned_file_that_is_missing_is_named(folder: Path, name: str, words: str) -> None:
    parts = artefact_parts(folder, system="", tools=(), renderer="")
    write_card(folder, ModelCard(parts=parts))
    (folder / name).unlink()
    with pytest.raises(UsageError, match=words):
        load_model(ModelOptions(str(folder)))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("tools", "execute", "tools must be a list of names"),
        ("dialect", "latin", "dialect must be one of auto"),
        ("budget", {"images": "many"}, "budget must be an object of numbers"),
        ("max_new_tokens", "long", "must be a number or null"),
        ("parts", ["tokenizer"], "parts must be an object of digests"),
        ("system", None, "system must be text"),
    ],
)
def test_a_card_with_an_odd_value_is_refused(
    folder: Path, field: str, value: Any, words: str
) -> None:
    write_card(folder, ModelCard())
    setting("cadwright.json", field, value)(folder)
    with pytest.raises(UsageError, match=words):
        load_model(ModelOptions(str(folder)))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("no/such/folder", "there is no such folder"),
        ("nobody/nothing", "fetch one with: hf download nobody/nothing"),
    ],
)
def test_what_is_not_here_is_said_at_once(source: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        load_model(ModelOptions(source))


def test_a_file_is_no_model(folder: Path) -> None:
    with pytest.raises(UsageError, match="this is a file"):
        load_model(ModelOptions(str(folder / "config.json")))
