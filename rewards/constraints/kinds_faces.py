"""Kinds about faces to each other: parallel, perpendicular, coplanar, apart, coaxial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from cadwright.rewards.constraints.field import Entry
from cadwright.rewards.constraints.record import Constraint, register
from cadwright.rewards.constraints.values import (
    direction,
    number,
    positive,
    record,
    truth,
    vector,
)
from cadwright.tools.geometry.part import Vector

_Within = Annotated[
    float | None,
    Entry(
        positive(),
        "how far the face may be from the point; without it 5 % of the part's largest extent",
        unit="mm",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceAt:
    """Selects the planar face nearest to a point, of those that look about this way.

    ``about_deg`` is wide, so that a face a little out of true is found and gets a residual. A face
    farther from the point than ``within`` loses credit, and soon is not the one meant.
    """

    normal: Annotated[Vector, Entry(direction, "outward normal", role="direction")]
    at: Annotated[Vector, Entry(vector, "a point on the face", unit="mm", role="point")]
    about_deg: Annotated[
        float, Entry(number(1.0, 90.0), "how far its normal may be from the asked one", unit="deg")
    ] = 30.0
    within: _Within = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundAt:
    """Selects the cylindrical face nearest to a point of its axis, in place and diameter."""

    at: Annotated[
        Vector, Entry(vector, "a point on the axis of the cylinder", unit="mm", role="point")
    ]
    diameter: Annotated[
        float | None, Entry(positive(), "its diameter, where several share the axis", unit="mm")
    ] = None
    inner: Annotated[bool | None, Entry(truth, "material lies outside it, as around a bore")] = None
    within: _Within = None


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Face(Constraint):
    """A planar face lies here and looks this way. The residual is its distance from the point."""

    kind: ClassVar[str] = "face"
    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 0.05
    default_half: ClassVar[float] = 1.0
    example: ClassVar[Mapping[str, Any]] = {"normal": "+z", "at": [0, 0, 10], "min_area": 500}

    normal: Annotated[Vector, Entry(direction, "outward normal", role="direction")]
    at: Annotated[Vector, Entry(vector, "a point of its plane", unit="mm", role="point")]
    min_area: Annotated[float | None, Entry(positive(), "least area", unit="mm2")] = None
    angle_tolerance: Annotated[
        float,
        Entry(number(0.0, 90.0), "angle from the normal that still counts as met", unit="deg"),
    ] = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FacePair(Constraint):
    """Two planar faces to each other."""

    unit: ClassVar[str] = "deg"
    default_tolerance: ClassVar[float] = 0.1
    default_half: ClassVar[float] = 2.0

    first: Annotated[FaceAt, Entry(record(FaceAt), "one face", role="record")]
    second: Annotated[FaceAt, Entry(record(FaceAt), "the other face", role="record")]


_TOP_AND_BOTTOM: Mapping[str, Any] = {
    "first": {"normal": "+z", "at": [0, 0, 10]},
    "second": {"normal": "-z", "at": [0, 0, 0]},
}
_TOP_AND_SIDE: Mapping[str, Any] = {
    "first": {"normal": "+z", "at": [0, 0, 10]},
    "second": {"normal": "+x", "at": [30, 0, 5]},
}


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Parallel(FacePair):
    """Two planar faces are parallel. The residual is the angle between them."""

    kind: ClassVar[str] = "parallel"
    example: ClassVar[Mapping[str, Any]] = _TOP_AND_BOTTOM


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Perpendicular(FacePair):
    """Two planar faces are at right angles. The residual is what is missing to 90 degrees."""

    kind: ClassVar[str] = "perpendicular"
    example: ClassVar[Mapping[str, Any]] = _TOP_AND_SIDE


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Coplanar(FacePair):
    """Two planar faces lie in one plane. The residual is the step between them."""

    kind: ClassVar[str] = "coplanar"
    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 0.02
    default_half: ClassVar[float] = 0.5
    example: ClassVar[Mapping[str, Any]] = {
        "first": {"normal": "+z", "at": [-20, 0, 10]},
        "second": {"normal": "+z", "at": [20, 0, 10]},
    }


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class FaceDistance(FacePair):
    """Two planar faces are this far apart, along the normal of the first."""

    kind: ClassVar[str] = "face_distance"
    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 0.05
    default_half: ClassVar[float] = 1.0
    example: ClassVar[Mapping[str, Any]] = {**_TOP_AND_BOTTOM, "value": 10}

    value: Annotated[float, Entry(number(0.0), "asked distance", unit="mm")]

    @property
    def size_mm(self) -> float | None:
        """The distance; none is no size."""
        return self.value or None


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Coaxial(Constraint):
    """Two round faces share an axis. The residual is the distance between the axes.

    It is measured at the middle of either face, so a tilt shows as a distance too.
    """

    kind: ClassVar[str] = "coaxial"
    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 0.02
    default_half: ClassVar[float] = 0.5
    example: ClassVar[Mapping[str, Any]] = {
        "first": {"at": [0, 0, 5], "inner": True},
        "second": {"at": [0, 0, 30], "diameter": 25},
    }

    first: Annotated[RoundAt, Entry(record(RoundAt), "one round face", role="record")]
    second: Annotated[RoundAt, Entry(record(RoundAt), "the other", role="record")]
