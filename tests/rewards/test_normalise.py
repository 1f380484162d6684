import manifold3d
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_shapes import (
    box,
    figure_of_eight,
    inside_out,
    mesh,
    moved,
    opened,
    prism,
    prism_volume,
    rotation,
    together,
)

from cadwright.rewards.crossings import crosses_itself
from cadwright.rewards.normalise import NOTICES, count_tangled, normalise
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.rays import Rays
from cadwright.tools.geometry.solids import arrays_of

SMALL = box((5, 5, 5))
BIG = box((10, 10, 10))


def codes(solid):
    return [notice.code for notice in solid.notices]


@pytest.mark.parametrize(
    ("shape", "volume", "shells", "notices"),
    [
        (BIG, 1000, 1, []),
        (together(BIG, BIG), 1000, 2, ["duplicated_bodies"]),
        (together(BIG, SMALL), 1000, 2, ["nested_bodies"]),
        (together(BIG, box(at=(5, 0, 0))), 1500, 2, ["overlapping_bodies"]),
        (together(BIG, box(at=(30, 0, 0))), 2000, 2, ["several_bodies"]),
        (together(BIG, box(at=(10, 0, 0))), 2000, 2, ["unfused_bodies"]),
        (together(BIG, box(at=(10, 10, 0))), 2000, 2, ["several_bodies"]),
        (together(BIG, inside_out(SMALL)), 875, 2, []),
        (together(BIG, inside_out(SMALL), box((2, 2, 2))), 883, 3, ["several_bodies"]),
        (inside_out(BIG), 1000, 1, ["inside_out"]),
        (inside_out(together(BIG, inside_out(SMALL))), 875, 2, ["inside_out"]),
        (
            together(BIG, inside_out(box(at=(30, 0, 0)))),
            2000,
            2,
            ["inside_out", "several_bodies"],
        ),
        (moved(BIG, (1e6, 0, 0)), 1000, 1, ["far_from_origin"]),
    ],
    ids=[
        "box",
        "duplicated",
        "nested",
        "overlapping",
        "apart",
        "touching-face",
        "touching-edge",
        "cavity",
        "island-in-cavity",
        "inside-out",
        "inside-out-with-cavity",
        "one-of-two-inside-out",
        "far-from-origin",
    ],
)
def test_solid_has_the_volume_of_what_was_meant(shape, volume, shells, notices):
    solid = normalise(shape)
    assert solid.volume_mm3 == pytest.approx(volume, rel=1e-9)
    assert solid.shells == shells
    assert codes(solid) == notices


def test_prism_has_its_analytic_volume():
    assert normalise(prism()).volume_mm3 == pytest.approx(prism_volume(), rel=1e-12)


def test_missing_triangle_leaves_three_open_edges_and_no_volume():
    solid = normalise(opened(BIG))
    assert solid.manifold is None
    assert solid.volume_mm3 is None
    assert solid.num_open == 3
    assert "3 open edges" in solid.problem


def test_loose_vertices_are_joined():
    soup = mesh(BIG.vertices[BIG.faces].reshape(-1, 3), np.arange(36).reshape(-1, 3))
    assert normalise(soup).volume_mm3 == pytest.approx(1000)


def test_vertices_off_by_single_precision_are_joined():
    rng = np.random.default_rng(0)
    corners = BIG.vertices[BIG.faces].reshape(-1, 3)
    soup = mesh(corners + rng.uniform(-4e-7, 4e-7, corners.shape), np.arange(36).reshape(-1, 3))
    assert normalise(soup).volume_mm3 == pytest.approx(1000, rel=1e-5)


def test_triangles_that_face_both_ways_are_turned():
    faces = BIG.faces.copy()
    faces[3] = faces[3][::-1]
    solid = normalise(mesh(BIG.vertices, faces))
    assert solid.volume_mm3 == pytest.approx(1000)
    assert codes(solid) == ["flipped_triangles"]


def test_degenerate_triangles_are_dropped():
    faces = np.vstack([BIG.faces, [[0, 0, 1], [2, 2, 2]]])
    assert normalise(mesh(BIG.vertices, faces)).volume_mm3 == pytest.approx(1000)


@pytest.mark.parametrize("offset", [1e5, 1e7], ids=["100 m", "10 km"])
def test_far_from_the_origin_loses_no_volume(offset):
    assert normalise(moved(BIG, (offset, 0, 0))).volume_mm3 == pytest.approx(1000, rel=1e-6)


@pytest.mark.parametrize(
    ("shape", "words", "code"),
    [
        (mesh(np.zeros((0, 3)), np.zeros((0, 3))), "no triangles", "empty"),
        (mesh([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], [[0, 1, 2]]), "finite", "not_finite"),
        (mesh(BIG.vertices * [1, 1, 0], BIG.faces), "no volume", "no_volume"),
        (opened(BIG), "not closed", "open_surface"),
    ],
    ids=["empty", "nan", "flattened", "open"],
)
def test_what_is_no_solid_says_why(shape, words, code):
    solid = normalise(shape)
    assert solid.manifold is None
    assert words in solid.problem
    assert codes(solid) == [code]


def test_small_overlap_is_measured_and_makes_no_body_redundant():
    census = normalise(together(BIG, box(at=(9, 0, 0)))).census
    assert census.num_redundant == 0
    assert census.overlap_mm3 == pytest.approx(100)


def test_every_code_is_in_the_list():
    found = {
        code for shape in (opened(BIG), together(BIG, BIG)) for code in codes(normalise(shape))
    }
    assert found <= set(NOTICES)


def test_bodies_that_share_an_edge_are_counted_as_tangled():
    assert normalise(together(BIG, box(at=(10, 10, 0)))).num_tangled == 1


def test_tangled_edges_are_counted_alike_without_a_solid():
    shapes = (BIG, together(BIG, box(at=(10, 10, 0))), together(BIG, BIG))
    half = [Mesh(s.vertices, s.faces[1:], s.face_ids[1:]) for s in shapes]
    turned = [Mesh(s.vertices, np.vstack([s.faces[:1, ::-1], s.faces[1:]]), s.face_ids)
              for s in shapes]  # fmt: skip
    for shape in (*shapes, *half, *turned):
        assert count_tangled(shape) == normalise(shape).num_tangled


@given(
    scale=st.floats(1e-3, 1e3),
    degrees=st.floats(0, 360),
    shift=st.tuples(*[st.floats(-1e3, 1e3)] * 3),
)
def test_scale_k_multiplies_volume_by_k_cubed_under_any_motion(scale, degrees, shift):
    shape = moved(prism(sides=8), shift, rotation((1, 2, 3), degrees), scale)
    expected = prism_volume(sides=8) * scale**3
    assert normalise(shape).volume_mm3 == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("half_width", [1.0, 1.5], ids=["thin", "thick"])
def test_a_tube_that_runs_through_itself_counts_the_crossing_once(half_width):
    tube = figure_of_eight(half_width)
    twice = pytest.approx((2 * half_width) ** 3, rel=0.02)  # two square bars at right angles
    solid = normalise(tube)
    assert codes(solid) == ["crosses_itself"]
    assert solid.census.overlap_mm3 == twice
    assert normalise(mesh(solid.vertices, solid.faces)).notices == ()


@pytest.mark.parametrize(
    "shape", [BIG, prism(), figure_of_eight(1.5, lift=4)], ids=["box", "prism", "over-itself"]
)
def test_a_surface_that_keeps_clear_of_itself_is_left_alone(shape):
    assert codes(normalise(shape)) == []


def test_slivers_that_noise_has_folded_over_are_no_crossing():
    fine = manifold3d.Manifold.cube((20, 20, 20), True).refine_to_length(0.6)
    vertices, faces = arrays_of(fine)
    noisy = vertices + np.random.default_rng(0).normal(0.0, 0.25, vertices.shape)
    assert not crosses_itself(noisy[faces], Rays.at(noisy[faces]), 20.0**3)
