"""Inspect triangles: weld, orient, group into facets, measure."""

from __future__ import annotations

import numpy as np

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry import bounds, mass, notices, validity
from cadwright.tools.geometry.bodies import Bodies, orient
from cadwright.tools.geometry.part import Inspection, IntArray, Measures, Mesh, Part
from cadwright.tools.geometry.surface import (
    EdgeTable,
    edge_table,
    facet_edges,
    shells,
    smooth_facets,
)
from cadwright.tools.geometry.validity import Verdict
from cadwright.tools.geometry.weld import drop_degenerate, weld

_NO_IDS = np.zeros(0, np.int32)


def inspect_mesh(part: Part, raw: Mesh) -> Inspection:
    """Return everything about a mesh; face ids and edges come from its own sharp edges.

    Args:
        part: Where the mesh came from: its name and notices.
        raw: Triangles, welded or not, oriented or not.
    """
    verdict = _readable(part, raw)
    mesh = _welded(raw) if verdict.is_ok else raw
    if verdict.is_ok and not len(mesh.faces):
        verdict = Verdict(
            Outcome.NOT_A_SOLID, "solid: every triangle has collapsed to a line or a point"
        )
    if not verdict.is_ok:
        return Inspection(verdict.outcome, verdict.message, None, None, None, part.notices)
    table = edge_table(mesh.faces, len(mesh.vertices))
    verdict = validity.check_mesh(mesh, table)
    contacts = len(table.crowded_edges)
    count, labels = shells(table)
    bodies = Bodies(mesh, count, count, 0)
    if table.is_closed:
        bodies = orient(_parted(mesh, labels) if contacts else mesh, labels, count)
        table = edge_table(bodies.mesh.faces, len(bodies.mesh.vertices))
    return _measure(part, bodies, table, verdict, contacts)


def _readable(part: Part, raw: Mesh) -> Verdict:
    if not len(raw.faces):
        return Verdict(Outcome.EMPTY_GEOMETRY, f"{part.name}: no triangles in it")
    return validity.check_finite(raw.vertices, part.name)


def _welded(raw: Mesh) -> Mesh:
    kept, place = weld(raw.vertices)
    faces = place[raw.faces]
    return Mesh(raw.vertices[kept] + 0.0, faces[drop_degenerate(faces)], _NO_IDS)


def _parted(mesh: Mesh, labels: IntArray) -> Mesh:
    """Return the mesh with touching shells on vertices of their own, as solids have them."""
    corners = mesh.vertices[mesh.faces].reshape(-1, 3)
    kept, place = weld(corners, np.repeat(labels, 3))
    return Mesh(corners[kept], place.reshape(-1, 3), mesh.face_ids)


def _measure(
    part: Part, bodies: Bodies, table: EdgeTable, verdict: Verdict, contacts: int
) -> Inspection:
    facets = smooth_facets(bodies.mesh, table)
    mesh = Mesh(bodies.mesh.vertices, bodies.mesh.faces, facets)
    edges = facet_edges(mesh, table)
    box = bounds.mesh_box(mesh)
    area, area_centre = mass.mesh_area(mesh)
    whole = mass.mesh_mass(mesh) if table.is_closed else None
    if verdict.is_ok and whole is not None:
        verdict = validity.check_volume(whole.volume_mm3, float(np.linalg.norm(box[1] - box[0])))
    num_facets = int(facets.max()) + 1
    measures = Measures(
        volume_mm3=_sheet_volume(mesh) if whole is None else whole.volume_mm3,
        area_mm2=area,
        bbox_mm=bounds.as_box(box),
        bodies=bodies.count,
        is_watertight=table.is_closed,
        is_valid=verdict.is_ok,
        centre_mm=area_centre if whole is None else whole.centre_mm,
        inertia_mm5=None if whole is None else whole.inertia_mm5,
        num_faces=num_facets,
        num_edges=int(edges.edge_ids.max(initial=-1)) + 1,
        num_triangles=len(mesh.faces),
        open_edges=len(table.open_edges),
        faces_by_kind={"facet": num_facets},
        num_shells=bodies.num_shells,
    )
    told = (
        *part.notices,
        *notices.scale(bounds.extent(box)),
        *notices.inside_out(bodies.num_inverted),
        *notices.bodies(bodies.count),
        *notices.contact(contacts),
    )
    return Inspection(verdict.outcome, verdict.message, measures, mesh, edges, told)


def _sheet_volume(mesh: Mesh) -> float | None:
    """A flat sheet encloses nothing; any other open surface has no volume at all."""
    return 0.0 if validity.is_flat(mesh) else None
