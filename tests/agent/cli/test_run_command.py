"""``cadwright run`` and ``replay`` over fakes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import yaml
from last_line import last_line

from cadwright.agent.cli.app import run_command
from cadwright.agent.cli.run import free_folder
from cadwright.agent.context import ContextBudget, ContextOverflow, EstimatedTokens, fit
from cadwright.agent.policies.expert import ExpertPolicy
from cadwright.agent.trajectory import read_trajectory

pytestmark = pytest.mark.usefixtures("fakes")


def test_run_prints_the_promised_fields(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e", "--json"]) == 0
    data = last_line(capsys)
    assert {"outcome", "turns", "score", "out"} <= set(data)
    assert (data["outcome"], data["turns"], data["score"]["value"]) == ("ok", 2, 1.0)


def test_run_shows_turns_calls_results_and_files(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e"])
    text = capsys.readouterr().out
    for shown in ("turn 1", "execute", "good one", "submitted", "e/part.step", "e/sheet.png"):
        assert shown in text


def test_run_says_why_a_context_was_full(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = fit((), ContextBudget(), EstimatedTokens()).report

    def full(*_: object) -> None:
        raise ContextOverflow("the context is full: 60 pictures in the task", report)

    monkeypatch.setattr(ExpertPolicy, "act", full)
    assert run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e"]) == 0
    assert "the context is full: 60 pictures in the task" in capsys.readouterr().out


def test_run_never_writes_over_an_episode(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e", "-q"])
    assert free_folder(Path("e")) == Path("e-3")


def test_run_of_a_suite_asks_which_task(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["run", str(suite), "-p", "expert"]) == 2
    assert "holds 3 tasks: choose one" in capsys.readouterr().err


def test_run_with_a_policy_that_cannot_play_the_task_is_wrong_usage(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["run", f"{suite}#one", "--policy", "scripted", "--out", "e"]) == 2
    assert "no meta.demo for the scripted policy" in capsys.readouterr().err


def test_run_that_broke_says_so_even_when_quiet(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", f"{suite}#one", "--policy", "scripted", "--out", "e", "-q"]
    assert run_command(command) == 2
    said = capsys.readouterr().err
    assert said.startswith("broken: policy: UsageError: task one has no meta.demo")
    assert said.count("\n") == 1


def test_run_of_a_file_tells_what_was_left_out(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = yaml.safe_load(suite.read_text())["tasks"][:1] * 2
    (tmp_path / "twice.yaml").write_text(yaml.safe_dump(tasks))
    assert run_command(["run", "twice.yaml", "-p", "expert", "--out", "e"]) == 0
    assert "left out: twice.yaml" in capsys.readouterr().err


def test_replay_of_a_run_is_equal(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e", "-q"])
    assert run_command(["replay", "e", "--json"]) == 0
    assert last_line(capsys)["equal"] is True


def test_replay_without_its_suite_says_where_to_name_another(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e", "-q"])
    suite.rename(tmp_path / "moved.yaml")
    assert run_command(["replay", "e", "-q"]) == 2
    assert "where the task is now, --suite says" in capsys.readouterr().err
    assert run_command(["replay", "e", "-q", "--suite", "moved.yaml"]) == 0


def test_replay_that_differs_exits_with_1(suite: Path) -> None:
    run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e", "-q"])
    path = Path("e/trajectory.jsonl")
    path.write_text(path.read_text().replace("ok: good one", "ok: other"))
    assert run_command(["replay", "e", "-q"]) == 1


def test_run_step_asks_before_each_turn(
    suite: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a\na\n"))
    assert (
        run_command(["run", f"{suite}#one", "-p", "expert", "--step", "--out", "e", "--json"]) == 0
    )
    captured = capsys.readouterr()
    assert captured.err.count("[a]pprove") == 2
    assert json.loads(captured.out)["end_reason"] == "submitted"


def test_run_by_a_person_takes_calls_from_a_pipe(
    suite: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("execute(code='good one')\nsubmit\n"))
    assert run_command(["run", f"{suite}#one", "--policy", "human", "--out", "e", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"]["value"] == 1.0


def test_a_person_is_given_a_day(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    assert run_command(["run", f"{suite}#one", "--policy", "human", "--step", "--out", "e"]) == 0
    header = read_trajectory(Path("e")).header
    assert header["task"]["limits"]["wall_s"] == 86_400
    assert header["task"]["limits"]["step_s"] == 30


def test_ctrl_c_says_where_the_record_is(
    suite: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: object, *_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ExpertPolicy, "act", interrupted)
    assert run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e"]) == 130
    assert "the record is complete: e" in capsys.readouterr().err
    assert read_trajectory(Path("e")).ending is not None
    assert Path("e/index.html").is_file()


def test_run_shows_the_head_of_a_brief_of_megabytes(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (task, *_) = yaml.safe_load(suite.read_text())["tasks"]
    task["brief"] = "a long story " * 100_000
    (tmp_path / "long.yaml").write_text(yaml.safe_dump(task, width=1 << 24))
    assert run_command(["run", "long.yaml", "-p", "expert", "--out", "e"]) == 0
    shown = capsys.readouterr().out
    assert "1280000 more characters" in " ".join(shown.split())
    assert len(shown) < 40_000
