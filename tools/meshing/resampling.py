"""Other triangles for the same surface: fewer, even ones, smoother ones."""

from __future__ import annotations

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.surface import edge_table
from cadwright.tools.geometry.triangles import triangle_areas
from cadwright.tools.meshing.refining import refined
from cadwright.tools.meshing.solid import is_solid, mesh_of, solid_of
from cadwright.tools.meshing.triangles import check_count, corners, diagonal_mm, plain, welded

FEWEST = 4  # triangles of a tetrahedron
_AGGRESSION = 7.0  # of the collapses: how fast the allowed error grows; 7 keeps thin features
_FINEST, _STEPS = 1e-5, 26  # tolerances from this share of the diagonal, each sqrt(2) larger
_SLACK = 4.0 / 3.0  # an edge is long past this multiple of the wanted length
_INFLATE = -0.53  # against the 0.5 of a smoothing step: what Taubin's filter gives back


def decimated(mesh: Mesh, max_triangles: int) -> Mesh:
    """Return the mesh with at most so many triangles, a solid where it was one.

    Raises:
        GeometryError: The budget is too small for this shape.
    """
    if max_triangles < FEWEST:
        raise GeometryError(f"{max_triangles} triangles: at least {FEWEST} are needed")
    mesh = welded(mesh)
    if len(mesh.faces) <= max_triangles:
        return mesh
    must_be_solid = is_solid(mesh)
    found = _collapsed(mesh, max_triangles)
    if len(found.faces) <= max_triangles and (not must_be_solid or is_solid(found)):
        return found
    if must_be_solid:
        merged = _merged(mesh, max_triangles)
        if merged is not None:
            return merged
    raise GeometryError(
        f"{max_triangles} triangles are too few for this shape: "
        f"it would fall apart; give a larger budget (it has {len(mesh.faces)})"
    )


def _merged(mesh: Mesh, budget: int) -> Mesh | None:
    """Return the solid with vertices merged within the least tolerance that meets the budget.

    It takes over where flat faces full of slivers leave no edge that can be collapsed.
    """
    solid, size = solid_of(mesh), diagonal_mm(mesh)
    for step in range(_STEPS):
        thin = solid.simplify(size * _FINEST * 2.0 ** (step / 2))
        if FEWEST <= thin.num_tri() <= budget:
            return mesh_of(thin)
    return None


def _collapsed(mesh: Mesh, budget: int) -> Mesh:
    """Return the mesh after the edge collapses of least quadric error."""
    import fast_simplification

    vertices, faces = fast_simplification.simplify(
        np.ascontiguousarray(mesh.vertices),
        np.ascontiguousarray(mesh.faces),
        target_count=max(budget, FEWEST),
        agg=_AGGRESSION,
    )
    return welded(plain(np.asarray(vertices, np.float64), np.asarray(faces, np.int32)))


def remeshed(mesh: Mesh, edge_mm: float) -> Mesh:
    """Return the surface in triangles with edges of about ``edge_mm``.

    What is much finer is thinned out first, then long edges are halved. The shape stays within
    a few hundredths of the edge length.

    Raises:
        GeometryError: That would take too many triangles.
    """
    if edge_mm <= 0.0:
        raise GeometryError(f"edge length {edge_mm:g}: use one above 0", Outcome.BAD_CALL)
    mesh = welded(mesh)
    area = float(triangle_areas(corners(mesh)).sum())
    check_count(4.0 * area / edge_mm**2)
    if is_solid(mesh):
        mesh = mesh_of(solid_of(mesh).simplify(0.02 * edge_mm))
    return refined(mesh, _SLACK * edge_mm)


def smoothed(mesh: Mesh, rounds: int) -> Mesh:
    """Return the mesh after Taubin's filter: noise goes, the volume stays.

    Args:
        mesh: Any mesh; the rims of an open one stay where they are.
        rounds: Pairs of a smoothing and an inflating step.
    """
    from scipy.sparse import coo_matrix

    mesh = welded(mesh)
    table = edge_table(mesh.faces, len(mesh.vertices))
    ends = np.concatenate([table.ends, table.ends[:, ::-1]])
    count = len(mesh.vertices)
    links = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), (count, count)).tocsr()
    degrees = np.maximum(np.asarray(links.sum(axis=1)).reshape(-1, 1), 1.0)
    is_free = np.ones((count, 1))
    is_free[np.unique(table.ends[table.open_edges])] = 0.0
    vertices: FloatArray = mesh.vertices
    for _ in range(rounds):
        for factor in (0.5, _INFLATE):
            vertices = vertices + factor * is_free * (links @ vertices / degrees - vertices)
    return plain(vertices, mesh.faces)
