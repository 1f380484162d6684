"""Pockets whose walls lean: milled with a tapered cutter, or drafted so that they leave a mould.

Walls that lean have no common direction, so no ring finds them. These pockets are found from their
floor: flat, with inner corners all round, sharp or filled, and every wall runs up to one height.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from cadwright.tools.geometry.features import Pocket
from cadwright.tools.geometry.part import Vector
from cadwright.tools.geometry.patches import Border, Graph, Patch, is_parallel
from cadwright.tools.geometry.recognise_cuts import Rectangle, smallest_rectangle
from cadwright.tools.geometry.vectors import across, add, cross, dot, scaled, sub, unit

MOST_LEAN_DEG = 45.0  # beyond it a wall is a slope
_SLACK = 10.0  # tolerances within which heights are alike
_ON_SIDE = 1e-3  # of the diagonal of a rectangle: an edge lies on its side


def leaning_pockets(graph: Graph, floors: Iterable[int]) -> tuple[Pocket, ...]:
    """Return the pockets with leaning walls.

    Args:
        graph: The patches.
        floors: Faces that may be the floor of one.
    """
    wanted = set(floors)
    found = (_pocket(graph, patch) for patch in graph.patches if wanted & set(patch.faces))
    return tuple(pocket for pocket in found if pocket is not None)


def _pocket(graph: Graph, floor: Patch) -> Pocket | None:
    """Return the pocket above a floor, or None."""
    walls, fillets = _around(graph, floor)
    flats = [wall for wall in walls if wall.kind == "plane"]
    rims = _rims(walls, {floor.index, *(patch.index for patch in (*walls, *fillets))})
    if len(flats) < 3 or not rims:
        return None
    up = floor.axis
    heights = [dot(sub(point, floor.point), up) for rim in rims for point in rim.points]
    depth = max(heights)
    if depth - min(heights) > _SLACK * graph.tolerance or depth <= _SLACK * graph.tolerance:
        return None
    normals = [unit(across(wall.axis, up)) for wall in flats]
    mouth = smallest_rectangle([point for rim in rims for point in rim.points], up, normals)
    level = depth + dot(floor.point, up) - dot(mouth.centre, up)
    return Pocket(
        length_mm=mouth.length,
        width_mm=mouth.width,
        depth_mm=depth,
        corner_radius_mm=0.0 if len(flats) == len(walls) else None,
        position_mm=add(mouth.centre, up, level),
        axis=scaled(up, -1.0),
        direction=mouth.direction,
        is_rectangular=_is_rectangular(rims, mouth, up),
        is_through=False,
        faces=tuple(sorted({face for p in (floor, *walls, *fillets) for face in p.faces})),
    )


def _around(graph: Graph, floor: Patch) -> tuple[list[Patch], list[Patch]]:
    """Return the walls that rise from a floor, and the fillets between; none where a side lacks."""
    walls: dict[int, Patch] = {}
    fillets = {floor.index: floor}
    unseen = [floor]
    while unseen:
        patch = unseen.pop()
        for border in patch.borders:
            other = graph.across(border, patch)
            if other.index in walls or other.index in fillets:
                continue
            if not border.is_convex and _leans(other, floor.axis):
                walls[other.index] = other
            elif border.is_smooth and other.is_inner:
                fillets[other.index] = other
                unseen.append(other)
            else:
                return [], []
    del fillets[floor.index]
    return list(walls.values()), list(fillets.values())


def _leans(wall: Patch, up: Vector) -> bool:
    """Whether a wall leans away from the free space above a floor, or stands upright."""
    if wall.kind == "cone":
        is_round_the_way = is_parallel(wall.axis, up) and dot(wall.axis, up) > 0.0
        return wall.is_inner and is_round_the_way and wall.half_deg <= MOST_LEAN_DEG
    if wall.kind == "cylinder":
        return wall.is_inner and is_parallel(wall.axis, up)
    lean = math.degrees(math.asin(max(-1.0, min(1.0, dot(wall.axis, up)))))
    return wall.kind == "plane" and -1e-3 <= lean <= MOST_LEAN_DEG


def _rims(walls: list[Patch], inside: set[int]) -> list[Border]:
    """Return the outer edges at which walls end, nothing where one ends in something else."""
    rims = [
        border
        for wall in walls
        for border in wall.borders
        if border.other(wall.index) not in inside
    ]
    return rims if all(rim.is_convex for rim in rims) else []


def _is_rectangular(rims: list[Border], mouth: Rectangle, up: Vector) -> bool:
    """Whether the edges of a mouth are four, each on a side of the rectangle around it."""
    slack = _ON_SIDE * math.hypot(mouth.length, mouth.width)
    side = cross(up, mouth.direction)
    for rim in rims:
        offset = sub(rim.middle, mouth.centre)
        along, aside = abs(dot(offset, mouth.direction)), abs(dot(offset, side))
        gaps = (0.5 * mouth.length - along, 0.5 * mouth.width - aside)
        if not rim.is_straight or min(map(abs, gaps)) > slack:
            return False
    return len(rims) == 4
