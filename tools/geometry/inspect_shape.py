"""Inspect exact geometry: one walk, one tessellation, each measure taken once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry import bounds, mass, notices, validity
from cadwright.tools.geometry.explored import Explored
from cadwright.tools.geometry.holes import Surfaces, find_holes
from cadwright.tools.geometry.kernel import Shape
from cadwright.tools.geometry.mass import FaceArea
from cadwright.tools.geometry.own_size import own_diagonal_mm
from cadwright.tools.geometry.part import (
    FloatArray,
    Inspection,
    Measures,
    Mesh,
    Notice,
    Part,
    Tessellation,
)
from cadwright.tools.geometry.surface import EdgeTable, edge_table
from cadwright.tools.geometry.tessellate import Triangulated, tessellate
from cadwright.tools.geometry.topology import Topology
from cadwright.tools.geometry.validity import Verdict
from cadwright.tools.geometry.weld import weld


def inspect_shape(part: Part, shape: Shape, settings: Tessellation) -> Inspection:
    """Return what ``inspect_explored`` does of a shape at hand."""
    return inspect_explored(part, Explored(shape), settings)


def inspect_explored(part: Part, explored: Explored, settings: Tessellation) -> Inspection:
    """Return everything about a shape; what is broken is measured as far as it goes.

    Args:
        part: Where the shape came from: its name and notices.
        explored: A shape without a triangulation.
        settings: How fine to tessellate.

    Raises:
        GeometryError: The kernel cannot tessellate it at all.
    """
    rough = explored.box
    verdict = validity.check_finite(rough, part.name)
    if rough is None or not verdict.is_ok:
        return Inspection(verdict.outcome, verdict.message, None, None, None, part.notices)
    topology = explored.topology
    verdict = _checked(topology)
    diagonal = own_diagonal_mm(explored, rough)
    found = tessellate(topology, diagonal, settings)
    if not len(found.mesh.faces):
        if verdict.is_ok:
            verdict = Verdict(Outcome.INVALID_GEOMETRY, "manifold: no face can be tessellated")
        return Inspection(verdict.outcome, verdict.message, None, None, None, part.notices)
    survey = _survey(explored, found, settings.deflection_mm(diagonal))
    if verdict.is_ok:
        verdict = validity.check_volume(survey.mass.volume_mm3, _diagonal(survey.box))
    if verdict.is_ok:
        verdict = validity.check_manifold(survey.mesh, survey.table, found.bare_faces)
    told = (*part.notices, *_notices(survey))
    measures = _measures(survey, verdict)
    return Inspection(verdict.outcome, verdict.message, measures, survey.mesh, found.edges, told)


@dataclass(frozen=True, slots=True, eq=False)
class _Survey:
    """What was found out about a shape, before it is judged."""

    topology: Topology
    mesh: Mesh
    table: EdgeTable
    mass: mass.Mass
    num_inverted: int
    area: FaceArea
    surfaces: Surfaces
    box: FloatArray


def _checked(topology: Topology) -> Verdict:
    verdict = Verdict()
    for check in (validity.check_solids, validity.check_closed, validity.check_kernel):
        if verdict.is_ok:
            verdict = check(topology)
    return verdict


def _survey(explored: Explored, found: Triangulated, deflection_mm: float) -> _Survey:
    topology, surfaces = explored.topology, explored.surfaces
    whole, inverted = mass.solids_mass(topology)
    mesh = _turned(found, inverted)
    area = mass.total_area(explored.face_areas)
    return _Survey(
        topology=topology,
        mesh=mesh,
        table=edge_table(mesh.faces, len(mesh.vertices)),
        mass=whole,
        num_inverted=len(inverted),
        area=area,
        surfaces=surfaces,
        box=bounds.tight_box(topology, mesh, deflection_mm, surfaces),
    )


def _turned(found: Triangulated, inverted: tuple[int, ...]) -> Mesh:
    """Return the mesh with the triangles of inside-out solids turned round."""
    if not inverted:
        return found.mesh
    flip = np.isin(found.bodies, inverted)[:, None]
    faces = np.where(flip, found.mesh.faces[:, ::-1], found.mesh.faces)
    return Mesh(found.mesh.vertices, faces, found.mesh.face_ids)


def _measures(survey: _Survey, verdict: Verdict) -> Measures:
    topology, table, whole = survey.topology, survey.table, survey.mass
    has_volume = bool(topology.solids) and table.is_closed and whole.volume_mm3 > 0.0
    return Measures(
        volume_mm3=whole.volume_mm3 if has_volume else None,
        area_mm2=survey.area.area_mm2,
        bbox_mm=bounds.as_box(survey.box),
        bodies=len(topology.solids),
        is_watertight=table.is_closed,
        is_valid=verdict.is_ok,
        centre_mm=whole.centre_mm if has_volume else survey.area.centre_mm,
        inertia_mm5=whole.inertia_mm5 if has_volume else None,
        num_faces=topology.num_faces,
        num_edges=len(topology.visible_edges),
        num_triangles=len(survey.mesh.faces),
        open_edges=len(table.open_edges),
        faces_by_kind=survey.surfaces.by_kind,
        holes=find_holes(topology, survey.surfaces) if verdict.is_ok else (),
        num_shells=topology.num_shells,
    )


def _notices(survey: _Survey) -> tuple[Notice, ...]:
    num_bodies = len(survey.topology.solids)
    contacts = _contacts(survey.mesh) if num_bodies > 1 else len(survey.table.crowded_edges)
    mesh_volume = mass.mesh_mass(survey.mesh).volume_mm3 if survey.table.is_closed else None
    return (
        *notices.scale(bounds.extent(survey.box)),
        *notices.inside_out(survey.num_inverted),
        *notices.bodies(num_bodies),
        *notices.contact(contacts),
        *notices.loose(survey.topology.num_loose),
        *notices.crossing(survey.mass.volume_mm3, mesh_volume),
    )


def _contacts(mesh: Mesh) -> int:
    """Return how many edges more than two triangles share once all bodies are welded."""
    _, place = weld(mesh.vertices)
    return len(edge_table(place[mesh.faces], len(place)).crowded_edges)


def _diagonal(box: FloatArray) -> float:
    return float(np.linalg.norm(box[1] - box[0]))
