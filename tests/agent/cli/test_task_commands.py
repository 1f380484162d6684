"""``tasks list``, ``show``, ``make`` and ``lint`` on domains."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cadwright.agent.cli.app import run_command
from cadwright.envs.suites import load_tasks

LEVER = "cad.create.text.lever"


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")


def last_line(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return data


def test_the_list_is_a_tree_with_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["tasks", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    depths = {len(line) - len(line.lstrip()) for line in lines if line.strip()}
    assert depths >= {0, 2, 4, 6}
    assert any("domains (environment, operation, modality" in line for line in lines)


def test_the_list_can_name_every_domain(capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["tasks", "list", "--json"])
    ids = last_line(capsys)["domains"]
    run_command(["tasks", "list", "--ids"])
    text = capsys.readouterr().out
    assert len(ids) >= 200
    assert all(one.rpartition(".")[2] in text for one in ids)


def test_a_generated_task_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["tasks", "show", f"{LEVER}/3-17"]) == 0
    text = capsys.readouterr().out
    assert f"{LEVER}/3-17" in text
    assert "difficulty 3" in text
    assert "reference" not in text


def test_what_is_hidden_is_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["tasks", "show", f"{LEVER}/3-17", "--hidden"])
    text = capsys.readouterr().out
    assert "constraint bounding_box: size" in text
    assert "import cadquery as cq" in text


def test_a_page_shows_brief_pictures_and_constraints() -> None:
    task = "cad.edit.drawing.oval_flange/2-1"
    assert run_command(["tasks", "show", task, "--hidden", "--html", "task.html", "-q"]) == 0
    page = Path("task.html").read_text("utf-8")
    assert page.count("data:image/png;base64,") == 3  # drawing, start, wanted part
    assert "bounding_box" in page
    assert "Every size is in the drawing" in page


def test_a_page_without_hidden_things_has_none() -> None:
    run_command(["tasks", "show", f"{LEVER}/3-17", "--html", "task.html", "-q"])
    page = Path("task.html").read_text("utf-8")
    assert "bounding_box" not in page
    assert "import cadquery" not in page


def test_made_tasks_load_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["tasks", "make", LEVER, "-n", "3", "--out", "made", "--json"]) == 0
    assert last_line(capsys)["tasks"] == [f"{LEVER}/1-0", f"{LEVER}/2-1", f"{LEVER}/3-2"]
    loaded = load_tasks("made")
    assert loaded.tasks == load_tasks(f"domain:{LEVER}?n=3").tasks


def test_made_tasks_can_be_of_one_difficulty_and_split(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["tasks", "make", LEVER, "-n", "2", "-d", "4", "--seed", "7", "--split", "test"]
    assert run_command([*command, "--json"]) == 0
    assert last_line(capsys)["tasks"] == [f"{LEVER}/4-7-test", f"{LEVER}/4-8-test"]
    assert Path(LEVER).is_dir()


def test_lint_of_domains_prints_a_table_and_keeps_its_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["tasks", "lint", "--domain", "cad.inspect.*.lever", "--samples", "1"]
    assert run_command([*command, "--out", "audit"]) == 0
    assert "0 faults" in capsys.readouterr().out
    assert [file.name for file in Path("audit").iterdir()] == ["cad.lever.jsonl"]
    assert run_command([*command, "--out", "audit", "--json"]) == 0
    data = last_line(capsys)
    assert data["errors"] == 0
    assert data["domains"][0]["gold"] == 1.0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["lint"], "give a suite, or --all"),
        (["lint", "smoke", "--all"], "give a suite, or --all"),
        (["lint", "--domain", "cad.creat"], "no domain 'cad.creat'"),
        (["make", "cad.create.text.levr"], "did you mean 'cad.create.text.lever'"),
        (["make", LEVER, "--split", "tset"], "did you mean 'test'"),
        (["make", "new.yaml", "--brief", "A cube."], "needs both --brief and --reference"),
        (["make", "new.yaml", "--brief", " ", "--reference", "p.step"], "--brief is empty"),
        (["show", f"{LEVER}/9-1"], "no suite or task file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_one_line(
    command: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["tasks", *command]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
