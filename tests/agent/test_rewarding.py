"""Evidence out of an episode's folder, and the reward that a recipe makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from agent_fakes import FakeJudge, FakeRuntime, FakeWorkspace, failing_score, make_task

from cadwright.agent.episode import run_episode
from cadwright.agent.messages import AssistantTurn
from cadwright.agent.policies.scripted import ScriptedPolicy
from cadwright.agent.rewarding import StepScores, call_records, reward_of, statements_of
from cadwright.agent.trajectory import Trajectory, read_trajectory
from cadwright.envs import workspaces
from cadwright.envs.runtime import Runtime
from cadwright.envs.task import Task
from cadwright.rewards.recipes import load_recipe
from cadwright.tools.errors import GeometryError, Outcome, UsageError, WorkerTimeout
from cadwright.tools.geometry.part import Part
from cadwright.tools.tool import ToolCall

TASK = make_task()
CREATE = load_recipe("create")


def no_features(self: FakeJudge, part: Part) -> None:
    raise GeometryError(f"{part.name} has no features")


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeJudge, "features", no_features, raising=False)
    monkeypatch.setattr(workspaces, "make_workspace", lambda task, runtime: FakeWorkspace())


def execute(code: str) -> ToolCall:
    return ToolCall("execute", {"code": code})


SUBMIT = ToolCall("submit", {})
GOLD = [
    AssistantTurn("A 1 x 1 x 1 mm box.", (execute("result = slab"),)),
    AssistantTurn("", (execute("good box"),)),
    AssistantTurn("", (SUBMIT,)),
]
WRONG = [
    AssistantTurn("A 9 x 9 x 9 mm box.", (execute("1/0"),)),
    AssistantTurn("", (execute("1/0"), execute("result = slab"))),
    AssistantTurn("", (SUBMIT,)),
]


def played(folder: Path, turns: list[AssistantTurn], *, task: Task = TASK, **options: Any) -> Path:
    runtime = cast(Runtime, FakeRuntime(options.pop("score", None)))
    run_episode(task, ScriptedPolicy(turns), runtime, folder, **options)
    return folder


def trajectory(folder: Path, turns: list[AssistantTurn]) -> Trajectory:
    return read_trajectory(played(folder, turns))


def test_a_gold_episode_earns_one(tmp_path: Path) -> None:
    folder = played(tmp_path / "e", GOLD)
    reward = reward_of(folder, CREATE, runtime=cast(Runtime, FakeRuntime()), task=TASK)
    assert reward.value == 1.0


def test_a_wrong_episode_stays_below_half(tmp_path: Path) -> None:
    folder = played(tmp_path / "e", WRONG)
    reward = reward_of(folder, CREATE, runtime=cast(Runtime, FakeRuntime()), task=TASK)
    assert reward.value is not None
    assert reward.value < 0.5
    claims = reward.term("claims")
    assert claims is not None
    assert claims.value == 0.0


def test_the_reward_lies_beside_the_trajectory(tmp_path: Path) -> None:
    folder = played(tmp_path / "e", GOLD)
    reward = reward_of(folder, CREATE)
    assert json.loads((folder / "reward.json").read_text()) == reward.to_json()


def test_without_a_runtime_claims_have_no_value(tmp_path: Path) -> None:
    claims = reward_of(played(tmp_path / "e", GOLD), CREATE).term("claims")
    assert claims is not None
    assert claims.value is None


def test_only_the_assistant_makes_statements(tmp_path: Path) -> None:
    said = statements_of(trajectory(tmp_path / "e", GOLD))
    assert said == ("A 1 x 1 x 1 mm box.", "", "")


def test_calls_are_read_with_what_came_of_them(tmp_path: Path) -> None:
    calls = list(call_records(trajectory(tmp_path / "e", WRONG)))
    assert [(c.name, c.outcome, c.has_changed) for c in calls] == [
        ("execute", Outcome.PYTHON_ERROR, False),
        ("execute", Outcome.PYTHON_ERROR, False),
        ("execute", Outcome.OK, True),
        ("submit", Outcome.OK, False),
    ]


def test_arguments_that_are_no_object_can_be_counted(tmp_path: Path) -> None:
    odd = ToolCall("execute", cast(Any, ["code"]))
    folder = played(tmp_path / "e", [AssistantTurn("", (odd, odd)), *GOLD])
    fresh = reward_of(folder, CREATE).term("calls_fresh")
    assert fresh is not None
    assert fresh.value == 0.8


def test_steps_are_scored_by_running_the_calls_again(tmp_path: Path) -> None:
    folder = played(tmp_path / "e", GOLD)
    reward = reward_of(folder, CREATE, runtime=cast(Runtime, FakeRuntime()), task=TASK)
    # no part 0, slab 0.4, box 1.0, submitted: half of each difference, paid back at the end
    assert reward.steps == pytest.approx((0.2, 0.3, -0.5))


def test_a_live_episode_gives_the_same_steps(tmp_path: Path) -> None:
    workspace, runtime = FakeWorkspace(), cast(Runtime, FakeRuntime())
    scores = StepScores(TASK, runtime, workspace)
    folder = played(tmp_path / "live", GOLD, workspace=workspace, on_event=scores)
    scores.save(folder)
    again = reward_of(played(tmp_path / "again", GOLD), CREATE, runtime=runtime, task=TASK)
    assert scores.potentials == (0.0, 0.4, 1.0, 1.0)
    assert reward_of(folder, CREATE).steps == again.steps


def test_kept_steps_of_a_changed_task_are_measured_again(tmp_path: Path) -> None:
    folder = played(tmp_path / "e", GOLD)
    reward_of(folder, CREATE, runtime=cast(Runtime, FakeRuntime()), task=TASK)
    other = make_task(scoring={"protocol": "cadprompt"})
    reward_of(folder, CREATE, runtime=cast(Runtime, FakeRuntime()), task=other)
    kept = json.loads((folder / "steps.json").read_text())
    fresh = StepScores(other, cast(Runtime, FakeRuntime()), FakeWorkspace())
    fresh.save(tmp_path)
    assert kept["task_digest"] == json.loads((tmp_path / "steps.json").read_text())["task_digest"]


@pytest.mark.parametrize("name", ["score.json", "steps.json"])
def test_a_damaged_file_is_named(name: str, tmp_path: Path) -> None:
    folder = played(tmp_path / "e", GOLD)
    (folder / name).write_text("{")
    with pytest.raises(UsageError, match=name):
        reward_of(folder, CREATE)


@pytest.mark.parametrize(
    "break_it",
    [
        pytest.param(lambda folder: played(folder, GOLD, score=failing_score), id="judge"),
        pytest.param(
            lambda folder: played(folder, [AssistantTurn("", (execute("crash"),))]), id="tool"
        ),
        pytest.param(lambda folder: played(folder, GOLD, task=make_task("leaky")), id="reference"),
    ],
)
def test_faults_of_ours_are_masked(break_it: Callable[[Path], Path], tmp_path: Path) -> None:
    reward = reward_of(break_it(tmp_path / "e"), CREATE)
    assert reward.value is None
    assert reward.reason.startswith("masked by")


def test_constraints_whose_gauge_hangs_mask_the_reward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(*_: object, **__: object) -> None:
        raise WorkerTimeout("job 'constraints' did not end within 60 s")

    monkeypatch.setattr(FakeJudge, "check", hang, raising=False)
    task = make_task(constraints=({"kind": "bodies", "count": 1},))
    folder = played(tmp_path / "e", GOLD, task=task)
    reward = reward_of(folder, CREATE, runtime=cast(Runtime, FakeRuntime()), task=task)
    assert reward.value is None
    assert reward.reason.startswith("masked by constraints: the constraints could not be checked")
