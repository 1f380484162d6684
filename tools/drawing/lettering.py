"""Letters of a drawing: the font inside Pillow, and the diameter sign, which it lacks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from PIL import ImageFont

from cadwright.tools.drawing.callout import DIAMETER
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.outlines import Curve

CAP = 0.70  # height of a capital letter, of the em
LINE = 1.15  # from line to line, of the em
SIGN_WIDTH = 0.82  # of the diameter sign with the space around it, of the em
_SIGN_RADIUS = 0.27
_RULER_PX = 100  # widths are measured once, large, so that they scale exactly

_AS_FONT_HAS_IT = str.maketrans(
    {
        "Ø": DIAMETER,
        "ø": DIAMETER,
        "∅": DIAMETER,
        "×": "x",
        "–": "-",
        "—": "-",
        "−": "-",
        "’": "'",
        "⌴": "CBORE ",
        "⌵": "CSK ",
        "↧": "DEEP ",
        "≥": ">=",
        "≤": "<=",
        "µ": "u",
    }
)


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a line that the font can write: its words, and where they begin, in em."""

    words: str
    left: float


def font(px: float) -> ImageFont.FreeTypeFont:
    """Return the font at a size.

    Raises:
        TypeError: This Pillow has no FreeType.
    """
    found = ImageFont.load_default(px)
    if not isinstance(found, ImageFont.FreeTypeFont):
        raise TypeError("this Pillow was built without FreeType: install its wheel")
    return found


def writable(words: str) -> str:
    """Return words with the signs that the font has.

    Raises:
        UsageError: A sign has no counterpart in the font.
    """
    words = words.translate(_AS_FONT_HAS_IT)
    for sign in words:
        if not (sign.isascii() or sign in DIAMETER + "°±·"):
            raise UsageError(f"{words!r}: the drawing's font has no {sign!r}: write it in words")
    return words


@lru_cache(maxsize=4096)
def width(words: str) -> float:
    """Return how wide a line is, in em."""
    runs = words.split(DIAMETER)
    return sum(_ruler().getlength(run) for run in runs) / _RULER_PX + SIGN_WIDTH * (len(runs) - 1)


def runs(words: str) -> tuple[Run, ...]:
    """Return the pieces of a line between diameter signs."""
    pieces, left = [], 0.0
    for number, piece in enumerate(words.split(DIAMETER)):
        left += SIGN_WIDTH * (number > 0)
        pieces.append(Run(piece, left))
        left += width(piece)
    return tuple(piece for piece in pieces if piece.words)


def signs(words: str) -> tuple[Curve, ...]:
    """Return the strokes of the diameter signs in a line, in em; y = 0 is the middle."""
    pieces = words.split(DIAMETER)
    lefts = [
        sum(width(piece) for piece in pieces[: k + 1]) + SIGN_WIDTH * k
        for k in range(len(pieces) - 1)
    ]
    return tuple(stroke for left in lefts for stroke in _sign(left + SIGN_WIDTH / 2))


def _sign(middle: float) -> tuple[Curve, Curve]:
    turn = [2.0 * math.pi * k / 32 for k in range(33)]
    ring = tuple((middle + _SIGN_RADIUS * math.cos(a), _SIGN_RADIUS * math.sin(a)) for a in turn)
    slash = ((middle - 0.24, 0.38), (middle + 0.24, -0.38))
    return ring, slash


@lru_cache(maxsize=1)
def _ruler() -> ImageFont.FreeTypeFont:
    return font(_RULER_PX)
