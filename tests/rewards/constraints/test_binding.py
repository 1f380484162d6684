"""Constraints bind to place, axis and side: counts and diameters alone prove nothing."""

from constraint_parts import CORNERS, drilled, one, part_of, plate, report, two_on_top_two_on_side

from cadwright.rewards.constraints.matching import Ask, match
from cadwright.rewards.constraints.result import Aspect

ON_TOP = {"diameter": 6, "count": 4, "opens": "+z"}


def test_four_holes_on_top_are_not_two_on_top_and_two_on_the_side():
    assert one(plate(), "hole", **ON_TOP).verdict == "met"
    result = one(two_on_top_two_on_side(), "hole", **ON_TOP)
    assert result.verdict == "residual"
    assert result.credit == 0.5
    assert "2" in result.reason


def test_count_and_diameter_alone_do_not_tell_them_apart():
    assert one(two_on_top_two_on_side(), "hole", diameter=6, count=4).verdict == "met"


def test_one_found_hole_never_answers_two_constraints():
    part = part_of(drilled(corners=CORNERS[:1]))
    asked = {"kind": "hole", "diameter": 6}
    verdicts = sorted(result.verdict for result in report(part, asked, asked).results)
    assert verdicts == ["met", "residual"]


def test_a_patterns_holes_are_spent():
    grid = {"kind": "hole_grid", "diameter": 6, "count": [2, 2], "pitch": [40, 24]}
    assert report(plate(), grid).all_met
    assert not report(plate(), grid, {"kind": "hole", "diameter": 6}).all_met


def test_a_further_hole_is_refused_where_only_these_are_asked():
    first = {"diameter": 6, "at": [[x, y, 5] for x, y in CORNERS[:3]]}
    assert one(plate(), "hole", **first).verdict == "met"
    assert one(plate(), "hole", **first, only=True).verdict == "residual"


def test_a_hole_of_another_size_is_no_further_hole():
    made = drilled().faces(">Z").workplane(origin=(0, 0, 10)).hole(12)
    assert one(part_of(made), "hole", diameter=6, count=4, only=True).verdict == "met"


def test_matching_finds_the_best_total_and_not_the_first_best():
    # the first ask is content with either hole, the second with one of them
    near = {"a": {1: 0.0, 2: 0.1}, "b": {1: 0.2, 2: 9.0}}
    asks = [
        Ask(name, lambda item, c=c: (Aspect("", c[item], "mm", 0.0, 1.0),))
        for name, c in near.items()
    ]
    answers = match(asks, [1, 2])
    assert answers["a"][0].feature == 2
    assert answers["b"][0].feature == 1


def test_a_feature_far_off_is_missing_but_named():
    made = drilled(corners=[(20.0, 12.0)])
    result = one(part_of(made), "hole", diameter=6, at=[-20, -12, 5])
    assert result.credit == 0.0
    assert "nearest is d 6" in result.reason


def test_places_with_an_open_coordinate_ignore_it():
    assert one(plate(), "hole", diameter=6, at=[20, 12, None]).verdict == "met"
    assert one(plate(), "hole", diameter=6, at=[20, 10, None]).verdict == "residual"


def test_a_hole_is_found_anywhere_along_its_length_and_not_beyond():
    assert one(plate(), "hole", diameter=6, at=[20, 12, 0]).verdict == "met"
    assert one(plate(), "hole", diameter=6, at=[20, 12, 13]).verdict == "residual"
