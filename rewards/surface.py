"""Surfaces as the judge measures them: points on them, and what is needed to search them.

Two kinds of points live here. A random sample is what the literature measures chamfer on, with a
noise floor because two samples of one shape never coincide. Points spread evenly over the area
are what distances to triangles are measured at (see `cadwright.rewards.distances`): each stands
for the same area, so half as many tell as much as a random sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.closest import distance_to_triangles
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.rays import Rays
from cadwright.tools.geometry.triangles import bounds_of, triangle_areas, triangle_normals
from cadwright.tools.geometry.weld import weld

# Where a probing ray starts, behind the point, as a fraction of the largest extent: far above
# single precision, far below any feature that counts.
RAY_BACK_OFF = 1e-4
# Below this fraction of the largest extent two surfaces count as one (single precision rays).
COINCIDENT = 1e-6
# Even points at most: with 1,024 a mean distance is off by 0.8 % of itself (root mean square over
# 16 pairs of parts against 12,000 exact distances each; 1.9 % at worst).
MAX_EVEN = 1024
EVEN_NOISE = 0.01
# Points that a surface is searched by, for each point that it is measured at.
DENSITY = 4
# Of the way from a corner to the middle of its triangle: a ray from the corner itself may slip by.
IN_FROM_CORNER = 1e-3
# Steps of the most even sequences in the plane (by the plastic number) and on a line (by the golden
# one). The latter moves points inside their shares: regular triangles repeat, and every second one
# must not be skipped.
EVEN_STEPS = np.array([0.7548776662466927, 0.5698402909980532])
EVEN_STEP = 0.6180339887498949
# Streams of one seed: every shape is sampled with its own, or a copy would sample identically
# and hide the noise that two independent samples have.
REFERENCE_STREAM, PART_STREAM, FLOOR_STREAM = 0, 1, 2

NOWHERE = np.zeros(3)

Owners = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Points on a surface.

    Attributes:
        points: (n, 3) float64 mm.
        owners: (n,) index of the triangle under each point.
    """

    points: FloatArray
    owners: Owners

    def shifted(self, offset: FloatArray) -> Sample:
        """Return the points moved by (3,) mm."""
        return Sample(self.points + offset, self.owners)


class Surface:
    """Triangles with the search structures that distances need, each built on first use.

    Args:
        triangles: (m, 3, 3) float64 mm, m > 0, in the frame that the other shape shares.
        num_points: Points of a sample.
        seed: Seed of the samples.
        stream: Which of the seed's streams samples this surface.
        rays: Rays against the triangles, where somebody has them already.
        base: The same surface elsewhere, which has done the work for this one.
        offset: (3,) mm from there to here.
    """

    def __init__(
        self,
        triangles: FloatArray,
        *,
        num_points: int,
        seed: int,
        stream: int,
        rays: Rays | None = None,
        base: Surface | None = None,
        offset: FloatArray = NOWHERE,
    ) -> None:
        self.triangles = triangles
        self.num_points = num_points
        self.seed = seed
        self._stream = stream
        self._given_rays = rays
        self._base = base
        self._offset = offset

    def shifted(self, offset: FloatArray) -> Surface:
        """Return this surface moved by (3,) mm; what was made for one is there for both."""
        return Surface(
            self.triangles + offset,
            num_points=self.num_points,
            seed=self.seed,
            stream=self._stream,
            rays=self.rays.shifted(offset),
            base=self,
            offset=offset,
        )

    def is_sampled_as(self, num_points: int, seed: int) -> bool:
        """Whether its points are those that a sample of this size and seed would give."""
        return (self.num_points, self.seed) == (num_points, seed)

    @cached_property
    def areas(self) -> FloatArray:
        """(m,) mm²."""
        return self._base.areas if self._base else triangle_areas(self.triangles)

    @cached_property
    def normals(self) -> FloatArray:
        """(m, 3) unit normals; zero for a triangle without area."""
        return self._base.normals if self._base else triangle_normals(self.triangles)

    @cached_property
    def extents(self) -> FloatArray:
        """(3,) size of the bounding box, mm."""
        low, high = self._box
        extents: FloatArray = high - low
        return extents

    @cached_property
    def middle(self) -> FloatArray:
        """(3,) middle of the bounding box, mm."""
        low, high = self._box
        middle: FloatArray = (low + high) / 2
        return middle

    @cached_property
    def _box(self) -> FloatArray:
        """(2, 3) its bounds."""
        return bounds_of(self.triangles.reshape(-1, 3))

    @property
    def diagonal(self) -> float:
        """Length of the bounding box's diagonal, mm."""
        return float(np.linalg.norm(self.extents))

    @cached_property
    def rays(self) -> Rays:
        """Rays against the triangles."""
        return self._given_rays or Rays.at(self.triangles)

    def hit(self, origins: FloatArray, directions: FloatArray) -> Owners:
        """Return (n,) index of the first triangle along each ray; -1 where there is none."""
        return self.rays.hit(origins, directions)

    def first_hits(self, origins: FloatArray, directions: FloatArray) -> tuple[FloatArray, Owners]:
        """Return (n,) distance and triangle of the first hit along each ray; infinite for none."""
        return self.rays.first_hits(origins, directions)

    @cached_property
    def sample(self) -> Sample:
        """The seeded, area-weighted random sample of this surface."""
        return self.draw(self._stream)

    def draw(self, stream: int) -> Sample:
        """Return another sample of the same size."""
        rng = np.random.default_rng([self.seed, stream])
        return sample_triangles(self.triangles, self.areas, self.num_points, rng)

    @cached_property
    def tree(self) -> Any:
        """Search tree over the sample."""
        from scipy.spatial import cKDTree

        return cKDTree(self.sample.points)

    @property
    def num_even(self) -> int:
        """How many points a distance is measured at."""
        return min(self.num_points, MAX_EVEN)

    @cached_property
    def even(self) -> Sample:
        """Points that each stand for the same share of the area."""
        if self._base:
            return self._base.even.shifted(self._offset)
        return self._spread(self.num_even)

    @cached_property
    def dense(self) -> Sample:
        """More of them, to search by."""
        if self._base:
            return self._base.dense.shifted(self._offset)
        return self._spread(DENSITY * self.num_even)

    @cached_property
    def _dense_tree(self) -> Any:
        from scipy.spatial import cKDTree

        # built in a third of the time, and as fast to search: the points are evenly spread
        return cKDTree(self.dense.points, balanced_tree=False, compact_nodes=False)

    def near(self, points: FloatArray, count: int) -> Owners:
        """Return (n, count) triangles under the dense points nearest to (n, 3) points."""
        if self._base:
            return self._base.near(points - self._offset, count)
        _, index = self._dense_tree.query(points, k=[*range(1, count + 1)])
        found: Owners = self.dense.owners[index]
        return found

    @cached_property
    def details(self) -> Sample:
        """A point beside every corner and one amid every triangle: no small feature is missed.

        Corners alone would not do: those of a thin hole all lie on the surfaces that it pierces.
        """
        if self._base:
            return self._base.details.shifted(self._offset)
        unlike, _ = weld(self.triangles.reshape(-1, 3))
        kept = _thinned(unlike.astype(np.intp), DENSITY * self.num_even)
        amid = _thinned(np.arange(len(self.triangles)), DENSITY * self.num_even)
        corners, middles = self.triangles.reshape(-1, 3)[kept], self.triangles.mean(axis=1)
        beside = corners + IN_FROM_CORNER * (middles[kept // 3] - corners)
        return Sample(np.concatenate([beside, middles[amid]]), np.concatenate([kept // 3, amid]))

    def _spread(self, count: int) -> Sample:
        start = np.random.default_rng([self.seed, self._stream, count]).random(3)
        return spread_over(self.triangles, self.areas, count, start)

    @cached_property
    def _spheres(self) -> tuple[FloatArray, FloatArray]:
        """Centres (3, m) and radii (m,) of spheres around the triangles."""
        corners = np.ascontiguousarray(self.triangles.transpose(2, 1, 0))  # (3, 3 corners, m)
        centres = corners.sum(axis=1) / 3
        return centres, _lengths(corners - centres[:, None]).max(axis=0)

    def exact_distances(self, points: FloatArray, bounds: FloatArray) -> FloatArray:
        """Return the (k,) distances of a few points to the nearest triangle.

        Args:
            points: (k, 3) mm.
            bounds: (k,) mm, upper bounds of the distances: the closer, the faster.
        """
        centres, radii = self._spheres
        gaps = _lengths(centres[:, None] - points.T[:, :, None]) - radii  # (k, m)
        which, near = np.nonzero(gaps <= bounds[:, None])
        exact = bounds.copy()
        found = distance_to_triangles(points[which], self.triangles[near])
        np.minimum.at(exact, which, found)
        return exact


def sample_triangles(
    triangles: FloatArray, areas: FloatArray, num_points: int, rng: np.random.Generator
) -> Sample:
    """Return points spread evenly over the area, independent of each other."""
    picks = rng.random(num_points)
    return _points_in(triangles, areas, picks, rng.random((2, num_points)))


def spread_over(
    triangles: FloatArray, areas: FloatArray, num_points: int, start: FloatArray
) -> Sample:
    """Return points that each stand for the same share of the area, as even as they can lie.

    Args:
        triangles: (m, 3, 3); neighbours in space should be neighbours here.
        areas: (m,) of the triangles.
        num_points: How many.
        start: (3,) in [0, 1): where the first one lies.
    """
    order = np.arange(num_points)
    inside = (order[:, None] * EVEN_STEPS + start[1:]) % 1.0
    picks = (order + (order * EVEN_STEP + start[0]) % 1.0) / num_points
    return _points_in(triangles, areas, picks, inside.T.copy())


def _points_in(
    triangles: FloatArray, areas: FloatArray, picks: FloatArray, inside: FloatArray
) -> Sample:
    """Return the points at (n,) shares of the area and at (2, n) places in their triangles."""
    cumulative = np.cumsum(areas)
    owners = np.searchsorted(cumulative, picks * cumulative[-1], side="right")
    owners = np.minimum(owners, len(areas) - 1)
    u, v = inside
    beyond = u + v > 1.0
    u[beyond], v[beyond] = 1.0 - u[beyond], 1.0 - v[beyond]
    corner = triangles[owners]
    edge_u, edge_v = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    return Sample(corner[:, 0] + u[:, None] * edge_u + v[:, None] * edge_v, owners)


def _lengths(vectors: FloatArray) -> FloatArray:
    """Return the (...) lengths of (3, ...) vectors: three long rows are faster than many short."""
    squares = vectors[0] * vectors[0]
    for axis in (1, 2):
        squares += vectors[axis] * vectors[axis]
    lengths: FloatArray = np.sqrt(squares)
    return lengths


def _thinned(places: Owners, most: int) -> Owners:
    """Return every place, or every second, third, ... so that at most ``most`` are left."""
    return places[:: -(-len(places) // most)]
