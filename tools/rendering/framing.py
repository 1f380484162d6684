"""Which box a camera frames, so that no far speck can shrink the part to a dot.

The rule: on each side of each axis cut away 0.5 % of the surface area, let the box that remains
grow by half its diagonal, and frame every triangle that reaches into it; the same with 5 % of
the area and four diagonals. So a speck may enlarge the frame by half, a small far body five
times, and only what carries real area more. Whatever lies beyond stays outside the picture and
is reported, so that views can point at it. Every ordinary part keeps its exact box.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadwright.tools.rendering.topology import Floats, Ints

# (share of the area cut away on each side of an axis, growth of the box left in its diagonals)
TRIMS = ((0.005, 0.5), (0.05, 4.0))
BINS = 64  # of the histogram that recognises an ordinary part
SPECK_DIAGONAL_MM = 1e-9  # below this there is nothing to see


@dataclass(frozen=True, slots=True, eq=False)
class FramedBox:
    """The part of space that a camera shows.

    Attributes:
        low: (3,) float64 mm.
        high: (3,) float64 mm.
        outside: (k, 3) float64 mm, centroids of triangles that lie beyond the box.
    """

    low: Floats
    high: Floats
    outside: Floats

    @property
    def centre(self) -> Floats:
        """(3,) middle of the box."""
        return (self.low + self.high) / 2.0

    @property
    def radius(self) -> float:
        """Half the diagonal, never 0."""
        return max(float(np.linalg.norm(self.high - self.low)) / 2.0, SPECK_DIAGONAL_MM)

    @property
    def size(self) -> Floats:
        """(3,) extents."""
        return self.high - self.low


def frame_triangles(vertices: Floats, faces: Ints, areas: Floats) -> FramedBox:
    """Choose the box to frame.

    Args:
        vertices: (n, 3) float64 mm, finite.
        faces: (m, 3) int64, at least one.
        areas: (m,) float64, at least 0.
    """
    corners = vertices[faces]
    lows, highs = corners.min(axis=1), corners.max(axis=1)
    full = FramedBox(lows.min(axis=0), highs.max(axis=0), np.zeros((0, 3)))
    if not areas.sum() > 0.0 or _is_compact(lows, highs, areas):
        return full
    is_kept = np.ones(len(faces), dtype=np.bool_)
    for share, growth in TRIMS:
        low, high = _trimmed(lows, highs, areas, share)
        reach = growth * float(np.linalg.norm(high - low))
        is_kept &= ((highs >= low - reach) & (lows <= high + reach)).all(axis=1)
    if is_kept.all() or not is_kept.any():
        return full
    outside = corners[~is_kept].mean(axis=1)
    return FramedBox(lows[is_kept].min(axis=0), highs[is_kept].max(axis=0), outside)


def _is_compact(lows: Floats, highs: Floats, areas: Floats) -> bool:
    """Whether every trim keeps everything, judged by histograms: much faster than sorting."""
    low, high = lows.min(axis=0), highs.max(axis=0)
    size = high - low
    step = np.where(size > 0.0, size, 1.0) / BINS
    ahead = [_cumulated((lows - low) // step, k, areas) for k in range(3)]
    behind = [_cumulated((high - highs) // step, k, areas) for k in range(3)]
    for share, growth in TRIMS:
        cut = [
            [np.searchsorted(c, share, side="right") + 1 for c in way] for way in (ahead, behind)
        ]
        begin, end = np.array(cut) * step  # cut away on either side, rounded up to whole bins
        reach = growth * float(np.linalg.norm(np.maximum(size - begin - end, 0.0)))
        if (begin > reach).any() or (end > reach).any():
            return False
    return True


def _cumulated(bins: Floats, axis: int, areas: Floats) -> Floats:
    """Return the share of the area up to each bin along an axis."""
    total = np.cumsum(np.bincount(bins[:, axis].astype(np.int64), areas, BINS + 1))
    shares: Floats = total / total[-1]
    return shares


def _trimmed(lows: Floats, highs: Floats, areas: Floats, share: float) -> tuple[Floats, Floats]:
    """Return the box that leaves ``share`` of the area beyond each of its six sides."""
    low = np.array([_quantile(lows[:, k], areas, share) for k in range(3)])
    high = np.array([-_quantile(-highs[:, k], areas, share) for k in range(3)])
    return np.minimum(low, high), np.maximum(low, high)


def _quantile(values: Floats, weights: Floats, share: float) -> float:
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    index = int(np.searchsorted(total, share * total[-1], side="right"))
    return float(values[order[min(index, len(order) - 1)]])
