"""What the judge is asked about a task: which scoring, which constraints, with which geometry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cadwright.rewards.baseline import nothing_gained
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.scorer import failure_score
from cadwright.rewards.scoring import Scoring

if TYPE_CHECKING:
    from cadwright.envs.sources import GeometrySource
    from cadwright.envs.task import Task
    from cadwright.rewards.constraints.result import ConstraintReport
    from cadwright.rewards.judge import Judge
    from cadwright.rewards.score import Score
    from cadwright.tools.errors import Outcome
    from cadwright.tools.geometry.part import Part

ALONE = "constraints"  # the preset of a task that has constraints and nothing to compare with

PartOf = Callable[["GeometrySource"], "Part"]


def scoring_of(task: Task) -> Scoring:
    """Return the scoring of a task; constraints without a reference are scored by themselves."""
    if not task.scoring and task.reference is None and task.constraints:
        return Scoring.preset(ALONE)
    return Scoring.from_dict(task.scoring)


def score_for(task: Task, part: Part, judge: Judge, part_of: PartOf) -> Score:
    """Return the score that a part earns in a task.

    Args:
        task: The task, hidden half included.
        part: What was made.
        judge: Who scores it.
        part_of: Makes the part of a geometry source of the task.
    """
    reference = part_of(task.reference) if task.reference is not None else None
    scoring = scoring_of(task)
    is_checked = bool(task.constraints) and "constraints" in scoring.weights
    is_compared = scoring.needs_start or (scoring.is_relative and task.start is not None)
    if not is_checked and not is_compared:
        return judge.score(part, reference, scoring)
    constraints = parse_constraints(task.constraints) if is_checked else ()
    start = _start(task, part_of)
    return judge.score(part, reference, scoring, constraints=constraints, start=start)


def failure_for(task: Task, outcome: Outcome, message: str) -> Score:
    """Return the score of an episode that left no part."""
    scoring = scoring_of(task)
    score = failure_score(outcome, message, scoring)
    return nothing_gained(score) if scoring.is_relative and task.start is not None else score


def check_for(task: Task, part: Part, judge: Judge, part_of: PartOf) -> ConstraintReport:
    """Return how a part stands to the constraints of a task; the arguments of ``score_for``."""
    constraints = parse_constraints(task.constraints)
    reference = part_of(task.reference) if task.reference is not None else None
    return judge.check(part, constraints, start=_start(task, part_of), reference=reference)


def _start(task: Task, part_of: PartOf) -> Part | None:
    return part_of(task.start) if task.start is not None else None
