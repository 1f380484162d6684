"""The commands over fakes: exit codes, the last line of ``--json``, errors in one line."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import pytest
import yaml
from agent_fakes import FakeJudge, FakeRuntime, FakeWorkspace, failing_score

from cadwright.agent.cli.app import run_command
from cadwright.agent.cli.common import absolute_spec, slug
from cadwright.agent.cli.run import free_folder
from cadwright.agent.policies.expert import ExpertPolicy
from cadwright.agent.trajectory import read_trajectory
from cadwright.envs import workspaces
from cadwright.envs.runtime import Runtime
from cadwright.tools import sandbox
from cadwright.tools.errors import GeometryError, Outcome


class NoSandbox:
    def __init__(self, **options: object) -> None:
        del options

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Runtime, "open", lambda **options: FakeRuntime())
    monkeypatch.setattr(sandbox, "Sandbox", NoSandbox)
    monkeypatch.setattr(workspaces, "make_workspace", lambda task, runtime: FakeWorkspace())
    monkeypatch.delenv("CADWRIGHT_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.yaml"
    tasks = [
        {
            "id": name,
            "brief": f"make {name}",
            "reference": {"program": "result = None"},
            "meta": {"gold": {"program": f"good {name}"}},
        }
        for name in ("one", "two", "leaky")
    ]
    path.write_text(yaml.safe_dump({"suite": "suite", "tasks": tasks}), encoding="utf-8")
    return path


def last_line(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out = capsys.readouterr().out
    assert out.count("\n") == 1, "standard output holds the JSON object and nothing else"
    data: dict[str, Any] = json.loads(out)
    return data


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
    assert "no meta.demo for the scripted policy" in capsys.readouterr().out


def test_replay_of_a_run_is_equal(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e", "-q"])
    assert run_command(["replay", "e", "--json"]) == 0
    assert last_line(capsys)["equal"] is True


def test_replay_that_differs_exits_with_1(suite: Path) -> None:
    run_command(["run", f"{suite}#one", "-p", "expert", "--out", "e", "-q"])
    path = Path("e/trajectory.jsonl")
    path.write_text(path.read_text().replace("ok: good one", "ok: other"))
    assert run_command(["replay", "e", "-q"]) == 1


def test_judge_prints_the_promised_fields(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "part.stl").write_text("good one")
    assert run_command(["judge", "part.stl", "--task", f"{suite}#one", "--json"]) == 0
    data = last_line(capsys)
    assert {"outcome", "message", "warnings", "measures", "score"} <= set(data)
    assert set(data["measures"]) == {
        "volume_mm3", "area_mm2", "bbox_mm", "bodies", "watertight", "valid",
    }  # fmt: skip
    assert {"value", "verdict", "reason", "terms", "card"} <= set(data["score"])
    assert data["measures"]["bbox_mm"] == [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]


def test_judge_without_a_reference_has_no_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "part.stl").write_text("good")
    run_command(["judge", "part.stl", "--json"])
    assert last_line(capsys)["score"] is None


def test_judge_against_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("part.stl", "reference.stl"):
        (tmp_path / name).write_text("good")
    run_command(["judge", "part.stl", "--reference", "reference.stl", "--json"])
    assert last_line(capsys)["score"]["verdict"] == "scored"


def test_judge_scores_a_file_without_a_part_like_an_episode_without_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreadable(*_: object) -> None:
        raise GeometryError("part.stl: the file is empty", Outcome.EMPTY_GEOMETRY)

    monkeypatch.setattr(FakeJudge, "read", unreadable, raising=False)
    for name in ("part.stl", "reference.stl"):
        (tmp_path / name).write_text("good")
    assert run_command(["judge", "part.stl", "-r", "reference.stl", "--json"]) == 0
    data = last_line(capsys)
    assert data["outcome"] == "empty_geometry"
    assert data["score"]["verdict"] == "invalid"


def test_report_is_made_again(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["eval", str(suite), "-p", "expert", "--out", "run", "-q"])
    Path("run/report.html").unlink()
    assert run_command(["report", "run", "--json"]) == 0
    assert last_line(capsys)["n"] == 3
    assert Path("run/report.html").exists()


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


def test_hard_ids_stay_inside_the_run_and_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = Path(__file__).parents[2] / "cases" / "eval" / "e05_ids_hard.jsonl"
    run_command(["eval", str(ids), "--policy", "random", "--out", "run", "--json"])
    assert last_line(capsys)["n"] == 7
    assert {path.name for path in tmp_path.iterdir()} == {"run"}
    folders = [path.name for path in Path("run/episodes").iterdir()]
    assert len({name.casefold() for name in folders}) == 7


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


def test_a_person_plays_one_episode_at_a_time(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["eval", str(suite), "--policy", "human", "-j", "2"]) == 2
    assert "human plays one episode at a time" in capsys.readouterr().err


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
