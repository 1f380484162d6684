"""The browser environment: an agent at the screen of a CAD application, judged by its geometry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from cadwright.envs.core import Submission, answered
from cadwright.envs.observation import UnicodeText
from cadwright.envs.targets import targets_of
from cadwright.envs.tool_env import MAX_TEXT, ToolEnv
from cadwright.tools.browser import BrowserTools, Sight
from cadwright.tools.browsing.app import APPS
from cadwright.tools.browsing.page import Viewport
from cadwright.tools.errors import GeometryError, Outcome, TaskError
from cadwright.tools.tool import Block, TextBlock, ToolCall, ToolResult, Toolset, ToolSpec

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task
    from cadwright.tools.browsing.app import Exported

# What a task that asks for a number hides, and what one that asks for a part hides.
_ONLY_PARTS, _ONLY_ANSWERS = "submit", "answer"


@dataclass(frozen=True, slots=True)
class Stage:
    """What ``meta.browser`` of a task says.

    Attributes:
        app: Name of the application.
        document: What it shows at the start, in its own format.
        sight: What the policy sees of it.
        scale: Device pixels per CSS pixel.
    """

    app: str
    document: Mapping[str, Any]
    sight: Sight
    scale: float

    @classmethod
    def of(cls, task: Task) -> Stage:
        """Read the stage of a task.

        Raises:
            TaskError: A field is unknown or has a wrong value.
        """
        given = dict(task.meta.get("browser") or {})
        app = given.pop("app", "modeller")
        document, scale = given.pop("document", {}), given.pop("scale", 1.0)
        unknown = sorted(set(given) - {"elements", "marks", "pointer"})
        if unknown:
            raise TaskError(
                f"task {task.id}: meta.browser has the unknown field {unknown[0]!r}, "
                "known: app, document, scale, elements, marks, pointer"
            )
        if app not in APPS:
            raise TaskError(f"task {task.id}: app is {app!r}, allowed: {', '.join(APPS)}")
        return cls(app, document, Sight(**given), float(scale))


class BrowserWorkspace:
    """A page with a CAD application behind the three verbs.

    Args:
        runtime: Judge, renderer and the desk with the browser.
        image_px: Edge length of the target pictures; the screen has a size of its own.
        has_pictures: Whether targets and the screen are shown; gold calls need words alone.
    """

    GOLD_SETTINGS: ClassVar[Mapping[str, bool]] = {"has_pictures": False}

    def __init__(self, runtime: Runtime, image_px: int = 512, *, has_pictures: bool = True) -> None:
        self._runtime = runtime
        self._image_px = image_px
        self._has_pictures = has_pictures
        self._task: Task | None = None
        self._stage: Stage | None = None
        self._browser: BrowserTools | None = None
        self._tools: Toolset | None = None

    def reset(self, task: Task, seed: int) -> tuple[Block, ...]:
        """Open the app with the task's document and return brief, targets and the screen."""
        del seed  # an app has no randomness
        self.close()
        stage = Stage.of(task)
        desk = self._runtime.desk
        page = desk.begin(stage.app, stage.document, scale=stage.scale)
        self._task, self._stage = task, stage
        self._browser = BrowserTools(desk.host, page, stage.sight, has_pictures=self._has_pictures)
        self._tools = Toolset(self._browser, task.tools or self._usual_tools(task))
        has_targets = self._has_pictures
        targets = targets_of(self._runtime, task, self._image_px) if has_targets else ()
        pictures = (target.image for target in targets)
        return (TextBlock(task.brief), *pictures, *self._browser.look().blocks())

    def call(self, call: ToolCall) -> ToolResult:
        """Run one tool call."""
        if self._tools is None:
            raise RuntimeError("call reset() first")
        return self._tools.call(call)

    def finish(self) -> Submission:
        """Take the part out by the app's own export, or the number that was answered."""
        if self._browser is None or self._task is None or self._stage is None:
            return Submission(None, Outcome.NO_RESULT, "the episode never began")
        if self._task.answer is not None:
            return answered(self._browser.answer_given)
        desk = self._runtime.desk
        app = desk.app(self._stage.app)
        exported = desk.host.run(lambda: desk.export(app))
        return self._measured(exported, is_submitted=self._browser.is_submitted)

    def tools(self) -> tuple[ToolSpec, ...]:
        """Return the tools that the task allows."""
        return self._tools.specs if self._tools is not None else ()

    def close(self) -> None:
        """Leave the page; the desk keeps it for the next episode. Idempotent."""
        self._task, self._stage, self._browser, self._tools = None, None, None, None

    @staticmethod
    def _usual_tools(task: Task) -> tuple[str, ...]:
        hidden = _ONLY_PARTS if task.answer is not None else _ONLY_ANSWERS
        names = {spec.name for spec in Toolset(BrowserTools).specs}
        return tuple(sorted(names - {hidden}))

    def _measured(self, exported: Exported | None, *, is_submitted: bool) -> Submission:
        """Let the judge read what came out: an app's file is as hostile as any other."""
        if exported is None:
            return Submission(None, Outcome.EMPTY_GEOMETRY, "the app shows no body to export")
        judge = self._runtime.judge
        try:
            part = judge.read(exported.data, exported.format, name="export")
        except GeometryError as error:
            return Submission(None, error.outcome, str(error))
        inspection = judge.inspect(part)
        return Submission(
            part, inspection.outcome, inspection.message, inspection, is_submitted=is_submitted
        )


class BrowserEnv(ToolEnv):
    """``cadwright/Browser-v0``: see ``ToolEnv``; the tools are those of ``BrowserTools``.

    The observation's ``image`` is the screen at its own size, (768, 1024, 3) unless ``viewport``
    says otherwise. ``ComputerUse`` gives it an action space that can be sampled.
    """

    def __init__(self, *, viewport: Viewport | None = None, **settings: Any) -> None:
        self._viewport = viewport or Viewport()
        super().__init__(BrowserWorkspace, **settings)
        height, width = self._image_shape()
        self.observation_space = spaces.Dict(
            {
                "image": spaces.Box(0, 255, (height, width, 3), np.uint8),
                "text": UnicodeText(MAX_TEXT),
            }
        )

    def _image_shape(self) -> tuple[int, int]:
        return self._viewport.height, self._viewport.width
