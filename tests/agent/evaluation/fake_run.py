"""An evaluation over fakes; as a script it is what a test kills in the middle."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1]))

from agent_fakes import FakeRuntime, FakeWorkspace, make_task

from cadwright.agent.evaluation.plan import plan
from cadwright.agent.evaluation.report import write_report
from cadwright.agent.evaluation.runner import evaluate
from cadwright.agent.evaluation.store import Row, RunFolder
from cadwright.agent.evaluation.worker import Settings
from cadwright.agent.policies.replay import ReplayPolicy
from cadwright.envs import workspaces
from cadwright.envs.task import Task

CONFIG = {"suite": "fakes", "policy": "replay", "num_episodes": 0, "version": "0", "seed": None}

Programs = dict[str, dict[str, str]]


def run_fakes(
    folder: Path,
    programs: Programs,
    *,
    num_workers: int = 2,
    open_runtime: Callable[[], Any] = FakeRuntime,
    make_policy: Callable[[], Any] | None = None,
    tasks: Sequence[Any] = (),
    settings: Settings | None = None,
    **options: Any,
) -> list[Row]:
    tasks = tasks or [make_task(task_id) for task_id in programs]
    policy = (make_policy or (lambda: ReplayPolicy(programs)))()
    works = plan(tasks, policy)
    fakes = mock.patch.object(workspaces, "make_workspace", _make_workspace)
    with fakes, RunFolder(folder, CONFIG) as store:
        return evaluate(
            works,
            store,
            settings or Settings(folder),
            open_runtime,
            make_policy or (lambda: ReplayPolicy(programs)),
            num_workers=num_workers,
            **options,
        )


def _make_workspace(task: Task, runtime: object) -> FakeWorkspace:
    del task, runtime
    return FakeWorkspace()


def many(number: int) -> Programs:
    bad = {n for n in range(number) if n % 5 == 0}
    return {
        f"t{n}": {"x": "bad" if n in bad else f"good t{n}", "y": "sleep 0.01"}
        for n in range(number)
    }


if __name__ == "__main__":
    run_fakes(Path(sys.argv[1]), many(int(sys.argv[2])))
    write_report(Path(sys.argv[1]))
