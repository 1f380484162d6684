"""What is taken on the paper of one view, and what a new callout would run into.

Text may touch nothing. Lines may cross lines, at a price; they never cross text. A leader ends on
no line of another callout, and none of those ends on it: nobody could say which one is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.paper import Box, Fill, Label, Path, padded
from cadwright.tools.geometry.outlines import Curve, Flat

Floats = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]

CLEAR_MM = 1.1  # free paper around text
APART_MM = 1.0  # between the ends and corners of a leader and lines of other callouts
LANE_MM = 5.0  # between dimension lines side by side
CROSSING = 2.5  # price of crossing a line of the part, in mm of a longer way
MESS = 30.0  # price of crossing a line of another callout

_NO_LINES: Floats = np.zeros((0, 4))


@dataclass(frozen=True, slots=True)
class Placed:
    """A callout in one of the places where it could stand.

    Attributes:
        callout: What is said.
        label: Its words.
        paths: Its lines.
        fills: Its arrow heads.
        ends: The two points whose distance is the number: ends of the dimension line, or the
            centre and the arrow tip. Of a note: the tip twice.
        lane: The dimension line, which keeps its distance from others; empty for leaders.
    """

    callout: Callout
    label: Label
    paths: tuple[Path, ...]
    fills: tuple[Fill, ...]
    ends: tuple[Flat, ...]
    lane: Curve

    @property
    def is_leader(self) -> bool:
        """Whether an arrow at the part carries its words: a diameter, a radius, a note."""
        return not self.lane and self.callout.kind != "angle"

    def segments(self) -> Floats:
        """Return its lines as (n, 4) segments."""
        return segments_of(path.points for path in self.paths)


@dataclass(frozen=True, slots=True)
class Offer:
    """A place that is made when its turn comes; most are never looked at.

    Attributes:
        price: How far from ideal the place is, in mm.
        make: Makes it.
    """

    price: float
    make: Callable[[], Placed]


class Crowd:
    """The lines and texts of one view so far.

    Args:
        part: (n, 4) segments of the view itself.
    """

    def __init__(self, part: Floats) -> None:
        self._part = part
        self._lines = _NO_LINES
        self._leaders = _NO_LINES
        self._lanes: list[Curve] = []
        self._texts: list[Box] = []

    def add(self, placed: Placed) -> None:
        """Let a callout stand where it is."""
        self._lines = np.concatenate([self._lines, placed.segments()])
        if placed.is_leader:
            self._leaders = np.concatenate([self._leaders, placed.segments()])
        self._texts.append(padded(placed.label.box, CLEAR_MM))
        if placed.lane:
            self._lanes.append(placed.lane)

    def cheapest(self, offers: Iterable[Offer]) -> Placed | None:
        """Return the best place that touches no text and whose text touches nothing, or None."""
        best, least = None, float("inf")
        for offer in sorted(offers, key=lambda one: one.price):
            if offer.price >= least:
                break
            place = offer.make()
            if self._is_free(place):
                price = offer.price + self._crossings(place)
                if price < least:
                    best, least = place, price
        return best

    def _is_free(self, place: Placed) -> bool:
        box = padded(place.label.box, CLEAR_MM)
        if any(boxes_meet(box, other) for other in self._texts):
            return False
        if meets_box(self._part, box).any() or meets_box(self._lines, box).any():
            return False
        own = place.segments()
        if any(meets_box(own, other).any() for other in self._texts):
            return False
        others = self._lines if place.is_leader else self._leaders
        if are_ends_on(own, others, APART_MM) or are_ends_on(others, own, APART_MM):
            return False
        return not any(_is_too_near(place.lane, lane) for lane in self._lanes)

    def _crossings(self, place: Placed) -> float:
        own = place.segments()
        messes = sum(int(crosses(self._lines, segment).sum()) for segment in own)
        return MESS * messes + CROSSING * sum(int(crosses(self._part, s).sum()) for s in own)


def segments_of(curves: Iterable[Curve]) -> Floats:
    """Return polylines as (n, 4) segments."""
    rows = [(*a, *b) for curve in curves for a, b in pairwise(curve)]
    return np.array(rows, np.float64).reshape(-1, 4)


def boxes_meet(a: Box, b: Box) -> bool:
    """Return whether two boxes share more than an edge."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def meets_box(segments: Floats, box: Box) -> Truths:
    """Return (n,) whether each segment runs through a box, by cutting it to the four sides."""
    start, along = segments[:, :2], segments[:, 2:] - segments[:, :2]
    low, high = np.array(box[:2]), np.array(box[2:])
    still = np.abs(along) < 1e-12
    safe = np.where(still, 1.0, along)
    first, second = (low - start) / safe, (high - start) / safe
    is_between = (start > low) & (start < high)
    enter = np.where(still, np.where(is_between, -np.inf, np.inf), np.minimum(first, second))
    leave = np.where(still, np.where(is_between, np.inf, -np.inf), np.maximum(first, second))
    found: Truths = np.maximum(enter.max(axis=1), 0.0) < np.minimum(leave.min(axis=1), 1.0)
    return found


def crosses(segments: Floats, one: Floats) -> Truths:
    """Return (n,) whether each segment crosses ``one`` (4,) in the inside of both."""
    a, b = segments[:, :2], segments[:, 2:]
    c, d = one[:2], one[2:]
    side_c, side_d = _side(a, b, c), _side(a, b, d)
    side_a, side_b = _side(c, d, a), _side(c, d, b)
    found: Truths = (side_c * side_d < -1e-9) & (side_a * side_b < -1e-9)
    return found


def are_ends_on(segments: Floats, others: Floats, reach: float) -> bool:
    """Return whether an end of a segment lies nearer than ``reach`` to one of the others."""
    ends = segments.reshape(-1, 1, 2)
    start, along = others[:, :2], others[:, 2:] - others[:, :2]
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((ends - start) * along).sum(axis=2) / length, 0.0, 1.0)
    off = np.linalg.norm(ends - start - share[..., None] * along, axis=2)
    return bool((off < reach).any())


def _side(a: Floats, b: Floats, p: Floats) -> Floats:
    """Return the turn from a to b to p: positive on one side of the line, negative on the other."""
    found: Floats = (b[..., 0] - a[..., 0]) * (p[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (
        p[..., 0] - a[..., 0]
    )
    return found


def _is_too_near(a: Curve, b: Curve) -> bool:
    """Return whether two dimension lines run side by side too closely."""
    if not a or not b:
        return False
    along = np.subtract(a[1], a[0])
    length = float(np.hypot(*along))
    way = along / max(length, 1e-9)
    other = np.subtract(b[1], b[0])
    if abs(float(way[0] * other[1] - way[1] * other[0])) > 0.1 * float(np.hypot(*other)):
        return False  # not parallel
    spots = [np.subtract(point, a[0]) for point in b]
    reach = sorted(float(spot @ way) for spot in spots)
    off = abs(float(way[0] * spots[0][1] - way[1] * spots[0][0]))
    return off < LANE_MM and reach[0] < length - 0.1 and reach[1] > 0.1
