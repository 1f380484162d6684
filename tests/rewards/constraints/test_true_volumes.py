"""Volumes kept free, kept in or filled are those of surfaces: facets decide no verdict."""

import math
from dataclasses import replace

import numpy as np
import pytest
from constraint_parts import cq, one, part_of, report

from cadwright.rewards.constraints.job import subject_of
from cadwright.rewards.constraints.result import CheckVerdict
from cadwright.tools.geometry.bulges import bulges
from cadwright.tools.geometry.gauged import gauged
from cadwright.tools.geometry.gauges import BoxRegion, CylinderRegion
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.shares import region_body, share

RADII = [0.5, 5, 60, 250]
LARGE = RADII[1:]  # of smaller ones a thousandth is less than the tolerance
TURN_DEG = 17  # so that no facet of one lies on one of the other
MET, RESIDUAL = CheckVerdict.MET, CheckVerdict.RESIDUAL


def turned(made, axis=(0, 0, 1)):
    return made.rotate((0, 0, 0), axis, TURN_DEG)


def bored(radius, height):
    return turned(cq.Workplane().rect(3 * radius, 3 * radius).circle(radius).extrude(height))


def pin(radius, height):
    return turned(cq.Workplane().circle(radius).extrude(height))


def ball(radius):
    return turned(cq.Workplane().sphere(radius), (1, 2, 1))


def cylinder(radius, height):
    return {"start": [0, 0, 0], "end": [0, 0, height], "diameter": 2 * radius}


def box(low, high):
    return {"min": list(low), "max": list(high)}


def held(made, kind, region):
    return one(part_of(made), kind, region=region)


def volumes(made, region):
    return share(gauged(part_of(made)), region_body(region)).fraction


@pytest.mark.parametrize("radius", RADII)
def test_a_bore_leaves_the_pin_that_fits_it_free(radius):
    assert held(bored(radius, radius), "keep_out", cylinder(radius, radius)).verdict is MET


@pytest.mark.parametrize("radius", LARGE)
def test_a_bore_short_of_a_thousandth_does_not(radius):
    found = held(bored(0.999 * radius, radius), "keep_out", cylinder(radius, radius))
    in_the_way = math.pi * (1 - 0.999**2) * radius**3
    assert found.verdict is RESIDUAL
    assert found.residual == pytest.approx(in_the_way, rel=0.02)


@pytest.mark.parametrize("radius", RADII)
def test_a_pin_lies_in_its_cylinder_and_fills_it(radius):
    part = part_of(pin(radius, radius))
    region = cylinder(radius, radius)
    asked = [{"kind": kind, "region": region} for kind in ("keep_in", "filled")]
    assert report(part, *asked).all_met


@pytest.mark.parametrize("radius", LARGE)
@pytest.mark.parametrize(("kind", "share_of"), [("keep_in", 1.001), ("filled", 0.999)])
def test_a_pin_off_by_a_thousandth_does_not(radius, kind, share_of):
    found = held(pin(share_of * radius, radius), kind, cylinder(radius, radius))
    assert found.verdict is RESIDUAL
    assert found.residual == pytest.approx(math.pi * abs(share_of**2 - 1) * radius**3, rel=0.02)


@pytest.mark.parametrize("radius", RADII)
def test_a_box_whose_edges_touch_the_bore_is_free(radius):
    reach = radius / math.sqrt(2)
    region = box((-reach, -reach, 0), (reach, reach, radius / 2))
    assert held(bored(radius, radius / 2), "keep_out", region).verdict is MET
    assert held(pin(radius, radius / 2), "filled", region).verdict is MET


@pytest.mark.parametrize("radius", RADII)
def test_round_parts_lie_in_their_bounding_boxes(radius):
    region = box((-radius, -radius, -radius), (radius, radius, radius))
    assert held(ball(radius), "keep_in", region).verdict is MET
    assert held(pin(radius, radius), "keep_in", region).verdict is MET


@pytest.mark.parametrize("radius", RADII)
def test_a_cylinder_that_enters_a_box_between_its_facets_is_found(radius):
    """By a thousandth of the radius: less than the sag of a facet."""
    near = 0.999 * radius
    region = box((near, -radius, 0), (2 * radius, radius, radius))
    angle = math.acos(0.999)
    segment = radius**2 * (angle - math.sin(angle) * math.cos(angle))
    for degrees in (0.0, 1.3, 1.5, 2.9):
        made = cq.Workplane().circle(radius).extrude(radius).rotate((0, 0, 0), (0, 0, 1), degrees)
        found = volumes(made, BoxRegion(tuple(region["min"]), tuple(region["max"])))
        assert found.inside_mm3 == pytest.approx(segment * radius, rel=0.1)


def test_a_ball_in_the_file_fits_its_socket():
    socket = part_of(cq.Workplane().box(90, 90, 90).cut(ball(30)))
    part = {"kind": "keep_out", "region": {"file": "ball"}}
    bodies = {"ball": part_of(cq.Workplane().sphere(30))}
    assert report(socket, part, bodies=bodies).all_met
    larger = {"ball": part_of(cq.Workplane().sphere(30.02))}
    assert not report(socket, part, bodies=larger).all_met


def test_a_free_form_wall_touches_its_own_mould():
    drawn = [(0, 10), (10, 13), (20, 9), (30, 12), (40, 10)]
    body = cq.Workplane("XZ").lineTo(0, 10).spline(drawn[1:], includeCurrent=True)
    body = body.lineTo(40, 0).close().extrude(20)
    mould = cq.Workplane().box(40, 20, 30, centered=False).translate((0, -20, 0)).cut(body)
    asked = {"kind": "keep_out", "region": {"file": "body"}}
    assert report(part_of(mould), asked, bodies={"body": part_of(body)}).all_met


@pytest.mark.parametrize("radius", RADII)
def test_volumes_are_those_of_the_surfaces(radius):
    found = volumes(ball(radius), BoxRegion((-2 * radius,) * 3, (2 * radius,) * 3))
    assert found.inside_mm3 == pytest.approx(4 / 3 * math.pi * radius**3, rel=1e-5)
    half = volumes(pin(radius, radius), CylinderRegion((0, 0, -1), (0, 0, radius / 2), 9 * radius))
    assert half.inside_mm3 == pytest.approx(math.pi / 2 * radius**3, rel=1e-5)
    assert half.part_share == pytest.approx(0.5, rel=1e-5)


def test_flat_bodies_leave_nothing_out():
    first = gauged(part_of(cq.Workplane().box(10, 10, 10)))
    second = region_body(BoxRegion((0, 0, 0), (20, 20, 20)))
    found = bulges(first, second, first.manifold ^ second.manifold)
    assert (found.first_mm3, found.shared_mm3, found.size_mm3) == (0.0, 0.0, 0.0)


def test_what_one_gains_inside_the_other_gains_as_well():
    first, second = (gauged(part_of(made)) for made in (ball(10), pin(8, 12)))
    there = bulges(first, second, first.manifold ^ second.manifold)
    back = bulges(second, first, first.manifold ^ second.manifold)
    assert there.shared_mm3 == pytest.approx(back.shared_mm3, rel=0.01)


def test_triangles_are_what_they_are():
    mesh = subject_of(part_of(bored(20, 10))).mesh
    facets = replace(mesh, face_ids=np.zeros(len(mesh.faces), np.int32))
    found = one(Part(mesh=facets), "keep_out", region=cylinder(20.2, 10))
    assert found.verdict is RESIDUAL
    assert one(Part(mesh=facets), "keep_out", region=cylinder(19.9, 10)).verdict is MET


@pytest.mark.parametrize("degrees", [0.0, 0.4, 1.0, 31.0])
@pytest.mark.parametrize("radius", [3, 12.5])
def test_a_pin_of_other_facets_fits_its_bore_however_it_is_turned(radius, degrees):
    plate = cq.Workplane().rect(12 * radius, 8 * radius).circle(radius).extrude(1.6 * radius)
    turned_pin = cq.Workplane().circle(radius).extrude(1.6 * radius)
    turned_pin = turned_pin.rotate((0, 0, 0), (0, 0, 1), degrees)
    asked = {"kind": "keep_out", "region": {"file": "pin"}}
    assert report(part_of(plate), asked, bodies={"pin": part_of(turned_pin)}).all_met
