"""Exact distance from points to triangles, a triangle per point."""

from __future__ import annotations

import numpy as np

from cadwright.tools.geometry.part import FloatArray


def distance_to_triangles(points: FloatArray, triangles: FloatArray) -> FloatArray:
    """Return the distance of each point to its own triangle.

    Args:
        points: (n, 3).
        triangles: (n, 3, 3); a triangle without area counts as its edges.

    Returns:
        (n,) distances in the unit of the input.
    """
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    to_edges = np.minimum(
        np.minimum(_to_segments(points, a, b), _to_segments(points, b, c)),
        _to_segments(points, c, a),
    )
    return np.minimum(to_edges, _to_interiors(points - a, b - a, c - a))


def _to_interiors(offsets: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the distances to the planes, infinite where a point is not above its triangle.

    Args:
        offsets: (n, 3) points seen from a corner.
        first: (n, 3) one edge from that corner.
        second: (n, 3) the other edge.
    """
    ff, fs, ss = _dot(first, first), _dot(first, second), _dot(second, second)
    pf, ps = _dot(offsets, first), _dot(offsets, second)
    area = ff * ss - fs * fs
    along = np.divide(ss * pf - fs * ps, area, out=np.full(len(area), -1.0), where=area > 0)
    across = np.divide(ff * ps - fs * pf, area, out=np.full(len(area), -1.0), where=area > 0)
    gap = offsets - along[:, None] * first - across[:, None] * second
    is_above = (along >= 0) & (across >= 0) & (along + across <= 1)
    distances: FloatArray = np.where(is_above, np.sqrt(_dot(gap, gap)), np.inf)
    return distances


def _to_segments(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    along = end - start
    offsets = points - start
    length_sq = _dot(along, along)
    share = np.divide(
        _dot(offsets, along), length_sq, out=np.zeros(len(points)), where=length_sq > 0
    )
    gap = offsets - np.clip(share, 0.0, 1.0)[:, None] * along
    distances: FloatArray = np.sqrt(_dot(gap, gap))
    return distances


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    product: FloatArray = np.einsum("ij,ij->i", a, b)
    return product
