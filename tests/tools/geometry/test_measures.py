"""Measures against analytic truth, and the laws they obey."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import part_from

from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.part import Mesh, Part, Tessellation

cq = pytest.importorskip("cadquery")

PI = math.pi
sizes = st.floats(0.5, 80.0)
offsets = st.tuples(*[st.floats(-500.0, 500.0)] * 3)
kernel = settings(max_examples=15, deadline=None)


def measured(made):
    return inspect_part(part_from(made)).measures


def as_mesh(made):
    return inspect_part(Part(mesh=inspect_part(part_from(made)).mesh)).measures


@pytest.mark.parametrize(
    ("made", "volume", "area"),
    [
        (lambda: cq.Workplane().box(3, 4, 5), 60.0, 94.0),
        (lambda: cq.Workplane().circle(4).extrude(10), 160 * PI, 112 * PI),
        (lambda: cq.Workplane().sphere(6), 288 * PI, 144 * PI),
        (lambda: cq.Solid.makeCone(3, 0, 4), 12 * PI, 24 * PI),
        (lambda: cq.Solid.makeTorus(10, 2), 80 * PI**2, 80 * PI**2),
    ],
    ids=["box", "cylinder", "sphere", "cone", "torus"],
)
def test_primitives_have_their_analytic_volume_and_area(made, volume, area):
    found = measured(made())
    assert found.volume_mm3 == pytest.approx(volume, rel=1e-9)
    assert found.area_mm2 == pytest.approx(area, rel=1e-9)


@pytest.mark.parametrize("look", [measured, as_mesh], ids=["exact", "mesh"])
def test_inertia_of_a_box_is_the_textbook_tensor(look):
    found = look(cq.Workplane().box(3, 4, 5).translate((7, -8, 9)))
    expected = np.diag([60 * (16 + 25) / 12, 60 * (9 + 25) / 12, 60 * (9 + 16) / 12])
    assert np.array(found.inertia_mm5) == pytest.approx(expected, abs=1e-6)
    assert found.centre_mm == pytest.approx((7, -8, 9))


def test_products_of_inertia_have_the_same_sign_from_triangles_and_from_the_kernel():
    wedge = cq.Workplane().polyline([(0, 0), (30, 0), (0, 10)]).close().extrude(7)
    exact, mesh = (np.array(look(wedge).inertia_mm5) for look in (measured, as_mesh))
    assert mesh == pytest.approx(exact, rel=1e-9, abs=1e-6)


def test_a_cavity_is_not_a_body():
    hollow = cq.Workplane().box(20, 20, 20).cut(cq.Workplane().sphere(5))
    for found in (measured(hollow), as_mesh(hollow)):
        assert (found.bodies, found.num_shells) == (1, 2)


def test_a_cavity_is_taken_off_the_volume_of_a_mesh():
    hollow = cq.Workplane().box(20, 20, 20).cut(cq.Workplane().box(10, 10, 10))
    assert as_mesh(hollow).volume_mm3 == pytest.approx(7000)


def test_faces_are_counted_by_kind(plate_part):
    found = inspect_part(plate_part).measures
    assert found.faces_by_kind == {"cylinder": 13, "plane": 10}
    assert found.num_faces == 23


def test_seams_are_not_counted_as_edges():
    assert measured(cq.Workplane().circle(4).extrude(10)).num_edges == 2
    assert measured(cq.Workplane().sphere(4)).num_edges == 0


@pytest.mark.parametrize(
    ("made", "size"),
    [
        (lambda: cq.Workplane().sphere(7), (14, 14, 14)),
        (lambda: cq.Solid.makeTorus(10, 2), (24, 24, 4)),
        (lambda: cq.Workplane().circle(5).extrude(9).rotate((0, 0, 0), (1, 0, 0), 90), (10, 9, 10)),
    ],
    ids=["sphere", "torus", "lying_cylinder"],
)
def test_the_bounding_box_of_curved_faces_is_exact(made, size):
    assert measured(made()).size_mm == pytest.approx(size, abs=1e-6)


def test_a_helix_that_was_cut_flat_reaches_no_farther_than_the_cut():
    wire = cq.Wire.makeHelix(5, 20, 10)
    spring = cq.Workplane("XZ").center(10, 0).circle(1.5).sweep(wire, isFrenet=True)
    part = spring.intersect(cq.Workplane().box(60, 60, 18).translate((0, 0, 10)))
    low, high = measured(part).bbox_mm
    assert (low[2], high[2]) == pytest.approx((1.0, 19.0), abs=1e-5)


@pytest.mark.parametrize(
    ("made", "height"),
    [
        (lambda: cq.Workplane().sphere(10), 10.0),
        (lambda: cq.Workplane(cq.Solid.makeTorus(20, 5)), 5.0),
    ],
    ids=["sphere", "torus"],
)
def test_a_summit_that_was_cut_off_aslant_is_no_part_of_the_box(made, height):
    half = cq.Workplane().box(90, 90, 60).translate((0, 0, 30 - 0.5 * height))
    part = made().cut(half.rotate((0, 0, 0), (1, 0, 0), 4))
    low, high = measured(part).bbox_mm
    mesh = inspect_part(part_from(part), tolerance=Tessellation(linear=1e-4, angle_deg=4)).mesh
    assert high[2] == pytest.approx(mesh.vertices[:, 2].max(), abs=2e-3)
    assert low[2] == pytest.approx(-height, abs=1e-5)


def test_control_points_do_not_inflate_the_bounding_box():
    outline = [(0, 0), (20, 30), (40, -25), (60, 30), (80, 0), (40, 60)]
    made = cq.Workplane().spline(outline, periodic=True).close().extrude(5)
    inspection = inspect_part(part_from(made))
    used = inspection.mesh.vertices[inspection.mesh.faces].reshape(-1, 3)
    extents = used.max(axis=0) - used.min(axis=0)
    assert inspection.measures.size_mm == pytest.approx(extents.tolist(), rel=1e-3)


@kernel
@given(size=st.tuples(sizes, sizes, sizes), angle=st.floats(-180, 180), offset=offsets)
def test_a_rigid_motion_keeps_volume_and_area(size, angle, offset):
    box = cq.Workplane().box(*size)
    before = measured(box)
    after = measured(box.rotate((0, 0, 0), (1, 2, 3), angle).translate(offset))
    assert after.volume_mm3 == pytest.approx(before.volume_mm3, rel=1e-7)
    assert after.area_mm2 == pytest.approx(before.area_mm2, rel=1e-7)


@kernel
@given(factor=st.floats(0.01, 100.0))
def test_scaling_by_k_multiplies_the_volume_by_k_cubed(factor):
    box = cq.Workplane().box(3, 4, 5)
    scaled = measured(box.val().scale(factor))
    assert scaled.volume_mm3 == pytest.approx(60 * factor**3, rel=1e-9)


@kernel
@given(factor=st.floats(1e-3, 1e3), offset=offsets)
def test_mesh_volume_obeys_the_same_laws(factor, offset):
    mesh = inspect_part(part_from(cq.Workplane().sphere(5))).mesh
    moved = Mesh(mesh.vertices * factor + offset, mesh.faces, mesh.face_ids)
    before, after = (inspect_part(Part(mesh=m)).measures for m in (mesh, moved))
    assert after.volume_mm3 == pytest.approx(before.volume_mm3 * factor**3, rel=1e-6)
