"""Kinds about other features: slots, pockets, bosses, cylinders, fillets, chamfers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from cadwright.rewards.constraints.field import Entry
from cadwright.rewards.constraints.kinds_holes import Placed
from cadwright.rewards.constraints.record import register
from cadwright.rewards.constraints.values import (
    Place,
    direction,
    number,
    number_of,
    pair,
    positive,
    spots,
    truth,
    whole,
)
from cadwright.tools.geometry.part import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature(Placed):
    """One or more equal features, at given places or anywhere."""

    count: Annotated[
        int | None, Entry(whole(1), "how many; one for each place where places are given")
    ] = None
    at: Annotated[
        tuple[Place, ...] | None, Entry(spots, "place or list of places", unit="mm", role="points")
    ] = None

    def __post_init__(self) -> None:
        """Hold count and places together."""
        _ = self.number

    @property
    def number(self) -> int:
        """How many are asked."""
        return number_of(self.count, self.at)


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Slot(Feature):
    """A slot with round ends. Its place is the middle of its mouth or any point below it."""

    kind: ClassVar[str] = "slot"
    example: ClassVar[Mapping[str, Any]] = {
        "width": 8,
        "length": 30,
        "depth": 5,
        "at": [0, 0, 10],
        "opens": "+z",
        "along": "x",
    }

    width: Annotated[float, Entry(positive(), "distance between the long sides", unit="mm")]
    length: Annotated[
        float | None, Entry(positive(), "whole length, round ends included", unit="mm")
    ] = None
    depth: Annotated[float | None, Entry(positive(), "depth below the surface", unit="mm")] = None
    through: Annotated[bool | None, Entry(truth, "whether it goes all the way through")] = None
    opens: Annotated[
        Vector | None,
        Entry(direction, "side it opens to; either one where it goes through", role="direction"),
    ] = None
    along: Annotated[
        Vector | None,
        Entry(direction, "direction of the long sides, either sign", role="direction"),
    ] = None

    @property
    def size_mm(self) -> float | None:
        """The width."""
        return self.width


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Pocket(Feature):
    """A recess with a flat floor. Its place is the middle of its mouth or any point below it.

    Where its walls lean, its size is that of its mouth.
    """

    kind: ClassVar[str] = "pocket"
    example: ClassVar[Mapping[str, Any]] = {
        "size": [30, 20],
        "depth": 6,
        "corner_radius": 3,
        "at": [0, 0, 10],
        "opens": "+z",
    }

    size: Annotated[
        tuple[float, float] | None,
        Entry(pair, "extents of the outline, in either order", unit="mm"),
    ] = None
    depth: Annotated[float | None, Entry(positive(), "depth below the surface", unit="mm")] = None
    corner_radius: Annotated[
        float | None, Entry(number(0.0), "radius of the corners of the outline", unit="mm")
    ] = None
    opens: Annotated[Vector | None, Entry(direction, "side it opens to", role="direction")] = None

    @property
    def size_mm(self) -> float | None:
        """The narrower side, or the depth."""
        return self.depth if self.size is None else min(self.size)


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Boss(Feature):
    """A round pin or pad that stands on a face. Its place is anywhere along its axis."""

    kind: ClassVar[str] = "boss"
    example: ClassVar[Mapping[str, Any]] = {
        "diameter": 12,
        "height": 8,
        "at": [0, 0, 14],
        "points": "+z",
    }

    diameter: Annotated[float, Entry(positive(), "diameter", unit="mm")]
    height: Annotated[float | None, Entry(positive(), "height above the face", unit="mm")] = None
    points: Annotated[
        Vector | None,
        Entry(direction, "direction it stands in, away from the part", role="direction"),
    ] = None

    @property
    def size_mm(self) -> float | None:
        """The diameter."""
        return self.diameter


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Cylinder(Feature):
    """A round surface: a shaft (material inside) or a bore (material outside)."""

    kind: ClassVar[str] = "cylinder"
    example: ClassVar[Mapping[str, Any]] = {
        "diameter": 25,
        "inner": False,
        "axis": "z",
        "at": [0, 0, 30],
        "length": 40,
    }

    diameter: Annotated[float, Entry(positive(), "diameter", unit="mm")]
    inner: Annotated[bool, Entry(truth, "material lies outside it, as around a bore")] = False
    axis: Annotated[
        Vector | None, Entry(direction, "direction of the axis, either sign", role="direction")
    ] = None
    length: Annotated[float | None, Entry(positive(), "length along the axis", unit="mm")] = None

    @property
    def size_mm(self) -> float | None:
        """The diameter."""
        return self.diameter


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Fillet(Feature):
    """Rounded edges of one radius."""

    kind: ClassVar[str] = "fillet"
    default_half: ClassVar[float] = 0.3
    example: ClassVar[Mapping[str, Any]] = {"radius": 3, "count": 4, "convex": True}

    radius: Annotated[float, Entry(positive(), "radius", unit="mm")]
    convex: Annotated[
        bool | None,
        Entry(truth, "true: an outer edge was rounded; false: an inner corner was filled"),
    ] = None
    along: Annotated[
        Vector | None, Entry(direction, "direction of the edge, either sign", role="direction")
    ] = None

    @property
    def size_mm(self) -> float | None:
        """The diameter of the rounding."""
        return 2.0 * self.radius


@register
@dataclass(frozen=True, slots=True, kw_only=True)
class Chamfer(Feature):
    """Bevelled edges of one size."""

    kind: ClassVar[str] = "chamfer"
    default_half: ClassVar[float] = 0.3
    example: ClassVar[Mapping[str, Any]] = {"size": 1, "angle": 45, "count": 4}

    size: Annotated[float, Entry(positive(), "distance from the edge, the smaller one", unit="mm")]
    angle: Annotated[
        float | None,
        Entry(number(1.0, 89.0), "angle to the neighbouring face, the smaller one", unit="deg"),
    ] = None
    along: Annotated[
        Vector | None, Entry(direction, "direction of the edge, either sign", role="direction")
    ] = None

    @property
    def size_mm(self) -> float | None:
        """Of both sides together."""
        return 2.0 * self.size
