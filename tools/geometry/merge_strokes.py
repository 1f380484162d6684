"""Make the strokes of a view clean: each line once, and none hidden below a visible one.

Hidden-line removal gives an edge for each edge of the part, so the rim of a through hole comes
twice, and dashes drawn over dashes of another phase look like a solid line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from cadwright.tools.geometry.outlines import FULL_TURN, Arc, Curve, Flat, Line, Strokes

Span = tuple[float, float]
Key = tuple[int, ...]

SAME = 1e-5  # of the size of the part: two lines are one
_SAME_ANGLE = 1e-4  # rad
_LEAST_POINTS = 4  # three lie on a circle always
_OFF_GRID = 0.3173  # keys are rounded; round numbers must not lie between two of them


def merged(visible: Strokes, hidden: Strokes, size_mm: float) -> tuple[Strokes, Strokes]:
    """Return both with every line once; what a visible line covers is not hidden as well.

    Args:
        visible: What is drawn solid.
        hidden: What is drawn dashed.
        size_mm: A length that all tolerances are relative to.
    """
    same = SAME * max(size_mm, 1e-6)
    solid, dashed = _lines(visible.lines, same), _lines(hidden.lines, same)
    round_, behind = _arcs(visible.arcs, same), _arcs(hidden.arcs, same)
    curves, below = _curves(visible.curves, same), _curves(hidden.curves, same)
    return (
        Strokes(_from_lines(solid), _from_arcs(round_), tuple(curves.values())),
        Strokes(
            _from_lines(_uncovered(dashed, solid, same)),
            _from_arcs(_uncovered(behind, round_, _SAME_ANGLE)),
            tuple(curve for key, curve in below.items() if key not in curves),
        ),
    )


def fitted_arc(points: Curve, same: float) -> Arc | None:
    """Return the arc that a curve is, or None: the kernel gives round silhouettes as splines.

    Args:
        points: On the curve, in order.
        same: How far from a circle they may lie, mm.
    """
    path = np.array(points)
    if len(path) < _LEAST_POINTS:
        return None
    rows = np.column_stack([2.0 * path, np.ones(len(path))])
    (x, y, rest), *_ = np.linalg.lstsq(rows, (path**2).sum(axis=1), rcond=None)
    radius = math.sqrt(max(rest + x * x + y * y, 0.0))
    spokes = path - (x, y)
    if np.abs(np.hypot(*spokes.T) - radius).max() > same:
        return None
    angles = np.unwrap(np.arctan2(spokes[:, 1], spokes[:, 0]))
    low, high = float(angles.min()), float(angles.max())
    return (float(x), float(y), radius, low, min(high - low, FULL_TURN))


def union(spans: Iterable[Span], gap: float) -> list[Span]:
    """Return spans in order, those joined that overlap or lie less than ``gap`` apart."""
    out: list[Span] = []
    for low, high in sorted(spans):
        if out and low <= out[-1][1] + gap:
            out[-1] = (out[-1][0], max(high, out[-1][1]))
        else:
            out.append((low, high))
    return out


def without(spans: Iterable[Span], cover: Iterable[Span], least: float) -> list[Span]:
    """Return what ``cover`` leaves of ``spans``; pieces shorter than ``least`` are dropped."""
    edges = union(cover, 0.0)
    holes = [(a[1], b[0]) for a, b in pairwise([(-math.inf, -math.inf), *edges, (math.inf,) * 2])]
    cut = ((max(low, a), min(high, b)) for low, high in union(spans, 0.0) for a, b in holes)
    return [(low, high) for low, high in cut if high - low > least]


def _cell(value: float, step: float) -> int:
    return math.floor(value / step + _OFF_GRID)


@dataclass(slots=True)
class _Carrier:
    """A straight line or a circle of the plane, and the parts of it that are drawn.

    Attributes:
        shape: Line: direction in [0, pi) and distance from the origin. Circle: centre, radius.
        spans: mm along the line, or radians in [0, 2 pi] around the circle.
    """

    shape: tuple[float, ...]
    spans: list[Span] = field(default_factory=list)


Carriers = dict[Key, _Carrier]


def _lines(lines: Iterable[Line], same: float) -> Carriers:
    """Return the straight lines of the plane that carry these."""
    found: Carriers = {}
    for line in lines:
        if math.hypot(line[2] - line[0], line[3] - line[1]) > same:
            angle, offset, span = _along(line)
            key = (_cell(angle, _SAME_ANGLE), _cell(offset, same))
            found.setdefault(key, _Carrier((angle, offset))).spans.append(span)
    return _joined(found, same)


def _along(line: Line) -> tuple[float, float, Span]:
    """Return direction in [0, pi), distance from the origin, and the span of a line."""
    x0, y0, x1, y1 = line
    angle = math.atan2(y1 - y0, x1 - x0) % math.pi
    angle = 0.0 if angle > math.pi - _SAME_ANGLE / 2 else angle
    ux, uy = math.cos(angle), math.sin(angle)
    ends = (x0 * ux + y0 * uy, x1 * ux + y1 * uy)
    return angle, (y0 + y1) / 2 * ux - (x0 + x1) / 2 * uy, (min(ends), max(ends))


def _arcs(arcs: Iterable[Arc], same: float) -> Carriers:
    """Return the circles of the plane that carry these."""
    found: Carriers = {}
    for x, y, radius, start, sweep in arcs:
        key = (_cell(x, same), _cell(y, same), _cell(radius, same))
        spans = found.setdefault(key, _Carrier((x, y, radius))).spans
        low = min(start, start + sweep) % FULL_TURN
        high = low + min(abs(sweep), FULL_TURN)
        spans.append((low, min(high, FULL_TURN)))
        if high > FULL_TURN:
            spans.append((0.0, high - FULL_TURN))
    return _joined(found, _SAME_ANGLE)


def _joined(found: Carriers, gap: float) -> Carriers:
    return {key: _Carrier(c.shape, union(c.spans, gap)) for key, c in sorted(found.items())}


def _uncovered(hidden: Carriers, visible: Carriers, least: float) -> Carriers:
    """Return what visible spans on the same carriers leave of hidden ones."""
    return {
        key: _Carrier(c.shape, without(c.spans, visible[key].spans, least)) if key in visible else c
        for key, c in hidden.items()
    }


def _from_lines(found: Carriers) -> tuple[Line, ...]:
    return tuple(_line(c.shape, span) for c in found.values() for span in c.spans)


def _line(shape: tuple[float, ...], span: Span) -> Line:
    angle, offset = shape
    ux, uy = math.cos(angle), math.sin(angle)
    ends = [(t * ux - offset * uy, t * uy + offset * ux) for t in span]
    return (*ends[0], *ends[1])


def _from_arcs(found: Carriers) -> tuple[Arc, ...]:
    return tuple(
        (c.shape[0], c.shape[1], c.shape[2], low, high - low)
        for c in found.values()
        for low, high in _round_the_corner(c.spans)
    )


def _round_the_corner(spans: list[Span]) -> list[Span]:
    """Join the last span with the first where they meet at angle 0."""
    if len(spans) < 2 or spans[0][0] > _SAME_ANGLE or spans[-1][1] < FULL_TURN - _SAME_ANGLE:
        return spans
    return [*spans[1:-1], (spans[-1][0], FULL_TURN + spans[0][1])]


def _curves(curves: Iterable[Curve], same: float) -> dict[Key, Curve]:
    """Return the distinct curves by their ends, middle and length."""
    found: dict[Key, Curve] = {}
    for curve in curves:
        ends = sorted((curve[0], curve[-1]))
        length = sum(math.dist(a, b) for a, b in pairwise(curve))
        marks: list[Flat] = [*ends, _middle(curve, length), (length, 0.0)]
        key = tuple(_cell(v, 100.0 * same) for mark in marks for v in mark)
        found.setdefault(key, curve)
    return dict(sorted(found.items()))


def _middle(curve: Curve, length: float) -> Flat:
    """Return the point half way along a curve."""
    left = length / 2
    for a, b in pairwise(curve):
        step = math.dist(a, b)
        if left <= step and step > 0.0:
            share = left / step
            return (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
        left -= step
    return curve[-1]
