"""Meshes with known measures, made without a CAD kernel."""

from __future__ import annotations

import manifold3d
import numpy as np

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering.topology import Floats

Manifold = manifold3d.Manifold


def mesh_of(solid: manifold3d.Manifold) -> Mesh:
    """Return a manifold as a mesh whose face ids are its flat facets."""
    raw = solid.to_mesh64()
    ids = np.unique(np.asarray(raw.face_id), return_inverse=True)[1]
    vertices = np.asarray(raw.vert_properties)[:, :3].copy()
    return Mesh(vertices, np.asarray(raw.tri_verts, dtype=np.int32), ids.astype(np.int32))


def box(x: float = 40.0, y: float = 30.0, z: float = 20.0) -> Mesh:
    """Return a box around the origin."""
    return mesh_of(Manifold.cube((x, y, z), True))


def cylinder(radius: float = 10.0, height: float = 40.0, sides: int = 64) -> Mesh:
    """Return a cylinder along Z whose wall is one face, as from a CAD kernel."""
    mesh = mesh_of(Manifold.cylinder(height, radius, radius, sides, True))
    corners = mesh.vertices[mesh.faces]
    is_wall = np.ptp(corners[..., 2], axis=1) > 0.0
    ids = np.where(is_wall, 0, np.where(corners[:, 0, 2] > 0.0, 1, 2))
    return Mesh(mesh.vertices, mesh.faces, ids.astype(np.int32))


def sphere(radius: float = 10.0, sides: int = 48) -> Mesh:
    """Return a sphere that is one face."""
    mesh = mesh_of(Manifold.sphere(radius, sides))
    return Mesh(mesh.vertices, mesh.faces, np.zeros(len(mesh.faces), dtype=np.int32))


def plate() -> Mesh:
    """Return an 80 x 60 x 10 plate with a bore and four counterbored holes."""
    solid = Manifold.cube((80.0, 60.0, 10.0), True) - Manifold.cylinder(30, 12, 12, 72, True)
    for x in (-30.0, 30.0):
        for y in (-20.0, 20.0):
            solid -= Manifold.cylinder(30.0, 3.0, 3.0, 48, True).translate((x, y, 0.0))
            solid -= Manifold.cylinder(8.0, 6.0, 6.0, 48).translate((x, y, 2.0))
    return mesh_of(solid)


def tray(wall: float = 1.0) -> Mesh:
    """Return a 60 x 40 x 12 box with a pocket from below that leaves a thin top."""
    solid = Manifold.cube((60.0, 40.0, 12.0), True)
    return mesh_of(solid - Manifold.cube((30.0, 20.0, 24.0), True).translate((0, 0, -6 - wall)))


def joined(*meshes: Mesh) -> Mesh:
    """Return several meshes as one, with face ids counted on."""
    vertices, faces, ids, first, face = [], [], [], 0, 0
    for mesh in meshes:
        vertices.append(mesh.vertices)
        faces.append(mesh.faces + first)
        ids.append(mesh.face_ids + face)
        first += len(mesh.vertices)
        face += int(mesh.face_ids.max()) + 1
    return Mesh(
        np.concatenate(vertices),
        np.concatenate(faces).astype(np.int32),
        np.concatenate(ids).astype(np.int32),
    )


def moved(mesh: Mesh, shift: Floats | tuple[float, float, float], scale: float = 1.0) -> Mesh:
    """Return ``mesh`` scaled about the origin, then shifted."""
    return Mesh(mesh.vertices * scale + np.asarray(shift), mesh.faces, mesh.face_ids)


def inside_out(mesh: Mesh) -> Mesh:
    """Return ``mesh`` with every triangle wound the other way."""
    return Mesh(mesh.vertices, np.ascontiguousarray(mesh.faces[:, ::-1]), mesh.face_ids)


def opened(mesh: Mesh, face_id: int) -> Mesh:
    """Return ``mesh`` without one of its faces."""
    keep = mesh.face_ids != face_id
    return Mesh(mesh.vertices, mesh.faces[keep], mesh.face_ids[keep])
