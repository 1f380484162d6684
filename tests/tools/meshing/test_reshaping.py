"""Decimation, remeshing, smoothing, hollowing, thickening, alignment, lying down."""

import math

import numpy as np
import pytest
from meshes import ORIGIN, angle, plate, solid, volume, without

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.rotations import cube_rotations
from cadwright.tools.meshing import aligning, moving, offsetting, orienting, resampling
from cadwright.tools.meshing.combining import split
from cadwright.tools.meshing.distance import distance
from cadwright.tools.meshing.mending import with_fixed_winding
from cadwright.tools.meshing.refining import refined
from cadwright.tools.meshing.solid import is_solid
from cadwright.tools.meshing.survey import survey
from cadwright.tools.meshing.triangles import bounds, plain


@pytest.mark.parametrize("share", [0.6, 0.3, 0.1])
@pytest.mark.parametrize("mesh", [solid("sphere", 40), plate()], ids=["ball", "plate"])
def test_a_budget_is_kept_and_the_solid_stays_one(mesh, share: float) -> None:
    budget = int(share * len(mesh.faces))
    found = resampling.decimated(mesh, budget)
    assert len(found.faces) <= budget
    assert is_solid(found)


def test_a_coarser_mesh_is_further_away() -> None:
    ball = solid("sphere", 40)
    fine, coarse = (resampling.decimated(ball, n) for n in (2000, 200))
    assert distance(ball, fine).hausdorff_mm < distance(ball, coarse).hausdorff_mm < 2.0


def test_a_budget_that_no_solid_meets_is_refused() -> None:
    with pytest.raises(GeometryError, match="too few for this shape"):
        resampling.decimated(plate(), 6)


def test_no_edge_is_long_after_refining_and_the_shape_is_the_same() -> None:
    fine = refined(plate(), 5.0)
    corners = fine.vertices[fine.faces]
    assert np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max() <= 5.0
    assert survey(fine).is_sound
    assert volume(fine) == pytest.approx(volume(plate()))


def test_a_remeshed_surface_stays_near() -> None:
    found = resampling.remeshed(plate(), 4.0)
    assert is_solid(found)
    assert distance(plate(), found).hausdorff_mm < 0.05 * 4.0


def test_an_edge_length_that_takes_millions_of_triangles_is_refused() -> None:
    with pytest.raises(GeometryError) as caught:
        resampling.remeshed(plate(), 1e-3)
    assert caught.value.outcome is Outcome.RESOURCE_LIMIT


def test_smoothing_takes_noise_off_and_keeps_the_volume() -> None:
    ball = resampling.remeshed(solid("sphere", 40), 2.0)
    noise = np.random.default_rng(0).normal(0.0, 0.15, ball.vertices.shape)
    rough = plain(ball.vertices + noise, ball.faces)
    smooth = resampling.smoothed(rough, 10)
    assert distance(smooth, ball).mean_mm < 0.6 * distance(rough, ball).mean_mm
    assert volume(smooth) == pytest.approx(volume(ball), rel=0.02)


def test_a_hollow_box_has_the_volume_of_its_walls() -> None:
    found = offsetting.hollowed(solid("box", 40, 30, 20), 2.0)
    assert volume(found) == pytest.approx(40 * 30 * 20 - 36 * 26 * 16)
    assert len(split(found)) == 1


def test_a_drain_opens_the_cavity() -> None:
    box = solid("box", 40, 30, 20)
    found = offsetting.hollowed(box, 2.0, drain_mm=4.0, drains=[[5, 5]])
    whole = 40 * 30 * 20 - 36 * 26 * 16
    assert volume(found) == pytest.approx(whole - math.pi * 4 * 2, rel=1e-3)
    assert survey(found).num_bodies == 1


def test_walls_are_even_where_planes_meet_at_odd_angles() -> None:
    inner = offsetting.inner_surface(angle(), 1.5)
    gaps = distance(angle(), inner)
    assert is_solid(inner)
    assert gaps.mean_mm >= 1.4


def test_a_part_that_is_too_thin_cannot_be_hollowed() -> None:
    with pytest.raises(GeometryError, match="nowhere thicker than twice the wall"):
        offsetting.hollowed(solid("box", 40, 30, 3), 2.0)


@pytest.mark.parametrize(
    ("side", "inner", "outer"), [("out", 20, 22), ("in", 18, 20), ("both", 19, 21)]
)
def test_a_thick_tube_has_the_volume_of_its_ring(side: str, inner: float, outer: float) -> None:
    tube = solid("cylinder", 40, 30)
    flat = np.ptp(tube.vertices[tube.faces][..., 2], axis=1) == 0
    sheet = without(tube, *np.flatnonzero(flat).tolist())
    found = offsetting.thickened(sheet, 2.0, side)
    assert volume(found) == pytest.approx(math.pi * (outer**2 - inner**2) * 30, rel=0.005)


def test_a_closed_surface_is_not_thickened() -> None:
    with pytest.raises(GeometryError, match="use hollow"):
        offsetting.thickened(plate(), 1.0, "out")


@pytest.mark.parametrize("angle_deg", [5.0, 77.0, 180.0])
def test_a_turned_part_finds_back(angle_deg: float) -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    turned = moving.moved(moving.rotated(angle(), axis, angle_deg, ORIGIN), np.array([60, 9, -4.0]))
    found = aligning.aligned(turned, angle())
    assert np.abs(found.mesh.vertices - angle().vertices).max() < 0.01


def test_noise_averages_out_in_an_alignment() -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    turned = moving.rotated(angle(), axis, 50.0, ORIGIN)
    fine = refined(turned, 4.0)
    noise = np.random.default_rng(0).normal(0.0, 0.1, fine.vertices.shape)
    found = aligning.aligned(plain(fine.vertices + noise, fine.faces), angle())
    back = moving.placed(turned, found.rotation, found.shift)
    assert np.abs(back.vertices - angle().vertices).max() < 0.05


def test_there_are_24_turns() -> None:
    turns = cube_rotations()
    assert len({turn.tobytes() for turn in turns}) == 24
    assert all(np.linalg.det(turn) == pytest.approx(1.0) for turn in turns)


def test_principal_axes_lie_along_the_frame_longest_first() -> None:
    tilted = moving.rotated(solid("box", 10, 40, 20), np.array([0.6, 0.0, 0.8]), 33.0, ORIGIN)
    box = bounds(aligning.axes_aligned(tilted).mesh)
    assert np.ptp(box, axis=0) == pytest.approx([40, 20, 10])
    assert box[0, 2] == pytest.approx(0.0)


def test_a_part_lies_on_its_large_foot() -> None:
    tilted = moving.rotated(angle(), np.array([0.6, 0.0, 0.8]), 71.0, ORIGIN)
    mesh, lie = orienting.oriented(tilted)
    assert lie.overhang_mm2 == 0.0
    assert lie.foot_mm2 == pytest.approx(1200.0)
    assert bounds(mesh)[0, 2] == pytest.approx(0.0)
    assert volume(mesh) == pytest.approx(volume(angle()))


def test_a_winding_fix_leaves_a_hollow_part_as_it_is() -> None:
    hollow = offsetting.hollowed(solid("box", 40, 30, 20), 2.0)
    assert with_fixed_winding(hollow).num_turned == 0
