"""Distances between surfaces: from points of one to the triangles of the other, or to its sample.

Distances to triangles have no noise floor: a true copy measures zero. They are what the default
scoring uses. Distances to a sample are what the literature calls chamfer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadwright.rewards.surface import COINCIDENT, RAY_BACK_OFF, Surface
from cadwright.tools.geometry.closest import distance_to_triangles
from cadwright.tools.geometry.part import FloatArray

# Nearest points of a surface whose triangles are tried for the exact distance of a point.
NUM_CANDIDATES = 2
# Points looked at for the largest distance: enough unless hundreds of bounds are all loose.
MAX_SETTLED, SETTLED_AT_ONCE = 256, 8
# The largest distance may be off by this share of itself.
SETTLED_SLACK = 0.01
# Bounds below this share of one of the largest distances do not matter, as a rule.
NEARLY = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """How far one surface lies from another.

    Attributes:
        even: (n,) mm, at points that each stand for the same share of the area.
        largest: Mm, over these and the corners and middles of all triangles.
    """

    even: FloatArray
    largest: float

    @property
    def mean(self) -> float:
        """Mean over the area, mm."""
        return float(self.even.mean())


def surface_gaps(source: Surface, target: Surface) -> Gaps:
    """Return how far one surface lies from the triangles of another."""
    count = len(source.even.points)
    points, normals = probes_of(source)
    distances = _along_normal(points, normals, target)
    coincident = COINCIDENT * float(target.extents.max())
    _approach(points[:count], distances[:count], coincident, target)
    # what small features add is the largest distance alone: most lie closer by their rays already
    worst = int(np.argmax(distances[:count]))
    reach = NEARLY * float(target.exact_distances(points[[worst]], distances[[worst]])[0])
    while True:
        _approach(points[count:], distances[count:], max(reach, coincident), target)
        settled = distances.copy()
        least = _settle_largest(points, settled, target)
        if least >= reach or reach <= coincident:
            return Gaps(settled[:count], float(settled.max()))
        reach = NEARLY * least


def probes_of(surface: Surface) -> tuple[FloatArray, FloatArray]:
    """Return (k, 3) even points, then those of small features, and their (k, 3) normals."""
    owners = np.concatenate([surface.even.owners, surface.details.owners])
    points = np.concatenate([surface.even.points, surface.details.points])
    return points, surface.normals[owners]


def sample_distances(points: FloatArray, target: Surface) -> FloatArray:
    """Return (n,) mm to the nearest sample of the target."""
    distances: FloatArray = target.tree.query(points)[0]
    return distances


def probe_distances(points: FloatArray, normals: FloatArray, target: Surface) -> FloatArray:
    """Return what ``distances_to`` does, the largest value exact within 1 %."""
    distances = distances_to(points, normals, target)
    _settle_largest(points, distances, target)
    return distances


def distances_to(
    points: FloatArray, normals: FloatArray, target: Surface, *, near_mm: float = 0.0
) -> FloatArray:
    """Return how far points of one surface lie from the triangles of another.

    The value is the least over the triangles under the nearest of the target's dense points and
    the first triangle along the normal on either side: exact where the surfaces agree, and never
    more than the distance to the nearest of those points.

    Args:
        points: (n, 3) mm.
        normals: (n, 3) unit normals of the surface that the points lie on.
        target: What they are measured against, in the same frame.
        near_mm: Points that are this near along their normals are not looked at any closer.

    Returns:
        (n,) float64 mm.
    """
    distances = _along_normal(points, normals, target)
    _approach(points, distances, max(near_mm, COINCIDENT * float(target.extents.max())), target)
    return distances


def _approach(points: FloatArray, distances: FloatArray, beyond: float, target: Surface) -> None:
    """Lower the bounds above ``beyond`` by the triangles under the nearest dense points."""
    which = np.flatnonzero(distances > beyond)
    if not len(which):
        return
    near = nearest_candidates(points[which], target)
    distances[which] = np.minimum(distances[which], near)


def _settle_largest(points: FloatArray, distances: FloatArray, target: Surface) -> float:
    """Replace the largest bounds by exact distances until the largest of all is settled.

    Returns:
        The least bound that was replaced, mm: smaller ones had no say. Infinite where none was.
    """
    order = np.argsort(-distances, kind="stable")
    largest, least = COINCIDENT * float(target.extents.max()), np.inf
    for start in range(0, MAX_SETTLED, SETTLED_AT_ONCE):
        some = order[start : start + SETTLED_AT_ONCE]
        if not len(some) or distances[some[0]] <= largest * (1 + SETTLED_SLACK):
            break
        least = float(distances[some[-1]])
        distances[some] = target.exact_distances(points[some], distances[some])
        largest = max(largest, float(distances[some].max()))
    return least


def nearest_candidates(points: FloatArray, target: Surface) -> FloatArray:
    """Return (n,) bounds of the distances, mm: those to the triangles under the nearest points."""
    owners = target.near(points, NUM_CANDIDATES).reshape(-1)
    repeated = np.repeat(points, NUM_CANDIDATES, axis=0)
    found = distance_to_triangles(repeated, target.triangles[owners])
    nearest: FloatArray = found.reshape(-1, NUM_CANDIDATES).min(axis=1)
    return nearest


def _along_normal(points: FloatArray, normals: FloatArray, target: Surface) -> FloatArray:
    back_off = RAY_BACK_OFF * float(target.extents.max())
    back = back_off * normals
    origins = np.concatenate([points - back, points + back])
    reach = target.rays.cast(origins, np.concatenate([normals, -normals]))
    both = np.abs(reach - back_off).reshape(2, -1)
    nearest: FloatArray = both.min(axis=0)
    return nearest
