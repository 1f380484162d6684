"""A surface as alignment holds it: telling points, and how well another one fits to them.

Points spread over the area alone miss what tells one turn of a flange from the next: the wall of
one small hole. So half of the telling points go to the area and half to the triangles, of which
small features have many; each carries the weight that makes a mean one over the area again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cadwright.rewards.distances import distances_to
from cadwright.rewards.surface import Owners, Surface, spread_over
from cadwright.tools.geometry.closest import distance_to_triangles
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.rotations import rotation_by

# Points that a pose is searched by: a fit is measured at some of one shape's, against all of the
# other's.
NUM_TELLING = 2048
# Triangles that are tried for each point: beside an edge the nearest may be the wrong one.
NUM_TRIED = 2
# Share of the points that a step follows: the rest may lie where the other shape has nothing.
TRUSTED = 0.9
# Directions in which a step changes the distances by less than this share are left as they are.
FREE = 1e-6
# A step that moves no point farther than this share of the diagonal is the last.
SETTLED = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Transform:
    """``x -> scale * rotation @ x + translation``, lengths in mm.

    Attributes:
        rotation: (3, 3) with determinant +1.
        scale: Factor above 0.
        translation: (3,) mm.
    """

    rotation: FloatArray
    scale: float
    translation: FloatArray

    @classmethod
    def about(
        cls, rotation: FloatArray, scale: float, source: FloatArray, target: FloatArray
    ) -> Transform:
        """Return the transform with this rotation that takes one point to another."""
        return cls(rotation, scale, target - scale * rotation @ source)

    def apply(self, points: FloatArray) -> FloatArray:
        """Return (..., 3) points moved."""
        moved: FloatArray = self.scale * points @ self.rotation.T + self.translation
        return moved

    def then_shift(self, offset: FloatArray) -> Transform:
        """Return this transform followed by a shift."""
        return Transform(self.rotation, self.scale, self.translation + offset)

    def from_frame(self, origin: FloatArray) -> Transform:
        """Return the same motion for points given relative to ``origin``."""
        return Transform(self.rotation, self.scale, self.apply(origin))

    @property
    def inverse(self) -> Transform:
        """The transform that takes everything back."""
        back = self.rotation.T
        return Transform(back, 1.0 / self.scale, -back @ self.translation / self.scale)

    @property
    def is_shift(self) -> bool:
        """It neither turns nor scales."""
        return self.scale == 1.0 and bool(np.array_equal(self.rotation, np.eye(3)))

    @property
    def matrix(self) -> FloatArray:
        """(3, 4) affine matrix."""
        return np.column_stack([self.scale * self.rotation, self.translation])

    def to_json(self) -> dict[str, Any]:
        """Return the transform for a metric card."""
        return {
            "rotation": self.rotation.tolist(),
            "scale": float(self.scale),
            "translation_mm": self.translation.tolist(),
        }


class TellingSurface(Surface):
    """Triangles that another shape is brought onto, or that are brought onto another shape."""

    @cached_property
    def _shares(self) -> FloatArray:
        """(m,) of the telling points that lie in each triangle."""
        has_area = self.areas > 0.0
        shares: FloatArray = (self.areas / self.areas.sum() + has_area / has_area.sum()) / 2
        return shares

    @cached_property
    def _telling(self) -> tuple[FloatArray, Owners]:
        start = np.random.default_rng([self.seed, NUM_TELLING]).random(3)
        sample = spread_over(self.triangles, self._shares, NUM_TELLING, start)
        return sample.points, sample.owners

    @property
    def points(self) -> FloatArray:
        """(n, 3) mm, the telling points."""
        return self._telling[0]

    @property
    def owners(self) -> Owners:
        """(n,) index of the triangle under each of them."""
        return self._telling[1]

    @cached_property
    def weights(self) -> FloatArray:
        """(n,) share of the area that each of them stands for."""
        areas = self.areas[self.owners] / self._shares[self.owners]
        weights: FloatArray = areas / areas.sum()
        return weights

    @cached_property
    def centroid(self) -> FloatArray:
        """(3,) centre of area, exact, mm."""
        weights = self.areas / self.areas.sum()
        middle: FloatArray = weights @ self.triangles.mean(axis=1)
        return middle

    @cached_property
    def _telling_tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.points)

    def nearest(self, points: FloatArray) -> tuple[FloatArray, Owners]:
        """Return (n,) mm to the nearest of the triangles under close points, and (n,) which."""
        _, index = self._telling_tree.query(points, k=[*range(1, NUM_TRIED + 1)])
        owners = self.owners[index]
        repeated = np.repeat(points, NUM_TRIED, axis=0)
        found = distance_to_triangles(repeated, self.triangles[owners.reshape(-1)])
        gaps = found.reshape(-1, NUM_TRIED)
        best, each = gaps.argmin(axis=1), np.arange(len(points))
        return gaps[each, best], owners[each, best]


def misfits(
    poses: list[Transform], part: TellingSurface, reference: TellingSurface, *, every: int
) -> FloatArray:
    """Return (p,) mean mm from a part under each pose to the reference.

    Args:
        poses: At least one.
        part: What is moved.
        reference: What it is moved onto.
        every: Only every so many-th of the telling points is measured.
    """
    points, weights = part.points[::every], part.weights[::every]
    normals = part.normals[part.owners[::every]]
    moved = np.concatenate([pose.apply(points) for pose in poses])
    turned = np.concatenate([normals @ pose.rotation.T for pose in poses])
    gaps = distances_to(moved, turned, reference)
    means: FloatArray = gaps.reshape(len(poses), -1) @ (weights / weights.sum())
    return means


def settled(
    pose: Transform, part: TellingSurface, reference: TellingSurface, *, every: int, rounds: int
) -> Transform:
    """Return the pose after following the planes of the nearest triangles.

    Planes, not points: a part slides along them until the last hole is in its place.
    """
    points = part.points[::every]
    for _ in range(rounds):
        moved = pose.apply(points)
        gaps, owners = reference.nearest(moved)
        kept = gaps <= np.quantile(gaps, TRUSTED)
        owners, normals = owners[kept], reference.normals[owners[kept]]
        heights = np.einsum("ij,ij->i", reference.triangles[owners, 0] - moved[kept], normals)
        turn, shift = _step(moved[kept], heights, normals)
        pose = Transform(turn @ pose.rotation, pose.scale, turn @ pose.translation + shift)
        if np.abs(pose.apply(points) - moved).max() <= SETTLED * reference.diagonal:
            break
    return pose


def _step(
    points: FloatArray, heights: FloatArray, normals: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the small rotation and the shift that best raise points to their planes."""
    centre = points.mean(axis=0)
    local = points - centre
    reach = max(float(np.abs(local).max()), np.finfo(float).tiny)
    system = np.column_stack([np.cross(local / reach, normals), normals])
    found = np.linalg.lstsq(system, heights, rcond=FREE)[0]
    turn = rotation_by(found[:3] / reach)
    return turn, centre + found[3:] - turn @ centre
