"""Rays against triangles: the first hit, by the search tree of embree.

Embree works in single precision, so coordinates are taken relative to the middle of the triangles:
a part far from the origin loses nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import FloatArray, IntArray
from cadwright.tools.geometry.threads import keep_to_one
from cadwright.tools.geometry.triangles import bounds_of

Hits = npt.NDArray[np.intp]

_BEYOND = 1e30  # embree's distance where nothing is hit is above this


class _Tree:
    """The search tree of some triangles around their own middle, built at first use.

    Args:
        points: (n, 3) mm, all of them corners.
        faces: (m, 3) which three make a triangle; None takes them as they come, three by three.
    """

    def __init__(self, points: FloatArray, faces: IntArray | None = None) -> None:
        low, high = bounds_of(points)
        self.middle: FloatArray = (low + high) / 2
        self._points = points
        self._faces = faces

    @cached_property
    def scene(self) -> Any:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        keep_to_one()
        scene = EmbreeScene()
        points = (self._points - self.middle).astype(np.float32)
        if self._faces is None:
            TriangleMesh(scene, points.reshape(-1, 3, 3))
        else:  # half the time: a part has twice as many triangles as vertices
            TriangleMesh(scene, points, self._faces.astype(np.int32))
        return scene


class Rays:
    """Triangles as rays see them.

    Args:
        tree: The triangles.
        shift: (3,) mm, how far they are moved.
    """

    def __init__(self, tree: _Tree, shift: FloatArray) -> None:
        self._tree = tree
        self._shift = shift
        self._middle = tree.middle + shift

    @classmethod
    def at(cls, triangles: FloatArray) -> Rays:
        """Return rays against (m, 3, 3) triangles, m > 0."""
        return cls(_Tree(triangles.reshape(-1, 3)), np.zeros(3))

    @classmethod
    def of(cls, vertices: FloatArray, faces: IntArray) -> Rays:
        """Return rays against the triangles of a mesh, m > 0.

        Args:
            vertices: (n, 3) mm; those without a triangle do not matter.
            faces: (m, 3) indices of them.
        """
        is_used = np.zeros(len(vertices), bool)
        is_used[faces] = True
        if is_used.all():
            return cls(_Tree(vertices, faces), np.zeros(3))
        return cls.at(vertices[faces])

    def shifted(self, offset: FloatArray) -> Rays:
        """Return the same triangles moved by (3,) mm; both use one search tree."""
        return Rays(self._tree, self._shift + offset)

    def cast(self, origins: FloatArray, directions: FloatArray) -> FloatArray:
        """Return (n,) distance to the first triangle along each ray; infinite where none is.

        Args:
            origins: (n, 3) mm.
            directions: (n, 3) unit vectors.
        """
        found = self._tree.scene.run(*self._singles(origins, directions), query="DISTANCE")
        distances = np.asarray(found, dtype=np.float64)
        distances[distances > _BEYOND] = np.inf
        return distances

    def hit(self, origins: FloatArray, directions: FloatArray) -> Hits:
        """Return (n,) index of the first triangle along each ray; -1 where there is none."""
        found = self._tree.scene.run(*self._singles(origins, directions))
        return np.asarray(found, dtype=np.intp)

    def first_hits(self, origins: FloatArray, directions: FloatArray) -> tuple[FloatArray, Hits]:
        """Return (n,) distance and triangle of the first hit along each ray.

        The distance is infinite where nothing is hit, and the triangle is then -1.
        """
        found = self._tree.scene.run(*self._singles(origins, directions), output=True)
        hits = np.asarray(found["primID"], dtype=np.intp)
        distances = np.asarray(found["tfar"], dtype=np.float64)
        distances[hits < 0] = np.inf
        return distances, hits

    def _singles(
        self, origins: FloatArray, directions: FloatArray
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        return (origins - self._middle).astype(np.float32), directions.astype(np.float32)
