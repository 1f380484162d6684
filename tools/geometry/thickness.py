"""How thick the material is: rays into the part from points all over its surface."""

from __future__ import annotations

import numpy as np

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.gauged import Gauged
from cadwright.tools.geometry.gauges import Thickness
from cadwright.tools.geometry.part import FloatArray, IntArray
from cadwright.tools.geometry.vectors import as_vector

NUM_RAYS = 4096
_PER_FACE = 16  # rays at least from every face: a thin web may be a small one
_THINNEST = 1e-5  # of the diagonal: what is nearer is a surface that touches itself
_START_IN = 1e-6  # of the diagonal: a ray starts below its own triangle
_FACING = 0.75  # cosine: sides up to 41 degrees out of parallel; the tip of a wedge is no wall
_THIN_SHARE = 5.0  # percent


def thickness(subject: Gauged) -> Thickness:
    """Return how thick the material of a closed part is.

    Raises:
        GeometryError: The surface is open, or no two sides of the material face each other.
    """
    subject.needs_inside()
    starts, owners = _starts(subject)
    inward = -subject.normals[owners]
    reach, hit = _first_hits(subject, starts + _START_IN * subject.diagonal_mm * inward, inward)
    facing = np.einsum("ij,ij->i", inward, subject.normals[hit]) > _FACING
    usable = np.isfinite(reach) & facing & (reach > _THINNEST * subject.diagonal_mm)
    if not usable.any():
        raise GeometryError(f"{subject.part.name}: no two sides of the material face each other")
    found = reach + _START_IN * subject.diagonal_mm
    best = int(np.argmin(np.where(usable, found, np.inf)))
    return Thickness(
        min_mm=float(found[best]),
        position_mm=as_vector(starts[best] + 0.5 * found[best] * inward[best]),
        direction=as_vector(inward[best]),
        low_mm=float(np.percentile(found[usable], _THIN_SHARE)),
        median_mm=float(np.median(found[usable])),
        num_rays=int(usable.sum()),
    )


def _starts(subject: Gauged) -> tuple[FloatArray, IntArray]:
    """Return (n, 3) points spread over the area, and the triangle of each."""
    rng = np.random.default_rng(0)  # the same points for the same part
    anywhere = _chosen(subject.areas, rng.random(NUM_RAYS))
    chosen = np.concatenate([anywhere, _on_every_face(subject, rng)]).astype(np.int32)
    u, v = np.sqrt(rng.random(len(chosen))), rng.random(len(chosen))
    a, b, c = (subject.corners[chosen, k] for k in range(3))
    points = a * (1 - u)[:, None] + b * (u * (1 - v))[:, None] + c * (u * v)[:, None]
    return points, chosen


def _on_every_face(subject: Gauged, rng: np.random.Generator) -> IntArray:
    """Return triangles by their areas, as many of each face that has one."""
    faces, place = np.unique(subject.mesh.face_ids, return_inverse=True)
    order = np.argsort(place, kind="stable")  # face by face
    whole = np.bincount(place, weights=subject.areas, minlength=len(faces))
    has_area = whole > 0.0
    order = order[has_area[place[order]]]
    if not len(order):
        return order.astype(np.int32)
    shares = subject.areas[order] / whole[place[order]]
    picks = rng.random((int(has_area.sum()), _PER_FACE))
    places = _chosen(shares, (picks + np.arange(len(picks))[:, None]).reshape(-1), len(picks))
    return order[places].astype(np.int32)


def _chosen(weights: FloatArray, picks: FloatArray, total: float = 1.0) -> IntArray:
    """Return (n,) places in ``weights`` at shares ``picks`` of their sum, which counts as total."""
    ends = np.cumsum(weights)
    places = np.searchsorted(ends * (total / ends[-1]), picks, side="right")
    return np.minimum(places, len(weights) - 1).astype(np.int32)


def _first_hits(
    subject: Gauged, starts: FloatArray, ways: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Return the distance to the first triangle along each ray, infinite for none, and which."""
    index = subject.rays.hit(starts, ways).astype(np.int32)
    hit = np.maximum(index, 0)
    # the triangle is right, its distance only in single precision: meet its plane exactly
    slope = np.einsum("ij,ij->i", ways, subject.normals[hit])
    ahead = np.einsum("ij,ij->i", subject.corners[hit, 0] - starts, subject.normals[hit])
    reach = np.divide(ahead, slope, out=np.full(len(hit), np.inf), where=np.abs(slope) > 1e-9)
    return np.where((index >= 0) & (reach > 0.0), reach, np.inf), hit
