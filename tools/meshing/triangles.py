"""Build and take apart meshes: plain arrays in, plain arrays out, no kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh
from cadwright.tools.geometry.weld import drop_degenerate, weld

MAX_TRIANGLES = 1_000_000  # of a mesh that is worked on: past this a step takes minutes
MAX_REACH_MM = 1e9  # from the origin: past this squares overflow, and no part is valid


def plain(vertices: FloatArray, faces: IntArray) -> Mesh:
    """Return a mesh of the vertices that its triangles use, with no face ids.

    Args:
        vertices: (n, 3) mm.
        faces: (m, 3).

    Raises:
        GeometryError: Nothing is left, or too much, or a coordinate is no number or too far out.
    """
    if not len(faces):
        raise GeometryError("no triangle is left", Outcome.EMPTY_GEOMETRY)
    check_count(len(faces))
    used, place = np.unique(faces, return_inverse=True)
    kept = np.ascontiguousarray(vertices[used], np.float64) + 0.0
    check_reach(kept)
    faces = place.reshape(-1, 3).astype(np.int32)
    return Mesh(kept, faces, np.zeros(len(faces), np.int32))


def check_count(num_triangles: float) -> None:
    """Refuse a mesh that is too large to work on.

    Raises:
        GeometryError: It is.
    """
    if num_triangles > MAX_TRIANGLES:
        raise GeometryError(
            f"{num_triangles:.3g} triangles: at most {MAX_TRIANGLES} can be worked on",
            Outcome.RESOURCE_LIMIT,
        )


def check_reach(vertices: FloatArray) -> None:
    """Refuse vertices, (n, 3) mm, that cannot be reckoned with.

    Raises:
        GeometryError: A coordinate is NaN, infinite or too far from the origin.
    """
    if not np.isfinite(vertices).all():
        raise GeometryError("a coordinate became NaN or infinite: use less extreme numbers")
    farthest = float(np.abs(vertices).max(initial=0.0))
    if farthest > MAX_REACH_MM:
        raise GeometryError(
            f"a coordinate became {farthest:.3g} mm, at most {MAX_REACH_MM:g} is allowed: use less "
            "extreme numbers"
        )


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Return the triangles of several meshes as one mesh; nothing is united."""
    offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [mesh.faces + offset for mesh, offset in zip(meshes, offsets, strict=False)]
    return plain(np.concatenate([m.vertices for m in meshes]), np.concatenate(faces))


def welded(mesh: Mesh, *, grid_mm: float = 0.0) -> Mesh:
    """Return the mesh with equal vertices joined and triangles that collapse dropped.

    Args:
        mesh: Any mesh.
        grid_mm: Vertices that round to the same multiple of this count as equal.
    """
    kept, place = weld(mesh.vertices, grid_mm=grid_mm)
    faces = place[mesh.faces]
    return plain(mesh.vertices[kept], faces[drop_degenerate(faces)])


def canonical(mesh: Mesh, *, digits: int = 6) -> Mesh:
    """Return the mesh rounded, welded and sorted: equal shapes of one mesher get equal bytes.

    Args:
        mesh: Any mesh.
        digits: Decimals of a mm that are kept.
    """
    mesh = welded(plain(np.round(mesh.vertices, digits), mesh.faces))
    order = np.lexsort(mesh.vertices.T[::-1])
    rank = np.zeros(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    faces = rank[mesh.faces]
    first = np.argmin(faces, axis=1)
    turned = np.take_along_axis(faces, (first[:, None] + np.arange(3)) % 3, axis=1)
    return plain(mesh.vertices[order], turned[np.lexsort(turned.T[::-1])].astype(np.int32))


def corners(mesh: Mesh) -> FloatArray:
    """Return the (m, 3, 3) corners of the triangles."""
    found: FloatArray = mesh.vertices[mesh.faces]
    return found


def bounds(mesh: Mesh) -> FloatArray:
    """Return (2, 3) the least and the largest coordinates."""
    used = corners(mesh).reshape(-1, 3)
    return np.stack([used.min(axis=0), used.max(axis=0)])


def diagonal_mm(mesh: Mesh) -> float:
    """Return the diagonal of the bounding box."""
    return float(np.linalg.norm(np.ptp(bounds(mesh), axis=0)))


def signed_volumes(
    mesh: Mesh, labels: npt.NDArray[np.integer] | None = None, count: int = 1
) -> FloatArray:
    """Return (count,) the volume each labelled group encloses about its own middle.

    Args:
        mesh: Any mesh; an open surface is closed by cones from its rims to its middle.
        labels: (m,) group of each triangle; None is one group.
        count: Number of groups.
    """
    points = corners(mesh)
    labels = np.zeros(len(points), np.int64) if labels is None else labels
    sizes = np.maximum(np.bincount(labels, minlength=count), 1)
    middles = np.zeros((count, 3))
    np.add.at(middles, labels, points.mean(axis=1) / sizes[labels][:, None])
    local = points - middles[labels][:, None]
    sixfold = np.einsum("ij,ij->i", local[:, 0], np.cross(local[:, 1], local[:, 2]))
    volumes: FloatArray = np.bincount(labels, weights=sixfold, minlength=count) / 6.0
    return volumes
