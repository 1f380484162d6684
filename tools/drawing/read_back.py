"""Read the numbers off a finished drawing, as somebody would who has nothing but the sheet.

Works from the data of the drawing alone: the text that is inked beside each dimension line, and
the length of that line on the picture. Where the two disagree the drawing is wrong.
"""

from __future__ import annotations

import math

from cadwright.tools.drawing.callout import Field
from cadwright.tools.drawing.record import DrawingData, DrawnDimension
from cadwright.tools.errors import GeometryError

SLACK_PX = 0.75  # a line is drawn to the pixel at best
SLACK = 5e-3  # of the number: it is rounded to what a drawing writes
SLACK_DEG = 0.2

Number = int | float


def read_back(data: DrawingData) -> dict[str, Number]:
    """Return the number of every dimension that the drawing states.

    Raises:
        GeometryError: A text is no number, a line is not as long as its text says, or two texts
            give one dimension different numbers.
    """
    found: dict[str, Number] = {}
    for dimension in data.dimensions:
        for field in dimension.fields:
            number = _number(dimension, field)
            value = number if field.times == 1 else number / field.times
            if found.setdefault(field.name, value) != value:
                raise GeometryError(
                    f"{field.name}: one text says {found[field.name]}, another {value}"
                )
            if field.name == dimension.name:
                _compare(dimension, number, data.px_per_mm)
    return found


def measured(dimension: DrawnDimension, px_per_mm: float) -> float | None:
    """Return what a ruler on the picture finds: mm or degrees; None for a note."""
    if dimension.kind == "note":
        return None
    if dimension.kind == "angle":
        return _degrees(dimension)
    length = math.dist(*dimension.ends_px) / px_per_mm
    is_half = dimension.kind == "diameter" and not dimension.is_line
    return 2.0 * length if is_half else length


def _number(dimension: DrawnDimension, field: Field) -> Number:
    digits = dimension.text[field.start : field.stop]
    try:
        return int(digits) if digits.lstrip("-").isdigit() else float(digits)
    except ValueError as err:
        raise GeometryError(f"{field.name}: {digits!r} is no number") from err


def _compare(dimension: DrawnDimension, number: Number, px_per_mm: float) -> None:
    seen = measured(dimension, px_per_mm)
    slack = SLACK_DEG if dimension.kind == "angle" else 2.0 * SLACK_PX / px_per_mm
    if seen is not None and abs(seen - number) > slack + SLACK * abs(number):
        raise GeometryError(
            f"{dimension.name}: the text says {number}, the line on the drawing is {seen:.4g}"
        )


def _degrees(dimension: DrawnDimension) -> float:
    apex, first, second = dimension.ends_px
    a, b = (math.atan2(p[1] - apex[1], p[0] - apex[0]) for p in (first, second))
    turn = abs(math.degrees(b - a)) % 360.0
    return min(turn, 360.0 - turn)
