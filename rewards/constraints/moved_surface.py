"""How far a surface moved from another that it should still be: facets seen through.

Two parts that share a curved face are tessellated apart, and the facets of one lie off those of
the other though nothing moved. So a point of a facet is taken to the surface that the facet stands
for, and from there along the normal to the other part's surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.rewards.distances import probe_distances, probes_of
from cadwright.rewards.surface import Surface
from cadwright.tools.geometry.gauged import Gauged
from cadwright.tools.geometry.part import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]

_SLACK = 2.0  # times the sags of both: what facets may be wrong by, and how far a ray looks


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of the two parts: its triangles as a surface, and what they stand for."""

    surface: Surface
    gauged: Gauged


def moves(source: Side, target: Side, chosen: BoolArray | None = None) -> FloatArray:
    """Return (n,) mm that points of one surface lie from another, the largest within 1 %.

    Args:
        source: Where the points are.
        target: Where they are measured to.
        chosen: (n,) which of the points of ``probes_of`` count; None for all.
    """
    points, normals = probes_of(source.surface)
    owners = np.concatenate([source.surface.even.owners, source.surface.details.owners])
    if chosen is not None:
        points, normals, owners = points[chosen], normals[chosen], owners[chosen]
    distances = probe_distances(points, normals, target.surface)
    return _seen_through(points, owners.astype(np.int32), distances, source, target)


def _seen_through(
    points: FloatArray, owners: IntArray, distances: FloatArray, source: Side, target: Side
) -> FloatArray:
    """Return distances that facets made too large or too small, put right along the normals."""
    sag = source.gauged.exact.sag_mm + target.gauged.exact.sag_mm
    if sag == 0.0:
        return distances
    feet = source.gauged.exact.feet(points, owners)
    back = distances + _SLACK * sag
    nearest = np.full(len(points), np.inf)
    for way in (feet.normals, -feet.normals):
        starts = feet.points - back[:, None] * way
        hits = target.gauged.rays.hit(starts, way).astype(np.int32)
        met = np.flatnonzero(hits >= 0)
        reach = target.gauged.exact.reach(starts[met], way[met], hits[met])
        nearest[met] = np.minimum(nearest[met], np.abs(reach - back[met]))
    return np.where(np.abs(nearest - distances) <= _SLACK * sag, nearest, distances)
