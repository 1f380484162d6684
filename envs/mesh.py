"""The mesh environment: triangle meshes on a desk, worked on by confined processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from cadwright.envs.core import Submission, answered
from cadwright.envs.targets import targets_of
from cadwright.envs.tool_env import ToolEnv
from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.mesh import MeshTools
from cadwright.tools.mesh_answering import MESH_ANSWER_TOOLS, MeshAnswerTools
from cadwright.tools.meshing.client import MeshingClient
from cadwright.tools.tool import Block, TextBlock, ToolCall, ToolResult, Toolset, ToolSpec

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task

START = "part"  # name of the mesh that a task begins with


class MeshWorkspace:
    """A desk of meshes behind the three verbs.

    Args:
        runtime: Sandbox, judge and renderer.
        image_px: Edge length of every picture.
        has_pictures: Whether each result shows the mesh; gold calls need words alone.
    """

    GOLD_SETTINGS: ClassVar[Mapping[str, bool]] = {"has_pictures": False}

    def __init__(self, runtime: Runtime, image_px: int = 512, *, has_pictures: bool = True) -> None:
        self._runtime = runtime
        self._image_px = image_px
        self._has_pictures = has_pictures
        self._mesh: MeshTools | None = None
        self._tools: Toolset | None = None

    def reset(self, task: Task, seed: int) -> tuple[Block, ...]:
        """Clear the desk and return brief, target pictures and start geometry.

        Raises:
            GeometryError: The start geometry of the task is a file that cannot be read.
        """
        self.close()
        targets = targets_of(self._runtime, task, self._image_px)
        kind = MeshTools if task.answer is None else MeshAnswerTools
        self._mesh = kind(
            MeshingClient(self._runtime.mesher, step_s=task.limits.step_s),
            self._runtime.judge,
            self._runtime.renderer,
            open_session=lambda: self._runtime.sandbox.session(seed=seed),
            targets={target.view: target.image for target in targets if target.view},
            image_px=self._image_px,
            has_pictures=self._has_pictures,
            step_s=task.limits.step_s,
        )
        allowed = MESH_ANSWER_TOOLS if task.answer is not None and not task.tools else task.tools
        self._tools = Toolset(self._mesh, allowed)
        return (TextBlock(task.brief), *(t.image for t in targets), *self._start(task))

    def call(self, call: ToolCall) -> ToolResult:
        """Run one tool call."""
        if self._tools is None:
            raise RuntimeError("call reset() first")
        return self._tools.call(call)

    def finish(self) -> Submission:
        """Return the current mesh, or why there is none; the answer, where one is asked for."""
        if isinstance(self._mesh, MeshAnswerTools):
            return answered(self._mesh.answer_given)
        if self._mesh is None or self._mesh.part is None:
            return Submission(None, Outcome.BAD_CALL, "no mesh was made")
        return Submission(
            self._mesh.part,
            Outcome.OK,
            inspection=self._mesh.inspection,
            is_submitted=self._mesh.is_submitted,
        )

    def tools(self) -> tuple[ToolSpec, ...]:
        """Return the tools that the task allows."""
        return self._tools.specs if self._tools is not None else ()

    @property
    def confinement(self) -> tuple[str, ...]:
        """Walls that stand around the model's code."""
        return self._mesh.confinement if self._mesh is not None else ()

    def close(self) -> None:
        """End the session; the runtime keeps its worker. Idempotent."""
        mesh, self._mesh, self._tools = self._mesh, None, None
        if mesh is not None:
            mesh.close()

    def _start(self, task: Task) -> tuple[Block, ...]:
        """Put the start geometry on the desk and show it; exact geometry comes as triangles."""
        if task.start is None:
            return ()
        assert self._mesh is not None
        part = self._runtime.part_of(task.start)
        self._mesh.begin_with(START, part.mesh or self._triangles(task))
        shown = self._mesh.shown()
        text = f"The mesh you begin with is called `{START}`.\n{shown.text}"
        return (TextBlock(text), *shown.images)

    def _triangles(self, task: Task) -> Mesh:
        assert task.start is not None
        inspection = self._runtime.judge.inspect(self._runtime.part_of(task.start))
        if inspection.mesh is None:
            raise GeometryError(inspection.message, inspection.outcome)
        return inspection.mesh


class MeshEnv(ToolEnv):
    """``cadwright/Mesh-v0``: see ``ToolEnv``; the tools are those of ``MeshTools``."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(MeshWorkspace, **settings)
