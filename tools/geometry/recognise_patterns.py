"""Patterns of equal holes: lines, grids and circles, fitted, with what is left over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cadwright.tools.geometry.features import HoleFeature, Pattern, PatternKind
from cadwright.tools.geometry.part import FloatArray, Vector
from cadwright.tools.geometry.patches import is_parallel
from cadwright.tools.geometry.vectors import add, dot, frame, signed, sub

_FIT = 0.05  # of the pitch: holes farther from their places are no pattern
_SAME = 1e-3  # relative: two diameters, two levels are one
_MIN_FILLED = 0.75  # of a grid's places; a hole may be missing
_MIN_GAPPY = 6  # places of a grid that may miss one
_MAX_CENTRES = 50


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Equal holes that start in one plane.

    Attributes:
        places: Their indices.
        points: (n, 2) float64, in the frame ``first``, ``second`` around ``origin``.
    """

    places: list[int]
    points: FloatArray
    origin: Vector
    first: Vector
    second: Vector
    hole: HoleFeature

    def lift(self, flat: FloatArray, origin: Vector = (0.0, 0.0, 0.0)) -> Vector:
        """Return a direction of the plane in space, or a point where an origin is given."""
        return add(add(origin, self.first, float(flat[0])), self.second, float(flat[1]))


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """A fitted arrangement in the plane of a group, lengths in mm; see ``Pattern``."""

    kind: PatternKind
    counts: tuple[int, ...]
    pitches: tuple[float, ...]
    centre: FloatArray
    way: FloatArray
    off: float
    diameter: float | None = None

    def pattern(self, group: _Group, places: list[int] | None = None) -> Pattern:
        """Return the pattern of all holes of the group, or of those at ``places``."""
        way = group.lift(self.way)
        return Pattern(
            kind=self.kind,
            holes=tuple(places or group.places),
            hole_diameter_mm=group.hole.diameter_mm,
            counts=self.counts,
            pitches_mm=self.pitches,
            diameter_mm=self.diameter,
            centre_mm=group.lift(self.centre, group.origin),
            axis=group.hole.axis,
            direction=way if self.kind == "circle" else signed(way),
            residual_mm=self.off,
        )


def find_patterns(holes: Sequence[HoleFeature]) -> tuple[Pattern, ...]:
    """Return the patterns of three or more equal holes.

    A square of four holes is a grid and a circle; both are returned.
    """
    patterns: list[Pattern] = []
    for group in _groups(holes):
        line = _line(group)
        if line is not None:
            patterns.append(line)
            continue
        grid = _grid(group)
        patterns += [grid] if grid is not None else []
        patterns += _circles(group, holes)
    return tuple(patterns)


def _groups(holes: Sequence[HoleFeature]) -> list[_Group]:
    members: list[list[int]] = []
    for place, hole in enumerate(holes):
        for known in members:
            if _are_equal(holes[known[0]], hole):
                known.append(place)
                break
        else:
            members.append([place])
    return [_group(holes, places) for places in members if len(places) > 2]


def _are_equal(a: HoleFeature, b: HoleFeature) -> bool:
    offset = abs(dot(sub(b.position_mm, a.position_mm), a.axis))
    return (
        abs(a.diameter_mm - b.diameter_mm) < _SAME * a.diameter_mm
        and is_parallel(a.axis, b.axis)
        and offset < 10.0 * _SAME * a.diameter_mm
        and a.is_through == b.is_through
        and (a.counterbore is None) == (b.counterbore is None)
        and (a.countersink is None) == (b.countersink is None)
    )


def _group(holes: Sequence[HoleFeature], places: list[int]) -> _Group:
    hole = holes[places[0]]
    first, second = frame(hole.axis)
    offsets = [sub(holes[place].position_mm, hole.position_mm) for place in places]
    points = np.array([[dot(o, first), dot(o, second)] for o in offsets])
    return _Group(places, points, hole.position_mm, first, second, hole)


def _line(group: _Group) -> Pattern | None:
    gaps = np.linalg.norm(group.points[:, None] - group.points[None], axis=2)
    a, b = np.unravel_index(int(gaps.argmax()), gaps.shape)
    way = (group.points[b] - group.points[a]) / gaps[a, b]
    along = group.points @ way
    order = np.argsort(along, kind="stable")
    steps = np.arange(len(order), dtype=np.float64)
    pitch, start = np.polyfit(steps, along[order], 1)
    side = group.points @ np.array([-way[1], way[0]])
    off = np.hypot(along[order] - start - pitch * steps, (side - side.mean())[order])
    if off.max() > _FIT * pitch:
        return None
    centre = way * along.mean() + np.array([-way[1], way[0]]) * side.mean()
    fit = _Fit("line", (len(order),), (float(pitch),), centre, way, float(off.max()))
    return fit.pattern(group)


def _grid(group: _Group) -> Pattern | None:
    for way in _grid_ways(group.points):
        side = np.array([-way[1], way[0]])
        columns, rows = (_levels(group.points @ d) for d in (way, side))
        if columns is None or rows is None:
            continue
        places = len(columns.levels) * len(rows.levels)
        taken = set(zip(columns.index.tolist(), rows.index.tolist(), strict=True))
        count = len(group.places)
        is_filled = places == count or (places >= _MIN_GAPPY and count >= _MIN_FILLED * places)
        if len(taken) != count or not is_filled:
            continue
        off = float(np.hypot(columns.off, rows.off).max())
        if off > _FIT * min(columns.pitch, rows.pitch):
            continue
        centre = way * columns.levels.mean() + side * rows.levels.mean()
        if (len(columns.levels), columns.pitch) < (len(rows.levels), rows.pitch):
            way, columns, rows = side, rows, columns
        counts = (len(columns.levels), len(rows.levels))
        return _Fit("grid", counts, (columns.pitch, rows.pitch), centre, way, off).pattern(group)
    return None


def _grid_ways(points: FloatArray) -> list[FloatArray]:
    """Return directions that may be a side of the grid: from one hole to the nearest others."""
    offsets = points[1:] - points[0]
    sizes = np.linalg.norm(offsets, axis=1)
    order = np.argsort(sizes, kind="stable")[:4]
    return [offsets[k] / sizes[k] for k in order if sizes[k] > 0.0]


@dataclass(frozen=True, slots=True, eq=False)
class _Levels:
    """Values that lie on equally spaced levels.

    Attributes:
        levels: (k,) the fitted levels.
        index: (n,) the level of each value.
        off: (n,) how far each value is off.
    """

    levels: FloatArray
    index: FloatArray
    off: FloatArray
    pitch: float


def _levels(values: FloatArray) -> _Levels | None:
    """Return equally spaced levels for values; None where there is only one, or none fit."""
    spread = values.max() - values.min()
    order = np.sort(values)
    jumps = np.diff(order)
    large = jumps[jumps > _FIT * spread]
    if not len(large):
        return None
    index = np.round((values - values.min()) / large.min())
    if len(np.unique(index)) != index.max() + 1:
        return None
    pitch, start = np.polyfit(index, values, 1)
    levels = start + pitch * np.arange(index.max() + 1)
    return _Levels(levels, index, values - start - pitch * index, float(pitch))


def _circles(group: _Group, holes: Sequence[HoleFeature]) -> list[Pattern]:
    found: list[Pattern] = []
    seen: set[tuple[int, ...]] = set()
    for centre in _centres(group, holes):
        radii = np.linalg.norm(group.points - centre, axis=1)
        for members in _by_radius(radii):
            key = tuple(members.tolist())
            if len(members) < 3 or key in seen:
                continue
            pattern = _circle(group, members)
            if pattern is not None:
                seen.add(key)
                found.append(pattern)
    return found


def _centres(group: _Group, holes: Sequence[HoleFeature]) -> list[FloatArray]:
    """Return where a circle may be centred: amid the holes, or on another hole's axis."""
    centres = [group.points.mean(axis=0)]
    for place, hole in enumerate(holes):
        if place not in group.places and is_parallel(hole.axis, group.hole.axis):
            offset = sub(hole.position_mm, group.origin)
            centres.append(np.array([dot(offset, group.first), dot(offset, group.second)]))
    return centres[:_MAX_CENTRES]


def _by_radius(radii: FloatArray) -> list[FloatArray]:
    order = np.argsort(radii, kind="stable")
    breaks = np.flatnonzero(np.diff(radii[order]) > _FIT * max(float(radii.max()), 1e-12)) + 1
    return [np.sort(part) for part in np.split(order, breaks)]


def _circle(group: _Group, members: FloatArray) -> Pattern | None:
    points = group.points[members]
    system = np.column_stack([2.0 * points, np.ones(len(points))])
    solution, _, rank, _ = np.linalg.lstsq(system, (points**2).sum(axis=1), rcond=None)
    if rank < 3:
        return None
    centre = solution[:2]
    radius = math.sqrt(max(float(solution[2] + centre @ centre), 0.0))
    offsets = points - centre
    angles = np.arctan2(offsets[:, 1], offsets[:, 0])
    order = np.argsort(angles, kind="stable")
    step = math.tau / len(order)
    ideal = angles[order][0] + step * np.arange(len(order))
    ideal += np.mean(angles[order] - ideal)
    wanted = centre + radius * np.column_stack([np.cos(ideal), np.sin(ideal)])
    off = float(np.linalg.norm(points[order] - wanted, axis=1).max())
    pitch = 2.0 * radius * math.sin(0.5 * step)
    if off > _FIT * pitch:
        return None
    way = offsets[0] / max(float(np.linalg.norm(offsets[0])), 1e-12)
    places = [group.places[int(k)] for k in members]
    fit = _Fit("circle", (len(order),), (pitch,), centre, way, off, 2.0 * radius)
    return fit.pattern(group, places)
