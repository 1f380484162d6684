from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import FakeRuntime, FakeWorkspace, honest_score, make_task, picture

from cadwright.agent.episode import run_episode
from cadwright.agent.messages import AssistantTurn
from cadwright.agent.policies.expert import ExpertPolicy
from cadwright.agent.policies.policy import Policy
from cadwright.agent.policies.random import RandomPolicy
from cadwright.agent.policies.scripted import ScriptedPolicy
from cadwright.agent.replay import Check, recorded_backend, replay
from cadwright.agent.trajectory import Trajectory, png
from cadwright.envs.core import Submission
from cadwright.envs.task import Task
from cadwright.rewards.score import Score
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ToolCall


def record(folder: Path, policy: Policy | None = None, task: Task | None = None) -> Path:
    policy = policy or ScriptedPolicy(
        [
            AssistantTurn("first", (ToolCall("execute", {"code": "bad"}, "1"),)),
            AssistantTurn("", (ToolCall("execute", {"code": "good box"}, "2"),)),
            AssistantTurn("", (ToolCall("submit", {}, "3"),)),
        ]
    )
    workspace = FakeWorkspace()
    run_episode(task or make_task(), policy, FakeRuntime(), folder, workspace=workspace)  # type: ignore[arg-type]
    return folder


def again(folder: Path, task: Task | None = None, **options: Any) -> list[Check]:
    runtime = options.pop("runtime", FakeRuntime())
    into = folder.with_name("again")
    return replay(folder, task or make_task(), runtime, into, workspace=FakeWorkspace())


def test_replay_gives_the_same(tmp_path: Path) -> None:
    checks = again(record(tmp_path / "e"))
    assert all(check.is_equal for check in checks)
    assert all(check.num_compared > 0 for check in checks)


@pytest.mark.parametrize("seed", range(5))
def test_random_episode_replays(tmp_path: Path, seed: int) -> None:
    task = make_task(seed=seed)
    checks = again(record(tmp_path / "e", RandomPolicy(), task), task)
    assert [check for check in checks if not check.is_equal] == []


def test_privileged_episode_replays(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_text("good box")
    task = make_task(meta={"gold": {"file": str(tmp_path / "part.stl")}})
    checks = again(record(tmp_path / "e", ExpertPolicy(), task), task)
    assert all(check.is_equal for check in checks)


def test_changed_score_is_found_and_located(tmp_path: Path) -> None:
    folder = record(tmp_path / "e")

    def other(task: Task, submission: Submission) -> Score:
        score = honest_score(task, submission)
        return replace(score, terms=(replace(score.terms[0], raw=0.5),))

    (check,) = [c for c in again(folder, runtime=FakeRuntime(other)) if not c.is_equal]
    assert (check.name, check.difference) == ("score", "number 1: terms[0].raw: 1.0 became 0.5")


def test_changed_observation_is_found_and_shown(tmp_path: Path) -> None:
    folder = record(tmp_path / "e")
    path = folder / "trajectory.jsonl"
    path.write_text(path.read_text().replace("ok: good box", "ok: better box"))
    (check,) = [check for check in again(folder) if not check.is_equal]
    assert check.name == "observation texts"
    assert "ok: better box became ok: good box" in check.difference


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (png(picture(99)), "images/0001.png is not the picture on record"),
        (b"no picture", "0001.png: no readable picture"),
        (None, "0001.png: the picture is gone"),
    ],
    ids=["another", "damaged", "gone"],
)
def test_a_stored_picture_that_is_not_the_recorded_one_is_named(
    tmp_path: Path, data: bytes | None, said: str
) -> None:
    folder = record(tmp_path / "e")
    file = folder / "images/0001.png"
    file.unlink()
    if data is not None:
        file.write_bytes(data)
    (check,) = [check for check in again(folder) if not check.is_equal]
    assert check.name == "picture files"
    assert said in check.difference


def test_limits_that_are_none_are_named(tmp_path: Path) -> None:
    path = record(tmp_path / "e") / "trajectory.jsonl"
    path.write_text(path.read_text().replace('"turns":', '"rounds":', 1))
    with pytest.raises(UsageError, match=r"damaged header: task\.limits: .*rounds"):
        again(tmp_path / "e")


def test_other_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not what it was"):
        again(record(tmp_path / "e"), make_task(brief="make a ball"))


def test_episode_that_never_ended_is_refused(tmp_path: Path) -> None:
    path = record(tmp_path / "e") / "trajectory.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    assert json.loads(lines[-1])["kind"] == "end"
    path.write_text("".join(lines[:-1]))
    with pytest.raises(UsageError, match="never ended"):
        again(tmp_path / "e")


@pytest.mark.parametrize(
    ("render_id", "backend"),
    [
        ("raycast/sheet|front/512x512/1", "raycast"),
        ("raycast-fallback/sheet|front/512x512/1", "raycast"),
        ("pyrender/view|iso/512x512/1", "pyrender"),
        ("moderngl/view|iso/512x512/1", "auto"),
        ("of the task", "auto"),
    ],
)
def test_pictures_are_drawn_again_by_what_drew_them(
    tmp_path: Path, render_id: str, backend: str
) -> None:
    block = {"type": "image", "render_id": render_id}
    message = {"kind": "message", "role": "tool", "blocks": [block]}
    assert recorded_backend(Trajectory(tmp_path, (message,), False)) == backend
