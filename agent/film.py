"""The film of an episode: one frame for each result with a picture, and the call that led to it.

Frames come from the pictures on record, so a film needs neither the environment nor the policy.
Where a call points at a place of the picture, the place is drawn: a ring for a click, a line for a
drag.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from cadwright.agent.trajectory import Trajectory
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import Pixels

FORMATS = {".gif": "GIF", ".png": "PNG", ".webp": "WEBP"}
FRAME_MS = 900
LAST_MS = 3000
BAR_PX = 34  # height of the caption below a picture
FONT_PX = 15
RING_PX = 16
MARK = (220, 40, 40)
BAR, WORDS = (24, 28, 36), (240, 242, 246)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of a film.

    Attributes:
        pixels: (H, W, 3) uint8, caption included.
        caption: What was called.
    """

    pixels: Pixels
    caption: str


def frames(trajectory: Trajectory) -> Iterator[Frame]:
    """Yield the frames of an episode in order, all of one size."""
    shown = tuple(_shown(trajectory))
    pictures = [Image.fromarray(trajectory.load_image(file)) for _, file in shown]
    if not pictures:
        return
    size = (max(p.width for p in pictures), max(p.height for p in pictures))
    for number, ((call, _), picture) in enumerate(zip(shown, pictures, strict=True), start=1):
        caption = f"{number}/{len(shown)}  {call_text(call)}"
        yield Frame(_composed(picture, call, caption, size), caption)


def save_film(trajectory: Trajectory, target: Path) -> int:
    """Write the film of an episode and return the number of its frames.

    Args:
        trajectory: The episode.
        target: A ``.gif``, ``.png`` (animated) or ``.webp`` file.

    Raises:
        UsageError: The suffix is another, or the episode has no picture.
    """
    kind = FORMATS.get(target.suffix.lower())
    if kind is None:
        raise UsageError(f"a film is one of {', '.join(FORMATS)}, not {target.name!r}")
    images = [Image.fromarray(frame.pixels) for frame in frames(trajectory)]
    if not images:
        raise UsageError(f"{trajectory.folder}: no result of this episode has a picture")
    times = [FRAME_MS] * (len(images) - 1) + [LAST_MS]
    images[0].save(target, kind, save_all=True, append_images=images[1:], duration=times, loop=0)
    return len(images)


def call_text(call: Mapping[str, Any]) -> str:
    """Return a call in one line, as a reader wants it: ``click 0.412, 0.300``."""
    given = dict(call["arguments"]) if isinstance(call["arguments"], Mapping) else {}
    place = ""
    if "x" in given and "y" in given:
        place = f" {given.pop('x'):.3f}, {given.pop('y'):.3f}"
    rest = ", ".join(f"{name}={_short(value)}" for name, value in given.items())
    return f"{call['name']}{place}{f'  {rest}' if rest else ''}"


def _short(value: object) -> str:
    return textwrap.shorten(str(value), 60, placeholder=" ...") or repr(value)


def _shown(trajectory: Trajectory) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield each call with the first picture of the message that answered it."""
    call: Mapping[str, Any] | None = None
    for record in trajectory.records:
        if record["kind"] == "result":
            call = record["call"]
        elif record["kind"] == "message" and call is not None:
            files = [block["file"] for block in record["blocks"] if block["type"] == "image"]
            if files:
                yield call, files[0]
            call = None


def _composed(
    picture: Image.Image, call: Mapping[str, Any], caption: str, size: tuple[int, int]
) -> Pixels:
    sheet = Image.new("RGB", (size[0], size[1] + BAR_PX), BAR)
    drawn = picture.copy()
    _draw_place(drawn, call)
    sheet.paste(drawn, ((size[0] - drawn.width) // 2, (size[1] - drawn.height) // 2))
    font = ImageFont.load_default(FONT_PX)
    ImageDraw.Draw(sheet).text((10, size[1] + 8), caption, fill=WORDS, font=font)
    return np.asarray(sheet)


def _draw_place(image: Image.Image, call: Mapping[str, Any]) -> None:
    points = [(x * image.width, y * image.height) for x, y in _places(call)]
    draw = ImageDraw.Draw(image)
    if len(points) > 1:
        draw.line(points, fill=MARK, width=2)
    for x, y in points[-1:]:
        ring = (x - RING_PX, y - RING_PX, x + RING_PX, y + RING_PX)
        draw.ellipse(ring, outline=MARK, width=3)


def _places(call: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Return the places that a call names, as fractions; none where it names none."""
    given = call["arguments"]
    if not isinstance(given, Mapping):
        return []
    pairs = given.get("path") or [[given.get("x"), given.get("y")]]
    return [
        (float(pair[0]), float(pair[1]))
        for pair in pairs
        if len(pair) == 2 and all(isinstance(v, int | float) and 0 <= v <= 1 for v in pair)
    ]
