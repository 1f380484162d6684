"""Surfaces through the corners of curved pieces of a mesh: cylinders, cones, spheres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.solids import frame_along

_FIT = 1e-3  # of the radius: corners may lie off a fitted surface by this
_LEAN = 0.05  # normals of a cone may lean by this: its facets need not be strips
_SLOPE = 0.01  # a cone that widens by less is a cylinder
_MIN_POINTS = 3
_SPREAD = 0.01  # normals of a sphere leave every plane by this; the rest lie in one
_STEPS = 3  # of Gauss-Newton, from an axis that is a thousandth off
_RANK = 1e-6  # directions that two strips alone do not determine stay as they are


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A surface fitted to a curved piece, as the fields of a patch."""

    kind: str
    axis: FloatArray
    point: FloatArray
    radius: float = 0.0
    half_deg: float = 0.0

    def off(self, points: FloatArray) -> FloatArray:
        """Return how far points lie off a cylinder."""
        local = points - self.point
        local = local - np.outer(local @ self.axis, self.axis)
        distances: FloatArray = np.abs(np.linalg.norm(local, axis=1) - self.radius)
        return distances


def fit_curved(
    points: FloatArray, ways: FloatArray, weights: FloatArray, slack: float
) -> Fitted | None:
    """Return the cylinder, cone or sphere through a curved piece, or None.

    Args:
        points: (n, 3) its corners.
        ways: (m, 3) unit normals of its triangles.
        weights: (m,) their areas.
        slack: How far in mm corners may lie off a cylinder.
    """
    if len(ways) < _MIN_POINTS:
        return None
    apart = ways - np.average(ways, axis=0, weights=weights)
    if np.linalg.svd(apart, compute_uv=False)[-1] > _SPREAD * np.sqrt(len(ways)):
        return _sphere(points)
    axis = np.linalg.eigh((ways * weights[:, None]).T @ ways)[1][:, 0]
    return fit_cylinder(points, axis, slack) or _cone(points, ways, weights)


def fit_cylinder(points: FloatArray, axis: FloatArray, slack: float) -> Fitted | None:
    """Return the cylinder near a unit axis that all points lie on within ``slack``, or None."""
    base = points.mean(axis=0)
    local = points - base
    turn = frame_along(axis)
    centre, radius = _round(local @ turn[:, :2])
    if not np.isfinite(radius):
        return None
    for _ in range(_STEPS):
        turn, centre, radius = _nearer(local, turn, centre, radius)
    point = base + turn[:, :2] @ centre
    found = Fitted("cylinder", turn[:, 2], point, radius=float(radius))
    return found if found.off(points).max() < slack else None


def widest_gap_deg(ways: FloatArray, axis: FloatArray) -> float:
    """Return the widest angle around a unit axis that none of (n, 3) directions lies in."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    second = np.cross(axis, first)
    angles = np.sort(np.degrees(np.arctan2(ways @ second, ways @ first)))
    return float(np.append(np.diff(angles), angles[0] + 360.0 - angles[-1]).max())


def _nearer(
    points: FloatArray, turn: FloatArray, centre: FloatArray, radius: float
) -> tuple[FloatArray, FloatArray, float]:
    """Return frame, centre and radius of a cylinder after one Gauss-Newton step."""
    flat, height = points @ turn[:, :2] - centre, points @ turn[:, 2]
    distance = np.maximum(np.linalg.norm(flat, axis=1), 1e-300)
    spokes = flat / distance[:, None]
    system = np.column_stack([spokes, spokes * height[:, None], np.ones(len(points))])
    step = np.linalg.lstsq(system, distance - radius, rcond=_RANK)[0]
    axis = turn[:, 2] + turn[:, :2] @ step[2:4]
    moved = turn[:, :2] @ (centre + step[:2])
    turn = frame_along(axis / np.linalg.norm(axis))
    return turn, moved @ turn[:, :2], radius + float(step[4])


def _cone(points: FloatArray, ways: FloatArray, weights: FloatArray) -> Fitted | None:
    mean = np.average(ways, axis=0, weights=weights)
    apart = ways - mean
    axis = np.linalg.eigh((apart * weights[:, None]).T @ apart)[1][:, 0]
    leans = ways @ axis
    lean = float(np.average(leans, weights=weights))
    if np.abs(leans - lean).max() > _LEAN or abs(lean) > 0.999:
        return None
    first = np.cross(axis, ways[0])
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    heights = points @ axis
    ring = points[np.abs(heights - heights.max()) < _FIT * np.ptp(heights)]
    if len(ring) < _MIN_POINTS:
        return None
    centre, wide = _round(np.column_stack([ring @ first, ring @ second]))
    middle = first * centre[0] + second * centre[1]
    radii = np.linalg.norm(points - middle - np.outer(heights, axis), axis=1)
    slope, start = np.polyfit(heights, radii, 1)
    if abs(slope) < _SLOPE or np.abs(radii - start - slope * heights).max() > _FIT * wide:
        return None
    apex = middle + axis * (-start / slope)
    half = float(np.degrees(np.arctan(abs(slope))))
    return Fitted("cone", axis * np.sign(slope), apex, half_deg=half)


def _sphere(points: FloatArray) -> Fitted | None:
    base = points.mean(axis=0)
    centre, radius = _round(points - base)
    off = np.abs(np.linalg.norm(points - base - centre, axis=1) - radius).max()
    if not off < _FIT * radius:
        return None
    return Fitted("sphere", np.array([0.0, 0.0, 1.0]), base + centre, radius=radius)


def _round(points: FloatArray) -> tuple[FloatArray, float]:
    """Return centre and radius of the circle or sphere nearest to points, NaN where none is."""
    base = points.mean(axis=0)
    local = points - base
    system = np.column_stack([2.0 * local, np.ones(len(local))])
    solution, _, rank, _ = np.linalg.lstsq(system, (local**2).sum(axis=1), rcond=None)
    if rank < system.shape[1]:
        return base, float("nan")
    centre = solution[:-1]
    return base + centre, float(np.sqrt(solution[-1] + centre @ centre))
