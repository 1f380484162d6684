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


SIZES = (0.001, 0.01, 1.0, 100.0)


def scaled_plate(size, holes=((15, 5), (-15, 5)), diameter=6):
    """A 60 x 40 x 10 plate with two holes, all of it times ``size``."""
    made = cq.Workplane().box(60 * size, 40 * size, 10 * size).faces(">Z").workplane()
    made = made.pushPoints([(x * size, y * size) for x, y in holes]).hole(diameter * size)
    return part_of(made)


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


@pytest.mark.parametrize("size", SIZES)
def test_a_part_of_any_size_meets_what_is_proposed_from_it(size):
    constraints = proposed(scaled_plate(size))
    kinds = [one.kind for one in constraints]
    assert {"bounding_box", "volume", "centre_of_mass", "hole", "hole_count"} <= set(kinds)
    assert check_part(scaled_plate(size), constraints).all_met


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("holes", "diameter"), [(((10, 0), (-10, 0)), 10), (((15, 5), (-15, 5)), 7)], ids=str
)
def test_wrong_holes_are_seen_at_any_size(size, holes, diameter):
    report = check_part(scaled_plate(size, holes, diameter), proposed(scaled_plate(size)))
    assert "hole" in {result.kind for result in report.unmet}


def test_numbers_of_usual_parts_have_four_decimals():
    written = [to_plain(one) for one in proposed(plate())]
    assert next(one["value"] for one in written if one["kind"] == "volume") == 22869.0266


@pytest.mark.parametrize("radius", [10, 50, 200])
def test_the_wall_of_a_tube_is_proposed_as_it_is(radius):
    tube = cq.Workplane().circle(radius).circle(radius - 2).extrude(30)
    found = [one.min for one in proposed(part_of(tube)) if one.kind == "wall_thickness"]
    assert found == [pytest.approx(2, abs=1e-4)]
