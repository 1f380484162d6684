from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import FakeRuntime, failing_score, make_task
from fake_run import many, run_fakes

from cadwright.agent.evaluation.plan import Work, plan
from cadwright.agent.evaluation.report import write_report
from cadwright.agent.evaluation.store import RESULTS, read_rows
from cadwright.agent.evaluation.summary import summarise
from cadwright.agent.evaluation.worker import Settings
from cadwright.agent.messages import AssistantTurn, Conversation
from cadwright.agent.policies.replay import ReplayPolicy
from cadwright.envs.task import EpisodeLimits
from cadwright.tools.errors import InfraError, Interrupted, UsageError
from cadwright.tools.tool import ToolSpec


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    times = ("seconds", "elapsed_s", "session")
    kept = [{k: v for k, v in row.items() if k not in times} for row in rows]
    return sorted(kept, key=lambda row: (row["task"], row["variant"], row["attempt"]))


def test_plan_holds_every_variant_of_every_task() -> None:
    policy = ReplayPolicy({"a": {"x": "1", "y": "2"}, "b": {"": "3"}, "unknown": {"": "4"}})
    works = plan([make_task("a"), make_task("b"), make_task("c")], policy)
    assert [work.key for work in works] == [("a", "x"), ("a", "y"), ("b", "")]


def test_limit_counts_tasks() -> None:
    policy = ReplayPolicy({"a": {"x": "1", "y": "2"}, "b": {"": "3"}})
    assert len(plan([make_task("a"), make_task("b")], policy, 1)) == 2


def test_plan_without_work_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="nothing to run"):
        plan([make_task("a")], ReplayPolicy({"b": {"": "1"}}))


def test_folder_names_of_hard_ids_are_apart_and_inside() -> None:
    ids = ["a/b", "a b", "../../escape", "Ø12–槽", "A", "a", "7", "a@x", "a+2"]
    works = [Work(make_task(i), v, n) for i in ids for v in ("", "x", "X") for n in (1, 2)]
    names = [work.folder_name for work in works]
    assert len({name.casefold() for name in names}) == len(works)
    assert not any("/" in name or name.startswith(".") for name in names)


def test_every_program_gets_one_row(tmp_path: Path) -> None:
    rows = run_fakes(tmp_path, many(6))
    assert Counter(row["outcome"] for row in rows) == {"ok": 10, "python_error": 2}


@pytest.mark.parametrize("num_workers", [1, 3])
def test_number_of_workers_changes_no_row(tmp_path: Path, num_workers: int) -> None:
    one = timeless(run_fakes(tmp_path / "one", many(5), num_workers=1))
    assert timeless(run_fakes(tmp_path / "n", many(5), num_workers=num_workers)) == one


def test_finished_work_is_not_done_again(tmp_path: Path) -> None:
    first = run_fakes(tmp_path, many(4))
    assert run_fakes(tmp_path, many(4)) == first


def test_run_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    number = 30
    script = Path(__file__).with_name("fake_run.py")
    command = [sys.executable, str(script), str(tmp_path / "killed"), str(number)]
    process = subprocess.Popen(command)
    results = tmp_path / "killed" / RESULTS
    while not results.exists() or results.read_bytes().count(b"\n") < number:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done_before = len(read_rows(results))
    assert number <= done_before < 2 * number
    killed = run_fakes(tmp_path / "killed", many(number))
    whole = run_fakes(tmp_path / "whole", many(number))
    assert timeless(killed) == timeless(whole)
    assert len({row["session"] for row in killed}) == 2


def test_report_of_a_resumed_run_has_the_same_figures(tmp_path: Path) -> None:
    run_fakes(tmp_path / "whole", many(4))
    run_fakes(tmp_path / "twice", dict(list(many(4).items())[:2]))
    run_fakes(tmp_path / "twice", many(4))
    figures = [write_report(tmp_path / name) for name in ("whole", "twice")]
    timed = ("seconds", "episode_seconds", "out")
    first, second = ({k: v for k, v in f.items() if k not in timed} for f in figures)
    assert first == second


def test_work_that_we_broke_is_tried_again_up_to_the_cap(tmp_path: Path) -> None:
    settings = Settings(tmp_path, max_attempts=3)
    rows = run_fakes(tmp_path, {"a": {"": "crash"}, "b": {"": "good b"}}, settings=settings)
    attempts = [row["attempt"] for row in rows if row["task"] == "a"]
    assert attempts == [1, 2, 3]
    assert [row["is_final"] for row in rows if row["task"] == "a"] == [False, False, True]
    assert summarise(rows)["infra_errors"] == 1


def test_second_try_that_works_counts(tmp_path: Path) -> None:
    class Flaky(FakeRuntime):
        tries = 0

        def score(self, task: Any, submission: Any) -> Any:
            Flaky.tries += 1
            if Flaky.tries == 1:
                raise InfraError("first time")
            return super().score(task, submission)

    rows = run_fakes(tmp_path, {"a": {"": "good a"}}, open_runtime=Flaky)
    assert [row["outcome"] for row in rows] == ["infra_error", "ok"]
    assert summarise(rows)["infra_errors"] == 0
    assert (tmp_path / "episodes" / "a").is_dir()
    assert (tmp_path / "episodes" / "a+2").is_dir()


class Sleeper(ReplayPolicy):
    """Hangs on one task until the test is over."""

    def __init__(self, programs: dict[str, dict[str, str]], wake: threading.Event) -> None:
        super().__init__(programs)
        self._wake = wake

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        if "hangs" in conversation.messages[0].text:
            self._wake.wait()
        return super().act(conversation, tools)


def test_work_that_hangs_in_a_policy_is_given_up(tmp_path: Path) -> None:
    programs = {name: {"": f"good {name}"} for name in ("a", "hangs", "b", "c")}
    limits = EpisodeLimits(wall_s=0.2)
    wake = threading.Event()
    rows = run_fakes(
        tmp_path,
        programs,
        num_workers=1,
        tasks=[make_task(name, limits=limits) for name in programs],
        make_policy=lambda: Sleeper(programs, wake),
        settings=Settings(tmp_path, max_attempts=1),
        grace_s=0.2,
    )
    wake.set()
    assert Counter(row["outcome"] for row in rows) == {"ok": 3, "infra_error": 1}
    stuck = next(row for row in rows if row["task"] == "hangs")
    assert stuck["fault"]["area"] == "policy"
    assert "no answer" in stuck["message"]


def test_runtime_that_cannot_open_ends_the_run(tmp_path: Path) -> None:
    def no_runtime() -> FakeRuntime:
        raise InfraError("no zygote")

    with pytest.raises(InfraError, match="no worker can run: no zygote"):
        run_fakes(tmp_path, many(2), open_runtime=no_runtime)


def test_a_worker_that_dies_leaves_the_reason(tmp_path: Path) -> None:
    (tmp_path / "episodes").mkdir()
    (tmp_path / "episodes" / "a").write_text("a file where a folder has to be")
    rows = run_fakes(tmp_path, {"a": {"": "good a"}}, settings=Settings(tmp_path, max_attempts=1))
    assert rows[0]["outcome"] == "infra_error"
    assert "its thread died: " in rows[0]["message"]
    assert "episodes/a" in rows[0]["message"]


def test_time_limit_of_the_run_is_on_record(tmp_path: Path) -> None:
    run_fakes(tmp_path, {"a": {"": "good a"}}, settings=Settings(tmp_path, time_limit_s=7.0))
    line = (tmp_path / "episodes" / "a" / "trajectory.jsonl").read_text().splitlines()[0]
    assert json.loads(line)["task"]["limits"]["wall_s"] == 7.0


def test_time_limit_also_bounds_one_call() -> None:
    task = replace(make_task(), limits=EpisodeLimits(step_s=30.0))
    assert Settings(Path("."), time_limit_s=2.0).limited(task).limits.step_s == 2.0


def test_runtimes_are_closed(tmp_path: Path) -> None:
    opened: list[FakeRuntime] = []

    def open_runtime() -> FakeRuntime:
        opened.append(FakeRuntime())
        return opened[-1]

    run_fakes(tmp_path, many(3), open_runtime=open_runtime)
    assert opened
    assert all(runtime.closed for runtime in opened)


def test_judge_that_fails_for_all_still_reaches_the_end(tmp_path: Path) -> None:
    rows = run_fakes(tmp_path, many(2), open_runtime=lambda: FakeRuntime(failing_score))
    finals = [row for row in rows if row["is_final"]]
    assert len(finals) == 4
    assert all(row["fault"]["area"] == "reward" for row in finals)


def test_the_first_ctrl_c_says_that_episodes_still_run(tmp_path: Path) -> None:
    told: list[int] = []

    def interrupt(row: object) -> None:
        if not told:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="after the running episodes"):
        run_fakes(tmp_path, many(4), num_workers=1, on_row=interrupt, on_stop=told.append)
    assert len(told) == 1
    assert told[0] <= 1
