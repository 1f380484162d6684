"""``cadwright eval`` and ``report`` over fakes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from agent_fakes import FakeRuntime, failing_score
from last_line import last_line

from cadwright.agent.cli.app import run_command
from cadwright.envs.runtime import Runtime

pytestmark = pytest.mark.usefixtures("fakes")


def test_eval_prints_the_promised_fields(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["eval", str(suite), "-p", "expert", "--out", "run", "--json"]) == 0
    data = last_line(capsys)
    assert {"n", "outcomes", "infra_errors", "iou", "score_mean", "seconds", "out"} <= set(data)
    assert set(data["iou"]) == {"mean_all", "mean_scored", "median", "over_0_99"}
    assert (data["n"], data["unscorable"]["count"], data["out"]) == (3, 1, "run")


def test_eval_leaves_rows_summary_and_report(suite: Path) -> None:
    run_command(["eval", str(suite), "-p", "expert", "--out", "run", "--quiet"])
    found = {path.name for path in Path("run").iterdir()}
    assert {"results.jsonl", "summary.json", "report.html", "run.json", "episodes"} <= found


def test_eval_with_our_own_faults_exits_with_1(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Runtime, "open", lambda **options: FakeRuntime(failing_score))
    assert run_command(["eval", str(suite), "-p", "expert", "--out", "run", "--json"]) == 1
    assert last_line(capsys)["infra_errors"] == 3


def test_eval_of_a_second_setting_in_the_same_folder_is_refused(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q"])
    assert (
        run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q", "--seed", "4"]) == 2
    )
    assert "seed was None and is now 4" in capsys.readouterr().err


def test_eval_tells_of_programs_that_no_task_wants(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    programs = tmp_path / "programs.jsonl"
    programs.write_text('{"id":"one","code":"good"}\n{"id":"nine","code":"good"}\n')
    run_command(["eval", str(suite), "--policy", f"replay:{programs}", "--out", "run"])
    assert "1 program ids are not in the suite: nine" in capsys.readouterr().err


def test_report_is_made_again(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q"])
    Path("run/report.html").unlink()
    assert run_command(["report", "run", "--json"]) == 0
    assert last_line(capsys)["n"] == 3
    assert Path("run/report.html").exists()


def test_a_report_that_cannot_be_written_is_one_line_below_which_the_table_stands(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q"])
    Path("run/report.html").unlink()
    Path("run/report.html").mkdir()  # refuses also a person whom permissions do not stop
    capsys.readouterr()
    assert run_command(["report", "run"]) == 0
    said = capsys.readouterr()
    assert "expert" in said.out
    assert "report:" not in said.out
    assert said.err == "no report was written: run/report.html: is a directory\n"


def test_a_comparison_that_cannot_be_written_says_what_would_help(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        run_command(["eval", str(suite), "-p", "expert", "--out", name, "-q"])
    Path("b/comparison.html").mkdir()
    assert run_command(["report", "a", "b"]) == 0
    said = capsys.readouterr()
    assert "expert (a)" in said.out
    assert "b/comparison.html: is a directory; --out says where to" in said.err
    assert run_command(["report", "a", "b", "--out", "b/comparison.html"]) == 2


def test_report_scores_again(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Runtime, "open", lambda **options: FakeRuntime(failing_score))
        run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q"])
    capsys.readouterr()
    assert run_command(["report", "run", "--rescore", "--json"]) == 0
    assert last_line(capsys)["infra_errors"] == 0


def test_report_of_two_runs_compares_them(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, policy in (("a", "expert"), ("b", "random")):
        run_command(["eval", str(suite), "--policy", policy, "--out", name, "-q"])
    capsys.readouterr()
    assert run_command(["report", "a", "b", "--out", "c.html", "--json"]) == 0
    assert len(last_line(capsys)["figures"]) == 2
    assert Path("c.html").exists()


def test_hard_ids_stay_inside_the_run_and_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = Path(__file__).parents[2] / "cases" / "eval" / "e05_ids_hard.jsonl"
    run_command(["eval", str(ids), "--policy", "random", "--out", "run", "--json"])
    assert last_line(capsys)["n"] == 7
    assert {path.name for path in tmp_path.iterdir()} == {"run"}
    folders = [path.name for path in Path("run/episodes").iterdir()]
    assert len({name.casefold() for name in folders}) == 7


def test_a_person_plays_one_episode_at_a_time(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["eval", str(suite), "--policy", "human", "-j", "2"]) == 2
    assert "human plays one episode at a time" in capsys.readouterr().err


def test_a_part_that_was_deleted_keeps_the_score_that_it_has(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q"])
    before = json.loads(Path("run/summary.json").read_text())["score_mean"]
    shutil.rmtree("run/episodes/one")
    capsys.readouterr()
    assert run_command(["report", "run", "--rescore", "--json"]) == 0
    captured = capsys.readouterr()
    assert "1 parts are gone and get no new score: one" in captured.err
    assert json.loads(captured.out)["score_mean"] == before


def test_an_episode_that_cannot_be_read_costs_its_page_alone(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q"])
    capsys.readouterr()
    Path("run/episodes/one/trajectory.jsonl").write_text('{"kind": "header"}\n')
    assert run_command(["report", "run", "--json"]) == 0
    captured = capsys.readouterr()
    assert "no page: run/episodes/one/trajectory.jsonl:1: damaged header" in captured.err
    assert json.loads(captured.out)["n"] == 3
