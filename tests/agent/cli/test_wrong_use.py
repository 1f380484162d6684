"""What a person gets wrong with files and folders: one line, exit code 2, and nothing left over."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from cadwright.agent.cli import run
from cadwright.agent.cli.app import run_command
from cadwright.agent.cli.common import Output

SMALL_EVAL = ["eval", "smoke", "-p", "expert", "--limit", "1", "-q"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CADWRIGHT_DEBUG", raising=False)
    (tmp_path / "file").write_text("")
    (tmp_path / "latin.py").write_bytes(b"# \xff")
    (tmp_path / "cube.py").write_text("result = 1")
    return tmp_path


def fails_in_one_line(command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert run_command(command) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    return said.err


def test_a_file_in_place_of_the_run_folder_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    said = fails_in_one_line([*SMALL_EVAL, "--out", "file"], capsys)
    assert said == "error: file: file exists\n"


def test_a_file_in_place_of_the_episode_folder_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["run", "smoke/spacer", "-p", "expert", "--out", "file", "-q"]
    assert "file/images: not a directory" in fails_in_one_line(command, capsys)


def test_a_full_disk_is_not_a_bug_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Output, "finish", full)
    said = fails_in_one_line(["tasks", "list", "-q"], capsys)
    assert said.startswith("error: nothing more can be written: no space left on device; ")


def test_an_os_error_without_a_file_stays_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ProcessLookupError(errno.ESRCH, "No such process")

    monkeypatch.setattr(Output, "finish", broken)
    with pytest.raises(ProcessLookupError):
        run_command(["tasks", "list", "-q"])


def test_ctrl_c_is_said_and_has_the_exit_code_of_shells(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "one_task", interrupted)
    assert run_command(["run", "demo", "-p", "expert", "-q"]) == 130
    assert capsys.readouterr().err == "error: stopped\n"


@pytest.mark.parametrize("command", [["run", "demo"], ["eval", "demo"], ["replay", "e"]], ids=str)
def test_an_empty_path_is_not_the_folder_here(
    here: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(here.iterdir())
    assert "the path is empty" in fails_in_one_line([*command, "--out", ""], capsys)
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("seconds", ["inf", "nan", "-1", "0", "1e9", "soon"])
@pytest.mark.parametrize("command", ["run", "eval"])
def test_a_time_limit_is_a_time(
    command: str, seconds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [command, "demo", "-p", "expert", "--time-limit", seconds, "--out", "new"]
    assert "'--time-limit'" in fails_in_one_line(wrong, capsys)
    assert not Path("new").exists()


def test_a_user_that_is_not_there_is_a_file_that_is_not_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = fails_in_one_line(["run", "~nobody-of-this-name/suite.yaml", "-p", "expert"], capsys)
    assert "no suite or task file '~nobody-of-this-name/suite.yaml'" in said


def test_a_nul_character_in_a_task_file_is_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "nul.yaml").write_text("id: a\nbrief: \0\n")
    assert fails_in_one_line(["run", "nul.yaml"], capsys) == (
        "error: nul.yaml:2: not YAML: the character '\\x00' in it\n"
    )


@pytest.mark.parametrize(
    ("policy", "data"),
    [("replay", b"[" * 100_000), ("replay", b"{\n"), ("scripted", b"\xff"), ("scripted", b"a: \0")],
)
def test_a_file_of_a_policy_that_cannot_be_read_is_named(
    here: Path, policy: str, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "turns.jsonl").write_bytes(data)
    command = ["run", "demo", "--policy", f"{policy}:turns.jsonl"]
    assert "error: turns.jsonl" in fails_in_one_line(command, capsys)


def test_a_wrong_backend_leaves_no_run_that_remembers_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = fails_in_one_line([*SMALL_EVAL, "--backend", "modern", "--out", "run"], capsys)
    assert "there is no renderer 'modern'" in said
    assert not (here / "run").exists()


def test_another_limit_is_named_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    from cadwright.agent.cli.evaluate import run_config
    from cadwright.agent.evaluation.plan import plan
    from cadwright.agent.evaluation.store import RunFolder
    from cadwright.agent.evaluation.worker import Settings
    from cadwright.agent.policies import make_policy
    from cadwright.envs.suites import load_tasks

    works = plan(load_tasks("smoke").tasks, make_policy("expert"), 2)
    settings = Settings(Path("run"), "smoke")
    with RunFolder(Path("run"), run_config(settings, works, make_policy("expert"), 2, "auto")):
        pass
    said = fails_in_one_line([*SMALL_EVAL, "--out", "run"], capsys)
    assert "limit was 2 and is now 1" in said


def test_the_report_of_one_run_goes_nowhere_else(capsys: pytest.CaptureFixture[str]) -> None:
    said = fails_in_one_line(["report", "run", "--out", "else.html", "-q"], capsys)
    assert "--out is for the comparison of several runs" in said


def test_a_program_that_is_no_text_makes_no_task(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["tasks", "make", "new.yaml", "--brief", "A cube.", "-r", "latin.py"]
    assert "latin.py: not UTF-8 text" in fails_in_one_line(command, capsys)
    assert not (here / "new.yaml").exists()


def test_a_refused_task_is_not_left_behind(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["tasks", "make", "new.yaml", "--brief", "A cube.", "-r", "cube.py"]
    assert "nonsense" in fails_in_one_line([*command, "--scoring", "nonsense"], capsys)
    assert run_command([*command, "-q"]) == 0


def test_constraints_cannot_be_derived_from_an_empty_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cadwright.envs.runtime import Runtime
    from cadwright.tools.geometry.read import ImportFailure

    def refuse(*_: object) -> None:
        raise ImportFailure("file: the file is empty (0 bytes)")

    monkeypatch.setattr(Runtime, "part_of", refuse)
    Path("part.step").write_text("")
    assert "the file is empty" in fails_in_one_line(["tasks", "derive", "part.step"], capsys)
