"""Several meshes into one and one into several: booleans, merging, splitting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh
from cadwright.tools.geometry.solids import Manifold
from cadwright.tools.geometry.surface import edge_table, shells
from cadwright.tools.geometry.winding import winding_numbers
from cadwright.tools.meshing.solid import mesh_of, solid_of
from cadwright.tools.meshing.triangles import corners, plain, signed_volumes, welded

KINDS = ("union", "difference", "intersection")
MAX_BODIES = 200  # as many names are more than anybody can use
_PROBES = 3


def combined(kind: str, meshes: Mapping[str, Mesh]) -> Mesh:
    """Return the boolean of meshes, the first one against all others.

    Args:
        kind: One of ``KINDS``.
        meshes: By name; at least two for a difference or an intersection.

    Raises:
        GeometryError: One is no solid, or nothing is left.
    """
    solids = [solid_of(mesh, name) for name, mesh in meshes.items()]
    found = _batch(kind, solids)
    if found.is_empty():
        told = " and ".join(meshes)
        raise GeometryError(f"the {kind} of {told} is empty", Outcome.EMPTY_GEOMETRY)
    return mesh_of(found)


def self_united(mesh: Mesh) -> Mesh:
    """Return the union of the bodies of one mesh: what overlaps is joined, what is inside goes.

    Raises:
        GeometryError: It is no solid.
    """
    solids = [solid_of(body, "a body of the mesh") for body in split(mesh)]
    return mesh_of(_batch("union", solids))


def _batch(kind: str, solids: Sequence[Manifold]) -> Manifold:
    import manifold3d

    kinds = {
        "union": manifold3d.OpType.Add,
        "difference": manifold3d.OpType.Subtract,
        "intersection": manifold3d.OpType.Intersect,
    }
    return manifold3d.Manifold.batch_boolean(solids, kinds[kind])


def split(mesh: Mesh) -> list[Mesh]:
    """Return the bodies of a mesh, the largest first; a cavity stays with the body around it.

    Raises:
        GeometryError: There are more than ``MAX_BODIES``.
    """
    mesh = welded(mesh)
    count, labels = shells(edge_table(mesh.faces, len(mesh.vertices)))
    if count > MAX_BODIES:
        raise GeometryError(f"{count} bodies: at most {MAX_BODIES} can be named: use clean first")
    owner = _owners(mesh, labels, count)
    bodies = [plain(mesh.vertices, mesh.faces[owner[labels] == k]) for k in np.unique(owner)]
    return sorted(bodies, key=_rank)


def _rank(body: Mesh) -> tuple[float, ...]:
    low = body.vertices.min(axis=0)
    return (-round(abs(float(signed_volumes(body)[0])), 6), *np.round(low, 6).tolist())


def _owners(mesh: Mesh, labels: IntArray, count: int) -> IntArray:
    """Return (count,) for each shell the one it belongs to: itself, or the body it hollows out."""
    volumes = signed_volumes(mesh, labels, count)
    owner = np.arange(count, dtype=np.int32)
    outsides = np.flatnonzero(volumes > 0.0)
    for shell in np.flatnonzero(volumes < 0.0):
        around = [k for k in outsides if _is_inside(mesh, labels, int(shell), int(k))]
        if around:
            owner[shell] = min(around, key=lambda k: volumes[k])
    return owner


def _is_inside(mesh: Mesh, labels: IntArray, shell: int, outside: int) -> bool:
    own, other = (corners(mesh)[labels == k] for k in (shell, outside))
    low, high = other.min(axis=(0, 1)), other.max(axis=(0, 1))
    if (own.min(axis=(0, 1)) < low).any() or (own.max(axis=(0, 1)) > high).any():
        return False
    middles: FloatArray = own[:: max(len(own) // _PROBES, 1)].mean(axis=1)
    return bool(np.median(np.abs(winding_numbers(middles, other))) > 0.5)
