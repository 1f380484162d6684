"""Mating: all features under one pose of the part, and volumes in that same pose."""

import numpy as np
import pytest
from constraint_parts import CORNERS, cq, drilled, moved, part_of
from hypothesis import given, settings
from hypothesis import strategies as st

from cadwright.rewards.constraints.job import subject_of
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.interface import interface_score
from cadwright.tools.errors import UsageError

HOLES = {
    "kind": "hole",
    "diameter": 6,
    "at": [[x, y, 10] for x, y in CORNERS],
    "opens": "+z",
}
NUT = {"kind": "keep_out", "region": {"min": [-30, -20, 10.01], "max": [30, 20, 15]}}


def mate(made, *plain):
    return interface_score(parse_constraints(list(plain)), subject_of(part_of(made)))


def test_a_part_in_place_mates_without_a_motion():
    score = mate(drilled(), HOLES)
    assert score.is_mating
    assert np.allclose(score.pose.rotation, np.eye(3))


@settings(max_examples=6, deadline=None)
@given(
    st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda axis: np.linalg.norm(axis) > 0.1),
    st.floats(0, 360),
    st.tuples(*[st.floats(-100, 100)] * 3),
)
def test_a_part_anywhere_mates(axis, degrees, shift):
    assert mate(moved(drilled(), axis, degrees, shift), HOLES, NUT).is_mating


def test_holes_that_are_each_right_but_not_to_each_other_do_not_mate():
    # each of them sits in a place of its own pose: no pose holds all four
    made = drilled(corners=[*CORNERS[:2], (20.0, -10.0), (20.0, 14.0)])
    score = mate(made, HOLES)
    assert not score.is_mating
    assert score.value < 0.9


def test_material_where_the_nut_goes_spoils_the_mating():
    # on both sides: a part with a free side would be turned over
    made = drilled().union(cq.Workplane().box(8, 8, 24).translate((0, 0, 5)))
    assert mate(made, HOLES).is_mating
    score = mate(moved(made, (1, 1, 0), 120, (5, 6, 7)), HOLES, NUT)
    assert not score.is_mating
    assert [result.kind for result in score.report.unmet] == ["keep_out"]


def test_a_missing_hole_leaves_the_rest_in_place():
    made = moved(drilled(corners=CORNERS[1:]), (0, 1, 1), 77, (3, 2, 1))
    assert mate(made, HOLES).value == pytest.approx(0.75)


def test_a_pattern_mates_as_well():
    grid = {
        "kind": "hole_grid", "diameter": 6, "count": [2, 2], "pitch": [40, 24],
        "centre": [0, 0, 5], "axis": "z", "along": "x",
    }  # fmt: skip
    assert mate(moved(drilled(), (0, 0, 1), 30, (50, 0, 0)), grid).is_mating


def test_a_single_feature_is_brought_in_place():
    made = moved(cq.Workplane().box(20, 20, 5).faces(">Z").workplane().hole(4), (1, 0, 0), 50)
    assert mate(made, {"kind": "hole", "diameter": 4, "at": [7, 7, 7], "axis": "x"}).is_mating


def test_a_feature_without_a_place_is_refused():
    with pytest.raises(UsageError, match="full places"):
        mate(drilled(), {"kind": "hole", "diameter": 6})
