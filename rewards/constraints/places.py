"""Distances and angles between what is asked and what is found.

A coordinate that a place leaves open is left out on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cadwright.rewards.constraints.values import Place
from cadwright.tools.geometry.part import FloatArray, Vector

XYZ = Sequence[float] | FloatArray


def angle_deg(first: XYZ, second: XYZ) -> float:
    """Return the angle between two directions, 0 to 180 degrees."""
    ax, ay, az = map(float, first)
    bx, by, bz = map(float, second)
    across = math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    # atan2, not acos: exact near 0, where the tolerances are
    return math.degrees(math.atan2(across, ax * bx + ay * by + az * bz))


def line_angle_deg(first: XYZ, second: XYZ) -> float:
    """Return the angle between two lines, 0 to 90 degrees."""
    angle = angle_deg(first, second)
    return min(angle, 180.0 - angle)


def place_distance(place: Place, point: XYZ) -> float:
    """Return the distance of a point from a place, in mm."""
    return segment_distance(place, point, point)


def segment_distance(place: Place, start: XYZ, end: XYZ) -> float:
    """Return the distance of a place from a stretch of an axis, in mm."""
    known = [index for index, value in enumerate(place) if value is not None]
    wanted = np.array([value for value in place if value is not None])
    low, high = np.asarray(start, dtype=float)[known], np.asarray(end, dtype=float)[known]
    along = high - low
    length = float(along @ along)
    share = 0.0 if length == 0.0 else float(np.clip((wanted - low) @ along / length, 0.0, 1.0))
    return float(np.linalg.norm(wanted - (low + share * along)))


def line_distance(point: XYZ, on_line: XYZ, axis: XYZ) -> float:
    """Return the distance of a point from an endless line, in mm."""
    gap = np.asarray(point, dtype=float) - np.asarray(on_line, dtype=float)
    return float(np.linalg.norm(np.cross(gap, np.asarray(axis, dtype=float))))


def shown(values: Sequence[float | None]) -> str:
    """Return a place or direction as a person reads it."""
    return "(" + ", ".join("any" if v is None else f"{round(v, 6) + 0.0:.4g}" for v in values) + ")"


def shown_direction(vector: Vector) -> str:
    """Return ``+z`` for an axis of the coordinates, else the numbers."""
    for index, name in enumerate("xyz"):
        if abs(vector[index]) > 1.0 - 1e-9:
            return f"{'+' if vector[index] > 0 else '-'}{name}"
    return shown(vector)
