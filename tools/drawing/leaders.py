"""Places for what hangs on a leader: diameters, radii and notes.

A leader runs from an arrow at the part to a short shoulder, and the text stands beside that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import partial

from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.crowd import Offer, Placed
from cadwright.tools.drawing.paper import Box, Label, Path, arrow
from cadwright.tools.geometry.outlines import Flat

SHOULDER_MM = 3.0
GAP_MM = 1.2  # between shoulder and text
REACHES_MM = (5.0, 8.0, 11.0, 15.0, 20.0, 26.0, 33.0, 41.0, 50.0, 60.0, 72.0, 86.0, 102.0, 120.0)
REACH_PRICE = 0.5  # of each mm of leader
INSIDE_PRICE = 45.0  # of text on the part
GROWTH_PRICE = 0.5  # of each mm that the text lies outside the view
STEP_DEG = 15
OFF_DEG = 7.5  # leaders are oblique: a level one looks like an edge


def diameter_places(callout: Callout, centre: Flat, radius: float, box: Box) -> list[Offer]:
    """Return places for a diameter on a leader that points at the centre of a circle.

    Args:
        callout: What is said.
        centre: Of the circle, on paper.
        radius: On paper.
        box: The view on paper.
    """
    found: list[Offer] = []
    for way in _ways():
        tip = (centre[0] + radius * way[0], centre[1] + radius * way[1])
        found += _hung(callout, tip, (way,), (centre, tip), box)
    return found


def radius_places(callout: Callout, centre: Flat, tips: Iterable[Flat], box: Box) -> list[Offer]:
    """Return places for a radius, its leader on a line with the centre of the arc.

    Args:
        callout: What is said.
        centre: Of the arc, on paper.
        tips: Points of the arc.
        box: The view on paper.
    """
    found: list[Offer] = []
    for tip in tips:
        length = math.dist(centre, tip) or 1.0
        out = ((tip[0] - centre[0]) / length, (tip[1] - centre[1]) / length)
        found += _hung(callout, tip, (out, (-out[0], -out[1])), (centre, tip), box)
    return found


def note_places(callout: Callout, tip: Flat, box: Box) -> list[Offer]:
    """Return places for a note about a point."""
    return list(_hung(callout, tip, _ways(), (tip, tip), box))


def _ways() -> tuple[Flat, ...]:
    """Return unit vectors all round, steep ones first."""
    angles = [math.radians(OFF_DEG + STEP_DEG * k) for k in range(360 // STEP_DEG)]
    return tuple((math.cos(angle), math.sin(angle)) for angle in angles)


def _hung(
    callout: Callout, tip: Flat, ways: Iterable[Flat], ends: tuple[Flat, Flat], box: Box
) -> Iterator[Offer]:
    text, _ = callout.written()
    label = Label(tuple(text.split("\n")), (0.0, 0.0))
    for way in ways:
        for reach in REACHES_MM:
            elbow = (tip[0] + reach * way[0], tip[1] + reach * way[1])
            words = label.around(_beside(tip, elbow, label)[1])
            price = REACH_PRICE * math.dist(tip, elbow) + _price(words, box)
            yield Offer(price, partial(_leader, callout, tip, elbow, label, ends))


def _beside(tip: Flat, elbow: Flat, label: Label) -> tuple[Flat, Flat]:
    """Return the end of the shoulder and the middle of the text, away from the arrow."""
    side = 1.0 if elbow[0] >= tip[0] else -1.0
    shoulder = (elbow[0] + side * SHOULDER_MM, elbow[1])
    return shoulder, (shoulder[0] + side * (GAP_MM + label.width_mm / 2), elbow[1])


def _leader(
    callout: Callout, tip: Flat, elbow: Flat, label: Label, ends: tuple[Flat, Flat]
) -> Placed:
    shoulder, middle = _beside(tip, elbow, label)
    return Placed(
        callout=callout,
        label=label.moved(*middle),
        paths=(Path((tip, elbow, shoulder)),),
        fills=(arrow(tip, elbow),),
        ends=ends,
        lane=(),
    )


def _price(text: Box, view: Box) -> float:
    """Return the price of text on the part, or far outside of the view."""
    is_on_part = text[0] < view[2] and view[0] < text[2] and text[1] < view[3] and view[1] < text[3]
    growth = sum(
        max(0.0, beyond)
        for beyond in (view[0] - text[0], view[1] - text[1], text[2] - view[2], text[3] - view[3])
    )
    return INSIDE_PRICE * is_on_part + GROWTH_PRICE * growth
