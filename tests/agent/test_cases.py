"""Every real-world case gives its expected outcome through ``cadwright judge``.

``tests/cases/index.json`` states the expectations; each of its keys has a check here, and a key
without one fails, so that an expectation can never be skipped in silence. Tool-call and browser
cases belong to the tests of those parts.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from cadwright.agent.cli.judge import Judgement, judge_file
from cadwright.envs.runtime import Runtime
from cadwright.envs.sources import GeometrySource
from cadwright.envs.task import Task
from cadwright.rewards.alignment import Alignment
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import Outcome
from cadwright.tools.sandbox import Sandbox

CASES = Path(__file__).parent.parent / "cases"
INDEX = json.loads((CASES / "index.json").read_text(encoding="utf-8"))
LIMIT_S = 10.0
SLOW = {"cad/c03_native_hang_tessellation.py", "cad/c39_slow_sphere_grid.py"}
REFERENCE = Task(
    id="cube", brief="", reference=GeometrySource(CASES / "mesh/m00_reference_cube.stl")
)


@dataclass(frozen=True, slots=True)
class Seen:
    """One case as it went: the judgement, where it was scored, and how long it took."""

    path: Path
    judgement: Judgement
    runtime: Runtime
    seconds: float
    text: str
    memory_mb: float


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime.open() as opened:
        yield opened


def memory_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return float(status.split("VmRSS:")[1].split()[0]) / 1024


def look(path: Path, runtime: Runtime) -> Seen:
    before = memory_mb()
    start = time.monotonic()
    judgement = judge_file(path, REFERENCE, runtime, time_limit_s=LIMIT_S)
    seconds = time.monotonic() - start
    text = ""
    if path.suffix == ".py" and "flood" in path.name:
        text = runtime.sandbox.run(path.read_text(encoding="utf-8")).text
    return Seen(path, judgement, runtime, seconds, text, memory_mb() - before)


def cases(*groups: str) -> list[Any]:
    return [
        pytest.param(
            case, id=case["file"], marks=[pytest.mark.slow] if case["file"] in SLOW else []
        )
        for case in INDEX["cases"]
        if case["file"].split("/")[0] in groups
    ]


@pytest.mark.parametrize("case", cases("cad", "mesh"))
def test_case(case: dict[str, Any], runtime: Runtime) -> None:
    seen = look(CASES / case["file"], runtime)
    for key, value in case["expected"].items():
        CHECKS[key](seen, value)
    _no_nan(seen)


def outcome_is(seen: Seen, expected: str) -> None:
    allowed = {
        "ok_with_note_or_error_with_fix": {Outcome.OK, Outcome.NO_RESULT},
        "ok_with_warning_or_error": {Outcome.OK, Outcome.PYTHON_ERROR},
        "timeout_or_ok": {Outcome.OK, Outcome.TIMEOUT},
        "import_error_or_repaired_with_warning": {Outcome.IMPORT_ERROR},
    }.get(expected, {Outcome(expected)} if expected in set(Outcome) else set())
    assert seen.judgement.outcome in allowed, seen.judgement.message


def words(seen: Seen) -> str:
    notices = " ".join(f"{n.code} {n.message}" for n in seen.judgement.notices)
    return f"{seen.judgement.message} {notices}"


def mentions(seen: Seen, expected: str | list[str]) -> None:
    for word in [expected] if isinstance(expected, str) else expected:
        assert word in words(seen)


def warns(seen: Seen, expected: str | list[str]) -> None:
    codes = {notice.code for notice in seen.judgement.notices}
    assert {expected} if isinstance(expected, str) else set(expected) <= codes


def measured(name: str, tolerance: float = 1e-3) -> Callable[[Seen, Any], None]:
    def check(seen: Seen, expected: Any) -> None:
        assert seen.judgement.measures is not None
        got = getattr(seen.judgement.measures, name)
        assert got == (None if expected is None else pytest.approx(expected, rel=tolerance))

    return check


def volume_is(seen: Seen, expected: float | None) -> None:
    assert seen.judgement.measures is not None
    got = seen.judgement.measures.volume_mm3
    if expected == 0:  # a flat plate has no volume: None says so more plainly than 0
        assert got in (None, 0)
    elif expected is None:
        assert got is None
    else:
        assert got == pytest.approx(expected, rel=1e-3)


def next_step_works(seen: Seen, expected: bool) -> None:
    step = seen.runtime.sandbox.run("import cadquery as cq\nresult = cq.Workplane().box(1, 2, 3)")
    assert (step.outcome is Outcome.OK) == expected


def reward_is_finite(seen: Seen, expected: bool) -> None:
    score = seen.runtime.judge.score(None, None, Scoring.preset("absolute"))
    value = seen.judgement.score.value if seen.judgement.score else score.value
    assert (value is None or math.isfinite(value)) == expected


def nothing_runs_on(seen: Seen, expected: bool) -> None:
    deadline = time.monotonic() + 5.0  # the zygote reaps when it gets to it
    while (busy := _busy_children(seen.runtime.sandbox)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (not busy) == expected


def _busy_children(sandbox: Sandbox) -> list[int]:
    """Children of the zygote that are not asleep; the judge worker idles."""
    zygote = sandbox.zygote_pid
    children = Path(f"/proc/{zygote}/task/{zygote}/children").read_text(encoding="ascii").split()
    return [int(pid) for pid in children if _state(int(pid)) not in ("S", None)]


def _state(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except FileNotFoundError:
        return None
    return stat.rpartition(")")[2].split()[0]


def signal_is(seen: Seen, expected: str) -> None:
    assert expected in words(seen)


def box_y(seen: Seen, expected: list[float]) -> None:
    assert seen.judgement.measures is not None
    low, high = seen.judgement.measures.bbox_mm
    assert [low[1], high[1]] == pytest.approx(expected, abs=1e-4)


def export_holds_all(seen: Seen, expected: bool) -> None:
    step = seen.runtime.sandbox.run(seen.path.read_text(encoding="utf-8"))
    assert step.part is not None
    judge = seen.runtime.judge
    for fmt in ("step", "stl", "3mf", "glb"):
        measures = judge.inspect(judge.read(judge.write(step.part, fmt), fmt)).measures
        assert measures is not None
        assert (measures.bodies == 3) == expected, fmt


def alignment_decides(seen: Seen, expected: bool) -> None:
    runtime = seen.runtime
    wanted = runtime.sandbox.run(
        "import cadquery as cq\nresult = cq.Workplane('XZ').rect(10, 4).extrude(-30)"
    ).part
    got = runtime.sandbox.run(seen.path.read_text(encoding="utf-8")).part
    base = Scoring.preset("absolute")
    scores = {
        mode: runtime.judge.score(got, wanted, replace(base, alignment=mode))
        for mode in (Alignment.NONE, Alignment.RIGID)
    }
    assert scores[Alignment.RIGID].value == pytest.approx(1.0, abs=1e-6)
    assert ((scores[Alignment.NONE].value or 0.0) < 0.5) == expected
    for mode, score in scores.items():
        assert score.card is not None
        assert score.card.alignment == mode


def truncated_with_notice(seen: Seen, expected: bool) -> None:
    assert (len(seen.text) < 1_000_000) == expected
    assert "stdout_truncated" in words(seen)


def line_is_the_models(seen: Seen, expected: bool) -> None:
    num_lines = len(seen.path.read_text(encoding="utf-8").splitlines())
    line = int(re.findall(r"line (\d+)", words(seen))[0])
    assert (1 <= line <= num_lines) == expected


def memory_stays(seen: Seen, expected: bool) -> None:
    assert (seen.memory_mb < 100) == expected


def host_lives(seen: Seen, expected: bool) -> None:
    assert (seen.memory_mb < 100 and os.getloadavg() is not None) == expected


def no_runner_frames(seen: Seen, expected: bool) -> None:
    assert ("cadwright" not in words(seen) and "Traceback" not in words(seen)) == expected


def is_closed(seen: Seen, expected: bool) -> None:
    assert seen.judgement.measures is not None
    assert seen.judgement.measures.is_watertight == expected


def extents_are(seen: Seen, expected: list[float]) -> None:
    assert seen.judgement.measures is not None
    assert list(seen.judgement.measures.size_mm) == pytest.approx(expected, rel=1e-3)


def no_guess(seen: Seen, expected: str) -> None:
    if expected == "guess":
        assert seen.judgement.measures is None
    elif expected == "ModuleNotFoundError":
        assert expected not in words(seen)
    else:
        assert expected == "use 750 as a volume"
        assert seen.judgement.measures is not None
        assert seen.judgement.measures.volume_mm3 is None


def stops_in_time(seen: Seen, expected: float) -> None:
    assert seen.seconds < LIMIT_S + expected


def partial_state_is_told(seen: Seen, expected: bool) -> None:
    if seen.judgement.outcome is Outcome.TIMEOUT:
        assert ("the state before this step is kept" in words(seen)) == expected


def use_is(seen: Seen, expected: str) -> None:
    if "inch" in expected:
        assert seen.judgement.measures is not None
        assert seen.judgement.measures.volume_mm3 == pytest.approx(25.4**3, rel=1e-6)
    else:
        assert expected == "reference for the others"
        assert seen.judgement.score is not None
        assert seen.judgement.score.value == 1.0


def says_size_is_wrong(seen: Seen, expected: str) -> None:
    assert any(word.strip() in words(seen) for word in expected.split(" or "))


def names_face_or_index(seen: Seen, expected: bool) -> None:
    assert (("face" in words(seen)) or ("index" in words(seen))) == expected


def _no_nan(seen: Seen, expected: bool = True) -> None:
    numbers = json.loads(
        json.dumps(seen.judgement.to_json(), allow_nan=False), parse_constant=pytest.fail
    )
    assert (numbers["outcome"] == seen.judgement.outcome) == expected


CHECKS: dict[str, Callable[[Seen, Any], None]] = {
    "accepted_variable": mentions,
    "bbox_y": box_y,
    "bodies": measured("bodies"),
    "closed": is_closed,
    "episode_continues": next_step_works,
    "error_type": mentions,
    "export_contains_all": export_holds_all,
    "extents": extents_are,
    "host_ok": host_lives,
    "killed_within_s_of_limit": stops_in_time,
    "line_number_in_model_code": line_is_the_models,
    "message_has_hint": lambda seen, expected: mentions(seen, "hint"),
    "message_names_face_or_index": names_face_or_index,
    "message_names_operation": mentions,
    "message_says": says_size_is_wrong,
    "must_list": mentions,
    "must_mention": mentions,
    "must_not": no_guess,
    "next_step_works": next_step_works,
    "no_nan_in_report": _no_nan,
    "no_nan_in_report_or_reward": _no_nan,
    "no_process_left": nothing_runs_on,
    "no_runner_frames": no_runner_frames,
    "outcome": outcome_is,
    "parent_memory_bounded": memory_stays,
    "partial_state_reported": partial_state_is_told,
    "reward_finite": reward_is_finite,
    "score_depends_on_named_alignment": alignment_decides,
    "signal": signal_is,
    "solids": measured("bodies"),
    "stdout_truncated_with_notice": truncated_with_notice,
    "use": use_is,
    "volume": volume_is,
    "warning": warns,
    "watertight": is_closed,
}


@pytest.mark.parametrize("group", ["cad", "mesh", "eval"])
def test_every_case_file_has_a_row(group: str) -> None:
    listed = {case["file"] for case in INDEX["cases"]}
    assert {f"{group}/{path.name}" for path in (CASES / group).iterdir()} <= listed


def test_a_case_runs_the_same_under_the_c_locale(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LC_ALL", "C")
        with Sandbox() as sandbox:
            program = (CASES / "cad/c36_non_ascii.py").read_text(encoding="utf-8")
            assert sandbox.run(program).outcome is Outcome.OK
