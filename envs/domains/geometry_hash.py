"""A hash of what a part is, whichever program made it: to find one part in two splits."""

from __future__ import annotations

import hashlib
import json

from cadwright.tools.geometry.part import Measures

DIGITS = 4  # of each number: two tessellations of one part agree in more


def geometry_hash(measures: Measures) -> str:
    """Return a hash of volume, area, box, centre and counts; equal parts have equal ones.

    Numbers are rounded, so two parts that differ by less than one part in ten thousand everywhere
    have one hash, and a number on the verge of rounding may give one part two.
    """
    low, high = measures.bbox_mm
    numbers = [measures.volume_mm3 or 0.0, measures.area_mm2, *low, *high, *measures.centre_mm]
    said = [f"{_tidy(number):.{DIGITS}g}" for number in numbers]
    counts = [measures.bodies, measures.num_faces, len(measures.holes)]
    return hashlib.sha256(json.dumps([said, counts]).encode()).hexdigest()


def _tidy(number: float) -> float:
    """Return what is a whole number but for rounding as that number: -0.0000001 is 0."""
    return round(number, 6) + 0.0
