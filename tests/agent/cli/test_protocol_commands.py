"""Protocols and the picture of differences on the command line, over fakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import FakeRuntime, honest_score

from cadwright.agent.cli.app import run_command
from cadwright.agent.evaluation.protocols import measured
from cadwright.agent.evaluation.store import Row
from cadwright.envs.core import Submission
from cadwright.envs.runtime import Runtime
from cadwright.envs.task import Task
from cadwright.rewards.score import Score


class Scorings:
    """Scores honestly and remembers by which scoring it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def __call__(self, task: Task, submission: Submission) -> Score:
        self.asked.append(dict(task.scoring))
        return honest_score(task, submission)


@pytest.fixture(autouse=True)
def scorings(monkeypatch: pytest.MonkeyPatch, fakes: None) -> Scorings:
    found = Scorings()
    monkeypatch.setattr(Runtime, "open", lambda **options: FakeRuntime(found))
    return found


@pytest.fixture
def run(
    tmp_path: Path, suite: Path, scorings: Scorings, capsys: pytest.CaptureFixture[str]
) -> Path:
    run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q"])
    capsys.readouterr()
    scorings.asked.clear()
    return tmp_path / "run"


def last_line(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def test_report_scores_every_stored_part_by_the_protocol(
    run: Path, scorings: Scorings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["report", "run", "--protocol", "cadrille", "--json"]) == 0
    data = last_line(capsys)
    assert scorings.asked == [{"protocol": "cadrille"}] * 3
    assert data["protocol"] == "cadrille"
    (figures,) = data["figures"]
    assert figures["n"] == 3
    assert figures["unscorable"]["count"] == 1
    assert figures["measured"]["iou"] == {"unit": "ratio", "n": 2, "mean": 1.0, "median": 1.0}


def test_the_noise_floor_is_the_mean_of_those_on_the_cards() -> None:
    def row(raw: float, floor: float) -> Row:
        term = {"name": "chamfer", "raw": raw, "unit": "x1000"}
        card = {"noise_floor": {"chamfer": floor}}
        score = {"verdict": "scored", "terms": [term], "card": card}
        return {"score": score, "outcome": "ok", "fault": None}

    found = measured([row(0.2, 0.12), row(0.4, 0.14)])["chamfer"]
    assert (found["mean"], found["noise_floor"]) == (0.3, 0.13)


def test_a_protocol_leaves_the_run_as_it_was(run: Path) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    run_command(["report", "run", "--protocol", "benchcad", "-q"])
    new = {path for path in run.rglob("*") if path.is_file()} - set(before)
    assert [path.relative_to(run).as_posix() for path in new] == ["protocols/benchcad.json"]
    assert all(path.read_bytes() == data for path, data in before.items())


def test_what_a_protocol_says_is_kept_row_by_row(run: Path) -> None:
    run_command(["report", "run", "--protocol", "cadrecon", "-q"])
    kept = json.loads((run / "protocols/cadrecon.json").read_text())
    assert {row["task"] for row in kept["rows"]} == {"one", "two", "leaky"}
    assert kept["figures"]["protocol"] == "cadrecon"


def test_judge_scores_by_the_protocol(
    tmp_path: Path, scorings: Scorings, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("part.stl", "reference.stl"):
        (tmp_path / name).write_text("good")
    command = ["judge", "part.stl", "--reference", "reference.stl", "--protocol", "cad_coder"]
    assert run_command([*command, "--json"]) == 0
    assert scorings.asked == [{"protocol": "cad_coder"}]
    assert last_line(capsys)["score"]["verdict"] == "scored"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--protocol", "cadrile", "--reference", "part.stl"], "did you mean 'cadrille'"),
        (["--protocol", "cadrille"], "needs --task or --reference"),
        (["--picture", "x.png"], "needs a reference"),
        (["--picture", "no/x.png", "--reference", "part.stl"], "there is no folder"),
    ],
    ids=["unknown", "nothing to score against", "nothing to draw against", "no folder"],
)
def test_bad_options_are_refused_before_anything_is_measured(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "part.stl").write_text("good")
    assert run_command(["judge", "part.stl", *options]) == 2
    assert message in capsys.readouterr().err


def test_unknown_protocol_of_a_report_is_refused(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["report", "run", "--protocol", "cadrile"]) == 2
    assert "did you mean 'cadrille'" in capsys.readouterr().err
