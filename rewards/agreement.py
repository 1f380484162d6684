"""Likeness that volume and distance do not show: directions, edges, outlines, holes through.

Shapes share a frame here, as in `similarity`. Each function returns 1 for a copy, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.rewards.normalise import FLAT_VOLUME, Solid
from cadwright.rewards.similarity import f1_from
from cadwright.rewards.surface import RAY_BACK_OFF, Sample, Surface
from cadwright.tools.geometry.closest import distance_to_triangles
from cadwright.tools.geometry.part import FloatArray, IntArray
from cadwright.tools.geometry.solids import Manifold
from cadwright.tools.geometry.surface import (
    FEATURE_ANGLE_DEG,
    edge_table,
    neighbour_cosines,
    neighbours,
)

# Nearest samples whose triangles may be the partner of a point.
NUM_PARTNERS = 8
# Cosines and ratios this close to 1 are 1: rays and outlines are rounded to single precision.
ROUNDING = 1e-6
# Points along the edges: a part of ten thousand edges is still compared in a fraction of a second.
MAX_EDGE_POINTS = 20_000
# Edge points lie this share of the tolerance apart, or closer.
EDGE_STEP = 0.25
_TURNS = ((0.0, 0.0, 0.0), (90.0, 0.0, 0.0), (0.0, 90.0, 0.0))  # what brings each axis to Z

Segments = FloatArray  # (k, 2, 3) mm


@dataclass(frozen=True, slots=True)
class Topology:
    """The Betti numbers of a solid.

    Attributes:
        bodies: b0, separate pieces of material.
        tunnels: b1, ways through: 1 for a ring, 4 for a plate with four holes.
        cavities: b2, closed voids.
    """

    bodies: int
    tunnels: int
    cavities: int

    @property
    def numbers(self) -> tuple[int, int, int]:
        """b0, b1, b2."""
        return (self.bodies, self.tunnels, self.cavities)

    def distance(self, other: Topology) -> int:
        """Return by how many pieces, tunnels and cavities two solids differ."""
        return (
            abs(self.bodies - other.bodies)
            + abs(self.tunnels - other.tunnels)
            + abs(self.cavities - other.cavities)
        )

    def __str__(self) -> str:
        """Return the three numbers."""
        return f"b0 {self.bodies}, b1 {self.tunnels}, b2 {self.cavities}"


def topology_of(solid: Solid) -> Topology | None:
    """Return the Betti numbers of a normalised solid, or None where it is not closed.

    The tunnels of the material are the handles of all its surfaces, those of cavities included. A
    surface that encloses next to nothing is no body and no cavity, and counts for nothing here.
    """
    if solid.manifold is None:
        return None
    shells = solid.manifold.decompose()
    flat_mm3 = FLAT_VOLUME * float(solid.extents_mm.max()) ** 3
    tunnels = sum(int(shell.genus()) for shell in shells if abs(shell.volume()) > flat_mm3)
    return Topology(solid.census.num_pieces, tunnels, solid.census.num_cavities)


def normal_consistency(first: Surface, second: Surface) -> float:
    """Return the mean cosine between normals and those of the nearest points, both ways.

    Normals that face against each other count as 0: the sides of a surface are known here.
    """
    return (_consistency(first, second) + _consistency(second, first)) / 2


def feature_edges(vertices: FloatArray, faces: IntArray) -> Segments:
    """Return the sharp edges of closed triangles, (k, 2, 3): what a drawing would show."""
    table = edge_table(faces, len(vertices))
    plain = np.flatnonzero(table.uses == 2)
    cosine = neighbour_cosines(vertices[faces], neighbours(table, plain))
    is_sharp = cosine < np.cos(np.radians(FEATURE_ANGLE_DEG))
    edges: Segments = vertices[table.ends[plain[is_sharp]]]
    return edges


def edge_agreement(first: Segments, second: Segments, tolerance_mm: float) -> float | None:
    """Return the F1 score of the sharp edges within a tolerance, or None where neither has any."""
    if not len(first) and not len(second):
        return None
    if not len(first) or not len(second):
        return 0.0
    from scipy.spatial import cKDTree

    step = _step(first, second, tolerance_mm)
    a, b = _along(first, step), _along(second, step)
    there, back = cKDTree(b).query(a)[0], cKDTree(a).query(b)[0]
    return f1_from(there, back, tolerance_mm)


def outlines(solid: Manifold) -> tuple[Manifold, ...]:
    """Return the outlines of a solid seen along Z, Y and X, as exact regions."""
    return tuple(solid.rotate(turn).project() for turn in _TURNS)


def silhouette_agreement(first: Sequence[Manifold], second: Sequence[Manifold]) -> float:
    """Return the mean IoU of two sets of outlines, from the same three sides."""
    ratios = []
    for a, b in zip(first, second, strict=True):
        common = (a ^ b).area()
        ratios.append(common / max(a.area() + b.area() - common, np.finfo(float).tiny))
    mean = float(np.mean(ratios))
    return 1.0 if mean > 1.0 - ROUNDING else mean


def _consistency(source: Surface, target: Surface) -> float:
    sample = source.sample
    normals = source.normals[sample.owners]
    candidates = np.column_stack(
        [_nearby(sample, target), *_along_normal(sample, normals, target)]
    )  # (n, c), -1 where a ray hit nothing
    best = _best_cosine(sample.points, normals, candidates, target)
    best[best > 1.0 - ROUNDING] = 1.0
    return float(np.clip(best, 0.0, 1.0).mean())


def _best_cosine(
    points: FloatArray, normals: FloatArray, candidates: npt.NDArray[np.intp], target: Surface
) -> FloatArray:
    """Return the cosine to the nearest candidate; of equally near ones to the most alike."""
    gaps = np.full(candidates.shape, np.inf)
    cosines = np.zeros(candidates.shape)
    for column, owners in enumerate(candidates.T):
        hit = owners >= 0
        gaps[hit, column] = distance_to_triangles(points[hit], target.triangles[owners[hit]])
        cosines[hit, column] = np.einsum("ij,ij->i", normals[hit], target.normals[owners[hit]])
    nearest = gaps.min(axis=1, keepdims=True)
    is_near = gaps <= nearest + ROUNDING * float(target.extents.max())
    best: FloatArray = np.where(is_near, cosines, -1.0).max(axis=1)
    return best


def _nearby(sample: Sample, target: Surface) -> npt.NDArray[np.intp]:
    count = min(NUM_PARTNERS, target.num_points)
    _, index = target.tree.query(sample.points, k=[*range(1, count + 1)])
    owners: npt.NDArray[np.intp] = target.sample.owners[index]
    return owners


def _along_normal(
    sample: Sample, normals: FloatArray, target: Surface
) -> tuple[npt.NDArray[np.intp], ...]:
    back_off = RAY_BACK_OFF * float(target.extents.max())
    return tuple(
        target.hit(sample.points - back_off * direction, direction)
        for direction in (normals, -normals)
    )


def _step(first: Segments, second: Segments, tolerance_mm: float) -> float:
    longest = max(float(np.linalg.norm(s[:, 1] - s[:, 0], axis=1).sum()) for s in (first, second))
    return max(EDGE_STEP * tolerance_mm, longest / MAX_EDGE_POINTS)


def _along(segments: Segments, step: float) -> FloatArray:
    """Return points on segments, at most ``step`` apart and in the middle of equal shares."""
    length = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    count = np.maximum(1, np.ceil(length / step)).astype(np.int64)
    owner = np.repeat(np.arange(len(segments)), count)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    share = ((place + 0.5) / count[owner])[:, None]
    points: FloatArray = segments[owner, 0] * (1 - share) + segments[owner, 1] * share
    return points
