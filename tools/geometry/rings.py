"""Rings: walls that close around a direction, the sides of slots, pockets, bosses and prisms.

Where two walls meet in a straight edge, both run along it. Followed from edge to edge such walls
either close to a ring or do not. A ring around free space is a cut, a ring around material a
boss or a whole prism; what lies across its ends tells which, and where it opens. Nothing depends
on the faces at the opening, so a rounded or chamfered rim and a curved top do no harm.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass

from cadwright.tools.geometry.part import Vector
from cadwright.tools.geometry.patches import Border, Graph, Patch, is_parallel
from cadwright.tools.geometry.vectors import (
    across,
    add,
    cross,
    dot,
    frame,
    scaled,
    signed,
    sub,
    unit,
)

_ARC_POINTS = 4  # stretches of a curved wall: an even number, so that its middle is a point
_LINE = 10.0  # tolerances within which two edges lie on one line


@dataclass(slots=True, eq=False)
class Line:
    """A straight edge, or several on one line, between the same two walls.

    Attributes:
        low, high: Where it begins and ends along the direction of the ring.
    """

    borders: list[Border]
    point: Vector
    low: float
    high: float

    @property
    def is_smooth(self) -> bool:
        """The walls run into each other."""
        return self.borders[0].is_smooth


@dataclass(slots=True, eq=False)
class Wall:
    """One side of a ring, between two of its lines."""

    patch: Patch
    start: Line
    end: Line


@dataclass(slots=True, eq=False)
class End:
    """One end of a ring.

    Attributes:
        height: Where it lies along the direction.
        is_closed: Most of it is an inner corner: a floor, or the surface a boss stands on.
        blends: Faces of the fillets or chamfers between the walls and what follows.
        beyond: Flat faces that follow: a floor, a top, or the surface around.
    """

    height: float
    is_closed: bool
    blends: set[int]
    beyond: set[int]


@dataclass(slots=True, eq=False)
class Ring:
    """Walls all round a direction.

    Attributes:
        axis: The direction of the walls.
        walls: In their order around it.
        is_cut: Free space inside; else material.
        low, high: Its ends along ``axis``.
    """

    axis: Vector
    walls: list[Wall]
    is_cut: bool
    low: End
    high: End

    @property
    def faces(self) -> set[int]:
        """Faces of the walls and of the fillets and chamfers at both ends."""
        walls = {face for wall in self.walls for face in wall.patch.faces}
        return walls | self.low.blends | self.high.blends


def find_rings(graph: Graph, blends: set[int]) -> list[Ring]:
    """Return every ring of flat and cylindrical walls, cut or material.

    Args:
        graph: The patches.
        blends: Indices of the patches of fillets and chamfers: a ring reaches over those at its
            ends.
    """
    rings = []
    for axis, borders in _by_direction(graph):
        walls = _walls(graph, borders, axis)
        for cycle in _cycles(walls):
            ring = _ring(graph, axis, cycle, blends)
            if ring is not None:
                rings.append(ring)
    return rings


def outline(ring: Ring) -> list[Vector]:
    """Return points of the outline, in order: lines, and points of curved walls between."""
    points: list[Vector] = []
    for wall in ring.walls:
        points.append(wall.start.point)
        if wall.patch.kind == "cylinder":
            points += _arc(wall, ring.axis)
    return points


def _by_direction(graph: Graph) -> list[tuple[Vector, list[Border]]]:
    """Return the straight edges between flat and cylindrical patches, by direction."""
    found: list[tuple[Vector, list[Border]]] = []
    seen: set[int] = set()
    for patch in graph.patches:
        for border in patch.borders:
            kinds = {graph.patches[side].kind for side in border.sides}
            if not border.is_straight or id(border) in seen or kinds - {"plane", "cylinder"}:
                continue
            seen.add(id(border))
            axis = signed(unit(sub(border.points[-1], border.points[0])))
            for known, members in found:
                if is_parallel(known, axis):
                    members.append(border)
                    break
            else:
                found.append((axis, [border]))
    return [(axis, borders) for axis, borders in found if len(borders) > 1]


def _walls(graph: Graph, borders: list[Border], axis: Vector) -> list[Wall]:
    lines = _lines(graph, borders, axis)
    of_patch: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        for side in line.borders[0].sides:
            of_patch[side].append(line)
    walls = []
    for index, members in sorted(of_patch.items()):
        walls += _between(graph.patches[index], members, axis)
    return walls


def _lines(graph: Graph, borders: list[Border], axis: Vector) -> list[Line]:
    """Return edges as lines: one that something interrupts counts once."""
    lines: list[Line] = []
    between: dict[frozenset[int], list[Line]] = defaultdict(list)  # by the patches that meet there
    for border in borders:
        heights = sorted(dot(point, axis) for point in border.points)
        alike = between[frozenset(border.sides)]
        for line in alike:
            gap = across(sub(border.middle, line.point), axis)
            if dot(gap, gap) < (_LINE * graph.tolerance) ** 2:
                line.borders.append(border)
                line.low, line.high = min(line.low, heights[0]), max(line.high, heights[-1])
                break
        else:
            alike.append(Line([border], border.middle, heights[0], heights[-1]))
            lines.append(alike[-1])
    return lines


def _between(patch: Patch, lines: list[Line], axis: Vector) -> list[Wall]:
    """Return the stretches of a patch between two of its lines."""
    if len(lines) == 2:
        return [Wall(patch, lines[0], lines[1])]
    if patch.kind != "plane" or len(lines) < 2:
        return []
    side = cross(axis, patch.axis)
    walls = []
    starts: list[Line] = []
    ends: list[Line] = []
    for line in lines:
        is_start = dot(line.borders[0].inward(patch.index), side) > 0.0
        (starts if is_start else ends).append(line)
    ends.sort(key=lambda line: dot(line.point, side))
    places = [dot(end.point, side) for end in ends]
    for start in starts:
        beyond = range(bisect_right(places, dot(start.point, side)), len(ends))
        end = next((ends[i] for i in beyond if _overlap(start, ends[i])), None)
        if end is not None:
            walls.append(Wall(patch, start, end))
    return walls


def _overlap(start: Line, end: Line) -> bool:
    """Return whether two lines run side by side anywhere."""
    return min(start.high, end.high) > max(start.low, end.low)


def _cycles(walls: list[Wall]) -> list[list[Wall]]:
    """Return the closed runs of walls; a line where more than two walls meet breaks them."""
    at_line: dict[int, list[Wall]] = defaultdict(list)
    for wall in walls:
        at_line[id(wall.start)].append(wall)
        at_line[id(wall.end)].append(wall)
    cycles: list[list[Wall]] = []
    seen: set[int] = set()
    for first in walls:
        if id(first) in seen:
            continue
        run, line, wall = [], first.start, first
        while id(wall) not in seen:
            seen.add(id(wall))
            leave = wall.end if wall.start is line else wall.start
            run.append(Wall(wall.patch, line, leave))
            beyond = [other for other in at_line[id(leave)] if other is not wall]
            if len(beyond) != 1:
                break
            line, wall = leave, beyond[0]
        if wall is first and len(run) > 1 and run[-1].end is run[0].start:
            cycles.append(run)
    return cycles


def _ring(graph: Graph, axis: Vector, walls: list[Wall], blends: set[int]) -> Ring | None:
    ends = _ends(graph, axis, walls, blends)
    if ends is None:
        return None
    ring = Ring(axis, walls, False, *ends)
    area = _signed_area(outline(ring), axis)
    if abs(area) < graph.tolerance**2:
        return None
    votes = sum(_outwardness(wall, axis) for wall in walls)
    ring.is_cut = votes * area < 0.0
    return ring


def _outwardness(wall: Wall, axis: Vector) -> float:
    """Return the length of a wall, negative where its normal points left of the way around."""
    way = sub(wall.end.point, wall.start.point)
    if wall.patch.kind == "plane":
        return dot(cross(way, axis), wall.patch.axis)
    return 0.0 if dot(way, way) == 0.0 else 1e-3 * dot(cross(way, axis), _mid_normal(wall, axis))


def _mid_normal(wall: Wall, axis: Vector) -> Vector:
    return wall.patch.normal_at(_arc(wall, axis)[_ARC_POINTS // 2 - 1])


def _signed_area(points: list[Vector], axis: Vector) -> float:
    first, second = frame(axis)
    flat = [(dot(point, first), dot(point, second)) for point in points]
    return 0.5 * sum(
        a[0] * b[1] - b[0] * a[1] for a, b in zip(flat, [*flat[1:], flat[0]], strict=True)
    )


def _arc(wall: Wall, axis: Vector) -> list[Vector]:
    """Return points of a curved wall between its lines."""
    patch, start = wall.patch, wall.start.point
    spoke = across(sub(start, patch.point), axis)
    centre = sub(start, spoke)
    side = cross(axis, spoke)
    end = across(sub(wall.end.point, patch.point), axis)
    turn = math.atan2(dot(end, side), dot(end, spoke)) % math.tau
    inward = wall.start.borders[0].inward(patch.index)
    if dot(inward, side) < 0.0:
        turn -= math.tau
    angles = [turn * k / _ARC_POINTS for k in range(1, _ARC_POINTS)]
    return [add(add(centre, spoke, math.cos(angle)), side, math.sin(angle)) for angle in angles]


def _ends(
    graph: Graph, axis: Vector, walls: list[Wall], blends: set[int]
) -> tuple[End, End] | None:
    lower: list[tuple[Border, Patch]] = []
    upper: list[tuple[Border, Patch]] = []
    for wall in walls:
        lines = [*wall.start.borders, *wall.end.borders]
        middle = 0.25 * (wall.start.low + wall.start.high + wall.end.low + wall.end.high)
        for border in _rim(wall, lines):
            beside = lower if dot(border.middle, axis) < middle else upper
            beside.append((border, wall.patch))
    if not lower or not upper:
        return None
    down = scaled(axis, -1.0)
    low, high = (_end(graph, *side, blends) for side in ((lower, down), (upper, axis)))
    low.height = -low.height
    return low, high


def _rim(wall: Wall, lines: list[Border]) -> list[Border]:
    """Return the borders that bound a wall besides its lines, openings in it left out."""
    members = {id(line) for line in lines}
    loops = [loop for loop in wall.patch.loops if members & {id(border) for border in loop.borders}]
    way = sub(wall.end.point, wall.start.point)
    reach = dot(way, way)
    rest = [b for loop in loops for b in loop.borders if id(b) not in members]
    if wall.patch.kind != "plane":
        return rest
    return [b for b in rest if -1e-9 < dot(sub(b.middle, wall.start.point), way) / reach < 1 + 1e-9]


def _end(graph: Graph, borders: list[tuple[Border, Patch]], out: Vector, blends: set[int]) -> End:
    """Return an end of a ring, heights counted along ``out``."""
    closed = total = weighted = 0.0
    end = End(0.0, False, set(), set())
    for border, patch in borders:
        other = graph.across(border, patch)
        is_corner = border.is_concave or (border.is_smooth and other.is_inner)
        height = dot(border.middle, out)
        if other.index in blends and not border.is_concave:
            height = max(dot(p, out) for b in other.borders for p in b.points)
            end.blends |= set(other.faces)
            end.beyond |= _flat_beyond(graph, other, out)
        elif other.kind == "plane":
            end.beyond |= set(other.faces)
        closed += border.length if is_corner else 0.0
        weighted += border.length * height
        total += border.length
    end.height, end.is_closed = weighted / total, closed > 0.5 * total
    return end


def _flat_beyond(graph: Graph, blend: Patch, out: Vector) -> set[int]:
    """Return the flat faces across the axis that a fillet or chamfer leads to."""
    sides = [graph.across(border, blend) for border in blend.borders]
    return {f for s in sides if s.kind == "plane" and abs(dot(s.axis, out)) > 0.5 for f in s.faces}
