"""From a mesh to a solid for exact booleans and back, with a reason where there is no solid."""

from __future__ import annotations

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.solids import Manifold, arrays_of, manifold_of
from cadwright.tools.geometry.surface import edge_table
from cadwright.tools.meshing.triangles import plain, welded


def solid_of(mesh: Mesh, name: str = "the mesh") -> Manifold:
    """Return the solid that a closed mesh encloses.

    Raises:
        GeometryError: It is open, tangled or inside out; the message names the tool that helps.
    """
    mesh = welded(mesh)
    table = edge_table(mesh.faces, len(mesh.vertices))
    if len(table.open_edges):
        raise GeometryError(
            f"{name} is not closed ({len(table.open_edges)} open edges): use fill_holes first",
            Outcome.NOT_A_SOLID,
        )
    if not table.is_closed:
        raise GeometryError(f"{name} has triangles that face both ways: use fix_winding first")
    solid = manifold_of(mesh.vertices, mesh.faces)
    if solid.status().name != "NoError":
        raise GeometryError(f"{name} is no solid ({solid.status().name}): use clean first")
    if solid.volume() < 0.0:
        raise GeometryError(f"{name} is inside out: use fix_winding first")
    return solid


def mesh_of(solid: Manifold) -> Mesh:
    """Return the triangles of a solid.

    Raises:
        GeometryError: It is empty.
    """
    vertices, faces = arrays_of(solid)
    return plain(vertices, faces)


def is_closed(mesh: Mesh) -> bool:
    """Return whether every edge joins two triangles that run along it in opposite directions."""
    mesh = welded(mesh)
    return edge_table(mesh.faces, len(mesh.vertices)).is_closed


def is_solid(mesh: Mesh) -> bool:
    """Return whether ``solid_of`` gives a solid."""
    if not is_closed(mesh):
        return False
    mesh = welded(mesh)
    solid = manifold_of(mesh.vertices, mesh.faces)
    return solid.status().name == "NoError" and bool(solid.volume() > 0.0)


def settle_threads() -> None:
    """Start the solid kernel without threads of its own, so that this process may still fork.

    Its scheduler makes as many threads as the process may use processors at the first boolean; a
    child forked later has none of them and would wait for them for ever.
    """
    import os

    import manifold3d

    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        box = manifold3d.Manifold.cube((1.0, 1.0, 1.0))
        manifold3d.Manifold.sphere(1.0, 64) - box
    finally:
        os.sched_setaffinity(0, allowed)
