"""Which way triangles face: consistent orientation, inside and outside.

Pure functions of index and coordinate arrays; nothing here knows about parts or files.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from cadwright.tools.geometry.part import FloatArray, IntArray
from cadwright.tools.geometry.surface import EdgeTable, neighbours


def rewind(faces: IntArray, table: EdgeTable) -> IntArray:
    """Return the faces with one direction per connected surface, that of its first face.

    Edges shared by more than two triangles do not carry the direction on.

    Args:
        faces: (m, 3).
        table: Their edges.
    """
    links = _links(faces, table)
    is_turned: dict[int, bool] = {}
    for start in range(len(faces)):
        if start in is_turned:
            continue
        is_turned[start] = False
        queue = deque([start])
        while queue:
            face = queue.popleft()
            for other, disagrees in links.get(face, ()):
                if other not in is_turned:
                    is_turned[other] = is_turned[face] != disagrees
                    queue.append(other)
    turn = np.array([is_turned[i] for i in range(len(faces))], dtype=bool)
    result: IntArray = np.where(turn[:, None], faces[:, ::-1], faces)
    return result


def winding_number(point: FloatArray, triangles: FloatArray) -> float:
    """Return how often a surface encloses a point: 1 inside, 0 outside, -1 inside out.

    Args:
        point: (3,).
        triangles: (m, 3, 3).

    Returns:
        Sum of the solid angles divided by 4 pi; a fraction for a surface that is open.
    """
    a, b, c = (triangles[:, i] - point for i in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    numerator = np.einsum("ij,ij->i", a, np.cross(b, c))
    denominator = (
        la * lb * lc
        + np.einsum("ij,ij->i", a, b) * lc
        + np.einsum("ij,ij->i", b, c) * la
        + np.einsum("ij,ij->i", c, a) * lb
    )
    return float(np.arctan2(numerator, denominator).sum() / (2 * np.pi))


def _links(faces: IntArray, table: EdgeTable) -> dict[int, list[tuple[int, bool]]]:
    """Return for each face its neighbours and whether the two face opposite ways."""
    plain = np.flatnonzero(table.uses == 2)
    disagrees = table.balance[plain] != 0
    links: dict[int, list[tuple[int, bool]]] = {}
    for (one, two), apart in zip(neighbours(table, plain).tolist(), disagrees, strict=True):
        links.setdefault(one, []).append((two, bool(apart)))
        links.setdefault(two, []).append((one, bool(apart)))
    return links
