"""Which triangles share which edges: closedness, bodies, smooth facets and feature edges.

Everything is a handful of sorts over arrays, so a million triangles take a second or two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import Edges, FloatArray, IntArray, Mesh
from cadwright.tools.geometry.triangles import triangle_normals

FEATURE_ANGLE_DEG = 25.0  # above the tessellation's own angle, below any meant corner

_LONG = np.int64
_SHORT = 1 << 16  # indices below it fit into 16 bits


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTable:
    """The undirected edges of a triangle mesh.

    Attributes:
        ends: (e, 2) int32 vertex indices, smaller first.
        of_triangle: (m, 3) int32, the edges ab, bc, ca of each triangle.
        uses: (e,) int32, how many triangles share the edge.
        balance: (e,) int32, uses in one direction minus uses in the other.
        directions: (m, 3) int8, 1 where a triangle runs along its edge from the smaller index.
    """

    ends: IntArray
    of_triangle: IntArray
    uses: IntArray
    balance: IntArray
    directions: npt.NDArray[np.int8]

    @property
    def open_edges(self) -> npt.NDArray[np.intp]:
        """Edges with an odd number of triangles: the rim of a hole."""
        return np.flatnonzero(self.uses % 2)

    @property
    def crowded_edges(self) -> npt.NDArray[np.intp]:
        """Edges shared by more than two triangles."""
        return np.flatnonzero(self.uses > 2)

    @property
    def is_closed(self) -> bool:
        """No open edge, and neighbours run around every edge in opposite directions."""
        return len(self.uses) > 0 and not self.balance.any()

    @property
    def is_consistently_wound(self) -> bool:
        """No two neighbours across a plain edge face opposite ways."""
        return not (np.abs(self.balance[self.uses == 2]) == 2).any()


def edge_table(faces: IntArray, num_vertices: int) -> EdgeTable:
    """Return the edges of (m, 3) triangles over ``num_vertices`` vertices."""
    tails = faces.astype(_LONG).reshape(-1)
    heads = faces[:, (1, 2, 0)].astype(_LONG).reshape(-1)
    keys, place, uses = _grouped(np.minimum(tails, heads), np.maximum(tails, heads), num_vertices)
    signs = np.where(tails < heads, 1.0, -1.0)
    balance = np.bincount(place, weights=signs, minlength=len(keys))
    return EdgeTable(
        ends=np.column_stack([keys // max(num_vertices, 1), keys % max(num_vertices, 1)]).astype(
            np.int32
        ),
        of_triangle=place.reshape(-1, 3).astype(np.int32),
        uses=uses.astype(np.int32),
        balance=balance.astype(np.int32),
        directions=signs.reshape(-1, 3).astype(np.int8),
    )


def _grouped(
    low: npt.NDArray[np.int64], high: npt.NDArray[np.int64], num_vertices: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the sorted keys ``low * num_vertices + high``, the key of each pair, their counts."""
    keys = low * num_vertices + high
    if num_vertices > _SHORT:
        return np.unique(keys, return_inverse=True, return_counts=True)
    # Stable sorts of 16-bit numbers take linear time: two of them are a third of one of the keys.
    order = np.argsort(high.astype(np.uint16), kind="stable")
    order = order[np.argsort(low[order].astype(np.uint16), kind="stable")]
    ordered = keys[order]
    is_first = np.ones(len(keys), bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_first)
    place = np.zeros(len(keys), np.intp)
    place[order] = np.cumsum(is_first) - 1
    return ordered[starts], place, np.diff(np.append(starts, len(keys)))


def neighbours(table: EdgeTable, edges: npt.NDArray[np.intp]) -> IntArray:
    """Return the (k, 2) int32 pairs of triangles on both sides of plain ``edges``."""
    flat = table.of_triangle.reshape(-1)
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], edges)
    pairs = np.column_stack([order[starts], order[starts + 1]]) // 3
    return pairs.astype(np.int32)


def neighbour_cosines(corners: FloatArray, pairs: IntArray) -> FloatArray:
    """Return the cosine of the angle between both normals of each pair.

    Args:
        corners: (m, 3, 3) corners of the triangles.
        pairs: (k, 2) indices of triangles.

    Returns:
        (k,) cosines; 1 where a triangle has no area, so that slivers count as smooth.
    """
    unit = triangle_normals(corners)
    cosine: FloatArray = np.einsum("ij,ij->i", unit[pairs[:, 0]], unit[pairs[:, 1]])
    has_area = np.abs(unit).sum(axis=1) > 0.0
    cosine[~has_area[pairs].all(axis=1)] = 1.0
    return cosine


def components(num_triangles: int, pairs: IntArray) -> tuple[int, IntArray]:
    """Return the number of groups that ``pairs`` connect, and the group of each triangle."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(pairs), np.int8)
    graph = coo_matrix((ones, (pairs[:, 0], pairs[:, 1])), (num_triangles, num_triangles))
    count, labels = connected_components(graph, directed=False)
    return int(count), labels.astype(np.int32)


def shells(table: EdgeTable) -> tuple[int, IntArray]:
    """Return the connected surfaces; bodies that touch along one edge stay apart.

    Where more than two triangles meet, surfaces part only if each is closed without the others.
    """
    pairs = neighbours(table, np.flatnonzero(table.uses == 2))
    count, labels = components(len(table.of_triangle), pairs)
    if count > 1 and len(table.crowded_edges):
        joints = _unbalanced_joints(table, labels, count)
        return components(len(table.of_triangle), np.concatenate([pairs, joints]))
    return count, labels


def _unbalanced_joints(table: EdgeTable, labels: IntArray, count: int) -> IntArray:
    """Return pairs of triangles at crowded edges where one surface alone would stay open."""
    flat = table.of_triangle.reshape(-1)
    halves = np.flatnonzero(table.uses[flat] > 2)
    halves = halves[np.argsort(flat[halves], kind="stable")]
    edges, triangles = flat[halves], halves // 3
    keys, place = np.unique(edges.astype(_LONG) * count + labels[triangles], return_inverse=True)
    alone = np.bincount(place, weights=table.directions.reshape(-1)[halves]) != 0
    torn = np.isin(edges, keys[alone] // count)
    same = (edges[1:] == edges[:-1]) & torn[1:]
    return np.column_stack([triangles[:-1][same], triangles[1:][same]]).astype(np.int32)


def smooth_facets(mesh: Mesh, table: EdgeTable) -> IntArray:
    """Return the (m,) int32 facet of each triangle: groups without a sharp edge inside."""
    plain = np.flatnonzero(table.uses == 2)
    pairs = neighbours(table, plain)
    cosines = neighbour_cosines(mesh.vertices[mesh.faces], pairs)
    smooth = cosines > np.cos(np.radians(FEATURE_ANGLE_DEG))
    return components(len(mesh.faces), pairs[smooth])[1]


def facet_edges(mesh: Mesh, table: EdgeTable) -> Edges:
    """Return the edges between facets and the rims of holes, one id for each pair of facets."""
    plain = np.flatnonzero(table.uses == 2)
    ids = mesh.face_ids[neighbours(table, plain)]  # (k, 2)
    between = ids[:, 0] != ids[:, 1]
    ids = np.sort(ids[between], axis=1).astype(_LONG)
    others = np.flatnonzero(table.uses != 2)
    keys = np.concatenate([ids[:, 0] * (2**31) + ids[:, 1], np.full(len(others), -1, _LONG)])
    ends = table.ends[np.concatenate([plain[between], others])]
    edge_ids = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int32)
    return Edges(mesh.vertices[ends], edge_ids)
