"""One view on paper: its lines at a scale, its centre lines, and its callouts around it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cadwright.tools.drawing.angles import angle_places
from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.crowd import Crowd, Floats, Offer, Placed, segments_of
from cadwright.tools.drawing.leaders import diameter_places, note_places, radius_places
from cadwright.tools.drawing.linear import linear_places
from cadwright.tools.drawing.origin import axis_arrows, axis_letters
from cadwright.tools.drawing.paper import Box, Item, Path, Pen, around, box_of
from cadwright.tools.drawing.rounds import Rounds, on_paper, radius_of
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.merge_strokes import merged
from cadwright.tools.geometry.outlines import Axis, Line, Outline, Strokes, flatten

CENTRE_BEYOND_MM = 2.5  # of a centre line past what it is the centre of
LEAST_RADIUS_MM = 0.7  # smaller holes get no centre lines: they would be all there is to see
MAX_TRIES = 5  # orders in which callouts are placed before a scale is given up
_PARALLEL = 1e-6
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
        items: list[Item] = list(self.lines)
        for placed in self.placed:
            items += [*placed.paths, *placed.fills, placed.label]
        return [*items, *self.origin]


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
    rounds = Rounds(outline, axes, callouts)
    centre_lines = (*_centre_lines(axes, outline, k), *rounds.pitch_circles(k))
    axis_lines = axis_arrows(outline.view)
    plan = _plan(outline, k, centre_lines, axis_lines, ())
    lines = segments_of(item.points for item in (*plan.lines, *axis_lines))
    placed = _all_placed(sorted(callouts, key=_order), rounds, plan, lines)
    if placed is None:
        return None
    letters = axis_letters(
        outline.view,
        np.concatenate([lines, *(place.segments() for place in placed)]),
        [place.label.box for place in placed],
    )
    return _plan(outline, k, centre_lines, (*axis_lines, *letters), tuple(placed))


def _all_placed(
    callouts: Sequence[Callout], rounds: Rounds, plan: Plan, lines: Floats
) -> list[Placed] | None:
    """Place callouts one after the other; one that finds no place goes first in the next try."""
    places = [_places(callout, rounds, plan) for callout in callouts]
    for _ in range(MAX_TRIES):
        crowd, placed = Crowd(lines), []
        for index, choice in enumerate(places):
            place = crowd.cheapest(choice)
            if place is None:
                places.insert(0, places.pop(index))
                break
            crowd.add(place)
            placed.append(place)
        else:
            return placed
    return None


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


def _inked(strokes: Strokes, pen: Pen, k: float) -> tuple[Path, ...]:
    return tuple(Path(on_paper(path, k), pen) for path in strokes.paths())


def _centre_lines(axes: Sequence[Axis], outline: Outline, k: float) -> tuple[Path, ...]:
    """Return a cross for each axis that the eye looks along, a line for one across."""
    beyond = CENTRE_BEYOND_MM / k
    lines: list[Line] = []
    for axis in axes:
        if axis.radius_mm * k >= LEAST_RADIUS_MM:
            lines += _centre_marks(axis, outline.view, beyond)
    size = max((abs(v) for line in lines for v in line), default=1.0)
    clean, _ = merged(Strokes(lines=tuple(_on_part(lines, outline, beyond))), Strokes(), size)
    return _inked(clean, "centre", k)


def _on_part(lines: Sequence[Line], outline: Outline, beyond: float) -> Iterator[Line]:
    """Cut lines off where the part ends: of a half-round bar there is no other half."""
    points = [
        p for strokes in (outline.visible, outline.hidden) for q in strokes.paths() for p in q
    ]
    low = np.min(points, axis=0) - beyond
    high = np.max(points, axis=0) + beyond
    for x0, y0, x1, y1 in lines:
        (left, right), (foot, top) = (
            np.clip([x0, x1], low[0], high[0]),
            np.clip([y0, y1], low[1], high[1]),
        )
        is_level = abs(x1 - x0) < _PARALLEL or abs(y1 - y0) < _PARALLEL
        yield (float(left), float(foot), float(right), float(top)) if is_level else (x0, y0, x1, y1)


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


def _places(callout: Callout, rounds: Rounds, plan: Plan) -> list[Offer]:
    """Return every place where a callout could stand."""
    spots = on_paper(callout.flat, plan.k)
    if callout.kind == "note":
        return note_places(callout, spots[0], plan.view_box)
    if callout.kind == "angle":
        return angle_places(callout, spots[0], (spots[1], spots[2]))
    if callout.kind == "linear":
        return linear_places(callout, (spots[0], spots[1]), plan.view_box, plan.k)
    _check_radius(callout)
    if callout.kind == "radius":
        return radius_places(
            callout, spots[0], on_paper(rounds.tips(callout), plan.k), plan.view_box
        )
    if rounds.is_from_the_side(callout):
        centre, rim = spots
        across = (2.0 * centre[0] - rim[0], 2.0 * centre[1] - rim[1])
        return linear_places(callout, (across, rim), plan.view_box, plan.k)
    return diameter_places(callout, spots[0], radius_of(callout) * plan.k, plan.view_box)


def _check_radius(callout: Callout) -> None:
    """Refuse a circle whose radius is not what the number says, or that is seen obliquely."""
    times = 2.0 if callout.kind == "diameter" else 1.0
    seen = times * math.dist(*callout.flat)
    if not callout.agrees(seen):
        raise UsageError(
            f"{callout}: its points give {seen:.4g} in the {callout.view} view, "
            f"which is not {callout.value:g}"
        )
