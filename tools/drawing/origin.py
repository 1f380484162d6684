"""The mark at the origin of the part: where the axes of its frame are and which way they point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cadwright.tools.drawing.crowd import Floats, boxes_meet, meets_box
from cadwright.tools.drawing.paper import Box, Fill, Item, Label, Path, Pen, arrow, padded
from cadwright.tools.geometry.outlines import Flat

AXIS_MM = 9.0  # from the origin to the tip of an axis
LETTER_MM = 4.4
_BESIDE_MM, _BEYOND_MM = 2.7, 2.9  # from an axis to its letter, from its tip
_ALONG_MM = (9.0, 6.0, 12.0, 3.5, 15.0)  # from the origin to a letter beside its axis
_CLEAR_MM, _BLANK_MM = 0.8, 0.4  # around a letter: looked for, and wiped where not found
_TEXT_WEIGHS = 1000

# right, up
_AXES: dict[str, tuple[Pen, Pen]] = {"front": ("x", "z"), "top": ("x", "y"), "right": ("y", "z")}


def axis_arrows(view: str) -> tuple[Path | Fill, ...]:
    """Return the two axes that a view shows: ``front``, ``top`` or ``right``."""
    items: list[Path | Fill] = []
    for pen, way in _axes(view):
        tip = (AXIS_MM * way[0], AXIS_MM * way[1])
        items += [Path(((0.0, 0.0), tip), pen), arrow(tip, (0.0, 0.0), pen)]
    return tuple(items)


def axis_letters(view: str, lines: Floats, texts: Sequence[Box]) -> tuple[Item, ...]:
    """Return the letters of the axes, where there is room for them once all else stands.

    Args:
        view: ``front``, ``top`` or ``right``.
        lines: (n, 4) segments on paper.
        texts: Boxes of what is written.
    """
    items: list[Item] = []
    for pen, way in _axes(view):
        letters = [Label((pen.upper(),), spot, LETTER_MM, pen) for spot in _spots(way)]
        letter = min(letters, key=lambda label: _num_met(label, lines, texts))
        if _num_met(letter, lines, texts):
            items.append(_blank(letter))
        items.append(letter)
        texts = [*texts, letter.box]
    return tuple(items)


def _axes(view: str) -> Iterator[tuple[Pen, Flat]]:
    yield from zip(_AXES[view], ((1.0, 0.0), (0.0, -1.0)), strict=True)


def _spots(way: Flat) -> Iterator[Flat]:
    """Yield places for a letter, best first: below or left of its axis, above, beyond."""
    right, up = way
    for along in _ALONG_MM:
        for side in (_BESIDE_MM, -_BESIDE_MM):
            yield (along * right + side * up, along * up + side * right)
    beyond = AXIS_MM + _BEYOND_MM
    yield (beyond * right, beyond * up)


def _blank(letter: Label) -> Fill:
    """Return white paper for a letter that found no free place."""
    left, top, right, low = padded(letter.box, _BLANK_MM)
    return Fill(((left, top), (right, top), (right, low), (left, low)), "paper")


def _num_met(letter: Label, lines: Floats, texts: Sequence[Box]) -> int:
    """Return how much a letter would touch; a line rather than text."""
    box = padded(letter.box, _CLEAR_MM)
    num_texts = sum(boxes_meet(box, text) for text in texts)
    return _TEXT_WEIGHS * num_texts + int(meets_box(lines, box).sum())
