"""Score a number that was asked for, where no part is made.

Inside the tolerance the credit is 1. Beyond it, it is halved every few tolerances further on: an
order of magnitude off is worth nothing, a slip in the last digit a little, and what is no nearer
than zero nothing at all. A count has no tolerance: the number itself is right, and every other is
wrong. Infinity and NaN are wrong like any other number: a failure of ours would be a mask, and a
mask costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cadwright.rewards.hygiene import finite_number
from cadwright.rewards.score import Score, Term, Verdict
from cadwright.tools.errors import UsageError

MAX_TOLERANCE = 0.5  # share of the right number; a wider one would make zero nearly right
HALVED_EVERY = 4.0  # tolerances
WIDEST_HALF = 0.1  # share of the right number, however wide the tolerance: 1 for 12 earns nothing
SMALLEST = 1e-9  # of a right number that shares can be taken of
AS_FAR_AS_ZERO = 1.0  # share of the right number that 0 is off
_ROUNDING = 1e-9  # share that two ways of computing one number differ by


@dataclass(frozen=True, slots=True)
class Answer:
    """The number that a task asks for.

    Attributes:
        value: The right number.
        unit: Its unit; empty for a count.
        tolerance: Error that still counts as right, as a share of ``value``; 0 for a count.
        about: What it is, for people.
    """

    value: float
    unit: str = ""
    tolerance: float = 0.0
    about: str = ""

    def __post_init__(self) -> None:
        """Refuse what no answer could be held against.

        Raises:
            UsageError: A number is not finite, or the tolerance is out of range.
        """
        finite_number("answer value", self.value)
        if not 0.0 <= finite_number("answer tolerance", self.tolerance) <= MAX_TOLERANCE:
            raise UsageError(f"answer tolerance is {self.tolerance!r}: allowed 0 to 0.5")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Answer:
        """Read the record of a task.

        Raises:
            UsageError: A field is missing, unknown or of the wrong type.
        """
        unknown = sorted(set(data) - {"value", "unit", "tolerance", "about"})
        if unknown or "value" not in data:
            fault = f"unknown field {unknown[0]!r}" if unknown else "'value' is missing"
            raise UsageError(f"answer: {fault} (known: value, unit, tolerance, about)")
        return cls(**data)


def answer_score(given: float | None, asked: Answer) -> Score:
    """Return the score of a number.

    Args:
        given: What was handed in, or None where nothing was.
        asked: The right number.
    """
    if given is None:
        term = Term("answer", 1.0, None, asked.unit, 0.0, "no answer was given")
        return Score(0.0, Verdict.INVALID, "no answer was given", (term,))
    if not math.isfinite(given):
        term = Term("answer", 1.0, None, asked.unit, 0.0, f"{given} is no number to answer with")
        return Score(0.0, Verdict.INVALID, term.note, (term,))
    credit = _credit(float(given), asked)
    unit = f" {asked.unit}" if asked.unit else ""
    note = f"asked {asked.value:.6g}{unit}, got {given:.6g}{unit}"
    term = Term("answer", 1.0, float(given), asked.unit, credit, note)
    reason = "the answer is right" if credit == 1.0 else note
    return Score(credit, Verdict.SCORED, reason, (term,))


def _credit(given: float, asked: Answer) -> float:
    error = abs(given - asked.value) / max(abs(asked.value), SMALLEST)
    if error <= asked.tolerance + _ROUNDING:
        return 1.0
    if asked.tolerance == 0.0 or error >= AS_FAR_AS_ZERO:
        return 0.0
    half = min(HALVED_EVERY * asked.tolerance, WIDEST_HALF)
    halvings = (error - asked.tolerance) / half
    return float(0.5 ** min(halvings, 60.0))
