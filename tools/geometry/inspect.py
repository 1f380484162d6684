"""Find out everything about a part in one pass: validity, measures, triangles, edge lines."""

from __future__ import annotations

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry import bounds, mass, validity
from cadwright.tools.geometry.bodies import Bodies, orient
from cadwright.tools.geometry.holes import find_holes, surfaces_of
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, Shape, reason, shape_of
from cadwright.tools.geometry.part import (
    FloatArray,
    Inspection,
    IntArray,
    Measures,
    Mesh,
    Notice,
    Part,
)
from cadwright.tools.geometry.surface import (
    EdgeTable,
    edge_table,
    facet_edges,
    shells,
    smooth_facets,
)
from cadwright.tools.geometry.tessellate import Tessellation, Triangulated, tessellate
from cadwright.tools.geometry.topology import Topology, explore
from cadwright.tools.geometry.validity import Verdict
from cadwright.tools.geometry.weld import drop_degenerate, weld


def inspect_part(part: Part, *, tolerance: Tessellation | None = None) -> Inspection:
    """Measure a part and judge whether it is a valid solid.

    Never raises for the geometry itself: a broken part comes back with the outcome, the layer
    that failed, and whatever could still be measured and drawn.

    Args:
        part: Exact geometry or triangles; exact geometry wins where it has both.
        tolerance: How fine to tessellate; None is the default.

    Returns:
        An inspection without a NaN or infinity anywhere in it.
    """
    try:
        if part.brep is not None:
            return _inspect_shape(part, shape_of(part.brep, name=part.name), tolerance)
        if part.mesh is not None:
            return _inspect_mesh(part, part.mesh)
    except GeometryError as err:
        return _nothing(part, Verdict(err.outcome, str(err)))
    except KERNEL_ERRORS as err:
        fault = f"kernel: the part cannot be measured ({reason(err)})"
        return _nothing(part, Verdict(Outcome.INVALID_GEOMETRY, fault))
    return _nothing(part, Verdict(Outcome.EMPTY_GEOMETRY, f"{part.name}: no geometry given"))


def _nothing(part: Part, verdict: Verdict) -> Inspection:
    return Inspection(verdict.outcome, verdict.message, None, None, None, part.notices)


def _inspect_shape(part: Part, shape: Shape, tolerance: Tessellation | None) -> Inspection:
    settings = tolerance or Tessellation()
    rough = bounds.quick_box(shape)
    verdict = validity.check_finite(rough, part.name)
    if rough is None or not verdict.is_ok:
        return _nothing(part, verdict)
    topology = explore(shape)
    for check in (validity.check_solids, validity.check_closed, validity.check_kernel):
        verdict = check(topology) if verdict.is_ok else verdict
    diagonal = float(np.linalg.norm(rough[1] - rough[0]))
    found = tessellate(topology, diagonal, settings)
    if not len(found.mesh.faces):
        return _nothing(part, _unless_ok(verdict, "no face can be tessellated"))
    return _measure_shape(part, topology, found, verdict, settings.deflection_mm(diagonal))


def _unless_ok(verdict: Verdict, fault: str) -> Verdict:
    return Verdict(Outcome.INVALID_GEOMETRY, f"manifold: {fault}") if verdict.is_ok else verdict


def _measure_shape(
    part: Part,
    topology: Topology,
    found: Triangulated,
    verdict: Verdict,
    deflection_mm: float,
) -> Inspection:
    whole, inverted = mass.solids_mass(topology)
    mesh = _turned(found.mesh, found.bodies, inverted)
    table = edge_table(mesh.faces, len(mesh.vertices))
    area, area_centre = mass.shape_area(topology)
    surfaces = surfaces_of(topology)
    box = bounds.tight_box(topology, mesh, deflection_mm, surfaces.curved)
    if verdict.is_ok:
        verdict = validity.check_volume(whole.volume_mm3, float(np.linalg.norm(box[1] - box[0])))
    if verdict.is_ok:
        own = _without_loose(mesh, found.bodies) if topology.has_loose_faces else table
        verdict = validity.check_manifold(mesh, own, found.bare_faces)
    has_volume = bool(topology.solids) and table.is_closed and whole.volume_mm3 > 0.0
    measures = Measures(
        volume_mm3=whole.volume_mm3 if has_volume else None,
        area_mm2=area,
        bbox_mm=bounds.as_box(box),
        bodies=len(topology.solids),
        is_watertight=table.is_closed,
        is_valid=verdict.is_ok,
        centre_mm=whole.centre_mm if has_volume else area_centre,
        inertia_mm5=whole.inertia_mm5 if has_volume else None,
        num_faces=topology.num_faces,
        num_edges=len(topology.visible_edges),
        num_triangles=len(mesh.faces),
        open_edges=len(table.open_edges),
        faces_by_kind=surfaces.by_kind,
        num_shells=topology.num_shells,
        holes=find_holes(topology, surfaces) if verdict.is_ok else (),
    )
    notices = (*part.notices, *_shape_notices(topology, mesh, table, box, len(inverted)))
    return Inspection(verdict.outcome, verdict.message, measures, mesh, found.edges, notices)


def _turned(mesh: Mesh, bodies: IntArray, inverted: tuple[int, ...]) -> Mesh:
    """Return the mesh with the triangles of inside-out solids turned round."""
    if not inverted:
        return mesh
    flip = np.isin(bodies, inverted)[:, None]
    faces = np.where(flip, mesh.faces[:, ::-1], mesh.faces)
    return Mesh(mesh.vertices, faces, mesh.face_ids)


def _without_loose(mesh: Mesh, bodies: IntArray) -> EdgeTable:
    return edge_table(mesh.faces[bodies >= 0], len(mesh.vertices))


def _shape_notices(
    topology: Topology, mesh: Mesh, table: EdgeTable, box: FloatArray, num_inverted: int
) -> tuple[Notice, ...]:
    notices = [*validity.scale_notice(box), *_inverted_notice(num_inverted)]
    contacts = len(table.crowded_edges)
    if len(topology.solids) > 1:
        contacts = _contacts(mesh)
    notices += validity.contact_notice(contacts)
    if topology.solids and topology.has_loose_faces:
        notices.append(Notice("loose_faces", "faces that belong to no solid are not measured"))
    return tuple(notices)


def _inverted_notice(num_inverted: int) -> tuple[Notice, ...]:
    if num_inverted == 0:
        return ()
    return (Notice("inside_out", f"{num_inverted} bodies faced inwards and were turned round"),)


def _contacts(mesh: Mesh) -> int:
    """Return how many edges more than two triangles share once all bodies are welded."""
    _, place = weld(mesh.vertices)
    return len(edge_table(place[mesh.faces], len(place)).crowded_edges)


def _inspect_mesh(part: Part, raw: Mesh) -> Inspection:
    if not len(raw.faces):
        return _nothing(part, Verdict(Outcome.EMPTY_GEOMETRY, f"{part.name}: no triangles in it"))
    verdict = validity.check_finite(raw.vertices, part.name)
    if not verdict.is_ok:
        return _nothing(part, verdict)
    mesh = _welded(raw)
    if not len(mesh.faces):
        fault = "solid: every triangle has collapsed to a line or a point"
        return _nothing(part, Verdict(Outcome.NOT_A_SOLID, fault))
    table = edge_table(mesh.faces, len(mesh.vertices))
    verdict = validity.check_mesh(mesh, table)
    count, labels = shells(table)
    bodies = Bodies(mesh, count, count, 0)
    if table.is_closed:
        bodies = orient(_parted(mesh, labels) if len(table.crowded_edges) else mesh, labels, count)
    return _measure_mesh(part, bodies, table, verdict)


def _parted(mesh: Mesh, labels: IntArray) -> Mesh:
    """Return the mesh with touching shells on vertices of their own, as solids have them."""
    corners = mesh.vertices[mesh.faces].reshape(-1, 3)
    kept, place = weld(corners, np.repeat(labels, 3))
    return Mesh(corners[kept], place.reshape(-1, 3), mesh.face_ids)


def _welded(raw: Mesh) -> Mesh:
    kept, place = weld(raw.vertices)
    faces = place[raw.faces]
    return Mesh(raw.vertices[kept] + 0.0, faces[drop_degenerate(faces)], _NO_IDS)


_NO_IDS = np.zeros(0, np.int32)


def _measure_mesh(part: Part, bodies: Bodies, table: EdgeTable, verdict: Verdict) -> Inspection:
    facets = smooth_facets(bodies.mesh, table)
    mesh = Mesh(bodies.mesh.vertices, bodies.mesh.faces, facets)
    edges = facet_edges(mesh, table)
    box = bounds.mesh_box(mesh)
    area, centre = mass.mesh_area(mesh)
    volume, inertia = _flat_volume(mesh), None
    if table.is_closed:
        whole = mass.mesh_mass(mesh)
        volume, inertia, centre = whole.volume_mm3, whole.inertia_mm5, whole.centre_mm
        if verdict.is_ok:
            diagonal = float(np.linalg.norm(box[1] - box[0]))
            verdict = validity.check_volume(whole.volume_mm3, diagonal)
    measures = Measures(
        volume_mm3=volume,
        area_mm2=area,
        bbox_mm=bounds.as_box(box),
        bodies=bodies.count,
        is_watertight=table.is_closed,
        is_valid=verdict.is_ok,
        centre_mm=centre,
        inertia_mm5=inertia,
        num_faces=int(facets.max()) + 1,
        num_edges=int(edges.edge_ids.max(initial=-1)) + 1,
        num_triangles=len(mesh.faces),
        open_edges=len(table.open_edges),
        faces_by_kind={"facet": int(facets.max()) + 1},
        num_shells=bodies.num_shells,
    )
    notices = (
        *part.notices,
        *validity.scale_notice(box),
        *_inverted_notice(bodies.num_inverted),
        *validity.contact_notice(len(table.crowded_edges)),
    )
    return Inspection(verdict.outcome, verdict.message, measures, mesh, edges, notices)


def _flat_volume(mesh: Mesh) -> float | None:
    """A sheet encloses nothing, open or not; any other open surface has no volume at all."""
    return 0.0 if validity.is_flat(mesh) else None
