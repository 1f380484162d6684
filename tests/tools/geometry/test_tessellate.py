"""Tessellation: closed, outward, true to the shape, and the same whatever ran before."""

import numpy as np
import pytest
from solids import part_from

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.part import Part, Tessellation
from cadwright.tools.geometry.surface import edge_table

cq = pytest.importorskip("cadquery")


def test_every_solid_is_closed(solid):
    mesh = inspect_part(solid).mesh
    assert edge_table(mesh.faces, len(mesh.vertices)).is_closed


def test_triangles_face_outwards(solid):
    mesh = inspect_part(solid).mesh
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() > 0


def test_the_volume_of_the_triangles_is_near_the_exact_one(solid):
    found = inspect_part(solid)
    mesh = inspect_part(Part(mesh=found.mesh)).measures
    assert mesh.volume_mm3 == pytest.approx(found.measures.volume_mm3, rel=0.02)


def test_no_triangle_has_two_equal_corners(solid):
    faces = inspect_part(solid).mesh.faces
    assert ((faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2])).all()


def test_it_does_not_depend_on_what_ran_before(plate_part):
    before = inspect_part(plate_part).mesh
    inspect_part(plate_part, tolerance=Tessellation(linear=0.05, angle_deg=40))
    inspect_part(part_from(cq.Workplane().sphere(3)))
    after = inspect_part(plate_part).mesh
    assert before.vertices.tobytes() == after.vertices.tobytes()
    assert before.faces.tobytes() == after.faces.tobytes()


@pytest.mark.parametrize("scale", [1e-4, 1.0, 100.0], ids=["10_micron", "plate", "10_m"])
def test_the_tessellation_does_not_depend_on_the_size(plate_part, scale):
    from cadwright.tools.geometry.kernel import shape_of

    scaled = part_from(cq.Shape.cast(shape_of(plate_part.brep)).scale(scale))
    expected, found = (inspect_part(part).measures for part in (plate_part, scaled))
    assert found.num_triangles == pytest.approx(expected.num_triangles, rel=0.2)
    assert found.is_watertight


def test_a_part_far_from_the_origin_is_closed():
    found = inspect_part(part_from(cq.Workplane().box(1, 1, 1).edges().fillet(0.2).translate(
        (1e5, -1e5, 1e5)
    )))  # fmt: skip
    assert found.measures.is_watertight


def test_finer_settings_give_more_triangles(plate_part):
    coarse, fine = (
        inspect_part(plate_part, tolerance=Tessellation(angle_deg=angle)).measures.num_triangles
        for angle in (40, 5)
    )
    assert fine > 2 * coarse


@pytest.mark.parametrize("settings", [{"linear": 0.0}, {"linear": 1.0}, {"angle_deg": 0.01}])
def test_settings_that_would_hang_or_flatten_are_refused(settings):
    with pytest.raises(GeometryError, match="must lie in"):
        Tessellation(**settings)


def test_face_ids_name_every_face_once(plate_part):
    found = inspect_part(plate_part)
    assert set(found.mesh.face_ids.tolist()) == set(range(found.measures.num_faces))


def test_the_triangles_of_a_plane_face_lie_in_one_plane():
    mesh = inspect_part(part_from(cq.Workplane().box(10, 10, 10))).mesh
    for face in range(6):
        points = mesh.vertices[mesh.faces[mesh.face_ids == face]].reshape(-1, 3)
        assert (np.ptp(points, axis=0) == 0.0).sum() == 1


def test_the_fast_path_reads_what_the_kernel_holds(plate_part):
    from OCP.BRep import BRep_Tool
    from OCP.TopLoc import TopLoc_Location

    from cadwright.tools.geometry.kernel import shape_of
    from cadwright.tools.geometry.tessellate import _arrays, tessellate
    from cadwright.tools.geometry.topology import explore

    topology = explore(shape_of(plate_part.brep))
    tessellate(topology, 100.0)
    for use in topology.face_uses:
        held = BRep_Tool.Triangulation_s(use.face, TopLoc_Location())
        ((nodes, triangles),) = _arrays([held])
        points = [held.Node(k) for k in range(1, held.NbNodes() + 1)]
        assert nodes.tolist() == [[p.X(), p.Y(), p.Z()] for p in points]
        expected = [held.Triangle(k).Get() for k in range(1, held.NbTriangles() + 1)]
        assert (triangles + 1).tolist() == [list(corners) for corners in expected]


def test_edge_lines_lie_on_the_triangles(plate_part):
    found = inspect_part(plate_part)
    corners = {tuple(point) for point in found.mesh.vertices.round(6).tolist()}
    ends = {tuple(point) for point in found.edges.segments.reshape(-1, 3).round(6).tolist()}
    assert ends <= corners


def test_seams_are_not_drawn():
    edges = inspect_part(part_from(cq.Workplane().circle(4).extrude(10))).edges
    assert len(set(edges.edge_ids.tolist())) == 2
    assert set(np.unique(edges.segments[:, :, 2]).tolist()) == {0.0, 10.0}


def test_an_edge_without_a_face_is_drawn_from_its_own_curve():
    made = cq.Workplane().box(1, 1, 1).faces("<Z").val()
    found = inspect_part(part_from(cq.Compound.makeCompound([made, cq.Edge.makeCircle(9)])))
    assert np.abs(found.edges.segments).max() == pytest.approx(9, rel=0.01)
