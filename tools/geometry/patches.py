"""A part as patches of simple surfaces and the borders between them.

Recognition works on this graph alone, so exact geometry (``brep_patches.py``) and fitted
triangles (``mesh_patches.py``) are understood by the same rules. A patch is a connected region
of one surface, however many faces it was split into.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from cadwright.tools.geometry.part import Vector
from cadwright.tools.geometry.vectors import (
    across,
    add,
    angle_deg,
    cross,
    distance,
    dot,
    foot,
    frame,
    norm,
    scaled,
    sub,
    unit,
)

SMOOTH_DEG = 0.5  # faces that bend by less run into each other
PARALLEL = 1e-4  # sine, 0.006 degrees: two directions are one
ELEMENTARY = ("plane", "cylinder", "cone", "sphere", "torus")


@dataclass(frozen=True, slots=True)
class Ring:
    """A whole circle."""

    centre: Vector
    axis: Vector
    radius: float


@dataclass(slots=True, eq=False)
class Border:
    """A stretch of edge between two patches.

    Attributes:
        sides: The patches; the points run with the first one's interior on their left.
        points: At least two, ordered; the ends of a straight one.
        ends: Numbers of the first and last vertex.
        bend_deg: Between the outward normals at its middle: positive where the edge is convex.
        normals: Outward normals of both sides at its middle.
        ring: The circle that it is all of, or None.
    """

    sides: tuple[int, int]
    points: tuple[Vector, ...]
    ends: tuple[int, int]
    length: float
    is_straight: bool
    bend_deg: float
    normals: tuple[Vector, Vector]
    ring: Ring | None = None

    @property
    def is_smooth(self) -> bool:
        """Both sides are tangent."""
        return abs(self.bend_deg) < SMOOTH_DEG

    @property
    def is_convex(self) -> bool:
        """An outer edge."""
        return self.bend_deg >= SMOOTH_DEG

    @property
    def is_concave(self) -> bool:
        """An inner corner."""
        return self.bend_deg <= -SMOOTH_DEG

    @property
    def middle(self) -> Vector:
        """A point halfway along."""
        half = len(self.points) // 2
        if len(self.points) % 2:
            return self.points[half]
        return scaled(add(self.points[half - 1], self.points[half]), 0.5)

    def reach(self, along: Vector) -> tuple[float, float]:
        """Return how far it reaches along a unit direction: exact for lines and whole circles."""
        if self.ring is None:
            values = [dot(point, along) for point in self.points]
            return min(values), max(values)
        middle = dot(self.ring.centre, along)
        half = self.ring.radius * norm(cross(along, self.ring.axis))
        return middle - half, middle + half

    def other(self, patch: int) -> int:
        """Return the patch on the other side."""
        return self.sides[1] if self.sides[0] == patch else self.sides[0]

    def normal(self, patch: int) -> Vector:
        """Return the outward normal of one side at the middle."""
        return self.normals[0] if self.sides[0] == patch else self.normals[1]

    def run(self, patch: int) -> tuple[Vector, ...]:
        """Return the points with the interior of ``patch`` on their left."""
        return self.points if self.sides[0] == patch else self.points[::-1]

    def inward(self, patch: int) -> Vector:
        """Return the unit direction into ``patch`` at the middle, along its surface."""
        points = self.run(patch)
        half = len(points) // 2
        tangent = unit(sub(points[min(half + 1, len(points) - 1)], points[max(half - 1, 0)]))
        return unit(cross(self.normal(patch), tangent))


@dataclass(slots=True, eq=False)
class Patch:
    """A connected region of one surface.

    Attributes:
        axis: Outward normal of a plane; axis of a cylinder or torus, its largest component
            positive; from the apex to the wide end of a cone; anything for a sphere.
        point: A point of the plane or of the cylinder's axis, the apex of a cone, the centre
            of a sphere or torus.
        radius: Of a cylinder or sphere; of the ring of a torus.
        tube: Radius of the tube of a torus.
        half_deg: Half the opening angle of a cone.
        is_inner: The material lies outside (the hollow side of the surface is free).
        swept_deg: Angle covered around the axis.
        tube_deg: Angle covered around the tube of a torus.
    """

    index: int
    kind: str
    faces: tuple[int, ...]
    body: int
    axis: Vector = (0.0, 0.0, 0.0)
    point: Vector = (0.0, 0.0, 0.0)
    radius: float = 0.0
    tube: float = 0.0
    half_deg: float = 0.0
    is_inner: bool = False
    area: float = 0.0
    centre: Vector = (0.0, 0.0, 0.0)
    swept_deg: float = 0.0
    tube_deg: float = 0.0
    borders: list[Border] = field(default_factory=list)
    _loops: list[Loop] | None = None

    def normal_at(self, point: Vector) -> Vector:
        """Return the outward unit normal at a point of an elementary surface."""
        if self.kind == "plane":
            return self.axis
        if self.kind == "sphere":
            raw = sub(point, self.point)
        elif self.kind == "torus":
            radial = unit(across(sub(point, self.point), self.axis))
            raw = sub(point, add(self.point, radial, self.radius))
        else:
            radial = unit(across(sub(point, self.point), self.axis))
            lean = math.radians(self.half_deg)
            raw = add(scaled(radial, math.cos(lean)), self.axis, -math.sin(lean))
        return scaled(unit(raw), -1.0 if self.is_inner else 1.0)

    def height(self, point: Vector) -> float:
        """Return where ``point`` lies along the axis, from the patch's own point."""
        return dot(sub(point, self.point), self.axis)

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest place along the axis, from the patch's own point."""
        heights = [self.height(p) for border in self.borders for p in border.points]
        if self.kind == "cone" and len(self.rims) < 2 and self.swept_deg > 359.0:
            heights.append(0.0)  # the apex has no border
        return (min(heights), max(heights)) if heights else (0.0, 0.0)

    @property
    def loops(self) -> list[Loop]:
        """The closed runs of borders around the patch."""
        if self._loops is None:
            self._loops = _loops(self)
        return self._loops

    @property
    def rims(self) -> list[Loop]:
        """The loops that go once around the axis, in their order along it."""
        found = [loop for loop in self.loops if abs(loop.winding) > 0.5]
        return sorted(found, key=lambda loop: loop.height)

    @property
    def is_full(self) -> bool:
        """It goes all the way round its axis."""
        return self.kind in ("cylinder", "cone", "torus") and bool(self.rims)


@dataclass(slots=True, eq=False)
class Loop:
    """A closed run of borders of a patch.

    Attributes:
        winding: Turns around the patch's axis.
        height: Where it lies along the axis, averaged over the turn (or over its points).
    """

    borders: list[Border]
    winding: float
    height: float

    @property
    def length(self) -> float:
        """Its length."""
        return sum(border.length for border in self.borders)


@dataclass(slots=True, eq=False)
class Graph:
    """The patches of a part.

    Attributes:
        tolerance: Lengths in mm that differ by less are equal.
        is_exact: The surfaces were given, not fitted.
        notes: What is missing, as (feature, reason, faces).
    """

    patches: list[Patch]
    tolerance: float
    is_exact: bool = True
    notes: list[tuple[str, str, tuple[int, ...]]] = field(default_factory=list)

    def across(self, border: Border, patch: Patch) -> Patch:
        """Return the patch on the other side of a border."""
        return self.patches[border.other(patch.index)]

    def are_coaxial(self, a: Patch, b: Patch) -> bool:
        """Return whether the axes of two patches are one line."""
        return self.is_on_axis(a, b.point) and is_parallel(a.axis, b.axis)

    def is_on_axis(self, patch: Patch, point: Vector) -> bool:
        """Return whether a point lies on the axis of a patch."""
        return distance(point, foot(point, patch.point, patch.axis)) < 10.0 * self.tolerance


def bend_of(border: Border) -> float:
    """Return the angle between the normals of a border, negative where it is an inner corner."""
    first, second = border.normals
    is_hollow = dot(second, border.inward(border.sides[0])) > 0.0
    return math.copysign(angle_deg(first, second), -1.0 if is_hollow else 1.0)


def is_parallel(a: Vector, b: Vector) -> bool:
    """Return whether two unit vectors are parallel or antiparallel."""
    side = cross(a, b)
    return dot(side, side) < PARALLEL * PARALLEL


def _loops(patch: Patch) -> list[Loop]:
    """Return the borders of a patch by connection at their ends."""
    groups: list[tuple[set[int], list[Border]]] = []
    for border in patch.borders:
        ends, members = set(border.ends), [border]
        apart = []
        for group in groups:
            if group[0] & ends:
                ends |= group[0]
                members = group[1] + members
            else:
                apart.append(group)
        groups = [*apart, (ends, members)]
    return [_loop(patch, members) for _, members in groups]


def _loop(patch: Patch, borders: list[Border]) -> Loop:
    first, second = frame(patch.axis)
    turn = weighted = plain = count = 0.0
    for border in borders:
        previous: tuple[float, float] | None = None
        for point in border.run(patch.index):
            offset = sub(point, patch.point)
            angle = math.atan2(dot(offset, second), dot(offset, first))
            height = dot(offset, patch.axis)
            if previous is not None:
                step = math.remainder(angle - previous[0], math.tau)
                turn += step
                weighted += 0.5 * step * (height + previous[1])
            previous = (angle, height)
            plain, count = plain + height, count + 1.0
    winding = turn / math.tau
    return Loop(borders, winding, weighted / turn if abs(winding) > 0.5 else plain / max(count, 1))
