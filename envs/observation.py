"""Observation helpers: a Text space that holds any Unicode, pictures padded to a fixed size."""

from __future__ import annotations

import hashlib
import io
import string
from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import create_shared_memory

from cadwright.envs.sources import ImageSource
from cadwright.tools.errors import TaskError
from cadwright.tools.tool import ImageBlock, Pixels

MAX_PIXELS = 16_000_000  # one A4 drawing at 300 dpi has 8.7 million
BACKGROUND = 255  # white, as the renderer's own background


class UnicodeText(spaces.Text):
    """A ``Text`` space that contains every string up to a length.

    Gymnasium's own charset is an enumerated set (62 letters and digits by default, no space); all
    of Unicode enumerated costs about 100 MB. ``sample`` draws from printable ASCII.

    Args:
        max_length: Most characters a member may have.
        seed: Seed of ``sample``.
    """

    def __init__(self, max_length: int, *, seed: int | None = None) -> None:
        super().__init__(
            max_length, min_length=0, charset=string.printable[:95] + "\n\t", seed=seed
        )

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` is a string that is short enough."""
        return isinstance(x, str) and len(x) <= self.max_length


@create_shared_memory.register(UnicodeText)
def _refuse_shared_memory(space: UnicodeText, n: int = 1, ctx: Any = None) -> NoReturn:
    """Refuse what would go wrong in silence.

    ``AsyncVectorEnv`` reads text out of shared memory once, when it is made: every observation
    would be a row of zeros, and a letter outside the charset would end the worker.
    """
    del space, n, ctx
    raise CustomSpaceError("text has no place in shared memory: give shared_memory=False")


def letterbox(pixels: Pixels, tall: int, wide: int) -> Pixels:
    """Return (tall, wide, 3) uint8: ``pixels`` scaled down to fit, never up, on white."""
    height, width = pixels.shape[:2]
    scale = min(tall / height, wide / width)
    if scale < 1.0:
        from PIL import Image

        shape = (max(1, round(width * scale)), max(1, round(height * scale)))
        pixels = np.asarray(Image.fromarray(pixels).resize(shape, Image.Resampling.BOX))
        height, width = pixels.shape[:2]
    padded = blank(tall, wide)
    top, left = (tall - height) // 2, (wide - width) // 2
    padded[top : top + height, left : left + width] = pixels
    return padded


def blank(tall: int, wide: int) -> Pixels:
    """Return the picture of an episode that has none yet: all background."""
    return np.full((tall, wide, 3), BACKGROUND, np.uint8)


def decode_image(source: ImageSource) -> ImageBlock:
    """Return a task's picture as RGB; transparent parts become white.

    Raises:
        TaskError: It is not a picture, or has more than ``MAX_PIXELS`` pixels.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(source.read())) as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                raise TaskError(f"picture of {width} x {height}: allowed are {MAX_PIXELS} pixels")
            rgba = np.asarray(image.convert("RGBA"), np.float64)
    except (UnidentifiedImageError, OSError) as err:
        raise TaskError(f"picture {source.caption!r} cannot be read: {err}") from err
    alpha = rgba[..., 3:] / 255
    pixels = (rgba[..., :3] * alpha + BACKGROUND * (1 - alpha)).round().astype(np.uint8)
    digest = hashlib.sha256(pixels.tobytes()).hexdigest()[:12]
    return ImageBlock(pixels, f"given:{width}x{height}:{digest}", source.caption)
