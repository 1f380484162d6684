"""Where two surfaces lie farthest apart, found by climbing from the best of many points.

The largest of a thousand distances is too small, and by how much depends on where the points
happen to lie: around a hole that was not cut by a tenth, around a small one by half and more. A
part that differs by a scratch is sampled elsewhere, and must not seem nearer for it. So the best
points are moved over their own surface, in steps that halve, as long as they come to lie farther
away.
"""

from __future__ import annotations

import numpy as np

from cadwright.rewards.distances import Gaps, nearest_candidates
from cadwright.rewards.surface import COINCIDENT, Surface
from cadwright.tools.geometry.part import FloatArray

# Points that climb: enough for several summits of nearly one height.
NUM_CLIMBERS = 8
# Each half as long as the one before; the first is the distance between two even points.
NUM_STEPS = 7
# Directions that are tried at each step.
NUM_WAYS = 6
# Turns them from step to step, so that no ridge runs between them every time.
TURN = 0.4
# Nobody gains more height than this many of the next steps: that one and all after it are twice as
# long as the first of them, and each may rise or fall by as much as it goes aside.
REACH = 3.0


def largest_gap_mm(first: Surface, second: Surface, gaps: tuple[Gaps, Gaps]) -> float:
    """Return the largest distance between two surfaces, both ways.

    Args:
        first: One of them.
        second: The other, in the same frame.
        gaps: How far they lie from each other at many points: from the first, from the second.
    """
    ways = [(first, second, gaps[0]), (second, first, gaps[1])]
    ways.sort(key=lambda way: -way[2].largest)  # the higher a known summit, the fewer climb
    largest = ways[0][2].largest
    for source, target, found in ways:
        is_apart = found.largest > COINCIDENT * float(target.extents.max())
        if is_apart and found.largest + REACH * _stride(source) > largest:
            largest = max(largest, _summit_mm(source, target, found.even, largest))
    return largest


def _summit_mm(source: Surface, target: Surface, gaps: FloatArray, known: float) -> float:
    """Return how far the farthest of the climbers comes to lie, or less than is known.

    Args:
        source: The surface that is climbed on.
        target: What heights are distances from.
        gaps: (n,) heights of the even points.
        known: Mm; whoever cannot come to lie farther any more climbs no further.
    """
    top = np.argsort(-gaps, kind="stable")[:NUM_CLIMBERS]
    points, normals = source.even.points[top], source.normals[source.even.owners[top]]
    heights, stride = nearest_candidates(points, target), _stride(source)
    for step in range(NUM_STEPS):
        may_lead = heights + REACH * stride / 2**step > known
        points, normals, heights = points[may_lead], normals[may_lead], heights[may_lead]
        if not len(points):
            return 0.0
        places, facing = _around(source, points, normals, stride / 2**step, TURN * step)
        found = nearest_candidates(places, target).reshape(len(points), NUM_WAYS)
        each, best = np.arange(len(points)), found.argmax(axis=1)
        is_higher = (found[each, best] > heights)[:, None]
        chosen = each * NUM_WAYS + best
        points = np.where(is_higher, places[chosen], points)
        normals = np.where(is_higher, facing[chosen], normals)
        heights = np.maximum(heights, found[each, best])
    return float(target.exact_distances(points, heights).max())


def _stride(source: Surface) -> float:
    return float(np.sqrt(source.areas.sum() / source.num_even))


def _around(
    source: Surface, points: FloatArray, normals: FloatArray, stride: float, turn: float
) -> tuple[FloatArray, FloatArray]:
    """Return points a stride away on the surface, and their normals; where none is, the same."""
    angles = turn + np.arange(NUM_WAYS) * (2 * np.pi / NUM_WAYS)
    along, across = _tangents(normals)
    aside = np.cos(angles)[:, None] * along[:, None] + np.sin(angles)[:, None] * across[:, None]
    facing = np.repeat(normals, NUM_WAYS, axis=0)
    above = (points[:, None] + stride * (aside + normals[:, None])).reshape(-1, 3)
    fall, hits = source.first_hits(above, -facing)
    has_landed = (fall <= 2 * stride)[:, None]
    stayed = np.repeat(points, NUM_WAYS, axis=0)
    landed = above - np.minimum(fall, 2 * stride)[:, None] * facing
    return np.where(has_landed, landed, stayed), np.where(has_landed, source.normals[hits], facing)


def _tangents(normals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two (k, 3) unit vectors at right angles to each normal and to each other."""
    x, y, z = normals.T  # after Duff et al., Building an Orthonormal Basis, Revisited (2017)
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    along = np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=1)
    return along, np.stack([b, sign + y * y * a, -y], axis=1)
