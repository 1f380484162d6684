"""What is drawn over a rendered view: labels, axis triad, scale bar, arrows.

Text uses the font inside Pillow, so no picture depends on the fonts of a machine. Sizes follow
the picture; what would not fit legibly is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from cadwright.tools.rendering.camera import Camera
from cadwright.tools.rendering.frame import Pixels, Size
from cadwright.tools.rendering.topology import Floats

Rgb = tuple[int, int, int]
Axes = tuple[tuple[float, float, float], ...]

WHITE: Rgb = (255, 255, 255)
TEXT: Rgb = (58, 66, 78)
FAINT: Rgb = (214, 219, 226)
WARNING: Rgb = (196, 32, 96)
AXIS_COLOURS: tuple[Rgb, Rgb, Rgb] = ((205, 48, 48), (30, 138, 62), (42, 88, 204))

MIN_TEXT_PX, MAX_TEXT_PX = 8, 40
CELL_PER_TEXT = 19  # a view this many times the text height wide looks balanced
MIN_LABEL_CELL_PX = 80  # below this a label hides the part
MIN_TRIAD_CELL_PX = 90
MIN_BAR_CELL_PX = 90
SMOOTHING = 4  # supersampling of slanted strokes; Pillow draws them with steps


@dataclass(frozen=True, slots=True)
class Cell:
    """Where one view lies on the picture, in pixels."""

    left: int
    top: int
    width: int
    height: int

    @property
    def shorter(self) -> int:
        """The shorter side."""
        return min(self.width, self.height)

    @property
    def text_px(self) -> int:
        """Height of ordinary text in this cell."""
        return text_px(self.shorter)

    @property
    def margin(self) -> int:
        """Free pixels along the border."""
        return max(2, self.text_px // 2)


def text_px(side_px: int) -> int:
    """Return the text height for a picture or cell of this size."""
    return int(min(max(side_px // CELL_PER_TEXT, MIN_TEXT_PX), MAX_TEXT_PX))


class Ink:
    """Draws on one picture.

    Args:
        size: (width, height) in pixels; the picture begins white.
    """

    def __init__(self, size: Size) -> None:
        self._image = Image.new("RGB", size, WHITE)
        self._draw = ImageDraw.Draw(self._image)

    def pixels(self) -> Pixels:
        """Return the picture, (H, W, 3) uint8."""
        return np.array(self._image)

    def picture(self, cell: Cell, colour: Pixels) -> None:
        """Put a rendered (H, W, 3) view into its cell."""
        self._image.paste(Image.fromarray(np.ascontiguousarray(colour)), (cell.left, cell.top))

    def text(
        self, at: tuple[float, float], words: str, *, px: int, anchor: str = "la", ink: Rgb = TEXT
    ) -> None:
        """Write ``words`` with a white halo; ``anchor`` as in Pillow."""
        if words:
            patch, (left, top) = _written(words, px, anchor, ink)
            self._image.paste(patch, (round(at[0]) + left, round(at[1]) + top), patch)

    def rule(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Draw a faint straight line between cells."""
        self._draw.line((*start, *end), FAINT, 1)

    def label(self, cell: Cell, words: str) -> None:
        """Name a view in the upper left corner of its cell."""
        if (
            cell.shorter >= MIN_LABEL_CELL_PX
            and text_width(words, cell.text_px) + 2 * cell.margin <= cell.width
        ):
            at = (cell.left + cell.margin, cell.top + cell.margin)
            self.text(at, words, px=cell.text_px)

    def triad(self, cell: Cell, camera: Camera) -> None:
        """Draw the X, Y and Z axes in the lower left corner of a cell."""
        if cell.shorter < MIN_TRIAD_CELL_PX:
            return
        axes = tuple(tuple(float(v) for v in row) for row in camera.axes)
        patch = _triad(axes, cell.text_px)
        at = (cell.left + cell.margin // 2, cell.top + cell.height - patch.height)
        self._image.paste(patch, at, patch)

    def scale_bar(self, cell: Cell, camera: Camera) -> None:
        """Draw a bar of a round length in the lower right corner of a cell."""
        if cell.shorter < MIN_BAR_CELL_PX:
            return
        mm_per_px = camera.mm_per_px((cell.width, cell.height))
        length_mm = round_length(mm_per_px * cell.width * 0.3)
        px = round(length_mm / mm_per_px)
        right, low = cell.left + cell.width - cell.margin, cell.top + cell.height - cell.margin
        tick = max(2, cell.text_px // 4)
        weight = max(1, cell.text_px // 8)
        for box in (
            (right - px, low - weight, right, low),
            (right - px, low - tick, right - px + weight, low),
            (right - weight, low - tick, right, low),
        ):
            self._draw.rectangle(box, TEXT)
        middle = (right - px / 2.0, low - tick - 1)
        self.text(middle, length_text(length_mm), px=cell.text_px, anchor="md")

    def outside_arrow(self, cell: Cell, camera: Camera, outside: Floats) -> None:
        """Point from the border of a cell at ``outside`` (k, 3) mm, what is not framed."""
        middle = np.array([cell.width, cell.height]) / 2.0
        shifts = camera.project(outside, (cell.width, cell.height))[:, :2] - middle
        is_aside = (np.abs(shifts) > middle).any(axis=1)
        if not is_aside.any():
            return
        shift = shifts[is_aside][np.argmin(np.linalg.norm(shifts[is_aside], axis=1))]
        direction = shift / np.linalg.norm(shift)
        reach = (middle - cell.margin) / np.maximum(np.abs(direction), 1e-9)
        tip = middle + direction * float(reach.min())
        head = max(5.0, cell.text_px * 0.7)
        self._arrow(np.array([cell.left, cell.top]) + tip, direction, head)

    def _arrow(self, tip: Floats, direction: Floats, head: float) -> None:
        across = np.array([-direction[1], direction[0]])
        base = tip - direction * head
        corners = [tip, base + across * head * 0.5, base - across * head * 0.5]
        tail = base - direction * head
        weight = max(2, round(head / 5.0))
        self._draw.line([*map(float, tail), *map(float, base)], WARNING, weight)
        self._draw.polygon([(float(x), float(y)) for x, y in corners], WARNING)


def text_width(words: str, px: int) -> int:
    """Return the width of ``words`` in pixels."""
    return math.ceil(_font(px).getlength(words))


def fitting(lines: tuple[str, ...], px: int, width: int) -> str:
    """Return the first of ``lines`` (long to short) that fits into ``width`` pixels, or nothing."""
    return next((line for line in lines if text_width(line, px) <= width), "")


def round_length(most: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that is not above ``most``."""
    power = 10.0 ** math.floor(math.log10(most))
    return float(next(m for m in (5.0, 2.0, 1.0) if m * power <= most * (1.0 + 1e-9)) * power)


def length_text(mm: float, *, metres_from_mm: float = 1000.0) -> str:
    """Return a length with the unit that reads best: um (the font has no µ), mm or m."""
    if mm < 0.1:
        return f"{mm * 1e3:.4g} um"
    return f"{mm:.4g} mm" if mm < metres_from_mm else f"{mm / 1e3:.4g} m"


@lru_cache(maxsize=64)
def _font(px: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(px)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("this Pillow was built without FreeType: install its wheel")
    return font


@lru_cache(maxsize=512)
def _written(words: str, px: int, anchor: str, ink: Rgb) -> tuple[Image.Image, tuple[int, int]]:
    """Return a line of text with its halo as RGBA, and where it lies from its anchor."""
    font, halo = _font(px), max(1, px // 8)
    ruler = ImageDraw.Draw(Image.new("L", (1, 1)))
    left, top, right, low = ruler.textbbox((0, 0), words, font, anchor=anchor, stroke_width=halo)
    left, top = math.floor(left), math.floor(top)
    patch = Image.new("RGBA", (math.ceil(right) - left, math.ceil(low) - top), (*WHITE, 0))
    ImageDraw.Draw(patch).text(
        (-left, -top), words, ink, font, anchor=anchor, stroke_width=halo, stroke_fill=WHITE
    )
    return patch, (left, top)


@lru_cache(maxsize=128)
def _triad(axes: Axes, px: int) -> Image.Image:
    """Return the triad as RGBA, for the camera's (3, 3) ``axes`` and a text height."""
    length, pad = 2.2 * px, 1.1 * px
    side = math.ceil(2.0 * (length + pad))
    big = Image.new("RGBA", (side * SMOOTHING, side * SMOOTHING), (*WHITE, 0))
    draw = ImageDraw.Draw(big)
    right, up, toward = (np.array(row) for row in axes)
    centre = np.array([side / 2.0, side / 2.0])
    ends = [centre + length * np.array([right[k], -up[k]]) for k in range(3)]
    order = sorted(range(3), key=lambda k: float(toward[k]))  # what points away lies below
    for k in order:
        stroke = [tuple(map(float, p * SMOOTHING)) for p in (centre, ends[k])]
        draw.line(stroke, (*AXIS_COLOURS[k], 255), max(1, round(px * SMOOTHING / 6)))
        dot = px * SMOOTHING / 6.0
        x, y = stroke[1]
        draw.ellipse((x - dot, y - dot, x + dot, y + dot), (*AXIS_COLOURS[k], 255))
    patch = big.resize((side, side), Image.Resampling.BOX)
    _letter_axes(patch, centre, ends, order, px)
    left, top, low_x, low_y = patch.getbbox() or (0, 0, side, side)
    return patch.crop((left - 2, top - 2, low_x + 2, low_y + 2))


def _letter_axes(
    patch: Image.Image, centre: Floats, ends: list[Floats], order: list[int], px: int
) -> None:
    draw = ImageDraw.Draw(patch)
    for k in order:
        along = ends[k] - centre
        length = float(np.linalg.norm(along))
        if length < px * 0.5:  # seen from its end: the other two tell which way it goes
            continue
        at = centre + along * (1.0 + 0.62 * px / length)
        draw.text((float(at[0]), float(at[1])), "XYZ"[k], AXIS_COLOURS[k], _font(px), anchor="mm")
