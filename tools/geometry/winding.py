"""How often a closed surface goes around a point: what tells inside from outside."""

from __future__ import annotations

import numpy as np

from cadwright.tools.geometry.part import FloatArray

_CHUNK = 2_000_000  # points times triangles held in memory at once


def winding_numbers(points: FloatArray, triangles: FloatArray) -> FloatArray:
    """Return how often a surface encloses points: 1 inside, 0 outside, -1 inside out.

    Args:
        points: (n, 3).
        triangles: (m, 3, 3), m > 0.

    Returns:
        (n,) sums of the solid angles divided by 4 pi; fractions for a surface that is open.
    """
    step = max(1, _CHUNK // len(triangles))
    turns = [_turns(points[i : i + step], triangles) for i in range(0, len(points), step)]
    return np.concatenate(turns) if turns else np.zeros(0)


def _turns(points: FloatArray, triangles: FloatArray) -> FloatArray:
    a, b, c = (triangles[None, :, k] - points[:, None] for k in range(3))  # (n, m, 3)
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    above = np.einsum("nij,nij->ni", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("nij,nij->ni", p, q) for p, q in ((a, b), (b, c), (c, a)))
    below = la * lb * lc + ab * lc + bc * la + ca * lb
    turns: FloatArray = np.arctan2(above, below).sum(axis=1) / (2.0 * np.pi)
    return turns
