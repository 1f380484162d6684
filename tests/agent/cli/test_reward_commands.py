"""``--recipe`` of run and report, over fakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from agent_fakes import FakeJudge, FakeRuntime, FakeWorkspace

from cadwright.agent.cli.app import run_command
from cadwright.envs import workspaces
from cadwright.envs.runtime import Runtime
from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.part import Part


def no_features(self: FakeJudge, part: Part) -> None:
    raise GeometryError(f"{part.name} has no features")


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(FakeJudge, "features", no_features, raising=False)
    monkeypatch.setattr(Runtime, "open", lambda **options: FakeRuntime())
    monkeypatch.setattr(workspaces, "make_workspace", lambda task, runtime: FakeWorkspace())
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.yaml"
    task = {
        "id": "one",
        "brief": "make one",
        "reference": {"program": "result = None"},
        "meta": {"gold": {"program": "good one"}},
    }
    path.write_text(yaml.safe_dump([task]), encoding="utf-8")
    return path


def last_line(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return found


def test_run_composes_a_reward(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run_command(
            ["run", f"{suite}#one", "-p", "expert", "--out", "e", "--recipe", "create", "--json"]
        )
        == 0
    )
    reward = last_line(capsys)["reward"]
    assert reward["value"] == 1.0
    assert reward["recipe"]["name"] == "create"
    assert json.loads(Path("e/reward.json").read_text()) == reward


def test_an_unknown_recipe_stops_before_the_episode(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e", "--recipe", "creat"]) == 2
    )
    assert "did you mean 'create'" in capsys.readouterr().err
    assert not Path("e").exists()


def test_report_rewards_a_finished_run(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    eval_command = ["eval", str(suite), "-p", "expert", "--limit", "1", "--out", "run", "-q"]
    assert run_command(eval_command) == 0
    capsys.readouterr()
    assert run_command(["report", "run", "--recipe", "create", "--json"]) == 0
    figures = last_line(capsys)
    assert figures["runs"]["run"]["mean"] == 1.0
    assert figures["recipe"] == "create"
    assert Path("run/episodes/one/reward.json").is_file()


def test_an_episode_that_is_gone_costs_its_own_reward_alone(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    eval_command = ["eval", str(suite), "-p", "expert", "--limit", "1", "--out", "run", "-q"]
    assert run_command(eval_command) == 0
    Path("run/episodes/one/trajectory.jsonl").unlink()
    capsys.readouterr()
    assert run_command(["report", "run", "--recipe", "create", "--json"]) == 0
    captured = capsys.readouterr()
    assert "no reward: run/episodes/one: no episode here" in captured.err
    assert json.loads(captured.out)["runs"]["run"]["episodes"] == 0
