"""A face that is not there is missing: it is never what could not be checked, nor another face."""

import pytest
from constraint_parts import cq, one, part_of

from cadwright.rewards.constraints.job import check_part
from cadwright.rewards.constraints.parse import parse_constraints

TOP, BOTTOM = {"normal": "+z", "at": [0, 0, 10]}, {"normal": "-z", "at": [0, 0, -10]}
SIDE = {"normal": "+x", "at": [10, 0, 0]}
LEFT, RIGHT = {"normal": "+z", "at": [-5, 0, 10]}, {"normal": "+z", "at": [5, 0, 10]}
BORE, BOSS = {"at": [0, 0, 0], "inner": True}, {"at": [0, 0, 10], "diameter": 25}

ASKED = {
    "face": TOP,
    "parallel": {"first": TOP, "second": BOTTOM},
    "perpendicular": {"first": TOP, "second": SIDE},
    "coplanar": {"first": LEFT, "second": RIGHT},
    "face_distance": {"first": TOP, "second": BOTTOM, "value": 20},
    "coaxial": {"first": BORE, "second": BOSS},
}


def ball():
    return part_of(cq.Workplane().sphere(10))


def cube(size=20):
    return part_of(cq.Workplane().box(size, size, size))


@pytest.mark.parametrize("kind", ASKED)
def test_a_ball_has_none_of_the_faces_of_a_cube(kind):
    result = one(ball(), kind, **ASKED[kind])
    assert (result.verdict, result.credit) == ("residual", 0.0)


def test_a_ball_of_the_right_size_earns_its_size_alone():
    size = {"kind": "bounding_box", "size": [20, 20, 20]}
    faces = [{"kind": kind, **fields} for kind, fields in ASKED.items()]
    report = check_part(ball(), parse_constraints([size, *faces]))
    assert report.could_not_check == ()
    assert report.value == pytest.approx(1 / 7)


@pytest.mark.parametrize("kind", [kind for kind in ASKED if kind not in ("face", "coaxial")])
@pytest.mark.parametrize("far", ["first", "second"])
def test_a_point_in_the_air_selects_no_face(kind, far):
    fields = {**ASKED[kind], far: {**ASKED[kind][far], "at": [500, 500, 500]}}
    result = one(cube(), kind, **fields)
    assert one(cube(), kind, **ASKED[kind]).verdict == "met"
    assert (result.verdict, result.credit) == ("residual", 0.0)


def test_two_points_on_either_side_of_a_block_are_not_on_its_top():
    beside = {"first": {**LEFT, "at": [-100, 0, 10]}, "second": {**RIGHT, "at": [100, 0, 10]}}
    assert one(cube(), "coplanar", **beside).credit == 0.0


def test_one_face_is_no_pair():
    result = one(cube(), "parallel", first=LEFT, second=RIGHT)
    assert (result.verdict, result.credit) == ("residual", 0.0)


def test_one_bore_is_not_coaxial_with_itself():
    bored = part_of(cq.Workplane().box(20, 20, 20).faces(">Z").workplane().hole(6))
    result = one(bored, "coaxial", first=BORE, second={"at": [0, 0, 8], "inner": True})
    assert (result.verdict, result.credit) == ("residual", 0.0)


def test_a_face_that_moved_a_little_is_the_one_meant():
    higher = part_of(cq.Workplane().box(20, 20, 21))
    assert one(higher, "parallel", **ASKED["parallel"]).verdict == "met"


def test_how_far_a_face_may_be_can_be_said():
    higher = part_of(cq.Workplane().box(20, 20, 21))
    near = {"first": {**TOP, "within": 0.1}, "second": {**BOTTOM, "within": 0.1}}
    assert one(higher, "parallel", **near).verdict == "residual"


def test_the_credit_falls_as_a_face_leaves_its_point():
    made = [part_of(cq.Workplane().box(20, 20, height)) for height in (20, 24, 28, 32)]
    credits = [one(part, "parallel", **ASKED["parallel"]).credit for part in made]
    assert credits == sorted(credits, reverse=True)
    assert len(set(credits)) == len(credits)
