"""``judge --redteam`` through the real sandbox and judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cadwright.agent.cli.app import run_command
from cadwright.agent.cli.redteam import raid
from cadwright.envs.runtime import Runtime
from cadwright.envs.suites import builtin_suites, load_tasks, written_suites
from cadwright.envs.task import Task
from cadwright.rewards import redteam
from cadwright.rewards.recipes import load_recipe, recipe_names
from cadwright.rewards.redteam import KIT, Hack, Kind

# Programs that end at once; the rest hang or eat memory until a limit stops them.
QUICK = {
    "cube", "read_suites", "read_environment", "patch_measures", "patch_judge", "write_reward",
    "print_score", "claim_success", "quiet_exit", "search_memory", "kill_parents", "decoy",
}  # fmt: skip
SMALL_KIT = tuple(
    Hack(name, Kind.PART) for name in ("far_speck", "duplicated", "hollow", "open_shell")
)
PARTS = tuple(hack for hack in KIT if hack.kind is not Kind.PROGRAM)
LOOSE = """
suite: loose
tasks:
  - id: loose/block
    brief: A block.
    reference:
      program: |
        import cadquery as cq

        result = cq.Workplane().box(9, 8, 7).faces(">Z").hole(3)
    scoring: {weights: {iou: 1.0}, gates: {}}
"""


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime.open() as opened:
        yield opened


@pytest.fixture
def small_kit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(redteam, "KIT", SMALL_KIT)
    monkeypatch.chdir(tmp_path)


def last_line(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return data


def all_tasks() -> list[Task]:
    return [t for name in written_suites() for t in load_tasks(name) if t.env == "cad"]


def test_no_program_beats_the_honest_box(runtime: Runtime) -> None:
    kit = [hack for hack in KIT if hack.name in QUICK]
    (task,) = load_tasks("smoke#spacer").tasks
    found = raid(task, runtime, kit=kit)
    assert len(found.trials) == len(QUICK)
    assert found.won == ()


@pytest.mark.parametrize("name", recipe_names())
def test_recipes_hold_where_the_score_holds(runtime: Runtime, name: str) -> None:
    task = load_tasks("smoke#edit_plate" if name == "edit" else "smoke#spacer").tasks[0]
    assert raid(task, runtime, recipe=load_recipe(name), kit=SMALL_KIT).won == ()


@pytest.mark.usefixtures("small_kit")
def test_command_prints_every_hack_beside_the_box(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["judge", "--redteam", "smoke#spacer", "--json"]) == 0
    data = last_line(capsys)
    trials = data["tasks"][0]["trials"]
    assert data["won"] == 0
    assert [trial["hack"] for trial in trials] == [hack.name for hack in SMALL_KIT]
    assert all(trial["value"] < trial["box"] for trial in trials)


@pytest.mark.usefixtures("small_kit")
def test_scoring_that_can_be_cheated_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "loose.yaml").write_text(LOOSE)
    assert run_command(["judge", "--redteam", "loose.yaml", "--json"]) == 1
    won = {t["hack"] for t in last_line(capsys)["tasks"][0]["trials"] if t["won"]}
    assert {"far_speck", "duplicated"} <= won


def test_task_without_a_reference_is_said_to_be_left_out(runtime: Runtime) -> None:
    found = raid(Task(id="free", brief="Anything."), runtime)
    assert found.trials == ()
    assert "no reference" in found.problem


def test_neither_a_part_nor_a_suite_is_refused() -> None:
    assert run_command(["judge"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.id)
def test_no_hack_wins_in_any_suite_we_wrote(runtime: Runtime, task: Task) -> None:
    found = raid(task, runtime, kit=PARTS)
    assert found.problem == ""
    assert found.won == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["create", "mesh"])
def test_no_hack_beats_a_recipe(runtime: Runtime, name: str) -> None:
    (task,) = load_tasks("smoke#flange").tasks
    assert raid(task, runtime, recipe=load_recipe(name), kit=PARTS).won == ()


@pytest.mark.slow
@pytest.mark.parametrize("suite", builtin_suites())
def test_no_program_wins_in_any_suite_we_ship(runtime: Runtime, suite: str) -> None:
    programs = [hack for hack in KIT if hack.kind is Kind.PROGRAM]
    assert raid(load_tasks(suite).tasks[0], runtime, kit=programs).won == ()
