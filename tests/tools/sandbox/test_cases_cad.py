"""The hostile CAD cases, as far as the sandbox decides: how each program ends.

Whether a shape is a valid solid is the judge's to say: these programs are ``ok`` here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from cadwright.tools.errors import Outcome
from cadwright.tools.sandbox import Sandbox, Session

CASES = Path(__file__).parents[2] / "cases"
TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Expected:
    """What the sandbox owes a case."""

    outcome: Outcome
    says: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    timeout_s: float = 30.0


EXPECTED = {
    "c01_segfault_tiny_taper": Expected(Outcome.NATIVE_CRASH, ("line 4", "SIGSEGV")),
    "c02_python_infinite_loop": Expected(Outcome.TIMEOUT, ("line 5",), timeout_s=TIMEOUT_S),
    "c03_native_hang_tessellation": Expected(Outcome.TIMEOUT, ("line 4",), timeout_s=TIMEOUT_S),
    "c04_fillet_exact_half": Expected(
        Outcome.PYTHON_ERROR, ("line 3", "fillet(radius=5.0)", "hint:", "half")
    ),
    "c06_other_variable_name": Expected(Outcome.OK, ("result = bracket",), ("result_not_named",)),
    "c07_show_object_only": Expected(Outcome.OK),
    "c08_two_candidates": Expected(Outcome.NO_RESULT, ("`body`", "`lid`", "result = body")),
    "c17_open_shell_solid": Expected(Outcome.OK),
    "c18_bowtie_profile": Expected(Outcome.OK),
    "c19_nan_dimension": Expected(Outcome.OK),
    "c22_xz_extrudes_backwards": Expected(Outcome.OK),
    "c23_three_solids_on_stack": Expected(Outcome.OK),
    "c24_missing_font": Expected(Outcome.OK, ("NoSuchFontXYZ",), ("missing_font",)),
    "c25_contradictory_assembly": Expected(Outcome.OK, (), ("constraints_not_met", "interference")),
    "c30_stdout_flood": Expected(Outcome.OK, (), ("stdout_truncated",)),
    "c31_memory_bomb": Expected(Outcome.RESOURCE_LIMIT, ("memory",), timeout_s=120),
    "c33_early_exit": Expected(Outcome.NO_RESULT, ("exited", "line 4")),
    "c34_metres_not_mm": Expected(Outcome.OK),
    "c36_non_ascii": Expected(Outcome.OK),
    "c37_syntax_error": Expected(Outcome.PYTHON_ERROR, ("line 2", "never closed")),
    "c38_touching_edge": Expected(Outcome.OK),
    "c39_slow_sphere_grid": Expected(Outcome.TIMEOUT, ("line 6",), timeout_s=1.0),
}

# What index.json calls an outcome that is the judge's, or leaves open.
NOT_OURS = {"invalid_geometry", "timeout_or_ok", "ok_with_note_or_error_with_fix"}
NOT_OURS |= {"ok_with_warning_or_error"}


def program(name: str) -> str:
    return (CASES / "cad" / f"{name}.py").read_text(encoding="utf-8")


def index() -> dict[str, str]:
    cases = json.loads((CASES / "index.json").read_text(encoding="utf-8"))["cases"]
    programs = [case for case in cases if case["file"].endswith(".py")]
    return {Path(case["file"]).stem: case["expected"]["outcome"] for case in programs}


def test_every_program_of_the_index_is_covered() -> None:
    assert set(index()) == set(EXPECTED)


def test_the_expectations_here_are_those_of_the_index() -> None:
    decided = {name: outcome for name, outcome in index().items() if outcome not in NOT_OURS}
    assert {name: str(EXPECTED[name].outcome) for name in decided} == decided


@pytest.mark.parametrize("name", EXPECTED)
def test_a_hostile_program_ends_as_expected_and_the_next_step_works(
    session: Session, name: str
) -> None:
    expected = EXPECTED[name]
    step = session.execute(program(name), timeout_s=expected.timeout_s)
    told = "\n".join([str(step.error), *(notice.message for notice in step.notices)])
    assert step.outcome is expected.outcome, told
    assert {notice.code for notice in step.notices} >= set(expected.notices)
    assert [words for words in expected.says if words not in told] == []
    assert session.execute("import cadquery as cq\nresult = cq.Solid.makeBox(1, 1, 1)").is_ok


@pytest.mark.parametrize("name", ["c01_segfault_tiny_taper", "c06_other_variable_name"])
def test_a_program_alone_ends_as_in_a_session(sandbox: Sandbox, name: str) -> None:
    assert sandbox.run(program(name)).outcome is EXPECTED[name].outcome


def test_a_program_is_killed_soon_after_its_limit(sandbox: Sandbox) -> None:
    step = sandbox.run(program("c02_python_infinite_loop"), timeout_s=0.5)
    assert step.outcome is Outcome.TIMEOUT
    assert step.seconds < 5.5
