"""Planes through meshes: cut a mesh in two, measure the section."""

from __future__ import annotations

import numpy as np

from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.meshing.solid import mesh_of, solid_of
from cadwright.tools.meshing.triangles import plain, welded


def cut(mesh: Mesh, normal: FloatArray, offset_mm: float, *, is_capped: bool = True) -> list[Mesh]:
    """Return what lies above a plane, then what lies below; a side with nothing is left out.

    Args:
        mesh: Any mesh; an open one cannot be capped.
        normal: (3,) unit normal; above is the side that it points to.
        offset_mm: Distance of the plane from the origin along the normal.
        is_capped: Close both parts along the cut.

    Raises:
        GeometryError: A cap is asked for and the mesh is no solid.
    """
    if not is_capped:
        sides = [_clipped(mesh, sign * normal, sign * offset_mm) for sign in (1.0, -1.0)]
        return [side for side in sides if side is not None]
    halves = solid_of(mesh, "the mesh").split_by_plane(normal.tolist(), offset_mm)
    return [mesh_of(half) for half in halves if not half.is_empty()]


def _clipped(mesh: Mesh, normal: FloatArray, offset_mm: float) -> Mesh | None:
    from trimesh.intersections import slice_faces_plane

    vertices, faces, _ = slice_faces_plane(
        mesh.vertices, mesh.faces, plane_normal=normal, plane_origin=normal * offset_mm
    )
    if not len(faces):
        return None
    return welded(plain(np.asarray(vertices, np.float64), np.asarray(faces, np.int32)))


def section_facts(mesh: Mesh, normal: FloatArray, offset_mm: float) -> dict[str, float | int]:
    """Return area, perimeter and number of regions and openings of the material in a plane.

    Raises:
        GeometryError: The mesh is no solid.
    """
    from cadwright.tools.geometry.section import solid_section

    found = solid_section(solid_of(mesh), normal * offset_mm, normal)
    return {
        "area_mm2": found.area_mm2,
        "perimeter_mm": found.perimeter_mm,
        "regions": found.regions,
        "openings": found.openings,
    }
