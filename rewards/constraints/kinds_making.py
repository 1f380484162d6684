"""Kinds about how the part will be made: walls, draft, overhang, the foot, triangles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from cadwright.rewards.constraints.field import Entry
from cadwright.rewards.constraints.record import Constraint, register
from cadwright.rewards.constraints.values import direction, number, positive, whole
from cadwright.tools.geometry.part import Vector


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class WallThickness(Constraint):
    """The thinnest wall, measured along rays from the surface to the wall's other side."""

    kind: ClassVar[str] = "wall_thickness"
    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 0.02
    default_half: ClassVar[float] = 0.3
    example: ClassVar[Mapping[str, Any]] = {"min": 2}

    min: Annotated[float, Entry(positive(), "least thickness", unit="mm")]

    @property
    def size_mm(self) -> float | None:
        """The thickness."""
        return self.min


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Constraint):
    """Side faces lean enough to leave a mould. The residual is the angle the worst one lacks."""

    kind: ClassVar[str] = "draft"
    unit: ClassVar[str] = "deg"
    default_tolerance: ClassVar[float] = 0.05
    default_half: ClassVar[float] = 1.0
    example: ClassVar[Mapping[str, Any]] = {"pull": "+z", "min": 2}

    pull: Annotated[Vector, Entry(direction, "direction the mould opens in", role="direction")]
    min: Annotated[
        float, Entry(number(0.0, 60.0), "least lean from the pull direction", unit="deg")
    ]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Overhang(Constraint):
    """How much surface hangs over when the part is printed. The residual is the area too many."""

    kind: ClassVar[str] = "overhang"
    unit: ClassVar[str] = "mm2"
    default_tolerance: ClassVar[float] = 1.0
    default_half: ClassVar[float] = 50.0
    example: ClassVar[Mapping[str, Any]] = {"up": "+z", "max_area": 0}

    up: Annotated[
        Vector, Entry(direction, "direction in which the layers grow", role="direction")
    ] = (0.0, 0.0, 1.0)
    angle: Annotated[
        float,
        Entry(
            number(0.0, 89.0),
            "steepest lean from the vertical that prints without support",
            unit="deg",
        ),
    ] = 45.0
    max_area: Annotated[float, Entry(number(0.0), "overhanging area allowed", unit="mm2")] = 0.0


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class BaseArea(Constraint):
    """How much flat surface rests on the build plate. The residual is the area too little."""

    kind: ClassVar[str] = "base_area"
    unit: ClassVar[str] = "mm2"
    default_tolerance: ClassVar[float] = 0.5
    default_half: ClassVar[float] = 50.0
    example: ClassVar[Mapping[str, Any]] = {"up": "+z", "min_area": 200}

    up: Annotated[
        Vector, Entry(direction, "direction in which the layers grow", role="direction")
    ] = (0.0, 0.0, 1.0)
    min_area: Annotated[float, Entry(positive(), "area wanted on the plate", unit="mm2")]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class TriangleCount(Constraint):
    """A mesh has few enough triangles: for a game, a browser, a slow printer."""

    kind: ClassVar[str] = "triangle_count"
    unit: ClassVar[str] = "%"
    default_tolerance: ClassVar[float] = 0.0
    default_half: ClassVar[float] = 20.0
    example: ClassVar[Mapping[str, Any]] = {"max": 2000}

    max: Annotated[int, Entry(whole(4, 10_000_000), "triangles allowed")]
