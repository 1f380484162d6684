"""``judge --redteam`` through the real sandbox and judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cadwright.agent.cli.app import run_command
from cadwright.agent.cli.common import Output
from cadwright.agent.cli.redteam import tallies, tasks_to_try
from cadwright.agent.evaluation import raid as raids
from cadwright.agent.evaluation.raid import Raid, raid
from cadwright.agent.evaluation.raid_store import RaidFile, about
from cadwright.envs import suites
from cadwright.envs.runtime import Runtime
from cadwright.envs.suites import builtin_suites, load_tasks
from cadwright.envs.task import Task
from cadwright.rewards import redteam
from cadwright.rewards.recipes import load_recipe, recipe_names
from cadwright.rewards.redteam import KIT, Court, Hack, Kind, Trial
from cadwright.tools.errors import UsageError

# Programs that end at once; the rest hang or eat memory until a limit stops them.
QUICK = {
    "cube", "read_suites", "regenerate", "many_guesses", "read_environment",
    "patch_measures", "patch_judge", "write_reward", "print_score", "claim_success", "quiet_exit",
    "search_memory", "kill_parents", "decoy",
}  # fmt: skip
SMALL_KIT = tuple(
    Hack(name, Kind.PART) for name in ("far_speck", "duplicated", "hollow", "open_shell")
)
PARTS = tuple(hack for hack in KIT if hack.depends_on_task)
# What aims at edits, at meshes and at tasks whose constraints are all there is.
SHORT_KIT = tuple(
    hack
    for hack in KIT
    if hack.name in ("far_speck", "inside_out", "same_amount_slab", "double_sided", "deleted_faces")
    or hack.kind in (Kind.START, Kind.ANSWER)
)
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


def test_no_program_beats_the_honest_box(runtime: Runtime) -> None:
    kit = [hack for hack in KIT if hack.name in QUICK]
    (task,) = load_tasks("smoke#spacer").tasks
    found = raid(task, runtime, kit=kit)
    assert len(found.trials) == len(QUICK)
    assert found.won == ()


@pytest.mark.parametrize("name", recipe_names())
def test_recipes_hold_where_the_score_holds(runtime: Runtime, name: str) -> None:
    task = load_tasks("smoke#edit_plate" if name == "edit" else "smoke#spacer").tasks[0]
    found = raid(task, runtime, recipe=load_recipe(name), kit=SMALL_KIT)
    assert found.problem == ""
    assert found.won == ()


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


@pytest.mark.usefixtures("small_kit")
def test_a_raid_goes_on_where_it_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["judge", "--redteam", "smoke#spacer", "--out", "raid", "--json"]
    assert run_command(command) == 0
    first = last_line(capsys)
    trials = tmp_path / "raid" / "trials.jsonl"
    trials.write_bytes(trials.read_bytes()[:-20])  # killed while it wrote the last one
    again: list[str] = []

    def spied(court: Court, hack: Hack, box: float) -> Trial:
        again.append(hack.name)
        return redteam.try_hack(court, hack, box)

    monkeypatch.setattr(raids, "try_hack", spied)
    assert run_command(command) == 0
    assert last_line(capsys) == first
    assert again == [SMALL_KIT[-1].name]


@pytest.mark.usefixtures("small_kit")
def test_trials_of_another_kit_are_not_taken_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with RaidFile(tmp_path, about(None, "1")):
        pass
    monkeypatch.setattr(redteam, "KIT", SMALL_KIT[:1])
    with pytest.raises(UsageError, match="kit differs"):
        RaidFile(tmp_path, about(None, "1"))


def test_two_raids_do_not_write_one_file(tmp_path: Path) -> None:
    with (
        RaidFile(tmp_path, about(None, "1")),
        pytest.raises(UsageError, match="another raid is writing"),
    ):
        RaidFile(tmp_path, about(None, "1"))


def test_all_is_every_suite_that_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suites, "builtin_suites", lambda: ("demo", "tiny"))
    tasks = tasks_to_try("all", 1, Output(quiet=True))
    assert {task.id.split("/")[0] for task in tasks} == {"demo", "tiny"}
    assert len(tasks) < len(load_tasks("demo").tasks) + len(load_tasks("tiny").tasks)


def test_tally_shows_the_trial_that_came_closest() -> None:
    hack, miss = Hack("hollow", Kind.PART), Hack("scaled", Kind.NEAR_MISS)
    found = [
        Raid("a", (Trial(hack, 0.2, 0.9, False, ""), Trial(miss, 0.95, 0.9, False, ""))),
        Raid("b", (Trial(hack, 0.1, 0.2, False, ""), Trial(miss, None, 0.2, False, "left out"))),
    ]
    hollow, scaled = (tally.to_json() for tally in tallies(found))
    assert (hollow["tried"], hollow["best"], hollow["box"], hollow["task"]) == (2, 0.1, 0.2, "b")
    assert (scaled["tried"], scaled["left_out"], scaled["task"]) == (1, 1, "a")


@pytest.mark.parametrize(
    "spec",
    [
        "mesh.lay.start.lever/1-0-test",
        "mesh.decimate.start.ring/1-0-test",
        "mesh.inspect.start.bracket/1-0-test",
        "cad.lightweight.start.clevis/2-0-test",
    ],
)
def test_kinds_of_tasks_that_are_not_created_from_nothing_hold(runtime: Runtime, spec: str) -> None:
    found = raid(load_tasks(spec).tasks[0], runtime, kit=SHORT_KIT)
    assert found.problem == ""
    assert found.won == ()


@pytest.mark.slow
@pytest.mark.parametrize("suite", builtin_suites())
def test_no_hack_wins_in_any_suite_we_ship(suite: str, tmp_path: Path) -> None:
    command = ["judge", "--redteam", suite, "--sample", "2", "--out", str(tmp_path / "raid")]
    assert run_command(command) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["create", "mesh"])
def test_no_hack_beats_a_recipe(runtime: Runtime, name: str) -> None:
    (task,) = load_tasks("smoke#flange").tasks
    assert raid(task, runtime, recipe=load_recipe(name), kit=PARTS).won == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["part.step", "--recipe", "edit"], "--recipe is for --redteam: give --redteam SUITE"),
        (["part.step", "-j", "2"], "--workers is for --redteam"),
        (["part.step", "--redteam", "smoke"], "makes the parts that it judges: leave out PART"),
        (["--redteam", "smoke", "--protocol", "cadrille"], "leave out --protocol"),
    ],
    ids=["recipe", "workers", "part", "protocol"],
)
def test_options_that_would_not_be_looked_at_are_refused(options, message, capsys):
    assert run_command(["judge", *options]) == 2
    assert message in capsys.readouterr().err
