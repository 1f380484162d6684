"""Everything on one axis: the walk from a cylinder to both ends of the hole it belongs to.

A hole is found from a cylinder with the material outside that goes all the way round. From both
of its rims the walk goes on over whatever lies on the same axis: wider and narrower cylinders
across a flat shoulder, cones, rounded rims, the drill point; and over the gap where another hole
crosses. So a counterbored hole is one hole, and a slot between two plates makes two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from cadwright.tools.geometry.features import BottomKind
from cadwright.tools.geometry.part import Vector
from cadwright.tools.geometry.patches import PARALLEL, Graph, Loop, Patch
from cadwright.tools.geometry.vectors import across, dot, scaled, sub


@dataclass(frozen=True, slots=True)
class Section:
    """One piece of a hole: where it lies along the axis and how wide it is at both ends."""

    patch: Patch
    start: float
    end: float
    start_radius: float
    end_radius: float

    @property
    def is_cylinder(self) -> bool:
        """A cylinder; else a cone or a rounded rim."""
        return self.patch.kind == "cylinder"

    @property
    def length(self) -> float:
        """Length along the axis."""
        return abs(self.end - self.start)

    @property
    def widening(self) -> float:
        """Its wider end over its narrower one."""
        narrow, wide = sorted((self.start_radius, self.end_radius))
        return wide / narrow if narrow > 0.0 else math.inf

    def turned(self) -> Section:
        """Return the section seen from the other end of the axis."""
        return Section(self.patch, -self.end, -self.start, self.end_radius, self.start_radius)


@dataclass(slots=True, eq=False)
class Bore:
    """A walked hole.

    Attributes:
        axis: Unit; heights count along it from ``origin``.
        sections: From low to high.
        low, high: How each end closes: ``open`` or the form of its bottom.
        extra: Faces of shoulders and bottoms.
        tip_deg: Full angle of a conical bottom.
    """

    axis: Vector
    origin: Vector
    sections: list[Section]
    low: BottomKind = "open"
    high: BottomKind = "open"
    extra: set[int] = field(default_factory=set)
    tip_deg: float | None = None

    def turned(self) -> Bore:
        """Return the same hole along the opposite axis."""
        sections = [section.turned() for section in reversed(self.sections)]
        axis = scaled(self.axis, -1.0)
        return Bore(axis, self.origin, sections, self.high, self.low, self.extra, self.tip_deg)


def find_bores(graph: Graph) -> list[Bore]:
    """Return every hole that at least one cylinder all round belongs to."""
    taken: set[int] = set()
    bores = []
    seeds = [p for p in graph.patches if p.kind == "cylinder" and p.is_inner and p.is_full]
    for seed in sorted(seeds, key=lambda patch: (patch.radius, patch.index)):
        if seed.index in taken or len(seed.rims) != 2:
            continue
        bore = _walk(graph, seed)
        taken |= {section.patch.index for section in bore.sections}
        if "open" in (bore.low, bore.high):  # closed at both ends is a cavity
            bores.append(bore)
    return bores


def _walk(graph: Graph, seed: Patch) -> Bore:
    bore = Bore(seed.axis, seed.point, [])
    up, bore.high = _one_way(graph, bore, seed, seed.rims[1], +1.0)
    down, bore.low = _one_way(graph, bore, seed, seed.rims[0], -1.0)
    middle = _section(graph, bore, seed, seed.rims[0], seed.rims[1])
    found = [*reversed(down), middle, *up]
    bore.sections = [s if s.start <= s.end else _swapped(s) for s in found]
    return bore


def _swapped(section: Section) -> Section:
    return Section(
        section.patch, section.end, section.start, section.end_radius, section.start_radius
    )


def _one_way(
    graph: Graph, bore: Bore, patch: Patch, rim: Loop, way: float
) -> tuple[list[Section], BottomKind]:
    """Walk from one rim outwards; return the sections met and how the hole ends."""
    met: list[Section] = []
    seen = {patch.index}
    while True:
        following = _next(graph, bore, patch, rim, seen)
        if not isinstance(following, _Step):
            return met, following
        patch = following.patch
        seen.add(patch.index)
        entry, rim = following.entry, following.exit
        met.append(_section(graph, bore, patch, entry, rim))


@dataclass(frozen=True, slots=True)
class _Step:
    """The next patch of a hole, entered over one rim and left over the other."""

    patch: Patch
    entry: Loop
    exit: Loop


def _next(graph: Graph, bore: Bore, patch: Patch, rim: Loop, seen: set[int]) -> _Step | BottomKind:
    """Return the next patch across a rim, or how the hole ends there."""
    beyond = {border.other(patch.index) for border in rim.borders}
    if len(beyond) == 1:
        other = graph.patches[beyond.pop()]
        if other.is_full and graph.are_coaxial(patch, other):
            return _through(graph, bore, patch, rim, other, seen)
        if other.kind == "plane":
            return _over_shoulder(graph, bore, patch, rim, other, seen)
        if other.kind == "sphere" and other.is_inner and graph.is_on_axis(patch, other.point):
            bore.extra |= set(other.faces)
            return "round"
    return _over_gap(graph, patch, rim, seen) or _end(graph, patch, rim)


def _through(
    graph: Graph, bore: Bore, patch: Patch, rim: Loop, other: Patch, seen: set[int]
) -> _Step | BottomKind:
    """Go on over a coaxial patch: into a drill point, or to its other rim."""
    if other.index in seen or (other.kind == "cylinder" and not other.is_inner):
        return _end(graph, patch, rim)
    if len(other.rims) == 1:
        bore.extra |= set(other.faces)
        if other.kind == "cone":
            bore.tip_deg = 2.0 * other.half_deg
            return "cone"
        return "round" if other.is_inner else "other"
    near = {id(border) for border in rim.borders}
    far = [loop for loop in other.rims if id(loop.borders[0]) not in near]
    entry = next(loop for loop in other.rims if loop is not far[0])
    if other.kind == "cone" and not other.is_inner:
        return _end(graph, patch, rim)
    return _Step(other, entry, far[0])


def _over_shoulder(
    graph: Graph, bore: Bore, patch: Patch, rim: Loop, floor: Patch, seen: set[int]
) -> _Step | BottomKind:
    """Cross a flat ring to the next cylinder or cone on the axis, or end at a flat bottom."""
    is_floor = rim.borders[0].is_concave or (rim.borders[0].is_smooth and patch.is_inner)
    for border in floor.borders:
        other = graph.across(border, floor)
        if other.index in seen or not other.is_inner or not other.is_full:
            continue
        if not graph.are_coaxial(patch, other) or border.is_convex == rim.borders[0].is_convex:
            continue
        entry = next((rim for rim in other.rims if border in rim.borders), None)
        if entry is not None and len(other.rims) == 2:
            bore.extra |= set(floor.faces)
            leave = other.rims[0] if other.rims[1] is entry else other.rims[1]
            return _Step(other, entry, leave)
    if not is_floor:
        return "open"
    bore.extra |= set(floor.faces)
    return "flat"


def _over_gap(graph: Graph, patch: Patch, rim: Loop, seen: set[int]) -> _Step | None:
    """Go on behind a crossing hole, where the same cylinder continues."""
    walls = {border.other(patch.index) for border in rim.borders}
    if not all(graph.patches[w].is_inner and graph.patches[w].kind == "cylinder" for w in walls):
        return None
    best: tuple[float, _Step] | None = None
    for other in graph.patches:
        if other.index in seen or not _continues(graph, patch, other):
            continue
        rims = other.rims
        for entry, leave in ((rims[0], rims[1]), (rims[1], rims[0])):
            if walls & {border.other(other.index) for border in entry.borders}:
                gap = abs(dot(sub(other.point, patch.point), patch.axis))
                if best is None or gap < best[0]:
                    best = (gap, _Step(other, entry, leave))
    return best[1] if best else None


def _continues(graph: Graph, patch: Patch, other: Patch) -> bool:
    return (
        other.kind == "cylinder"
        and other.is_inner
        and abs(other.radius - patch.radius) < graph.tolerance
        and other.is_full
        and len(other.rims) == 2
        and graph.are_coaxial(patch, other)
    )


def _end(graph: Graph, patch: Patch, rim: Loop) -> BottomKind:
    """Return how a hole ends at several faces: closed where most of the rim is a corner."""
    closed = 0.0
    for border in rim.borders:
        other = graph.across(border, patch)
        if border.is_concave or (border.is_smooth and other.is_inner):
            closed += border.length
    return "other" if closed > 0.5 * rim.length else "open"


def _section(graph: Graph, bore: Bore, patch: Patch, entry: Loop, leave: Loop) -> Section:
    """Return a patch between two of its rims, measured along the bore."""
    way = math.copysign(1.0, dot(patch.axis, bore.axis))
    base = dot(sub(patch.point, bore.origin), bore.axis)
    start, end = (base + way * _height(graph, patch, loop) for loop in (entry, leave))
    radii = [_radius_at(patch, loop) for loop in (entry, leave)]
    return Section(patch, start, end, radii[0], radii[1])


def _height(graph: Graph, patch: Patch, rim: Loop) -> float:
    """Return where the axis meets the surface beyond a rim: exact for planes and cylinders."""
    beyond = {border.other(patch.index) for border in rim.borders}
    other = graph.patches[beyond.pop()]
    if beyond or other.kind != "cylinder" or graph.are_coaxial(patch, other):
        return rim.height  # the mean over the turn, which is exact for a plane
    offset = across(sub(patch.point, other.point), other.axis)
    way = across(patch.axis, other.axis)
    a, b = dot(way, way), dot(way, offset)
    root = b * b - a * (dot(offset, offset) - other.radius**2)
    if a < PARALLEL or root < 0.0:
        return rim.height
    return min(
        ((-b + sign * math.sqrt(root)) / a for sign in (1.0, -1.0)),
        key=lambda height: abs(height - rim.height),
    )


def _radius_at(patch: Patch, loop: Loop) -> float:
    if patch.kind == "cylinder":
        return patch.radius
    points = [point for border in loop.borders for point in border.points]
    total = 0.0
    for point in points:
        offset = sub(point, patch.point)
        along = dot(offset, patch.axis)
        total += math.sqrt(max(dot(offset, offset) - along * along, 0.0))
    return total / len(points)
