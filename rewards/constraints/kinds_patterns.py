"""Kinds about patterns of holes: circles, grids, lines.

The holes of a pattern are matched like single ones. Where centre or direction is left open, the
pattern is first laid where it fits the part best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from cadwright.rewards.constraints.field import Entry
from cadwright.rewards.constraints.kinds_holes import HoleLike
from cadwright.rewards.constraints.record import register
from cadwright.rewards.constraints.values import (
    counts,
    direction,
    pair,
    positive,
    vector,
    whole,
)
from cadwright.tools.geometry.part import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class HolePattern(HoleLike):
    """Holes in a regular arrangement."""

    diameter: Annotated[float, Entry(positive(), "diameter of each hole", unit="mm")]

    @property
    def bore(self) -> float:
        """Asked diameter, mm."""
        return self.diameter


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class HoleCircle(HolePattern):
    """Holes evenly spread on a circle."""

    kind: ClassVar[str] = "hole_circle"
    example: ClassVar[Mapping[str, Any]] = {
        "diameter": 6.6,
        "count": 6,
        "circle": 50,
        "centre": [0, 0, 5],
        "axis": "z",
    }

    count: Annotated[int, Entry(whole(2), "number of holes")]
    circle: Annotated[float, Entry(positive(), "diameter of the circle", unit="mm")]
    centre: Annotated[
        Vector | None,
        Entry(vector, "centre of the circle; without it anywhere", unit="mm", role="point"),
    ] = None
    start: Annotated[
        Vector | None,
        Entry(
            direction, "from the centre to one of the holes; without it any turn", role="direction"
        ),
    ] = None


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class HoleGrid(HolePattern):
    """Holes in rows and columns."""

    kind: ClassVar[str] = "hole_grid"
    example: ClassVar[Mapping[str, Any]] = {
        "diameter": 4,
        "count": [4, 2],
        "pitch": [20, 15],
        "centre": [0, 0, 5],
        "axis": "z",
        "along": "x",
    }

    count: Annotated[tuple[int, int], Entry(counts, "number of holes along the grid and across it")]
    pitch: Annotated[
        tuple[float, float], Entry(pair, "distances along the grid and across it", unit="mm")
    ]
    centre: Annotated[
        Vector | None,
        Entry(vector, "middle of the grid; without it anywhere", unit="mm", role="point"),
    ] = None
    along: Annotated[
        Vector | None,
        Entry(direction, "direction of the first count; without it any turn", role="direction"),
    ] = None


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class HoleLine(HolePattern):
    """Holes in one row at one distance."""

    kind: ClassVar[str] = "hole_line"
    example: ClassVar[Mapping[str, Any]] = {
        "diameter": 4,
        "count": 5,
        "pitch": 10,
        "centre": [0, 0, 5],
        "axis": "z",
        "along": "x",
    }

    count: Annotated[int, Entry(whole(2), "number of holes")]
    pitch: Annotated[float, Entry(positive(), "distance between neighbours", unit="mm")]
    centre: Annotated[
        Vector | None,
        Entry(vector, "middle of the row; without it anywhere", unit="mm", role="point"),
    ] = None
    along: Annotated[
        Vector | None, Entry(direction, "direction of the row; without it any", role="direction")
    ] = None
