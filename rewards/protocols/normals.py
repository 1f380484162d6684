"""Whether normals agree between two surfaces, by the two ways that are in print."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cadwright.rewards.surface import RAY_BACK_OFF, Surface
from cadwright.tools.geometry.closest import distance_to_triangles
from cadwright.tools.geometry.part import FloatArray

# Nearest samples whose triangles may be the partner of a point.
NUM_PARTNERS = 3


def angles_to_best(reference: Surface, part: Surface, reach_mm: float) -> FloatArray:
    """Return (n,) the angle between each reference sample's normal and the best one near it.

    Args:
        reference: Its sample is looked at point by point.
        part: Its sample is searched.
        reach_mm: Points further away are no partners; a point without any gets pi.
    """
    near = part.tree.query_ball_point(reference.sample.points, r=reach_mm)
    counts = np.array([len(found) for found in near])
    partners = np.concatenate([np.asarray(found, dtype=np.intp) for found in near])
    wanted = reference.normals[reference.sample.owners]
    given = part.normals[part.sample.owners[partners]]
    cosines = np.einsum("ij,ij->i", np.repeat(wanted, counts, axis=0), given)
    angles = np.full(len(counts), math.pi)
    starts = (np.cumsum(counts) - counts)[counts > 0]
    if len(starts):
        best = np.maximum.reduceat(cosines, starts)
        angles[counts > 0] = np.arccos(np.clip(best, -1.0, 1.0))
    return angles


def share_of_partners(source: Surface, target: Surface, reach_mm: float, angle_deg: float) -> float:
    """Return the share of a surface's samples with a triangle near them that faces alike.

    The sign of a normal does not count, as in the protocol that this serves.

    Args:
        source: Its sample is looked at.
        target: Its triangles are searched.
        reach_mm: Largest distance of a partner.
        angle_deg: Largest angle between the normals.
    """
    points = source.sample.points
    normals = source.normals[source.sample.owners]
    least = math.cos(math.radians(angle_deg))
    found = _along_normal(points, normals, target, reach_mm, least)
    rest = np.flatnonzero(~found)
    found[rest] = _nearby(points[rest], normals[rest], target, reach_mm, least)
    return float(found.mean())


def _along_normal(
    points: FloatArray, normals: FloatArray, target: Surface, reach_mm: float, least: float
) -> npt.NDArray[np.bool_]:
    back_off = RAY_BACK_OFF * float(target.extents.max())
    found = np.zeros(len(points), dtype=np.bool_)
    for direction in (normals, -normals):
        gaps, hits = target.first_hits(points - back_off * direction, direction)
        is_near = np.abs(gaps - back_off) <= reach_mm
        alike = np.abs(np.einsum("ij,ij->i", target.normals[hits], normals)) >= least
        found |= is_near & alike
    return found


def _nearby(
    points: FloatArray, normals: FloatArray, target: Surface, reach_mm: float, least: float
) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(points), dtype=np.bool_)
    if not len(points):
        return found
    _, index = target.tree.query(points, k=[*range(1, NUM_PARTNERS + 1)])
    for column in target.sample.owners[index].T:
        is_near = distance_to_triangles(points, target.triangles[column]) <= reach_mm
        alike = np.abs(np.einsum("ij,ij->i", target.normals[column], normals)) >= least
        found |= is_near & alike
    return found
