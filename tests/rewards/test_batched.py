"""The batched path against the exact one, pair by pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_shapes import box, bracket, inside_out, moved, prism, rotation, together

from cadwright.rewards import similarity
from cadwright.rewards.alignment import Alignment
from cadwright.rewards.batched import (
    DISTANCE_TOLERANCE,
    IOU_TOLERANCE,
    Batch,
    Kernels,
    Pair,
    compare,
)
from cadwright.rewards.normalise import normalise
from cadwright.rewards.surface import PART_STREAM, REFERENCE_STREAM, Surface
from cadwright.tools.errors import UsageError

pytest.importorskip("torch", reason="torch is an optional dependency: pip install cadwright[agent]")

FEW = Batch(device="cpu", num_points=256, columns=48)
SHAPES = [bracket(), box((40, 20, 5)), prism(9, 20, 24), moved(bracket(), shift=(3, 1, 0))]


def triangles(mesh):
    return mesh.vertices[mesh.faces]


def exact_iou(one, two):
    first, second = (normalise(m) for m in (one, two))
    placed = first.manifold.translate(first.centre - second.centre)
    return similarity.exact_overlap(placed, second.manifold).iou


def surfaces(one, two, batch):
    return (
        Surface(triangles(m), num_points=batch.num_points, seed=batch.seed, stream=stream)
        for m, stream in ((one, PART_STREAM), (two, REFERENCE_STREAM))
    )


@pytest.mark.parametrize("one", SHAPES, ids=str)
@pytest.mark.parametrize("two", SHAPES[:2], ids=str)
def test_overlap_agrees_with_the_exact_boolean(one, two):
    found = compare([triangles(one)], [triangles(two)], Batch(device="cpu")).iou[0]
    assert found == pytest.approx(exact_iou(one, two), abs=IOU_TOLERANCE)


def test_distances_agree_with_the_exact_path():
    pairs = [(one, SHAPES[0]) for one in SHAPES]
    found = compare(*([triangles(m) for m in column] for column in zip(*pairs, strict=True)), FEW)
    for i, pair in enumerate(pairs):
        part, reference = surfaces(*pair, FEW)
        gaps = similarity.sample_gaps_mm(part, reference)
        extent, reach = reference.extents.max(), FEW.f1_share * reference.diagonal
        wanted = similarity.chamfer_l2_mm(*gaps)
        slack = DISTANCE_TOLERANCE * (extent + wanted)
        assert found.chamfer_l2_mm[i] == pytest.approx(wanted, abs=slack)
        squared = similarity.chamfer_sq_unit_x1000(*gaps, extent)
        assert found.chamfer_sq_unit_x1000[i] == pytest.approx(squared, rel=1e-3)
        f1 = similarity.f1_from(*gaps, reach)
        assert found.f1_samples[i] == pytest.approx(f1, abs=1.0 / FEW.num_points)


def test_every_pair_of_points_agrees_with_the_search_trees():
    pair = Pair(*surfaces(SHAPES[3], SHAPES[0], FEW))
    kernels = Kernels(FEW)
    for all_pairs, trees in zip(kernels.all_gaps([pair]), kernels.gaps([pair]), strict=True):
        slack = DISTANCE_TOLERANCE * float(pair.reference.extents.max())
        assert all_pairs.numpy() == pytest.approx(trees.numpy(), abs=slack)


@settings(max_examples=20, deadline=None)
@given(shift=st.floats(0.0, 12.0))
def test_overlap_of_shifted_boxes_is_the_analytic_one(shift):
    one, two = box((10, 10, 10)), box((10, 10, 10), at=(shift, 0, 0))
    common = max(0.0, 10.0 - shift) * 100
    found = compare([triangles(one)], [triangles(two)], FEW).iou[0]
    assert found == pytest.approx(common / (2000 - common), abs=IOU_TOLERANCE)


def test_a_copy_overlaps_fully():
    turned = moved(bracket(), rotation=rotation((1, 2, 3), 20))
    assert compare([triangles(turned)], [triangles(turned)], FEW).iou[0] == 1.0


def test_pairs_do_not_depend_on_their_company():
    parts = [triangles(m) for m in SHAPES]
    together_ = compare(parts, [parts[0]], FEW)
    alone = [compare([part], [parts[0]], FEW) for part in parts]
    assert together_.iou == pytest.approx([one.iou[0] for one in alone], abs=1e-12)
    assert together_.chamfer_l2_mm == pytest.approx([one.chamfer_l2_mm[0] for one in alone])


def test_little_memory_only_takes_more_rounds():
    parts = [triangles(m) for m in SHAPES]
    plenty = compare(parts, [parts[1]], FEW)
    scarce = compare(parts, [parts[1]], Batch(**{**_fields(FEW), "memory_mb": 1}))
    assert scarce.iou == pytest.approx(plenty.iou, abs=1e-12)
    assert scarce.f1_samples == pytest.approx(plenty.f1_samples)


def test_surface_that_leaks_has_no_overlap():
    found = compare([triangles(box())[1:]], [triangles(box())], FEW)  # a hole in the bottom
    assert np.isnan(found.iou[0])
    assert np.isfinite(found.chamfer_l2_mm[0])


def test_leak_of_one_pair_stays_in_it():
    parts = [triangles(box())[1:], triangles(box())]
    assert compare(parts, [triangles(box())], FEW).iou[1] == 1.0


def test_cavity_is_outside():
    hollow = together(box((10, 10, 10)), inside_out(box((8, 8, 8))))
    found = compare([triangles(hollow)], [triangles(box((10, 10, 10)))], FEW).iou[0]
    assert found == pytest.approx(1 - 0.512, abs=IOU_TOLERANCE)


def test_far_from_the_origin_distances_keep_their_digits():
    near, far = (compare(*_shifted(by), FEW) for by in (0.0, 1e6))
    assert far.chamfer_l2_mm == pytest.approx(near.chamfer_l2_mm, rel=1e-4)
    assert far.iou == pytest.approx(near.iou, abs=1e-3)


def test_scale_and_place_are_forgiven_where_asked():
    large = triangles(box((80, 40, 10), at=(500, 0, 0)))
    batch = Batch(**{**_fields(FEW), "alignment": Alignment.TRANSLATE_SCALE})
    assert compare([large], [triangles(box((40, 20, 5)))], batch).iou[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alignment": Alignment.RIGID}, "needs a search"),
        ({"dtype": "float16"}, "float32 and float64"),
        ({"columns": 1}, "columns must lie"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_carried_out_are_refused(changes, message):
    with pytest.raises(UsageError, match=message):
        Batch(**changes)


def test_device_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="there is no device"):
        Kernels(Batch(device="tpu"))


def test_numbers_of_parts_and_references_must_go_together():
    one = triangles(box())
    with pytest.raises(UsageError, match="3 parts for 2 references"):
        compare([one] * 3, [one] * 2, FEW)


@pytest.mark.gpu
def test_gpu_says_what_the_processor_says():
    parts = [triangles(m) for m in SHAPES]
    one, two = (
        compare(parts, [parts[0]], Batch(**{**_fields(FEW), "device": device}))
        for device in ("cpu", "cuda")
    )
    assert two.iou == pytest.approx(one.iou, abs=1e-9)
    assert two.chamfer_l2_mm == pytest.approx(one.chamfer_l2_mm, rel=1e-5)


def _fields(batch):
    return {name: getattr(batch, name) for name in batch.__dataclass_fields__}


def _shifted(by):
    one, two = bracket(), moved(bracket(), shift=(2, 0, 0))
    return ([triangles(moved(m, shift=(by, 0, 0)))] for m in (one, two))
