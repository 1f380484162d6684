"""A model folder that no longer fits the words around it is refused, and what differs is named."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cadwright.agent.models.artefact import (
    ModelCard,
    artefact_parts,
    check_parts,
    folder_parts,
    read_card,
    tool_parts,
    write_card,
)
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ToolSpec

SUBMIT = ToolSpec("submit", "Submit the part.", {"type": "object", "properties": {}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tokenizer.json").write_text('{"model": {"vocab": {"a": 0}}}')
    (tmp_path / "chat_template.jinja").write_text("{{ messages }}")
    (tmp_path / "preprocessor_config.json").write_text('{"patch_size": 16}')
    (tmp_path / "generation_config.json").write_text('{"suppress_tokens": [3, 4]}')
    return tmp_path


def parts_of(folder: Path) -> dict[str, str]:
    return artefact_parts(folder, system="You model.", tools=[SUBMIT], renderer="measured/2")


def test_card_survives_writing_and_reading(folder: Path) -> None:
    card = ModelCard(
        system="You model.",
        tools=("submit",),
        decline="I do not know",
        budget={"images": 4},
        parts=parts_of(folder),
    )
    write_card(folder, card)
    assert read_card(folder) == card


def test_folder_without_a_card_is_a_general_model(folder: Path) -> None:
    assert read_card(folder) is None


@pytest.mark.parametrize(
    ("file", "text", "part"),
    [
        ("tokenizer.json", '{"model": {"vocab": {"b": 0}}}', "tokenizer"),
        ("chat_template.jinja", "{{ tools }}", "chat template"),
        ("preprocessor_config.json", '{"patch_size": 14}', "image processor"),
        ("generation_config.json", '{"suppress_tokens": []}', "generation settings"),
    ],
    ids=["tokenizer", "template", "processor", "generation"],
)
def test_changed_file_is_named(folder: Path, file: str, text: str, part: str) -> None:
    expected = parts_of(folder)
    (folder / file).write_text(text)
    with pytest.raises(UsageError, match=f"^here: {part} differ"):
        check_parts(expected, folder_parts(folder), where="here")


def test_changed_tool_description_is_named(folder: Path) -> None:
    changed = replace(SUBMIT, description="Hand in the part.")
    with pytest.raises(UsageError, match="tool submit differ"):
        check_parts(parts_of(folder), tool_parts([changed]), where="here")


def test_version_of_the_writer_does_not_count(folder: Path) -> None:
    expected = parts_of(folder)
    (folder / "preprocessor_config.json").write_text(
        '{"patch_size": 16, "transformers_version": "9.0"}'
    )
    check_parts(expected, folder_parts(folder), where="here")


def test_edited_card_is_refused(folder: Path) -> None:
    path = write_card(folder, ModelCard(parts=parts_of(folder)))
    data = json.loads(path.read_text())
    data["parts"]["tokenizer"] = "0" * 64
    path.write_text(json.dumps(data))
    with pytest.raises(UsageError, match="the file was edited"):
        read_card(folder)


def test_unknown_field_of_a_card_names_the_nearest(folder: Path) -> None:
    (folder / "cadwright.json").write_text('{"sytem": "x"}')
    with pytest.raises(UsageError, match="did you mean 'system'"):
        read_card(folder)
