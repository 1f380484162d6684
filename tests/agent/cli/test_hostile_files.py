"""What a person may name by mistake where a file is wanted: one line, exit code 2, no waiting."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from agent_fakes import FakeJudge, FakeRuntime

from cadwright.agent.cli.app import run_command
from cadwright.tools.errors import GeometryError, Outcome

pytestmark = pytest.mark.usefixtures("fakes")

COMMANDS = {
    "part": ("judge", "{}.step"),
    "program": ("judge", "{}.py"),
    "reference": ("judge", "part.stl", "-r", "{}.step"),
    "reference program": ("judge", "part.stl", "-r", "{}.py"),
    "constraints": ("judge", "part.stl", "-c", "{}.yaml"),
    "task": ("judge", "part.stl", "-t", "{}.yaml"),
    "recipe": ("judge", "--redteam", "smoke", "--recipe", "{}.yaml"),
    "derive": ("tasks", "derive", "{}.step"),
    "make": ("tasks", "make", "new.yaml", "--brief", "a box", "-r", "{}.py"),
    "lint": ("tasks", "lint", "{}.jsonl"),
    "show": ("tasks", "show", "{}.yaml"),
    "list": ("tasks", "list", "{}.yaml"),
    "run": ("run", "{}.yaml", "-p", "expert", "-o", "out"),
    "eval": ("eval", "{}.jsonl", "-p", "expert", "-o", "out"),
    "script": ("run", "demo", "-p", "scripted:{}.yaml", "-o", "out"),
    "programs": ("run", "demo", "-p", "replay:{}.jsonl", "-o", "out"),
}


def in_one_line(
    command: Sequence[str], stem: str, capsys: pytest.CaptureFixture[str], code: int = 2
) -> str:
    """Run a command that must fail; return the one line that it says."""
    assert run_command([word.format(stem) for word in command]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    return line


@pytest.fixture(autouse=True)
def part(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_text("good")


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_pipe_is_refused_by_name(
    command: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for ending in ("step", "py", "yaml", "jsonl"):
        os.mkfifo(tmp_path / f"pipe.{ending}")
    assert "is a pipe, not a file" in in_one_line(command, "pipe", capsys)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_device_without_an_end_is_refused_by_name(
    command: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for ending in ("step", "py", "yaml", "jsonl"):
        (tmp_path / f"zero.{ending}").symlink_to("/dev/zero")
    assert "is a device, not a file" in in_one_line(command, "zero", capsys)


@pytest.mark.parametrize("name", ["constraints", "task", "recipe", "lint", "script", "programs"])
def test_a_text_over_the_limit_is_refused_unread(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for ending in ("yaml", "jsonl"):
        with (tmp_path / f"big.{ending}").open("wb") as file:
            file.truncate(2**31)
    assert "2048 MB given" in in_one_line(COMMANDS[name], "big", capsys)


@pytest.mark.parametrize("source", ["scripted:{}", "replay:{}"], ids=["script", "programs"])
def test_a_folder_in_the_place_of_a_pipe_of_programs_says_what_is_wanted(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    line = in_one_line(["run", "demo", "-p", source, "-o", "out"], "folder", capsys)
    assert "is a folder" in line or "holds no program" in line


def test_quiet_does_not_swallow_why_a_part_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreadable(*_: object) -> None:
        raise GeometryError("part.stl: truncated", Outcome.IMPORT_ERROR)

    monkeypatch.setattr(FakeJudge, "read", unreadable, raising=False)
    assert "part.stl: truncated" in in_one_line(["judge", "part.stl", "-q"], "", capsys)


@pytest.mark.parametrize("flags", [[], ["-q"], ["--json"]], ids=["plain", "quiet", "json"])
def test_a_reference_that_cannot_be_used_is_named_and_nothing_is_judged(
    flags: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def unreadable(*_: object) -> None:
        raise GeometryError("wanted.stl: not an STL file", Outcome.IMPORT_ERROR)

    monkeypatch.setattr(FakeRuntime, "part_of", unreadable)
    (tmp_path / "wanted.stl").write_text("<html>")
    said = in_one_line(["judge", "part.stl", "-r", "wanted.stl", *flags], "", capsys)
    assert "the reference cannot be used: wanted.stl: not an STL file" in said


def test_an_empty_file_of_constraints_says_what_was_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "none.yaml").write_text("")
    said = in_one_line(["judge", "part.stl", "-c", "none.yaml"], "", capsys)
    assert "the file is empty: a list of constraints is expected" in said


def test_a_picture_is_not_written_into_a_pipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    command = ["judge", "part.stl", "-r", "part.stl", "--picture", "{}.png"]
    assert "is a pipe, not a file" in in_one_line(command, "pipe", capsys)


def test_a_model_folder_that_holds_a_pipe_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model").mkdir()
    os.mkfifo(tmp_path / "model" / "config.json")
    command = ["run", "demo", "-p", "hf:{}", "-o", "out"]
    assert "config.json is a pipe, not a file" in in_one_line(command, "model", capsys)
