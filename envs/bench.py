"""A workbench for many tasks: parts, measurements and scores, each made once.

Tasks of one family ask for the same parts in many ways. What was made, measured or scored is kept
by content, so that the second task that needs it pays nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from cadwright.envs.judging import check_for, score_for
from cadwright.envs.pointing import pointed
from cadwright.rewards.score import Verdict
from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.kept import Kept
from cadwright.tools.tool import TextBlock

if TYPE_CHECKING:
    from cadwright.envs.core import Submission
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.sources import GeometrySource
    from cadwright.envs.task import Task
    from cadwright.rewards.constraints.result import ConstraintReport
    from cadwright.rewards.judge import Judge
    from cadwright.rewards.score import Score
    from cadwright.tools.geometry.part import Inspection, Part
    from cadwright.tools.sandbox import Sandbox, StepResult
    from cadwright.tools.tool import ToolCall

KEPT = 128  # of each kind; a part is a few hundred kB


class Replay(Protocol):
    """Plays calls in a workspace of the task's environment."""

    def __call__(self, task: Task, calls: Sequence[ToolCall]) -> Submission:
        """Return what they leave behind."""


class Workbench:
    """Makes, measures and scores parts for tasks.

    Args:
        judge: Reads, measures and scores in a clean process.
        sandbox: Runs programs, or None where none may be run.
        replay: Plays gold calls, or None where only programs and files can be checked.
        read: Reads part files, where somebody keeps them already; the judge otherwise.
    """

    def __init__(
        self,
        judge: Judge,
        sandbox: Sandbox | None = None,
        replay: Replay | None = None,
        *,
        read: Callable[[GeometrySource], Part] | None = None,
    ) -> None:
        self.judge = judge
        self.sandbox = sandbox
        self.replay = replay
        self._read = read or self._read_by_judge
        self._parts: Kept[Part] = Kept(KEPT)
        self._inspections: Kept[Inspection] = Kept(KEPT)
        self._scores: Kept[Score] = Kept(4 * KEPT)
        self._played: Kept[Part | None] = Kept(KEPT)
        self._reports: Kept[ConstraintReport] = Kept(4 * KEPT)

    @classmethod
    def of(cls, runtime: Runtime) -> Workbench:
        """Return the workbench of a runtime, which can play calls in every environment."""

        def replay(task: Task, calls: Sequence[ToolCall]) -> Submission:
            return played(runtime, task, calls)

        return cls(runtime.judge, runtime.sandbox, replay, read=runtime.part_of)

    def part(self, source: GeometrySource) -> Part:
        """Return the part of a source; of a program only where there is a sandbox.

        Raises:
            GeometryError: It cannot be read, or its program makes no part.
            TaskError: The file cannot be read.
        """
        return self._parts.get(source.digest, lambda: self._make(source))

    def inspect(self, part: Part) -> Inspection:
        """Return what the judge measures of a part."""
        return self._inspections.get(part.digest, lambda: self.judge.inspect(part))

    def score(self, task: Task, part: Part) -> Score:
        """Return what a part earns in a task."""
        key = _key(task, part)
        score = self._scores.get(key, lambda: score_for(task, part, self.judge, self.part))
        if score.verdict is Verdict.INFRA_ERROR:  # our own failure: another try may succeed
            self._scores.drop(key)
        return score

    def check(self, task: Task, part: Part) -> ConstraintReport:
        """Return how a part stands to the constraints of a task."""
        return self._reports.get(
            _key(task, part), lambda: check_for(task, part, self.judge, self.part)
        )

    def play(self, task: Task, calls: Sequence[ToolCall]) -> Part | None:
        """Return the part that calls lead to in a task, or None where there is none."""
        if self.replay is None:
            return None
        replay, key = self.replay, (task.id, json.dumps([call.to_json() for call in calls]))
        return self._played.get(key, lambda: self._taken(replay(task, calls)))

    def _taken(self, submission: Submission) -> Part | None:
        part, inspection = submission.part, submission.inspection
        if part is not None and inspection is not None:  # measured already
            self._inspections.get(part.digest, lambda: inspection)
        return part

    def _make(self, source: GeometrySource) -> Part:
        if not source.is_program:
            return self._read(source)
        if self.sandbox is None:
            raise GeometryError("it is a program and there is no sandbox to run it")
        return part_of(self.sandbox.run(source.text()))

    def _read_by_judge(self, source: GeometrySource) -> Part:
        return self.judge.read(source.read(), source.format, name=source.name)


def played(runtime: Runtime, task: Task, calls: Sequence[ToolCall]) -> Submission:
    """Return what calls leave behind in a fresh workspace of the task.

    Raises:
        InfraError: The environment failed.
        UsageError: A call names something that is not on the screen.
    """
    from cadwright.envs.workspaces import gold_workspace

    workspace = gold_workspace(task, runtime)
    try:
        told = [b.text for b in workspace.reset(task, task.seed) if isinstance(b, TextBlock)]
        for call in calls:
            results = [workspace.call(one) for one in pointed(call, reversed(told))]
            told += [result.text for result in results]
            if any(result.is_final for result in results):
                break
        return workspace.finish()
    finally:
        workspace.close()


def part_of(step: StepResult) -> Part:
    """Return the part that a program made, with what the sandbox had to say about it.

    Raises:
        GeometryError: It made none.
    """
    if step.outcome is not Outcome.OK or step.part is None:
        reason = step.error.message if step.error is not None else "it made no part"
        raise GeometryError(f"the program ended in {step.outcome}: {reason}", step.outcome)
    # a font that was not found, say: the same program makes another part on another machine
    return replace(step.part, notices=(*step.part.notices, *step.notices))


def _key(task: Task, part: Part) -> tuple[str, ...]:
    asked = {"scoring": dict(task.scoring), "constraints": [dict(c) for c in task.constraints]}
    sources = (task.reference, task.start)
    digests = (source.digest if source is not None else "" for source in sources)
    return (part.digest, *digests, json.dumps(asked, sort_keys=True))
