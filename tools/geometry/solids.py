"""Solids for exact booleans: made from triangles, taken apart into them, put in place."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from cadwright.tools.geometry.part import FloatArray, IntArray

Manifold: TypeAlias = Any  # manifold3d.Manifold: the bindings carry no types that mypy can follow


def manifold_of(vertices: FloatArray, faces: IntArray) -> Manifold:
    """Return the exact-boolean form of a closed, oriented surface; check its ``status()``."""
    import manifold3d

    return manifold3d.Manifold(
        manifold3d.Mesh64(
            vert_properties=np.ascontiguousarray(vertices, dtype=np.float64),
            tri_verts=np.ascontiguousarray(faces, dtype=np.uint64),
        )
    )


def arrays_of(solid: Manifold) -> tuple[FloatArray, IntArray]:
    """Return (n, 3) vertices and (m, 3) faces of an exact-boolean solid."""
    mesh = solid.to_mesh64()
    vertices: FloatArray = np.asarray(mesh.vert_properties)[:, :3].astype(np.float64)
    faces: IntArray = np.asarray(mesh.tri_verts).astype(np.int32)
    return vertices, faces


def frame_along(axis: FloatArray) -> FloatArray:
    """Return (3, 3) a rotation whose third column is a unit axis."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(helper, axis)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])
