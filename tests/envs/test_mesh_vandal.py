"""Foreign parts, damaged by the seeded vandal, are mended through the mesh environment.

The parts are the truths of CadQueryEval, which are not in this repository: set CADWRIGHT_DATA to
the folder that holds the data sets.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from cadwright.envs.domains.mesh_vandal import DAMAGES, vandalised
from cadwright.envs.mesh import MeshWorkspace
from cadwright.envs.runtime import Runtime
from cadwright.envs.sources import GeometrySource
from cadwright.envs.task import Task
from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.stl import write_stl
from cadwright.tools.meshing.triangles import diagonal_mm, welded
from cadwright.tools.tool import ToolCall

DIFFICULTY = 4  # holes, flipped, duplicate, degenerate and stray triangles, specks
NUM_TASKS = 25


def truth_of(number: int) -> Path:
    root = os.environ.get("CADWRIGHT_DATA")
    if not root:
        pytest.skip("CADWRIGHT_DATA does not name a folder with the data sets")
    return Path(root) / "cadqueryeval" / f"task{number}.stl"


def damaged_task(runtime: Runtime, truth: Path, seed: int) -> Task:
    mesh = runtime.part_of(GeometrySource(truth)).mesh
    assert mesh is not None
    mesh = welded(mesh)
    broken = vandalised(mesh, DAMAGES[DIFFICULTY], np.random.default_rng(seed))
    specks_mm = 0.02 * diagonal_mm(mesh)
    calls = [
        {"name": "clean", "arguments": {"min_body_mm": specks_mm}},
        {"name": "fix_winding", "arguments": {}},
        {"name": "fill_holes", "arguments": {}},
        {"name": "submit", "arguments": {}},
    ]
    return Task(
        id=f"vandal/{truth.stem}",
        brief="Mend it.",
        env="mesh",
        start=GeometrySource(write_stl(broken), "stl"),
        reference=GeometrySource(truth),
        meta={"gold": {"calls": calls}},
    )


def score_of(runtime: Runtime, task: Task, calls: tuple[ToolCall, ...]) -> float:
    workspace = MeshWorkspace(runtime, 96)
    try:
        workspace.reset(task, 0)
        for call in calls:
            result = workspace.call(call)
            assert result.outcome is Outcome.OK, f"{call.name}: {result.text}"
        value = runtime.score(task, workspace.finish()).value
    finally:
        workspace.close()
    assert value is not None
    return value


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, NUM_TASKS + 1))
def test_a_damaged_truth_is_mended(runtime: Runtime, number: int) -> None:
    task = damaged_task(runtime, truth_of(number), seed=number)
    assert task.gold is not None
    assert score_of(runtime, task, task.gold.calls) == pytest.approx(1.0, abs=1e-9)
    assert score_of(runtime, task, task.gold.calls[-1:]) == 0.0
