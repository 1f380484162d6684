"""What a drawing is made of: paths, filled shapes and labels on paper.

mm of an A4 sheet, x right, y down. ``draw`` makes these once; ``raster`` and ``svg`` ink them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from cadwright.tools.drawing.lettering import CAP, LINE, width
from cadwright.tools.geometry.outlines import Curve, Flat

Pen = Literal["visible", "hidden", "centre", "thin", "frame", "x", "y", "z", "paper"]
Rgb = tuple[int, int, int]
Box = tuple[float, float, float, float]  # left, top, right, bottom

TEXT_MM = 5.4  # em: 14 px on a sheet 768 px wide
ARROW_MM = 3.0
_ARROW_SLIM = 0.17  # half width of an arrow head, of its length

WEIGHTS_MM: dict[Pen, float] = {
    "visible": 0.75,
    "hidden": 0.42,
    "centre": 0.32,
    "thin": 0.36,
    "frame": 0.6,
    "x": 0.5,
    "y": 0.5,
    "z": 0.5,
    "paper": 0.5,
}
BLACK: Rgb = (0, 0, 0)
# of the axes at the origin as in rendered views, and of what is left blank
COLOURS: dict[Pen, Rgb] = {
    "x": (205, 48, 48),
    "y": (30, 138, 62),
    "z": (42, 88, 204),
    "paper": (255, 255, 255),
}
# strokes and gaps in turn
DASHES_MM: dict[Pen, tuple[float, ...]] = {
    "hidden": (2.6, 1.3),
    "centre": (5.5, 1.2, 1.0, 1.2),
}


@dataclass(frozen=True, slots=True)
class Path:
    """A polyline."""

    points: Curve
    pen: Pen = "thin"

    def moved(self, x: float, y: float) -> Path:
        """Return a copy elsewhere."""
        return replace(self, points=shifted(self.points, x, y))


@dataclass(frozen=True, slots=True)
class Fill:
    """A filled polygon."""

    points: Curve
    pen: Pen = "thin"

    def moved(self, x: float, y: float) -> Fill:
        """Return a copy elsewhere."""
        return replace(self, points=shifted(self.points, x, y))


@dataclass(frozen=True, slots=True)
class Label:
    """Upright text around a point.

    Attributes:
        lines: From top to bottom, each written from the same left edge.
        centre: The middle of the text.
        em_mm: Size of the letters.
        pen: Whose colour they have.
    """

    lines: tuple[str, ...]
    centre: Flat
    em_mm: float = TEXT_MM
    pen: Pen = "thin"

    @property
    def width_mm(self) -> float:
        """Width of the longest line."""
        return self.em_mm * max(width(line) for line in self.lines)

    @property
    def height_mm(self) -> float:
        """From the top of the capitals of the first line to the foot of the last."""
        return self.em_mm * (CAP + LINE * (len(self.lines) - 1))

    @property
    def box(self) -> Box:
        """The rectangle that it takes."""
        return self.around(self.centre)

    def around(self, centre: Flat) -> Box:
        """Return the rectangle that it would take around another point."""
        x, y, half_x, half_y = *centre, self.width_mm / 2, self.height_mm / 2
        return (x - half_x, y - half_y, x + half_x, y + half_y)

    def middles(self) -> tuple[tuple[str, Flat], ...]:
        """Return each line with the left end of its middle."""
        left, top, _, _ = self.box
        first = top + self.em_mm * CAP / 2
        return tuple(
            (line, (left, first + self.em_mm * LINE * k)) for k, line in enumerate(self.lines)
        )

    def moved(self, x: float, y: float) -> Label:
        """Return a copy elsewhere."""
        return replace(self, centre=(self.centre[0] + x, self.centre[1] + y))


Item = Path | Fill | Label


def arrow(tip: Flat, tail: Flat, pen: Pen = "thin") -> Fill:
    """Return an arrow head with its tip at a point, coming from ``tail``."""
    along = (tip[0] - tail[0], tip[1] - tail[1])
    length = math.hypot(*along) or 1.0
    x, y = along[0] / length * ARROW_MM, along[1] / length * ARROW_MM
    base = (tip[0] - x, tip[1] - y)
    side = (-y * _ARROW_SLIM, x * _ARROW_SLIM)
    corners = (
        tip,
        (base[0] + side[0], base[1] + side[1]),
        (base[0] - side[0], base[1] - side[1]),
    )
    return Fill(corners, pen)


def colour(item: Item) -> Rgb:
    """Return the colour of an item."""
    return COLOURS.get(item.pen, BLACK)


def shifted(points: Curve, x: float, y: float) -> Curve:
    """Return points elsewhere."""
    return tuple((px + x, py + y) for px, py in points)


def padded(box: Box, by: float) -> Box:
    """Return a box with a margin around it."""
    return (box[0] - by, box[1] - by, box[2] + by, box[3] + by)


def around(boxes: Iterable[Box]) -> Box:
    """Return the box around boxes; there must be one at least."""
    lefts, tops, rights, lows = zip(*boxes, strict=True)
    return (min(lefts), min(tops), max(rights), max(lows))


def box_of(item: Item) -> Box:
    """Return the box around an item."""
    if isinstance(item, Label):
        return item.box
    xs, ys = zip(*item.points, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


def dashed(points: Curve, pen: Pen) -> list[Curve]:
    """Return the strokes of a path: itself, or its dashes, the first and last of half length."""
    pattern = DASHES_MM.get(pen)
    if pattern is None:
        return [points]
    total = sum(math.dist(a, b) for a, b in pairwise(points))
    repeats = max(1, round(total / sum(pattern)))
    stretch = total / (repeats * sum(pattern))  # ends with a stroke, however long it is
    marks, at = [(0.0, pattern[0] / 2 * stretch)], pattern[0] / 2 * stretch
    for index in range(1, repeats * len(pattern)):
        length = pattern[index % len(pattern)] * stretch
        if index % 2 == 0:
            marks.append((at, at + length))
        at += length
    marks.append((at, total))
    return [piece for low, high in marks if (piece := _between(points, low, high))]


def _between(points: Curve, low: float, high: float) -> Curve:
    """Return the part of a polyline between two lengths along it."""
    out: list[Flat] = []
    at = 0.0
    for a, b in pairwise(points):
        step = math.dist(a, b)
        if step > 0.0 and at + step >= low and at <= high:
            for mark in (max(low, at), min(high, at + step)):
                share = (mark - at) / step
                out.append((a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))
        at += step
    return tuple(out)
