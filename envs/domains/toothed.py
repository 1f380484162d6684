"""The mathematics of teeth: involute flanks, roller gaps, and how far a toothed disc reaches."""

from __future__ import annotations

import math

from cadwright.envs.domains.asking import Record, box

PRESSURE = math.radians(20)
ADDENDUM, DEDENDUM = 1.0, 1.25  # in modules
_SLICES = 200  # even; the flank is smooth, so the area is exact to a millionth


def half_tooth(module: float, teeth: float, radius: float) -> float:
    """Return half the angle of an involute tooth at a radius, radians; radial below the base."""
    base = module * teeth / 2 * math.cos(PRESSURE)
    roll = math.acos(base / radius) if radius > base else 0.0
    at_base = math.pi / (2 * teeth) + math.tan(PRESSURE) - PRESSURE
    return at_base - (math.tan(roll) - roll)


def gear_area(module: float, teeth: float) -> float:
    """Return the area of a full involute gear without bore, mm²."""
    pitch = module * teeth / 2
    root, tip = pitch - DEDENDUM * module, pitch + ADDENDUM * module
    step = (tip - root) / _SLICES
    total = 0.0
    for i in range(_SLICES + 1):  # Simpson
        weight = 1 if i in (0, _SLICES) else 4 if i % 2 else 2
        r = root + i * step
        total += weight * 2 * half_tooth(module, teeth, r) * r
    return math.pi * root**2 + teeth * total * step / 3


def lens(first: float, second: float, distance: float) -> float:
    """Return the area that two circles of these radii have in common, mm²."""
    a = math.acos((distance**2 + first**2 - second**2) / (2 * distance * first))
    b = math.acos((distance**2 + second**2 - first**2) / (2 * distance * second))
    kite = distance * first * math.sin(a)
    return first**2 * a + second**2 * b - kite


def gap_angle(roller: float, pitch_radius: float, outer: float) -> float:
    """Return half the angle that a round gap takes from the outer circle, radians."""
    across = pitch_radius**2 + outer**2 - roller**2
    return math.acos(across / (2 * pitch_radius * outer))


def toothed_box(outer: float, teeth: float, half_tip: float, first: float, height: float) -> Record:
    """Ask for the bounding box of a toothed disc about the Z axis, from Z = 0.

    Args:
        outer: Radius of the tips, mm.
        teeth: How many.
        half_tip: Half the angle of a tip on the outer circle, radians.
        first: Angle of the middle of a tip, radians from +X.
        height: Extent in Z, mm.
    """
    right, back, left, front = (
        outer * math.cos(max(0.0, _off(quarter * math.pi / 2 - first, teeth) - half_tip))
        for quarter in range(4)
    )
    centre = ((right - left) / 2, (back - front) / 2, height / 2)
    return box((right + left, back + front, height), centre)


def _off(angle: float, teeth: float) -> float:
    """Return the angle from a direction to the nearest tooth, radians."""
    pitch = 2 * math.pi / teeth
    rest = angle % pitch
    return min(rest, pitch - rest)
