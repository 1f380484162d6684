"""What holds whatever the part: credit falls with the error, motion changes nothing."""

import math
from dataclasses import replace

import numpy as np
import pytest
from constraint_parts import block, cq, drilled, hole, moved, one, part_of, rotation
from hypothesis import given, settings
from hypothesis import strategies as st

from cadwright.rewards.constraints.compare_holes import Spot, compare_hole
from cadwright.rewards.constraints.evaluate import evaluate
from cadwright.rewards.constraints.job import check_part, subject_of
from cadwright.rewards.constraints.matching import cost_of
from cadwright.rewards.constraints.motion import Pose
from cadwright.rewards.constraints.motion import moved as moved_constraint
from cadwright.rewards.constraints.parse import parse_constraint, parse_constraints
from cadwright.rewards.constraints.result import ConstraintReport, ConstraintResult

ASKED = {"kind": "hole", "diameter": 6, "at": [0, 0, 5], "axis": "z", "depth": 10, "opens": "+z"}
ERRORS = st.floats(0.0, 50.0)


def credit(**changes) -> float:
    wanted = parse_constraint(ASKED)
    aspects = compare_hole(wanted, Spot((0.0, 0.0, 5.0)), hole(**changes))
    return 2.0 ** -cost_of(aspects)


@given(ERRORS, ERRORS)
def test_credit_falls_with_the_error_of_the_diameter(a, b):
    small, large = sorted((a, b))
    assert credit(diameter=6 + small) >= credit(diameter=6 + large)


@given(ERRORS, ERRORS)
def test_credit_falls_with_the_distance_from_the_place(a, b):
    small, large = sorted((a, b))
    assert credit(at=(small, 0.0, 10.0)) >= credit(at=(large, 0.0, 10.0))


@given(st.floats(0.0, 90.0), st.floats(0.0, 90.0))
def test_credit_falls_with_the_tilt(a, b):
    def tilted(degrees):
        turn = math.radians(degrees)
        axis = (math.sin(turn), 0.0, -math.cos(turn))
        start = tuple(p - 5.0 * a for p, a in zip((0.0, 0.0, 5.0), axis, strict=True))
        return credit(at=start, axis=axis)

    small, large = sorted((a, b))
    assert tilted(small) >= tilted(large) - 1e-12


@pytest.mark.parametrize(
    ("kind", "asked", "measured"),
    [("volume", {"value": 1000}, 1000.0), ("area", {"value": 600}, 600.0)],
)
@given(st.floats(0.0, 5.0), st.floats(0.0, 5.0))
def test_credit_of_an_amount_falls_with_its_error(kind, asked, measured, a, b):
    wanted, subject = parse_constraint({"kind": kind, **asked}), subject_of(part_of(cube()))
    field = {"volume": "volume_mm3", "area": "area_mm2"}[kind]

    def value(error):
        changed = replace(subject.measures, **{field: measured * (1 + error)})
        return evaluate([wanted], replace(subject, measures=changed)).value

    small, large = sorted((a, b))
    assert value(0.0) == 1.0
    assert value(small) >= value(large)


def cube():
    return cq.Workplane().box(10, 10, 10)


FEATURES = parse_constraints(
    [
        {"kind": "hole", "diameter": 6, "at": [[20, 12, 5], [-20, -12, 5]], "opens": "+z"},
        {"kind": "hole", "diameter": 5, "at": [20, -12, 5], "axis": "z"},
        {
            "kind": "hole_grid",
            "diameter": 6,
            "count": [2, 1],
            "pitch": [40, 1],
            "centre": [0, 13, 5],
            "along": "x",
            "axis": "z",
        },
        {"kind": "face", "normal": "+z", "at": [0, 0, 11]},
        {"kind": "centre_of_mass", "at": [1, 0, 5]},
        {"kind": "symmetry", "mirror": "x"},
        {"kind": "section_area", "value": 380, "normal": "x", "at": [1, 0, 0]},
        {"kind": "filled", "region": {"start": [0, 0, 0], "end": [0, 0, 12], "diameter": 8}},
        {"kind": "volume", "value": 23000},
    ]
)
AXES = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda axis: np.linalg.norm(axis) > 0.1)
SHIFTS = st.tuples(*[st.floats(-200, 200)] * 3)


@settings(max_examples=6, deadline=None)
@given(AXES, st.floats(0, 360), SHIFTS)
def test_moving_part_and_constraints_together_changes_nothing(axis, degrees, shift):
    pose = Pose(rotation(axis, degrees), np.array(shift))
    still = check_part(part_of(drilled()), FEATURES)
    there = check_part(
        part_of(moved(drilled(), axis, degrees, shift)),
        [moved_constraint(one, pose) for one in FEATURES],
    )
    assert [r.verdict for r in there.results] == [r.verdict for r in still.results]
    for before, after in zip(still.results, there.results, strict=True):
        assert after.credit == pytest.approx(before.credit, abs=2e-3)


def test_a_motion_and_its_inverse_give_the_constraint_back():
    pose = Pose(rotation((1, 2, 3), 40), np.array([5.0, -7.0, 1.0]))
    wanted = parse_constraint(ASKED)
    there_and_back = moved_constraint(moved_constraint(wanted, pose), pose.inverse)
    assert np.allclose(there_and_back.at, wanted.at)
    assert np.allclose(there_and_back.opens, wanted.opens)


def test_what_could_not_be_checked_has_no_credit_and_does_not_count():
    wanted = parse_constraints([{"kind": "preserved"}, {"kind": "bodies", "count": 1}])
    found = check_part(block(), wanted)
    assert found.results[0].credit is None
    assert found.value == 1.0
    assert not found.all_met
    assert [result.id for result in found.could_not_check] == ["1_preserved"]


def test_nothing_checked_has_no_value():
    wanted = parse_constraint({"kind": "preserved", "id": "a"})
    assert ConstraintReport((ConstraintResult.unchecked(wanted, "", "why"),)).value is None


def test_weights_count():
    found = check_part(
        block(),
        parse_constraints(
            [{"kind": "bodies", "count": 1, "weight": 3}, {"kind": "bodies", "count": 9}]
        ),
    )
    low = found.results[1].credit
    assert found.value == pytest.approx((3 + low) / 4)


def test_a_report_survives_the_wire():
    found = check_part(block(), FEATURES)
    assert ConstraintReport.from_json(found.to_json()) == found


def test_the_result_names_the_worst_quantity():
    result = one(block(), "hole", diameter=4, at=[2, -8, 15], depth=13, opens="+z")
    assert result.reason.startswith("depth")


@pytest.mark.parametrize("size", [0.01, 0.1, 1.0])
def test_a_filled_region_earns_little_at_any_size(size):
    part = part_of(cq.Workplane().box(size, size, size))
    region = {"min": [-size / 2] * 3, "max": [size / 2] * 3}
    result = one(part, "keep_out", region=region)
    assert result.verdict == "residual"
    assert result.credit < 0.995


@pytest.mark.parametrize("kind", ["hole", "slot", "boss", "cylinder", "fillet", "chamfer"])
def test_what_is_small_is_held_to_less(kind):
    field = {"hole": "diameter", "boss": "diameter", "cylinder": "diameter"}.get(kind)
    field = field or {"slot": "width", "fillet": "radius", "chamfer": "size"}[kind]
    slacks = [parse_constraint({"kind": kind, field: size}).slack for size in (0.01, 0.1, 5.0, 50)]
    tolerances = [slack.tolerance for slack in slacks]
    assert tolerances == sorted(tolerances)
    assert tolerances[0] < 0.01 < tolerances[2] == tolerances[3]
