"""Geometry that nobody can recognise earns nothing where the reference shows what was asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from constraint_parts import cq, part_of, report

from cadwright.rewards import jobs
from cadwright.rewards.constraints import evaluate as evaluation
from cadwright.rewards.constraints import job
from cadwright.rewards.constraints.kinds_making import WallThickness
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.constraints.result import Aspect, ConstraintReport, ConstraintResult, Finding
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.wire import encode_part

ASKED = parse_constraints([{"kind": "bodies", "count": 1, "id": "one"}])[0]
MET = ConstraintResult.of(ASKED, "1", Finding("1", (Aspect("", 0.0, "", 0.0, 1.0),)))
UNKNOWN = ConstraintResult.unchecked(ASKED, "1", "no face is a cylinder", is_hidden=True)
UNKNOWABLE = ConstraintResult.unchecked(ASKED, "1", "there is no start geometry to compare with")
NEEDED = Scoring.from_dict({"weights": {"constraints": 1.0}})
EXACT = part_of(cq.Workplane().box(10, 10, 10))
TRIANGLES = Part(mesh=job.subject_of(EXACT).mesh)
BOTH = pytest.mark.parametrize("part", [EXACT, TRIANGLES], ids=["exact", "triangles"])
WALL = {"kind": "wall_thickness", "min": 2.0}


def counted(part: Part, reference: Part | None) -> ConstraintReport | None:
    """The report that counts in a score."""
    header: dict[str, Any] = {"constraints": [{}]}
    header["part"], blobs = encode_part(part)
    if reference is not None:
        header["reference"], more = encode_part(reference, first_blob=len(blobs))
        blobs = [*blobs, *more]
    return jobs._report(header, blobs, NEEDED)


@pytest.fixture
def hides(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Says what hides what is asked: a part by its name, or triangles."""

    def hide(name: str, *, in_triangles: bool = False) -> None:
        def check(part: Part, header: object, blobs: object) -> ConstraintReport:
            is_hidden = part.name == name or (in_triangles and part.brep is None)
            return ConstraintReport((UNKNOWN if is_hidden else MET,))

        monkeypatch.setattr(job, "_check", check)

    return hide


def refuse(monkeypatch: pytest.MonkeyPatch, outcome: Outcome) -> None:
    def fail(*_: object) -> Finding:
        raise GeometryError("the gauge gave up", outcome)

    monkeypatch.setitem(evaluation.CHECKS, WallThickness, fail)


@BOTH
def test_what_the_reference_shows_counts_as_not_met(part, hides):
    hides("attempt")
    told = counted(replace(part, name="attempt"), part)
    assert told.value == 0.0
    assert "the reference can be checked" in told.could_not_check[0].reason


def test_triangles_are_not_blamed_for_what_only_exact_geometry_shows(hides):
    hides("attempt", in_triangles=True)
    assert counted(replace(TRIANGLES, name="attempt"), EXACT).value is None


def test_triangles_are_blamed_for_what_the_triangles_of_an_exact_reference_show(hides):
    hides("attempt")
    assert counted(replace(TRIANGLES, name="attempt"), EXACT).value == 0.0


@BOTH
def test_without_a_reference_what_the_part_hides_counts_as_not_met(part, hides):
    hides("attempt")
    told = counted(replace(part, name="attempt"), None)
    assert told.value == 0.0
    assert "the part itself hides it" in told.could_not_check[0].reason


def test_a_gauge_that_fails_on_the_part_is_not_checked_and_earns_nothing(monkeypatch):
    refuse(monkeypatch, Outcome.INVALID_GEOMETRY)
    told = report(EXACT, WALL, {"kind": "bodies", "count": 1})
    assert told.results[0].verdict == "could_not_check"
    assert told.results[0].reason == "the gauge gave up"
    assert told.without_hiding().value == 0.5


def test_a_gauge_that_was_asked_nonsense_is_held_against_no_part(monkeypatch):
    refuse(monkeypatch, Outcome.BAD_CALL)
    assert report(EXACT, WALL).without_hiding().value is None


def test_a_part_without_facing_sides_does_not_shed_its_wall():
    corners = 20.0 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], float)
    sides = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]], np.int32)
    told = report(Part(mesh=Mesh(corners, sides, np.arange(4, dtype=np.int32))), WALL)
    assert "no two sides of the material face each other" in told.results[0].reason
    assert told.without_hiding().value == 0.0


def test_a_start_that_cannot_be_measured_is_held_against_no_part():
    start = Part(mesh=replace(TRIANGLES.mesh, faces=TRIANGLES.mesh.faces[:0]))
    told = report(EXACT, {"kind": "preserved"}, start=start)
    assert "the start geometry cannot be measured" in told.results[0].reason
    assert told.without_hiding().value is None


def test_of_what_is_no_solid_nothing_is_met():
    opened = Part(mesh=replace(TRIANGLES.mesh, faces=TRIANGLES.mesh.faces[1:]))
    told = report(opened, {"kind": "bodies", "count": 1})
    assert told.results[0].verdict == "could_not_check"
    assert told.without_hiding().value == 0.0


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
