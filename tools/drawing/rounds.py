"""How the round things that callouts speak of look in a view."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.paper import Path
from cadwright.tools.geometry.outlines import (
    FULL_TURN,
    Arc,
    Axis,
    Curve,
    Flat,
    Outline,
    arc_points,
    flatten,
)

_SAME = 1e-3  # of the size of the circle: a callout's and one in the view
_PARALLEL = 1e-6
_TIPS = (0.5, 0.35, 0.65, 0.2, 0.8)  # where on an arc a leader may point


class Rounds:
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
        radius = radius_of(callout)
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
            Path(on_paper(arc_points((*c.flat[0], radius_of(c), 0.0, FULL_TURN)), k), "centre")
            for c in self._callouts
            if c.kind == "diameter" and self.arc(c) is None and not self.is_from_the_side(c)
        )

    def tips(self, callout: Callout) -> Curve:
        """Return points of an arc that a leader may point at, mm."""
        arc = self.arc(callout)
        if arc is None:
            return callout.flat[1:]
        x, y, radius, start, sweep = arc
        angles = (start + share * sweep for share in _TIPS)
        return tuple((x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles)

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


def radius_of(callout: Callout) -> float:
    """Return the radius of the circle that a callout means, mm."""
    return math.dist(callout.points[0], callout.points[1])


def on_paper(points: Curve, k: float) -> Curve:
    """Return points of a view, mm and y up, on paper at a scale, y down."""
    return tuple((x * k, -y * k) for x, y in points)


def _minus(a: Flat, b: Flat) -> Flat:
    return (a[0] - b[0], a[1] - b[1])


def _cross(a: Flat, b: Flat) -> float:
    return a[0] * b[1] - a[1] * b[0]
