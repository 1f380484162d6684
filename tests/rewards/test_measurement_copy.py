"""A copy is known by its triangles; what is nearly one is measured."""

import cadquery as cq
import pytest

from cadwright.rewards import similarity
from cadwright.rewards.jobs import candidate_of, reference_of
from cadwright.rewards.measurement import Measurement
from cadwright.rewards.scoring import Scoring
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part

SCORING = Scoring.preset("absolute")


def ring(height=10.0, *, at=0.0):
    solid = cq.Workplane().circle(20).circle(8).extrude(height).translate((at, 0, 0))
    return Part(brep=brep_bytes(solid.val().wrapped))


def measured(part):
    reference = reference_of(ring(), SCORING)
    return Measurement(candidate_of(part, reference.facet_deg), reference, SCORING)


def test_a_copy_is_known_and_has_full_overlap_and_no_distance():
    measurement = measured(ring())
    assert measurement.is_copy
    assert measurement.overlap.iou == 1.0
    assert measurement.largest_gap_mm == 0.0


def test_a_copy_is_what_measuring_would_have_found():
    measurement = measured(ring())
    wanted = measurement.reference
    overlap = similarity.exact_overlap(measurement.manifold, wanted.solid.manifold)
    gaps = similarity.surface_deviation_mm(measurement.surface, wanted.surface)
    assert overlap == measurement.overlap
    assert max(gap.largest for gap in gaps) == pytest.approx(0.0, abs=1e-4)
    assert [len(gap.even) for gap in gaps] == [len(gap.even) for gap in measurement.deviation_mm]


@pytest.mark.parametrize("part", [ring(10.001), ring(at=0.001)], ids=["taller", "moved"])
def test_what_differs_a_little_is_no_copy(part):
    measurement = measured(part)
    assert not measurement.is_copy
    assert measurement.overlap.iou < 1.0
