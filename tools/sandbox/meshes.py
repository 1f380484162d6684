"""Triangle meshes in model code: given as trimesh objects, taken back as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.wire import decode_mesh
from cadwright.tools.sandbox import results
from cadwright.tools.sandbox.protocol import Header
from cadwright.tools.sandbox.results import NoPart

MAX_TRIANGLES = 1_000_000  # of a result: past this nobody can measure or draw it in time
CURRENT = "mesh"  # what a program calls the mesh it works on
_HINT = "bind the finished mesh: result = trimesh.creation.box((10, 10, 10))"


def bind(namespace: dict[str, Any], given: Mapping[str, Header], blobs: Sequence[bytes]) -> None:
    """Put meshes into a namespace: all of them as ``meshes``, the first one as ``mesh``.

    ``trimesh``, ``manifold3d`` and ``np`` are there as well. The solid kernel is started without
    threads of its own: a step that leaves threads behind does not count.
    """
    from cadwright.tools.meshing.solid import settle_threads

    settle_threads()
    import manifold3d
    import trimesh

    meshes = {name: _trimesh_of(decode_mesh(one, blobs)) for name, one in given.items()}
    namespace |= {"trimesh": trimesh, "manifold3d": manifold3d, "np": np, "meshes": meshes}
    namespace[CURRENT] = next(iter(meshes.values()), None)


def bind_one(namespace: dict[str, Any], name: str, given: Header, blobs: Sequence[bytes]) -> None:
    """Put one mesh into a namespace, as a trimesh object to look at."""
    namespace[name] = _trimesh_of(decode_mesh(given, blobs))


def found_in(namespace: Mapping[str, Any], names: Sequence[str]) -> tuple[str, Mesh]:
    """Return the name and the triangles of what a step made: ``result``, or else ``mesh``.

    Args:
        namespace: All names after the step.
        names: The names that the step bound.

    Raises:
        NoPart: It is neither a mesh nor a shape, or it is empty or too large.
    """
    name = "result" if "result" in names else CURRENT
    value = namespace.get(name)
    if value is None:
        raise NoPart("no_result", "there is no mesh yet and `result` is not bound", _HINT)
    mesh = _checked(*_arrays_of(value, name))
    if not len(mesh.faces):
        raise NoPart("empty_geometry", f"`{name}` has no triangles", _HINT)
    if len(mesh.faces) > MAX_TRIANGLES:
        message = f"`{name}` has {len(mesh.faces)} triangles: at most {MAX_TRIANGLES} are allowed"
        raise NoPart("resource_limit", message, "simplify it before binding it")
    return name, mesh


def _arrays_of(value: Any, name: str) -> tuple[Any, Any]:
    """Return vertices and faces of a trimesh mesh or scene, a manifold, or a CadQuery shape."""
    import manifold3d
    import trimesh

    if isinstance(value, trimesh.Scene):
        value = value.to_mesh()
    if isinstance(value, trimesh.Trimesh):
        return value.vertices, value.faces
    if isinstance(value, manifold3d.Manifold):
        arrays = value.to_mesh64()
        return np.asarray(arrays.vert_properties)[:, :3], arrays.tri_verts
    try:
        brep = results.brep_bytes(results.shape_of(value, name))
    except NoPart as err:
        raise NoPart(err.outcome, f"{err}; a Trimesh or Manifold is wanted", _HINT) from err
    header, blobs = results.mesh_of(brep)
    mesh = decode_mesh(header, [brep, *blobs])
    return mesh.vertices, mesh.faces


def _checked(vertices: Any, faces: Any) -> Mesh:
    points = np.array(vertices, np.float64).reshape(-1, 3)
    corners = np.array(faces, np.int64).reshape(-1, 3)
    if not np.isfinite(points).all():
        raise ValueError("a vertex of the mesh is NaN or infinite")
    if len(corners) and (corners.min() < 0 or corners.max() >= len(points)):
        raise ValueError("a triangle of the mesh names a vertex that it does not have")
    return Mesh(points, corners.astype(np.int32), np.zeros(len(corners), np.int32))


def _trimesh_of(mesh: Mesh) -> Any:
    import trimesh

    return trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
