"""The CAD environment: a confined CadQuery session, measured and drawn by clean processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cadwright.envs.core import Submission
from cadwright.envs.tool_env import ToolEnv
from cadwright.tools.cad import CadTools, Target
from cadwright.tools.errors import Outcome
from cadwright.tools.tool import (
    Block,
    ImageBlock,
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


class CadWorkspace:
    """A CAD session behind the three verbs.

    Args:
        runtime: Sandbox, judge and renderer.
        image_px: Edge length of every picture.
    """

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
        targets = self._targets(task)
        self._cad = CadTools(
            self._session,
            self._runtime.judge,
            self._runtime.renderer,
            targets=targets,
            image_px=self._image_px,
            step_s=task.limits.step_s,
        )
        self._tools = Toolset(self._cad, task.tools)
        return (TextBlock(task.brief), *(t.image for t in targets), *self._start(task))

    def call(self, call: ToolCall) -> ToolResult:
        """Run one tool call."""
        if self._tools is None:
            raise RuntimeError("call reset() first")
        return self._tools.call(call)

    def finish(self) -> Submission:
        """Return the current part."""
        if self._cad is None or self._cad.part is None:
            return Submission(None, Outcome.NO_RESULT, "no part was made")
        return Submission(
            self._cad.part,
            Outcome.OK,
            inspection=self._cad.inspection,
            is_submitted=self._cad.is_submitted,
        )

    def tools(self) -> tuple[ToolSpec, ...]:
        """Return the tools that the task allows."""
        return self._tools.specs if self._tools is not None else ()

    def close(self) -> None:
        """End the session. Idempotent."""
        session, self._session, self._cad, self._tools = self._session, None, None, None
        if session is not None:
            session.close()
