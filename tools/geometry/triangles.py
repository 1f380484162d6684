"""Areas and normals of triangles given by their corners."""

from __future__ import annotations

import numpy as np

from cadwright.tools.geometry.part import FloatArray


def triangle_areas(corners: FloatArray) -> FloatArray:
    """Return the (m,) areas of (m, 3, 3) triangles, in the square of their unit."""
    areas: FloatArray = 0.5 * np.linalg.norm(_crosses(corners), axis=1)
    return areas


def triangle_normals(corners: FloatArray) -> FloatArray:
    """Return (m, 3) unit normals of (m, 3, 3) triangles; zero for one without area."""
    raw = _crosses(corners)
    length = np.linalg.norm(raw, axis=1, keepdims=True)
    normals: FloatArray = raw / np.where(length > 0.0, length, 1.0)
    return normals


def _crosses(corners: FloatArray) -> FloatArray:
    edges = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    crosses: FloatArray = np.cross(*edges)
    return crosses
