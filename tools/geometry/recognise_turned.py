"""Round bosses and turned bodies: outer cylinders that go all the way round."""

from __future__ import annotations

from dataclasses import dataclass

from cadwright.tools.geometry.features import Boss, Shaft, ShaftStep
from cadwright.tools.geometry.patches import Graph, Loop, Patch, is_parallel
from cadwright.tools.geometry.rings import End
from cadwright.tools.geometry.vectors import add, dot, frame, scaled, sub


@dataclass(frozen=True, slots=True)
class _Barrel:
    """One outer cylinder with its ends, heights counted along its axis from its own point."""

    patch: Patch
    low: End
    high: End

    @property
    def length(self) -> float:
        return self.high.height - self.low.height

    @property
    def faces(self) -> set[int]:
        return set(self.patch.faces) | self.low.blends | self.high.blends


def round_features(graph: Graph, blends: set[int]) -> tuple[tuple[Boss, ...], tuple[Shaft, ...]]:
    """Return round bosses and turned bodies.

    Args:
        graph: The patches.
        blends: Indices of the patches of fillets and chamfers, which lengthen what they end.
    """
    barrels = [
        _Barrel(patch, *(_rim_end(graph, patch, rim, blends) for rim in patch.rims))
        for patch in graph.patches
        if patch.kind == "cylinder" and not patch.is_inner and len(patch.rims) == 2
    ]
    bosses = [boss for barrel in barrels if (boss := _boss(barrel)) is not None]
    shafts = [shaft for group in _groups(graph, barrels) if (shaft := _shaft(group)) is not None]
    return tuple(bosses), tuple(shafts)


def _boss(barrel: _Barrel) -> Boss | None:
    """Return the boss that an outer cylinder is: a corner at one end, an edge at the other."""
    patch, low, high = barrel.patch, barrel.low, barrel.high
    if low.is_closed == high.is_closed:
        return None
    start, end = (low, high) if low.is_closed else (high, low)
    axis = scaled(patch.axis, 1.0 if low.is_closed else -1.0)
    return Boss(
        shape="round",
        length_mm=2.0 * patch.radius,
        width_mm=2.0 * patch.radius,
        height_mm=barrel.length,
        position_mm=add(patch.point, patch.axis, start.height),
        axis=axis,
        direction=frame(axis)[0],
        faces=tuple(sorted(barrel.faces | end.beyond)),
    )


def _groups(graph: Graph, barrels: list[_Barrel]) -> list[list[_Barrel]]:
    """Return the barrels on one axis that shoulders, cones and rounded corners join."""
    root = {barrel.patch.index: barrel.patch.index for barrel in barrels}

    def find(index: int) -> int:
        while root[index] != index:
            index = root[index]
        return index

    joint: dict[int, int] = {}
    for barrel in barrels:
        patch = barrel.patch
        for beside in _reached(graph, patch):
            if beside in joint and graph.are_coaxial(patch, graph.patches[joint[beside]]):
                root[find(patch.index)] = find(joint[beside])
            joint.setdefault(beside, patch.index)
    groups: dict[int, list[_Barrel]] = {}
    for barrel in barrels:
        groups.setdefault(find(barrel.patch.index), []).append(barrel)
    return list(groups.values())


def _reached(graph: Graph, patch: Patch) -> set[int]:
    """Return the patches across the rims, and across cones and rounded corners from there."""
    found: set[int] = set()
    queue = [patch]
    while queue:
        here = queue.pop()
        for border in here.borders:
            other = graph.across(border, here)
            if other.index in found or not _belongs(graph, patch, other):
                continue
            found.add(other.index)
            if other.kind in ("cone", "torus"):
                queue.append(other)
    return found


def _belongs(graph: Graph, patch: Patch, other: Patch) -> bool:
    """Return whether a patch is turned around the same axis; a shoulder lies across it."""
    if other.kind == "plane":
        return is_parallel(other.axis, patch.axis)
    return other.kind in ("cone", "torus", "cylinder") and graph.are_coaxial(patch, other)


def _shaft(group: list[_Barrel]) -> Shaft | None:
    """Return the turned body of barrels in a row, unless an end stands on something else."""
    base = group[0].patch

    def start(barrel: _Barrel) -> float:
        return dot(sub(barrel.patch.point, base.point), base.axis) + barrel.low.height

    row = sorted(group, key=start)
    first, last = row[0], row[-1]
    if first.low.is_closed or last.high.is_closed:
        return None
    low, high = start(first), start(last) + last.length
    steps = tuple(
        ShaftStep(
            diameter_mm=2.0 * barrel.patch.radius,
            length_mm=barrel.length,
            position_mm=add(base.point, base.axis, start(barrel) + 0.5 * barrel.length),
            faces=tuple(sorted(barrel.faces)),
        )
        for barrel in row
    )
    return Shaft(
        axis=base.axis,
        position_mm=add(base.point, base.axis, 0.5 * (low + high)),
        length_mm=high - low,
        steps=steps,
        faces=tuple(sorted({face for step in steps for face in step.faces})),
    )


def _rim_end(graph: Graph, patch: Patch, rim: Loop, blends: set[int]) -> End:
    """Return one end of a round wall, heights counted along its axis from its own point."""
    end = End(rim.height, False, set(), set())
    closed = 0.0
    is_upper = rim is patch.rims[1]
    for border in rim.borders:
        other = graph.across(border, patch)
        is_corner = border.is_concave or (border.is_smooth and other.is_inner)
        closed += border.length if is_corner else 0.0
        if other.index in blends and not border.is_concave:
            heights = [patch.height(p) for b in other.borders for p in b.points]
            end.height = max(heights) if is_upper else min(heights)
            end.blends |= set(other.faces)
        elif other.kind == "plane":
            end.beyond |= set(other.faces)
    end.is_closed = closed > 0.5 * rim.length
    return end
