"""Places for a dimension line: beside the view, between two extension lines.

Lanes run along the sides of the view, the shortest dimensions nearest to it. Text stands in a gap
of its line, upright whatever the line's direction; where the gap is too small it stands beyond an
end, and the arrows point inwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.crowd import Offer, Placed
from cadwright.tools.drawing.paper import ARROW_MM, Box, Fill, Label, Path, arrow
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.outlines import Flat

FIRST_LANE_MM = 7.0
LANE_STEP_MM = 2.5
NUM_LANES = 22
GAP_MM = 1.0  # between the part and an extension line, and between a line and its text
BEYOND_MM = 1.4  # of an extension line past the dimension line
TAIL_MM = 5.0  # of an arrow that points inwards
OUTSIDE_PRICE = 3.0
EXTENSION_PRICE = 0.35  # of each mm of extension line
_SHARES = (0.5, 0.36, 0.64)  # where along its line a text may stand


@dataclass(frozen=True, slots=True)
class _Lane:
    """A dimension line before it has text.

    Attributes:
        a: One end.
        b: The other one.
        along: Unit vector from ``a`` to ``b``.
        out: Unit vector away from the part.
        extensions: Lines from the part to both ends.
        price: Of its place.
    """

    a: Flat
    b: Flat
    along: Flat
    out: Flat
    extensions: tuple[Path, ...]
    price: float

    @property
    def length(self) -> float:
        return math.dist(self.a, self.b)

    def at(self, mm: float) -> Flat:
        """Return the point at a length from ``a``."""
        return (self.a[0] + mm * self.along[0], self.a[1] + mm * self.along[1])


def linear_places(callout: Callout, spots: tuple[Flat, Flat], box: Box, k: float) -> list[Offer]:
    """Return every place for a dimension line.

    Args:
        callout: What is said.
        spots: The two points that it spans, on paper.
        box: The view on paper.
        k: mm on paper for each mm of the part.

    Raises:
        UsageError: The points are not as far apart as the number says, in any direction.
    """
    text, _ = callout.written()
    label = Label(tuple(text.split("\n")), (0.0, 0.0))
    lanes = _lanes(spots, _direction(callout, spots, k), box)
    return [place for lane in lanes for place in _texts(callout, lane, label)]


def _direction(callout: Callout, spots: tuple[Flat, Flat], k: float) -> Flat:
    """Return along what a dimension is measured: across, up, or from point to point."""
    x, y = (spots[1][0] - spots[0][0], spots[1][1] - spots[0][1])
    length = math.hypot(x, y)
    for span, way in ((abs(x), (1.0, 0.0)), (abs(y), (0.0, 1.0))):
        if callout.agrees(span / k):
            return way
    if length > 0.0 and callout.agrees(length / k):
        return (x / length, y / length)
    raise UsageError(
        f"{callout}: its points are {abs(x) / k:.4g} x {abs(y) / k:.4g} mm apart in the "
        f"{callout.view} view, which is not {callout.value:g}"
    )


def _lanes(spots: tuple[Flat, Flat], along: Flat, box: Box) -> Iterator[_Lane]:
    for out in ((along[1], -along[0]), (-along[1], along[0])):
        edge = _edge(spots, out, box)
        for number in range(NUM_LANES):
            distance = FIRST_LANE_MM + number * LANE_STEP_MM
            yield _lane(spots, along, out, edge + distance, distance)


def _edge(spots: tuple[Flat, Flat], out: Flat, box: Box) -> float:
    """Return how far out the view reaches; an oblique lane may lie over empty corners of it."""
    if 0.0 in out:
        corners = [(x, y) for x in (box[0], box[2]) for y in (box[1], box[3])]
        return max(_dot(corner, out) for corner in corners)
    return max(_dot(spot, out) for spot in spots)


def _lane(spots: tuple[Flat, Flat], along: Flat, out: Flat, level: float, distance: float) -> _Lane:
    first, second = sorted(spots, key=lambda spot: _dot(spot, along))
    ends, extensions, total = [], [], 0.0
    for spot in (first, second):
        way = level - _dot(spot, out)
        total += abs(way)
        ends.append((spot[0] + way * out[0], spot[1] + way * out[1]))
        if way > GAP_MM:
            extensions.append(_extension(spot, out, way))
    price = distance + EXTENSION_PRICE * total
    return _Lane(ends[0], ends[1], along, out, tuple(extensions), price)


def _extension(spot: Flat, out: Flat, way: float) -> Path:
    near, far = GAP_MM, way + BEYOND_MM
    return Path(
        (
            (spot[0] + near * out[0], spot[1] + near * out[1]),
            (spot[0] + far * out[0], spot[1] + far * out[1]),
        )
    )


def _texts(callout: Callout, lane: _Lane, label: Label) -> Iterator[Offer]:
    """Yield the ways to put text on a lane."""
    taken = label.width_mm * abs(lane.along[0]) + label.height_mm * abs(lane.along[1])
    free = taken / 2 + GAP_MM
    if lane.length >= 2.0 * (free + ARROW_MM + 0.5):
        for share in _SHARES:
            middle = share * lane.length
            if free + ARROW_MM < middle < lane.length - free - ARROW_MM:
                make = partial(_inside, callout, lane, label, middle, free)
                yield Offer(lane.price + 0.1 * abs(middle - lane.length / 2), make)
        return
    if lane.length >= 2.0 * free:
        make = partial(_between_arrows, callout, lane, label, free)
        yield Offer(lane.price + OUTSIDE_PRICE / 2, make)
    for middle in (lane.length + TAIL_MM + free, -TAIL_MM - free):
        make = partial(_beyond, callout, lane, label, free, middle)
        yield Offer(lane.price + OUTSIDE_PRICE, make)


def _inside(callout: Callout, lane: _Lane, label: Label, middle: float, free: float) -> Placed:
    """Text in a gap of the line, arrows pointing outwards."""
    pieces = (
        Path((lane.a, lane.at(middle - free))),
        Path((lane.at(middle + free), lane.b)),
    )
    heads = (arrow(lane.a, lane.b), arrow(lane.b, lane.a))
    return _placed(callout, lane, label.moved(*lane.at(middle)), pieces, heads)


def _between_arrows(callout: Callout, lane: _Lane, label: Label, free: float) -> Placed:
    """Text between the extension lines, arrows outside."""
    heads = (arrow(lane.a, lane.at(-TAIL_MM)), arrow(lane.b, lane.at(lane.length + TAIL_MM)))
    pieces = [Path((lane.at(-TAIL_MM), lane.a)), Path((lane.b, lane.at(lane.length + TAIL_MM)))]
    if lane.length > 2.0 * free + 1.0:
        middle = lane.length / 2
        pieces += [Path((lane.a, lane.at(middle - free))), Path((lane.at(middle + free), lane.b))]
    label = label.moved(*lane.at(lane.length / 2))
    return _placed(callout, lane, label, tuple(pieces), heads)


def _beyond(callout: Callout, lane: _Lane, label: Label, free: float, middle: float) -> Placed:
    """Text past one end, on the line drawn out."""
    heads = (arrow(lane.a, lane.at(-TAIL_MM)), arrow(lane.b, lane.at(lane.length + TAIL_MM)))
    low, high = -TAIL_MM, lane.length + TAIL_MM
    low, high = (min(low, middle + free), high) if middle < 0 else (low, max(high, middle - free))
    path = Path((lane.at(low), lane.at(high)))
    return _placed(callout, lane, label.moved(*lane.at(middle)), (path,), heads)


def _placed(
    callout: Callout,
    lane: _Lane,
    label: Label,
    pieces: tuple[Path, ...],
    heads: tuple[Fill, ...],
) -> Placed:
    marks = [_dot(point, lane.along) for path in pieces for point in path.points]
    start = _dot(lane.a, lane.along)
    return Placed(
        callout=callout,
        label=label,
        paths=(*pieces, *lane.extensions),
        fills=heads,
        ends=(lane.a, lane.b),
        lane=(lane.at(min(marks) - start), lane.at(max(marks) - start)),
    )


def _dot(a: Flat, b: Flat) -> float:
    return a[0] * b[0] + a[1] * b[1]
