"""Holes and slots that break out sideways, and recesses that no rule has a name for.

A drill that runs into another hole or over an edge leaves a wall that does not close around its
axis. As long as more than half of it is there it is still the hole that was asked for; with less
it is none. A slot that is milled in from an edge has one round end and an open mouth. Both are
kept apart from whole holes and slots: they answer who asks for them and change no count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cadwright.tools.geometry.features import BottomKind, HoleFeature, Pocket, Slot
from cadwright.tools.geometry.part import Vector
from cadwright.tools.geometry.patches import Border, Graph, Patch, is_parallel
from cadwright.tools.geometry.vectors import add, cross, dot, scaled, signed, sub, unit

_HALF_TURN_DEG = 180.0
_TURN_SLACK_DEG = 1.0
_MOSTLY = 0.5  # of the edges of an end or floor: it is closed


@dataclass(frozen=True, slots=True)
class _Cut:
    """An inner round wall seen from its opening.

    Attributes:
        axis: Unit, from the opening into the material.
        start: Where the axis meets the opening.
        beyond: What lies across its far end.
    """

    axis: Vector
    start: Vector
    depth: float
    is_through: bool
    beyond: tuple[Patch, ...]

    @property
    def bottom(self) -> BottomKind:
        """How it ends."""
        kinds = {patch.kind for patch in self.beyond}
        if self.is_through:
            return "open"
        return "flat" if kinds == {"plane"} else "cone" if kinds == {"cone"} else "other"


def open_holes(
    graph: Graph, blends: set[int], holes: Sequence[HoleFeature]
) -> tuple[HoleFeature, ...]:
    """Return the holes with more than half of a wall and less than all of it.

    Args:
        graph: The patches.
        blends: Indices of the patches of fillets and chamfers.
        holes: The whole ones: what shares an axis with one belongs to it.
    """
    found: list[tuple[Patch, HoleFeature]] = []
    walls = [p for p in _walls(graph, blends) if p.swept_deg > _HALF_TURN_DEG + _TURN_SLACK_DEG]
    for wall in sorted(walls, key=lambda patch: (patch.radius, -patch.area)):
        cut = _cut(graph, wall)
        is_known = any(graph.are_coaxial(wall, other) for other, _ in found)
        if cut is None or is_known or any(_shares_axis(graph, wall, hole) for hole in holes):
            continue
        found.append((wall, _hole(wall, cut)))
    return tuple(hole for _, hole in found)


def open_slots(graph: Graph, blends: set[int], slots: Sequence[Slot]) -> tuple[Slot, ...]:
    """Return the slots that have one round end and run out at the other.

    Args:
        graph: The patches.
        blends: Indices of the patches of fillets and chamfers.
        slots: Those with two round ends.
    """
    taken = {face for slot in slots for face in slot.faces}
    found = []
    for wall in _walls(graph, blends):
        is_half = abs(wall.swept_deg - _HALF_TURN_DEG) < _TURN_SLACK_DEG
        if is_half and not taken & set(wall.faces):
            slot = _slot(graph, wall)
            found += [] if slot is None else [slot]
    return tuple(found)


def unnamed_floors(graph: Graph, known: Iterable[HoleFeature | Slot | Pocket]) -> tuple[int, ...]:
    """Return the flat faces that are walled in for the most part and belong to nothing known."""
    taken = {face for feature in known for face in feature.faces}
    return tuple(
        sorted(
            face
            for patch in graph.patches
            if patch.kind == "plane" and not taken & set(patch.faces)
            if _is_closed(graph, patch, patch.borders)
            for face in patch.faces
        )
    )


def _walls(graph: Graph, blends: set[int]) -> list[Patch]:
    return [
        patch
        for patch in graph.patches
        if patch.kind == "cylinder" and patch.is_inner and not patch.is_full
        if patch.index not in blends
    ]


def _cut(graph: Graph, wall: Patch) -> _Cut | None:
    """Return a round wall as a cut, unless it is closed at both ends."""
    low, high = wall.span
    ends: tuple[list[Border], list[Border]] = ([], [])
    for border in wall.borders:
        heights = [wall.height(point) for point in border.points]
        if max(heights) - min(heights) < _MOSTLY * (high - low):
            ends[wall.height(border.middle) > 0.5 * (low + high)].append(border)
    closed = [_is_closed(graph, wall, end) for end in ends]
    if all(closed):
        return None
    is_from_low = closed[1]  # alike at both ends: drilled from above
    start, way, far = (low, 1.0, ends[1]) if is_from_low else (high, -1.0, ends[0])
    beyond = tuple(graph.across(border, wall) for border in far)
    return _Cut(
        axis=scaled(wall.axis, way),
        start=add(wall.point, wall.axis, start),
        depth=high - low,
        is_through=not any(closed),
        beyond=beyond,
    )


def _is_closed(graph: Graph, patch: Patch, borders: Sequence[Border]) -> bool:
    """Return whether most of some borders are inner corners, sharp or filled."""
    corners = [
        border
        for border in borders
        if border.is_concave or (border.is_smooth and graph.across(border, patch).is_inner)
    ]
    total = sum(border.length for border in borders)
    return sum(border.length for border in corners) > _MOSTLY * total


def _shares_axis(graph: Graph, wall: Patch, hole: HoleFeature) -> bool:
    return graph.is_on_axis(wall, hole.position_mm) and is_parallel(wall.axis, hole.axis)


def _hole(wall: Patch, cut: _Cut) -> HoleFeature:
    floor = set() if cut.is_through else {face for patch in cut.beyond for face in patch.faces}
    return HoleFeature(
        diameter_mm=2.0 * wall.radius,
        depth_mm=cut.depth,
        position_mm=cut.start,
        end_mm=add(cut.start, cut.axis, cut.depth),
        axis=cut.axis,
        is_through=cut.is_through,
        bottom=cut.bottom,
        faces=tuple(sorted({*wall.faces, *floor})),
    )


def _slot(graph: Graph, wall: Patch) -> Slot | None:
    """Return the slot that a half-round wall ends: two parallel flat sides run on from it."""
    lines = [b for b in wall.borders if b.is_straight and b.is_smooth]
    sides = [graph.across(line, wall) for line in lines]
    cut = _cut(graph, wall)
    if cut is None or len({side.index for side in sides}) != 2:
        return None
    if any(side.kind != "plane" for side in sides) or not is_parallel(sides[0].axis, sides[1].axis):
        return None
    way = unit(cross(wall.axis, sides[0].axis))
    if dot(lines[0].inward(sides[0].index), way) < 0.0:
        way = scaled(way, -1.0)  # from the round end to the mouth
    reach = max(
        dot(sub(point, wall.point), way)
        for side in sides
        for border in side.borders
        for point in border.points
    )
    return Slot(
        width_mm=2.0 * wall.radius,
        length_mm=reach + wall.radius,
        depth_mm=cut.depth,
        position_mm=add(cut.start, way, 0.5 * (reach - wall.radius)),
        axis=cut.axis,
        direction=signed(way),
        is_through=cut.is_through,
        faces=tuple(sorted({*wall.faces, *(face for side in sides for face in side.faces)})),
    )
