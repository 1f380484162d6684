"""One view on paper: its lines at a scale, its centre lines, and its callouts around it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cadwright.tools.drawing.angles import angle_places
from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.crowd import Crowd, Placed, segments_of
from cadwright.tools.drawing.leaders import diameter_places, note_places, radius_places
from cadwright.tools.drawing.linear import linear_places
from cadwright.tools.drawing.paper import Box, Item, Label, Path, Pen, around, arrow, box_of
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.merge_strokes import merged
from cadwright.tools.geometry.outlines import (
    FULL_TURN,
    Arc,
    Axis,
    Curve,
    Flat,
    Line,
    Outline,
    Strokes,
    arc_points,
    flatten,
)

CENTRE_BEYOND_MM = 2.5  # of a centre line past what it is the centre of
LEAST_RADIUS_MM = 0.7  # smaller holes get no centre lines: they would be all there is to see
AXIS_MM = 9.0  # from the origin of the part to the arrow of an axis
LETTER_MM, LETTER_OFF_MM = 4.4, 2.7  # size of its letter, and how far that is from the axis
_AXES: dict[str, tuple[Pen, Pen]] = {"front": ("x", "z"), "top": ("x", "y"), "right": ("y", "z")}
_SAME = 1e-3  # of the size of the part: a callout's circle and one in the view
_PARALLEL = 1e-6
_TIPS = (0.5, 0.35, 0.65, 0.2, 0.8)  # where on an arc a leader may point
_ORDER = {"linear": 0, "angle": 1, "radius": 2, "diameter": 3, "note": 4}


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A view with its callouts, on paper, around the origin of the part.

    Attributes:
        outline: The view.
        k: mm on paper for each mm of the part.
        lines: Its lines and centre lines.
        origin: The axes at the origin of the part.
        view_box: Around the lines of the part alone.
        placed: Its callouts.
        box: Around everything.
    """

    outline: Outline
    k: float
    lines: tuple[Path, ...]
    origin: tuple[Item, ...]
    view_box: Box
    placed: tuple[Placed, ...]
    box: Box

    def items(self) -> list[Item]:
        """Return everything that is inked."""
        items: list[Item] = [*self.lines, *self.origin]
        for placed in self.placed:
            items += [*placed.paths, *placed.fills, placed.label]
        return items


def bare_plan(outline: Outline, k: float) -> Plan:
    """Return a view without callouts, centre lines and axes."""
    return _plan(outline, k, (), (), ())


def plan_view(
    outline: Outline, axes: Sequence[Axis], callouts: Sequence[Callout], k: float
) -> Plan | None:
    """Put a view and its callouts on paper, or return None where they would overlap.

    Args:
        outline: The view.
        axes: Of the part.
        callouts: Those of this view.
        k: mm on paper for each mm of the part.

    Raises:
        UsageError: A callout does not fit the part.
    """
    rounds = _Rounds(outline, axes, callouts)
    centre_lines = (*_centre_lines(axes, outline.view, k), *rounds.pitch_circles(k))
    origin = tuple(origin_mark(outline.view))
    plan = _plan(outline, k, centre_lines, origin, ())
    crowd = Crowd(segments_of((*(path.points for path in plan.lines), *_traces(origin))))
    placed = []
    for callout in sorted(callouts, key=_order):
        place = crowd.cheapest(_places(callout, rounds, plan))
        if place is None:
            return None
        crowd.add(place)
        placed.append(place)
    return _plan(outline, k, centre_lines, origin, tuple(placed))


def _order(callout: Callout) -> tuple[int, float]:
    """Short dimension lines first: they lie nearest to the part."""
    return _ORDER[callout.kind], callout.value or 0.0


def _plan(
    outline: Outline,
    k: float,
    centre_lines: tuple[Path, ...],
    origin: tuple[Item, ...],
    placed: tuple[Placed, ...],
) -> Plan:
    visible, hidden = _inked(outline.visible, "visible", k), _inked(outline.hidden, "hidden", k)
    view_box = around(box_of(path) for path in (*visible, *hidden))
    lines = (*hidden, *centre_lines, *visible)
    items: list[Item] = [*lines, *origin]
    for place in placed:
        items += [*place.paths, *place.fills, place.label]
    return Plan(outline, k, lines, origin, view_box, placed, around(box_of(item) for item in items))


def origin_mark(view: str) -> Iterator[Item]:
    """Yield the two axes that a view shows, from the origin of the part, letters outside."""
    (x, y) = _AXES[view]
    for pen, tip, letter in (
        (x, (AXIS_MM, 0.0), (AXIS_MM, LETTER_OFF_MM)),
        (y, (0.0, -AXIS_MM), (-LETTER_OFF_MM, -AXIS_MM)),
    ):
        yield Path(((0.0, 0.0), tip), pen)
        yield arrow(tip, (0.0, 0.0), pen)
        yield Label((pen.upper(),), letter, LETTER_MM, pen)


def _traces(items: Iterable[Item]) -> Iterator[Curve]:
    """Yield lines that stand for items where room is looked for."""
    for item in items:
        left, top, right, low = box_of(item)
        yield ((left, top), (right, low))
        if isinstance(item, Label):
            yield ((left, low), (right, top))


def _inked(strokes: Strokes, pen: Pen, k: float) -> tuple[Path, ...]:
    return tuple(Path(_on_paper(path, k), pen) for path in strokes.paths())


def _on_paper(points: Curve, k: float) -> Curve:
    return tuple((x * k, -y * k) for x, y in points)


def _centre_lines(axes: Sequence[Axis], view: str, k: float) -> tuple[Path, ...]:
    """Return a cross for each axis that the eye looks along, a line for one across."""
    lines: list[Line] = []
    for axis in axes:
        if axis.radius_mm * k >= LEAST_RADIUS_MM:
            lines += _centre_marks(axis, view, CENTRE_BEYOND_MM / k)
    size = max((abs(v) for line in lines for v in line), default=1.0)
    clean, _ = merged(Strokes(lines=tuple(lines)), Strokes(), size)
    return _inked(clean, "centre", k)


def _centre_marks(axis: Axis, view: str, beyond: float) -> list[Line]:
    (x0, y0), (x1, y1) = flatten(axis.start, view), flatten(axis.end, view)
    length, depth = math.hypot(x1 - x0, y1 - y0), math.dist(axis.start, axis.end)
    if length < _PARALLEL * depth:
        reach = axis.radius_mm + beyond
        return [(x0 - reach, y0, x0 + reach, y0), (x0, y0 - reach, x0, y0 + reach)]
    if length < (1.0 - _PARALLEL) * depth:
        return []  # oblique: no view shows it well
    x, y = (x1 - x0) / length * beyond, (y1 - y0) / length * beyond
    return [(x0 - x, y0 - y, x1 + x, y1 + y)]


class _Rounds:
    """How the round things that callouts speak of look in a view.

    Args:
        outline: The view.
        axes: Of the part.
        callouts: Those of this view.
    """

    def __init__(self, outline: Outline, axes: Sequence[Axis], callouts: Sequence[Callout]) -> None:
        self._arcs: tuple[Arc, ...] = (*outline.visible.arcs, *outline.hidden.arcs)
        self._axes = axes
        self._view = outline.view
        self._callouts = callouts

    def arc(self, callout: Callout) -> Arc | None:
        """Return the arc or circle that a diameter or radius means, the longest there is."""
        centre, rim = callout.flat
        radius = math.dist(callout.points[0], callout.points[1])
        same = _SAME * max(radius, math.dist(centre, rim), 1.0)
        found = [
            arc
            for arc in self._arcs
            if math.dist(arc[:2], centre) < same and abs(arc[2] - radius) < same
        ]
        return max(found, key=lambda arc: arc[4], default=None)

    def is_from_the_side(self, callout: Callout) -> bool:
        """Return whether a diameter is seen edge-on: its axis lies across the view."""
        if self.arc(callout) is not None:
            return False
        spoke = _minus(callout.flat[1], callout.flat[0])
        return any(self._is_axis_of(axis, callout.flat[0], spoke) for axis in self._axes)

    def pitch_circles(self, k: float) -> tuple[Path, ...]:
        """Return the circles that callouts measure and the part has not, as centre lines."""
        return tuple(
            Path(_on_paper(arc_points((*c.flat[0], _radius(c), 0.0, FULL_TURN)), k), "centre")
            for c in self._callouts
            if c.kind == "diameter" and self.arc(c) is None and not self.is_from_the_side(c)
        )

    def _is_axis_of(self, axis: Axis, centre: Flat, spoke: Flat) -> bool:
        """Return whether an axis lies across the view, through a centre and square to a spoke."""
        start, end = flatten(axis.start, self._view), flatten(axis.end, self._view)
        along, reach = _minus(end, start), math.hypot(*spoke)
        length = math.hypot(*along)
        if length < (1.0 - _PARALLEL) * math.dist(axis.start, axis.end) or reach == 0.0:
            return False
        off = _cross(along, _minus(centre, start)) / length
        slant = (along[0] * spoke[0] + along[1] * spoke[1]) / (length * reach)
        return abs(off) < _SAME * max(reach, 1.0) and abs(slant) < _SAME


def _places(callout: Callout, rounds: _Rounds, plan: Plan) -> list[Placed]:
    """Return every place where a callout could stand."""
    spots = _on_paper(callout.flat, plan.k)
    if callout.kind == "note":
        return note_places(callout, spots[0], plan.view_box)
    if callout.kind == "angle":
        return angle_places(callout, spots[0], (spots[1], spots[2]))
    if callout.kind == "linear":
        return linear_places(callout, (spots[0], spots[1]), plan.view_box, plan.k)
    _check_radius(callout)
    if callout.kind == "radius":
        return radius_places(callout, spots[0], _tips(callout, rounds, plan.k), plan.view_box)
    if rounds.is_from_the_side(callout):
        centre, rim = spots
        across = (2.0 * centre[0] - rim[0], 2.0 * centre[1] - rim[1])
        return linear_places(callout, (across, rim), plan.view_box, plan.k)
    return diameter_places(callout, spots[0], _radius(callout) * plan.k, plan.view_box)


def _tips(callout: Callout, rounds: _Rounds, k: float) -> Curve:
    """Return points of an arc that a leader may point at."""
    arc = rounds.arc(callout)
    if arc is None:
        return _on_paper(callout.flat[1:], k)
    x, y, radius, start, sweep = arc
    angles = (start + share * sweep for share in _TIPS)
    return _on_paper(tuple((x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles), k)


def _check_radius(callout: Callout) -> None:
    """Refuse a circle whose radius is not what the number says, or that is seen obliquely."""
    times = 2.0 if callout.kind == "diameter" else 1.0
    seen = times * math.dist(*callout.flat)
    if not callout.agrees(seen):
        raise UsageError(
            f"{callout}: its points give {seen:.4g} in the {callout.view} view, "
            f"which is not {callout.value:g}"
        )


def _radius(callout: Callout) -> float:
    return math.dist(callout.points[0], callout.points[1])


def _minus(a: Flat, b: Flat) -> Flat:
    return (a[0] - b[0], a[1] - b[1])


def _cross(a: Flat, b: Flat) -> float:
    return a[0] * b[1] - a[1] * b[0]
