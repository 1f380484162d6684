"""Countersinks and chamfered rims are one cone: whoever asks for either finds it."""

import pytest
from constraint_parts import cq, one, part_of

from cadwright.rewards.constraints.result import CheckVerdict
from cadwright.tools.geometry.recognise import find_features


def plate():
    return cq.Workplane().box(60, 60, 10).faces(">Z").workplane()


def sunk(diameter, widest):
    return part_of(plate().cskHole(diameter, widest, 90))


def chamfered_on_both_sides():
    made = plate().hole(5)
    return part_of(made.faces("<Z or >Z").edges("%circle").chamfer(1.5))


WIDENINGS = [(10, 11), (10, 13), (10, 13.9), (10, 14.1), (10, 20), (3, 12)]


@pytest.mark.parametrize(("diameter", "widest"), WIDENINGS)
def test_a_countersink_is_found_however_far_it_widens(diameter, widest):
    sink = {"diameter": widest, "angle": 90}
    found = one(sunk(diameter, widest), "hole", diameter=diameter, countersink=sink)
    assert found.verdict is CheckVerdict.MET


@pytest.mark.parametrize(("diameter", "widest"), WIDENINGS)
def test_a_chamfered_rim_is_found_however_far_it_widens(diameter, widest):
    found = one(sunk(diameter, widest), "chamfer", size=(widest - diameter) / 2)
    assert found.verdict is CheckVerdict.MET


def test_chamfers_at_both_rims_are_two():
    found = one(chamfered_on_both_sides(), "chamfer", size=1.5, count=2)
    assert found.verdict is CheckVerdict.MET


def test_two_rims_are_not_three():
    found = one(chamfered_on_both_sides(), "chamfer", size=1.5, count=3)
    assert found.verdict is CheckVerdict.RESIDUAL


@pytest.mark.parametrize("asked", [{"diameter": 16}, {"diameter": 13, "angle": 120}])
def test_a_countersink_of_another_size_is_not_met(asked):
    found = one(sunk(10, 13), "hole", diameter=10, countersink=asked)
    assert found.verdict is CheckVerdict.RESIDUAL


def test_a_hole_with_a_sharp_rim_has_no_countersink():
    found = one(part_of(plate().hole(10)), "hole", diameter=10, countersink={"diameter": 13})
    assert found.residual == 1


@pytest.mark.parametrize(("diameter", "widest"), WIDENINGS)
def test_a_cone_is_listed_once_as_what_it_is_to_most(diameter, widest):
    found = find_features(sunk(diameter, widest))
    assert (found.holes[0].countersink is None) == bool(found.chamfers)
    assert (found.holes[0].rim is None) == bool(found.sunk_chamfers)
