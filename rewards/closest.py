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
    normals = np.cross(b - a, c - a)
    length = np.sqrt(_dot(normals, normals))
    with np.errstate(divide="ignore", invalid="ignore"):
        height = np.abs(_dot(points - a, normals)) / length
    over_face = (length > 0) & _projects_inside(points, a, b, c, normals)
    result: FloatArray = np.where(over_face, height, to_edges)
    return result


def _projects_inside(
    points: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray, normals: FloatArray
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    inside = np.ones(len(points), dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= _dot(np.cross(end - start, points - start), normals) >= 0
    return inside


def _to_segments(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    along = end - start
    length_sq = _dot(along, along)
    share = np.divide(
        _dot(points - start, along), length_sq, out=np.zeros(len(points)), where=length_sq > 0
    )
    gap = points - start - np.clip(share, 0.0, 1.0)[:, None] * along
    return np.sqrt(_dot(gap, gap))


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    product: FloatArray = np.einsum("ij,ij->i", a, b)
    return product
