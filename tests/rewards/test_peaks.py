"""The largest distance: the same wherever the points that look for it happen to lie."""

import numpy as np
import pytest
from judge_shapes import box, mesh, prism, surface
from manifold3d import Manifold

from cadwright.rewards.peaks import largest_gap_mm
from cadwright.rewards.similarity import surface_deviation_mm
from cadwright.rewards.surface import PART_STREAM

RADIUS = 12.5
BLANK = Manifold.cube((125, 46, 20), True)
BORED = BLANK - Manifold.cylinder(40, RADIUS, center=True, circular_segments=180)
NICKED = BLANK - Manifold.cube((1.5, 1.5, 1.5), True).translate((62.5, 23, 10))


def solid(manifold):
    made = manifold.to_mesh()
    return mesh(np.asarray(made.vert_properties), np.asarray(made.tri_verts))


def largest(part, wanted, seed=0):
    first = surface(part, num_points=1024, seed=seed, stream=PART_STREAM)
    second = surface(wanted, num_points=1024, seed=seed)
    return largest_gap_mm(first, second, surface_deviation_mm(first, second))


@pytest.mark.parametrize("seed", range(5))
def test_a_bore_that_was_not_cut_is_off_by_its_radius_from_every_sample(seed):
    assert largest(solid(BLANK), solid(BORED), seed) == pytest.approx(RADIUS, rel=0.005)


def test_a_scratch_elsewhere_brings_nothing_nearer():
    wanted = solid(BORED)
    plain, scratched = largest(solid(BLANK), wanted), largest(solid(NICKED), wanted)
    assert scratched == pytest.approx(plain, rel=0.005)


def test_the_middle_of_a_box_is_found_from_a_round_rod():
    # the rod's ends lie 20 over the box, whose own corners are nearer to the rod
    assert largest(prism(3.0, 60.0), box((20, 20, 20))) == pytest.approx(20.0, rel=0.005)


@pytest.mark.parametrize("shape", [box(), prism()], ids=["box", "prism"])
def test_a_copy_lies_nowhere_apart(shape):
    assert largest(shape, shape) < 1e-4


def test_no_distance_is_longer_than_that_of_the_farthest_point():
    assert largest(box((12, 12, 12)), box((10, 10, 10))) <= np.sqrt(3.0) + 1e-9


def test_both_ways_are_looked_at():
    assert largest(solid(BORED), solid(BLANK)) == pytest.approx(RADIUS, rel=0.005)
