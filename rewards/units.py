"""A part whose three extents are off by one and the same factor was built in another unit."""

from __future__ import annotations

import numpy as np

from cadwright.tools.geometry.part import FloatArray, Notice

# Part over reference, and what was taken for what.
FACTORS = (
    (1e-3, "mm were given as metres"),
    (1e3, "metres were given as mm"),
    (1 / 25.4, "mm were given as inches"),
    (25.4, "inches were given as mm"),
    (0.1, "mm were given as centimetres"),
    (10.0, "centimetres were given as mm"),
)
# Largest relative difference of an extent from the factor: an honest part is not that exact.
SAME_FACTOR = 0.05


def unit_notices(part_mm: FloatArray, reference_mm: FloatArray) -> tuple[Notice, ...]:
    """Return ``wrong_unit`` where the extents differ by the factor of a unit.

    Args:
        part_mm: (3,) extents of the part.
        reference_mm: (3,) extents of the reference, above 0.
    """
    if not (reference_mm > 0).all():
        return ()
    ratios = part_mm / reference_mm
    for factor, words in FACTORS:
        if np.abs(ratios / factor - 1).max() < SAME_FACTOR:
            return (Notice("wrong_unit", f"{factor:.4g} times the size asked for: {words}"),)
    return ()
