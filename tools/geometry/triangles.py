"""Areas, normals and bounds of triangles given by their corners.

Arrays are worked on coordinate by coordinate: numpy takes 25 times as long to go over many short
rows as over three long ones.
"""

from __future__ import annotations

import numpy as np

from cadwright.tools.geometry.part import FloatArray


def bounds_of(points: FloatArray) -> FloatArray:
    """Return the (2, 3) lowest and highest coordinates of (n, 3) points, n > 0."""
    columns = np.ascontiguousarray(points.T)
    return np.stack([columns.min(axis=1), columns.max(axis=1)])


def triangle_areas(corners: FloatArray) -> FloatArray:
    """Return the (m,) areas of (m, 3, 3) triangles, in the square of their unit."""
    areas: FloatArray = 0.5 * _lengths(_crosses(corners))
    return areas


def triangle_normals(corners: FloatArray) -> FloatArray:
    """Return (m, 3) unit normals of (m, 3, 3) triangles; zero for one without area."""
    raw = _crosses(corners)
    lengths = _lengths(raw)
    return np.ascontiguousarray((raw / np.where(lengths > 0.0, lengths, 1.0)).T)


def _crosses(corners: FloatArray) -> FloatArray:
    """Return the (3, m) cross products of two edges of each triangle."""
    a, b, c = np.ascontiguousarray(corners.transpose(1, 2, 0))  # (3 corners, 3, m)
    (x, y, z), (u, v, w) = b - a, c - a
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u])


def _lengths(vectors: FloatArray) -> FloatArray:
    """Return the (m,) lengths of (3, m) vectors."""
    x, y, z = vectors
    lengths: FloatArray = np.sqrt(x * x + y * y + z * z)
    return lengths
