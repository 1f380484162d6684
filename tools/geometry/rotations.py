"""Rotations of space as (3, 3) matrices."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from cadwright.tools.geometry.part import FloatArray


def rotation_by(vector: FloatArray) -> FloatArray:
    """Return the rotation about a (3,) vector by its length in radians."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn: FloatArray = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return turn


def cube_rotations() -> tuple[FloatArray, ...]:
    """Return the 24 rotations that map axes to axes, in a fixed order."""
    found = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), order] = signs
            if np.linalg.det(matrix) > 0.0:
                found.append(matrix)
    return tuple(found)
