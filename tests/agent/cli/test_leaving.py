"""The person leaves: by Ctrl-C, or with the end of a pipe in hand, as ``head`` does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cadwright.agent.cli.app import run_command
from cadwright.agent.evaluation import runner
from cadwright.agent.trajectory import read_trajectory

pytestmark = pytest.mark.usefixtures("fakes")


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Standard output is a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w", buffering=1) as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        yield


@pytest.mark.parametrize(
    "command", [["--help"], ["--version"], ["tasks", "list"], ["tasks", "list", "--json"]], ids=str
)
def test_a_reader_that_has_had_enough_ends_a_command_without_a_word(command: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "cadwright", *command],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert done.returncode == 141
    assert b"Traceback" not in done.stderr
    assert b"error" not in done.stderr.lower()


@pytest.mark.parametrize("closed", [[1], [2], [0, 1, 2]], ids=str)
def test_a_closed_stream_is_as_good_as_an_unread_one(closed: list[int]) -> None:
    code = "import os, sys\n"
    code += "for fd in map(int, sys.argv[1].split()): os.close(fd)\n"
    code += "os.execv(sys.executable, [sys.executable, '-m', 'cadwright', 'tasks', 'list'])\n"
    numbers = " ".join(map(str, closed))
    done = subprocess.run(
        [sys.executable, "-c", code, numbers], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) == (1 not in closed)


def test_an_episode_that_nobody_watches_any_more_goes_on(suite: Path, unread: None) -> None:
    assert run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e"]) == 0
    ending = read_trajectory(Path("e")).ending
    assert ending is not None
    assert ending["end_reason"] == "submitted"


def test_ctrl_c_of_an_evaluation_has_the_exit_code_of_shells(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runner, "_step", interrupted)
        assert run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q"]) == 130
    said = capsys.readouterr().err
    assert said.startswith("error: stopped")
    assert said.endswith("the same command goes on from here\n")
    assert run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q"]) == 0
