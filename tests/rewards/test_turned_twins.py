"""A copy that was turned in the kernel is the same solid, and scores as one."""

from dataclasses import replace

import cadquery as cq
import pytest

from cadwright.rewards.jobs import score_part
from cadwright.rewards.scoring import Alignment, Scoring
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part


def part_of(shape):
    return Part(brep=brep_bytes(shape.wrapped))


@pytest.mark.parametrize("degrees", [23.0, 37.0, 90.0])
def test_a_cylinder_turned_by_an_odd_angle_overlaps_wholly(degrees):
    rod = cq.Workplane().circle(20).extrude(30).faces(">Z").workplane().center(6, 0).hole(8).val()
    twin = rod.rotate(cq.Vector(), cq.Vector(1, 2, 0.5), degrees).translate(cq.Vector(5, 6, 7))
    scoring = replace(Scoring.preset("default"), alignment=Alignment("rigid"))
    score = score_part(part_of(twin), part_of(rod), scoring)
    overlap = next(term.raw for term in score.terms if term.name == "iou")
    assert overlap == pytest.approx(1.0, abs=1e-6)
