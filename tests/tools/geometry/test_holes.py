"""Holes: what counts as one, and its diameter, depth, axis and ends."""

import pytest
from solids import part_from

from cadwright.tools.geometry.inspect import inspect_part

cq = pytest.importorskip("cadquery")


def holes(made):
    return inspect_part(part_from(made)).measures.holes


def block():
    return cq.Workplane().box(40, 30, 20).faces(">Z").workplane()


def test_a_counterbored_hole_is_two_holes(plate_part):
    found = inspect_part(plate_part).measures.holes
    sizes = [(round(h.diameter_mm, 6), round(h.depth_mm, 6), h.is_through) for h in found]
    assert sizes == [(20.0, 10.0, True)] + [(8.0, 4.0, False)] * 4 + [(5.0, 6.0, True)] * 4


def test_a_hole_is_placed_at_its_middle():
    (hole,) = holes(block().center(5, -3).hole(6, 8))
    assert hole.position_mm == pytest.approx((5, -3, 6))
    assert hole.axis == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("depth", "is_through"), [(None, True), (8, False), (19.5, False), (20, True)]
)
def test_a_through_hole_is_told_from_a_blind_one(depth, is_through):
    (hole,) = holes(block().hole(6, depth))
    assert hole.is_through is is_through


def test_a_drill_point_makes_a_blind_hole():
    tool = cq.Solid.makeCylinder(3, 10, cq.Vector(0, 0, 0)).fuse(
        cq.Solid.makeCone(0, 3, 1.8, cq.Vector(0, 0, -1.8))
    )
    (hole,) = holes(cq.Workplane().box(40, 30, 20).cut(cq.Workplane(tool)))
    assert (hole.is_through, hole.depth_mm) == (False, pytest.approx(10))


def test_a_ball_end_makes_a_blind_hole():
    tool = cq.Solid.makeCylinder(3, 10).fuse(cq.Solid.makeSphere(3, angleDegrees1=-90))
    (hole,) = holes(cq.Workplane().box(40, 30, 20).cut(cq.Workplane(tool)))
    assert not hole.is_through


def test_a_chamfered_rim_leaves_a_through_hole():
    made = block().hole(6).faces(">Z").edges("%CIRCLE").chamfer(1)
    (hole,) = holes(made)
    assert hole.is_through


def test_a_boss_is_not_a_hole():
    assert holes(block().circle(5).extrude(10)) == ()


def test_fillets_and_slots_are_not_holes():
    assert holes(cq.Workplane().box(40, 30, 20).edges("|Z").fillet(5)) == ()
    assert holes(block().slot2D(20, 6).cutThruAll()) == ()


def test_a_tube_through_a_fork_is_two_holes():
    fork = cq.Workplane().box(40, 30, 20).faces(">Z").workplane().rect(20, 40).cutBlind(-15)
    found = holes(fork.faces(">X").workplane().center(0, -5).hole(4))
    assert [hole.is_through for hole in found] == [True, True]
    assert sorted(hole.position_mm[0] for hole in found) == pytest.approx([-15, 15])


def test_a_hole_split_by_another_keeps_its_whole_depth():
    made = block().hole(6).faces(">X").workplane(centerOption="CenterOfMass").hole(4)
    (large,) = [hole for hole in holes(made) if hole.diameter_mm == pytest.approx(6)]
    assert large.depth_mm == pytest.approx(20)


def test_a_hole_through_a_slanted_face_is_through():
    wedge = cq.Workplane("XZ").polyline([(0, 0), (40, 0), (40, 10), (0, 25)]).close().extrude(-30)
    drill = cq.Workplane().center(20, 15).circle(3).extrude(100)
    (hole,) = holes(wedge.cut(drill))
    assert hole.is_through


def test_holes_turn_with_the_part(plate_part):
    import numpy as np

    from cadwright.tools.geometry.kernel import shape_of

    turned = cq.Shape.cast(shape_of(plate_part.brep)).rotate(
        cq.Vector(0, 0, 0), cq.Vector(1, 2, 3), 50
    )
    before, after = inspect_part(plate_part).measures.holes, holes(turned)
    assert [h.diameter_mm for h in after] == pytest.approx([h.diameter_mm for h in before])
    assert [h.is_through for h in after] == [h.is_through for h in before]
    assert np.ptp([h.axis for h in after], axis=0) == pytest.approx([0, 0, 0], abs=1e-9)
