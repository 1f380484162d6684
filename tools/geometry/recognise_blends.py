"""Fillets and chamfers: narrow faces that replace an edge, chained where they run on.

A fillet is a cylinder, torus or sphere that two neighbours meet tangentially on both of its
sides, over less than half a turn: the full round end of a slot is none. A chamfer is a plane or
cone between two outer edges that is narrower than what it joins. Free-form fillets (of varying
radius, or along a spline) are reported as unchecked by ``recognise.py``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from cadwright.tools.geometry.features import BlendEdge, Chamfer, Fillet
from cadwright.tools.geometry.part import Vector
from cadwright.tools.geometry.patches import Border, Graph, Patch, is_parallel
from cadwright.tools.geometry.vectors import (
    across,
    add,
    angle_deg,
    distance,
    dot,
    scaled,
    signed,
    sub,
    unit,
    weighted_mean,
)

_MAX_FILLET_DEG = 170.0  # a rounded edge of a wedge of 10 degrees; a slot's end has 180
_MAX_BEND_DEG = 120.0  # between the faces that a chamfer joins: a roof is none
_MAX_WIDTH = 0.75  # of the wider face that a chamfer joins: the side of a hexagon is none
_SAME_SIZE = 1e-3  # relative: two pieces belong to one chain


@dataclass(slots=True, eq=False)
class Blend:
    """One face of a fillet or chamfer.

    Attributes:
        sizes: (radius,) of a fillet, both setbacks of a chamfer.
        length: Of the rolling ball's path, or of the bevel's middle; 0 for a corner.
        middle: A point of the face, halfway along.
        axis: Of a straight or round piece, None for a corner.
    """

    patch: Patch
    sizes: tuple[float, ...]
    is_convex: bool
    length: float
    middle: Vector
    axis: Vector | None
    angle_deg: float = 0.0


def find_fillets(graph: Graph) -> list[Blend]:
    """Return every face of a fillet; spherical corners where they join two of its pieces."""
    found = [blend for patch in graph.patches if (blend := _fillet(graph, patch)) is not None]
    known = {blend.patch.index: blend for blend in found}
    for patch in graph.patches:
        if patch.kind == "sphere" and _is_corner(graph, patch, known):
            corner = Blend(patch, (patch.radius,), not patch.is_inner, 0.0, patch.centre, None)
            found.append(corner)
    return found


def find_chamfers(graph: Graph) -> list[Blend]:
    """Return every face of a chamfer."""
    return [blend for patch in graph.patches if (blend := _chamfer(graph, patch)) is not None]


def fillet_chains(graph: Graph, blends: list[Blend]) -> tuple[Fillet, ...]:
    """Return fillets, pieces of one radius that touch taken together."""
    chains = _chained(blends)
    fillets = [
        Fillet(
            radius_mm=chain[0].sizes[0],
            is_convex=chain[0].is_convex,
            length_mm=sum(blend.length for blend in chain),
            position_mm=_position(chain),
            axis=_axis(graph, chain),
            num_edges=sum(blend.length > 0.0 for blend in chain),
            faces=_faces(chain),
            edges=_edges([blend for blend in chain if blend.length > 0.0]),
        )
        for chain in chains
    ]
    return tuple(sorted(fillets, key=lambda f: (-f.radius_mm, f.faces)))


def chamfer_chains(graph: Graph, blends: list[Blend]) -> tuple[Chamfer, ...]:
    """Return chamfers, pieces of the same sizes that touch taken together."""
    chains = _chained(blends)
    chamfers = [
        Chamfer(
            sizes_mm=(chain[0].sizes[0], chain[0].sizes[1]),
            angle_deg=chain[0].angle_deg,
            length_mm=sum(blend.length for blend in chain),
            position_mm=_position(chain),
            axis=_axis(graph, chain),
            num_edges=len(chain),
            faces=_faces(chain),
            edges=_edges(chain),
        )
        for chain in chains
    ]
    return tuple(sorted(chamfers, key=lambda c: (-c.sizes_mm[1], c.faces)))


def _fillet(graph: Graph, patch: Patch) -> Blend | None:
    if patch.kind == "cylinder":
        return _straight_fillet(patch)
    if patch.kind == "torus" and patch.tube_deg < _MAX_FILLET_DEG:
        return _round_fillet(patch)
    return None


def _straight_fillet(patch: Patch) -> Blend | None:
    if patch.is_full or patch.swept_deg > _MAX_FILLET_DEG:
        return None
    sides = [b for b in patch.borders if b.is_straight and b.is_smooth]
    sides = [b for b in sides if is_parallel(_direction(b), patch.axis)]
    if len({_turn_of(patch, b) for b in sides}) < 2:
        return None
    low, high = patch.span
    foot = add(patch.point, patch.axis, 0.5 * (low + high))
    out = unit(across(sub(_mean([b.middle for b in sides]), foot), patch.axis))
    middle = add(foot, out, patch.radius)
    return Blend(patch, (patch.radius,), not patch.is_inner, high - low, middle, patch.axis)


def _turn_of(patch: Patch, border: Border) -> tuple[int, int, int]:
    """Return the direction of a line of a cylinder seen from its axis, to a hundredth."""
    x, y, z = unit(across(sub(border.middle, patch.point), patch.axis))
    return (round(x * 100.0), round(y * 100.0), round(z * 100.0))


def _round_fillet(patch: Patch) -> Blend | None:
    rings = [b for b in patch.borders if b.is_smooth and _is_ring(patch, b)]
    spots = {(round(_radius(patch, b) / patch.tube, 2), round(_level(patch, b), 2)) for b in rings}
    if len(spots) < 2:
        return None
    length = patch.radius * math.radians(patch.swept_deg)
    return Blend(
        patch, (patch.tube,), not patch.is_inner, length, _torus_middle(patch, rings), patch.axis
    )


def _is_ring(patch: Patch, border: Border) -> bool:
    """Return whether a border runs around the axis, all its points at one height and radius."""
    heights = [patch.height(point) for point in border.points]
    return not border.is_straight and max(heights) - min(heights) < 1e-3 * patch.tube


def _level(patch: Patch, border: Border) -> float:
    return patch.height(border.middle) / patch.tube


def _radius(patch: Patch, border: Border) -> float:
    offset = across(sub(border.middle, patch.point), patch.axis)
    return math.sqrt(dot(offset, offset))


def _torus_middle(patch: Patch, rings: list[Border]) -> Vector:
    """Return the point of the tube halfway between its sides, or the centre of a closed ring."""
    if patch.is_full:
        return add(patch.point, patch.axis, _mean_height(patch, rings))
    inside = _mean([ring.middle for ring in rings])
    spine = add(patch.point, unit(across(sub(inside, patch.point), patch.axis)), patch.radius)
    return add(spine, unit(sub(inside, spine)), patch.tube)


def _mean_height(patch: Patch, rings: list[Border]) -> float:
    return sum(patch.height(ring.middle) for ring in rings) / len(rings)


def _is_corner(graph: Graph, patch: Patch, known: dict[int, Blend]) -> bool:
    beside = {b.other(patch.index) for b in patch.borders if b.is_smooth} & known.keys()
    return sum(_alike(known[k].sizes, (patch.radius,)) for k in beside) >= 2


def _chamfer(graph: Graph, patch: Patch) -> Blend | None:
    if patch.kind == "plane":
        return _flat_chamfer(graph, patch)
    if patch.kind == "cone":
        return _round_chamfer(graph, patch)
    return None


def _flat_chamfer(graph: Graph, patch: Patch) -> Blend | None:
    lines = [b for b in patch.borders if b.is_straight and b.is_convex]
    lines.sort(key=lambda b: -b.length)
    for place, first in enumerate(lines):
        for second in lines[place + 1 :]:
            if is_parallel(_direction(first), _direction(second)):
                found = _bevel(graph, patch, first, second, _direction(first))
                if found is not None:
                    return found
    return None


def _round_chamfer(graph: Graph, patch: Patch) -> Blend | None:
    rings = [b for b in patch.borders if b.is_convex and not b.is_straight]
    heights = sorted(rings, key=lambda b: patch.height(b.middle))
    if len(heights) < 2:
        return None
    found = _bevel(graph, patch, heights[0], heights[-1], patch.axis)
    if found is not None:
        radius = 0.5 * sum(_radius(patch, b) for b in (heights[0], heights[-1]))
        found.length = radius * math.radians(patch.swept_deg)
        if patch.is_full:
            found.middle = add(patch.point, patch.axis, 0.5 * sum(patch.span))
    return found


def _bevel(graph: Graph, patch: Patch, first: Border, second: Border, axis: Vector) -> Blend | None:
    """Return the chamfer between two outer edges, with setbacks by the law of sines."""
    near, far = graph.across(first, patch), graph.across(second, patch)
    alpha, beta = first.bend_deg, second.bend_deg
    if near is far or alpha + beta > _MAX_BEND_DEG:
        return None
    slant = _slant(patch, first, second, axis)
    length = max(first.length, second.length)
    widths = [_width(side, b, patch) for side, b in ((near, first), (far, second))]
    if slant > _MAX_WIDTH * max(widths) or (patch.kind == "plane" and slant > length):
        return None
    if not _bends_one_way(patch, first, second):
        return None
    scale = slant / math.sin(math.radians(alpha + beta))
    sizes = sorted(scale * math.sin(math.radians(a)) for a in (alpha, beta))
    middle = scaled(add(first.middle, second.middle), 0.5)
    blend = Blend(patch, tuple(sizes), True, 0.5 * (first.length + second.length), middle, axis)
    blend.angle_deg = min(alpha, beta)
    return blend


def _bends_one_way(patch: Patch, first: Border, second: Border) -> bool:
    """Return whether the normal of a chamfer lies between those of its neighbours."""
    a, b = first.normal(first.other(patch.index)), second.normal(second.other(patch.index))
    total = first.bend_deg + second.bend_deg
    if patch.kind == "cone":  # both edges lie in different meridian planes: turn them into one
        return total < _MAX_BEND_DEG
    return abs(angle_deg(a, b) - total) < 1.0


def _slant(patch: Patch, first: Border, second: Border, axis: Vector) -> float:
    if patch.kind == "plane":
        return distance((0.0, 0.0, 0.0), across(sub(second.middle, first.middle), axis))
    rise = abs(patch.height(second.middle) - patch.height(first.middle))
    return rise / math.cos(math.radians(patch.half_deg))


def _width(side: Patch, border: Border, patch: Patch) -> float:
    """Return how far a neighbour reaches from the edge it shares with a chamfer."""
    inward = border.inward(side.index)
    if side.kind in ("cylinder", "cone"):
        low, high = side.span
        return high - low
    reach = [dot(sub(p, border.middle), inward) for b in side.borders for p in b.points]
    return max(reach, default=0.0)


def _chained(blends: list[Blend]) -> list[list[Blend]]:
    """Return blends of one size that touch, in the order of their patches."""
    known = {blend.patch.index: blend for blend in blends}
    chains: list[list[Blend]] = []
    seen: set[int] = set()
    for start in sorted(known):
        if start in seen:
            continue
        seen.add(start)
        chain, queue = [], [start]
        while queue:
            blend = known[queue.pop()]
            chain.append(blend)
            for border in blend.patch.borders:
                other = border.other(blend.patch.index)
                if other in known and other not in seen and _is_one_chain(blend, known[other]):
                    seen.add(other)
                    queue.append(other)
        chains.append(chain)
    return chains


def _is_one_chain(a: Blend, b: Blend) -> bool:
    return a.is_convex == b.is_convex and _alike(a.sizes, b.sizes)


def _alike(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return all(abs(x - y) < _SAME_SIZE * max(x, y) for x, y in zip(a, b, strict=True))


def _position(chain: list[Blend]) -> Vector:
    pieces = [(blend.middle, blend.length) for blend in chain if blend.length > 0.0]
    return weighted_mean(pieces or [(chain[0].middle, 1.0)])


def _axis(graph: Graph, chain: list[Blend]) -> Vector | None:
    """Return the direction that all pieces share, None for a chain that turns corners."""
    axes = [blend.axis for blend in chain]
    first = axes[0]
    if first is None or any(axis is None or not is_parallel(first, axis) for axis in axes):
        return None
    if len(chain) > 1 and any(not _is_on_one_line(graph, chain[0], blend) for blend in chain):
        return None
    return signed(first)


def _is_on_one_line(graph: Graph, a: Blend, b: Blend) -> bool:
    return a.patch.kind == b.patch.kind != "plane" and graph.are_coaxial(a.patch, b.patch)


def _faces(chain: list[Blend]) -> tuple[int, ...]:
    return tuple(sorted({face for blend in chain for face in blend.patch.faces}))


def _edges(chain: list[Blend]) -> tuple[BlendEdge, ...]:
    return tuple(
        BlendEdge(
            blend.middle,
            None if blend.axis is None else signed(blend.axis),
            tuple(sorted(blend.patch.faces)),
        )
        for blend in chain
    )


def _direction(border: Border) -> Vector:
    return unit(sub(border.points[-1], border.points[0]))


def _mean(points: list[Vector]) -> Vector:
    return weighted_mean([(point, 1.0) for point in points])
