"""Kinds about the space around: volumes to leave free, to fill, to stay in; what must not change.

A region is a box, a cylinder, or the body in a file. Files are read by the judge's own worker and
stand in the coordinates of the part.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from cadwright.rewards.constraints.field import Entry
from cadwright.rewards.constraints.record import SMALL_MM, Constraint, Slack, register
from cadwright.rewards.constraints.values import positive, record, text, truth, vector
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.part import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A volume: a box (``min``, ``max``), a cylinder (``start``, ``end``, ``diameter``), a file."""

    min: Annotated[Vector | None, Entry(vector, "corner of a box", unit="mm", role="point")] = None
    max: Annotated[
        Vector | None, Entry(vector, "opposite corner of the box", unit="mm", role="point")
    ] = None
    start: Annotated[
        Vector | None, Entry(vector, "one end of a cylinder's axis", unit="mm", role="point")
    ] = None
    end: Annotated[
        Vector | None, Entry(vector, "the other end of the axis", unit="mm", role="point")
    ] = None
    diameter: Annotated[float | None, Entry(positive(), "diameter of the cylinder", unit="mm")] = (
        None
    )
    file: Annotated[str | None, Entry(text, "file that holds the body")] = None

    def __post_init__(self) -> None:
        """Ask for one whole shape."""
        box = (self.min, self.max)
        cylinder = (self.start, self.end, self.diameter)
        given = [
            shape for shape in (box, cylinder, (self.file,)) if any(v is not None for v in shape)
        ]
        if len(given) != 1 or any(v is None for v in given[0]):
            raise UsageError("give a box (min, max), a cylinder (start, end, diameter) or a file")
        if self.min is not None and self.max is not None:
            if not all(low < high for low, high in zip(self.min, self.max, strict=True)):
                raise UsageError("each number of min must be below that of max")
        if self.start is not None and self.start == self.end:
            raise UsageError("start and end of the cylinder are the same point")

    @property
    def round_mm3(self) -> float:
        """Volume where the region is a cylinder, else 0."""
        if self.start is None or self.end is None or self.diameter is None:
            return 0.0
        return math.pi / 4 * self.diameter**2 * math.dist(self.start, self.end)

    @property
    def volume_mm3(self) -> float:
        """Volume; infinite where it is the body in a file, which nobody has measured."""
        if self.min is None or self.max is None:
            return self.round_mm3 or math.inf
        return math.prod(high - low for low, high in zip(self.min, self.max, strict=True))


_BOX: Mapping[str, Any] = {"min": [-5, -5, 10], "max": [5, 5, 30]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spatial(Constraint):
    """A volume that the part is held against. The residual is the volume at fault.

    It is that of the true surfaces; by as much as it may be wrong where part and volume touch along
    curved ones, it counts as less.
    """

    unit: ClassVar[str] = "mm3"
    default_tolerance: ClassVar[float] = 0.01
    default_half: ClassVar[float] = 100.0

    region: Annotated[Region, Entry(record(Region), "the volume", role="record")]

    @property
    def fineness(self) -> float:
        """What is left of tolerance and half for the volume: 1 but for small ones."""
        return min(1.0, self.region.volume_mm3 / SMALL_MM**3)

    @property
    def slack(self) -> Slack:
        """The tolerance and half in force."""
        fineness = self.fineness
        return Slack(
            self.default_tolerance * fineness if self.tolerance is None else self.tolerance,
            self.default_half * fineness if self.half is None else self.half,
        )


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class KeepOut(Spatial):
    """No material lies in this volume; another body does not interfere with the part."""

    kind: ClassVar[str] = "keep_out"
    example: ClassVar[Mapping[str, Any]] = {"region": _BOX}


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class KeepIn(Spatial):
    """All material lies in this volume."""

    kind: ClassVar[str] = "keep_in"
    example: ClassVar[Mapping[str, Any]] = {"region": {"min": [-50, -50, 0], "max": [50, 50, 60]}}


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Filled(Spatial):
    """Material fills the whole of this volume: a rib, a pad, a place to weld."""

    kind: ClassVar[str] = "filled"
    example: ClassVar[Mapping[str, Any]] = {
        "region": {"start": [0, 0, 0], "end": [0, 0, 4], "diameter": 20}
    }


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Clearance(Constraint):
    """The gap to another body is at least this. The residual is what is missing."""

    kind: ClassVar[str] = "clearance"
    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 0.01
    default_half: ClassVar[float] = 0.5
    example: ClassVar[Mapping[str, Any]] = {"region": _BOX, "min": 0.5}

    region: Annotated[Region, Entry(record(Region), "the other body", role="record")]
    min: Annotated[float, Entry(positive(), "least gap", unit="mm")]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Preserved(Constraint):
    """An edit left the part as it was: everywhere, or outside (or inside) a region.

    The residual is the largest distance between old and new surface there. Without start geometry
    it cannot be checked.
    """

    kind: ClassVar[str] = "preserved"
    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 0.02
    default_half: ClassVar[float] = 1.0
    example: ClassVar[Mapping[str, Any]] = {"region": _BOX}

    region: Annotated[
        Region | None, Entry(record(Region), "the region of the change", role="record")
    ] = None
    inside: Annotated[
        bool, Entry(truth, "hold the inside of the region fast instead of the outside")
    ] = False


def region_of(constraint: Constraint) -> Region | None:
    """Return the volume that a constraint refers to, or None."""
    if isinstance(constraint, Spatial | Clearance | Preserved):
        return constraint.region
    return None
