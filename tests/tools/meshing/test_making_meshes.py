"""Primitives, motions, booleans, cuts: laws that hold for any size."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshes import ORIGIN, UP, angle, plate, solid, volume

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.meshing import combining, moving, planes
from cadwright.tools.meshing.distance import distance
from cadwright.tools.meshing.solid import is_solid, solid_of
from cadwright.tools.meshing.survey import survey
from cadwright.tools.meshing.triangles import MAX_TRIANGLES, canonical, check_count, joined

LENGTH = st.floats(1.0, 200.0)
ANGLE = st.floats(-360.0, 360.0)


@pytest.mark.parametrize(
    ("shape", "size", "expected"),
    [
        ("box", (10, 20, 30), 6000.0),
        ("cylinder", (10, 20), math.pi * 25 * 20),
        ("sphere", (10,), math.pi / 6 * 1000),
        ("cone", (10, 0, 20), math.pi * 25 * 20 / 3),
        ("torus", (20, 6), 2 * math.pi**2 * 10 * 9),
    ],
)
def test_a_primitive_has_the_volume_of_its_formula(
    shape: str, size: tuple[float, ...], expected: float
) -> None:
    mesh = solid(shape, *size)
    assert volume(mesh) == pytest.approx(expected, rel=0.01)
    assert survey(mesh).is_sound


@pytest.mark.parametrize(
    ("shape", "size"),
    [("box", (1, 2)), ("sphere", (0,)), ("cylinder", (-1, 2)), ("torus", (5, 6))],
)
def test_a_primitive_of_impossible_size_is_refused(shape: str, size: tuple[float, ...]) -> None:
    with pytest.raises(GeometryError) as caught:
        solid(shape, *size)
    assert caught.value.outcome is Outcome.BAD_CALL


@settings(max_examples=20)
@given(ANGLE, st.tuples(LENGTH, LENGTH, LENGTH))
def test_a_motion_keeps_the_volume(angle_deg: float, offset: tuple[float, float, float]) -> None:
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    turned = moving.rotated(BOX, axis, angle_deg, np.array(offset))
    assert volume(moving.moved(turned, np.array(offset))) == pytest.approx(6000.0)


@settings(max_examples=20)
@given(st.floats(0.1, 10.0))
def test_a_scale_multiplies_the_volume_by_its_cube(factor: float) -> None:
    assert volume(moving.scaled(BOX, np.full(3, factor), ORIGIN)) == pytest.approx(6000 * factor**3)


@settings(max_examples=20)
@given(st.integers(-8, 8))
def test_quarter_turns_are_exact(quarters: int) -> None:
    turned = moving.rotated(BOX, UP, 90.0 * quarters, ORIGIN)
    assert set(np.abs(turned.vertices).reshape(-1)) == {5.0, 10.0, 15.0}


def test_a_mirror_image_still_faces_outwards() -> None:
    assert volume(moving.mirrored(angle(), 0, 3.0)) == pytest.approx(volume(angle()))


@settings(max_examples=20)
@given(st.floats(-14.0, 14.0))
def test_both_sides_of_a_cut_make_up_the_whole(offset: float) -> None:
    sides = planes.cut(BOX, np.array([0.0, 0.0, 1.0]), offset)
    assert sum(map(volume, sides)) == pytest.approx(6000.0)
    assert all(map(is_solid, sides))


def test_an_open_cut_leaves_a_rim() -> None:
    (above, _) = planes.cut(plate(), np.array([1.0, 0.0, 0.0]), 0.0, is_capped=False)
    assert survey(above).num_holes == 1


def test_a_section_has_the_area_of_its_formula() -> None:
    found = planes.section_facts(plate(), UP, 0.0)
    assert found["area_mm2"] == pytest.approx(4800 - math.pi * (36 + 16), rel=1e-3)
    assert (found["regions"], found["openings"]) == (1, 2)


def test_union_and_intersection_add_up() -> None:
    both = {"a": BOX, "b": solid("sphere", 24.0)}
    whole, shared = (volume(combining.combined(k, both)) for k in ("union", "intersection"))
    assert whole + shared == pytest.approx(sum(map(volume, both.values())))


def test_a_difference_with_nothing_left_says_so() -> None:
    with pytest.raises(GeometryError, match="difference of a and b is empty") as caught:
        combining.combined("difference", {"a": BOX, "b": solid("box", 50, 50, 50)})
    assert caught.value.outcome is Outcome.EMPTY_GEOMETRY


def test_split_takes_apart_what_was_put_together_largest_first() -> None:
    small, large = solid("box", 5, 5, 5, at=(99, 0, 0)), plate()
    bodies = combining.split(joined([small, large]))
    assert [round(volume(body)) for body in bodies] == [round(volume(large)), 125]


def test_a_cavity_stays_with_its_body() -> None:
    inner = solid("box", 2, 2, 2)
    hollow = joined([BOX, Mesh(inner.vertices, inner.faces[:, ::-1], inner.face_ids)])
    (body,) = combining.split(hollow)
    assert volume(body) == pytest.approx(6000 - 8)


def test_bodies_that_overlap_become_one() -> None:
    two = joined([BOX, moving.moved(BOX, np.array([5.0, 0.0, 0.0]))])
    one = combining.self_united(two)
    assert len(combining.split(one)) == 1
    assert volume(one) == pytest.approx(9000.0)


def test_a_canonical_mesh_does_not_depend_on_the_order() -> None:
    mesh, rng = plate(), np.random.default_rng(0)
    shuffled = Mesh(mesh.vertices, rng.permutation(np.roll(mesh.faces, 1, axis=1)), mesh.face_ids)
    first, second = canonical(mesh), canonical(shuffled)
    assert first.vertices.tobytes() == second.vertices.tobytes()
    assert first.faces.tobytes() == second.faces.tobytes()


def test_an_open_mesh_is_no_solid_and_says_what_helps() -> None:
    with pytest.raises(GeometryError, match="use fill_holes first"):
        solid_of(Mesh(BOX.vertices, BOX.faces[1:], BOX.face_ids[1:]))


def test_a_mesh_beyond_the_limit_is_refused() -> None:
    with pytest.raises(GeometryError) as caught:
        check_count(MAX_TRIANGLES + 1)
    assert caught.value.outcome is Outcome.RESOURCE_LIMIT


def test_the_distance_of_a_surface_to_itself_is_zero() -> None:
    assert distance(plate(), canonical(plate())).hausdorff_mm < 1e-5


@settings(max_examples=8)
@given(st.floats(0.01, 9.0))
def test_the_distance_of_a_moved_box_is_the_move(offset: float) -> None:
    found = distance(BOX, moving.moved(BOX, np.array([offset, 0.0, 0.0])))
    assert found.hausdorff_mm == pytest.approx(offset)


BOX = solid("box", 10, 20, 30)
