"""The lines of a part seen from one side, and the axes through it: what a drawing is made of.

Lengths are mm, angles radians from the view's own x axis, counter-clockwise. A view looks at the
part from the side that its name says; x goes right and y up on the paper. Nothing here imports a
CAD kernel; a worker process makes these records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cadwright.tools.geometry.part import Vector

Flat = tuple[float, float]
Line = tuple[float, float, float, float]  # x, y of both ends
Arc = tuple[float, float, float, float, float]  # centre x, y, radius, start, sweep
Curve = tuple[Flat, ...]

VIEWS = ("front", "top", "right", "iso")
FULL_TURN = 2.0 * math.pi
_ARC_STEP = math.radians(6.0)

_SIXTH = 1.0 / math.sqrt(6.0)
_HALF = 1.0 / math.sqrt(2.0)
_THIRD = 1.0 / math.sqrt(3.0)

# right, up, toward the eye; as the cameras of ``rendering`` have them
FRAMES: dict[str, tuple[Vector, Vector, Vector]] = {
    "front": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
    "top": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "right": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
    "iso": ((_HALF, _HALF, 0.0), (-_SIXTH, _SIXTH, 2.0 * _SIXTH), (_THIRD, -_THIRD, _THIRD)),
}


@dataclass(frozen=True, slots=True)
class Strokes:
    """Lines of one kind: straight, circular, and any other as polylines."""

    lines: tuple[Line, ...] = ()
    arcs: tuple[Arc, ...] = ()
    curves: tuple[Curve, ...] = ()

    def paths(self) -> Iterator[Curve]:
        """Yield everything as polylines, each at least two points long."""
        for x0, y0, x1, y1 in self.lines:
            yield ((x0, y0), (x1, y1))
        yield from (arc_points(arc) for arc in self.arcs)
        yield from self.curves


@dataclass(frozen=True, slots=True)
class Outline:
    """One view of a part.

    Attributes:
        view: One of ``VIEWS``.
        visible: Sharp edges and silhouettes that the eye sees.
        hidden: Those that the part itself covers, none of them below a visible one.
    """

    view: str
    visible: Strokes
    hidden: Strokes


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis that round faces share, from end to end of them.

    Attributes:
        start: The end with the smaller coordinates.
        end: The other one.
        radius_mm: The largest round face on it.
    """

    start: Vector
    end: Vector
    radius_mm: float


@dataclass(frozen=True, slots=True)
class Outlines:
    """What hidden-line removal made of a part.

    Attributes:
        views: Those that were asked for, in that order.
        axes: The axes of its round faces, whatever the view.
        method: ``exact``, or ``facets`` where the surfaces are too rich for the exact way.
    """

    views: tuple[Outline, ...]
    axes: tuple[Axis, ...]
    method: Literal["exact", "facets"]


def flatten(point: Vector, view: str) -> Flat:
    """Return where a point of the part lies in a view."""
    right, up, _ = FRAMES[view]
    return (_dot(point, right), _dot(point, up))


def arc_points(arc: Arc) -> Curve:
    """Return points along an arc, close enough to look round."""
    x, y, radius, start, sweep = arc
    count = max(2, math.ceil(abs(sweep) / _ARC_STEP))
    angles = (start + sweep * k / count for k in range(count + 1))
    return tuple((x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles)


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
