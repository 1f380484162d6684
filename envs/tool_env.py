"""``ToolEnv``: any workspace as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces

from cadwright.envs.actions import parse_turn
from cadwright.envs.core import EndReason, EpisodeRules, Submission, Workspace
from cadwright.envs.observation import UnicodeText, blank, letterbox
from cadwright.envs.runtime import Runtime
from cadwright.envs.task import Task
from cadwright.tools.errors import InfraError, Outcome, ToolError, UsageError
from cadwright.tools.tool import Block, ImageBlock, TextBlock, ToolResult

if TYPE_CHECKING:
    from cadwright.rewards.score import Score

Observation = dict[str, Any]
MAX_TEXT = 1 << 16  # characters of one observation or action


class ToolEnv(gymnasium.Env[Observation, str]):
    """Any workspace as a Gymnasium environment.

    Description:
        An agent works on one part with tool calls and hands it in; its geometry is measured.

    Action Space:
        ``Text``: one assistant turn, a JSON tool call ``{"name": ..., "arguments": {...}}`` or a
        list of them. A bad action is answered in the next observation, never raised.

    Observation Space:
        ``Dict(image=Box(0, 255, (H, W, 3), uint8), text=Text)``: the newest picture, padded to a
        square, and what the tools said. All blocks of a turn are in ``info["blocks"]``.

    Rewards:
        0 until the episode ends, then ``info["score"].value``; 0 where the score is None (our
        own fault or an unusable reference), with ``info["is_masked"]`` set.

    Starting State:
        The task's brief, its pictures, and its start geometry where it has one. The task is
        ``options["task"]``, or drawn from ``suite`` by the seeded generator.

    Episode End:
        Terminated by ``submit``; truncated by the task's limits on turns, wall time and failures,
        in a row or of the same call, or by a fault of our own
        (``info["end_reason"] == "infra_error"``).

    Arguments:
        task: One task, or None.
        suite: A suite spec such as ``smoke``; exactly one of the two.
        image_px: Height and width of ``image``.
        render_mode: ``rgb_array`` or ``ansi``.
        backend: Renderer backend.
        runtime: Workers to share; the environment owns its own where this is None.

    Version History:
        v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        make_workspace: Callable[[Runtime, int], Workspace],
        *,
        task: Task | None = None,
        suite: str | Sequence[Task] | None = None,
        image_px: int = 512,
        render_mode: str | None = None,
        backend: str = "auto",
        runtime: Runtime | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UsageError(f"render_mode {render_mode!r}: use rgb_array, ansi or None")
        self.render_mode = render_mode
        self._make_workspace = make_workspace
        self._image_px = image_px
        self._backend = backend
        self._tasks = _tasks_of(task, suite)
        self._shared_runtime = runtime
        self._runtime: Runtime | None = None
        self._workspace: Workspace | None = None
        self._rules: EpisodeRules | None = None
        self._task: Task | None = None
        self._last: Observation | None = None
        self.action_space = UnicodeText(MAX_TEXT)
        self.observation_space = spaces.Dict(
            {
                "image": spaces.Box(0, 255, (image_px, image_px, 3), np.uint8),
                "text": UnicodeText(MAX_TEXT),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; ``options={"task": Task}`` chooses the task."""
        super().reset(seed=seed)
        task = (options or {}).get("task") or self._draw()
        episode_seed = int(self.np_random.integers(2**31))
        self._task, self._rules = task, EpisodeRules(task.limits)
        blocks = self._open().reset(task, episode_seed)
        self._last = self._observe(blocks)
        return self._last, {"task_id": task.id, "blocks": blocks, "tools": self._open().tools()}

    def step(self, action: str) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Run the calls of one turn."""
        if self._rules is None or self._task is None:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        try:
            results = self._run(action, self._rules)
        except InfraError as error:
            return self._broken(error)
        reason = self._rules.after_turn(results)
        blocks = tuple(block for result in results for block in result.blocks())
        self._last = self._observe(blocks)
        info: dict[str, Any] = {"blocks": blocks, "results": results}
        if reason is None:
            return self._last, 0.0, False, False, info
        return self._end(reason, info)

    def render(self) -> Any:
        """Return the newest picture (``rgb_array``) or text (``ansi``)."""
        if self._last is None:
            raise gymnasium.error.ResetNeeded("call reset() before render()")
        return self._last["text"] if self.render_mode == "ansi" else self._last["image"]

    def close(self) -> None:
        """Stop the workers. Idempotent, safe before ``reset``."""
        workspace, self._workspace = self._workspace, None
        runtime, self._runtime = self._runtime, None
        if workspace is not None:
            workspace.close()
        if runtime is not None and runtime is not self._shared_runtime:
            runtime.close()

    def __del__(self) -> None:
        """Trainers drop environments without closing them: nothing may be left behind."""
        if hasattr(self, "_runtime"):
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle and deepcopy the settings, not the running processes."""
        state = self.__dict__.copy()
        running = ("_runtime", "_shared_runtime", "_workspace", "_rules", "_task", "_last")
        return {**state, **dict.fromkeys(running)}

    def _open(self) -> Workspace:
        if self._workspace is None:
            self._runtime = self._shared_runtime or Runtime.open(backend=self._backend)
            self._workspace = self._make_workspace(self._runtime, self._image_px)
        return self._workspace

    def _draw(self) -> Task:
        return self._tasks[int(self.np_random.integers(len(self._tasks)))]

    def _run(self, action: str, rules: EpisodeRules) -> tuple[ToolResult, ...]:
        try:
            calls = parse_turn(action)
        except ToolError as error:
            if action.strip():  # silence is no call that could fail again
                rules.note_refusal(str(error))
            return (ToolResult("", f"error: {error}", outcome=Outcome.BAD_CALL),)
        results = []
        for call in calls:
            results.append(self._open().call(call))
            rules.note_call(call, results[-1])
            if results[-1].is_final:
                break
        return tuple(results)

    def _end(
        self, reason: EndReason, info: dict[str, Any]
    ) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        submission = self._open().finish()
        score = self._score(submission)
        self._rules = None
        info |= {
            "end_reason": reason.value,
            "submission": submission,
            "score": score,
            "is_masked": score.value is None,
        }
        is_submitted = reason is EndReason.SUBMITTED
        assert self._last is not None
        return self._last, score.value or 0.0, is_submitted, not is_submitted, info

    def _score(self, submission: Submission) -> Score:
        assert self._runtime is not None
        assert self._task is not None
        return self._runtime.score(self._task, submission)

    def _broken(
        self, error: InfraError
    ) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """End a broken episode without blaming the policy; the next ``reset`` starts afresh."""
        self._rules = None
        self.close()
        self._last = self._observe((TextBlock(f"the environment failed: {error}"),))
        info = {"end_reason": EndReason.INFRA_ERROR.value, "score": None, "is_masked": True}
        return self._last, 0.0, False, True, info

    def _image_shape(self) -> tuple[int, int]:
        """Height and width of ``image``."""
        return self._image_px, self._image_px

    def _observe(self, blocks: Sequence[Block]) -> Observation:
        texts = [b.text for b in blocks if isinstance(b, TextBlock)]
        images = [b for b in blocks if isinstance(b, ImageBlock)]
        image = letterbox(images[-1].pixels, *self._image_shape()) if images else None
        if image is None:
            image = self._last["image"].copy() if self._last else blank(*self._image_shape())
        return {"image": image, "text": "\n".join(texts)[:MAX_TEXT]}


def _tasks_of(task: Task | None, suite: str | Sequence[Task] | None) -> Sequence[Task]:
    if (task is None) == (suite is None):
        raise UsageError("give exactly one of task= and suite=")
    if task is not None:
        return (task,)
    if isinstance(suite, str):
        from cadwright.envs.suites import load_tasks

        return load_tasks(suite).tasks
    return tuple(suite or ())
