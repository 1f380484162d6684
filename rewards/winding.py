"""Which way triangles face: one direction for each connected surface.

Pure functions of index and coordinate arrays; nothing here knows about parts or files.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from cadwright.tools.geometry.part import IntArray
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


def _links(faces: IntArray, table: EdgeTable) -> dict[int, list[tuple[int, bool]]]:
    """Return for each face its neighbours and whether the two face opposite ways."""
    plain = np.flatnonzero(table.uses == 2)
    disagrees = table.balance[plain] != 0
    links: dict[int, list[tuple[int, bool]]] = {}
    for (one, two), apart in zip(neighbours(table, plain).tolist(), disagrees, strict=True):
        links.setdefault(one, []).append((two, bool(apart)))
        links.setdefault(two, []).append((one, bool(apart)))
    return links
