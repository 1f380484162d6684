"""Where the holes of an asked pattern would be: as asked, or where they fit the part best.

A pattern may leave its centre, its turn or its axis open. Then every pose that puts one or two
of its holes on found ones is tried, and the one that most found holes agree with is taken. The
holes themselves are matched afterwards, with everything else that asks for holes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cadwright.rewards.constraints import kinds_patterns as kinds
from cadwright.rewards.constraints.compare_holes import Spot
from cadwright.rewards.constraints.places import line_angle_deg
from cadwright.tools.geometry.features import HoleFeature
from cadwright.tools.geometry.part import FloatArray, Vector

# Holes tried as anchors; a part with more of one size is searched over these only.
MAX_ANCHORS = 40
# Holes of the pattern that are put on anchors: enough that one missing hole spoils nothing.
MAX_PIVOTS = 3
# A hole this many diameters from its place counts as missing in the search.
REACH = 1.0
SAME_AXIS_DEG = 5.0


@dataclass(frozen=True, slots=True)
class Layout:
    """A pattern in its own plane.

    Attributes:
        points: (n, 2) mm around the centre, the first axis along ``along``.
        centre: Asked centre, or None.
        along: Asked direction of the first axis, or None.
        bore: Diameter of the holes.
    """

    points: FloatArray
    centre: Vector | None
    along: Vector | None
    bore: float


def layout_of(asked: kinds.HolePattern) -> Layout:
    """Return the holes of a pattern in its plane."""
    if isinstance(asked, kinds.HoleCircle):
        turns = 2.0 * np.pi * np.arange(asked.count) / asked.count
        points = asked.circle / 2 * np.column_stack([np.cos(turns), np.sin(turns)])
        return Layout(points, asked.centre, asked.start, asked.bore)
    if isinstance(asked, kinds.HoleGrid):
        points = _grid(asked.count, asked.pitch)
        return Layout(points, asked.centre, asked.along, asked.bore)
    if isinstance(asked, kinds.HoleLine):
        points = _grid((asked.count, 1), (asked.pitch, 1.0))
        return Layout(points, asked.centre, asked.along, asked.bore)
    raise TypeError(f"{asked.kind} has no layout")


def spots_of(asked: kinds.HolePattern, holes: Sequence[HoleFeature]) -> list[Spot]:
    """Return where the holes of a pattern are asked, in the pose that fits the part best."""
    layout = layout_of(asked)
    usable = [hole for hole in holes if abs(hole.diameter_mm - asked.bore) < asked.bore / 2]
    if asked.axis is not None:
        usable = [h for h in usable if line_angle_deg(asked.axis, h.axis) < SAME_AXIS_DEG]
    best, least = None, np.inf
    for places in _poses(asked, layout, usable[:MAX_ANCHORS]):
        misfit = _misfit(places, usable, REACH * asked.bore)
        if misfit < least - 1e-9:
            best, least = places, misfit
    if best is None:
        return [Spot(_far()) for _ in layout.points]
    is_line = layout.centre is None
    return [Spot((float(x), float(y), float(z)), is_line) for x, y, z in best]


def _grid(count: tuple[int, int], pitch: tuple[float, float]) -> FloatArray:
    first, second = ((np.arange(n) - (n - 1) / 2) * p for n, p in zip(count, pitch, strict=True))
    return np.array([(x, y) for y in second for x in first])


def _far() -> Vector:
    """A place that no hole is near: no pose could be formed, so every hole is missing."""
    return (1e7, 1e7, 1e7)


def _poses(
    asked: kinds.HolePattern, layout: Layout, holes: Sequence[HoleFeature]
) -> Iterator[FloatArray]:
    for axis in _axes(asked, holes):
        points = np.array([hole.position_mm for hole in holes]).reshape(-1, 3)
        for along, centre in _frames(layout, axis, points):
            second = np.cross(axis, along)
            yield centre + layout.points @ np.stack([along, second])


def _axes(asked: kinds.HolePattern, holes: Sequence[HoleFeature]) -> list[FloatArray]:
    if asked.axis is not None:
        return [np.array(asked.axis)]
    axes: list[FloatArray] = []
    for hole in holes:
        if all(line_angle_deg(axis, hole.axis) > SAME_AXIS_DEG for axis in axes):
            axes.append(np.array(hole.axis))
    return axes


def _frames(
    layout: Layout, axis: FloatArray, points: FloatArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the direction of the pattern's first axis and its centre, for every try."""
    fixed = None if layout.along is None else _flat(np.array(layout.along), axis)
    centre = None if layout.centre is None else np.array(layout.centre)
    if fixed is not None and centre is not None:
        yield fixed, centre
    elif fixed is not None:
        frame = np.stack([fixed, np.cross(axis, fixed)])
        for point in points:
            for pivot in _pivots(layout):
                yield fixed, point - layout.points[pivot] @ frame
    elif centre is not None:
        yield from _about_centre(layout, axis, centre, points)
    else:
        yield from _on_pairs(layout, axis, points)


def _about_centre(
    layout: Layout, axis: FloatArray, centre: FloatArray, points: FloatArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    for point in points:
        spoke = _flat(point - centre, axis)
        for pivot in _pivots(layout):
            if spoke is not None and np.any(layout.points[pivot]):
                yield _turned(spoke, layout.points[pivot], axis), centre


def _on_pairs(
    layout: Layout, axis: FloatArray, points: FloatArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    for pivot in _pivots(layout):
        for other in range(len(layout.points)):
            step = layout.points[other] - layout.points[pivot]
            length = float(np.linalg.norm(step))
            for first, second in _pairs_at(points, axis, length, REACH * layout.bore):
                spoke = _flat(second - first, axis)
                if other == pivot or spoke is None:
                    continue
                along = _turned(spoke, step, axis)
                frame = np.stack([along, np.cross(axis, along)])
                yield along, first - layout.points[pivot] @ frame


def _pairs_at(
    points: FloatArray, axis: FloatArray, length: float, slack: float
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the pairs of points that are about this far apart across the axis."""
    flat = points - np.outer(points @ axis, axis)
    apart = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    for first, second in np.argwhere(np.abs(apart - length) < slack):
        if first != second:
            yield points[first], points[second]


def _pivots(layout: Layout) -> range:
    return range(min(MAX_PIVOTS, len(layout.points)))


def _turned(spoke: FloatArray, local: FloatArray, axis: FloatArray) -> FloatArray:
    """Return the first axis that puts the local direction on the spoke."""
    x, y = local / np.linalg.norm(local)
    result: FloatArray = x * spoke - y * np.cross(axis, spoke)
    return result


def _flat(direction: FloatArray, axis: FloatArray) -> FloatArray | None:
    """Return the unit part of a direction across the axis, or None where there is none."""
    across = direction - (direction @ axis) * axis
    length = float(np.linalg.norm(across))
    return None if length < 1e-9 else across / length


def _misfit(places: FloatArray, holes: Sequence[HoleFeature], reach: float) -> float:
    """Return the distances of the places to their nearest hole axes, each at most ``reach``."""
    starts = np.array([hole.position_mm for hole in holes]).reshape(-1, 3)
    axes = np.array([hole.axis for hole in holes]).reshape(-1, 3)
    gaps = places[:, None] - starts[None]
    distances = np.linalg.norm(np.cross(gaps, axes[None]), axis=2)
    return float(np.minimum(distances.min(axis=1, initial=reach), reach).sum())
