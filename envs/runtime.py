"""The workers behind an episode: sandbox, judge and renderer, opened and closed together.

One ``Runtime`` serves one episode at a time. An evaluation opens one per thread over a shared
sandbox, so that CadQuery is imported once.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol, Self

from cadwright.tools.errors import GeometryError, Outcome, TaskError

if TYPE_CHECKING:
    from cadwright.envs.core import Submission
    from cadwright.envs.sources import GeometrySource
    from cadwright.envs.task import Task
    from cadwright.rewards.judge import Judge
    from cadwright.rewards.score import Score
    from cadwright.tools.browsing.desk import Desk
    from cadwright.tools.geometry.part import Part
    from cadwright.tools.rendering.client import RenderClient
    from cadwright.tools.sandbox import Sandbox
    from cadwright.tools.sandbox.worker import Worker

MESHING = "cadwright.tools.meshing.jobs"
CACHED_PARTS = 64  # references and start parts; a few hundred kB each


class Closable(Protocol):
    """Anything with processes behind it."""

    def close(self) -> None:
        """Stop them."""


class Runtime:
    """The processes that one episode uses.

    Args:
        sandbox: Runs model code and forks the judge.
        judge: Measures and scores.
        renderer: Draws.
    """

    def __init__(self, sandbox: Sandbox, judge: Judge, renderer: RenderClient) -> None:
        self.sandbox = sandbox
        self.judge = judge
        self.renderer = renderer
        self._owned: list[Closable] = []
        self._desk: Desk | None = None
        self._mesher: Worker | None = None
        self._parts: OrderedDict[str, Part] = OrderedDict()

    @classmethod
    def open(
        cls, *, sandbox: Sandbox | None = None, backend: str = "auto", is_strict: bool = False
    ) -> Runtime:
        """Start what an episode needs; processes start at their first use.

        Args:
            sandbox: A shared sandbox, or None to own one.
            backend: Renderer: ``auto``, ``moderngl``, ``pyrender`` or ``raycast``.
            is_strict: Refuse to run model code where a confinement primitive is missing.
        """
        from cadwright.rewards.judge import Judge
        from cadwright.tools.rendering.client import RenderClient
        from cadwright.tools.sandbox import Sandbox

        owned = sandbox is None
        sandbox = Sandbox(strict=is_strict) if sandbox is None else sandbox
        worker = sandbox.worker("cadwright.rewards.jobs")
        renderer = RenderClient(backend)
        runtime = cls(sandbox, Judge(worker), renderer)
        runtime._owned = [renderer, worker, *([sandbox] if owned else [])]
        return runtime

    def part_of(self, source: GeometrySource) -> Part:
        """Return the part that a task's geometry source describes; small cache by content.

        Raises:
            GeometryError: The file cannot be read, or the program makes no part.
        """
        key = source.digest
        if key in self._parts:
            self._parts.move_to_end(key)
            return self._parts[key]
        part = self._run(source) if source.is_program else self._read(source)
        self._parts[key] = part
        if len(self._parts) > CACHED_PARTS:
            self._parts.popitem(last=False)
        return part

    @property
    def desk(self) -> Desk:
        """The browser and the apps that were opened in it; started at the first use."""
        if self._desk is None:
            from cadwright.tools.browsing.desk import Desk

            self._desk = Desk()
            self._owned.append(self._desk)
        return self._desk

    @property
    def mesher(self) -> Worker:
        """The worker that does operations on meshes; started at the first use."""
        if self._mesher is None:
            self._mesher = self.sandbox.worker(MESHING)
            self._owned.insert(0, self._mesher)  # before the sandbox that it lives in
        return self._mesher

    def score(self, task: Task, submission: Submission) -> Score:
        """Score what an episode left behind against the task's hidden half."""
        from cadwright.envs.judging import failure_for, score_for
        from cadwright.rewards.answer import Answer, answer_score
        from cadwright.rewards.score import Score, Verdict

        if task.answer is not None:
            return answer_score(submission.answer, Answer.from_dict(task.answer))
        if submission.part is None:
            return failure_for(task, submission.outcome, submission.message)
        try:
            return score_for(task, submission.part, self.judge, self.part_of)
        except (GeometryError, TaskError) as error:  # only the task's own geometry is read here
            return Score(None, Verdict.UNSCORABLE, f"the task's geometry cannot be used: {error}")

    def close(self) -> None:
        """Stop what ``open`` started. Idempotent."""
        self._desk = self._mesher = None
        while self._owned:
            self._owned.pop(0).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, source: GeometrySource) -> Part:
        step = self.sandbox.run(source.text())
        if step.outcome is not Outcome.OK or step.part is None:
            reason = str(step.error) if step.error is not None else "it made no part"
            raise GeometryError(f"{source.name} failed ({step.outcome}): {reason}", step.outcome)
        return step.part

    def _read(self, source: GeometrySource) -> Part:
        return self.judge.read(source.read(), source.format, name=source.name)
