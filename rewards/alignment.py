"""Bringing a part into the frame of its reference, by named modes.

A score means nothing without saying what position, size and pose it forgave. So each mode has a
name, the transform it chose is recorded, and the same input gives the same transform:

* ``none``: nothing is forgiven; the part stands where it was built.
* ``translate``: the middles of the two bounding boxes are put together.
* ``translate_scale``: the same, and the largest extents are made equal. With lengths read in
  units of the reference's largest extent this is the unit-cube normalisation of cadrille.
* ``rigid``: proper rotations and translation, never a mirror image. Candidates are the 24
  rotations of a cube between the axes, the principal axes and the dominant planes of the two
  shapes; the best of them is refined by iterative closest points.
* ``similarity``: ``rigid``, after the square roots of the surface areas are made equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations, product
from typing import Any

import numpy as np

from cadwright.rewards.distances import probe_distances, sample_distances
from cadwright.rewards.surface import COINCIDENT, Surface
from cadwright.tools.geometry.part import FloatArray

# Points that measure a pose, and the fewer that rank all candidates.
NUM_POSE_POINTS = 2048
NUM_RANKING_POINTS = 256
NUM_SHORTLISTED = 8
NUM_REFINED = 2
REFINE_STEPS = 30
# A refinement that gains less than this share of the mean distance is over.
REFINE_GAIN = 1e-3
# Triangles, largest first, whose normals are tried as the dominant direction.
MAX_DIRECTIONS = 64
# Below this length a normal projected onto a plane has no direction in it.
TINY = 1e-9
# Second directions shorter than this, once the first is taken out, are the first one again.
TOO_PARALLEL = 0.5
# Two face normals closer than this cosine are one direction.
SAME_DIRECTION = 0.999


class Alignment(StrEnum):
    """What a score forgives; see the module's docstring."""

    NONE = "none"
    TRANSLATE = "translate"
    TRANSLATE_SCALE = "translate_scale"
    RIGID = "rigid"
    SIMILARITY = "similarity"


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


IDENTITY = Transform(np.eye(3), 1.0, np.zeros(3))


def pose_surface(triangles: FloatArray, *, seed: int, stream: int) -> Surface:
    """Return triangles under a sample small enough to try many poses with."""
    return Surface(triangles, num_points=NUM_POSE_POINTS, seed=seed, stream=stream)


def align(part: Surface, reference: Surface, mode: Alignment) -> Transform:
    """Return the transform that brings the part into the reference's frame.

    Args:
        part: The part in mm, from `pose_surface`.
        reference: The reference in mm, in the same coordinates.
        mode: What to forgive.

    Returns:
        A transform for the part; ``IDENTITY`` for ``none``.
    """
    if mode is Alignment.NONE:
        return IDENTITY
    if mode in (Alignment.TRANSLATE, Alignment.TRANSLATE_SCALE):
        return _by_boxes(part, reference, keeps_scale=mode is Alignment.TRANSLATE)
    scale = 1.0
    if mode is Alignment.SIMILARITY:
        scale = float(np.sqrt(reference.areas.sum() / part.areas.sum()))
    return _by_search(part, reference, scale)


def _by_boxes(part: Surface, reference: Surface, *, keeps_scale: bool) -> Transform:
    scale = 1.0
    if not keeps_scale and part.extents.max() > 0:
        scale = float(reference.extents.max() / part.extents.max())
    return Transform(np.eye(3), scale, reference.middle - scale * part.middle)


def _by_search(part: Surface, reference: Surface, scale: float) -> Transform:
    """Rank all candidate poses on a few points, measure the best exactly, refine the winners."""
    points = _spread(part.sample.points, NUM_RANKING_POINTS)
    poses = _distinct(_candidates(part, reference, scale))
    rough = [_cost(pose, points, reference) for pose in poses]
    # unturned comes first: chance in the few ranking points must not drop the plainest answer
    shortlist = poses[:1] + [poses[i] for i in _ascending(rough)[:NUM_SHORTLISTED]]
    exact = [_exact_cost(pose, part, reference) for pose in shortlist]
    leaders = [shortlist[i] for i in _ascending(exact)[:NUM_REFINED]]
    if min(exact) <= COINCIDENT * reference.diagonal:
        return leaders[0]
    finalists = leaders + [_refine(pose, points, reference) for pose in leaders]
    return min(finalists, key=lambda pose: _exact_cost(pose, part, reference))


def _ascending(costs: list[float]) -> list[int]:
    return sorted(range(len(costs)), key=costs.__getitem__)


def _distinct(poses: Iterator[Transform]) -> list[Transform]:
    """Return the poses without repeats, in their order."""
    found = {tuple(np.round(pose.matrix, 6).ravel() + 0.0): pose for pose in poses}
    return list(found.values())


def _candidates(part: Surface, reference: Surface, scale: float) -> Iterator[Transform]:
    """Yield poses that put a frame of the part onto the same kind of frame of the reference.

    Each rotation comes twice: with the middles of the boxes along the frame put together, which
    is right where something small is missing, and with the centres of area.
    """
    for part_frame, reference_frame in zip(_frames(part), _frames(reference), strict=True):
        part_anchors = (_box_middle(part, part_frame), centroid(part))
        reference_anchors = (_box_middle(reference, reference_frame), centroid(reference))
        for turn in CUBE_ROTATIONS:
            rotation = reference_frame @ turn @ part_frame.T
            for source, target in zip(part_anchors, reference_anchors, strict=True):
                yield _about(rotation, scale, source, target)


def _box_middle(surface: Surface, frame: FloatArray) -> FloatArray:
    """Return the middle of the box whose sides run along the frame's axes."""
    points = surface.triangles.reshape(-1, 3) @ frame
    middle: FloatArray = frame @ ((points.min(axis=0) + points.max(axis=0)) / 2)
    return middle


def _about(rotation: FloatArray, scale: float, source: FloatArray, target: FloatArray) -> Transform:
    """Return the transform with this rotation that takes one point to another."""
    return Transform(rotation, scale, target - scale * rotation @ source)


def _frames(surface: Surface) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return proper frames, axes in columns: the world's, of inertia, of the largest planes."""
    return np.eye(3), _principal_frame(surface), _plane_frame(surface)


def centroid(surface: Surface) -> FloatArray:
    """Return the centre of area, exact, mm."""
    weights = surface.areas / surface.areas.sum()
    middle: FloatArray = weights @ surface.triangles.mean(axis=1)
    return middle


def _principal_frame(surface: Surface) -> FloatArray:
    """Return the axes of the exact second moment of area, smallest moment first."""
    corners = surface.triangles - centroid(surface)
    sums = corners.sum(axis=1)
    weights = surface.areas / surface.areas.sum()
    outer = np.einsum("m,mki,mkj->ij", weights, corners, corners)
    moment = (outer + np.einsum("m,mi,mj->ij", weights, sums, sums)) / 12
    _, axes = np.linalg.eigh(moment)
    return _proper(axes)


def _plane_frame(surface: Surface) -> FloatArray:
    """Return a frame along the two directions that most of the surface's area faces."""
    first = _dominant(surface.normals, surface.areas)
    across = surface.normals - np.outer(surface.normals @ first, first)
    second = _dominant(_unit(across), surface.areas * np.linalg.norm(across, axis=1) ** 4)
    second = second - (second @ first) * first
    if np.linalg.norm(second) < TOO_PARALLEL:
        second = np.eye(3)[int(np.argmin(np.abs(first)))]
        second = second - (second @ first) * first
    second = second / np.linalg.norm(second)
    return _proper(np.column_stack([first, second, np.cross(first, second)]))


def _dominant(normals: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the direction, either sign, with the most weight close to it."""
    heaviest = np.argsort(-weights, kind="stable")[:MAX_DIRECTIONS]
    closeness = np.abs(normals[heaviest] @ normals.T) > SAME_DIRECTION
    support = closeness @ weights
    direction: FloatArray = normals[heaviest][int(np.argmax(support))]
    return direction


def _unit(vectors: FloatArray) -> FloatArray:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > TINY)
    return unit


def _proper(axes: FloatArray) -> FloatArray:
    """Return the frame with its last axis turned where it was left-handed."""
    frame = axes.copy()
    if np.linalg.det(frame) < 0:
        frame[:, 2] = -frame[:, 2]
    return frame


def _refine(pose: Transform, points: FloatArray, reference: Surface) -> Transform:
    """Return the pose after iterative closest points; rotation and translation only."""
    best, best_cost = pose, _cost(pose, points, reference)
    for _ in range(REFINE_STEPS):
        _, nearest = reference.tree.query(best.apply(points))
        trial = _fit(points, reference.sample.points[nearest], pose.scale)
        cost = _cost(trial, points, reference)
        if cost > best_cost * (1 - REFINE_GAIN):
            break
        best, best_cost = trial, cost
    return best


def _fit(source: FloatArray, target: FloatArray, scale: float) -> Transform:
    """Return the proper rotation and shift that best take points to their partners (Kabsch)."""
    source_mean, target_mean = source.mean(axis=0), target.mean(axis=0)
    u, _, vt = np.linalg.svd((source - source_mean).T @ (target - target_mean))
    sign = np.sign(np.linalg.det(vt.T @ u.T))
    rotation = vt.T @ np.diag([1.0, 1.0, sign]) @ u.T
    return _about(rotation, scale, source_mean, target_mean)


def _cost(pose: Transform, points: FloatArray, reference: Surface) -> float:
    return float(sample_distances(pose.apply(points), reference).mean())


def _exact_cost(pose: Transform, part: Surface, reference: Surface) -> float:
    """Return the mean surface distance from both sides, mm; it has no noise floor."""
    there, back = part.even, reference.even
    moved = pose.apply(there.points)
    normals = part.normals[there.owners] @ pose.rotation.T
    returned = (back.points - pose.translation) @ pose.rotation / pose.scale
    back_normals = reference.normals[back.owners] @ pose.rotation
    to_reference = probe_distances(moved, normals, reference)
    to_part = pose.scale * probe_distances(returned, back_normals, part)
    return float(to_reference.mean() + to_part.mean()) / 2


def _spread(points: FloatArray, count: int) -> FloatArray:
    chosen: FloatArray = points[:: max(1, len(points) // count)]
    return chosen


def _cube_rotations() -> tuple[FloatArray, ...]:
    matrices = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), order] = signs
            if np.linalg.det(matrix) > 0:
                matrices.append(matrix)
    return tuple(sorted(matrices, key=lambda m: -np.trace(m)))  # identity first: it wins ties


CUBE_ROTATIONS = _cube_rotations()
