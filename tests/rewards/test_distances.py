"""Distances to triangles: by area, however finely it is cut up, and exact where it counts."""

import numpy as np
import pytest
from judge_shapes import box, mesh, moved, prism, rotation, score, surface
from manifold3d import Manifold

from cadwright.rewards.distances import distances_to, surface_gaps
from cadwright.rewards.surface import EVEN_NOISE, MAX_EVEN, PART_STREAM, spread_over

START = np.full(3, 0.5)


def subdivided(m, face, times=6):
    """Cut one triangle of a mesh into 4 ** times: the same surface, other triangles."""
    cut = m.vertices[m.faces[face]][None]
    for _ in range(times):
        a, b, c = cut[:, 0], cut[:, 1], cut[:, 2]
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        pieces = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        cut = np.concatenate([np.stack(piece, axis=1) for piece in pieces])
    rest = m.vertices[np.delete(m.faces, face, axis=0)]
    corners = np.concatenate([cut, rest]).reshape(-1, 3)
    return mesh(corners, np.arange(len(corners)).reshape(-1, 3))


def mean_gap(part, wanted):
    there = surface_gaps(surface(part, stream=PART_STREAM), surface(wanted))
    return there.mean


def test_mean_distance_does_not_depend_on_how_a_face_is_cut_up():
    part, wanted = box((10, 10, 10), at=(0, 0, 2)), box((10, 10, 10))
    plain = mean_gap(part, wanted)
    assert mean_gap(subdivided(part, 0), wanted) == pytest.approx(plain, rel=0.02)


def test_mean_distance_of_a_shifted_box_is_the_analytic_one():
    # sides that slide along themselves: two fifths of each lie on the old sides, the rest up to 2
    # above them; top and bottom lie 2 away, less near the rim of the bottom: within 3 % of 1.08
    part, wanted = box((10, 10, 10), at=(0, 0, 2)), box((10, 10, 10))
    top, bottom, sides = 100 * 2.0, bottom_gap(), 4 * 10 * (2.0**2 / 2)
    assert mean_gap(part, wanted) == pytest.approx((top + bottom + sides) / 600, rel=0.02)


def bottom_gap():
    """Integral over the bottom, now inside: to the bottom 2 below or to a nearer side."""
    x = (np.arange(2000) + 0.5) / 200 - 5
    side = 5 - np.maximum(np.abs(x)[:, None], np.abs(x)[None])
    return float(np.minimum(side, 2.0).mean() * 100)


def test_largest_distance_is_that_of_the_farthest_corner():
    there = surface_gaps(surface(box((12, 12, 12))), surface(box((10, 10, 10))))
    assert there.largest == pytest.approx(np.sqrt(3.0), rel=0.01)


def test_a_thin_hole_through_a_thin_wall_is_not_missed():
    # every corner of the hole lies on the plate's two faces; its wall does not
    plate, pin = Manifold.cube((300, 200, 3), True), Manifold.cylinder(10, 1.5, center=True)
    pierced = (plate - pin).to_mesh()
    part = mesh(np.asarray(pierced.vert_properties), np.asarray(pierced.tri_verts))
    gaps = surface_gaps(surface(part, stream=PART_STREAM), surface(box((300, 200, 3))))
    assert gaps.largest == pytest.approx(1.0, rel=0.02)  # amid a triangle, a third of the depth in


def test_a_turned_copy_of_other_triangles_lies_on_the_surface():
    turn = rotation((1, 2, 3), 40)
    part = moved(subdivided(prism(), 3), (1, 2, 3), turn)
    there = surface_gaps(
        surface(part, stream=PART_STREAM), surface(moved(prism(), (1, 2, 3), turn))
    )
    assert there.largest < 1e-4


def test_a_shifted_surface_measures_as_one_that_was_built_there():
    offset = np.array([3.0, -2.0, 40.0])
    base, wanted = surface(prism()), surface(moved(prism(6.0), (3.0, -2.0, 40.0)))
    there = surface(moved(prism(), (3.0, -2.0, 40.0)))
    both = [surface_gaps(part, wanted).even for part in (base.shifted(offset), there)]
    assert np.allclose(*both, atol=1e-4)
    back = [surface_gaps(wanted, part).largest for part in (base.shifted(offset), there)]
    assert back[0] == pytest.approx(back[1], abs=1e-4)


def test_bounds_are_never_shorter_than_the_distance():
    part, wanted = surface(prism(), stream=PART_STREAM), surface(box((9, 8, 7)))
    points, normals = part.even.points, part.normals[part.even.owners]
    found = distances_to(points, normals, wanted)
    exact = wanted.exact_distances(points, found + 1e-6)
    assert (found >= exact - 1e-5).all()


@pytest.mark.parametrize("count", [16, 100, 1024])
def test_even_points_share_the_area_as_fairly_as_whole_numbers_can(count):
    m = subdivided(box((10, 20, 30)), 0, times=3)
    triangles = m.vertices[m.faces]
    shape = surface(m)
    sample = spread_over(triangles, shape.areas, count, START)
    share = np.cumsum(shape.areas) / shape.areas.sum() * count
    got = np.cumsum(np.bincount(sample.owners, minlength=len(triangles)))
    assert np.abs(got - share).max() < 1.0


def test_more_samples_take_no_more_than_the_even_points_that_tell():
    assert surface(prism(), num_points=50_000).num_even == MAX_EVEN


def test_card_says_how_far_a_mean_distance_may_be_off():
    assert score(box(), prism()).card.surface_noise == EVEN_NOISE
