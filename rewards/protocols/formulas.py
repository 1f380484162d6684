"""The published formulas as plain functions of numbers and arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cadwright.rewards.hygiene import unit_interval
from cadwright.tools.geometry.part import FloatArray

Cells = npt.NDArray[np.bool_]

CAD_CODER_PERFECT, CAD_CODER_LOST, CAD_CODER_LEAST = 1e-5, 0.5, 0.01
BETTI_SHARPNESS = 2.0


def cad_coder_geometry(chamfer: float) -> float:
    """Return CAD-Coder's geometry reward for a chamfer in the unit cube.

    1 below 1e-5, 0 from 0.5 on, in between a straight line that ends at 0.01.
    """
    if chamfer < CAD_CODER_PERFECT:
        return 1.0
    if chamfer >= CAD_CODER_LOST:
        return 0.0
    share = (chamfer - CAD_CODER_PERFECT) / (CAD_CODER_LOST - CAD_CODER_PERFECT)
    return 1.0 - (1.0 - CAD_CODER_LEAST) * share


def normal_auc(angles: FloatArray) -> float:
    """Return the area under the distribution of angles, as a share of pi.

    Args:
        angles: (n,) radians in 0 to pi, pi where a point found no partner.
    """
    ordered = np.sort(angles)
    x = np.concatenate([[0.0], ordered, [math.pi]])
    y = np.concatenate([[0.0], np.arange(1, len(ordered) + 1) / len(ordered), [1.0]])
    return unit_interval(float(np.trapezoid(y, x)) / math.pi)


def topology_product(part: Sequence[int], reference: Sequence[int]) -> float:
    """Return the product over Betti numbers of ((smaller + 1) / (larger + 1)) squared."""
    pairs = zip(part, reference, strict=True)
    ratios = [(min(a, b) + 1) / (max(a, b) + 1) if min(a, b) >= 0 else 0.0 for a, b in pairs]
    return math.prod(ratios) ** BETTI_SHARPNESS


def over_start(value: float, start: float) -> float:
    """Return how much of the way from ``start`` to 1 a score has gone, never below 0."""
    if start >= 1.0:
        return float(value >= 1.0)
    return unit_interval((value - start) / (1.0 - start))


def tolerant_overlap(part: Cells, reference: Cells, total: int) -> float:
    """Return cadrecon's IoU of two grids: a cell counts as common with a partner one face away.

    Args:
        part: (x, y, z) cells of the part around the reference.
        reference: The same box, cells of the reference, none of them on its border.
        total: Cells of both shapes together, also those of the part outside the box.
    """
    from scipy.ndimage import binary_dilation

    if total == 0:
        return 0.0
    matched = int((part & binary_dilation(reference)).sum())
    matched += int((reference & binary_dilation(part)).sum())
    common = matched / 2
    return common / (total - common)
