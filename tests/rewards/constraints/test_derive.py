"""What is proposed from a part holds for it, and fails where the part is changed."""

import pytest
from constraint_parts import CORNERS, block, cq, drilled, part_of, plate

from cadwright.rewards.constraints.derive import derive
from cadwright.rewards.constraints.evaluate import evaluate
from cadwright.rewards.constraints.job import check_part, subject_of
from cadwright.rewards.constraints.parse import parse_constraints, to_plain

PARTS = {
    "plate": plate,
    "block": block,
    "ball": lambda: part_of(cq.Workplane().sphere(10)),
    "shaft": lambda: part_of(
        cq.Workplane().circle(6).extrude(30).faces(">Z").circle(4).extrude(10)
    ),
    "two bodies": lambda: part_of(
        cq.Workplane().pushPoints([(0, 0), (30, 0)]).circle(5).extrude(9)
    ),
}


def proposed(part):
    return derive(subject_of(part))


@pytest.mark.parametrize("name", PARTS)
def test_a_part_meets_what_is_proposed_from_it(name):
    constraints = proposed(PARTS[name]())
    assert len(constraints) >= 4
    assert evaluate(constraints, subject_of(PARTS[name]())).all_met


@pytest.mark.parametrize("name", PARTS)
def test_a_proposal_can_be_written_and_read(name):
    constraints = proposed(PARTS[name]())
    assert parse_constraints([to_plain(one) for one in constraints]) == constraints


def test_a_pattern_stands_for_its_holes():
    kinds = [one.kind for one in proposed(plate())]
    assert "hole_grid" in kinds
    assert "hole" not in kinds


def test_the_features_of_the_block_are_proposed():
    kinds = {one.kind for one in proposed(block())}
    assert {"slot", "pocket", "boss", "hole", "fillet", "chamfer", "wall_thickness"} <= kinds


BROKEN = {
    "a smaller hole": (lambda: drilled(5.0), "hole_grid"),
    "a missing hole": (lambda: drilled(corners=CORNERS[:3]), "hole_count"),
    "an offset hole": (lambda: drilled(corners=[*CORNERS[:3], (22.0, 12.0)]), "hole_grid"),
    "a further hole": (lambda: drilled(corners=[*CORNERS, (0.0, 0.0)]), "hole_count"),
    "another thickness": (lambda: drilled().faces(">Z").workplane().rect(60, 40).cutBlind(-1),
                          "bounding_box"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_the_broken_feature_is_named(name):
    made, kind = BROKEN[name]
    report = check_part(part_of(made()), proposed(plate()))
    assert kind in {result.kind for result in report.unmet}


def test_a_further_correct_part_passes():
    assert check_part(part_of(drilled(6.02)), proposed(plate())).all_met
