"""Kinds about the part as a whole: size, volume, mass, bodies, symmetry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from cadwright.rewards.constraints.field import Entry
from cadwright.rewards.constraints.record import Constraint, register
from cadwright.rewards.constraints.values import (
    Place,
    amounts,
    choice,
    direction,
    place,
    positive,
    sizes,
    vector,
    whole,
)
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.part import Vector

# Shares of what was asked: two exact models of one drawing differ by far less than one percent,
# a forgotten fillet or chamfer by about that.
SHARE, SHARE_HALF = 0.01, 0.10


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class BoundingBox(Constraint):
    """The box around the part has this size, and its middle is here.

    The residual is the largest error of an extent, or of the middle where one is asked for.
    """

    kind: ClassVar[str] = "bounding_box"
    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 0.002
    default_half: ClassVar[float] = 0.05
    example: ClassVar[Mapping[str, Any]] = {"size": [60, 40, 10], "centre": [0, 0, 5]}

    size: Annotated[Vector, Entry(sizes, "extents along x, y and z", unit="mm")]
    centre: Annotated[Place | None, Entry(place, "middle of the box", unit="mm", role="point")] = (
        None
    )
    order: Annotated[
        str, Entry(choice("xyz", "any"), "any: the part may lie in another orientation")
    ] = "xyz"

    @property
    def scale(self) -> float:
        """The largest extent."""
        return max(self.size)


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class FitsInBox(Constraint):
    """The part fits in a box: a build volume, a crate. The residual is what sticks out."""

    kind: ClassVar[str] = "fits_in_box"
    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 1e-4
    default_half: ClassVar[float] = 0.05
    example: ClassVar[Mapping[str, Any]] = {"size": [220, 220, 250], "order": "any"}

    size: Annotated[Vector, Entry(sizes, "extents of the box along x, y and z", unit="mm")]
    centre: Annotated[
        Place | None,
        Entry(
            place, "middle of the box; without it the part may be anywhere", unit="mm", role="point"
        ),
    ] = None
    order: Annotated[
        str, Entry(choice("xyz", "any"), "any: the part may be turned by right angles")
    ] = "xyz"

    def __post_init__(self) -> None:
        """Refuse a box in one place that may lie any way round."""
        if self.centre is not None and self.order == "any":
            message = "a box with a centre has one orientation: leave centre or order out"
            raise UsageError(message)

    @property
    def scale(self) -> float:
        """The largest extent."""
        return max(self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount(Constraint):
    """A quantity whose tolerance is a share of what was asked."""

    default_tolerance: ClassVar[float] = SHARE
    default_half: ClassVar[float] = SHARE_HALF

    value: float = 0.0

    @property
    def scale(self) -> float:
        """What was asked."""
        return abs(self.value)


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Volume(Amount):
    """The volume of all bodies."""

    kind: ClassVar[str] = "volume"
    unit: ClassVar[str] = "mm3"
    example: ClassVar[Mapping[str, Any]] = {"value": 24000}

    value: Annotated[float, Entry(positive(), "asked volume", unit="mm3")]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Area(Amount):
    """The area of the whole surface."""

    kind: ClassVar[str] = "area"
    unit: ClassVar[str] = "mm2"
    example: ClassVar[Mapping[str, Any]] = {"value": 6800}

    value: Annotated[float, Entry(positive(), "asked area", unit="mm2")]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Mass(Amount):
    """The mass of the part in one material."""

    kind: ClassVar[str] = "mass"
    unit: ClassVar[str] = "g"
    example: ClassVar[Mapping[str, Any]] = {"value": 64.8, "density": 2.7}

    value: Annotated[float, Entry(positive(), "asked mass", unit="g")]
    density: Annotated[float, Entry(positive(30.0), "density of the material", unit="g/cm3")]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class SectionArea(Amount):
    """The area of a plane section through the material."""

    kind: ClassVar[str] = "section_area"
    unit: ClassVar[str] = "mm2"
    example: ClassVar[Mapping[str, Any]] = {"value": 600, "normal": "+x", "at": [0, 0, 5]}

    value: Annotated[float, Entry(positive(), "asked area", unit="mm2")]
    normal: Annotated[Vector, Entry(direction, "normal of the plane", role="direction")]
    at: Annotated[Vector, Entry(vector, "a point of the plane", unit="mm", role="point")]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class CentreOfMass(Constraint):
    """Where the centre of mass lies; a coordinate left open (null) is not looked at."""

    kind: ClassVar[str] = "centre_of_mass"
    unit: ClassVar[str] = "mm"
    default_tolerance: ClassVar[float] = 0.1
    default_half: ClassVar[float] = 2.0
    example: ClassVar[Mapping[str, Any]] = {"at": [0, 0, 5]}

    at: Annotated[Place, Entry(place, "asked place", unit="mm", role="point")]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Inertia(Constraint):
    """The three principal moments of inertia about the centre of mass, for unit density.

    The residual is the largest relative error.
    """

    kind: ClassVar[str] = "inertia"
    unit: ClassVar[str] = "%"
    default_tolerance: ClassVar[float] = 1.5
    default_half: ClassVar[float] = 10.0
    example: ClassVar[Mapping[str, Any]] = {"moments": [3.4e6, 7.4e6, 10.4e6]}

    moments: Annotated[Vector, Entry(amounts, "asked moments, in any order", unit="mm5")]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Bodies(Constraint):
    """The number of separate solids."""

    kind: ClassVar[str] = "bodies"
    unit: ClassVar[str] = "bodies"
    example: ClassVar[Mapping[str, Any]] = {"count": 1}

    count: Annotated[int, Entry(whole(1), "asked number")]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Genus(Constraint):
    """The number of handles of the surface: how many ways lead through the part."""

    kind: ClassVar[str] = "genus"
    unit: ClassVar[str] = "handles"
    example: ClassVar[Mapping[str, Any]] = {"count": 4}

    count: Annotated[int, Entry(whole(0, 100_000), "asked number")]


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Watertight(Constraint):
    """The surface is closed. The residual is the number of open edges."""

    kind: ClassVar[str] = "watertight"
    unit: ClassVar[str] = "open edges"
    default_half: ClassVar[float] = 4.0
    example: ClassVar[Mapping[str, Any]] = {}


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Symmetry(Constraint):
    """The part is its own mirror image, or its own image under a turn.

    Give ``mirror`` (the normal of the mirror plane) or ``axis`` with ``fold``. The residual is
    the share of the volume of part and image together that they do not have in common.
    """

    kind: ClassVar[str] = "symmetry"
    unit: ClassVar[str] = "%"
    default_tolerance: ClassVar[float] = 1.0
    default_half: ClassVar[float] = 5.0
    example: ClassVar[Mapping[str, Any]] = {"mirror": "+x"}

    mirror: Annotated[
        Vector | None, Entry(direction, "normal of the mirror plane", role="direction")
    ] = None
    axis: Annotated[Vector | None, Entry(direction, "axis of the turn", role="direction")] = None
    fold: Annotated[int, Entry(whole(2, 360), "a full turn is this many times the asked one")] = 2
    at: Annotated[
        Vector | None,
        Entry(
            vector,
            "point of the plane or axis; without it the centre of mass",
            unit="mm",
            role="point",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Ask for one symmetry."""
        if (self.mirror is None) == (self.axis is None):
            raise UsageError("give mirror (a plane's normal) or axis with fold")
