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
    corners = np.ascontiguousarray(triangles.transpose(2, 1, 0))  # (3, 3 corners, n)
    # the edges ab, ac and bc, and the points seen from where each of them starts
    starts, ends = corners[:, (0, 0, 1)], corners[:, (1, 2, 2)]
    edges, offsets = ends - starts, points.T[:, None] - starts
    squares, dots = _dot(edges, edges), _dot(offsets, edges)  # (3 edges, n)
    shares = dots / np.where(squares > 0.0, squares, 1.0)
    gaps = offsets - np.minimum(np.maximum(shares, 0.0), 1.0) * edges
    nearest = _dot(gaps, gaps).min(axis=0)
    np.minimum(nearest, _to_interiors(edges, offsets[:, 0], squares, dots), out=nearest)
    distances: FloatArray = np.sqrt(nearest)
    return distances


def _to_interiors(
    edges: FloatArray, offsets: FloatArray, squares: FloatArray, dots: FloatArray
) -> FloatArray:
    """Return the squares to the planes, infinite where a point is not above its triangle.

    Args:
        edges: (3, 3 edges, n); the first two start at one corner.
        offsets: (3, n) points seen from there.
        squares: (3 edges, n) of the lengths of the edges.
        dots: (3 edges, n) of offsets and edges.
    """
    first, second = edges[:, 0], edges[:, 1]
    ff, ss, fs = squares[0], squares[1], _dot(first, second)
    pf, ps = dots[0], dots[1]
    area = ff * ss - fs * fs
    has_area = area > 0.0
    scale = np.where(has_area, area, 1.0)
    along, across = (ss * pf - fs * ps) / scale, (ff * ps - fs * pf) / scale
    gap = offsets - along * first - across * second
    is_above = has_area & (along >= 0.0) & (across >= 0.0) & (along + across <= 1.0)
    found: FloatArray = np.where(is_above, _dot(gap, gap), np.inf)
    return found


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    product: FloatArray = a[0] * b[0]
    product += a[1] * b[1]
    product += a[2] * b[2]
    return product
