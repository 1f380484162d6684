"""A workspace, a runtime and tasks that need no kernel, no GL and no second process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from cadwright.agent.trajectory import FORMAT
from cadwright.envs.core import Submission
from cadwright.envs.sources import GeometrySource
from cadwright.envs.task import EpisodeLimits, Task
from cadwright.rewards.score import MetricCard, Score, Term, Verdict
from cadwright.tools.errors import InfraError, Outcome, ToolError, WorkerCrash
from cadwright.tools.geometry.part import Inspection, Measures, Mesh, Part
from cadwright.tools.tool import (
    Block,
    ImageBlock,
    TextBlock,
    ToolCall,
    ToolResult,
    Toolset,
    ToolSpec,
    tool,
)

SECRET = "the hidden reference"
HEADER = {
    "format": FORMAT,
    "task": {"id": "box", "limits": {}},
    "suite": "",
    "task_digest": "",
    "seed": 0,
    "policy": "fake",
    "variant": "",
    "is_privileged": False,
}


def picture(value: int) -> ImageBlock:
    pixels = np.full((8, 8, 3), value % 256, np.uint8)
    return ImageBlock(pixels, f"fake-{value}", f"picture {value}")


def make_task(task_id: str = "box", **changes: Any) -> Task:
    values: dict[str, Any] = {
        "id": task_id,
        "brief": f"make {task_id}",
        "reference": GeometrySource(f"result = {SECRET!r}"),
        "limits": EpisodeLimits(turns=6, wall_s=30, repeated_failures=3),
        "meta": {"gold": {"program": f"good {task_id}"}},
    }
    return Task(**{**values, **changes})


def part_of(text: str) -> Part:
    return Part(brep=text.encode(), name=text)


def inspect(part: Part) -> Inspection:
    mesh = Mesh(np.zeros((3, 3)), np.zeros((1, 3), np.int32), np.zeros(1, np.int32))
    measures = Measures(
        volume_mm3=1.0,
        area_mm2=6.0,
        bbox_mm=((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)),
        bodies=1,
        is_watertight=True,
        is_valid=True,
        centre_mm=(0.5, 0.5, 0.5),
        inertia_mm5=None,
        num_faces=6,
        num_edges=12,
        num_triangles=12,
        open_edges=0,
    )
    return Inspection(Outcome.OK, "", measures, mesh, None)


class FakeTools:
    """``good ...`` and ``result = ...`` make a part; anything else is an error of the program."""

    def __init__(self) -> None:
        self.part: Part | None = None

    @tool
    def execute(self, code: str) -> ToolResult:
        """Run code.

        Args:
            code: The code.
        """
        if code.startswith("sleep"):
            time.sleep(float(code.split()[1]))
        if code == "crash":
            raise WorkerCrash("the worker died")
        if code == "bug":
            raise ZeroDivisionError("a bug of ours")
        if not code.startswith(("good", "result", "sleep")):
            raise ToolError(f"python_error: {code}", Outcome.PYTHON_ERROR)
        self.part = part_of(code)
        return ToolResult("execute", f"ok: {code}", (picture(len(code)),), deltas={"volume_mm3": 1})

    @tool
    def submit(self) -> ToolResult:
        """Hand in the part."""
        if self.part is None:
            raise ToolError("there is no part")
        return ToolResult("submit", "submitted", is_final=True)


class FakeWorkspace:
    confinement = ("a wall",)

    def __init__(self) -> None:
        self.tools_object = FakeTools()
        self.toolset = Toolset(self.tools_object)
        self.closed = 0
        self.nothing = Submission(None, Outcome.NO_RESULT, "no part was made")

    def reset(self, task: Task, seed: int) -> tuple[Block, ...]:
        del seed
        return (TextBlock(task.brief), picture(1))

    def call(self, call: ToolCall) -> ToolResult:
        result = self.toolset.call(call)
        if call.name == "execute" and result.outcome is not Outcome.OK:
            self.nothing = Submission(None, result.outcome, result.text)
        return result

    def finish(self) -> Submission:
        part = self.tools_object.part
        if part is None:
            return self.nothing
        return Submission(part, Outcome.OK, inspection=inspect(part), is_submitted=True)

    def tools(self) -> tuple[ToolSpec, ...]:
        return self.toolset.specs

    def close(self) -> None:
        self.closed += 1


class FakeJudge:
    def inspect(self, part: Part) -> Inspection:
        return inspect(part)

    def write(self, part: Part, fmt: str) -> bytes:
        return f"{fmt} of {part.name}".encode()

    def read(self, path: Path) -> Part:
        return part_of(path.read_bytes().decode())


class FakeRenderer:
    def sheet(self, inspection: Inspection) -> ImageBlock:
        del inspection
        return picture(100)

    def thumbnail(self, inspection: Inspection) -> ImageBlock:
        del inspection
        return picture(200)


CARD = MetricCard(protocol="fake", version=1, units="mm", alignment="none", num_points=10, seed=0)


class FakeRuntime:
    """Scores 1.0 for a part that was made by ``good <task id>``."""

    def __init__(self, score: Callable[[Task, Submission], Score] | None = None) -> None:
        self.judge = FakeJudge()
        self.renderer = FakeRenderer()
        self._score = score or honest_score
        self.closed = False

    def part_of(self, source: GeometrySource) -> Part:
        return part_of(source.text())

    def score(self, task: Task, submission: Submission) -> Score:
        return self._score(task, submission)

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def honest_score(task: Task, submission: Submission) -> Score:
    if submission.part is None:
        return Score(0.0, Verdict.INVALID, "there is no part")
    if task.id.startswith("leaky"):
        return Score(None, Verdict.UNSCORABLE, "the reference is not closed", (), CARD)
    value = 1.0 if submission.part.name == f"good {task.id}" else 0.4
    term = Term("iou", 1.0, value, "ratio", value)
    return Score(value, Verdict.SCORED, "measured", (term,), CARD)


def failing_score(task: Task, submission: Submission) -> Score:
    del task, submission
    raise InfraError("the judge is ill")


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "trajectory.jsonl").read_text().splitlines()]
