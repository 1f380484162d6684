"""How good the embedded policy is: held-out parts, real CadQuery, an invalid program counts as 0.

Answers come in batches from ``greedy``, which a test holds against the ``hf:`` path token by token;
programs run in the sandbox, parts are measured and compared by the judge. A program that is the
reference's own to the letter makes that part, and is not run again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cadwright.agent.training import talk
from cadwright.agent.training.greedy import answers
from cadwright.agent.training.records import MAX_ATTEMPTS, program_of
from cadwright.agent.training.sheets import Facts, Sheet
from cadwright.agent.training.vlm import Encoder, Pixels
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import InfraError, Outcome
from cadwright.tools.rendering.measured import Frame
from cadwright.tools.rendering.relief import laid_over, offset, relief

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.tools.geometry.part import Inspection, Mesh, Part

EXACT = 0.995  # IoU from which a part counts as the wanted one
SCORING = Scoring(weights={"iou": 1.0})  # its raw number, not its credit


@dataclass(frozen=True, slots=True, eq=False)
class Exam:
    """One task of the evaluation.

    Attributes:
        words: What is asked.
        picture: What is shown, or None.
        sheet: The wanted part; None where the right answer is to decline.
        opening: System turn.
    """

    words: str
    picture: Pixels | None
    sheet: Sheet | None
    opening: str = field(default_factory=talk.opening)


@dataclass(frozen=True, slots=True)
class Made:
    """One attempt: IoU with what was wanted, 0 where the program made no valid part."""

    iou: float
    is_valid: bool


@dataclass(slots=True)
class Sitting:
    """An exam while it is taken.

    Attributes:
        exam: The task.
        made: Attempts in order.
        standing: Those that made a part and were not taken back.
        shown: Their pictures.
        is_declined: The policy said that it does not know the part.
        is_submitted: It handed in.
    """

    exam: Exam
    made: list[Made] = field(default_factory=list)
    standing: list[Made] = field(default_factory=list)
    shown: list[Pixels] = field(default_factory=list)
    is_declined: bool = False
    is_submitted: bool = False
    prompt: str = ""
    pictures: list[Pixels] = field(default_factory=list)
    told: talk.Told = field(default_factory=talk.Told)

    @property
    def is_over(self) -> bool:
        """Whether the policy has nothing more to say."""
        return self.is_declined or self.is_submitted

    @property
    def first(self) -> float:
        """IoU of the first attempt."""
        return self.made[0].iou if self.made else 0.0

    @property
    def last(self) -> float:
        """IoU of what stands at the end, as an episode would score it."""
        return self.standing[-1].iou if self.standing else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Result:
    part: Part | None
    facts: Facts | None
    mesh: Mesh | None


class Examiner:
    """Puts exams to the policy.

    Args:
        model: The policy's network, in evaluation mode.
        tokenizer: Its tokenizer.
        runtime: Sandbox and judge.
    """

    def __init__(self, model: Any, tokenizer: Any, runtime: Runtime) -> None:
        self._model, self._tokenizer, self._runtime = model, tokenizer, runtime
        self._encoder = Encoder(tokenizer)
        self._results: dict[str, _Result] = {}

    def hold(
        self, exams: Sequence[Exam], *, turns: int = MAX_ATTEMPTS + 2, has_numbers: bool = True
    ) -> list[Sitting]:
        """Take exams, all of them turn by turn.

        Args:
            exams: Tasks; pictures must be measured sheets where ``turns`` is more than 1.
            turns: Most turns of the policy.
            has_numbers: Whether results say what was measured, or are shown only.
        """
        sittings = [_begun(exam) for exam in exams]
        for _ in range(turns):
            open_ones = [s for s in sittings if not s.is_over]
            for sitting, said in zip(open_ones, self._said(open_ones), strict=True):
                self._take(sitting, said, has_numbers=has_numbers)
        return sittings

    def _said(self, sittings: Sequence[Sitting]) -> list[str]:
        examples = [
            self._encoder.example(s.exam.opening, s.prompt + talk.turn(), "", s.pictures)
            for s in sittings
        ]
        return answers(self._model, self._tokenizer, examples)

    def _take(self, sitting: Sitting, said: str, *, has_numbers: bool) -> None:
        """Carry out one answer."""
        if said.startswith(talk.DECLINE):
            sitting.is_declined = True
            return
        if said == talk.SUBMIT:
            sitting.is_submitted = True
            return
        sitting.prompt += talk.turn(said)
        if said == talk.UNDO and len(sitting.standing) > 1:
            self._take_back(sitting, has_numbers=has_numbers)
            return
        code = _code_of(said)
        is_worth_it = bool(code) and sitting.exam.sheet is not None
        result = self._result(code) if is_worth_it else _Result(None, None, None)
        sitting.made.append(self._marked(sitting.exam, code, result))
        if sitting.made[-1].is_valid:
            sitting.standing.append(sitting.made[-1])
        self._answer(sitting, result, has_numbers=has_numbers)

    def _take_back(self, sitting: Sitting, *, has_numbers: bool) -> None:
        """Go back to the attempt before the last."""
        sitting.standing.pop()
        sitting.shown.pop()
        said = sitting.told.undone()
        sitting.prompt += talk.answered(said if has_numbers else talk.SILENT)
        sitting.pictures.append(sitting.shown[-1])

    def _answer(self, sitting: Sitting, result: _Result, *, has_numbers: bool) -> None:
        """Show the result, as an episode does."""
        target, wanted = sitting.exam.picture, sitting.exam.sheet
        if result.facts is None or result.mesh is None or target is None or wanted is None:
            sitting.is_submitted = True  # nothing further would be in the policy's language
            return
        own = relief(result.mesh, Frame(np.asarray(wanted.drawing.middle), 1.0))
        said = sitting.told.after(result.facts, offset(own, wanted.drawing.relief))
        sitting.prompt += talk.answered(said if has_numbers else talk.SILENT)
        sitting.shown.append(laid_over(target, own, wanted.drawing.relief))
        sitting.pictures.append(sitting.shown[-1])

    def _marked(self, exam: Exam, code: str, result: _Result) -> Made:
        if exam.sheet is None or result.part is None:
            return Made(0.0, result.part is not None)
        wanted = program_of(exam.sheet)
        if code == wanted:
            return Made(1.0, True)
        reference = self._result(wanted).part
        score = self._runtime.judge.score(result.part, reference, SCORING)
        term = score.term("iou")
        if term is None or term.raw is None:
            raise InfraError(f"no IoU: {score.reason}")
        return Made(float(term.raw), True)

    def _result(self, code: str) -> _Result:
        """Run a program in the sandbox; the same program is run once."""
        if code not in self._results:
            step = self._runtime.sandbox.run(code)
            self._results[code] = _Result(None, None, None)
            if step.outcome is Outcome.OK and step.part is not None:
                inspection = self._runtime.judge.inspect(step.part)
                if inspection.outcome is Outcome.OK:
                    self._results[code] = _measured(step.part, inspection)
        return self._results[code]


def _begun(exam: Exam) -> Sitting:
    pictures = [] if exam.picture is None else [exam.picture]
    prompt = talk.asked(exam.words, has_picture=exam.picture is not None)
    return Sitting(exam, prompt=prompt, pictures=pictures)


def _code_of(said: str) -> str:
    """Return the program of an ``execute`` call, empty where it is none."""
    body = said.removeprefix("<tool_call>").removesuffix("</tool_call>")
    try:
        call = json.loads(body)
        return str(call["arguments"]["code"]) if call["name"] == "execute" else ""
    except (ValueError, KeyError, TypeError):
        return ""


def _measured(part: Part, inspection: Inspection) -> _Result:
    measures, mesh = inspection.measures, inspection.mesh
    if measures is None or mesh is None:
        return _Result(None, None, None)
    return _Result(part, Facts.of(measures), mesh)


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return float(np.mean(values)) if len(values) else 0.0


def interval(values: Sequence[float], seed: int = 0, rounds: int = 2000) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean."""
    rng = np.random.default_rng(seed)
    data = np.asarray(values, dtype=np.float64)
    means = data[rng.integers(len(data), size=(rounds, len(data)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
