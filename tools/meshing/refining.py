"""Cut long edges in two until none is left; surfaces keep their shape and stay as closed."""

from __future__ import annotations

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh
from cadwright.tools.geometry.surface import edge_table
from cadwright.tools.meshing.triangles import check_count, plain

_MOST_ROUNDS = 24  # each halves the longest edges
_MOST_PIECES = 300_000  # for a search; a coarser cut costs accuracy, not time

# For each set of long edges (bit k: the edge from corner k to the next): triangles over the
# corners 0..2 and the middles 3..5 of the edges.
_PATTERNS: tuple[tuple[tuple[int, int, int], ...], ...] = (
    ((0, 1, 2),),
    ((0, 3, 2), (3, 1, 2)),
    ((0, 1, 4), (0, 4, 2)),
    ((3, 1, 4), (0, 3, 4), (0, 4, 2)),
    ((0, 1, 5), (5, 1, 2)),
    ((0, 3, 5), (3, 1, 5), (5, 1, 2)),
    ((5, 4, 2), (0, 1, 4), (0, 4, 5)),
    ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
)


def refined(mesh: Mesh, edge_mm: float) -> Mesh:
    """Return the mesh with every edge at most ``edge_mm`` long.

    Raises:
        GeometryError: That would take too many triangles.
    """
    if edge_mm <= 0.0:
        raise GeometryError(f"edge length {edge_mm:g}: use one above 0", Outcome.BAD_CALL)
    vertices, faces = mesh.vertices, mesh.faces
    for _ in range(_MOST_ROUNDS):
        vertices, faces, num_cut = _halved(vertices, faces, edge_mm)
        check_count(len(faces))
        if not num_cut:
            break
    return plain(vertices, faces)


def _halved(
    vertices: FloatArray, faces: IntArray, edge_mm: float
) -> tuple[FloatArray, IntArray, int]:
    """Return the mesh with each long edge halved once, and how many there were."""
    table = edge_table(faces, len(vertices))
    ends = vertices[table.ends]
    is_long = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) > edge_mm
    num_cut = int(is_long.sum())
    if not num_cut:
        return vertices, faces, 0
    middle = np.full(len(is_long), -1, np.int64)
    middle[is_long] = len(vertices) + np.arange(num_cut)
    long_edges = is_long[table.of_triangle]
    corners = np.column_stack([faces, middle[table.of_triangle]])  # (m, 6)
    pattern = long_edges @ (1, 2, 4)
    pieces = [
        corners[pattern == k][:, list(triangle)]
        for k, triangles in enumerate(_PATTERNS)
        for triangle in triangles
    ]
    more = ends[is_long].mean(axis=1)
    return np.vstack([vertices, more]), np.concatenate(pieces).astype(np.int32), num_cut


def refined_corners(corners: FloatArray, edge_mm: float) -> FloatArray:
    """Return triangles (k, 3, 3) cut into pieces with edges of about ``edge_mm`` at most."""
    for _ in range(_MOST_ROUNDS):
        sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
        is_long = sides.max(axis=1) > edge_mm
        if not is_long.any() or len(corners) + is_long.sum() > _MOST_PIECES:
            break
        whole, rest = corners[is_long], corners[~is_long]
        start = np.argmax(sides[is_long], axis=1)
        a, b, c = (whole[np.arange(len(whole)), (start + k) % 3] for k in range(3))
        middle = 0.5 * (a + b)
        halves = [np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)]
        corners = np.concatenate([rest, *halves])
    return corners
