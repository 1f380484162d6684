"""Planes through meshes: cut a mesh in two, measure the section."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh
from cadwright.tools.geometry.surface import edge_table
from cadwright.tools.meshing.solid import mesh_of, solid_of
from cadwright.tools.meshing.triangles import diagonal_mm, plain, welded

_ON_PLANE = 1e-9  # of the diagonal: a vertex so near to the plane lies in it


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
        mesh = welded(mesh)
        sides = [_clipped(mesh, sign * normal, sign * offset_mm) for sign in (1.0, -1.0)]
        return [side for side in sides if side is not None]
    halves = solid_of(mesh, "the mesh").split_by_plane(normal.tolist(), offset_mm)
    return [mesh_of(half) for half in halves if not half.is_empty()]


def _clipped(mesh: Mesh, normal: FloatArray, offset_mm: float) -> Mesh | None:
    """Return the surface above a plane; a cut edge gets one new vertex for both its triangles."""
    heights = mesh.vertices @ normal - offset_mm
    heights[np.abs(heights) < _ON_PLANE * diagonal_mm(mesh)] = 0.0
    table = edge_table(mesh.faces, len(mesh.vertices))
    low, high = heights[table.ends[:, 0]], heights[table.ends[:, 1]]
    is_cut = low * high < 0.0
    share = (low[is_cut] / (low[is_cut] - high[is_cut]))[:, None]
    ends = mesh.vertices[table.ends[is_cut]]
    points = (1.0 - share) * ends[:, 0] + share * ends[:, 1]
    new = np.full(len(is_cut), -1, np.int64)
    new[is_cut] = len(mesh.vertices) + np.arange(len(points))
    pieces = list(_pieces(mesh.faces, heights, new[table.of_triangle]))
    if not pieces:
        return None
    return plain(np.concatenate([mesh.vertices, points]), np.array(pieces, np.int32))


def _pieces(
    faces: IntArray, heights: FloatArray, new: npt.NDArray[np.int64]
) -> Iterator[tuple[int, ...]]:
    """Yield the triangles above the plane, and those that cut triangles leave there.

    Args:
        faces: (m, 3).
        heights: (n,) of the vertices over the plane.
        new: (m, 3) vertex on each edge that is cut, -1 elsewhere.
    """
    signs = np.sign(heights)[faces]
    whole = (signs >= 0.0).all(axis=1) & (signs > 0.0).any(axis=1)
    yield from map(tuple, faces[whole].tolist())
    for k in np.flatnonzero((signs > 0.0).any(axis=1) & (signs < 0.0).any(axis=1)):
        outline = []
        for corner in range(3):
            if signs[k, corner] >= 0.0:
                outline.append(int(faces[k, corner]))
            if new[k, corner] >= 0:
                outline.append(int(new[k, corner]))
        yield from ((outline[0], b, c) for b, c in pairwise(outline[1:]))


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
