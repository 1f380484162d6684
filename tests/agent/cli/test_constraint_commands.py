"""``tasks derive`` and ``judge --constraints``, with a real judge in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from cadwright.agent.cli.app import run_command
from cadwright.envs.constraints_file import load_constraints
from cadwright.envs.runtime import Runtime
from cadwright.rewards.judge import Judge
from cadwright.tools.sandbox import InProcessWorker

cq = pytest.importorskip("cadquery")


@pytest.fixture(autouse=True)
def parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def opened(**options: object) -> Any:
        del options
        return Runtime(None, Judge(InProcessWorker("cadwright.rewards.jobs")), None)  # type: ignore[arg-type]

    monkeypatch.setattr(Runtime, "open", opened)
    monkeypatch.chdir(tmp_path)
    plate = cq.Workplane().box(40, 30, 6).faces(">Z").workplane()
    plate.pushPoints([(-10, 0), (10, 0)]).hole(5).val().exportStep("plate.step")
    plate.pushPoints([(-10, 0)]).hole(5).val().exportStep("half.step")


def last_line(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_what_is_derived_is_met_by_its_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["tasks", "derive", "plate.step", "--out", "asked.yaml", "-q"]) == 0
    assert len(load_constraints(Path("asked.yaml"))) > 5
    assert run_command(["judge", "plate.step", "--constraints", "asked.yaml", "--json"]) == 0
    report = last_line(capsys)["constraints"]
    assert report["all_met"]
    assert report["value"] == 1.0


def test_the_table_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["tasks", "derive", "plate.step", "--out", "asked.yaml", "-q"])
    run_command(["judge", "half.step", "--constraints", "asked.yaml"])
    shown = capsys.readouterr().out
    for word in ("asked", "got", "residual", "credit", "verdict", "missing"):
        assert word in shown


def test_a_proposal_without_a_file_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["tasks", "derive", "plate.step"])
    kinds = [one["kind"] for one in yaml.safe_load(capsys.readouterr().out)]
    assert {"bounding_box", "volume", "hole_count"} <= set(kinds)


def test_a_bad_file_is_one_line_with_its_line_number(capsys: pytest.CaptureFixture[str]) -> None:
    Path("asked.yaml").write_text("- kind: volume\n  vale: 3\n", encoding="utf-8")
    assert run_command(["judge", "plate.step", "--constraints", "asked.yaml"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "asked.yaml:2: unknown field 'vale': did you mean 'value'?" in told


def test_a_task_brings_its_constraints(capsys: pytest.CaptureFixture[str]) -> None:
    task = {"id": "a", "brief": "b", "constraints": [{"kind": "hole_count", "count": 2}]}
    Path("task.yaml").write_text(yaml.safe_dump(task), encoding="utf-8")
    run_command(["judge", "half.step", "--task", "task.yaml", "--json"])
    data = last_line(capsys)
    assert data["score"]["card"]["protocol"] == "constraints"
    assert [result["verdict"] for result in data["constraints"]["results"]] == ["residual"]


def test_a_proposal_never_writes_over_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("asked.yaml").touch()
    assert run_command(["tasks", "derive", "plate.step", "--out", "asked.yaml"]) == 2
