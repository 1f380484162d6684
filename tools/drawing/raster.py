"""Ink a drawing as pixels: strokes smoothed by supersampling, letters by the font's own hinting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from PIL import Image, ImageDraw

from cadwright.tools.drawing.lettering import font, runs, signs
from cadwright.tools.drawing.paper import WEIGHTS_MM, Fill, Item, Label, Path, Rgb, colour, dashed
from cadwright.tools.drawing.record import Pixels
from cadwright.tools.drawing.sheet import HEIGHT_MM, WIDTH_MM
from cadwright.tools.geometry.outlines import Curve, Flat

SMOOTHING = 4
PAPER: Rgb = (255, 255, 255)
SIGN_WEIGHT = 0.085  # of the diameter sign's strokes, of the em: that of the font
_CURVED = 3  # points from which a polyline needs round joints


def ink(items: Sequence[Item], width_px: int) -> Pixels:
    """Return (H, W, 3) uint8 pixels.

    Args:
        items: What is drawn, mm of an A4 sheet.
        width_px: Width of the picture.
    """
    size = (width_px, height_px(width_px))
    big = Image.new("RGB", (size[0] * SMOOTHING, size[1] * SMOOTHING), PAPER)
    draw = ImageDraw.Draw(big)
    scale = width_px * SMOOTHING / WIDTH_MM
    for item in items:
        if isinstance(item, Path):
            pieces = [_scaled(piece, scale) for piece in dashed(item.points, item.pen)]
            _stroke(draw, pieces, WEIGHTS_MM[item.pen] * scale, colour(item))
        elif isinstance(item, Fill):
            draw.polygon(_scaled(item.points, scale), colour(item))
        else:
            _sign(draw, item, scale)
    picture = big.reduce(SMOOTHING)  # four times as fast as a box filter of any size
    _letter(ImageDraw.Draw(picture), items, width_px / WIDTH_MM)
    return np.array(picture)


def height_px(width_px: int) -> int:
    """Return the height of a picture of this width."""
    return round(width_px * HEIGHT_MM / WIDTH_MM)


def _stroke(draw: ImageDraw.ImageDraw, pieces: Iterable[Curve], weight: float, ink: Rgb) -> None:
    wide = max(SMOOTHING, round(weight))  # never below one pixel of the picture
    for piece in pieces:
        points = list(piece)
        draw.line(points, ink, wide, joint="curve" if len(points) >= _CURVED else None)
        if wide > 1.5 * SMOOTHING:
            _cap(draw, points, wide / 2 - 0.5, ink)


def _cap(draw: ImageDraw.ImageDraw, points: Sequence[Flat], half: float, ink: Rgb) -> None:
    """Round the ends off, so that corners of two lines close."""
    for x, y in (points[0], points[-1]):
        draw.ellipse((x - half, y - half, x + half, y + half), ink)


def _sign(draw: ImageDraw.ImageDraw, label: Label, scale: float) -> None:
    """Draw the diameter signs of a label."""
    em = label.em_mm
    for line, (left, middle) in label.middles():
        pieces = [
            tuple(((left + x * em) * scale, (middle + y * em) * scale) for x, y in sign)
            for sign in signs(line)
        ]
        _stroke(draw, pieces, SIGN_WEIGHT * em * scale, colour(label))


def _letter(draw: ImageDraw.ImageDraw, items: Sequence[Item], scale: float) -> None:
    for label in items:
        if isinstance(label, Label):
            face = font(label.em_mm * scale)
            for line, (left, middle) in label.middles():
                for run in runs(line):
                    at = ((left + run.left * label.em_mm) * scale, middle * scale)
                    draw.text(at, run.words, colour(label), face, anchor="lm")


def _scaled(points: Curve, scale: float) -> Curve:
    return tuple((x * scale, y * scale) for x, y in points)
