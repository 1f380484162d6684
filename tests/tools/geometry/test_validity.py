"""Each broken part fails in the right layer, with the place named, and never with a NaN."""

import json

import numpy as np
import pytest
from solids import part_from, plate

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.wire import encode_inspection

cq = pytest.importorskip("cadquery")

NAN = float("nan")


def looked_at(made):
    return inspect_part(part_from(made))


def codes(made):
    return [notice.code for notice in looked_at(made).notices]


def open_box():
    faces = cq.Workplane().box(10, 10, 10).faces("not >Z").vals()
    return cq.Solid.makeSolid(cq.Shell.makeShell(faces))


def bow_tie():
    return cq.Workplane().polyline([(0, 0), (10, 10), (10, 0), (0, 10)]).close().extrude(5)


def touching():
    return (
        cq.Workplane().box(10, 10, 10).union(cq.Workplane().box(10, 10, 10).translate((10, 10, 0)))
    )


BROKEN = {
    "open_shell": (open_box, Outcome.INVALID_GEOMETRY, "closed: solid 1 is open along 4 edges"),
    "bow_tie": (bow_tie, Outcome.INVALID_GEOMETRY, "kernel: face 5"),
    "nan": (lambda: cq.Workplane().box(NAN, 10, 10), Outcome.INVALID_GEOMETRY, "finite: "),
    "face": (lambda: cq.Face.makePlane(5, 5), Outcome.NOT_A_SOLID, "1 face and no solid"),
    "wire": (lambda: cq.Wire.makeCircle(5, cq.Vector(), cq.Vector(0, 0, 1)),
             Outcome.NOT_A_SOLID, "1 edge and no solid"),
    "vertex": (lambda: cq.Vertex.makeVertex(1, 2, 3), Outcome.NOT_A_SOLID, "1 vertex"),
    "nothing": (lambda: cq.Compound.makeCompound([]), Outcome.EMPTY_GEOMETRY, "no geometry"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_a_broken_part_names_its_outcome_and_the_failing_layer(case):
    made, outcome, words = case
    found = looked_at(made())
    assert found.outcome is outcome
    assert words in found.message


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_no_record_of_a_broken_part_holds_a_nan(case):
    json.dumps(encode_inspection(looked_at(case[0]()))[0], allow_nan=False)


def test_an_open_shell_has_no_volume_and_four_open_edges():
    measures = looked_at(open_box()).measures
    assert (measures.volume_mm3, measures.open_edges, measures.is_valid) == (None, 4, False)


def test_a_broken_part_can_still_be_drawn():
    found = looked_at(open_box())
    assert len(found.mesh.faces) == 10
    assert len(found.edges.segments) == 12


@pytest.mark.parametrize("made", [plate, touching], ids=["plate", "touching"])
def test_a_sound_part_is_ok(made):
    found = looked_at(made())
    assert (found.outcome, found.measures.is_valid) == (Outcome.OK, True)


def test_contact_along_an_edge_is_two_bodies_and_a_notice():
    assert looked_at(touching()).measures.bodies == 2
    assert "non_manifold_contact" in codes(touching())


def test_contact_along_an_edge_is_two_bodies_in_a_mesh_too():
    found = inspect_part(Part(mesh=looked_at(touching()).mesh))
    assert (found.outcome, found.measures.bodies) == (Outcome.OK, 2)
    assert found.measures.volume_mm3 == pytest.approx(2000)
    assert "non_manifold_contact" in [notice.code for notice in found.notices]


@pytest.mark.parametrize(
    ("size", "expected"), [(0.02, True), (0.2, False), (9000, False), (11_000, True)]
)
def test_only_an_unlikely_scale_is_noticed(size, expected):
    assert ("suspicious_scale" in codes(cq.Workplane().box(size, size / 2, size / 3))) is expected


def test_an_inside_out_solid_is_measured_turned_round():
    shape = cq.Workplane().box(10, 10, 10).val().wrapped.Reversed()
    found = inspect_part(Part(brep=brep_bytes(shape)))
    assert found.measures.volume_mm3 == pytest.approx(1000)
    assert "inside_out" in [notice.code for notice in found.notices]
    assert _signed_volume(found.mesh) == pytest.approx(1000)


def test_an_inside_out_mesh_is_measured_turned_round():
    mesh = looked_at(cq.Workplane().box(10, 10, 10)).mesh
    found = inspect_part(Part(mesh=Mesh(mesh.vertices, mesh.faces[:, ::-1], mesh.face_ids)))
    assert _signed_volume(found.mesh) == pytest.approx(1000)
    assert [notice.code for notice in found.notices] == ["inside_out"]


def test_a_triangle_turned_the_wrong_way_is_named():
    mesh = looked_at(cq.Workplane().box(10, 10, 10)).mesh
    faces = mesh.faces.copy()
    faces[0] = faces[0, ::-1]
    found = inspect_part(Part(mesh=Mesh(mesh.vertices, faces, mesh.face_ids)))
    assert found.outcome is Outcome.INVALID_GEOMETRY
    assert "opposite ways at 3 edges" in found.message


def test_faces_beside_a_solid_are_left_out_and_noticed():
    made = cq.Compound.makeCompound(
        [cq.Workplane().box(10, 10, 10).val(), cq.Face.makePlane(500, 500)]
    )
    found = looked_at(made)
    assert found.measures.size_mm == pytest.approx((10, 10, 10))
    assert found.measures.volume_mm3 == pytest.approx(1000)
    assert "loose_geometry" in codes(made)


def test_all_solids_of_a_compound_are_measured():
    made = cq.Workplane().pushPoints([(0, 0), (30, 0), (60, 0)]).box(10, 10, 10, combine=False)
    measures = looked_at(made).measures
    assert (measures.bodies, measures.volume_mm3) == (3, pytest.approx(3000))
    assert "several_bodies" in codes(made)


def test_coordinates_that_would_overflow_are_refused():
    vertices = np.array([[0, 0, 0], [1e300, 0, 0], [0, 1e300, 0], [0, 0, 1e300]], float)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
    found = inspect_part(Part(mesh=Mesh(vertices, faces, np.zeros(4, np.int32))))
    assert found.outcome is Outcome.INVALID_GEOMETRY
    assert "1e+300 mm" in found.message


def test_damaged_brep_bytes_are_an_outcome_not_an_exception():
    assert inspect_part(Part(brep=b"no brep")).outcome is Outcome.IMPORT_ERROR


def test_triangles_inside_brep_bytes_are_not_believed():
    import io

    from OCP.BinTools import BinTools
    from OCP.BRepMesh import BRepMesh_IncrementalMesh

    solid = cq.Workplane().sphere(10).val()
    BRepMesh_IncrementalMesh(solid.wrapped, 5.0)
    stream = io.BytesIO()
    BinTools.Write_s(solid.wrapped, stream)
    held = (brep_bytes(solid.wrapped), stream.getvalue())
    plain, given = (inspect_part(Part(brep=data)) for data in held)
    assert np.array_equal(plain.mesh.faces, given.mesh.faces)


def _signed_volume(mesh):
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
