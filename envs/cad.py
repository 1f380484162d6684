"""The CAD environment: a confined CadQuery session, measured and drawn by clean processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from cadwright.envs.core import Submission, answered
from cadwright.envs.targets import drawn, targets_of
from cadwright.envs.tool_env import ToolEnv
from cadwright.tools import narrate
from cadwright.tools.answering import ANSWER_TOOLS, AnswerTools
from cadwright.tools.cad import CadTools
from cadwright.tools.errors import Outcome
from cadwright.tools.tool import (
    Block,
    TextBlock,
    ToolCall,
    ToolResult,
    Toolset,
    ToolSpec,
)

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task
    from cadwright.tools.sandbox import Session


MAX_MESSAGE = 300  # characters of a table cell; all of it is in the trajectory


class CadWorkspace:
    """A CAD session behind the three verbs.

    Args:
        runtime: Sandbox, judge and renderer.
        image_px: Edge length of every picture.
    """

    GOLD_SETTINGS: ClassVar[Mapping[str, bool]] = {}  # a demo looks at its work and compares

    def __init__(self, runtime: Runtime, image_px: int = 512) -> None:
        self._runtime = runtime
        self._image_px = image_px
        self._session: Session | None = None
        self._cad: CadTools | None = None
        self._tools: Toolset | None = None

    def reset(self, task: Task, seed: int) -> tuple[Block, ...]:
        """Open a fresh session and return brief, target pictures and start geometry."""
        self.close()
        self._session = self._runtime.sandbox.session(seed=seed)
        targets = targets_of(self._runtime, task, self._image_px)
        kind = CadTools if task.answer is None else AnswerTools
        self._cad = kind(
            self._session,
            self._runtime.judge,
            self._runtime.renderer,
            targets=targets,
            image_px=self._image_px,
            step_s=task.limits.step_s,
        )
        allowed = ANSWER_TOOLS if task.answer is not None and task.tools is None else task.tools
        self._tools = Toolset(self._cad, allowed)
        return (TextBlock(task.brief), *(t.image for t in targets), *self._start(task))

    def call(self, call: ToolCall) -> ToolResult:
        """Run one tool call."""
        if self._tools is None:
            raise RuntimeError("call reset() first")
        return self._tools.call(call)

    def finish(self) -> Submission:
        """Return the current part, or why there is none; the answer, where one is asked for."""
        if isinstance(self._cad, AnswerTools):
            return answered(self._cad.answer_given)
        if self._cad is None or self._cad.part is None:
            return _nothing(self._cad.failure if self._cad is not None else None)
        return Submission(
            self._cad.part,
            Outcome.OK,
            inspection=self._cad.inspection,
            is_submitted=self._cad.is_submitted,
        )

    def tools(self) -> tuple[ToolSpec, ...]:
        """Return the tools that the task allows."""
        return self._tools.specs if self._tools is not None else ()

    @property
    def confinement(self) -> tuple[str, ...]:
        """Walls that stand around the model's code."""
        return self._session.confinement if self._session is not None else ()

    def close(self) -> None:
        """End the session. Idempotent."""
        session, self._session, self._cad, self._tools = self._session, None, None, None
        if session is not None:
            session.close()

    def _start(self, task: Task) -> tuple[Block, ...]:
        """Put the start geometry into the session, as ``result``, and show it."""
        if task.start is None:
            return ()
        assert self._cad is not None
        part = self._runtime.part_of(task.start)
        inspection = self._runtime.judge.inspect(part)
        self._cad.load(part, inspection)
        text = "The part you begin with is in `result`."
        if part.brep is None:
            text = (
                "The mesh you begin with is in `start`, a trimesh.Trimesh to measure and rebuild."
            )
        if inspection.measures is not None and task.answer is None:  # else it tells the answer
            text += "\n" + narrate.headline(inspection.measures)
        return (TextBlock(text), drawn(self._runtime, inspection, "sheet", self._image_px))


def _nothing(failure: ToolResult | None) -> Submission:
    """A policy that never ran code did less than one whose code failed."""
    if failure is None:
        return Submission(None, Outcome.BAD_CALL, "no part was made: execute never ran")
    words = failure.text.removeprefix(f"{failure.outcome}: ").split()
    return Submission(None, failure.outcome, " ".join(words)[:MAX_MESSAGE])


class CadEnv(ToolEnv):
    """``cadwright/Cad-v0``: see ``ToolEnv``; the tools are those of ``CadTools``."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(CadWorkspace, **settings)
