"""Coordinates that models speak, and the one kind that cadwright keeps.

Canonical coordinates are fractions of the viewport: (0, 0) is its top left corner, (1, 1) its
bottom right one. Every model family speaks another dialect of them, and mixing two up is the most
common fault of agents that click: a scheme here knows one dialect and converts both ways.

What lies outside of the viewport is refused with the range that is allowed. It is never moved to
the nearest edge: a click that lands elsewhere than it was meant teaches a policy nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from cadwright.tools.errors import ToolError

_SLACK = 1e-9  # a fraction that was divided and multiplied again


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the viewport, as fractions of its width and height."""

    x: float
    y: float

    def __post_init__(self) -> None:
        """Refuse what lies outside.

        Raises:
            ToolError: A fraction is not a finite number from 0 to 1.
        """
        for name, value in (("x", self.x), ("y", self.y)):
            if not (math.isfinite(value) and -_SLACK <= value <= 1 + _SLACK):
                raise ToolError(f"{name} is {value:g}, allowed: 0 to 1 (fractions of the screen)")

    def css(self, width: int, height: int) -> tuple[float, float]:
        """Return the point in CSS pixels of a viewport; the far edges lie just inside of it."""
        return min(self.x * width, width - 0.5), min(self.y * height, height - 0.5)


class Scheme(Protocol):
    """A dialect of coordinates."""

    def to_spot(self, x: float, y: float) -> Spot:
        """Return the place that a model means by ``(x, y)``.

        Raises:
            ToolError: It lies outside of what the dialect allows.
        """

    def from_spot(self, spot: Spot) -> tuple[float, float]:
        """Return how a model of this dialect writes a place."""


@dataclass(frozen=True, slots=True)
class Fractions:
    """0 to 1: cadwright's own."""

    def to_spot(self, x: float, y: float) -> Spot:
        """Return the place itself."""
        return Spot(x, y)

    def from_spot(self, spot: Spot) -> tuple[float, float]:
        """Return the fractions."""
        return spot.x, spot.y


@dataclass(frozen=True, slots=True)
class PixelGrid:
    """Whole pixels of a picture: 0 to ``width - 1`` and 0 to ``height - 1``.

    A pixel means its own middle, so a picture scaled to another size keeps its places.

    Attributes:
        width: Of the picture as the model counts it, which need not be the viewport.
        height: The same.
    """

    width: int
    height: int

    def to_spot(self, x: float, y: float) -> Spot:
        """Return the middle of pixel ``(x, y)``."""
        _within("x", x, self.width - 1)
        _within("y", y, self.height - 1)
        return Spot((x + 0.5) / self.width, (y + 0.5) / self.height)

    def from_spot(self, spot: Spot) -> tuple[int, int]:
        """Return the pixel that holds the place."""
        return _pixel(spot.x, self.width), _pixel(spot.y, self.height)


@dataclass(frozen=True, slots=True)
class Steps:
    """Whole steps from 0 to ``last`` on both axes, whatever the shape of the picture.

    Attributes:
        last: 1000 for the 0-1000 grid of the Qwen-VL families, 999 for 0-999.
    """

    last: int = 1000

    def to_spot(self, x: float, y: float) -> Spot:
        """Return the place of step ``(x, y)``."""
        _within("x", x, self.last)
        _within("y", y, self.last)
        return Spot(x / self.last, y / self.last)

    def from_spot(self, spot: Spot) -> tuple[int, int]:
        """Return the nearest step."""
        return round(spot.x * self.last), round(spot.y * self.last)


def smart_resized(
    width: int,
    height: int,
    *,
    factor: int = 28,
    min_pixels: int = 56 * 56,
    max_pixels: int = 14 * 14 * 4 * 1280,
) -> PixelGrid:
    """Return the pixels that a model with Qwen's ``smart_resize`` counts in.

    The picture is scaled so that both sides are multiples of ``factor`` and its area stays between
    the two limits, with its shape as nearly kept as that allows. Source: the formula of
    ``smart_resize`` in Qwen2-VL's image processor; the limits are its defaults.

    Args:
        width: Of the picture that is sent, px.
        height: The same.
        factor: Patch size times merge size: 28 for Qwen2-VL and Qwen2.5-VL, 32 for Qwen3-VL.
        min_pixels: Smallest area, px².
        max_pixels: Largest area, px².
    """
    sides = [max(factor, round(side / factor) * factor) for side in (width, height)]
    area = sides[0] * sides[1]
    if area > max_pixels:
        shrink = math.sqrt(width * height / max_pixels)
        sides = [max(factor, math.floor(s / shrink / factor) * factor) for s in (width, height)]
    elif area < min_pixels:
        grow = math.sqrt(min_pixels / (width * height))
        sides = [math.ceil(s * grow / factor) * factor for s in (width, height)]
    return PixelGrid(*sides)


def declared_display(
    width: int, height: int, *, longest_px: int | None = None, area_px: int | None = None
) -> PixelGrid:
    """Return the pixels of the display size that is declared to a computer-use model.

    Some models scale large pictures down before they look, and answer in the pixels that they saw.
    The cure is to send the picture at a size that stays as it is and to declare that size.

    Args:
        width: Of the viewport, CSS px.
        height: The same.
        longest_px: Longest side that the model leaves alone.
        area_px: Largest area that it leaves alone, px².
    """
    scale = 1.0
    if longest_px is not None:
        scale = min(scale, longest_px / max(width, height))
    if area_px is not None:
        scale = min(scale, math.sqrt(area_px / (width * height)))
    return PixelGrid(max(1, math.floor(width * scale)), max(1, math.floor(height * scale)))


def _within(name: str, value: float, last: int) -> None:
    if not (math.isfinite(value) and 0 <= value <= last):
        raise ToolError(f"{name} is {value:g}, allowed: 0 to {last}")


def _pixel(fraction: float, count: int) -> int:
    return min(count - 1, max(0, math.floor(fraction * count)))
