"""What all commands share: errors in one line, help, any text in any locale, specs and folders."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from last_line import last_line

from cadwright.agent.cli.app import run_command
from cadwright.agent.cli.common import absolute_spec, slug

pytestmark = pytest.mark.usefixtures("fakes")


def test_made_task_can_be_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cube.py").write_text("import cadquery as cq\nresult = cq.Workplane().box(1, 1, 1)")
    command = ["tasks", "make", "cube.yaml", "--brief", "a cube", "-r", "cube.py", "-q"]
    assert run_command(command) == 0
    assert run_command(["tasks", "show", "cube.yaml", "--json"]) == 0
    assert last_line(capsys)["brief"] == "a cube"


def test_shown_task_hides_its_reference(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["tasks", "show", f"{suite}#one"])
    assert "reference" not in capsys.readouterr().out
    run_command(["tasks", "show", f"{suite}#one", "--hidden"])
    assert "reference" in capsys.readouterr().out


def test_builtin_suites_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["tasks", "list", "--json"]) == 0
    assert {"demo", "smoke"} <= set(last_line(capsys)["suites"])


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["run", "demoo"], "did you mean demo"),
        (["run", "demo", "--policy", "exprt"], "did you mean 'expert'"),
        (["eval", "demo", "-j", "0"], "invalid value for '-j'"),
        (["eval", "demo", "--nonsense"], "no such option"),
        (["judge", "nowhere.stl"], "nowhere.stl: no such file"),
        (["report", "nowhere"], "no run here"),
        (["replay", "nowhere"], "no episode here"),
        (["nonsense"], "no such command"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line_on_stderr(
    command: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(command) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    assert message.lower() in captured.err.lower()


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CADWRIGHT_DEBUG", "1")
    from cadwright.tools.errors import UsageError

    with pytest.raises(UsageError):
        run_command(["report", "nowhere"])


@pytest.mark.parametrize("command", ["run", "eval", "judge", "report", "replay", "doctor", "tasks"])
def test_every_command_has_a_help_page(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([command, "--help"]) == 0
    assert "Usage" in capsys.readouterr().out


def test_bug_of_ours_leaves_one_line() -> None:
    code = (
        "from cadwright.agent.cli import app, common\n"
        "def bug(*a, **k): raise ZeroDivisionError('oh')\n"
        "common.Output.finish = bug\n"
        "app.main(['tasks', 'list', '-q'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "internal error: ZeroDivisionError: oh (CADWRIGHT_DEBUG=1 shows where)\n"
    )


def test_any_text_can_be_shown_without_a_locale(tmp_path: Path) -> None:
    (tmp_path / "suite.jsonl").write_text('{"id": "Ø12–槽", "brief": "disc"}\n')
    done = subprocess.run(
        [sys.executable, "-m", "cadwright", "tasks", "list", "suite.jsonl"],
        capture_output=True,
        cwd=tmp_path,
        check=False,
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode("utf-8").startswith("Ø12–槽")


def test_command_line_starts_without_a_kernel() -> None:
    code = (
        "import sys, cadwright.agent.cli\n"
        "heavy = {'cadquery', 'OCP', 'trimesh', 'moderngl', 'gymnasium', 'jinja2', 'PIL'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("demo", "demo"),
        ("suite.yaml", "{here}/suite.yaml"),
        ("suite.yaml#one", "{here}/suite.yaml#one"),
        ("cadprompt:.?prompt=both", "cadprompt:{here}?prompt=both"),
        ("smoke#plate", "smoke#plate"),
    ],
)
def test_spec_on_record_holds_from_any_folder(
    spec: str, expected: str, suite: Path, tmp_path: Path
) -> None:
    assert absolute_spec(spec) == expected.format(here=tmp_path.resolve())


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("demo", "demo"),
        ("cadprompt:../shared/data/cadprompt", "cadprompt"),
        ("replay:/a/programs.jsonl", "replay-programs.jsonl"),
        ("demo/bracket", "bracket"),
        ("..", "run"),
    ],
)
def test_folder_name_of_a_spec_is_plain(spec: str, name: str) -> None:
    assert slug(spec) == name
