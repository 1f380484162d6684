"""How alike two shapes are: overlap of volume, distance of surfaces, chamfer by its real names.

Every function takes shapes that already share a frame (see `cadwright.rewards.alignment`) and
returns plain numbers with None for "undefined". Credit and weights are not given here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadwright.rewards.distances import Gaps, sample_distances, surface_gaps
from cadwright.rewards.raster import Occupancy, occupancy
from cadwright.rewards.surface import FLOOR_STREAM, Surface
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.solids import Manifold

EXACT = "manifold"
# Two grids, so that their difference tells how far to trust the finer one.
RASTER_CELLS = (64, 96)
# Extra room around both shapes, as a share of the box, so that no face lies on its border.
RASTER_MARGIN = 0.01
# Two exact solids agree to about 1e-12 of their volume; anything this close to 1 is 1.
IOU_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Overlap:
    """Intersection over union.

    Attributes:
        iou: In [0, 1], or None where it is undefined: both shapes are empty.
        method: ``manifold``, or ``raster 96`` for an approximation.
        error: Estimated error of ``iou``; 0 for the exact method on these triangles.
    """

    iou: float | None
    method: str
    error: float = 0.0


def exact_overlap(first: Manifold, second: Manifold) -> Overlap | None:
    """Return the IoU of two closed solids in one frame, exact for their triangles.

    None where the boolean itself reports an error: that is not an IoU of 0.
    """
    common = first ^ second
    if common.status().name != "NoError":
        return None
    union = first.volume() + second.volume() - common.volume()
    return Overlap(_ratio(common.volume(), union), EXACT)


def raster_overlap(first: FloatArray, second: FloatArray) -> Overlap:
    """Return an approximate IoU of two triangle sets that need not be closed.

    Args:
        first: (m, 3, 3) mm.
        second: (k, 3, 3) mm in the same frame.

    Returns:
        The IoU on the finer of two grids; the error is their difference plus half a cell.
    """
    coarse, fine = (_raster_iou(first, second, cells) for cells in RASTER_CELLS)
    method = f"raster {RASTER_CELLS[-1]}"
    if coarse is None or fine is None:
        return Overlap(fine, method, 1.0)
    return Overlap(fine, method, min(1.0, abs(fine - coarse) + 0.5 / RASTER_CELLS[-1]))


def surface_deviation_mm(first: Surface, second: Surface) -> tuple[Gaps, Gaps]:
    """Return how far the surfaces lie from each other, in both directions, mm.

    A copy measures 0: these distances have no noise floor.
    """
    return surface_gaps(first, second), surface_gaps(second, first)


def sample_gaps_mm(first: Surface, second: Surface) -> tuple[FloatArray, FloatArray]:
    """Return the distances between the samples of two surfaces, in both directions, mm.

    The three functions below take these. They stay above 0 for two samples of one shape: see
    `second_sample` for the noise floor to report beside them.
    """
    there = sample_distances(first.sample.points, second)
    back = sample_distances(second.sample.points, first)
    return there, back


def chamfer_l2_mm(there: FloatArray, back: FloatArray) -> float:
    """Return ``(mean d(a, B) + mean d(b, A)) / 2``: distances not squared, halved, in mm."""
    return float(there.mean() + back.mean()) / 2


def chamfer_sq_unit_x1000(there: FloatArray, back: FloatArray, extent_mm: float) -> float:
    """Return ``1000 * (mean d² + mean d²)``, lengths in units of ``extent_mm``.

    This is what cadrille and others print as CD x 10³: squared, summed over both directions,
    in a cube with the largest extent as its side.
    """
    return float((there**2).mean() + (back**2).mean()) / extent_mm**2 * 1000


def hausdorff95_mm(there: FloatArray, back: FloatArray) -> float:
    """Return the 95th percentile of the distances, both directions pooled, mm."""
    return float(np.percentile(np.concatenate([there, back]), 95))


def f1_from(there: FloatArray, back: FloatArray, tolerance_mm: float) -> float:
    """Return the F1 score of the surface points within a tolerance, from both distances."""
    precision, recall = (float((gaps <= tolerance_mm).mean()) for gaps in (there, back))
    total = precision + recall
    return 0.0 if total == 0 else 2 * precision * recall / total


def second_sample(surface: Surface) -> Surface:
    """Return the same surface under an independent sample: what a noise floor is measured on."""
    return Surface(
        surface.triangles,
        num_points=surface.num_points,
        seed=surface.seed,
        stream=FLOOR_STREAM,
    )


def size_ratio(first: FloatArray, second: FloatArray) -> float:
    """Return the product over the axes of smaller over larger extent: 1 only for equal boxes."""
    larger = np.maximum(first, second)
    ratios = np.divide(np.minimum(first, second), larger, out=np.ones(3), where=larger > 0)
    return float(ratios.prod())


def volume_ratio(first: float, second: float) -> float:
    """Return smaller over larger volume, 1 where they are equal."""
    larger = max(first, second)
    return 1.0 if larger <= 0.0 else max(0.0, min(first, second)) / larger


def _raster_iou(first: FloatArray, second: FloatArray, cells: int) -> float | None:
    both = np.concatenate([first.reshape(-1, 3), second.reshape(-1, 3)])
    low, high = both.min(axis=0), both.max(axis=0)
    margin = RASTER_MARGIN * np.maximum(high - low, RASTER_MARGIN * (high - low).max())
    a: Occupancy = occupancy(first, low - margin, high + margin, cells)
    b: Occupancy = occupancy(second, low - margin, high + margin, cells)
    return _ratio(float((a & b).sum()), float((a | b).sum()))


def _ratio(common: float, union: float) -> float | None:
    if union <= 0.0:
        return None
    iou = min(1.0, max(0.0, common / union))
    return 1.0 if iou > 1.0 - IOU_ROUNDING else iou
