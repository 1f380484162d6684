"""Readers of single values: from what a person wrote to the type of a field, or a clear fault.

Directions may be written as ``+x``, ``-z`` or three numbers. A coordinate of a place may be null,
which leaves it open: ``[10, 5, null]`` is a place in the plan, at any height.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cadwright.rewards.constraints.field import (
    ConstraintFault,
    Path,
    Reader,
    members_of,
)
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.part import Vector

Place = tuple[float | None, float | None, float | None]

MAX_LENGTH_MM = 1e7
MAX_ITEMS = 1000
MAX_TEXT = 500
AXES: Mapping[str, Vector] = {
    f"{sign}{name}": (vector[0] * turn, vector[1] * turn, vector[2] * turn)
    for sign, turn in (("", 1.0), ("+", 1.0), ("-", -1.0))
    for name, vector in (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)), ("z", (0.0, 0.0, 1.0)))
}


def number(low: float = -MAX_LENGTH_MM, high: float = 1e15) -> Reader:
    """Return a reader of finite numbers from ``low`` to ``high``."""

    def read(value: object, where: Path) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(value, where, "a number")
        if not low <= value <= high:
            raise wrong(value, where, f"a number from {low:g} to {high:g}")
        return float(value)

    return read


def positive(high: float = 1e15) -> Reader:
    """Return a reader of numbers above 0."""

    def read(value: object, where: Path) -> float:
        given: float = number(-math.inf, high)(value, where)
        if given <= 0.0:
            raise wrong(value, where, "a number above 0")
        return given

    return read


def whole(low: int = 0, high: int = MAX_ITEMS) -> Reader:
    """Return a reader of whole numbers."""

    def read(value: object, where: Path) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise wrong(value, where, f"a whole number from {low} to {high}")
        return value

    return read


def truth(value: object, where: Path) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise wrong(value, where, "true or false")
    return value


def text(value: object, where: Path) -> str:
    """Read a short text."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise wrong(value, where, f"text of at most {MAX_TEXT} characters")
    return value


def choice(*names: str) -> Reader:
    """Return a reader of one of some words."""

    def read(value: object, where: Path) -> str:
        if value not in names:
            raise ConstraintFault(where, f"{dotted(where)} is {value!r}{nearest(value, names)}")
        return str(value)

    return read


def vector(value: object, where: Path) -> Vector:
    """Read three numbers."""
    x, y, z = _three(value, where)
    read = number()
    return (read(x, (*where, 0)), read(y, (*where, 1)), read(z, (*where, 2)))


def sizes(value: object, where: Path) -> Vector:
    """Read three lengths above 0."""
    x, y, z = _three(value, where)
    read = positive(MAX_LENGTH_MM)
    return (read(x, (*where, 0)), read(y, (*where, 1)), read(z, (*where, 2)))


def amounts(value: object, where: Path) -> Vector:
    """Read three numbers above 0 of any size."""
    x, y, z = _three(value, where)
    read = positive()
    return (read(x, (*where, 0)), read(y, (*where, 1)), read(z, (*where, 2)))


def pair(value: object, where: Path) -> tuple[float, float]:
    """Read two lengths above 0."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise wrong(value, where, "two numbers, such as [20, 12]")
    read = positive(MAX_LENGTH_MM)
    return (read(value[0], (*where, 0)), read(value[1], (*where, 1)))


def counts(value: object, where: Path) -> tuple[int, int]:
    """Read two whole numbers above 0."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise wrong(value, where, "two whole numbers, such as [4, 2]")
    read = whole(1)
    return (read(value[0], (*where, 0)), read(value[1], (*where, 1)))


def place(value: object, where: Path) -> Place:
    """Read a place; null leaves a coordinate open."""
    given = _three(value, where)
    read = number()
    x, y, z = (None if v is None else read(v, (*where, i)) for i, v in enumerate(given))
    if x is None and y is None and z is None:
        raise wrong(value, where, "a place with at least one coordinate")
    return (x, y, z)


def spots(value: object, where: Path) -> tuple[Place, ...]:
    """Read one place or a list of places."""
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_ITEMS:
        raise wrong(value, where, f"a place or a list of 1 to {MAX_ITEMS} places")
    if not any(isinstance(item, list | tuple) for item in value):
        return (place(value, where),)
    return tuple(place(item, (*where, i)) for i, item in enumerate(value))


def number_of(count: int | None, places: Sequence[Place] | None) -> int:
    """Return how many are asked for: one for each place, where there are places.

    Raises:
        UsageError: Both are given and do not agree.
    """
    if places is None:
        return count or 1
    if count is not None and count != len(places):
        raise UsageError(f"count is {count} with {len(places)} places: give one of them")
    return len(places)


def direction(value: object, where: Path) -> Vector:
    """Read a direction, ``+z`` or three numbers, and make it a unit vector."""
    if isinstance(value, str):
        if value not in AXES:
            raise wrong(value, where, "a direction such as +z, -x or [0, 0, 1]")
        return AXES[value]
    x, y, z = vector(value, where)
    length = math.hypot(x, y, z)
    if length == 0.0:
        raise wrong(value, where, "a direction: one of its numbers must not be 0")
    return (x / length, y / length, z / length)


def record(cls: type) -> Reader:
    """Return a reader of a nested record."""

    def read(value: object, where: Path) -> Any:
        return read_record(cls, value, where)

    return read


def records(cls: type) -> Reader:
    """Return a reader of a list of nested records."""

    def read(value: object, where: Path) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_ITEMS:
            raise wrong(value, where, f"a list of 1 to {MAX_ITEMS} records")
        return tuple(read_record(cls, item, (*where, i)) for i, item in enumerate(value))

    return read


def read_record(cls: type, value: object, where: Path, *, skip: Iterable[str] = ()) -> Any:
    """Return a record of ``cls`` from a mapping of its fields.

    Args:
        cls: A dataclass whose fields say how they are read.
        value: Plain data; null stands for the default.
        where: Path of the mapping.
        skip: Keys of the mapping that are read elsewhere.
    """
    if not isinstance(value, Mapping):
        raise wrong(value, where, "a mapping of named fields")
    known = {member.name: member for member in members_of(cls)}
    left_out = set(skip)
    for key in value:
        if key not in known and key not in left_out:
            raise ConstraintFault((*where, key), f"unknown field {key!r}{nearest(key, known)}")
    given = {name: value[name] for name in known if value.get(name) is not None}
    for name, member in known.items():
        if member.is_required and name not in given:
            raise ConstraintFault(where, f"{dotted(where)} lacks the field {name!r}")
    try:
        return cls(**{n: known[n].entry.read(v, (*where, n)) for n, v in given.items()})
    except ConstraintFault:
        raise
    except UsageError as err:  # fields that do not go together
        raise ConstraintFault(where, f"{dotted(where)}: {err}") from err


def wrong(value: object, where: Path, allowed: str) -> ConstraintFault:
    """Return the fault of a value that is not allowed."""
    given = repr(value)
    shown = given if len(given) <= 60 else given[:59] + "…"
    return ConstraintFault(where, f"{dotted(where)} is {shown}, allowed: {allowed}")


def nearest(given: object, known: Iterable[str]) -> str:
    """Return a clause for a message: the nearest match, or else all that is allowed."""
    names = sorted(known)
    near = difflib.get_close_matches(str(given), names, n=1)
    return f": did you mean {near[0]!r}?" if near else f", allowed: {', '.join(names)}"


def dotted(where: Path) -> str:
    """Return a path as a person reads it; a place in a list at its start is left out."""
    steps = where[1:] if where and isinstance(where[0], int) else where
    return ".".join(str(step) for step in steps) or "the constraint"


def _three(value: object, where: Path) -> tuple[Any, Any, Any]:
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise wrong(value, where, "three numbers, such as [10, 0, 5]")
    return (value[0], value[1], value[2])
