"""Kinds about holes: where they are, which side they open to, how deep, in which pattern.

Each asked hole is matched with one found hole, over all constraints of a list at once, so that
no found hole answers two questions. Diameter, depth and position are in mm, and the verdict is
``met`` only where each of them is within its own tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from cadwright.rewards.constraints.field import Entry
from cadwright.rewards.constraints.record import Constraint, register
from cadwright.rewards.constraints.threads import FITS, THREADS, thread_name
from cadwright.rewards.constraints.values import (
    Place,
    choice,
    direction,
    number,
    number_of,
    pair,
    positive,
    record,
    spots,
    truth,
    whole,
)
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.part import Vector

POSITION_TOLERANCE_MM = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed(Constraint):
    """A feature with a size, found again by its place and direction.

    Attributes:
        position_tolerance: Distance from the asked place that still counts as met; None takes
            0.1 mm, less for small features.
        angle_tolerance: Angle from the asked direction that still counts as met.
    """

    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 0.05
    default_half: ClassVar[float] = 0.5

    position_tolerance: Annotated[
        float | None,
        Entry(
            number(0.0),
            "distance from the asked place that still counts as met; without it 0.1, of sizes "
            "below 1 mm in proportion less",
            unit="mm",
        ),
    ] = None
    angle_tolerance: Annotated[
        float,
        Entry(
            number(0.0, 90.0), "angle from the asked direction that still counts as met", unit="deg"
        ),
    ] = 1.0

    @property
    def place_tolerance(self) -> float:
        """The distance in force from the asked place that still counts as met, mm."""
        given = self.position_tolerance
        return POSITION_TOLERANCE_MM * self.fineness if given is None else given


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterbore:
    """A wider cylinder around the mouth of a hole."""

    diameter: Annotated[float, Entry(positive(), "diameter of the wide part", unit="mm")]
    depth: Annotated[float | None, Entry(positive(), "depth of the wide part", unit="mm")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Countersink:
    """A cone around the mouth of a hole."""

    diameter: Annotated[float, Entry(positive(), "diameter at the surface", unit="mm")]
    angle: Annotated[
        float | None, Entry(number(10.0, 170.0), "full angle of the cone", unit="deg")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HoleLike(Placed):
    """What every constraint on holes may ask besides the diameter."""

    axis: Annotated[
        Vector | None, Entry(direction, "direction of the axis, either sign", role="direction")
    ] = None
    opens: Annotated[
        Vector | None,
        Entry(direction, "side the hole opens to: from the material outwards", role="direction"),
    ] = None
    through: Annotated[bool | None, Entry(truth, "whether it goes all the way through")] = None
    depth: Annotated[
        float | None,
        Entry(positive(), "depth from the surface, a drill point not counted", unit="mm"),
    ] = None
    bottom: Annotated[
        str | None, Entry(choice("flat", "cone"), "form of the bottom of a blind hole")
    ] = None
    counterbore: Annotated[
        Counterbore | None, Entry(record(Counterbore), "a counterbore at the mouth")
    ] = None
    countersink: Annotated[
        Countersink | None, Entry(record(Countersink), "a countersink at the mouth")
    ] = None
    only: Annotated[
        bool, Entry(truth, "the part has no further hole of this diameter and direction")
    ] = False

    @property
    def bore(self) -> float:
        """Asked diameter, mm."""
        raise UsageError(f"{self.kind} has no diameter")

    @property
    def size_mm(self) -> float | None:
        """The diameter."""
        return self.bore


@dataclass(frozen=True, slots=True, kw_only=True)
class SpottedHole(HoleLike):
    """Holes at given places, or anywhere."""

    count: Annotated[
        int | None, Entry(whole(1), "how many; one for each place where places are given")
    ] = None
    at: Annotated[
        tuple[Place, ...] | None,
        Entry(
            spots,
            "place of the axis anywhere along the hole, or a list of places",
            unit="mm",
            role="points",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Hold count and places together."""
        _ = self.number

    @property
    def number(self) -> int:
        """How many holes are asked."""
        return number_of(self.count, self.at)


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Hole(SpottedHole):
    """One or more cylindrical holes of one diameter."""

    kind: ClassVar[str] = "hole"
    example: ClassVar[Mapping[str, Any]] = {
        "diameter": 6,
        "at": [[-20, -12, 10], [20, 12, 10]],
        "opens": "+z",
        "depth": 8,
        "counterbore": {"diameter": 11, "depth": 4},
    }

    diameter: Annotated[float, Entry(positive(), "diameter", unit="mm")]

    @property
    def bore(self) -> float:
        """Asked diameter, mm."""
        return self.diameter


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadHole(SpottedHole):
    """Holes of the right size for a screw: to be tapped, or to let it pass."""

    kind: ClassVar[str] = "thread_hole"
    default_tolerance: ClassVar[float] = 0.15
    example: ClassVar[Mapping[str, Any]] = {
        "thread": "M6",
        "fit": "normal",
        "count": 4,
        "axis": "z",
        "through": True,
    }

    thread: Annotated[str, Entry(thread_name, "metric thread: M8 (coarse pitch), M8x1 (fine)")]
    fit: Annotated[str, Entry(choice(*FITS), "tap: to cut the thread in; others: to pass")] = "tap"

    @property
    def bore(self) -> float:
        """Asked diameter, mm."""
        return THREADS[self.thread].holes[self.fit]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class HoleCount(Constraint):
    """How many holes there are, of one diameter or direction where these are given."""

    kind: ClassVar[str] = "hole_count"
    unit: ClassVar[str] = "holes"
    example: ClassVar[Mapping[str, Any]] = {"count": 4, "diameter": [5.9, 6.1], "opens": "+z"}

    count: Annotated[int, Entry(whole(0), "asked number")]
    diameter: Annotated[
        tuple[float, float] | None, Entry(pair, "least and greatest diameter counted", unit="mm")
    ] = None
    axis: Annotated[
        Vector | None, Entry(direction, "count only holes along this axis", role="direction")
    ] = None
    opens: Annotated[
        Vector | None, Entry(direction, "count only holes that open to this side", role="direction")
    ] = None
    through: Annotated[bool | None, Entry(truth, "count only through or only blind holes")] = None
