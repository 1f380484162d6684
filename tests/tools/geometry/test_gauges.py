"""Measurements that need a question, against solids whose answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from featured import block, top
from solids import cq, part_from

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry import gauged
from cadwright.tools.geometry.client import GeometryClient
from cadwright.tools.geometry.gauges import BoxRegion, CylinderRegion
from cadwright.tools.geometry.inspect import inspect_part as inspect
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.write import write_part


@pytest.fixture
def gauges(client: GeometryClient):
    return client.gauges


def part(made):
    return part_from(made)


def meshed(made):
    return read_part(write_part(part_from(made), "stl"), "stl")


def shell(thickness=2.0):
    return block().faces(">Z").shell(-thickness)


def torn():
    mesh = meshed(block()).mesh
    return Part(mesh=Mesh(mesh.vertices, mesh.faces[1:], mesh.face_ids[1:]), name="torn")


# Thickness


@pytest.mark.parametrize("make", [part, meshed], ids=["exact", "mesh"])
def test_a_shell_is_as_thick_as_its_walls(gauges, make):
    found = gauges.thickness(make(shell(1.5)))
    assert found.min_mm == pytest.approx(1.5, rel=1e-5)
    assert found.median_mm == pytest.approx(1.5, rel=1e-5)


def test_the_thinnest_place_lies_in_the_material(gauges):
    web = top().center(-18, 0).rect(2, 26).cutBlind(-15).center(3, 0).rect(2, 26).cutBlind(-15)
    found = gauges.thickness(part(web))
    assert found.min_mm == pytest.approx(1, rel=1e-5)
    assert found.position_mm[0] == pytest.approx(-16.5 if found.position_mm[0] > -18 else -19.5)


def test_a_tube_is_as_thick_as_the_difference_of_its_radii(gauges):
    found = gauges.thickness(part(cq.Workplane().circle(10).circle(8).extrude(30)))
    assert found.min_mm == pytest.approx(2, rel=0.01)


def test_an_open_surface_has_no_thickness(gauges):
    with pytest.raises(GeometryError, match="not closed"):
        gauges.thickness(torn())


# Clearance and regions


@pytest.mark.parametrize("make", [part, meshed], ids=["exact", "mesh"])
def test_the_gap_of_two_blocks_is_their_distance(gauges, make):
    found = gauges.clearance(make(block()), make(block().translate((43, 0, 0))))
    assert (found.gap_mm, found.overlap_mm3) == (pytest.approx(3, rel=1e-5), 0.0)


def test_nearest_points_are_as_far_apart_as_the_gap(gauges):
    other = cq.Workplane().sphere(5).translate((30, 3, 4))
    found = gauges.clearance(part(block()), part(other))
    near, far = (np.array(point) for point in found.points_mm)
    assert found.gap_mm == pytest.approx(5)
    assert np.linalg.norm(far - near) == pytest.approx(found.gap_mm)


def test_clearance_is_mutual(gauges):
    a, b = part(block()), part(cq.Workplane().sphere(5).translate((20, 20, 20)))
    assert gauges.clearance(a, b).gap_mm == pytest.approx(gauges.clearance(b, a).gap_mm)


def test_an_overlap_has_no_gap(gauges):
    found = gauges.clearance(part(block()), part(block().translate((30, 0, 0))))
    assert (found.gap_mm, found.points_mm) == (0.0, None)
    assert found.overlap_mm3 == pytest.approx(10 * 30 * 20)


def test_a_part_inside_another_overlaps_it(gauges):
    found = gauges.clearance(part(block()), part(cq.Workplane().box(5, 5, 5)))
    assert found.overlap_mm3 == pytest.approx(125)


def test_blocks_that_touch_have_no_gap_and_no_overlap(gauges):
    found = gauges.clearance(part(block()), part(block().translate((40, 0, 0))))
    assert (found.gap_mm, found.overlap_mm3) == (pytest.approx(0, abs=1e-9), 0.0)


def test_half_a_block_lies_in_a_box(gauges):
    found = gauges.inside(part(block()), BoxRegion((0, -50, -50), (50, 50, 50)))
    assert found.part_share == pytest.approx(0.5)
    assert found.inside_mm3 == pytest.approx(12000)


def test_a_bore_keeps_its_cylinder_free(gauges):
    region = CylinderRegion((0, 0, -10), (0, 0, 10), 6.0)
    assert gauges.inside(part(top().hole(7)), region).region_share == 0.0
    assert gauges.inside(part(block()), region).region_share == pytest.approx(1)


def test_a_cylinder_region_has_the_volume_of_a_round_one(gauges):
    region = CylinderRegion((-10, 0, 0), (10, 5, 5), 4.0)
    wanted = math.pi * 4 * np.linalg.norm([20, 5, 5])
    assert gauges.inside(part(block()), region).inside_mm3 == pytest.approx(wanted, rel=1e-6)


def test_a_part_may_be_the_region(gauges):
    found = gauges.inside(part(block()), part(cq.Workplane().box(20, 20, 40)))
    assert found.region_share == pytest.approx(0.5)


def test_inside_and_outside_make_up_the_part_and_inside_and_vacant_the_region(gauges):
    found = gauges.inside(part(top().hole(7)), BoxRegion((2, -50, -50), (50, 8, 4)))
    solid = gauges.inside(part(top().hole(7)), BoxRegion((-50, -50, -50), (50, 50, 50)))
    assert found.inside_mm3 + found.outside_mm3 == pytest.approx(solid.inside_mm3)
    assert found.inside_mm3 + found.vacant_mm3 == pytest.approx(48 * 58 * 54)


@pytest.mark.parametrize(
    "region",
    [BoxRegion((0, 0, 0), (1, 0, 1)), CylinderRegion((0, 0, 0), (0, 0, 0), 1.0)],
    ids=["box", "cylinder"],
)
def test_a_flat_region_is_refused(gauges, region):
    with pytest.raises(GeometryError) as caught:
        gauges.inside(part(block()), region)
    assert caught.value.outcome is Outcome.BAD_CALL


# Sections


@pytest.mark.parametrize("make", [part, meshed], ids=["exact", "mesh"])
def test_a_section_leaves_holes_out(gauges, make):
    cut = gauges.section(make(top().hole(6)), (0, 0, 1), (0, 0, 1))
    assert cut.area_mm2 == pytest.approx(1200 - math.pi * 9, rel=1e-3)
    assert cut.perimeter_mm == pytest.approx(140 + math.pi * 6, rel=1e-3)
    assert (cut.regions, cut.openings) == (1, 1)


@pytest.mark.parametrize("make", [part, meshed], ids=["exact", "mesh"])
def test_a_section_has_its_centre_in_the_plane(gauges, make):
    cut = gauges.section(make(block().translate((5, 6, 7))), (5, 6, 7), (1, 0, 1))
    assert cut.centre_mm == pytest.approx((5, 6, 7), abs=1e-4)
    assert cut.area_mm2 == pytest.approx(30 * 20 * math.sqrt(2), rel=1e-5)


def test_a_section_through_a_fork_has_two_regions(gauges):
    cut = gauges.section(part(top().rect(20, 40).cutBlind(-15)), (0, 0, 5), (0, 0, 1))
    assert cut.regions == 2


def test_a_plane_beside_the_part_cuts_nothing(gauges):
    cut = gauges.section(part(block()), (0, 0, 99), (0, 0, 1))
    assert (cut.area_mm2, cut.regions, cut.centre_mm) == (0.0, 0, None)


def test_a_plane_needs_a_normal(gauges):
    with pytest.raises(GeometryError, match="length"):
        gauges.section(part(block()), (0, 0, 0), (0, 0, 0))


# Printing, moulding, symmetry


def test_a_block_on_the_bed_has_no_overhang(gauges):
    found = gauges.overhang(part(block()))
    assert (found.area_mm2, found.bed_area_mm2) == (0.0, pytest.approx(1200))
    assert found.height_mm == pytest.approx(20)


def test_the_arm_of_a_t_hangs_over(gauges):
    made = block().faces(">Z").workplane().rect(60, 30).extrude(5)
    found = gauges.overhang(part(made))
    assert found.area_mm2 == pytest.approx(20 * 30)
    assert found.worst_deg == pytest.approx(90)
    assert gauges.overhang(part(made), (0, 0, -1)).area_mm2 == 0.0


@pytest.mark.parametrize(("limit", "hangs"), [(44.9, True), (45.0, False)])
def test_a_face_at_the_limit_is_allowed(gauges, limit, hangs):
    profile = [(0, 0), (10, 0), (20, 10), (0, 10)]
    made = cq.Workplane("XZ").polyline(profile).close().extrude(5)
    assert (gauges.overhang(part(made), limit_deg=limit).area_mm2 > 0.0) is hangs


def test_the_facets_of_a_cone_at_the_limit_are_allowed(gauges):
    made = cq.Workplane("XZ").polyline([(0, 0), (5, 0), (15, 10), (0, 10)]).close().revolve()
    assert gauges.overhang(part(made)).area_mm2 == 0.0
    assert gauges.overhang(part(made), limit_deg=44.4).area_mm2 > 0.0


def test_a_straight_block_has_no_draft(gauges):
    assert gauges.draft(part(block())).min_deg == pytest.approx(0)


def test_a_tapered_block_has_the_draft_of_its_taper(gauges):
    made = cq.Workplane().rect(30, 20).extrude(10, taper=5)
    assert gauges.draft(part(made)).min_deg == pytest.approx(5)


def test_a_block_is_symmetric_in_three_planes(gauges):
    found = gauges.symmetry(part(block().translate((3, 4, 5))))
    assert [mirror.iou for mirror in found] == pytest.approx([1, 1, 1])
    assert sorted(mirror.offset_mm for mirror in found) == pytest.approx([3, 4, 5])


def test_a_hole_off_the_middle_breaks_one_symmetry(gauges):
    found = gauges.symmetry(part(top().center(8, 0).hole(10)), [(1, 0, 0), (0, 1, 0)])
    assert found[0].normal == (0.0, 1.0, 0.0)
    assert found[0].iou == pytest.approx(1)
    assert found[1].iou < 0.95


def test_a_turned_block_is_symmetric_about_its_own_axes(gauges):
    turned = block().rotate((0, 0, 0), (1, 2, 3), 40)
    best = gauges.symmetry(part(turned))[:3]
    assert [mirror.iou for mirror in best] == pytest.approx([1, 1, 1], abs=1e-4)


def test_gauges_of_one_part_tessellate_it_once(gauges, monkeypatch):
    calls = []
    monkeypatch.setattr(gauged, "inspect_part", lambda *a, **k: calls.append(a) or inspect(*a, **k))
    made = part(block().faces(">Z").hole(3.21))
    gauges.overhang(made)
    gauges.draft(made)
    gauges.inside(made, BoxRegion((0, 0, 0), (1, 1, 1)))
    assert len(calls) == 1
