"""How far a part is from the wanted one, in numbers that a picture of both tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from cadwright.tools.narrate import number


@dataclass(frozen=True, slots=True)
class Amount:
    """Material that is too much, or that is missing, in one view.

    Attributes:
        wide_mm: Median width of the places where it is so: how far an edge is off.
        high_mm: Median height of them along the view: how far a surface is off; None where most
            of them are open on one of both parts.
    """

    wide_mm: float
    high_mm: float | None

    def __str__(self) -> str:
        """Return ``2``, the width, or ``2x5``, width and height in mm."""
        high = "" if self.high_mm is None else f"x{number(self.high_mm)}"
        return f"{number(self.wide_mm)}{high}"


@dataclass(frozen=True, slots=True)
class Side:
    """What one view shows of it: material too much and material missing, where there is any."""

    too_much: Amount | None = None
    missing: Amount | None = None

    def __str__(self) -> str:
        """Return ``+2x5 -0``."""
        return f"+{self.too_much or 0} -{self.missing or 0}"


@dataclass(frozen=True, slots=True)
class Offset:
    """How far a part is from the wanted one.

    Attributes:
        px: Pixels of the three flat views that are off; 0 where nothing can be seen to be.
        top, front, right: What each of them shows.
    """

    px: int
    top: Side = Side()
    front: Side = Side()
    right: Side = Side()

    def to_json(self) -> Any:
        """Return nested lists, for a worker's answer."""
        return astuple(self)

    @classmethod
    def from_json(cls, data: Any) -> Offset:
        """Return what ``to_json`` gave."""
        px, *sides = data
        return cls(int(px), *(Side(*(a and Amount(*a) for a in side)) for side in sides))

    def line(self, before: Sequence[Offset | None] = ()) -> str:
        """Return it in one line: ``off by 60 px: top +1x5 -0, front +0 -2, right +0 -0``.

        Args:
            before: Of earlier attempts. The nearest is named where it was nearer than this one, or
                just as near.
        """
        made = [(o.px, number) for number, o in enumerate(before, start=1) if o is not None]
        least, attempt = min(made, default=(self.px + 1, 0))
        found = "" if least > self.px else f" (attempt {attempt}: {least} px)"
        if any(o == self for o in before):
            found = f" (as attempt {list(before).index(self) + 1})"
        return f"off by {self.px} px{found}: top {self.top}, front {self.front}, right {self.right}"
