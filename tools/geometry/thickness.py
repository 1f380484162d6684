"""How thick the material is: rays into the part from points all over its surface."""

from __future__ import annotations

import numpy as np

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.gauged import Gauged
from cadwright.tools.geometry.gauges import Thickness
from cadwright.tools.geometry.inward_rays import InwardRays, facet_rays, looked_again
from cadwright.tools.geometry.part import FloatArray, IntArray
from cadwright.tools.geometry.vectors import as_vector

NUM_RAYS = 4096
_PER_FACE = 16  # rays at least from every face: a thin web may be a small one
_THIN_SHARE = 5.0  # percent
_SAG_SHARE = 0.25  # of the thinnest wall: facets farther from their surfaces hide which side is hit


def thickness(subject: Gauged) -> Thickness:
    """Return how thick the material of a closed part is.

    Where a side is curved and its surface known, the ray runs from surface to surface, and the
    thinnest places are looked at again from nearer by. Facets that are not much nearer to their
    surfaces than the two sides are to each other are made finer first.

    Raises:
        GeometryError: The surface is open, or no two sides of the material face each other.
    """
    subject.needs_inside()
    rays = facet_rays(subject, *_starts(subject))
    if not np.isfinite(rays.reach).any():
        raise GeometryError(f"{subject.part.name}: no two sides of the material face each other")
    if subject.part.brep is not None:
        least = float(rays.reach.min())
        is_coarse = subject.exact.sag_mm > _SAG_SHARE * least
        finer = subject.finer(0.5 * _SAG_SHARE * least) if is_coarse else None
        if finer is not None:
            return thickness(finer)
        rays = looked_again(subject, rays)
    return _found(rays)


def _found(rays: InwardRays) -> Thickness:
    met = rays.reach[np.isfinite(rays.reach)]
    best = int(np.argmin(rays.reach))
    least = float(rays.reach[best])
    low, median = np.percentile(met, (_THIN_SHARE, 50.0)).tolist()
    return Thickness(
        min_mm=least,
        position_mm=as_vector(rays.starts[best] + 0.5 * least * rays.ways[best]),
        direction=as_vector(rays.ways[best]),
        low_mm=low,
        median_mm=median,
        num_rays=len(met),
    )


def _starts(subject: Gauged) -> tuple[FloatArray, IntArray]:
    """Return (n, 3) points spread over the area, and the triangle of each."""
    rng = np.random.default_rng(0)  # the same points for the same part
    anywhere = _chosen(subject.areas, rng.random(NUM_RAYS))
    chosen = np.concatenate([anywhere, _on_every_face(subject, rng)]).astype(np.int32)
    u, v = np.sqrt(rng.random(len(chosen))), rng.random(len(chosen))
    a, b, c = subject.corners[chosen].transpose(1, 0, 2)
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
