"""Walls and ribs: two parallel flat faces back to back, thin against the area they share."""

from __future__ import annotations

from cadwright.tools.geometry.features import Wall
from cadwright.tools.geometry.part import Vector
from cadwright.tools.geometry.patches import Graph, Patch, is_parallel
from cadwright.tools.geometry.vectors import (
    across,
    add,
    cross,
    dot,
    frame,
    norm,
    signed,
    sub,
    unit,
)

MAX_PLANES = 600  # pairs grow with the square
_THIN = 0.5  # of the shorter side of the overlap

Box = tuple[float, float, float, float]  # low and high along, low and high across


def find_walls(graph: Graph, blends: set[int]) -> tuple[Wall, ...]:
    """Return the walls, thinnest first.

    Each flat face is paired with the nearest one behind it that faces the other way and lies
    over it; whatever is free in between would have such a face of its own nearer by.

    Args:
        graph: The patches.
        blends: Indices of the patches of fillets, over which a rib may meet its base.
    """
    planes = [patch for patch in graph.patches if patch.kind == "plane" and patch.borders]
    pairs: dict[frozenset[int], Wall] = {}
    for front in planes:
        behind = [p for p in planes if _is_behind(graph, front, p)]
        behind.sort(key=lambda p: _depth(front, p))
        for back in behind:
            wall = _wall(graph, front, back, blends)
            if wall is not None:
                if wall.thickness_mm <= _THIN * wall.width_mm:
                    pairs.setdefault(frozenset((front.index, back.index)), wall)
                break
    return tuple(sorted(pairs.values(), key=lambda w: (w.thickness_mm, w.faces)))


def _is_behind(graph: Graph, front: Patch, back: Patch) -> bool:
    return (
        front.body == back.body
        and dot(front.axis, back.axis) < -0.9  # most pairs end here, which is cheaper
        and is_parallel(front.axis, back.axis)
        and _depth(front, back) > graph.tolerance
    )


def _depth(front: Patch, back: Patch) -> float:
    return dot(sub(front.point, back.point), front.axis)


def _wall(graph: Graph, front: Patch, back: Patch, blends: set[int]) -> Wall | None:
    """Return the wall between two faces, or None where they do not lie over each other."""
    along = _long_side(front)
    side = cross(front.axis, along)
    a, b = (_box(patch, along, side) for patch in (front, back))
    box = (max(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), min(a[3], b[3]))
    if box[1] - box[0] < graph.tolerance or box[3] - box[2] < graph.tolerance:
        return None
    thickness = _depth(front, back)
    level = dot(front.point, front.axis) - 0.5 * thickness
    middle = add((0.0, 0.0, 0.0), front.axis, level)
    middle = add(add(middle, along, 0.5 * (box[0] + box[1])), side, 0.5 * (box[2] + box[3]))
    sizes = sorted((box[1] - box[0], box[3] - box[2]))
    return Wall(
        thickness_mm=thickness,
        normal=signed(front.axis),
        position_mm=middle,
        length_mm=sizes[1],
        width_mm=sizes[0],
        is_rib=_is_rib(graph, front, back, blends),
        faces=tuple(sorted({*front.faces, *back.faces})),
    )


def _long_side(patch: Patch) -> Vector:
    """Return the direction of the longest straight edge; towards the farthest point if none."""
    straight = [border for border in patch.borders if border.is_straight]
    if straight:
        longest = max(straight, key=lambda border: border.length)
        return signed(unit(sub(longest.points[-1], longest.points[0])))
    spokes = [sub(border.middle, patch.centre) for border in patch.borders]
    farthest = unit(across(max(spokes, key=norm), patch.axis))
    return signed(farthest) if norm(farthest) > 0.0 else frame(patch.axis)[0]


def _box(patch: Patch, along: Vector, side: Vector) -> Box:
    first = [end for border in patch.borders for end in border.reach(along)]
    second = [end for border in patch.borders for end in border.reach(side)]
    return (min(first), max(first), min(second), max(second))


def _is_rib(graph: Graph, front: Patch, back: Patch, blends: set[int]) -> bool:
    """Return whether both faces rise from one surface, or from two halves of it."""
    bases = _bases(graph, back, blends)
    for base in _bases(graph, front, blends):
        for other in bases:
            level = abs(dot(sub(base.point, other.point), base.axis))
            if dot(base.axis, other.axis) > 0.0 and is_parallel(base.axis, other.axis):
                if level < 10.0 * graph.tolerance:
                    return True
    return False


def _bases(graph: Graph, patch: Patch, blends: set[int]) -> list[Patch]:
    """Return the flat faces that a face meets in an inner corner, sharp or filled."""
    found = []
    for border in patch.borders:
        other = graph.across(border, patch)
        if border.is_concave and other.kind == "plane":
            found.append(other)
        elif border.is_smooth and other.index in blends and other.is_inner:
            beyond = [graph.across(b, other) for b in other.borders if b.is_smooth]
            found += [p for p in beyond if p.kind == "plane" and p is not patch]
    return found
