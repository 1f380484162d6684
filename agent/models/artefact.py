"""A small model and the words it was trained on are one artefact, hashed together.

A policy that was trained from scratch knows one system prompt, one set of tool descriptions, one
tokenizer and one renderer. Change a docstring and it still answers, only worse, and nobody notices.
So its folder holds ``cadwright.json``: what it needs, and a digest of each thing that must match.
``check_parts`` names whatever differs. A folder without that file is a general model and is not
held to anything.

Writing such a folder::

    parts = artefact_parts(folder, system=system, tools=specs, renderer="measured/2")
    write_card(folder, ModelCard(system=system, tools=("execute", "submit"), parts=parts))
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from cadwright.agent.tool_calls import DIALECTS
from cadwright.envs.names import nearest
from cadwright.tools.errors import UsageError
from cadwright.tools.files import read_bytes, read_text
from cadwright.tools.tool import ToolSpec

CARD_NAME = "cadwright.json"

_FILES = {  # part: the files that define it, where the folder has them
    "tokenizer": ("tokenizer.json", "vocab.json", "merges.txt", "tokenizer.model"),
    "chat template": ("chat_template.jinja", "chat_template.json"),
    "image processor": ("processor_config.json", "preprocessor_config.json"),
    "generation settings": ("generation_config.json",),  # what ends a turn, what is never written
}
_KIND = tuple[str, Callable[[Any], bool]]
_TEXT: _KIND = ("text", lambda value: isinstance(value, str))
_KINDS: dict[str, _KIND] = {  # of the fields of a card that are no text
    "tools": ("a list of names", lambda value: _holds(value, list, str)),
    "dialect": (f"one of {', '.join(DIALECTS)}", lambda value: value in DIALECTS),
    "budget": ("an object of numbers", lambda value: _holds(value, dict, int)),
    "max_new_tokens": ("a number or null", lambda value: isinstance(value, int | None)),
    "parts": ("an object of digests", lambda value: _holds(value, dict, str)),
}
_VOLATILE = ("transformers_version", "processor_class", "_name_or_path")


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a model folder says about itself in ``cadwright.json``.

    Attributes:
        system: System prompt that it was trained with; empty for none.
        tools: Names of the tools it knows, in the order of its prompt; empty for any.
        dialect: How it writes calls, as in ``cadwright.agent.tool_calls``.
        budget: Fields of ``cadwright.agent.context.ContextBudget``.
        decline: How its answer begins when it does not know the part: the episode ends there.
        max_new_tokens: Longest answer.
        renderer: Name and version of the renderer of its pictures, ``name/version``.
        parts: Digest of everything that must match, by the name that an error message uses.
        license: Of the weights, for people.
    """

    system: str = ""
    tools: tuple[str, ...] = ()
    dialect: str = "auto"
    budget: Mapping[str, int] = field(default_factory=dict)
    decline: str = ""
    max_new_tokens: int | None = None
    renderer: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    license: str = ""

    @property
    def artefact(self) -> str:
        """One digest of all parts, empty where nothing is pinned."""
        return artefact_digest(self.parts) if self.parts else ""


def artefact_parts(
    folder: Path, *, system: str, tools: Sequence[ToolSpec], renderer: str
) -> dict[str, str]:
    """Return the digest of each thing that a trained policy depends on.

    Args:
        folder: Model folder in which everything but the card is saved already.
        system: System prompt.
        tools: Specs in the order of the prompt: name, description and schema all count.
        renderer: Name and version of the renderer, for example ``measured/2``.
    """
    parts = {"system prompt": _digest(system), "renderer": _digest(renderer)}
    parts["tool order"] = _digest([spec.name for spec in tools])
    parts |= tool_parts(tools)
    return parts | folder_parts(folder)


def tool_parts(tools: Iterable[ToolSpec]) -> dict[str, str]:
    """Return the digest of each tool as a model reads it."""
    return {f"tool {spec.name}": _digest(spec.to_openai()) for spec in tools}


def folder_parts(folder: Path) -> dict[str, str]:
    """Return the digests of what lies in the model folder."""
    parts = {}
    for part, names in _FILES.items():
        found = [folder / name for name in names if (folder / name).is_file()]
        if part == "chat template" and not found:
            parts[part] = _digest(_inline_template(folder))
        elif found:
            parts[part] = _digest([_content(path) for path in found])
    return parts


def artefact_digest(parts: Mapping[str, str]) -> str:
    """Return one digest of all ``parts``."""
    return _digest(dict(parts))


def check_parts(expected: Mapping[str, str], found: Mapping[str, str], *, where: str) -> None:
    """Compare what a model was trained with to what it is about to be given.

    Only parts that ``expected`` pins and ``found`` holds are compared.

    Raises:
        UsageError: Something differs; all of it is named.
    """
    differing = sorted(
        part for part in expected.keys() & found.keys() if expected[part] != found[part]
    )
    if differing:
        raise UsageError(
            f"{where}: {', '.join(differing)} differ from what this model was trained with, so its "
            "answers would be worthless: restore them, or train it again"
        )


def check_folder(card: ModelCard, folder: Path) -> None:
    """Compare a model folder to what its card pins.

    Raises:
        UsageError: A pinned file is not there, or differs.
    """
    found = folder_parts(folder)
    missing = [part for part in _FILES if part in card.parts.keys() - found.keys()]
    if missing:
        names = " or ".join(_FILES[missing[0]])
        raise UsageError(f"{folder}: the {missing[0]} of this model is missing ({names})")
    check_parts(card.parts, found, where=str(folder))


def read_card(folder: Path) -> ModelCard | None:
    """Return the card of a model folder, or None where it has none.

    Raises:
        UsageError: The file is not as ``write_card`` leaves it.
    """
    path = folder / CARD_NAME
    if not path.is_file():
        return None
    data = _json(path)
    if not isinstance(data, Mapping):
        raise UsageError(f"{path}: must hold an object, not {type(data).__name__}")
    card = _card_of(data, path)
    if data.get("artefact", card.artefact) != card.artefact:
        raise UsageError(f"{path}: `artefact` is not the digest of `parts`: the file was edited")
    return card


def write_card(folder: Path, card: ModelCard) -> Path:
    """Write ``card`` into a model folder and return its path."""
    path = folder / CARD_NAME
    data = {"artefact": card.artefact, **asdict(card)}
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _card_of(data: Mapping[str, Any], path: Path) -> ModelCard:
    allowed = {entry.name for entry in fields(ModelCard)}
    for name in data.keys() - allowed - {"artefact"}:
        raise UsageError(f"{path}: there is no field {name!r}{nearest(name, allowed)}")
    values = {name: value for name, value in data.items() if name in allowed}
    for name, value in values.items():
        wanted, fits = _KINDS.get(name, _TEXT)
        if not fits(value):
            raise UsageError(f"{path}: {name} must be {wanted}, not {value!r}")
    values["tools"] = tuple(values.get("tools", ()))
    return ModelCard(**values)


def _holds(value: Any, kind: type, of: type) -> bool:
    """Return whether a list, or the values of a dict, hold one type."""
    items = value.values() if isinstance(value, dict) else value
    return isinstance(value, kind) and all(isinstance(item, of) for item in items)


def _inline_template(folder: Path) -> object:
    """Return the chat template where the tokenizer's own settings hold it."""
    path = folder / "tokenizer_config.json"
    return _json(path).get("chat_template") if path.is_file() else None


def _json(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise UsageError(f"{path}: cannot be read as JSON ({error})") from error


def _content(path: Path) -> object:
    """Return what counts of a file: its settings without who wrote them, or its text."""
    if path.suffix != ".json":
        return read_bytes(path).decode("utf-8", errors="surrogateescape")
    data = _json(path)
    return {key: value for key, value in data.items() if key not in _VOLATILE}


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
