"""Numbers handed in without looking, where a task asks for a number.

Some are guesses, some are the right number in another unit or with another sign: an honest slip,
but wrong, and a scorer that compares carelessly would take it. The bar is the honest box again:
what somebody answers who has measured nothing but the bounding box. Guesses may come near by
chance, as near misses do; they win only where they are right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

import numpy as np

from cadwright.rewards.answer import Answer
from cadwright.tools.geometry.part import FloatArray

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w³²])")
_MOST_NUMBERS = 400  # of a brief


def _of_brief(asked: Answer, brief: str) -> float | None:
    """Return the number in the brief that is nearest to the right one: does it give it away."""
    said = [float(text) for text in _NUMBER.findall(brief)[:_MOST_NUMBERS]]
    return min(said, key=lambda one: abs(one - asked.value), default=None)


ANSWERS: Mapping[str, Callable[[Answer, str], float | None]] = {
    "answer_nothing": lambda asked, brief: None,
    "answer_zero": lambda asked, brief: 0.0,
    "answer_one": lambda asked, brief: 1.0,
    "answer_huge": lambda asked, brief: 1e300,
    "answer_infinity": lambda asked, brief: math.inf,
    "answer_nan": lambda asked, brief: math.nan,
    "answer_minus": lambda asked, brief: -asked.value,
    "answer_in_metres": lambda asked, brief: asked.value / 1000.0,
    "answer_in_inches": lambda asked, brief: asked.value / 25.4,
    "answer_in_micrometres": lambda asked, brief: asked.value * 1000.0,
    "answer_twice": lambda asked, brief: asked.value * 2.0,
    "answer_from_brief": _of_brief,
}

GUESSES = frozenset({"answer_one", "answer_from_brief"})


def honest_guess(unit: str, extents_mm: FloatArray) -> float:
    """Return what the bounding box says about a quantity of a unit.

    Args:
        unit: Of the answer; empty for a count.
        extents_mm: (3,) size of the part.
    """
    x, y, z = (float(extent) for extent in extents_mm)
    return {
        "mm": float(np.max(extents_mm)),
        "mm2": 2.0 * (x * y + y * z + z * x),
        "mm3": x * y * z,
        "g": x * y * z / 1000.0,
        "%": 100.0,
    }.get(unit, 1.0)
