import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_shapes import box, bracket, mirrored, moved, rotation, score, surface, united

from cadwright.rewards.alignment import IDENTITY, Alignment, align, pose_surface
from cadwright.rewards.similarity import surface_deviation_mm
from cadwright.rewards.turns import CUBE_ROTATIONS

PLATE = united(box((80, 60, 10)), box((10, 10, 20), at=(30, 15, 10)))


def found(part, wanted, mode):
    surfaces = (
        pose_surface(m.vertices[m.faces], seed=0, stream=i) for i, m in enumerate((part, wanted))
    )
    return align(*surfaces, Alignment(mode))


def worst_gap(part, wanted, mode):
    """Largest distance between the aligned part and the reference."""
    transform = found(part, wanted, mode)
    placed = moved(part)
    placed.vertices[:] = transform.apply(part.vertices)
    return max(gaps.largest for gaps in surface_deviation_mm(surface(placed), surface(wanted)))


def test_there_are_24_proper_cube_rotations():
    assert len({tuple(m.ravel()) for m in CUBE_ROTATIONS}) == 24
    assert all(np.linalg.det(m) == pytest.approx(1.0) for m in CUBE_ROTATIONS)
    assert np.array_equal(CUBE_ROTATIONS[0], np.eye(3))


def test_none_moves_nothing():
    assert found(moved(PLATE, (5, 0, 0)), PLATE, "none") is IDENTITY


def test_translate_puts_the_boxes_together():
    transform = found(moved(PLATE, (5, -3, 2)), PLATE, "translate")
    assert transform.translation == pytest.approx([-5, 3, -2])


def test_translate_scale_makes_the_largest_extents_equal():
    transform = found(moved(PLATE, (5, 0, 0), scale=4.0), PLATE, "translate_scale")
    assert transform.scale == pytest.approx(0.25)


@pytest.mark.parametrize("mode", ["rigid", "similarity"])
@pytest.mark.parametrize(
    "shape",
    [PLATE, bracket(), box((10, 20, 30)), box()],
    ids=["plate", "bracket", "box", "cube"],
)
@pytest.mark.parametrize("degrees", [0, 37, 90, 151])
def test_rigid_twin_is_brought_home(mode, shape, degrees):
    twin = moved(shape, (7, -20, 100), rotation((1, 2, 3), degrees))
    assert worst_gap(twin, shape, mode) < 1e-4


def test_similarity_brings_a_scaled_twin_home():
    twin = moved(bracket(), (7, -20, 100), rotation((1, 2, 3), 50), scale=2.5)
    assert worst_gap(twin, bracket(), "similarity") < 1e-4


def test_rigid_does_not_change_the_scale():
    assert found(moved(PLATE, scale=2.0), PLATE, "rigid").scale == 1.0


def test_mirror_image_is_not_forgiven():
    assert score(mirrored(bracket()), bracket(), alignment="rigid").value < 0.99


@settings(max_examples=5, deadline=None)
@given(degrees=st.floats(0, 360), shift=st.tuples(*[st.floats(-50, 50)] * 3))
def test_chosen_rotation_is_always_proper(degrees, shift):
    twin = moved(bracket(), shift, rotation((2, -1, 1), degrees))
    turn = found(twin, PLATE, "rigid").rotation
    assert np.linalg.det(turn) == pytest.approx(1.0)
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-9)


def test_same_input_gives_the_same_transform():
    twin = moved(bracket(), (1, 2, 3), rotation((1, 2, 3), 33))
    first, second = (found(twin, PLATE, "rigid") for _ in range(2))
    assert np.array_equal(first.matrix, second.matrix)


def test_score_records_the_transform_in_the_coordinates_of_the_files():
    part = moved(PLATE, (1000, 0, 0))
    card = score(part, moved(PLATE, (0, 500, 0)), alignment="translate").card
    assert card.alignment == "translate"
    assert card.transform["translation_mm"] == pytest.approx([-1000, 500, 0])


@pytest.mark.parametrize("mode", ["translate", "rigid"])
def test_extruding_to_the_wrong_side_is_punished_by_none_and_forgiven_by_name(mode):
    wanted = box((10, 30, 4), at=(0, 15, 0))
    built = box((10, 30, 4), at=(0, -15, 0))
    assert score(built, wanted, alignment="none").value < 0.5
    assert score(built, wanted, alignment=mode).value == 1.0
