"""Points on surfaces and distances between them.

Two kinds of distance live here. Between samples: what the literature calls chamfer, with a noise
floor because two samples of one shape never coincide. Between points and triangles: no floor, so
a true copy measures zero; it is what the default scoring uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.closest import distance_to_triangles
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.triangles import triangle_areas, triangle_normals

# Nearest samples whose triangles are tried for the exact distance of a point.
NUM_CANDIDATES = 3
# Where a probing ray starts, behind the point, as a fraction of the largest extent: far above
# single precision, far below any feature that counts.
RAY_BACK_OFF = 1e-4
# Below this fraction of the largest extent two surfaces count as one (single precision rays).
COINCIDENT = 1e-6
# Points looked at for the largest distance: enough unless hundreds of bounds are all loose.
MAX_SETTLED, SETTLED_AT_ONCE = 256, 32
# The largest distance may be off by this share of itself.
SETTLED_SLACK = 0.01
# Streams of one seed: every shape is sampled with its own, or a copy would sample identically
# and hide the noise that two independent samples have.
REFERENCE_STREAM, PART_STREAM, FLOOR_STREAM = 0, 1, 2

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


class Surface:
    """Triangles with the search structures that distances need, each built on first use.

    Args:
        triangles: (m, 3, 3) float64 mm, m > 0, in the frame that the other shape shares.
        num_points: Points of a sample.
        seed: Seed of the samples.
        stream: Which of the seed's streams samples this surface.
    """

    def __init__(self, triangles: FloatArray, *, num_points: int, seed: int, stream: int) -> None:
        self.triangles = triangles
        self.num_points = num_points
        self.seed = seed
        self._stream = stream

    @cached_property
    def areas(self) -> FloatArray:
        """(m,) mm²."""
        return triangle_areas(self.triangles)

    @cached_property
    def normals(self) -> FloatArray:
        """(m, 3) unit normals; zero for a triangle without area."""
        return triangle_normals(self.triangles)

    @cached_property
    def extents(self) -> FloatArray:
        """(3,) size of the bounding box, mm."""
        extents: FloatArray = np.ptp(self.triangles.reshape(-1, 3), axis=0)
        return extents

    @cached_property
    def middle(self) -> FloatArray:
        """(3,) middle of the bounding box, mm."""
        points = self.triangles.reshape(-1, 3)
        middle: FloatArray = (points.min(axis=0) + points.max(axis=0)) / 2
        return middle

    @property
    def diagonal(self) -> float:
        """Length of the bounding box's diagonal, mm."""
        return float(np.linalg.norm(self.extents))

    @cached_property
    def sample(self) -> Sample:
        """The seeded, area-weighted sample of this surface."""
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

    @cached_property
    def probes(self) -> Sample:
        """The sample and the middle of every triangle, so that no small feature is missed."""
        middles = self.triangles.mean(axis=1)
        step = max(1, -(-len(middles) // self.num_points))
        owners = np.arange(0, len(middles), step)
        return Sample(
            np.concatenate([self.sample.points, middles[owners]]),
            np.concatenate([self.sample.owners, owners]),
        )

    @cached_property
    def _scene(self) -> Any:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        scene = EmbreeScene()
        TriangleMesh(scene, self.triangles.astype(np.float32))
        return scene

    @cached_property
    def _spheres(self) -> tuple[FloatArray, FloatArray]:
        """Centres (m, 3) and radii (m,) of spheres around the triangles."""
        centres = self.triangles.mean(axis=1)
        radii = np.linalg.norm(self.triangles - centres[:, None], axis=2).max(axis=1)
        return centres, radii

    def exact_distances(self, points: FloatArray, bounds: FloatArray) -> FloatArray:
        """Return the (k,) distances of a few points to the nearest triangle.

        Args:
            points: (k, 3) mm.
            bounds: (k,) mm, upper bounds of the distances: the closer, the faster.
        """
        centres, radii = self._spheres
        gaps = np.linalg.norm(centres - points[:, None], axis=2) - radii  # (k, m)
        which, near = np.nonzero(gaps <= bounds[:, None])
        exact = bounds.copy()
        found = distance_to_triangles(points[which], self.triangles[near])
        np.minimum.at(exact, which, found)
        return exact

    def hit(self, origins: FloatArray, directions: FloatArray) -> Owners:
        """Return (n,) index of the first triangle along each ray; -1 where there is none."""
        found = self._scene.run(origins.astype(np.float32), directions.astype(np.float32))
        return np.asarray(found, dtype=np.intp)

    def cast(self, origins: FloatArray, directions: FloatArray) -> FloatArray:
        """Return (n,) distance to the first triangle along each ray; infinite where none is."""
        far = self._scene.run(
            origins.astype(np.float32), directions.astype(np.float32), query="DISTANCE"
        )
        distances = np.asarray(far, dtype=np.float64)
        distances[distances > 1e30] = np.inf
        return distances

    def first_hits(
        self, origins: FloatArray, directions: FloatArray
    ) -> tuple[FloatArray, npt.NDArray[np.intp]]:
        """Return (n,) distance and triangle of the first hit along each ray.

        The distance is infinite where nothing is hit, and the triangle then means nothing.
        """
        answer = self._scene.run(
            origins.astype(np.float32), directions.astype(np.float32), output=True
        )
        hits = np.asarray(answer["primID"], dtype=np.intp)
        distances = np.asarray(answer["tfar"], dtype=np.float64)
        distances[hits < 0] = np.inf
        return distances, hits


def sample_triangles(
    triangles: FloatArray, areas: FloatArray, num_points: int, rng: np.random.Generator
) -> Sample:
    """Return points spread evenly over the area, independent of each other."""
    cumulative = np.cumsum(areas)
    picks = rng.random(num_points) * cumulative[-1]
    owners = np.minimum(np.searchsorted(cumulative, picks, side="right"), len(areas) - 1)
    u, v = rng.random((2, num_points))
    beyond = u + v > 1.0
    u[beyond], v[beyond] = 1.0 - u[beyond], 1.0 - v[beyond]
    corner = triangles[owners]
    edge_u, edge_v = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    return Sample(corner[:, 0] + u[:, None] * edge_u + v[:, None] * edge_v, owners)


def sample_distances(points: FloatArray, target: Surface) -> FloatArray:
    """Return (n,) mm to the nearest sample of the target."""
    distances: FloatArray = target.tree.query(points)[0]
    return distances


def surface_distances(source: Surface, target: Surface) -> FloatArray:
    """Return (k,) mm between the probes of one surface and the triangles of another."""
    probes = source.probes
    return probe_distances(probes.points, source.normals[probes.owners], target)


def probe_distances(points: FloatArray, normals: FloatArray, target: Surface) -> FloatArray:
    """Return how far points of one surface lie from the triangles of another.

    The value is the least over the triangles under the nearest samples and the first triangle
    along the normal on either side: exact where the surfaces agree, and never more than the
    distance to the nearest sample. The largest value is exact within 1 %.

    Args:
        points: (n, 3) mm.
        normals: (n, 3) unit normals of the surface that the points lie on.
        target: What they are measured against, in the same frame.

    Returns:
        (n,) float64 mm.
    """
    distances = _along_normal(points, normals, target)
    apart = distances > COINCIDENT * float(target.extents.max())
    near = _nearest_candidates(points[apart], target)
    distances[apart] = np.minimum(distances[apart], near)
    _settle_largest(points, distances, target)
    return distances


def _settle_largest(points: FloatArray, distances: FloatArray, target: Surface) -> None:
    """Replace the largest bounds by exact distances until the largest of all is settled."""
    order = np.argsort(-distances, kind="stable")
    largest = COINCIDENT * float(target.extents.max())
    for start in range(0, MAX_SETTLED, SETTLED_AT_ONCE):
        some = order[start : start + SETTLED_AT_ONCE]
        if not len(some) or distances[some[0]] <= largest * (1 + SETTLED_SLACK):
            return
        distances[some] = target.exact_distances(points[some], distances[some])
        largest = max(largest, float(distances[some].max()))


def _nearest_candidates(points: FloatArray, target: Surface) -> FloatArray:
    count = min(NUM_CANDIDATES, target.num_points)
    _, index = target.tree.query(points, k=[*range(1, count + 1)])
    best = np.full(len(points), np.inf)
    for column in target.sample.owners[index].T:
        best = np.minimum(best, distance_to_triangles(points, target.triangles[column]))
    return best


def _along_normal(points: FloatArray, normals: FloatArray, target: Surface) -> FloatArray:
    back_off = RAY_BACK_OFF * float(target.extents.max())
    best = np.full(len(points), np.inf)
    for direction in (normals, -normals):
        reach = target.cast(points - back_off * direction, direction)
        best = np.minimum(best, np.abs(reach - back_off))
    return best
