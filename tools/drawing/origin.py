"""The mark at the origin of the part: where the axes of its frame are and which way they point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cadwright.tools.drawing.crowd import Floats, meets_box
from cadwright.tools.drawing.paper import Item, Label, Path, Pen, arrow, box_of, padded
from cadwright.tools.geometry.outlines import Curve, Flat

AXIS_MM = 9.0  # from the origin to the tip of an axis
LETTER_MM = 4.4
_BESIDE_MM, _BEYOND_MM = 2.7, 2.9  # from an axis to its letter, from its tip
_ALONG_MM = (9.0, 6.0, 12.0, 3.5, 15.0)  # from the origin to a letter beside its axis
_CLEAR_MM = 0.35

# right, up
_AXES: dict[str, tuple[Pen, Pen]] = {"front": ("x", "z"), "top": ("x", "y"), "right": ("y", "z")}


def origin_mark(view: str, lines: Floats) -> tuple[Item, ...]:
    """Return the two axes that a view shows.

    Args:
        view: ``front``, ``top`` or ``right``.
        lines: (n, 4) segments of the view on paper, which letters keep off.
    """
    items: list[Item] = []
    for pen, way in zip(_AXES[view], ((1.0, 0.0), (0.0, -1.0)), strict=True):
        tip = (AXIS_MM * way[0], AXIS_MM * way[1])
        letters = [Label((pen.upper(),), spot, LETTER_MM, pen) for spot in _spots(way)]
        taken = {id(letter): _num_met(letter, lines) for letter in letters}
        letter = min(letters, key=lambda label: taken[id(label)])
        items += [Path(((0.0, 0.0), tip), pen), arrow(tip, (0.0, 0.0), pen), letter]
    return tuple(items)


def traces(items: Iterable[Item]) -> Iterator[Curve]:
    """Yield lines that stand for items where room is looked for: callouts keep off letters."""
    for item in items:
        left, top, right, low = box_of(item)
        yield ((left, top), (right, low))
        if isinstance(item, Label):
            yield ((left, low), (right, top))


def _spots(way: Flat) -> Iterator[Flat]:
    """Yield places for a letter, best first: below or left of its axis, above, beyond."""
    right, up = way
    for along in _ALONG_MM:
        for side in (_BESIDE_MM, -_BESIDE_MM):
            yield (along * right + side * up, along * up + side * right)
    beyond = AXIS_MM + _BEYOND_MM
    yield (beyond * right, beyond * up)


def _num_met(letter: Label, lines: Floats) -> int:
    return int(meets_box(lines, padded(letter.box, _CLEAR_MM)).sum())
