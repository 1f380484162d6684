"""Pockets with leaning walls are pockets, as large as their mouths; what only looks so is not."""

import pytest
from constraint_parts import cq, moved, one, part_of, report

from cadwright.rewards.constraints.derive import derive
from cadwright.rewards.constraints.job import subject_of

SIZE = {"size": [40, 30], "depth": 4}
TURN = {"axis": (1, 2, 3), "degrees": 40.0, "shift": (7, -3, 2)}


def plate():
    return cq.Workplane().box(60, 60, 10)


def cutter(at=(0, 0)):
    return cq.Workplane().workplane(offset=5).center(*at).rect(40, 30)


def leaning(taper=5.0, at=(0, 0)):
    return plate().cut(cutter(at=at).extrude(-4, taper=taper))


def rounded():
    drawn = cq.Workplane().workplane(offset=5).sketch().rect(40, 30).vertices().fillet(5)
    return plate().cut(drawn.finalize().extrude(-4, taper=5))


@pytest.mark.parametrize("taper", [0.5, 5, 20, 40])
def test_a_leaning_pocket_has_depth_mouth_and_place(taper):
    part = part_of(leaning(taper, at=(3, -2)))
    asked = {**SIZE, "corner_radius": 0, "at": [3, -2, 5], "opens": "+z"}
    assert one(part, "pocket", **asked).verdict == "met"


@pytest.mark.parametrize(
    "wrong",
    [{"size": [38, 30]}, {"depth": 5}, {"at": [9, 0, 5]}, {"opens": "-z"}],
    ids=["size", "depth", "place", "side"],
)
def test_a_leaning_pocket_binds_to_all_of_it(wrong):
    asked = {**SIZE, "at": [0, 0, 5], "opens": "+z", **wrong}
    assert one(part_of(leaning()), "pocket", **asked).verdict == "residual"


def test_a_leaning_pocket_is_found_however_it_lies():
    assert one(part_of(moved(leaning(), **TURN)), "pocket", **SIZE).verdict == "met"


def test_round_corners_of_a_leaning_pocket_have_no_one_radius():
    part = part_of(rounded())
    assert one(part, "pocket", **SIZE, at=[0, 0, 5]).verdict == "met"
    assert one(part, "pocket", **SIZE, corner_radius=5).verdict == "residual"


@pytest.mark.parametrize("made", [leaning(), rounded()], ids=["sharp", "round"])
def test_a_leaning_pocket_may_have_a_rounded_floor(made):
    floor = cq.selectors.NearestToPointSelector((0, 0, 1))
    part = part_of(made.faces(floor).edges().fillet(1))
    assert one(part, "pocket", **SIZE, at=[0, 0, 5], opens="+z").verdict == "met"
    assert subject_of(part).features.unchecked == ()


def test_a_wall_that_leans_alone_makes_no_other_pocket():
    tool = cq.Workplane("XZ").polyline([(-20, 5), (20, 5), (18, 1), (-20, 1)]).close()
    part = part_of(plate().cut(tool.extrude(15, both=True)))
    assert one(part, "pocket", **SIZE, at=[0, 0, 5], opens="+z").verdict == "met"


def test_a_slope_is_no_wall():
    result = one(part_of(leaning(50)), "pocket", **SIZE, at=[0, 0, 5])
    assert (result.verdict, result.is_hidden) == ("could_not_check", True)


def test_a_hill_is_no_pocket():
    hill = plate().union(cutter().extrude(4, taper=5))
    result = one(part_of(hill), "pocket", **SIZE)
    assert (result.verdict, result.credit) == ("residual", 0.0)


def test_leaning_pockets_are_proposed_and_met():
    part = part_of(leaning())
    asked = [one for one in derive(subject_of(part)) if one.kind == "pocket"]
    assert [(one.size, one.depth) for one in asked] == [((40.0, 30.0), 4.0)]
    assert report(part, {"kind": "pocket", **SIZE}).all_met


def test_a_straight_pocket_is_found_once():
    part = part_of(plate().faces(">Z").workplane().rect(40, 30).cutBlind(-4))
    assert one(part, "pocket", **SIZE, count=2).verdict == "residual"
    assert subject_of(part).features.leaning_pockets == ()
