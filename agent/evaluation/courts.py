"""From a task to what the red team needs to try it: the right answer, the start, the judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cadwright.envs.bench import played
from cadwright.envs.core import Submission
from cadwright.envs.judging import scoring_of
from cadwright.rewards.alignment import Alignment
from cadwright.rewards.answer_hacks import honest_guess
from cadwright.rewards.recipes import Evidence
from cadwright.rewards.redteam import Court
from cadwright.rewards.score import Score, Verdict
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import DependencyError, GeometryError, InfraError, Outcome, TaskError
from cadwright.tools.tool import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task
    from cadwright.rewards.recipes import Recipe
    from cadwright.tools.geometry.part import Part

# An honest program of a task takes a second or two; one that hangs costs no more than this.
PROGRAM_TIMEOUT_S = 10.0
# Cutting a void into a fine mesh takes seconds of work, and a busy machine many more of waiting.
HACK_TIMEOUT_S = 120.0

Judged = Callable[[Submission], Score]


def court_of(task: Task, runtime: Runtime, *, recipe: Recipe | None = None) -> Court:
    """Return a task with the means to try it.

    Raises:
        TaskError: The task has no right answer to make hacks from.
        GeometryError: Its geometry cannot be used.
    """
    answer = right_answer(task, runtime)
    start = None if task.start is None else runtime.part_of(task.start)
    judged = _judged_by(task, runtime, recipe)
    scoring = scoring_of(task)

    def run(program: str) -> Score:
        step = runtime.sandbox.run(program, timeout_s=PROGRAM_TIMEOUT_S)
        return judged(Submission(step.part, step.outcome, str(step.error or "")))

    return Court(
        brief=task.brief,
        scoring=scoring,
        make=lambda name: _made(runtime, name, answer, start),
        score=lambda part: judged(Submission(part, Outcome.OK)),
        run=run,
        play=lambda calls: judged(_played(task, runtime, (ToolCall(n, a) for n, a in calls))),
        overlap=lambda part: _overlap(runtime, part, answer, scoring),
        start=start,
        env=task.env,
        idle=0.0 if start is None else judged(Submission(start, Outcome.OK)).value or 0.0,
    )


def right_answer(task: Task, runtime: Runtime) -> Part:
    """Return what the task wants: its reference, or what its gold answer makes.

    Raises:
        TaskError: It has neither.
        GeometryError: Its geometry cannot be used.
    """
    if task.reference is not None:
        return runtime.part_of(task.reference)
    if (gold := task.gold) is None:
        raise TaskError(f"{task.id}: no reference to make hacks from")
    if gold.source is not None:
        return runtime.part_of(gold.source)
    part = _played(task, runtime, gold.calls).part
    if part is None:
        raise TaskError(f"{task.id}: its gold calls leave no part to make hacks from")
    return part


def guess_of(task: Task, runtime: Runtime) -> float:
    """Return the number that the bounding box of the part suggests, where one is asked for.

    Raises:
        TaskError: There is no part to be asked about.
        GeometryError: Its geometry cannot be used.
    """
    source = task.start or task.reference
    if source is None or task.answer is None:
        raise TaskError(f"{task.id}: no part to be asked about")
    measures = runtime.judge.inspect(runtime.part_of(source)).measures
    if measures is None:
        raise GeometryError(f"{task.id}: the part cannot be measured")
    extents = np.subtract(measures.bbox_mm[1], measures.bbox_mm[0])
    return honest_guess(str(task.answer.get("unit", "")), extents)


def _judged_by(task: Task, runtime: Runtime, recipe: Recipe | None) -> Judged:
    before = None if recipe is None else _score_before(task, runtime)

    def judged(submission: Submission) -> Score:
        score = runtime.score(task, submission)
        return score if recipe is None else _composed(recipe, score, submission, before)

    return judged


def _score_before(task: Task, runtime: Runtime) -> float | None:
    """Return the score of what an episode begins with, which recipes measure progress from."""
    if task.start is None:
        return runtime.score(task, Submission(None, Outcome.NO_RESULT)).value
    return runtime.score(task, Submission(runtime.part_of(task.start), Outcome.OK)).value


def _composed(recipe: Recipe, score: Score, submission: Submission, before: float | None) -> Score:
    """Return the reward of a recipe in the clothes of a score, as of an episode of one step."""
    potentials = (before, score.value)
    reward = recipe.compose(
        Evidence(score, submission.outcome, submission.message, potentials=potentials)
    )
    verdict = Verdict.UNSCORABLE if reward.value is None else Verdict.SCORED
    return Score(reward.value, verdict, reward.reason or score.reason, score.terms)


def _made(runtime: Runtime, name: str, answer: Part, start: Part | None) -> Part:
    try:
        return runtime.judge.hack(name, answer, start=start, timeout_s=HACK_TIMEOUT_S)
    except InfraError as error:
        raise GeometryError(f"the hack cannot be made within the limits: {error}") from error


def _played(task: Task, runtime: Runtime, calls: Iterable[ToolCall]) -> Submission:
    """Make tool calls as gold calls are made and return what they leave."""
    try:
        return played(runtime, task, tuple(calls))
    except DependencyError as error:
        raise GeometryError(f"the environment cannot be opened here: {error}") from error
    except InfraError as error:
        return Submission(None, Outcome.INFRA_ERROR, str(error))


def _overlap(runtime: Runtime, part: Part, answer: Part, scoring: Scoring) -> float | None:
    """Return the IoU with the right answer, in any place where the task compares with none."""
    alignment = scoring.alignment if scoring.needs_reference else Alignment.RIGID
    asked = Scoring.from_dict({"weights": {"iou": 1.0}, "gates": {}, "alignment": alignment.value})
    term = runtime.judge.score(part, answer, asked).term("iou")
    return None if term is None else term.raw
