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
    # coordinates first: numpy adds long rows five times faster than many short ones
    corners = np.ascontiguousarray(triangles.transpose(1, 2, 0))  # (3 corners, 3, n)
    a, b, c = corners
    offset = np.ascontiguousarray(points.T) - a
    first, second = b - a, c - a
    squares = np.minimum(_to_segments(offset, first), _to_segments(offset, second))
    np.minimum(squares, _to_segments(offset - first, second - first), out=squares)
    np.minimum(squares, _to_interiors(offset, first, second), out=squares)
    distances: FloatArray = np.sqrt(squares)
    return distances


def _to_interiors(offset: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the squares to the planes, infinite where a point is not above its triangle.

    Args:
        offset: (3, n) points seen from a corner.
        first: (3, n) one edge from that corner.
        second: (3, n) the other edge.
    """
    ff, fs, ss = _dot(first, first), _dot(first, second), _dot(second, second)
    pf, ps = _dot(offset, first), _dot(offset, second)
    area = ff * ss - fs * fs
    has_area = area > 0.0
    scale = np.where(has_area, area, 1.0)
    along, across = (ss * pf - fs * ps) / scale, (ff * ps - fs * pf) / scale
    gap = offset - along * first - across * second
    is_above = has_area & (along >= 0.0) & (across >= 0.0) & (along + across <= 1.0)
    squares: FloatArray = np.where(is_above, _dot(gap, gap), np.inf)
    return squares


def _to_segments(offset: FloatArray, along: FloatArray) -> FloatArray:
    """Return the squares to segments that start where the (3, n) offsets are seen from."""
    length_sq = _dot(along, along)
    share = _dot(offset, along) / np.where(length_sq > 0.0, length_sq, 1.0)
    gap = offset - np.clip(share, 0.0, 1.0) * along
    return _dot(gap, gap)


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    product: FloatArray = a[0] * b[0]
    product += a[1] * b[1]
    product += a[2] * b[2]
    return product
