"""The sheet: sizes, scales, frame and title block."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from cadwright.tools.drawing.lettering import LINE, writable
from cadwright.tools.drawing.paper import TEXT_MM, Box, Item, Label, Path
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.outlines import FULL_TURN, Curve, Flat, arc_points

WIDTH_MM, HEIGHT_MM = 297.0, 210.0  # A4, lying
SHRINK = {"A4": 1.0, "A3": math.sqrt(2.0), "A2": 2.0}  # how much larger a sheet really is
BORDER_MM = 6.0
BLOCK_MM = 18.0  # height of the title block
MARGIN_MM = 5.0  # between frame and views

# ISO 5455: enlargement, full size, reduction
_SERIES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_COLUMNS_MM = (6.0, 126.0, 186.0, 222.0, 291.0)  # of the title block
_SMALL_MM = 4.6

MIN_WIDTH_PX, MAX_WIDTH_PX = 384, 4096


@dataclass(frozen=True, slots=True)
class SheetSettings:
    """How a sheet is made.

    Attributes:
        title: Name of the part.
        material: What it is made of; empty leaves the field out.
        angle: Projection: ``third`` puts the top view above the front view, ``first`` below.
        tolerance: General tolerance.
        notes: Numbered below the views.
        is_iso_shown: Add a pictorial view where there is room.
        width_px: Width of the picture; the height follows from the sheet.
    """

    title: str = "PART"
    material: str = ""
    angle: Literal["third", "first"] = "third"
    tolerance: str = "ISO 2768-m"
    notes: tuple[str, ...] = ()
    is_iso_shown: bool = True
    width_px: int = 768

    def __post_init__(self) -> None:
        """Refuse a picture that nobody can read, and an angle that does not exist.

        Raises:
            UsageError: A value is not allowed.
        """
        if not MIN_WIDTH_PX <= self.width_px <= MAX_WIDTH_PX:
            raise UsageError(
                f"a drawing {self.width_px} px wide: allowed are {MIN_WIDTH_PX} to {MAX_WIDTH_PX}"
            )
        if self.angle not in ("third", "first"):
            raise UsageError(f"angle is {self.angle!r}; allowed are third and first")


@dataclass(frozen=True, slots=True)
class Scale:
    """A sheet size with a scale on it.

    Attributes:
        sheet: ``A4``, ``A3`` or ``A2``.
        paper: mm on the real sheet ...
        part: ... for so many mm of the part.
    """

    sheet: str
    paper: int
    part: int

    @property
    def k(self) -> float:
        """Millimetres on paper, shrunk to A4, for each mm of the part."""
        return self.paper / self.part / SHRINK[self.sheet]

    def __str__(self) -> str:
        """Return the scale as drawings write it."""
        return f"{self.paper}:{self.part}"


def scales() -> Iterator[Scale]:
    """Yield every scale, largest first, the smaller sheet first where two are alike.

    Nobody enlarges a small part and takes the largest sheet for it.
    """
    pairs = [(n, 1) for n in _SERIES] + [(1, n) for n in _SERIES[1:]]
    every = (Scale(sheet, *pair) for sheet in "A2 A3 A4".split() for pair in pairs)
    found = {round(s.k, 9): s for s in every if s.sheet != "A2" or s.paper <= s.part}
    yield from (found[k] for k in sorted(found, reverse=True))


def area(settings: SheetSettings) -> Box:
    """Return where views may lie."""
    low = HEIGHT_MM - BORDER_MM - BLOCK_MM - MARGIN_MM - _notes_height(settings.notes)
    left = BORDER_MM + MARGIN_MM
    return (left, left, WIDTH_MM - left, low)


def sheet_items(settings: SheetSettings, scale: Scale) -> list[Item]:
    """Return frame, title block and notes."""
    has_material = bool(settings.material)
    return [*_frame(has_material), *_block(settings, scale), *_notes(settings.notes)]


def _frame(has_material: bool) -> Iterator[Item]:
    low, right = HEIGHT_MM - BORDER_MM, WIDTH_MM - BORDER_MM
    top = low - BLOCK_MM
    yield Path(_rectangle((BORDER_MM, BORDER_MM, right, low)), "frame")
    yield Path(((BORDER_MM, top), (right, top)), "frame")
    middle = top + BLOCK_MM / 2
    title, units, symbol, sheet, _ = _COLUMNS_MM
    yield Path(((title if has_material else units, middle), (symbol, middle)))
    yield Path(((sheet, middle), (right, middle)))
    for x in _COLUMNS_MM[1:-1]:
        yield Path(((x, top), (x, low)))


def _block(settings: SheetSettings, scale: Scale) -> Iterator[Item]:
    top = HEIGHT_MM - BORDER_MM - BLOCK_MM
    first, second = top + BLOCK_MM / 4, top + BLOCK_MM * 3 / 4
    title, units, symbol, sheet, right = _COLUMNS_MM
    name_y = first if settings.material else top + BLOCK_MM / 2
    yield _fitted(settings.title.upper(), title, units, name_y, TEXT_MM)
    if settings.material:
        yield _fitted(f"MATERIAL {settings.material}", title, units, second, _SMALL_MM)
    yield _fitted(f"SCALE {scale}", units, symbol, first, TEXT_MM)
    yield _fitted("DIMENSIONS IN mm", units, symbol, second, _SMALL_MM)
    yield from _angle_symbol(settings.angle, (symbol + sheet) / 2, top + BLOCK_MM / 2)
    yield _fitted(f"SHEET {scale.sheet}", sheet, right, first, _SMALL_MM)
    yield _fitted(f"TOLERANCES {settings.tolerance}", sheet, right, second, _SMALL_MM)


def _fitted(words: str, left: float, right: float, y: float, em: float) -> Label:
    """Write words at the left of a cell, smaller where they are too long for it."""
    words, room = writable(words), right - left - 5.0
    label = Label((words,), (0.0, 0.0), em)
    if label.width_mm > room:
        label = Label((words,), (0.0, 0.0), em * room / label.width_mm)
    return label.moved(left + 2.5 + label.width_mm / 2, y)


def _angle_symbol(angle: str, x: float, y: float) -> Iterator[Item]:
    """Draw a truncated cone from its side and from its small end, as the projection puts them."""
    length, big, small = 10.0, 5.0, 2.5
    side, end = (x + 6.0, x - 8.0) if angle == "third" else (x - 6.0, x + 8.0)
    near = side - length / 2  # third angle: the small end points at its own view
    far = side + length / 2
    yield Path(_rectangle_of((near, y - small), (far, y - big), (far, y + big), (near, y + small)))
    for radius in (small, big):
        yield Path(arc_points((end, y, radius, 0.0, FULL_TURN)))
    yield Path(((near - 2.0, y), (far + 2.0, y)), "centre")
    yield Path(((end - big - 1.5, y), (end + big + 1.5, y)), "centre")
    yield Path(((end, y - big - 1.5), (end, y + big + 1.5)), "centre")


def _notes(notes: Sequence[str]) -> Iterator[Item]:
    top = HEIGHT_MM - BORDER_MM - BLOCK_MM - _notes_height(notes)
    for number, words in enumerate(notes, start=1):
        y = top + TEXT_MM * LINE * (number - 0.5)
        yield _fitted(f"{number}. {words}", BORDER_MM, WIDTH_MM - BORDER_MM, y, TEXT_MM)


def _notes_height(notes: Sequence[str]) -> float:
    return TEXT_MM * (LINE * len(notes) + 0.4) if notes else 0.0


def _rectangle(box: Box) -> Curve:
    left, top, right, low = box
    return _rectangle_of((left, top), (right, top), (right, low), (left, low))


def _rectangle_of(*corners: Flat) -> Curve:
    return (*corners, corners[0])
