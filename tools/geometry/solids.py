"""Solids for exact booleans: made from triangles, taken apart into them, put in place."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from cadwright.tools.geometry.part import FloatArray, IntArray, Vector
from cadwright.tools.geometry.threads import keep_to_one
from cadwright.tools.geometry.vectors import cross

Manifold: TypeAlias = Any  # manifold3d.Manifold: the bindings carry no types that mypy can follow

_UNITS: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def manifold_of(vertices: FloatArray, faces: IntArray) -> Manifold:
    """Return the exact-boolean form of a closed, oriented surface; check its ``status()``."""
    import manifold3d

    keep_to_one()
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
    x, y, z = axis.tolist()
    sizes = (abs(x), abs(y), abs(z))
    helper = _UNITS[sizes.index(min(sizes))]
    first = np.array(cross(helper, (x, y, z)))
    first /= math.sqrt(first.dot(first))
    u, v, w = first.tolist()
    turn = np.zeros((3, 3))
    turn[:, 0], turn[:, 1], turn[:, 2] = first, cross((x, y, z), (u, v, w)), axis
    return turn
