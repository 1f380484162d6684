"""An orthographic z-buffer in plain numpy: the same numbers on every machine, no driver needed.

For small pictures of parts with a few thousand triangles. Triangles are cut into rows of pixels
(spans), spans into pixels, and the nearest pixel wins. Nothing is smoothed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FLAT = 1e-9  # px², of triangles that are seen edge-on


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """What is nearest to the viewer in each pixel.

    Attributes:
        depth: (H, W) height towards the viewer, -inf where nothing is hit.
        triangle: (H, W) number of the triangle, -1 where nothing is hit.
    """

    depth: Floats
    triangle: Ints


def nearest_surface(corners: Floats, size: tuple[int, int], ceiling: float = np.inf) -> Surface:
    """Return what is seen of some triangles at the pixels' centres.

    Args:
        corners: (m, 3, 3) corners as column and row in pixels and height towards the viewer.
        size: Height and width in pixels.
        ceiling: What lies above this height is not seen: the part is cut open there.
    """
    height, width = size
    triangle, row, low, high = _spans(corners, height, width)
    lengths = high - low
    which = np.repeat(np.arange(len(lengths)), lengths)  # (k,) span of each pixel
    starts = np.cumsum(lengths) - lengths
    column = low[which] + np.arange(len(which)) - starts[which]
    triangle, row = triangle[which], row[which]
    at = _planes(corners)[triangle]
    level = at[:, 0] * (column + 0.5) + at[:, 1] * (row + 0.5) + at[:, 2]
    keep = level <= ceiling
    return _composed(level[keep], triangle[keep], (row * width + column)[keep], size)


def _composed(level: Floats, triangle: Ints, pixel: Ints, size: tuple[int, int]) -> Surface:
    """Write pixels from the lowest to the highest, so that the highest stays."""
    order = np.argsort(level, kind="stable")
    depth = np.full(size[0] * size[1], -np.inf)
    owner = np.full(size[0] * size[1], -1, dtype=np.int64)
    depth[pixel[order]] = level[order]
    owner[pixel[order]] = triangle[order]
    return Surface(depth.reshape(size), owner.reshape(size))


def _spans(corners: Floats, height: int, width: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return triangle, row, first column and the one after the last, of each row hit."""
    rows = corners[:, :, 1]
    first = np.clip(np.ceil(rows.min(axis=1) - 0.5), 0, height).astype(np.int64)
    last = np.clip(np.ceil(rows.max(axis=1) - 0.5), 0, height).astype(np.int64)
    counts = np.where(np.abs(_areas(corners)) > FLAT, last - first, 0)
    triangle = np.repeat(np.arange(len(corners)), counts)
    row = first[triangle] + np.arange(len(triangle)) - (np.cumsum(counts) - counts)[triangle]
    low, high = _crossings(corners[triangle], row + 0.5)
    start = np.clip(np.ceil(low - 0.5), 0, width).astype(np.int64)
    stop = np.clip(np.ceil(high - 0.5), 0, width).astype(np.int64)
    return triangle, row, start, np.maximum(stop, start)


def _crossings(corners: Floats, level: Floats) -> tuple[Floats, Floats]:
    """Return where the outlines of (n, 3, 3) triangles cross the rows (n,): left and right."""
    ends = np.roll(corners, -1, axis=1)
    rise = ends[:, :, 1] - corners[:, :, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (level[:, None] - corners[:, :, 1]) / rise
        column = corners[:, :, 0] + share * (ends[:, :, 0] - corners[:, :, 0])
    is_crossed = (share >= 0.0) & (share <= 1.0)  # NaN, of level edges, is neither
    low = np.where(is_crossed, column, np.inf).min(axis=1)
    high = np.where(is_crossed, column, -np.inf).max(axis=1)
    return low, np.maximum(high, low)


def _planes(corners: Floats) -> Floats:
    """Return (m, 3): height over the picture as a, b, c of ``a * column + b * row + c``."""
    first = corners[:, 1] - corners[:, 0]
    second = corners[:, 2] - corners[:, 0]
    normal = np.cross(first, second)
    scale = np.where(np.abs(normal[:, 2]) > FLAT, normal[:, 2], np.inf)
    slope = -normal[:, :2] / scale[:, None]
    base = corners[:, 0, 2] - (slope * corners[:, 0, :2]).sum(axis=1)
    return np.column_stack([slope, base])


def _areas(corners: Floats) -> Floats:
    first = corners[:, 1, :2] - corners[:, 0, :2]
    second = corners[:, 2, :2] - corners[:, 0, :2]
    areas: Floats = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    return areas
