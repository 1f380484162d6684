import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_shapes import box, moved, opened, prism, rotation, surface, together

from cadwright.rewards import similarity
from cadwright.rewards.normalise import normalise
from cadwright.rewards.surface import PART_STREAM
from cadwright.tools.geometry.solids import manifold_of

BOX = box((10, 10, 10))


def iou(a, b):
    solids = [normalise(m) for m in (a, b)]
    placed = [s.manifold.translate(s.centre) for s in solids]
    return similarity.exact_overlap(*placed).iou


def raster(a, b):
    return similarity.raster_overlap(a.vertices[a.faces], b.vertices[b.faces])


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (BOX, 1.0),
        (box(at=(5, 0, 0)), 1 / 3),
        (box(at=(10, 0, 0)), 0.0),
        (box(at=(30, 0, 0)), 0.0),
        (box((5, 5, 5)), 1 / 8),
        (box((20, 10, 10), at=(5, 0, 0)), 1 / 2),
    ],
    ids=["same", "half-shifted", "touching", "apart", "contained", "twice-as-long"],
)
def test_iou_of_two_boxes_is_the_hand_computed_one(other, expected):
    assert iou(BOX, other) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("eps", [1e-7, 1e-6, 1e-5, 1e-4, 1e-3])
def test_nearly_coincident_solids_do_not_lose_their_overlap(eps):
    assert iou(prism(), moved(prism(), (eps, eps, 0))) == pytest.approx(1.0, abs=2e-3)


def test_both_empty_is_undefined():
    empty = manifold_of(np.zeros((0, 3)), np.zeros((0, 3)))
    assert similarity.exact_overlap(empty, empty).iou is None


@settings(max_examples=20, deadline=None)
@given(
    degrees=st.floats(0, 360),
    shift=st.tuples(*[st.floats(-100, 100)] * 3),
    offset=st.floats(0, 8),
)
def test_one_motion_of_both_keeps_the_iou(degrees, shift, offset):
    turn = rotation((3, 1, 2), degrees)
    a, b = BOX, moved(prism(), (offset, 1, 0))
    assert iou(moved(a, shift, turn), moved(b, shift, turn)) == pytest.approx(iou(a, b), abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(offset=st.floats(-9, 9), degrees=st.floats(0, 360))
def test_iou_is_symmetric(offset, degrees):
    other = moved(prism(), (offset, 0, 0), rotation((1, 1, 0), degrees))
    assert iou(BOX, other) == pytest.approx(iou(other, BOX), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(near=st.floats(0, 9), step=st.floats(0.1, 5))
def test_iou_falls_as_the_shift_grows(near, step):
    closer, farther = (moved(prism(), (d, 0, 0)) for d in (near, near + step))
    assert iou(prism(), farther) < iou(prism(), closer)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (BOX, box(at=(2, 3, 1))),
        (prism(), BOX),
        (box((80, 60, 2)), box((80, 60, 2), at=(3, 0, 0.5))),
    ],
    ids=["boxes", "prism", "thin-plates"],
)
def test_raster_agrees_with_the_exact_iou_within_its_stated_error(a, b):
    approximate = raster(a, b)
    assert approximate.method == "raster 96"
    assert approximate.iou == pytest.approx(iou(a, b), abs=approximate.error)
    assert approximate.error < 0.05


def test_raster_takes_a_mesh_with_a_missing_triangle():
    assert raster(opened(prism()), prism()).iou == pytest.approx(1.0, abs=0.02)


def test_raster_of_two_empty_shapes_is_undefined():
    sheet = box().vertices[[0, 1, 3]][None]
    assert similarity.raster_overlap(sheet, sheet).iou is None


@pytest.fixture(scope="module")
def parallel_plates():
    """Sample gaps of two thin plates 5 mm apart: far compared with the spacing of the samples."""
    low, high = (box((1, 1, 0.001), at=(0, 0, z)) for z in (0, 5))
    return similarity.sample_gaps_mm(
        surface(low, num_points=20_000), surface(high, num_points=20_000, stream=PART_STREAM)
    )


def test_chamfer_l2_of_parallel_plates_is_their_distance(parallel_plates):
    assert similarity.chamfer_l2_mm(*parallel_plates) == pytest.approx(5.0, rel=1e-3)


def test_chamfer_sq_of_parallel_plates_is_the_hand_computed_one(parallel_plates):
    # squared, both ways summed, in units of the extent 2 mm, times 1000: 2 * (5 / 2)^2 * 1000
    found = similarity.chamfer_sq_unit_x1000(*parallel_plates, 2.0)
    assert found == pytest.approx(12_500, rel=2e-3)


def test_hausdorff95_of_parallel_plates_is_their_distance(parallel_plates):
    assert similarity.hausdorff95_mm(*parallel_plates) == pytest.approx(5.0, rel=1e-3)


def test_chamfer_of_a_copy_is_at_the_noise_floor():
    a = surface(prism(), num_points=8192)
    copy = surface(prism(), num_points=8192, stream=PART_STREAM)
    floor = similarity.chamfer_l2_mm(*similarity.sample_gaps_mm(a, similarity.second_sample(a)))
    assert floor > 0
    found = similarity.chamfer_l2_mm(*similarity.sample_gaps_mm(copy, a))
    assert found == pytest.approx(floor, rel=0.02)


def test_noise_floor_is_that_of_theory():
    # the mean squared distance to the nearest of N random points on area A is A / (pi N)
    a = surface(box((1, 1, 1)), num_points=20_000)
    gaps = similarity.sample_gaps_mm(a, similarity.second_sample(a))
    floor = similarity.chamfer_sq_unit_x1000(*gaps, 1.0)
    assert floor == pytest.approx(2 * 6 / (np.pi * 20_000) * 1000, rel=0.05)


@pytest.mark.parametrize("num_points", [1000, 8192])
def test_sample_has_as_many_points_as_asked(num_points):
    assert surface(prism(), num_points=num_points).sample.points.shape == (num_points, 3)


def test_same_seed_samples_the_same_points():
    first, second = surface(prism()).sample, surface(prism()).sample
    assert np.array_equal(first.points, second.points)


def test_surface_distance_of_a_copy_is_zero():
    there, back = similarity.surface_deviation_mm(
        surface(prism()), surface(prism(), stream=PART_STREAM)
    )
    assert max(there.largest, back.largest) < 1e-5


@settings(max_examples=20, deadline=None)
@given(gap=st.floats(0.01, 3.0))
def test_surface_distance_finds_an_offset_exactly(gap):
    outer = box((10 + 2 * gap, 10 + 2 * gap, 10 + 2 * gap))
    there, _ = similarity.surface_deviation_mm(surface(BOX), surface(outer, stream=PART_STREAM))
    assert there.largest == pytest.approx(gap, rel=1e-3)
    assert there.even.min() == pytest.approx(gap, rel=1e-3)


def test_largest_deviation_is_exact():
    # a corner of the larger prism sticks out from the middle of a facet of the smaller one
    there, _ = similarity.surface_deviation_mm(
        surface(prism(5.0, 10.0, 36), num_points=512),
        surface(prism(5.0, 10.0, 18), num_points=512, stream=PART_STREAM),
    )
    assert there.largest <= 5.0 * (1 - np.cos(np.pi / 18)) + 1e-6


def test_deviation_sees_a_feature_too_small_to_be_sampled():
    speck = together(box((100, 100, 10)), box((0.2, 0.2, 0.2), at=(0, 0, 8)))
    there, _ = similarity.surface_deviation_mm(
        surface(speck, num_points=256), surface(box((100, 100, 10)), num_points=256)
    )
    assert there.largest > 2.9


def test_f1_of_a_copy_is_one_and_of_a_stranger_zero():
    near, far = np.zeros(10), np.full(10, 5.0)
    assert similarity.f1_from(near, near, 0.1) == 1.0
    assert similarity.f1_from(far, far, 0.1) == 0.0


def test_f1_is_the_harmonic_mean():
    there, back = np.array([0.0, 5.0]), np.zeros(4)
    assert similarity.f1_from(there, back, 0.1) == pytest.approx(2 * 0.5 / 1.5)


@given(k=st.floats(0.01, 100))
def test_size_ratio_of_a_scaled_box_is_the_volume_ratio(k):
    size = np.array([1.0, 2.0, 3.0])
    assert similarity.size_ratio(size, k * size) == pytest.approx(min(k, 1 / k) ** 3)
