"""Features of exact parts: what is found in solids whose features are known."""

from __future__ import annotations

import numpy as np
import pytest
from featured import FEATURED, block, drilled, features, flange, gusset, shaft, top
from solids import cq, part_from, plate

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.features import Counterbore, Countersink
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.recognise import find_features
from cadwright.tools.geometry.write import write_part


def near(*values):
    return pytest.approx(values, abs=1e-6)


def only(found):
    assert len(found) == 1, found
    return found[0]


def hole(made):
    return only(features(made).holes)


def wedge():
    profile = [(0, 0), (40, 0), (40, 10), (0, 25)]
    return cq.Workplane("XZ").polyline(profile).close().extrude(-30)


# Holes


def test_a_counterbored_hole_is_one_hole():
    found = hole(top().cboreHole(6, 12, 4))
    assert (found.diameter_mm, found.depth_mm) == near(6, 20)
    assert found.counterbore == Counterbore(pytest.approx(12), pytest.approx(4))
    assert found.is_through
    assert found.axis == (0.0, 0.0, -1.0)


def test_a_countersunk_hole_is_one_hole_and_no_chamfer():
    found = features(top().cskHole(6, 12, 82))
    assert only(found.holes).countersink == Countersink(pytest.approx(12), pytest.approx(82))
    assert found.chamfers == ()


def test_a_broken_edge_is_a_chamfer_and_no_countersink():
    found = features(top().hole(10).faces(">Z").edges("%CIRCLE").chamfer(0.5))
    assert only(found.holes).countersink is None
    assert only(found.holes).depth_mm == pytest.approx(20)
    assert only(found.chamfers).sizes_mm == near(0.5, 0.5)


def test_a_counterbore_below_is_entered_from_below():
    found = hole(block().faces("<Z").workplane().cboreHole(6, 12, 4))
    assert found.axis == (0.0, 0.0, 1.0)
    assert found.position_mm == near(0, 0, -10)


def test_counterbores_at_both_ends_are_both_given():
    found = hole(top().cboreHole(6, 12, 4).faces("<Z").workplane().cboreHole(6, 10, 3))
    sizes = [bore.diameter_mm for bore in (found.counterbore, found.far_counterbore)]
    assert sizes == near(12, 10)


def test_a_flat_blind_hole_points_into_the_material():
    found = hole(block().faces(">X").workplane(centerOption="CenterOfMass").hole(6, 8))
    assert (found.bottom, found.depth_mm) == ("flat", pytest.approx(8))
    assert found.position_mm == near(20, 0, 0)
    assert found.axis == near(-1, 0, 0)


def test_a_drill_point_is_no_depth():
    found = hole(drilled(12))
    assert (found.bottom, found.depth_mm) == ("cone", pytest.approx(12))
    assert found.tip_angle_deg == pytest.approx(118)


def test_a_ball_end_is_a_round_bottom():
    tool = cq.Solid.makeCylinder(3, 10).fuse(cq.Solid.makeSphere(3, angleDegrees1=-90))
    assert hole(block().cut(cq.Workplane(tool))).bottom == "round"


def test_a_rounded_floor_counts_as_depth():
    made = top().hole(10, 8).faces("<Z[-2]").edges("%CIRCLE").fillet(1.5)
    assert hole(made).depth_mm == pytest.approx(8)


def test_a_slanted_hole_starts_where_its_axis_does():
    found = hole(wedge().cut(cq.Workplane().center(20, 15).circle(3).extrude(100)))
    assert found.position_mm == near(20, 15, 17.5)
    assert found.depth_mm == pytest.approx(17.5)


def test_a_hole_square_to_a_slanted_face_is_placed_on_it():
    made = wedge().faces(">Z").workplane(centerOption="CenterOfMass").hole(5, 6)
    found = hole(made)
    slope = np.array([15.0, 0.0, 40.0]) / np.hypot(15, 40)
    assert found.axis == near(*-slope)
    assert found.depth_mm == pytest.approx(6)


def test_a_hole_through_a_fillet_is_through():
    drill = cq.Workplane().center(0, 9).circle(2).extrude(100, both=True)
    found = features(block().edges("|X and >Z").fillet(8).cut(drill))
    assert only(found.holes).is_through
    assert {fillet.radius_mm for fillet in found.fillets} == {8.0}


@pytest.mark.parametrize("diameter", [4, 6, 10])
def test_a_crossed_hole_stays_one_hole(diameter):
    made = top().hole(6).faces(">X").workplane(centerOption="CenterOfMass").hole(diameter)
    depths = sorted(found.depth_mm for found in features(made).holes)
    assert depths == near(20, 40)


def test_a_pin_hole_in_a_fork_is_two_holes():
    fork = top().rect(20, 40).cutBlind(-15)
    found = features(fork.faces(">X").workplane().center(0, -5).hole(4)).holes
    assert [each.depth_mm for each in found] == near(10, 10)


def test_a_hole_across_a_pipe_measures_its_outer_diameter():
    pipe = cq.Workplane().circle(20).circle(15).extrude(60)
    across = cq.Workplane("XZ").center(0, 30).circle(3).extrude(50, both=True)
    found = min(features(pipe.cut(across)).holes, key=lambda each: each.diameter_mm)
    assert found.depth_mm == pytest.approx(40)


def test_halves_of_a_cylinder_are_one_hole():
    half = (
        cq.Workplane()
        .box(20, 30, 20)
        .translate((10, 0, 0))
        .cut(cq.Workplane().circle(4).extrude(99, both=True))
    )
    whole = half.union(half.mirror("YZ"), clean=False)
    found = features(whole)
    assert only(found.holes).diameter_mm == pytest.approx(8)
    assert len(only(found.holes).faces) == 2
    assert only(found.cylinders).swept_deg == pytest.approx(360)


def test_a_cavity_is_no_hole():
    inside = cq.Workplane().circle(4).extrude(10).translate((0, 0, -5))
    assert features(block().cut(inside)).holes == ()


# Slots, pockets, bosses


@pytest.mark.parametrize(("depth", "is_through"), [(4.0, False), (20.0, True)])
def test_a_slot_has_width_length_and_direction(depth, is_through):
    found = features(top().slot2D(20, 6, 30).cutBlind(-depth))
    slot = only(found.slots)
    assert (slot.length_mm, slot.width_mm, slot.depth_mm) == near(20, 6, depth)
    assert slot.direction == near(np.sqrt(0.75), 0.5, 0)
    assert slot.is_through is is_through
    assert (found.pockets, found.holes, found.fillets) == ((), (), ())


@pytest.mark.parametrize("radius", [0, 2])
def test_a_pocket_has_its_outline_and_corners(radius):
    made = top().rect(20, 10).cutBlind(-5)
    if radius:
        made = made.edges("|Z and (not (>X or <X))").fillet(radius)
    pocket = only(features(made).pockets)
    assert (pocket.length_mm, pocket.width_mm, pocket.depth_mm) == near(20, 10, 5)
    assert pocket.corner_radius_mm == pytest.approx(radius)
    assert pocket.is_rectangular
    assert pocket.position_mm == near(0, 0, 10)


def test_a_filleted_floor_does_not_make_a_pocket_shallower():
    made = top().rect(20, 12).cutBlind(-6).faces("<Z[-2]").edges().fillet(1)
    assert only(features(made).pockets).depth_mm == pytest.approx(6)


def test_a_cut_out_is_a_pocket_that_goes_through():
    pocket = only(features(top().rect(20, 10).cutThruAll()).pockets)
    assert pocket.is_through


def test_an_angular_pocket_is_not_rectangular():
    outline = [(0, 0), (10, 0), (10, 4), (4, 4), (4, 10), (0, 10)]
    pocket = only(features(top().polyline(outline).close().cutBlind(-5)).pockets)
    assert not pocket.is_rectangular
    assert (pocket.length_mm, pocket.width_mm) == near(10, 10)


def test_a_rectangular_boss_stands_on_its_base():
    boss = only(features(top().rect(12, 8).extrude(7)).bosses)
    assert (boss.shape, boss.length_mm, boss.width_mm) == ("rectangular", *near(12, 8).expected)
    assert boss.height_mm == pytest.approx(7)
    assert boss.position_mm == near(0, 0, 10)
    assert boss.axis == (0.0, 0.0, 1.0)


def test_a_round_boss_keeps_its_height_under_a_rounded_top():
    boss = only(features(top().circle(5).extrude(7).faces(">Z").edges().fillet(1)).bosses)
    assert (boss.shape, boss.length_mm) == ("round", 10.0)
    assert boss.height_mm == pytest.approx(7)


def test_a_plain_plate_has_no_boss_slot_or_pocket():
    found = features(plate())
    assert (found.bosses, found.slots, found.pockets, found.shafts) == ((), (), (), ())


# Fillets and chamfers


def test_a_chain_of_rounded_edges_is_one_fillet():
    found = features(block().edges("|Z").fillet(5).faces(">Z").edges().fillet(2))
    chain = only([fillet for fillet in found.fillets if fillet.radius_mm == 2.0])
    assert chain.num_edges == 8
    assert chain.length_mm == pytest.approx(2 * (30 + 20) + 2 * np.pi * 3)
    assert sum(fillet.radius_mm == 5.0 for fillet in found.fillets) == 4


def test_a_box_rounded_all_over_has_one_fillet():
    fillet = only(features(block().edges().fillet(2)).fillets)
    assert (fillet.num_edges, fillet.is_convex) == (12, True)


def test_a_filled_corner_is_concave():
    foot = cq.selectors.BoxSelector((-6, -20, 9), (6, 20, 11))
    made = top().rect(10, 30).extrude(10).edges("|Y").edges(foot).fillet(1)
    found = features(made)
    assert [fillet.is_convex for fillet in found.fillets] == [False, False]
    assert [fillet.axis for fillet in found.fillets] == [near(0, 1, 0)] * 2


def test_an_unequal_chamfer_has_both_setbacks():
    chamfer = only(features(block().faces(">Z").edges().chamfer(1, 2)).chamfers)
    assert chamfer.sizes_mm == near(1, 2)
    assert chamfer.angle_deg == pytest.approx(np.degrees(np.arctan(0.5)))
    assert chamfer.num_edges == 4


def test_the_sides_of_a_prism_are_no_chamfers():
    assert features(cq.Workplane().polygon(8, 30).extrude(20)).chamfers == ()
    assert features(cq.Workplane().rect(30, 20).extrude(10, taper=20)).chamfers == ()


# Turned bodies, walls, patterns


def test_a_shaft_has_its_steps_in_order():
    steps = only(features(shaft()).shafts).steps
    assert [step.diameter_mm for step in steps] == near(20, 12, 8)
    assert [step.length_mm for step in steps] == near(20, 15, 10)


def test_a_shelled_box_has_walls_of_its_thickness():
    walls = features(block().faces(">Z").shell(-2)).walls
    assert [wall.thickness_mm for wall in walls] == near(*[2] * 5)
    assert not any(wall.is_rib for wall in walls)


def test_a_gusset_is_a_rib():
    ribs = [wall for wall in features(gusset()).walls if wall.is_rib]
    assert only(ribs).thickness_mm == pytest.approx(4)


def test_a_bolt_circle_is_a_pattern():
    found = features(flange())
    circle = only(found.patterns)
    assert (circle.kind, circle.counts) == ("circle", (6,))
    assert circle.diameter_mm == pytest.approx(60)
    assert circle.residual_mm == pytest.approx(0, abs=1e-9)
    assert {found.holes[place].diameter_mm for place in circle.holes} == {5.0}


def test_a_grid_has_counts_and_pitches():
    grid = only(features(top().rarray(8, 9, 4, 3).hole(3)).patterns)
    assert (grid.kind, grid.counts, grid.pitches_mm) == ("grid", (4, 3), near(8, 9))


def test_a_grid_may_miss_a_hole():
    places = [(8 * x, 9 * y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (1, 1)]
    grid = only(features(top().pushPoints(places).hole(3)).patterns)
    assert (grid.counts, len(grid.holes)) == ((3, 3), 8)


def test_a_line_has_its_pitch_and_residual():
    places = [(-12, 0), (-4, 0), (4, 0.2), (12, 0)]
    line = only(features(top().pushPoints(places).hole(3)).patterns)
    assert (line.kind, line.counts) == ("line", (4,))
    assert line.pitches_mm == (pytest.approx(8),)
    assert line.residual_mm == pytest.approx(0.15)


def test_scattered_holes_are_no_pattern():
    places = [(-15, 3), (-2, -9), (7, 8), (13, -5)]
    assert features(top().pushPoints(places).hole(3)).patterns == ()


# Faces and the whole


def test_planes_face_out_of_the_material():
    for plane in features(block()).planes:
        assert np.dot(plane.normal, plane.centre_mm) > 0
        assert plane.offset_mm == pytest.approx(np.dot(plane.normal, plane.centre_mm))


@pytest.mark.parametrize("name", FEATURED)
def test_areas_add_up_to_the_surface(name):
    part = part_from(FEATURED[name]())
    found = features(part)
    kinds = (found.planes, found.cylinders, found.cones, found.spheres, found.tori)
    total = sum(face.area_mm2 for kind in kinds for face in kind)
    assert total == pytest.approx(inspect_part(part).measures.area_mm2)


@pytest.mark.parametrize("name", FEATURED)
def test_every_face_belongs_to_one_surface(name):
    part = part_from(FEATURED[name]())
    found = features(part)
    kinds = (found.planes, found.cylinders, found.cones, found.spheres, found.tori)
    numbers = sorted(face for kind in kinds for each in kind for face in each.faces)
    assert numbers == list(range(inspect_part(part).measures.num_faces))


@pytest.mark.parametrize("name", FEATURED)
def test_step_gives_the_same_features(name):
    from test_features_motion import summary

    part = part_from(FEATURED[name]())
    again = read_part(write_part(part, "step"), "step")
    assert summary(features(again)) == summary(features(part))


def test_a_free_form_face_is_reported():
    points = [(0, 0), (5, 3), (12, -2), (20, 0)]
    made = cq.Workplane().moveTo(0, 0).spline(points[1:], includeCurrent=True)
    found = features(made.lineTo(20, 20).lineTo(0, 20).close().extrude(5))
    assert [entry.feature for entry in found.unchecked] == ["fillets"]


def test_nothing_has_no_features():
    with pytest.raises(GeometryError, match="no geometry"):
        find_features(Part(name="nothing"))


def test_flat_sides_of_a_loft_are_planes():
    made = cq.Workplane().rect(30, 20).workplane(offset=10).rect(20, 14).loft(ruled=True)
    found = features(made)
    assert (len(found.planes), found.unchecked) == (6, ())
    assert all(
        np.dot(plane.normal, np.subtract(plane.centre_mm, (0, 0, 5))) > 0 for plane in found.planes
    )
