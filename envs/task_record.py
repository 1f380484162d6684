"""From a record (one YAML mapping, one JSON line) to a ``Task``, with every fault named.

A fault carries the path of the field inside the record, so that whoever read the file can add the
line. Nothing is guessed: an unknown field, a number in quotes or a NaN is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from cadwright.envs.constraints_file import with_base
from cadwright.envs.names import nearest
from cadwright.envs.sources import (
    GeometrySource,
    ImageSource,
    geometry_from_json,
    image_from_json,
)
from cadwright.envs.task import ENVS, EpisodeLimits, Task
from cadwright.rewards.answer import Answer
from cadwright.rewards.constraints.field import ConstraintFault
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import TaskError, UsageError

FieldPath = tuple[str | int, ...]
Source = TypeVar("Source")

_ALIASES = {"prompt": "brief"}  # what published prompt files call it
_REQUIRED = ("id", "brief")
_DOTTED = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_MAX_SEED = 2**32 - 1  # what NumPy and Gymnasium take
_LIMIT_RANGES = {
    "turns": (1, 10_000),
    "wall_s": (0.1, 604_800.0),
    "step_s": (0.1, 86_400.0),
    "repeated_failures": (1, 10_000),
    "images": (0, 64),
}


class FieldError(TaskError):
    """A field that cannot be used. ``where`` is its path: ``("limits", "turns")``."""

    def __init__(self, where: FieldPath, message: str) -> None:
        super().__init__(message)
        self.where = where


def task_from_json(record: object, *, base: Path | None = None) -> Task:
    """Read one task record, as ``Task.to_json`` or a person writes it.

    Args:
        record: Plain data; null stands for the default. ``prompt`` is read as ``brief``.
        base: Folder that relative files belong to.

    Raises:
        FieldError: The first fault: the field, what was given and what is allowed.
    """
    raw = _mapping(record, ())
    _check_known(raw, (*_PARSERS, *_ALIASES), ())
    named = _without_aliases(raw)
    for name in _REQUIRED:
        if named.get(name) is None:
            raise FieldError((), f"{name!r} is missing: every task needs one")
    where = {name: (name if name in raw else "prompt",) for name in named}
    given = {name: value for name, value in named.items() if value is not None}
    task = Task(**{n: _PARSERS[n](value, where[n], base) for n, value in given.items()})
    if task.reference is None and any(image.view is not None for image in task.images):
        raise FieldError(("images",), "a view needs a reference to be drawn from: give one")
    return task


def _without_aliases(raw: Mapping[str, Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for key, value in raw.items():
        name = _ALIASES.get(key, key)
        if name in named:
            raise FieldError((key,), f"{key!r} and {name!r} are the same field: give one")
        named[name] = value
    return named


def _check_known(record: Mapping[str, Any], known: Iterable[str], where: FieldPath) -> None:
    known = tuple(known)
    for key in record:
        if key not in known:
            raise FieldError((*where, key), f"unknown field {key!r}{nearest(key, known)}")


def _wrong(where: FieldPath, value: object, allowed: str) -> FieldError:
    given = repr(value)
    shown = given if len(given) <= 60 else given[:59] + "…"
    return FieldError(where, f"{_dotted(where)} is {shown}, allowed: {allowed}")


def _dotted(where: FieldPath) -> str:
    return ".".join(str(part) for part in where) or "the task"


def _mapping(value: Any, where: FieldPath) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise _wrong(where, value, "a mapping of named fields")
    return value


def _list(value: Any, where: FieldPath) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise _wrong(where, value, "a list")
    return list(value)


def _text(value: Any, where: FieldPath, base: Path | None = None) -> str:
    if not isinstance(value, str):
        raise _wrong(where, value, "text")
    return value


def _number(value: Any, where: FieldPath, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise _wrong(where, value, f"a number from {low:g} to {high:g}")
    return float(value)


def _integer(value: Any, where: FieldPath, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise _wrong(where, value, f"a whole number from {low} to {high}")
    return value


def _id(value: Any, where: FieldPath, base: Path | None) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    # isprintable also refuses control characters and half surrogate pairs, which break terminals
    if not isinstance(text, str) or not text.strip() or not text.isprintable():
        raise _wrong(where, value, "printable text or a whole number")
    return text


def _domain(value: Any, where: FieldPath, base: Path | None) -> str:
    if not isinstance(value, str) or not _DOTTED.fullmatch(value):
        raise _wrong(where, value, "lower-case words joined by dots, such as cad.create.text")
    return value


def _env(value: Any, where: FieldPath, base: Path | None) -> str:
    if value not in ENVS:
        raise FieldError(where, f"env is {value!r}{nearest(value, ENVS)}")
    return str(value)


def _images(value: Any, where: FieldPath, base: Path | None) -> tuple[ImageSource, ...]:
    return tuple(_image(item, (*where, i), base) for i, item in enumerate(_list(value, where)))


def _image(value: Any, where: FieldPath, base: Path | None) -> ImageSource:
    record = _source_record(value, where, ("file", "data", "view", "caption"))
    return _at(where, lambda: image_from_json(record, base))


def _source(value: Any, where: FieldPath, base: Path | None) -> GeometrySource:
    record = _source_record(value, where, ("program", "file", "data", "format"))
    return _at(where, lambda: geometry_from_json(record, base))


def _source_record(value: Any, where: FieldPath, known: tuple[str, ...]) -> dict[str, str]:
    """A bare text is short for ``{file: text}``."""
    record = {"file": value} if isinstance(value, str) else _mapping(value, where)
    _check_known(record, known, where)
    given = {key: item for key, item in record.items() if item is not None}
    return {key: _text(item, (*where, key)) for key, item in given.items()}


def _at(where: FieldPath, read: Callable[[], Source]) -> Source:
    try:
        return read()
    except TaskError as err:
        raise FieldError(where, f"{_dotted(where)}: {err}") from err


def _constraints(value: Any, where: FieldPath, base: Path | None) -> tuple[Mapping[str, Any], ...]:
    records = [_plain(item, (*where, i)) for i, item in enumerate(_list(value, where))]
    plain: list[Mapping[str, Any]] = with_base(records, base)
    try:
        parse_constraints(plain, where)
    except ConstraintFault as err:
        raise FieldError(err.where, str(err)) from err
    return tuple(plain)


def _tools(value: Any, where: FieldPath, base: Path | None) -> tuple[str, ...]:
    return tuple(_text(item, (*where, i)) for i, item in enumerate(_list(value, where)))


def _limits(value: Any, where: FieldPath, base: Path | None) -> EpisodeLimits:
    record = _mapping(value, where)
    _check_known(record, _LIMIT_RANGES, where)
    default = asdict(EpisodeLimits())
    given = {k: _limit(k, v, (*where, k)) for k, v in record.items() if v is not None}
    return EpisodeLimits(**{**default, **given})


def _limit(name: str, value: Any, where: FieldPath) -> float:
    low, high = _LIMIT_RANGES[name]
    if isinstance(low, int) and isinstance(high, int):
        return _integer(value, where, low, high)
    return _number(value, where, low, high)


def _scoring(value: Any, where: FieldPath, base: Path | None) -> Mapping[str, Any]:
    """A bare text is short for ``{protocol: text}``."""
    record = {"protocol": value} if isinstance(value, str) else _mapping(value, where)
    scoring: dict[str, Any] = _plain(record, where)
    try:
        Scoring.from_dict(scoring)
    except UsageError as err:
        raise FieldError(where, str(err)) from err
    return scoring


def _answer(value: Any, where: FieldPath, base: Path | None) -> Mapping[str, Any]:
    """A bare number is short for ``{value: number}``: only itself is right."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    record = {"value": value} if is_number else _mapping(value, where)
    answer: dict[str, Any] = _plain(record, where)
    try:
        Answer.from_dict(answer)
    except UsageError as err:
        raise FieldError(where, str(err)) from err
    return answer


def _difficulty(value: Any, where: FieldPath, base: Path | None) -> int:
    return _integer(value, where, 1, 5)


def _seed(value: Any, where: FieldPath, base: Path | None) -> int:
    return _integer(value, where, 0, _MAX_SEED)


def _meta(value: Any, where: FieldPath, base: Path | None) -> Mapping[str, Any]:
    meta: dict[str, Any] = _plain(_mapping(value, where), where)
    if meta.get("gold") is not None:
        meta["gold"] = _gold(meta["gold"], (*where, "gold"), base)
    if meta.get("demo") is not None:
        meta["demo"] = _turns(meta["demo"], (*where, "demo"))
    return meta


def _gold(value: Any, where: FieldPath, base: Path | None) -> Any:
    """Check a gold answer and make its file absolute; it stays plain data."""
    if value == "reference":
        return value
    if isinstance(value, Mapping) and "calls" in value:
        _check_known(value, ("calls",), where)
        return {"calls": _calls(value["calls"], (*where, "calls"))}
    return _source(value, where, base).to_json()


def _turns(value: Any, where: FieldPath) -> list[dict[str, Any]]:
    """A script: what the policy says in each turn and the calls it makes."""
    return [_turn(item, (*where, i)) for i, item in enumerate(_list(value, where))]


def _turn(value: Any, where: FieldPath) -> dict[str, Any]:
    record = _mapping(value, where)
    _check_known(record, ("text", "calls"), where)
    return {
        "text": _text(record.get("text") or "", (*where, "text")),
        "calls": _calls(record.get("calls") or [], (*where, "calls")),
    }


def _calls(value: Any, where: FieldPath) -> list[dict[str, Any]]:
    return [_call(item, (*where, i)) for i, item in enumerate(_list(value, where))]


def _call(value: Any, where: FieldPath) -> dict[str, Any]:
    record = _mapping(value, where)
    _check_known(record, ("name", "arguments"), where)
    return {
        "name": _text(record.get("name"), (*where, "name")),
        "arguments": dict(_mapping(record.get("arguments") or {}, (*where, "arguments"))),
    }


def _plain(value: Any, where: FieldPath) -> Any:
    """A copy in plain JSON types, finite numbers only."""
    if isinstance(value, Mapping):
        return {key: _plain(item, (*where, key)) for key, item in _mapping(value, where).items()}
    if isinstance(value, list | tuple):
        return [_plain(item, (*where, i)) for i, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise _wrong(where, value, "a finite number")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise _wrong(where, value, "text, numbers, true, false, lists and mappings")


_PARSERS: dict[str, Callable[[Any, FieldPath, Path | None], Any]] = {
    "id": _id,
    "brief": _text,
    "domain": _domain,
    "env": _env,
    "images": _images,
    "start": _source,
    "reference": _source,
    "constraints": _constraints,
    "tools": _tools,
    "limits": _limits,
    "scoring": _scoring,
    "answer": _answer,
    "difficulty": _difficulty,
    "seed": _seed,
    "meta": _meta,
}
