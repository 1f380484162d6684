"""What a triangle mesh hides: which triangles are neighbours, creases, contours, smooth normals.

Pure numpy and fast enough for 100,000 triangles; nothing here repairs a mesh.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import IntArray

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

CREASE_DEG = 35.0  # a 0.5 rad tessellation turns 29 degrees per facet and must stay smooth
EDGE_ON = 1e-6  # |cosine| below which a triangle is seen edge-on; exact zeros carry noise
COPLANAR = 1.0 - 1e-6  # cosine above which two triangles lie in one plane


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTable:
    """The edges of a welded mesh.

    Attributes:
        ends: (e, 2) int64 welded vertices.
        left: (e,) int64 triangle.
        right: (e,) int64 other triangle, -1 at an open edge.
        is_crease: (e,) bool, drawn as a line where the part brings no edges of its own.
        is_sound: Every edge joins exactly two triangles that are wound alike.
    """

    ends: Ints
    left: Ints
    right: Ints
    is_crease: Flags
    is_sound: bool


@dataclass(frozen=True, slots=True, eq=False)
class SmoothMesh:
    """Indexed triangles with one normal per vertex, ready for a shader.

    Attributes:
        source: (k,) int64 vertex of the original mesh.
        normals: (k, 3) float64 unit.
        faces: (m, 3) int64 indices into ``source``.
    """

    source: Ints
    normals: Floats
    faces: Ints


def cross_products(vertices: Floats, faces: Ints) -> Floats:
    """Return (m, 3) normals whose length is twice the area of each triangle."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    (ux, uy, uz), (vx, vy, vz) = (b - a).T, (c - a).T  # np.cross takes four times as long
    return np.stack([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], axis=1)


def normalise(vectors: Floats) -> Floats:
    """Return unit vectors; a vector of no length becomes +Z."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    up = np.array([0.0, 0.0, 1.0])
    return np.where(lengths > 0.0, vectors / np.where(lengths > 0.0, lengths, 1.0), up)


def weld(vertices: Floats) -> Ints:
    """Return for each vertex the first vertex at exactly the same place, (n,) int64."""
    bits = np.ascontiguousarray(vertices + 0.0).view(np.uint64)  # + 0.0 turns -0.0 into 0.0
    primes = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
    mixed = (bits ^ (bits >> np.uint64(29))) * primes
    keys = mixed[:, 0] ^ (mixed[:, 1] << np.uint64(1)) ^ (mixed[:, 2] >> np.uint64(1))
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return first[inverse].astype(np.int64)


def edge_table(faces: Ints, normals: Floats) -> EdgeTable:
    """Pair the half-edges of welded ``faces`` (m, 3) with unit ``normals`` (m, 3)."""
    tails, heads = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    keys = (low << 32) | high
    order = np.argsort(keys, kind="stable")
    keys, low, high = keys[order], low[order], high[order]
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = keys[1:] != keys[:-1]
    start = np.flatnonzero(is_first)
    count = np.diff(np.append(start, len(order)))
    left = order[start] // 3
    second = order[np.minimum(start + 1, len(order) - 1)]
    right = np.where(count > 1, second // 3, -1)
    is_same_way = (tails < heads)[order[start]] == (tails < heads)[second]
    cosine = np.einsum("ij,ij->i", normals[left], normals[right])
    cosine = np.where(is_same_way, -cosine, cosine)  # neighbours wound against each other
    is_crease = (count != 2) | (cosine < np.cos(np.radians(CREASE_DEG)))
    is_sound = bool((count == 2).all()) and not is_same_way.any()
    return EdgeTable(np.stack([low[start], high[start]], axis=1), left, right, is_crease, is_sound)


def body_volumes(table: EdgeTable, corners: Floats) -> Floats:
    """Return the signed volume of each connected body, for a sound ``table``.

    Args:
        table: Edges of the mesh.
        corners: (m, 3, 3) corners of its triangles, near the origin.
    """
    bodies = _components(len(corners), table.left, table.right)
    volumes = np.linalg.det(corners) / 6.0
    total: Floats = np.bincount(bodies, weights=volumes).astype(np.float64)
    return total[np.unique(bodies)]


def contour(table: EdgeTable, normals: Floats, toward: Floats) -> Ints:
    """Return the smooth edges that separate what faces the camera from what turns away, (k,)."""
    facing = normals @ toward > EDGE_ON
    is_contour = (facing[table.left] != facing[table.right]) & ~table.is_crease
    return np.flatnonzero(is_contour)


def hollows(table: EdgeTable, chosen: Ints, normals: Floats, middles: Floats) -> Flags:
    """Return which of the ``chosen`` edges bend inwards, as in the wall of a hole, (k,) bool.

    Args:
        table: All edges.
        chosen: (k,) edges with two triangles.
        normals: (m, 3) unit normals of the triangles.
        middles: (m, 3) middles of the triangles.
    """
    left, right = table.left[chosen], table.right[chosen]
    rise = np.einsum("ij,ij->i", normals[left], middles[right] - middles[left])
    return np.asarray(rise > 0.0)


def patches(table: EdgeTable, normals: Floats, face_ids: IntArray) -> Ints:
    """Return the smooth patch of each triangle, (m,) int64.

    Where some face is curved the ids are B-rep faces, and shading stops at their borders. Where
    every face is flat they are facets of a mesh, and shading runs over soft edges.
    """
    joined = ~table.is_crease
    if _has_curved_face(normals, face_ids):
        joined = joined & (face_ids[table.left] == face_ids[table.right])
    return _components(len(normals), table.left[joined], table.right[joined])


def smooth(faces: Ints, patch: Ints, crosses: Floats) -> SmoothMesh:
    """Average normals over each patch, weighted by area so that large flats stay flat.

    Args:
        faces: (m, 3) int64 welded vertices.
        patch: (m,) int64.
        crosses: (m, 3) normals with twice the area as length.
    """
    keys = (faces * (int(patch.max()) + 1) + patch[:, None]).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    corner_normals = np.repeat(crosses, 3, axis=0)
    sums = [np.bincount(inverse, weights=corner_normals[:, k]) for k in range(3)]
    normals = normalise(np.stack(sums, axis=1))
    return SmoothMesh(faces.ravel()[first], normals, inverse.reshape(-1, 3).astype(np.int64))


def _has_curved_face(normals: Floats, face_ids: IntArray) -> bool:
    _, first, inverse = np.unique(face_ids, return_index=True, return_inverse=True)
    cosine = np.einsum("ij,ij->i", normals, normals[first[inverse]])
    return bool((cosine < COPLANAR).any())


def _components(count: int, left: Ints, right: Ints) -> Ints:
    """Label connected triangles by pointer jumping; each label is its smallest triangle."""
    labels = np.arange(count)
    while True:
        low = np.minimum(labels[left], labels[right])
        new = labels.copy()
        np.minimum.at(new, labels[left], low)
        np.minimum.at(new, labels[right], low)
        new = new[new]
        if np.array_equal(new, labels):
            return labels
        labels = new
