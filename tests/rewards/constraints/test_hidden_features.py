"""Geometry that nobody can recognise earns nothing where the reference shows what was asked."""

from __future__ import annotations

from typing import Any

import pytest

from cadwright.rewards import jobs
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.constraints.result import Aspect, ConstraintReport, ConstraintResult, Finding
from cadwright.rewards.scoring import Scoring

ASKED = parse_constraints([{"kind": "bodies", "count": 1, "id": "one"}])[0]
MET = ConstraintResult.of(ASKED, "1", Finding("1", (Aspect("", 0.0, "", 0.0, 1.0),)))
UNKNOWN = ConstraintResult.unchecked(ASKED, "1", "no face is a cylinder", is_hidden=True)
UNKNOWABLE = ConstraintResult.unchecked(ASKED, "1", "there is no start geometry to compare with")
NEEDED = Scoring.from_dict({"weights": {"constraints": 1.0}})
EXACT, TRIANGLES = {"brep": 0, "mesh": None}, {"brep": None, "mesh": {}}


def report_of(part: dict[str, Any], reference: dict[str, Any] | None) -> ConstraintReport | None:
    """The report of a job whose part cannot be checked and whose reference can."""
    header = {"part": part, "reference": reference, "constraints": [{}]}
    return jobs._report(header, [], NEEDED)


@pytest.fixture(autouse=True)
def answers(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"reference": MET, "part": UNKNOWN}

    def check(header: dict[str, Any], blobs: object) -> ConstraintReport:
        is_reference = header["part"] is header["reference"]
        return ConstraintReport((known["reference" if is_reference else "part"],))

    monkeypatch.setattr(jobs, "check_parts", check)


@pytest.mark.parametrize("part", [EXACT, TRIANGLES], ids=["exact", "triangles"])
def test_what_the_reference_of_its_kind_shows_counts_as_not_met(part):
    report = report_of(part, dict(part))
    assert report.value == 0.0
    assert "the reference can be checked" in report.could_not_check[0].reason


def test_triangles_are_not_blamed_for_what_only_exact_geometry_shows():
    assert report_of(TRIANGLES, EXACT).value is None


@pytest.mark.parametrize("part", [EXACT, TRIANGLES], ids=["exact", "triangles"])
def test_without_a_reference_what_the_part_hides_counts_as_not_met(part):
    report = report_of(part, None)
    assert report.value == 0.0
    assert "the part itself hides it" in report.could_not_check[0].reason


def test_missing_evidence_is_held_against_no_part():
    assert ConstraintReport((UNKNOWABLE,)).without_hiding().value is None


def test_that_a_result_is_hidden_survives_the_way_out_and_back():
    report = ConstraintReport((UNKNOWN, UNKNOWABLE))
    assert ConstraintReport.from_json(report.to_json()) == report


def test_what_the_reference_hides_too_stays_out_of_the_total():
    unknown = ConstraintReport((UNKNOWN,))
    assert unknown.held_against(unknown).value is None


def test_what_was_checked_keeps_its_credit():
    met = ConstraintReport((MET,))
    assert met.held_against(ConstraintReport((UNKNOWN,))).value == 1.0
