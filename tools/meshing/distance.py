"""How far two surfaces are apart, sampled densely and measured to triangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadwright.tools.geometry.closest import distance_to_triangles
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.triangles import triangle_areas
from cadwright.tools.meshing.refining import refined_corners
from cadwright.tools.meshing.triangles import corners, diagonal_mm

NUM_SAMPLES = 5_000
_PIECE = 0.02  # of the diagonal: triangles are cut into pieces about this small before the search
_CANDIDATES = 8  # nearest pieces that are measured: one of them is nearly always the nearest
_MOST_SETTLED, _AT_ONCE = 4_096, 256  # points whose distance is made exact, largest first


@dataclass(frozen=True, slots=True)
class Distance:
    """Distances between two surfaces.

    Attributes:
        hausdorff_mm: The largest distance of a point of either to the other.
        mean_mm: The mean over both.
    """

    hausdorff_mm: float
    mean_mm: float


def distance(first: Mesh, second: Mesh) -> Distance:
    """Return how far two surfaces are apart; 0 for a surface and itself cut up differently."""
    both = np.concatenate([_settled(first, second), _settled(second, first)])
    return Distance(float(both.max()), float(both.mean()))


def _settled(mesh: Mesh, other: Mesh) -> FloatArray:
    """Return the distances of probes of ``mesh`` to ``other``, exact for the largest of them."""
    points, target = probes(mesh), Target(other)
    found = target.bounds(points)
    order = np.argsort(-found, kind="stable")
    largest = 0.0
    for start in range(0, min(len(order), _MOST_SETTLED), _AT_ONCE):
        chosen = order[start : start + _AT_ONCE]
        if found[chosen[0]] <= largest:
            break
        found[chosen] = target.distances(points[chosen], found[chosen])
        largest = max(largest, float(found[chosen].max()))
    return found


def probes(mesh: Mesh, count: int = NUM_SAMPLES) -> FloatArray:
    """Return (n, 3) the vertices, the middles of triangles and edges, and points over the area."""
    points = corners(mesh)
    middles = 0.5 * (points + np.roll(points, -1, axis=1)).reshape(-1, 3)
    spread = sampled(points, count)
    found: FloatArray = np.concatenate([mesh.vertices, points.mean(axis=1), middles, spread])
    step = max(1, len(found) // (4 * count))
    return found[::step]


def sampled(points: FloatArray, count: int, *, seed: int = 0) -> FloatArray:
    """Return (count, 3) points spread evenly over triangles (m, 3, 3)."""
    return placed_on(points, count, seed=seed)[0]


def placed_on(
    points: FloatArray, count: int, *, seed: int = 0
) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return points spread evenly over triangles (m, 3, 3), and the triangle of each."""
    rng = np.random.default_rng(seed)  # the same points for the same surface
    areas = triangle_areas(points)
    if areas.sum() <= 0.0:
        return points[:, 0], np.arange(len(points))
    chosen = rng.choice(len(points), count, p=areas / areas.sum())
    u, v = np.sqrt(rng.random(count)), rng.random(count)
    a, b, c = (points[chosen, k] for k in range(3))
    spread: FloatArray = a * (1 - u)[:, None] + b * (u * (1 - v))[:, None] + c * (u * v)[:, None]
    return spread, chosen


class Target:
    """A surface to measure distances to.

    Args:
        mesh: Any mesh.
    """

    def __init__(self, mesh: Mesh) -> None:
        from scipy.spatial import cKDTree

        self.pieces = refined_corners(corners(mesh), _PIECE * diagonal_mm(mesh))
        middles = self.pieces.mean(axis=1)
        self._reach = float(np.linalg.norm(self.pieces - middles[:, None], axis=2).max())
        self._tree = cKDTree(middles)

    def bounds(self, points: FloatArray) -> FloatArray:
        """Return (n,) distances of points, seldom too large and never too small."""
        count = min(_CANDIDATES, len(self.pieces))
        near = self._tree.query(points, k=count)[1].reshape(len(points), -1)
        ways = [distance_to_triangles(points, self.pieces[near[:, k]]) for k in range(count)]
        nearest: FloatArray = np.min(ways, axis=0)
        return nearest

    def distances(self, points: FloatArray, bounds: FloatArray | None = None) -> FloatArray:
        """Return the exact (n,) distances of points.

        Args:
            points: (n, 3).
            bounds: (n,) what ``bounds`` gave for them, where it is known already.
        """
        bounds = self.bounds(points) if bounds is None else bounds
        near = self._tree.query_ball_point(points, bounds + self._reach)
        owners = np.repeat(np.arange(len(points)), [len(found) for found in near])
        pieces = np.concatenate([np.asarray(found, np.int64) for found in near])
        nearest = bounds.copy()
        np.minimum.at(nearest, owners, distance_to_triangles(points[owners], self.pieces[pieces]))
        return nearest
