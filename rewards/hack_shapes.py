"""The plain bodies that hacks are put together from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.solids import Manifold, manifold_of

_CUBE = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float) - 0.5
_QUADS = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
_CUBE_FACES = np.array([t for a, b, c, d in _QUADS for t in ((a, b, c), (a, c, d))])


def box_mesh(size: FloatArray, at: FloatArray) -> Mesh:
    """Return a box of a size, (3,) mm, around a middle, (3,) mm."""
    return plain_mesh(_CUBE * size + at, _CUBE_FACES)


def cubes(points: FloatArray, size_mm: float) -> Mesh:
    """Return equal cubes around points, (n, 3) mm, each a body of its own."""
    return together(*(box_mesh(np.full(3, size_mm), point) for point in points))


def together(*meshes: Mesh) -> Mesh:
    """Return several meshes as one, without joining anything."""
    offsets: Iterator[int] = iter(np.cumsum([0, *(len(m.vertices) for m in meshes)]))
    faces = [m.faces + offset for m, offset in zip(meshes, offsets, strict=False)]
    return plain_mesh(np.concatenate([m.vertices for m in meshes]), np.concatenate(faces))


def solid_from(mesh: Mesh) -> Manifold:
    """Return a closed mesh for booleans."""
    return manifold_of(mesh.vertices, mesh.faces)


def plain_mesh(vertices: FloatArray, faces: npt.NDArray[Any]) -> Mesh:
    """Return triangles of one face, from (n, 3) vertices in mm and (m, 3) indices."""
    count = len(faces)
    return Mesh(np.asarray(vertices, float), np.asarray(faces, np.int32), np.zeros(count, np.int32))
