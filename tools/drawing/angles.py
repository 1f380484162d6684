"""Places for an angle: an arc between its legs, with the text in a gap of it or beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.crowd import Offer, Placed
from cadwright.tools.drawing.paper import ARROW_MM, Label, Path, arrow
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.outlines import Curve, Flat, arc_points

RADII_MM = (12.0, 15.0, 18.0, 22.0, 26.0, 31.0, 37.0, 44.0, 52.0)
GAP_MM = 1.0
BEYOND_MM = 1.4
TAIL_MM = 7.0  # of arc, outside of an angle too small for its text
PRICE = 0.6  # of each mm of radius
OUTSIDE_PRICE = 4.0


def angle_places(callout: Callout, apex: Flat, legs: tuple[Flat, Flat]) -> list[Offer]:
    """Return every place for an angle.

    Args:
        callout: What is said.
        apex: On paper.
        legs: A point on each leg.

    Raises:
        UsageError: The legs do not stand at the angle that the number says.
    """
    start, sweep = _opening(apex, legs)
    if not callout.agrees(math.degrees(sweep)):
        raise UsageError(
            f"{callout}: its legs stand at {math.degrees(sweep):.4g} degrees in the "
            f"{callout.view} view, which is not {callout.value:g}"
        )
    text, _ = callout.written()
    label = Label(tuple(text.split("\n")), (0.0, 0.0))
    return [
        place
        for radius in RADII_MM
        for place in _arcs(callout, apex, legs, label, (start, sweep, radius))
    ]


def _opening(apex: Flat, legs: tuple[Flat, Flat]) -> tuple[float, float]:
    """Return the angle of one leg and the turn, below half a one, to the other."""
    first, second = (math.atan2(leg[1] - apex[1], leg[0] - apex[0]) for leg in legs)
    turn = (second - first) % (2.0 * math.pi)
    return (first, turn) if turn <= math.pi else (second, 2.0 * math.pi - turn)


def _arcs(
    callout: Callout,
    apex: Flat,
    legs: tuple[Flat, Flat],
    label: Label,
    arc: tuple[float, float, float],
) -> Iterator[Offer]:
    start, sweep, radius = arc
    extensions = tuple(_extension(apex, leg, radius) for leg in legs)
    half = math.hypot(label.width_mm, label.height_mm) / 2 + GAP_MM
    gap = half / radius
    if sweep > 2.0 * (gap + ARROW_MM / radius):
        middle = start + sweep / 2
        paths = (
            _path(apex, radius, start, middle - gap),
            _path(apex, radius, middle + gap, start + sweep),
        )
        make = partial(_placed, callout, apex, arc, label, paths, extensions, middle)
        yield Offer(radius * PRICE, partial(make, is_inside=True))
        return
    tail = TAIL_MM / radius
    path = _path(apex, radius, start - tail, start + sweep + tail)
    for middle in (start + sweep + tail + gap, start - tail - gap):
        make = partial(_placed, callout, apex, arc, label, (path,), extensions, middle)
        yield Offer(radius * PRICE + OUTSIDE_PRICE, partial(make, is_inside=False))


def _placed(
    callout: Callout,
    apex: Flat,
    arc: tuple[float, float, float],
    label: Label,
    paths: tuple[Path, ...],
    extensions: tuple[Path, ...],
    middle: float,
    *,
    is_inside: bool,
) -> Placed:
    start, sweep, radius = arc
    turn = ARROW_MM / radius * (1.0 if is_inside else -1.0)
    heads = (
        arrow(_at(apex, radius, start), _at(apex, radius, start + turn)),
        arrow(_at(apex, radius, start + sweep), _at(apex, radius, start + sweep - turn)),
    )
    return Placed(
        callout=callout,
        label=label.moved(*_at(apex, radius, middle)),
        paths=(*paths, *(e for e in extensions if e.points)),
        fills=heads,
        ends=(apex, _at(apex, radius, start), _at(apex, radius, start + sweep)),
        lane=(),
    )


def _path(apex: Flat, radius: float, start: float, stop: float) -> Path:
    return Path(arc_points((*apex, radius, start, stop - start)))


def _extension(apex: Flat, leg: Flat, radius: float) -> Path:
    """Return the line that carries a leg on to the arc; it has no points where none is needed."""
    length = math.dist(apex, leg)
    if length >= radius:
        return Path(())
    angle = math.atan2(leg[1] - apex[1], leg[0] - apex[0])
    line: Curve = (_at(apex, length + GAP_MM, angle), _at(apex, radius + BEYOND_MM, angle))
    return Path(line)


def _at(apex: Flat, radius: float, angle: float) -> Flat:
    return (apex[0] + radius * math.cos(angle), apex[1] + radius * math.sin(angle))
