"""Slots, pockets and bosses with flat sides: what rings of walls are called."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cadwright.tools.geometry.features import Boss, Pocket, Slot
from cadwright.tools.geometry.part import Vector
from cadwright.tools.geometry.patches import is_parallel
from cadwright.tools.geometry.rings import End, Ring, Wall, outline
from cadwright.tools.geometry.vectors import (
    add,
    cross,
    dot,
    frame,
    scaled,
    signed,
    sub,
)

_HALF_TURN_DEG = 179.0  # swept by the round end of a slot
_ALIKE = 1e-3  # relative: two radii are one
_ON_SIDE = 1e-4  # of the diagonal of a rectangle: a wall lies on its side


@dataclass(frozen=True, slots=True)
class Rectangle:
    """The smallest rectangle around an outline, across ``axis``."""

    direction: Vector
    length: float
    width: float
    centre: Vector


@dataclass(frozen=True, slots=True)
class _Placed:
    """A ring seen from its entry (a cut) or from what it stands on (a boss)."""

    axis: Vector
    start: End
    end: End
    depth: float
    rectangle: Rectangle

    @property
    def position(self) -> Vector:
        """Centre of the rectangle at the start."""
        centre = self.rectangle.centre
        return add(centre, self.axis, self.start.height - dot(centre, self.axis))


def slot_of(ring: Ring) -> Slot | None:
    """Return the slot that a ring around free space is, or None."""
    flats = [wall for wall in ring.walls if wall.patch.kind == "plane"]
    rounds = [wall for wall in ring.walls if wall.patch.kind == "cylinder"]
    if not _is_opening(ring) or len(flats) != 2 or len(rounds) != 2 or not _is_obround(rounds):
        return None
    placed = _from_opening(ring)
    return Slot(
        width_mm=placed.rectangle.width,
        length_mm=placed.rectangle.length,
        depth_mm=placed.depth,
        position_mm=placed.position,
        axis=placed.axis,
        direction=placed.rectangle.direction,
        is_through=not placed.end.is_closed,
        faces=_cut_faces(ring, placed),
    )


def pocket_of(ring: Ring) -> Pocket | None:
    """Return the pocket or cut-out that a ring around free space is, or None."""
    if not _is_opening(ring):
        return None
    placed = _from_opening(ring)
    return Pocket(
        length_mm=placed.rectangle.length,
        width_mm=placed.rectangle.width,
        depth_mm=placed.depth,
        corner_radius_mm=_corner_radius(ring),
        position_mm=placed.position,
        axis=placed.axis,
        direction=placed.rectangle.direction,
        is_rectangular=_is_rectangular(ring, placed.rectangle),
        is_through=not placed.end.is_closed,
        faces=_cut_faces(ring, placed),
    )


def boss_of(ring: Ring) -> Boss | None:
    """Return the boss that a ring around material is: one end stands on something."""
    if ring.is_cut or ring.low.is_closed == ring.high.is_closed:
        return None
    placed = _placed(ring, ring.low.is_closed)
    rectangle = placed.rectangle
    return Boss(
        shape="rectangular" if _is_rectangular(ring, rectangle) else "other",
        length_mm=rectangle.length,
        width_mm=rectangle.width,
        height_mm=placed.depth,
        position_mm=placed.position,
        axis=placed.axis,
        direction=rectangle.direction,
        faces=tuple(sorted(ring.faces | placed.end.beyond)),
    )


def _is_opening(ring: Ring) -> bool:
    return ring.is_cut and not (ring.low.is_closed and ring.high.is_closed)


def _from_opening(ring: Ring) -> _Placed:
    """Return a cut from its opening; from above where it is open at both ends."""
    if ring.low.is_closed or ring.high.is_closed:
        return _placed(ring, ring.high.is_closed)
    return _placed(ring, dot(ring.axis, signed(ring.axis)) < 0.0)


def _placed(ring: Ring, is_low_start: bool) -> _Placed:
    sign = 1.0 if is_low_start else -1.0
    start, end = (ring.low, ring.high) if is_low_start else (ring.high, ring.low)
    depth = ring.high.height - ring.low.height
    begin = End(sign * start.height, start.is_closed, start.blends, start.beyond)
    return _Placed(scaled(ring.axis, sign), begin, end, depth, _rectangle(ring))


def _cut_faces(ring: Ring, placed: _Placed) -> tuple[int, ...]:
    floor = placed.end.beyond if placed.end.is_closed else set()
    return tuple(sorted(ring.faces | floor))


def _is_obround(rounds: list[Wall]) -> bool:
    a, b = (wall.patch for wall in rounds)
    is_half = min(a.swept_deg, b.swept_deg) > _HALF_TURN_DEG
    is_smooth = all(wall.start.is_smooth and wall.end.is_smooth for wall in rounds)
    return is_half and is_smooth and abs(a.radius - b.radius) < _ALIKE * a.radius


def _corner_radius(ring: Ring) -> float | None:
    """Return the radius of the inner corners, 0 where all are sharp, None where they differ."""
    radii = [w.patch.radius for w in ring.walls if w.patch.kind == "cylinder" and w.patch.is_inner]
    flats = sum(wall.patch.kind == "plane" for wall in ring.walls)
    if not radii:
        return 0.0
    is_even = max(radii) - min(radii) < _ALIKE * max(radii)
    return radii[0] if is_even and len(radii) == flats else None


def _is_rectangular(ring: Ring, rectangle: Rectangle) -> bool:
    side = cross(ring.axis, rectangle.direction)
    slack = _ON_SIDE * math.hypot(rectangle.length, rectangle.width)
    on_sides = 0
    for wall in ring.walls:
        if wall.patch.kind != "plane":
            continue
        along = is_parallel(wall.patch.axis, rectangle.direction)
        half = 0.5 * (rectangle.length if along else rectangle.width)
        normal = rectangle.direction if along else side
        reach = abs(dot(sub(wall.start.point, rectangle.centre), normal))
        if not (along or is_parallel(wall.patch.axis, side)) or abs(reach - half) > slack:
            return False
        on_sides += 1
    return on_sides == 4


def _rectangle(ring: Ring) -> Rectangle:
    """Return the smallest rectangle that has a side along one of the flat walls."""
    normals = [wall.patch.axis for wall in ring.walls if wall.patch.kind == "plane"]
    return smallest_rectangle(outline(ring), ring.axis, normals or [frame(ring.axis)[0]])


def smallest_rectangle(points: list[Vector], axis: Vector, normals: list[Vector]) -> Rectangle:
    """Return the smallest rectangle around points across an axis.

    Args:
        points: The outline.
        axis: Unit; what they have along it does not matter.
        normals: Unit, across the axis: one of its sides has one of these.
    """
    choices = [_around(points, axis, normal) for normal in normals]
    return min(choices, key=lambda r: (round(r.length * r.width, 6), r.direction))


def _around(points: list[Vector], axis: Vector, normal: Vector) -> Rectangle:
    side = cross(axis, normal)
    low, high = _reach(points, normal)
    left, right = _reach(points, side)
    base = points[0]
    centre = add(base, normal, 0.5 * (low + high) - dot(base, normal))
    centre = add(centre, side, 0.5 * (left + right) - dot(base, side))
    if high - low >= right - left:
        return Rectangle(signed(normal), high - low, right - left, centre)
    return Rectangle(signed(side), right - left, high - low, centre)


def _reach(points: list[Vector], along: Vector) -> tuple[float, float]:
    values = [dot(point, along) for point in points]
    return min(values), max(values)
