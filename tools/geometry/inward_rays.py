"""Rays from the surface of a part into its material, from facet to facet or surface to surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.gauged import Gauged
from cadwright.tools.geometry.part import FloatArray, IntArray

_THINNEST = 1e-5  # of the diagonal: what is nearer is a surface that touches itself
_START_IN = 1e-6  # of the diagonal: a ray starts below its own triangle
_FACING = 0.75  # cosine: sides up to 41 degrees out of parallel; the tip of a wedge is no wall
_PARALLEL = 1.0 - 1e-9  # cosine
_SAGS = 4.0  # by so many sags two walls may be told apart wrongly: two facets, two rays
_PAIRS = 12  # pairs of faces that are looked at again
_NEARLY = 1.5  # times the thinnest place: what a pair may still lose when looked at again
_ROUNDS, _GRID = 9, 3  # each looks at one of 9 pieces of the one before
_GAIN = 1e-5  # of the shortest reach: where a round finds no more than that, it was the last
_PAIR_RAYS = 96  # of one pair of faces
_FREE_RAYS, _FREE_PAIRS = 24, 2  # where the kernel is asked about every point
# Of each piece the middle, and its corners a little way in: a ray along an edge meets nothing.
_PLACES = np.array([[1, 1, 1], [2.94, 0.03, 0.03], [0.03, 2.94, 0.03], [0.03, 0.03, 2.94]]) / 3.0


@dataclass(frozen=True, slots=True, eq=False)
class InwardRays:
    """Rays into the material.

    Attributes:
        starts: (n, 3) mm.
        ways: (n, 3) unit.
        owners: (n,) the triangle that each starts from.
        hits: (n,) the triangle that it meets.
        reach: (n,) mm; infinite where no other side of the material faces the start.
    """

    starts: FloatArray
    ways: FloatArray
    owners: IntArray
    hits: IntArray
    reach: FloatArray

    def at(self, rows: IntArray) -> InwardRays:
        """Return some of the rays."""
        ends = self.owners[rows], self.hits[rows], self.reach[rows]
        return InwardRays(self.starts[rows], self.ways[rows], *ends)

    def and_also(self, other: InwardRays) -> InwardRays:
        """Return these rays and others."""
        names = ("starts", "ways", "owners", "hits", "reach")
        pairs = ((getattr(self, name), getattr(other, name)) for name in names)
        return InwardRays(*(np.concatenate(pair) for pair in pairs))


def facet_rays(subject: Gauged, starts: FloatArray, owners: IntArray) -> InwardRays:
    """Return the rays across triangles, from points on them."""
    ways = -subject.normals[owners]
    step = _START_IN * subject.diagonal_mm
    reach, hits = _first_hits(subject, starts + step * ways, ways)
    facing = np.einsum("ij,ij->i", ways, subject.normals[hits]) > _FACING
    is_wall = np.isfinite(reach) & facing & (reach > _THINNEST * subject.diagonal_mm)
    return InwardRays(starts, ways, owners, hits, np.where(is_wall, reach + step, np.inf))


def looked_again(subject: Gauged, rays: InwardRays) -> InwardRays:
    """Return rays of which the shortest run from surface to surface.

    The few pairs of faces that come nearest are searched for their nearest place. Flat sides
    that are parallel are left as they are: they are as near everywhere.
    """
    curved = subject.exact.is_curved
    near = np.flatnonzero(rays.reach <= rays.reach.min() + _SAGS * subject.exact.sag_mm)
    facing = np.einsum("ij,ij->i", rays.ways[near], subject.normals[rays.hits[near]])
    is_even = (facing > _PARALLEL) & ~curved[rays.owners[near]] & ~curved[rays.hits[near]]
    near = near[~is_even].astype(np.int32)
    if not len(near):
        return rays
    some = near[_of_every_pair(subject, rays.at(near))]
    exact = _exact_rays(subject, rays.starts[some], rays.owners[some])
    is_rest = np.ones(len(rays.reach), bool)
    is_rest[near] = False
    rest = rays.at(np.flatnonzero(is_rest).astype(np.int32))
    least = min(float(exact.reach.min()), float(rest.reach.min(initial=np.inf)))
    best = exact.at(_best_of_pairs(subject, exact, least))
    return rest.and_also(exact).and_also(_searched(subject, best))


def _of_every_pair(subject: Gauged, rays: InwardRays) -> IntArray:
    """Return some rays of each pair of faces, the shortest and others evenly by their length."""
    pairs = _pairs(subject, rays)
    order = np.lexsort((rays.reach, pairs))
    _, starts, counts = np.unique(pairs[order], return_index=True, return_counts=True)
    most = _FREE_RAYS if subject.exact.is_free else _PAIR_RAYS
    ranks = np.arange(len(order)) - np.repeat(starts, counts)
    some: IntArray = order[ranks % np.repeat(-(-counts // most), counts) == 0].astype(np.int32)
    return some


def _pairs(subject: Gauged, rays: InwardRays) -> npt.NDArray[np.int64]:
    """Return (n,) a number for the faces at the ends of each ray, whichever it starts from."""
    ids = subject.mesh.face_ids.astype(np.int64)
    ends = ids[rays.owners], ids[rays.hits]
    pairs: npt.NDArray[np.int64] = np.minimum(*ends) * (ids.max() + 1) + np.maximum(*ends)
    return pairs


def _exact_rays(subject: Gauged, points: FloatArray, owners: IntArray) -> InwardRays:
    """Return the rays across surfaces, from the feet of points of their triangles."""
    feet = subject.exact.feet(points, owners)
    ways = -feet.normals
    step = _START_IN * subject.diagonal_mm
    hits = subject.rays.hit(points + step * ways, ways).astype(np.int32)
    is_hit, hits = hits >= 0, np.maximum(hits, 0)
    reach = subject.exact.reach(feet.points, ways, hits)
    is_wall = is_hit & np.isfinite(reach) & (reach > _THINNEST * subject.diagonal_mm)
    ends = feet.points + np.where(is_wall, reach, 0.0)[:, None] * ways
    is_wall &= np.einsum("ij,ij->i", ways, subject.exact.feet(ends, hits).normals) > _FACING
    return InwardRays(feet.points, ways, owners, hits, np.where(is_wall, reach, np.inf))


def _best_of_pairs(subject: Gauged, rays: InwardRays, least: float) -> IntArray:
    """Return the shortest ray of each pair of faces, of the pairs that come nearest."""
    order = np.argsort(rays.reach, kind="stable")
    order = order[rays.reach[order] <= _NEARLY * least]
    pairs = _pairs(subject, rays.at(order.astype(np.int32)))
    first = np.sort(np.unique(pairs, return_index=True)[1])
    count = _FREE_PAIRS if subject.exact.is_free else _PAIRS
    return order[first[:count]].astype(np.int32)


def _searched(subject: Gauged, best: InwardRays) -> InwardRays:
    """Return the shortest rays near the given ones, by ever smaller pieces of their triangles."""
    pieces, owners = subject.corners[best.owners], best.owners
    for _ in range(_ROUNDS if len(owners) else 0):
        parts = _pieces(pieces)  # (k, 9, 3, 3)
        points = np.einsum("pc,kgcx->kgpx", _PLACES, parts)
        size = points.shape[1] * points.shape[2]
        rays = _exact_rays(subject, points.reshape(-1, 3), np.repeat(owners, size))
        picks = rays.reach.reshape(-1, size).argmin(axis=1)
        rows = np.arange(len(picks))
        found = rays.at(rows * size + picks)
        is_better = found.reach < best.reach
        gains = np.abs(found.reach - best.reach)[np.isfinite(found.reach)]
        best = best.and_also(found).at(np.where(is_better, rows + len(rows), rows))
        pieces = parts[rows, picks // len(_PLACES)]
        if gains.max(initial=0.0) <= _GAIN * best.reach.min():
            break
    return best


def _pieces(triangles: FloatArray) -> FloatArray:
    """Return (k, 9, 3, 3) the pieces of (k, 3, 3) triangles, all alike."""
    shares = []
    for i in range(_GRID):
        for j in range(_GRID - i):
            shares.append([(i, j), (i + 1, j), (i, j + 1)])
            if i + j < _GRID - 1:
                shares.append([(i + 1, j), (i + 1, j + 1), (i, j + 1)])
    grid = np.array(shares, float) / _GRID  # (9, 3, 2)
    weights = np.concatenate([grid, 1.0 - grid.sum(axis=2, keepdims=True)], axis=2)
    pieces: FloatArray = np.einsum("gpc,kcx->kgpx", weights, triangles)
    return pieces


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
