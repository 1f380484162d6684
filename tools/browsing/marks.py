"""What is drawn onto a screenshot for a policy: numbers beside elements, and the mouse pointer.

A number stands outside of the box that it belongs to: drawn inside, it hides the first digit of
every field. Where there is no room left of a box, it goes above, then below.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from cadwright.tools.browsing.elements import Element
from cadwright.tools.tool import Pixels

INK = (200, 30, 30)
PAPER = (255, 255, 255)
LABEL_PX = 11
POINTER = ((0, 0), (0, 16), (4, 12), (7, 18), (9, 17), (6, 11), (11, 11))  # an arrow, tip first

Box = tuple[float, float, float, float]  # left, top, right, bottom


def with_marks(pixels: Pixels, elements: Iterable[Element], *, scale: float = 1.0) -> Pixels:
    """Return a copy with a frame and a number for each element but canvases.

    Args:
        pixels: (H, W, 3) uint8 screenshot.
        elements: With boxes in CSS px.
        scale: Pixels of the screenshot per CSS px.
    """
    image = Image.fromarray(pixels)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(LABEL_PX * scale)
    marked = [one for one in elements if one.role != "canvas"]
    boxes = [_scaled(one.box, scale) for one in marked]
    taken = list(boxes)
    for one, box in zip(marked, boxes, strict=True):
        draw.rectangle(box, outline=INK)
        size = draw.textbbox((0, 0), str(one.ref), font=font)
        label = _free_place(box, (size[2] + 3, size[3] + 3), image.size, taken)
        taken.append(label)
        draw.rectangle(label, fill=INK)
        draw.text((label[0] + 1, label[1]), str(one.ref), fill=PAPER, font=font)
    return np.asarray(image)


def with_pointer(pixels: Pixels, x: float, y: float, *, scale: float = 1.0) -> Pixels:
    """Return a copy with the mouse pointer's tip at ``(x, y)`` CSS px; headless browsers draw none.

    Args:
        pixels: (H, W, 3) uint8 screenshot.
        x: CSS px.
        y: CSS px.
        scale: Pixels of the screenshot per CSS px.
    """
    image = Image.fromarray(pixels)
    outline = [((x + dx) * scale, (y + dy) * scale) for dx, dy in POINTER]
    ImageDraw.Draw(image).polygon(outline, fill=(0, 0, 0), outline=PAPER)
    return np.asarray(image)


def _scaled(box: tuple[float, float, float, float], scale: float) -> Box:
    left, top, width, height = (value * scale for value in box)
    return left, top, left + width - 1, top + height - 1


def _free_place(
    box: Box, size: tuple[float, float], image: tuple[int, int], taken: list[Box]
) -> Box:
    """Return where a label of ``size`` covers least of what is there, beside its box."""
    width, height = size
    corners = (
        (box[0] - width - 1, box[1]),
        (box[0], box[1] - height - 1),
        (box[0], box[3] + 2),
        (box[2] + 2, box[1]),
    )
    places = [
        (left, top, left + width, top + height)
        for left, top in corners
        if left >= 0 and top >= 0 and left + width < image[0] and top + height < image[1]
    ]
    if not places:
        return (box[0], box[1], box[0] + width, box[1] + height)
    return min(places, key=lambda place: sum(_shared(place, other) for other in taken))


def _shared(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height)
