"""Gauges on curved walls: what they measure is the surface, at every radius, not its facets."""

import math

import pytest
from constraint_parts import cq, one, part_of

from cadwright.rewards.constraints.job import subject_of
from cadwright.rewards.constraints.result import CheckVerdict
from cadwright.tools.geometry.gauged import Gauged
from cadwright.tools.geometry.overhang import draft, overhang
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.thickness import thickness
from cadwright.tools.geometry.write import write_part

RADII = [1, 10, 50, 200, 500]
QUARTER_MM = 0.005  # of the tolerance of a wall


def gauged(made) -> Gauged:
    return subject_of(part_of(made)).gauged


def tube(radius, wall, height=30):
    return cq.Workplane().circle(radius).circle(radius - wall).extrude(height)


def hollow_ball(radius, wall):
    return cq.Workplane().sphere(radius).cut(cq.Workplane().sphere(radius - wall))


def two_bores(radius, web):
    plate = cq.Workplane().box(6 * radius, 3 * radius, radius).faces(">Z").workplane()
    return plate.pushPoints([(-radius, 0), (radius + web, 0)]).hole(2 * radius)


def ring(middle, radius):
    return (
        cq.Workplane("XZ").center(middle, 0).circle(radius).revolve(360, (-middle, 0), (-middle, 1))
    )


def cone(radius, taper, height=None):
    return cq.Workplane().circle(radius).extrude(height or radius / 2, taper=taper)


def widening(radius):
    """A cone that leans out by 45 degrees from a disc."""
    return cq.Workplane().circle(radius).workplane(offset=radius).circle(2 * radius).loft()


# Wall thickness


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("share", [0.2, 0.02], ids=["thick", "thin"])
def test_a_tube_is_as_thick_as_the_difference_of_its_radii(radius, share):
    wall = share * radius
    found = thickness(gauged(tube(radius, wall, 3 * wall))).min_mm
    assert found == pytest.approx(wall, abs=QUARTER_MM, rel=1e-6)


@pytest.mark.parametrize("radius", RADII)
def test_a_wall_of_two_millimetres_is_met_at_every_radius(radius):
    wall = min(2.0, radius / 4)
    found = one(part_of(tube(radius, wall)), "wall_thickness", min=wall)
    assert found.verdict is CheckVerdict.MET


@pytest.mark.parametrize("radius", RADII)
def test_a_wall_short_of_a_twentieth_is_not_met(radius):
    wall = min(2.0, radius / 4)
    found = one(part_of(tube(radius, wall)), "wall_thickness", min=wall + 0.05)
    assert found.residual == pytest.approx(0.05, abs=QUARTER_MM)
    assert found.verdict is CheckVerdict.RESIDUAL


@pytest.mark.parametrize("radius", [1, 20, 200])
def test_a_hollow_ball_is_as_thick_as_the_difference_of_its_radii(radius):
    wall = 0.15 * radius
    assert thickness(gauged(hollow_ball(radius, wall))).min_mm == pytest.approx(wall, rel=1e-6)


@pytest.mark.parametrize("radius", RADII)
def test_the_web_between_two_bores_is_found_where_it_is_thinnest(radius):
    web = 0.05 * radius
    assert thickness(gauged(two_bores(radius, web))).min_mm == pytest.approx(web, abs=QUARTER_MM)


def test_a_bore_out_of_the_middle_leaves_its_thinnest_side():
    made = cq.Workplane().circle(200).extrude(30)
    made = made.cut(cq.Workplane().center(0.3, 0.4).circle(195).extrude(30))
    assert thickness(gauged(made)).min_mm == pytest.approx(4.5, abs=QUARTER_MM)


def test_a_conical_shell_is_measured_across_and_not_along_its_base():
    made = cone(50, 10, 60).cut(cone(48, 10, 60))
    wanted = 2 * math.cos(math.radians(10))
    assert thickness(gauged(made)).min_mm == pytest.approx(wanted, abs=QUARTER_MM)


def test_a_hollow_ring_is_as_thick_as_the_difference_of_its_tubes():
    made = ring(40, 10).cut(ring(40, 9))
    assert thickness(gauged(made)).min_mm == pytest.approx(1, abs=QUARTER_MM)


def test_a_mesh_is_its_facets():
    mesh = read_part(write_part(part_of(tube(50, 2)), "stl"), "stl")
    found = thickness(subject_of(mesh).gauged).min_mm
    assert found < 2 - QUARTER_MM


def test_flat_walls_are_measured_as_without_exact_geometry():
    exact = gauged(cq.Workplane().box(40, 30, 20).faces(">Z").shell(-1.5))
    facets = Gauged(Part(mesh=exact.mesh), exact.mesh, is_closed=True)
    assert thickness(exact) == thickness(facets)


# Draft


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("taper", [0.5, 2, 10])
def test_a_cone_has_the_draft_that_it_was_given(radius, taper):
    assert draft(gauged(cone(radius, taper))).min_deg == pytest.approx(taper, abs=1e-6)


def test_a_leaning_cone_has_the_draft_of_its_steepest_line():
    made = cone(100, 7, 30).rotate((0, 0, 0), (math.cos(0.3), math.sin(0.3), 0), 5)
    assert draft(gauged(made)).min_deg == pytest.approx(2, abs=0.0125)


def test_a_round_bar_across_the_pull_has_no_draft():
    assert draft(gauged(cq.Workplane("YZ").circle(10).extrude(30))).min_deg == 0


def test_rounding_the_top_of_drafted_walls_keeps_their_draft():
    made = cq.Workplane().rect(30, 20).extrude(20, taper=3).faces(">Z").edges().fillet(2)
    assert draft(gauged(made)).min_deg == pytest.approx(3, abs=1e-6)


# Overhang


@pytest.mark.parametrize("radius", RADII)
def test_a_cone_at_the_limit_does_not_hang(radius):
    assert overhang(gauged(widening(radius))).area_mm2 == 0


@pytest.mark.parametrize("radius", RADII)
def test_a_cone_past_the_limit_hangs_with_its_whole_area(radius):
    wanted = 3 * math.pi * radius**2 * math.sqrt(2)
    found = overhang(gauged(widening(radius)), limit_deg=44)
    assert found.area_mm2 == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("radius", RADII)
def test_a_lying_bar_hangs_with_a_quarter_of_its_side_and_rests_on_nothing(radius):
    found = overhang(gauged(cq.Workplane("YZ").circle(radius).extrude(radius)))
    assert found.area_mm2 == pytest.approx(math.pi / 2 * radius**2, rel=1e-3)
    assert found.bed_area_mm2 == 0


@pytest.mark.parametrize("radius", [1, 100])
def test_a_ball_hangs_with_its_cap(radius):
    wanted = 2 * math.pi * radius**2 * (1 - math.sqrt(0.5))
    found = overhang(gauged(cq.Workplane().sphere(radius)))
    assert found.area_mm2 == pytest.approx(wanted, rel=1e-3)


# Clearance


def bored(radius, play):
    plate = cq.Workplane().box(3 * radius, 3 * radius, 10).faces(">Z").workplane()
    return part_of(plate.hole(2 * (radius + play)))


def pin(radius):
    return {"start": [0, 0, -20], "end": [0, 0, 20], "diameter": 2 * radius}


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("play", [0.02, 0.2])
def test_a_pin_in_its_bore_has_the_play_all_round(radius, play):
    found = one(bored(radius, play), "clearance", region=pin(radius), min=0.3)
    assert found.residual == pytest.approx(0.3 - play, abs=0.0025)


@pytest.mark.parametrize("radius", RADII)
def test_a_pin_larger_than_its_bore_has_no_gap(radius):
    found = one(bored(radius, -0.05 * radius), "clearance", region=pin(radius), min=0.3)
    assert found.residual == pytest.approx(0.3)


def test_a_pin_inside_the_material_has_no_gap():
    found = one(part_of(cq.Workplane().sphere(300)), "clearance", region=pin(10), min=0.3)
    assert (found.residual, found.got.split()[0]) == (pytest.approx(0.3), "overlap")


def test_the_gap_to_another_body_is_that_of_the_round_ones():
    bodies = {"pin.step": part_of(cq.Workplane().circle(100).extrude(40))}
    region = {"file": "pin.step"}
    found = one(bored(100, 0.2), "clearance", region=region, min=0.3, bodies=bodies)
    assert found.residual == pytest.approx(0.1, abs=0.0025)


# Preserved


def drum(radius):
    return cq.Workplane().circle(radius).extrude(4 * radius)


def cross_bored(radius):
    return drum(radius).cut(
        cq.Workplane("XZ").center(0, 2 * radius).circle(0.2 * radius).extrude(5 * radius)
    )


def around_bore(radius):
    low, high = [-0.25, -5, 1.7], [0.25, 0, 2.3]
    return {"min": [radius * v for v in low], "max": [radius * v for v in high]}


@pytest.mark.parametrize("radius", RADII)
def test_boring_inside_the_region_moves_nothing_outside_it(radius):
    old, new = part_of(drum(radius), "old"), part_of(cross_bored(radius))
    found = one(new, "preserved", region=around_bore(radius), start=old)
    assert found.residual == pytest.approx(0, abs=QUARTER_MM)


@pytest.mark.parametrize("radius", RADII)
def test_a_drum_turned_down_a_little_moved_by_as_much(radius):
    old = part_of(drum(radius), "old")
    new = part_of(cq.Workplane().circle(radius - 0.05).extrude(4 * radius))
    assert one(new, "preserved", start=old).residual == pytest.approx(0.05, abs=QUARTER_MM)
