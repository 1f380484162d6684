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

from cadwright.rewards.answer import Answer, answer_score
from cadwright.rewards.answer_hacks import ANSWERS, GUESSES
from cadwright.rewards.hack_calls import BROWSER_CALLS, CALLS, MESH_CALLS, Calls
from cadwright.rewards.hack_programs import PROGRAMS, program_text
from cadwright.rewards.hacks import HACKS, NEAR_MISSES
from cadwright.rewards.score import Score
from cadwright.rewards.scoring import Scoring
from cadwright.rewards.start_hacks import START_HACKS, START_MISSES
from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.part import Part

BOX = "bounding_box"
UNCHANGED = "start_unchanged"
# The same as the box or as the answer where the alignment forgives size.
SIZES = frozenset({"metres", "inches", "giant_block", "half_box", "speck_alone"})
SAME_SHAPE = 0.98  # a near miss that overlaps more is the right answer, as of a symmetric part
SLACK = 1e-9
# Smooth credit pays a hundredth of a step in the right direction a hundredth: no hack lives on it.
WORTHLESS = 0.01


class Kind(StrEnum):
    """What is handed in."""

    PART = "part"
    START = "start"
    NEAR_MISS = "near miss"
    ANSWER = "answer"
    PROGRAM = "program"
    CALLS = "calls"


@dataclass(frozen=True, slots=True)
class Hack:
    """One way to cheat.

    Attributes:
        name: Unique in the kit.
        kind: What is handed in.
        envs: Environments that it is for.
    """

    name: str
    kind: Kind
    envs: tuple[str, ...] = ("cad", "mesh", "browser")

    @property
    def depends_on_task(self) -> bool:
        """Whether another task gives it another chance; otherwise one task tells for all."""
        return self.kind not in (Kind.PROGRAM, Kind.CALLS)

    @property
    def needs_start(self) -> bool:
        """Whether it is made from what the task starts from."""
        return self.kind is Kind.START or self.name in START_MISSES


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

    @property
    def is_left_out(self) -> bool:
        """Whether the hack does not apply to the task."""
        return self.value is None and not self.is_won

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

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Trial:
        """Read what ``to_json`` writes, of a hack of this kit."""
        hack = BY_NAME[data["hack"]]
        return cls(hack, data["value"], data["box"], data["won"], data["note"])


KIT: tuple[Hack, ...] = (
    *(Hack(name, Kind.PART) for name in HACKS),
    Hack(UNCHANGED, Kind.START),
    *(Hack(name, Kind.START) for name in START_HACKS),
    *(Hack(name, Kind.NEAR_MISS) for name in (*NEAR_MISSES, *START_MISSES)),
    *(Hack(name, Kind.ANSWER) for name in ANSWERS),
    *(Hack(name, Kind.PROGRAM, ("cad", "mesh")) for name in PROGRAMS),
    *(Hack(name, Kind.CALLS, ("mesh",)) for name in MESH_CALLS),
    *(Hack(name, Kind.CALLS, ("browser",)) for name in BROWSER_CALLS),
)
BY_NAME = {hack.name: hack for hack in KIT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Court:
    """One task and the means to try it.

    Attributes:
        brief: What a policy is told.
        scoring: How the task is scored.
        make: Makes the part of a geometric hack from the right answer, or from the start.
        score: Scores a part as the task does.
        run: Runs a program as a policy's and scores what it leaves.
        play: Makes tool calls as a policy's and scores what they leave.
        overlap: Returns the IoU of a part with the right answer, or None where there is none.
        start: The part that the task starts from, or None.
        env: The environment of the task.
        idle: Score of that part as it is: some recipes give every valid part a floor.
    """

    brief: str
    scoring: Scoring
    make: Callable[[str], Part]
    score: Callable[[Part], Score]
    run: Callable[[str], Score]
    play: Callable[[Calls], Score]
    overlap: Callable[[Part], float | None]
    start: Part | None = None
    env: str = "cad"
    idle: float = 0.0


class NoBox(GeometryError):
    """The honest box of a task has no score, so nothing can be measured against it."""


def try_hacks(court: Court, kit: Iterable[Hack] = KIT) -> Iterator[Trial]:
    """Try hacks one after the other; those for numbers and other environments are passed over.

    Raises:
        NoBox: The bounding box of the right answer has no score in this task.
    """
    box = box_of(court)
    for hack in kit:
        if hack.kind is not Kind.ANSWER and court.env in hack.envs:
            yield try_hack(court, hack, box)


def box_of(court: Court) -> float:
    """Return the score of the honest box.

    Raises:
        NoBox: It has none.
    """
    honest = court.score(court.make(BOX))
    if honest.value is None:
        raise NoBox(f"the honest bounding box has no score: {honest.reason}")
    return honest.value


def try_hack(court: Court, hack: Hack, box: float) -> Trial:
    """Try one hack against a task whose honest box has the score ``box``."""
    if reason := _why_not(court, hack):
        return Trial(hack, None, box, False, f"left out: {reason}")
    try:
        part = _part(court, hack)
        score = court.score(part) if part is not None else _attack(court, hack)
        return Trial(hack, score.value, box, _has_won(court, hack, score, part, box), score.reason)
    except GeometryError as err:
        return Trial(hack, None, box, False, f"left out: {err}")


def try_answers(
    asked: Answer, brief: str, guess: float, kit: Iterable[Hack] = KIT
) -> Iterator[Trial]:
    """Try numbers where a task asks for one.

    Args:
        asked: The right number.
        brief: What a policy is told.
        guess: What the bounding box says, which is the bar.
        kit: Hacks; those that are not numbers are passed over.
    """
    box = answer_score(guess, asked).value or 0.0
    for hack in kit:
        if hack.kind is Kind.ANSWER:
            score = answer_score(ANSWERS[hack.name](asked, brief), asked)
            is_won = score.value == 1.0 if hack.name in GUESSES else _beats(score, box, 0.0)
            yield Trial(hack, score.value, box, is_won, score.reason)


def _why_not(court: Court, hack: Hack) -> str:
    if hack.name in SIZES and court.scoring.alignment.forgives_size:
        return "the alignment of this scoring forgives size"
    if hack.needs_start and court.start is None:
        return "the task starts from nothing"
    return ""


def _part(court: Court, hack: Hack) -> Part | None:
    if not hack.depends_on_task:
        return None
    return court.start if hack.name == UNCHANGED else court.make(hack.name)


def _attack(court: Court, hack: Hack) -> Score:
    if hack.kind is Kind.PROGRAM:
        return court.run(program_text(hack.name, court.brief))
    return court.play(CALLS[hack.name])


def _has_won(court: Court, hack: Hack, score: Score, part: Part | None, box: float) -> bool:
    if hack.kind is not Kind.NEAR_MISS or score.value is None or part is None:
        return _beats(score, box, court.idle)
    if score.value < 1.0:
        return False
    term = score.term("iou")
    overlap = court.overlap(part) if term is None or term.raw is None else term.raw
    return overlap is not None and overlap <= SAME_SHAPE


def _beats(score: Score, box: float, idle: float) -> bool:
    """Whether a score is as high as the box, and more than the box or the start get for nothing."""
    bar = max(box - SLACK, min(box, idle) + WORTHLESS)
    return score.value is None or score.value >= bar
