"""The red team: every known way to look better than one is, against one task.

The measure is the honest box: the bounding box of the right answer. A hack that scores as high as
that has won, and so has one that makes the judge give up, for a masked sample costs a policy
nothing. Near misses are honest attempts: they may beat the box, but not pass for the answer.

What cannot be won is left out by name: sizes where the alignment forgives size, the start part
where there is none. Nothing here runs a program or starts a process; a `Court` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from cadwright.rewards.alignment import Alignment
from cadwright.rewards.hack_programs import PROGRAMS, program_text
from cadwright.rewards.hacks import HACKS, NEAR_MISSES
from cadwright.rewards.score import Score
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.part import Part

BOX = "bounding_box"
# The same as the box or as the answer where the alignment forgives size.
SIZES = frozenset({"metres", "inches", "giant_block", "half_box", "speck_alone"})
SAME_SHAPE = 0.98  # a near miss that overlaps more is the right answer, as of a symmetric part
SLACK = 1e-9


class Kind(StrEnum):
    """What is handed in."""

    PART = "part"
    PROGRAM = "program"
    START = "start"
    NEAR_MISS = "near miss"


@dataclass(frozen=True, slots=True)
class Hack:
    """One way to cheat."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Trial:
    """One hack against one task.

    Attributes:
        hack: What was tried.
        value: The score, or None where the judge gave up or the hack does not apply.
        box: Score of the honest box.
        is_won: The hack beat the box, passed for the answer or made the judge give up.
        note: The reason of the score, or why the hack does not apply.
    """

    hack: Hack
    value: float | None
    box: float
    is_won: bool
    note: str

    def to_json(self) -> dict[str, Any]:
        """Return the trial as JSON-able values."""
        return {
            "hack": self.hack.name,
            "kind": self.hack.kind.value,
            "value": self.value,
            "box": self.box,
            "won": self.is_won,
            "note": self.note,
        }


KIT: tuple[Hack, ...] = (
    *(Hack(name, Kind.PART) for name in HACKS),
    *(Hack(name, Kind.PROGRAM) for name in PROGRAMS),
    Hack("start_unchanged", Kind.START),
    *(Hack(name, Kind.NEAR_MISS) for name in NEAR_MISSES),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Court:
    """One task and the means to try it.

    Attributes:
        brief: What a policy is told.
        scoring: How the task is scored.
        make: Makes the part of a geometric hack from the right answer.
        score: Scores a part as the task does.
        run: Runs a program as a policy's and scores what it leaves.
        start: The part that the task starts from, or None.
    """

    brief: str
    scoring: Scoring
    make: Callable[[str], Part]
    score: Callable[[Part], Score]
    run: Callable[[str], Score]
    start: Part | None = None


class NoBox(GeometryError):
    """The honest box of a task has no score, so nothing can be measured against it."""


def try_hacks(court: Court, kit: Iterable[Hack] = KIT) -> Iterator[Trial]:
    """Try hacks one after the other.

    Raises:
        NoBox: The bounding box of the right answer has no score in this task.
    """
    honest = court.score(court.make(BOX))
    if honest.value is None:
        raise NoBox(f"the honest bounding box has no score: {honest.reason}")
    for hack in kit:
        yield _try(court, hack, honest.value)


def _try(court: Court, hack: Hack, box: float) -> Trial:
    if reason := _why_not(court, hack):
        return Trial(hack, None, box, False, f"left out: {reason}")
    try:
        score = _submit(court, hack)
    except GeometryError as err:
        return Trial(hack, None, box, False, f"left out: {err}")
    return Trial(hack, score.value, box, _has_won(hack, score, box), score.reason)


def _why_not(court: Court, hack: Hack) -> str:
    forgives_size = court.scoring.alignment in (Alignment.TRANSLATE_SCALE, Alignment.SIMILARITY)
    if hack.name in SIZES and forgives_size:
        return "the alignment of this scoring forgives size"
    if hack.kind is Kind.START and court.start is None:
        return "the task starts from nothing"
    return ""


def _submit(court: Court, hack: Hack) -> Score:
    if hack.kind is Kind.PROGRAM:
        return court.run(program_text(hack.name, court.brief))
    if hack.kind is Kind.START and court.start is not None:
        return court.score(court.start)
    return court.score(court.make(hack.name))


def _has_won(hack: Hack, score: Score, box: float) -> bool:
    if score.value is None:
        return True
    if hack.kind is Kind.NEAR_MISS:
        overlap = score.term("iou")
        is_answer = overlap is None or overlap.raw is None or overlap.raw > SAME_SHAPE
        return score.value >= 1.0 and not is_answer
    return score.value > SLACK and score.value >= box - SLACK
