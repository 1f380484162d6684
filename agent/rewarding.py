"""From an episode to its composed reward: gather the evidence, then apply the recipe.

Most of it lies in the episode's folder: the score, the calls, the assistant's own words. What a
recipe asks beyond that is measured by the judge: the final part for claims and constraints, and
the part after every call for the steps. `StepScores` listens to a live episode for the latter;
for a finished one the recorded calls are run again in a fresh workspace.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.artifacts import write_json
from cadwright.agent.events import Began, Event, Executed
from cadwright.agent.header import task_digest
from cadwright.agent.messages import call_from_json
from cadwright.agent.trajectory import Record, Trajectory, read_trajectory
from cadwright.rewards.breakdown import RewardBreakdown
from cadwright.rewards.calls import CallRecord
from cadwright.rewards.consistency import Built
from cadwright.rewards.recipes import Evidence, Recipe
from cadwright.rewards.score import Score, Verdict
from cadwright.tools.errors import InfraError, Outcome, ToolError, UsageError
from cadwright.tools.files import read_text
from cadwright.tools.tool import ToolCall

if TYPE_CHECKING:
    from cadwright.envs.core import Workspace
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task
    from cadwright.rewards.constraints.result import ConstraintReport
    from cadwright.tools.geometry.part import Part

REWARD_FILE, STEPS_FILE = "reward.json", "steps.json"

_CLAIM_TERMS = frozenset({"claims", "plan"})
_LOOKING = frozenset({"render", "measure", "compare"})
_PART_FILES = ("part.brep", "part.stl")  # exact geometry first
_UNCHANGED = "nothing_changed"  # the notice of a step that left the part as it was

Potentials = tuple[float | None, ...]


class StepScores:
    """Scores the part before the first call and after every call of a live episode.

    Args:
        task: With its hidden half.
        runtime: Whose judge scores.
        workspace: What the episode works on.
    """

    def __init__(self, task: Task, runtime: Runtime, workspace: Workspace) -> None:
        self._task = task
        self._runtime = runtime
        self._workspace = workspace
        self._digest = ""
        self._potentials: list[float | None] = []

    @property
    def potentials(self) -> Potentials:
        """The scores so far; None where the judge could not say."""
        return tuple(self._potentials)

    def __call__(self, event: Event) -> None:
        """Listen to an episode."""
        if isinstance(event, Began | Executed):
            self.note()

    def note(self) -> None:
        """Score the part as it stands; one that has not changed is not scored again."""
        submission = self._workspace.finish()
        digest = submission.part.digest if submission.part is not None else "none"
        if digest == self._digest:
            self._potentials.append(self._potentials[-1])
            return
        self._digest = digest
        try:
            self._potentials.append(self._runtime.score(self._task, submission).value)
        except InfraError:
            self._potentials.append(None)

    def save(self, folder: Path) -> None:
        """Leave the scores beside the trajectory, for rewards that are made later."""
        data = {"task_digest": task_digest(self._task), "potentials": list(self._potentials)}
        write_json(folder / STEPS_FILE, data)


def reward_of(
    folder: Path, recipe: Recipe, *, runtime: Runtime | None = None, task: Task | None = None
) -> RewardBreakdown:
    """Return the reward of a finished episode and leave it there as ``reward.json``.

    Args:
        folder: Of the episode.
        recipe: What to compose.
        runtime: Measures what the folder does not hold; without one such terms have no value.
        task: The task with its hidden half, for constraints and steps.

    Raises:
        UsageError: No episode is there, or its files are damaged.
    """
    trajectory = read_trajectory(folder)
    reward = recipe.compose(evidence_of(trajectory, recipe, runtime=runtime, task=task))
    write_json(folder / REWARD_FILE, reward.to_json())
    return reward


def evidence_of(
    trajectory: Trajectory,
    recipe: Recipe,
    *,
    runtime: Runtime | None = None,
    task: Task | None = None,
) -> Evidence:
    """Return what a recipe needs to know about a finished episode; see `reward_of`."""
    score, outcome, message = _ending(trajectory)
    part = _stored_part(trajectory.folder, runtime) if runtime is not None else None
    built, report, failure = None, None, ""
    potentials = _saved_potentials(trajectory.folder, task)
    if runtime is not None and part is not None and _CLAIM_TERMS & recipe.asks:
        built = built_of(part, runtime)
    if runtime is not None and task is not None and score is not None:
        if part is not None and task.constraints and "constraints" in recipe.asks:
            report, failure = _report(task, part, runtime)
        if not potentials and (recipe.process is not None or "improvement" in recipe.asks):
            potentials = replayed_potentials(trajectory, task, runtime)
    return Evidence(
        score=score,
        outcome=outcome,
        message=message,
        statements=statements_of(trajectory),
        calls=tuple(call_records(trajectory)),
        built=built,
        report=report,
        report_failure=failure,
        potentials=potentials,
    )


def statements_of(trajectory: Trajectory) -> tuple[str, ...]:
    """Return the assistant's own words, turn by turn; nothing that a tool said is among them."""
    return tuple(
        "\n".join(block["text"] for block in record["blocks"] if block["type"] == "text")
        for record in trajectory.of_kind("message")
        if record["role"] == "assistant"
    )


def call_records(trajectory: Trajectory) -> Iterator[CallRecord]:
    """Yield the tool calls of an episode with what came of them."""
    for record, following in pairwise((*trajectory.records, {"kind": "nothing"})):
        if record["kind"] == "result":
            call = call_from_json(record["call"])
            outcome = Outcome(record["outcome"])
            is_ok = outcome is Outcome.OK
            yield CallRecord(
                call.name,
                _named(call.arguments),
                outcome,
                has_changed=is_ok and _has_changed(call, record),
                has_informed=is_ok and (call.name in _LOOKING or _has_printed(following)),
            )


def replayed_potentials(
    trajectory: Trajectory, task: Task, runtime: Runtime, *, workspace: Workspace | None = None
) -> Potentials:
    """Run the recorded calls again and return the score of the part before and after each.

    What a step made is not kept by an episode; the calls that made it are.
    """
    from cadwright.envs import workspaces

    made = workspace or workspaces.make_workspace(task, runtime)
    scores = StepScores(task, runtime, made)
    try:
        made.reset(task, trajectory.header["seed"])
        scores.note()
        for record in trajectory.of_kind("result"):
            made.call(call_from_json(record["call"]))
            scores.note()
    except InfraError:
        return ()
    finally:
        made.close()
    scores.save(trajectory.folder)
    return scores.potentials


def built_of(part: Part, runtime: Runtime) -> Built | None:
    """Return measures and features of a part, as far as they can be had."""
    try:
        measures = runtime.judge.inspect(part).measures
    except (InfraError, ToolError):
        return None
    if measures is None:
        return None
    try:
        return Built(measures, runtime.judge.features(part))
    except (InfraError, ToolError):
        return Built(measures)


def _ending(trajectory: Trajectory) -> tuple[Score | None, Outcome, str]:
    """Return score, outcome and reason; a score that was made later counts before the first."""
    ending, stored = trajectory.ending, trajectory.folder / "score.json"
    if ending is None:
        return None, Outcome.INFRA_ERROR, "the episode never ended"
    data = _read_json(stored) if stored.is_file() else ending["score"]
    score = None if data is None else Score.from_json(data)
    outcome = Outcome(ending["outcome"])
    if score is not None and score.verdict is Verdict.SCORED:
        outcome = Outcome.OK
    return score, outcome, ending["message"]


def _named(arguments: object) -> Mapping[str, Any]:
    """Return arguments by name, also where a model wrote something else than an object."""
    return arguments if isinstance(arguments, Mapping) else {"": arguments}


def _has_changed(call: ToolCall, record: Record) -> bool:
    if call.name != "execute":
        return call.name == "undo" or bool(record["deltas"])
    return all(notice["code"] != _UNCHANGED for notice in record["notices"])


def _has_printed(message: Record) -> bool:
    """Whether the answer to a call holds something that the program printed."""
    blocks: Sequence[Record] = message["blocks"] if message["kind"] == "message" else ()
    return any("printed:\n" in block.get("text", "") for block in blocks)


def _stored_part(folder: Path, runtime: Runtime) -> Part | None:
    for name in _PART_FILES:
        if (folder / name).is_file():
            try:
                return runtime.judge.read(folder / name)
            except (InfraError, ToolError):
                return None
    return None


def _saved_potentials(folder: Path, task: Task | None) -> Potentials:
    """Return scores of steps that were kept, unless the task now scores otherwise."""
    path = folder / STEPS_FILE
    if not path.is_file():
        return ()
    data = _read_json(path)
    is_stale = task is not None and data.get("task_digest") != task_digest(task)
    return () if is_stale else tuple(data.get("potentials") or ())


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(read_text(path))
    except ValueError as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(f"{path}: holds no mapping")
    return data


def _report(task: Task, part: Part, runtime: Runtime) -> tuple[ConstraintReport | None, str]:
    """Return how a part stands to the constraints of a task, or why nobody can say."""
    from cadwright.envs.judging import check_for

    try:
        return check_for(task, part, runtime.judge, runtime.part_of), ""
    except (InfraError, ToolError) as error:
        return None, f"the constraints could not be checked: {error}"
