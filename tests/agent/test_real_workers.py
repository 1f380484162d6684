"""The loop, the commands and an evaluation through the real sandbox, judge and renderer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import records

from cadwright.agent.episode import run_episode
from cadwright.agent.episode_result import EpisodeResult
from cadwright.agent.policies import make_policy
from cadwright.agent.replay import replay
from cadwright.agent.trajectory import without_timing
from cadwright.envs.runtime import Runtime
from cadwright.envs.suites import load_tasks
from cadwright.tools.errors import Outcome

(DEMO,) = load_tasks("demo").tasks


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime.open() as opened:
        yield opened


@pytest.fixture(scope="module")
def demo(runtime: Runtime, tmp_path_factory: pytest.TempPathFactory) -> EpisodeResult:
    folder = tmp_path_factory.mktemp("demo") / "episode"
    return run_episode(DEMO, make_policy("scripted"), runtime, folder, suite="demo")


def cadwright(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "cadwright", *arguments]


def call(*arguments: str, cwd: Path) -> dict[str, Any]:
    done = subprocess.run(
        cadwright(*arguments, "--json"), capture_output=True, text=True, cwd=cwd, check=False
    )
    assert done.stdout.count("\n") == 1, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return {**data, "exit_code": done.returncode}


def test_demo_ends_with_a_perfect_score(demo: EpisodeResult) -> None:
    assert demo.outcome is Outcome.OK
    assert demo.score is not None
    assert demo.score.value == pytest.approx(1.0)


def test_demo_makes_a_mistake_sees_it_and_corrects_it(demo: EpisodeResult) -> None:
    results = [r for r in records(demo.folder) if r["kind"] == "result"]
    builds = [r for r in results if r["call"]["name"] == "execute"]
    looks = [r for r in results if r["call"]["name"] in ("measure", "render", "compare")]
    assert len(builds) >= 2
    assert looks
    assert results[-1]["call"]["name"] == "submit"


def test_demo_leaves_part_pictures_and_score(demo: EpisodeResult) -> None:
    assert {"part", "stl", "step", "sheet", "thumbnail"} <= set(demo.files)
    for name in (*demo.files.values(), "score.json", "trajectory.jsonl"):
        assert (demo.folder / name).stat().st_size > 0


def test_demo_replays_to_the_same_bytes(
    demo: EpisodeResult, runtime: Runtime, tmp_path: Path
) -> None:
    checks = replay(demo.folder, DEMO, runtime, tmp_path / "again")
    assert [check for check in checks if not check.is_equal] == []
    assert {"pictures", "part", "score"} <= {check.name for check in checks if check.num_compared}


def test_another_process_records_the_same_episode(demo: EpisodeResult, tmp_path: Path) -> None:
    call("run", "demo", "--policy", "scripted", "--out", "e", cwd=tmp_path)
    ours, theirs = (
        [without_timing(r) for r in records(folder) if r["kind"] != "header"]
        for folder in (demo.folder, tmp_path / "e")
    )
    assert theirs == ours


def test_walls_around_model_code_are_on_record(demo: EpisodeResult) -> None:
    (record,) = [r for r in records(demo.folder) if r["kind"] == "confinement"]
    assert all(isinstance(wall, str) for wall in record["walls"])


def test_nothing_hidden_is_on_record(demo: EpisodeResult) -> None:
    (line,) = [r for r in records(demo.folder) if r["kind"] == "header"]
    assert DEMO.reference is not None
    assert DEMO.reference.text()[:200] not in json.dumps(line)


@pytest.mark.parametrize("seed", range(3))
def test_random_calls_never_break_the_loop(runtime: Runtime, tmp_path: Path, seed: int) -> None:
    task = load_tasks("smoke").tasks[0]
    result = run_episode(task, make_policy("random"), runtime, tmp_path / "e", seed=seed)
    assert result.fault is None


def test_expert_solves_the_smoke_suite(tmp_path: Path) -> None:
    data = call("eval", "smoke", "--policy", "expert", "-j", "2", "--out", "run", cwd=tmp_path)
    assert data["exit_code"] == 0
    assert data["outcomes"] == {"ok": data["n"]}
    assert data["score_mean"] == pytest.approx(1.0, abs=1e-3)


def test_program_is_judged_in_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("import cadquery as cq\nresult = cq.Workplane().box(1, 2, 3)\n")
    data = call("judge", "p.py", cwd=tmp_path)
    assert data["outcome"] == "ok"
    assert data["measures"]["volume_mm3"] == pytest.approx(6.0)
    assert data["score"] is None


def test_program_that_fails_is_a_result_and_not_an_error(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("1 / 0\n")
    data = call("judge", "p.py", cwd=tmp_path)
    assert (data["outcome"], data["exit_code"]) == ("python_error", 0)


def test_reference_scores_full_against_itself(demo: EpisodeResult, tmp_path: Path) -> None:
    part = str(demo.folder / "part.step")
    data = call("judge", part, "--reference", part, cwd=tmp_path)
    assert data["score"]["value"] == pytest.approx(1.0)


def test_doctor_says_what_works(tmp_path: Path) -> None:
    data = call("doctor", cwd=tmp_path)
    assert {f["group"] for f in data["findings"]} == {"confinement", "rendering", "packages"}
    assert data["works"]


def data_folder(name: str) -> str:
    root = os.environ.get("CADWRIGHT_DATA")
    if root is None or not (Path(root) / name).exists():
        pytest.skip("CADWRIGHT_DATA does not name a folder with the data sets")
    return str(Path(root) / name)


@pytest.mark.slow
def test_experts_of_cadprompt_run_and_match(tmp_path: Path) -> None:
    suite = f"cadprompt:{data_folder('cadprompt')}"
    data = call("eval", suite, "--policy", "expert", "-j", "2", "--out", "run", cwd=tmp_path)
    assert data["outcomes"] == {"ok": 200}
    assert data["infra_errors"] == 0
    assert set(data["unscorable"]["tasks"]) == {"00522865", "00980412"}
    assert data["iou"]["over_0_99"] >= 168


@pytest.mark.slow
def test_references_of_cadqueryeval_score_full(tmp_path: Path) -> None:
    suite = f"cadqueryeval:{data_folder('cadqueryeval')}"
    data = call("eval", suite, "--policy", "expert", "-j", "2", "--out", "run", cwd=tmp_path)
    assert (data["n"], data["score_mean"]) == (25, 1.0)


@pytest.mark.slow
def test_killed_run_over_programs_of_a_model_ends_as_an_unbroken_one(tmp_path: Path) -> None:
    suite = f"cadprompt:{data_folder('cadprompt')}"
    programs = data_folder("cadtestbench/claude-4.6-sonnet.jsonl")
    command = ["eval", suite, "--policy", f"replay:{programs}", "-j", "2", "--limit", "20"]
    rows = tmp_path / "killed" / "results.jsonl"
    process = subprocess.Popen(
        cadwright(*command, "--out", "killed", "--quiet"), cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    while not rows.exists() or rows.read_bytes().count(b"\n") < 20:
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    killed = call(*command, "--out", "killed", cwd=tmp_path)
    whole = call(*command, "--out", "whole", cwd=tmp_path)
    timed = ("seconds", "episode_seconds", "out")
    assert {k: v for k, v in killed.items() if k not in timed} == {
        k: v for k, v in whole.items() if k not in timed
    }
    keys = [(r["task"], r["variant"]) for r in map(json.loads, rows.read_text().splitlines())]
    assert len(keys) == len(set(keys)) == killed["n"] == 40
