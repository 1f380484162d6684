"""One thing that a drawing says: a dimension or a note, and where on the part it belongs."""

from __future__ import annotations

import math
import string
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.outlines import Flat, flatten
from cadwright.tools.geometry.part import Vector

Kind = Literal["linear", "diameter", "radius", "angle", "note"]

DIAMETER = "⌀"
MAX_LINE = 20  # characters, before a callout goes on in the next line
SAME_REL, SAME_ABS = 2e-3, 2e-3  # a span and the number written at it: rounded to three decimals

_BARE: dict[str, str] = {
    "linear": "{value}",
    "diameter": DIAMETER + "{value}",
    "radius": "R{value}",
    "angle": "{value}°",
}
_NUM_POINTS: dict[str, int] = {"linear": 2, "diameter": 2, "radius": 2, "angle": 3}


@dataclass(frozen=True, slots=True)
class Field:
    """Where in a text the number of a dimension stands: ``text[start:stop]``.

    Attributes:
        name: The dimension.
        start: Its first character.
        stop: The one after its last.
        times: What stands there, in multiples of the dimension: 2 for the diameter of a radius.
    """

    name: str
    start: int
    stop: int
    times: int = 1


@dataclass(frozen=True, slots=True)
class Callout:
    """A dimension or a note.

    Attributes:
        name: The dimension, or empty for a note without one.
        kind: How it is drawn.
        view: The view that carries it.
        points: mm, in the frame of the part. Linear: the two points that it spans. Diameter and
            radius: centre, then a point of the circle. Angle: apex and a point on each leg.
            Note: what the leader points at; none for a general note.
        value: The number, mm or degrees; None for a note without one.
        times: That number in multiples of the dimension: 2 for the diameter of a radius.
        text: Words around it, ``{value}`` and other dimensions by name; empty is the bare number.
        others: The numbers of the other dimensions that ``text`` names.
    """

    name: str
    kind: Kind
    view: str
    points: tuple[Vector, ...]
    value: float | None = None
    text: str = ""
    others: Mapping[str, float] = field(default_factory=dict)
    times: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn.

        Raises:
            UsageError: Points or a value are missing.
        """
        wanted = _NUM_POINTS.get(self.kind)
        if wanted is not None and len(self.points) != wanted:
            raise UsageError(f"{self}: a {self.kind} has {wanted} points, not {len(self.points)}")
        if self.value is None and (self.kind != "note" or not self.text):
            raise UsageError(f"{self}: has neither a number nor words")

    def __str__(self) -> str:
        """Return how messages call it."""
        return f"callout {self.name or self.text!r}"

    @property
    def flat(self) -> tuple[Flat, ...]:
        """The points in the view, mm, y up."""
        return tuple(flatten(point, self.view) for point in self.points)

    def written(self) -> tuple[str, tuple[Field, ...]]:
        """Return what is written, lines apart by a line feed, and where the numbers stand in it.

        Raises:
            UsageError: The text names a dimension that has no number.
        """
        words, fields = "", []
        for literal, name, _, _ in string.Formatter().parse(self.text or _BARE[self.kind]):
            words += literal
            if name is not None:
                number = number_text(self._number(name))
                whose, times = (self.name, self.times) if name == "value" else (name, 1)
                fields.append(Field(whose, len(words), len(words + number), times))
                words += number
        lines = textwrap.wrap(words, MAX_LINE, break_long_words=False, break_on_hyphens=False)
        return "\n".join(lines), tuple(fields)

    def agrees(self, measured: float) -> bool:
        """Return whether a measured length or angle is the number that stands there."""
        return self.value is not None and math.isclose(
            measured, self.value, rel_tol=SAME_REL, abs_tol=SAME_ABS
        )

    def _number(self, name: str) -> float:
        if name == "value" and self.value is not None:
            return self.value
        if name not in self.others:
            raise UsageError(f"{self}: its text names {name!r}, which has no number")
        return self.others[name]


def number_text(value: float) -> str:
    """Return a number as a drawing writes it: at most three decimals, none that say nothing."""
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
