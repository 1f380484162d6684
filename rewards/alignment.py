"""Bringing a part into the frame of its reference, by named modes.

A score means nothing without saying what position, size and pose it forgave. So each mode has a
name, the transform it chose is recorded, and the same input gives the same transform:

* ``none``: nothing is forgiven; the part stands where it was built.
* ``translate``: the middles of the two bounding boxes are put together.
* ``translate_scale``: the same, and the largest extents are made equal. With lengths read in
  units of the reference's largest extent this is the unit-cube normalisation of cadrille.
* ``rigid``: proper rotations and translation, never a mirror image. Candidates are the 24
  rotations of a cube between the axes, the principal axes and the dominant planes of the two
  shapes, and where a shape has no axes of its own, as a flange or a ball with bores, the phases
  about one (see `cadwright.rewards.turns`). The best of them settle on the nearest triangles.
* ``similarity``: ``rigid``, after the square roots of the surface areas are made equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property

import numpy as np

from cadwright.rewards.distances import probe_distances
from cadwright.rewards.posing import TellingSurface, Transform, misfits, settled
from cadwright.rewards.surface import COINCIDENT, Surface
from cadwright.rewards.turns import Frames, frame_turns, phase_turns
from cadwright.tools.geometry.part import FloatArray

# Even points that distances are measured at while poses are compared.
NUM_POSE_POINTS = 2048
# Of the telling points every so many-th: to rank all poses, to settle the best, to measure them.
COARSE, MEDIUM, FINE = 32, 8, 2
# How many poses are left to be ranked again, to be settled, and to be measured in the end.
NUM_RANKED, NUM_SETTLED, NUM_FINALISTS = 24, 6, 2
# Steps after which a wrong pose no longer wanders.
MAX_ROUNDS = 10
# Digits of a mean distance in units of the diagonal: poses of a symmetric part are equally good.
COST_DIGITS = 9
# Digits by which two poses are told apart, shifts in the same unit.
POSE_DIGITS = 6
# A pose that gains less than this share of the mean distance is no better.
REFINE_GAIN = 1e-3


class Alignment(StrEnum):
    """What a score forgives; see the module's docstring."""

    NONE = "none"
    TRANSLATE = "translate"
    TRANSLATE_SCALE = "translate_scale"
    RIGID = "rigid"
    SIMILARITY = "similarity"

    @property
    def forgives_size(self) -> bool:
        """The part is scaled before it is measured, so its size says nothing."""
        return self in (Alignment.TRANSLATE_SCALE, Alignment.SIMILARITY)


class PoseSurface(TellingSurface):
    """Triangles that are brought onto others, or others onto them."""

    @cached_property
    def frames(self) -> Frames:
        """Their frames and axes."""
        return Frames(self)


IDENTITY = Transform(np.eye(3), 1.0, np.zeros(3))


def pose_surface(triangles: FloatArray, *, seed: int, stream: int) -> PoseSurface:
    """Return triangles under a sample small enough to try many poses with."""
    return PoseSurface(triangles, num_points=NUM_POSE_POINTS, seed=seed, stream=stream)


def align(part: PoseSurface, reference: PoseSurface, mode: Alignment) -> Transform:
    """Return the transform that brings the part into the reference's frame.

    Args:
        part: The part in mm, from `pose_surface`.
        reference: The reference in mm, in the same coordinates.
        mode: What to forgive.

    Returns:
        A transform for the part; ``IDENTITY`` for ``none``.
    """
    if mode in (Alignment.RIGID, Alignment.SIMILARITY):
        ratio = reference.areas.sum() / part.areas.sum() if mode.forgives_size else 1.0
        return _by_search(part, reference, float(np.sqrt(ratio)))
    return by_boxes(part, reference, mode)


def by_boxes(part: Surface, reference: Surface, mode: Alignment) -> Transform:
    """Return what `align` does for the modes that need no search."""
    if mode is Alignment.NONE:
        return IDENTITY
    scale = 1.0
    if mode.forgives_size and part.extents.max() > 0:
        scale = float(reference.extents.max() / part.extents.max())
    return Transform(np.eye(3), scale, reference.middle - scale * part.middle)


def _by_search(part: PoseSurface, reference: PoseSurface, scale: float) -> Transform:
    """Rank all candidates on few points, settle the best, and measure the winners exactly.

    What coincides with the reference is the answer at once: only unlike shapes take longer.
    """
    poses = _distinct(_candidates(part, reference, scale), reference.diagonal)
    first, *others = _ranked(poses, part, reference)
    best, least = first, np.inf
    for pose in _finalists(first, others, part, reference):
        mean, worst = _exact_cost(pose, part, reference)
        if mean < least * (1 - REFINE_GAIN):
            best, least = pose, mean
        if worst <= COINCIDENT * reference.diagonal:
            return pose
    return best


def _finalists(
    first: Transform, others: list[Transform], part: PoseSurface, reference: PoseSurface
) -> Iterator[Transform]:
    """Yield the first pose, the same settled, and then the best of all when settled."""
    yield first
    nearest = settled(first, part, reference, every=MEDIUM, rounds=MAX_ROUNDS)
    yield nearest
    rest = [settled(pose, part, reference, every=MEDIUM, rounds=MAX_ROUNDS) for pose in others]
    yield from _best([nearest, *others, *rest], part, reference, NUM_FINALISTS)


def _ranked(poses: list[Transform], part: PoseSurface, reference: PoseSurface) -> list[Transform]:
    """Return the most promising poses, best first."""
    costs = misfits(poses, part, reference, every=COARSE)
    some = _cheapest(poses, costs / reference.diagonal, NUM_RANKED)
    return _best(some, part, reference, NUM_SETTLED)


def _best(
    poses: list[Transform], part: PoseSurface, reference: PoseSurface, count: int
) -> list[Transform]:
    """Return the poses with the least mean distance from both sides, best first."""
    there = misfits(poses, part, reference, every=MEDIUM)
    back = misfits([pose.inverse for pose in poses], reference, part, every=MEDIUM)
    return _cheapest(poses, (there + poses[0].scale * back) / reference.diagonal, count)


def _cheapest(poses: list[Transform], costs: FloatArray, count: int) -> list[Transform]:
    # rounded, so that among poses of a symmetric part the first, unturned one is kept
    order = np.argsort(np.round(costs, COST_DIGITS), kind="stable")
    return [poses[i] for i in order[:count]]


def _distinct(poses: Iterator[Transform], size_mm: float) -> list[Transform]:
    """Return the poses without repeats, in their order."""
    found: dict[tuple[float, ...], Transform] = {}
    for pose in poses:
        # whatever the scale, which is the same for all of them
        turn_and_shift = np.append(pose.rotation, pose.translation / size_mm)
        found.setdefault(tuple(np.round(turn_and_shift, POSE_DIGITS) + 0.0), pose)
    return list(found.values())


def _candidates(part: PoseSurface, reference: PoseSurface, scale: float) -> Iterator[Transform]:
    """Yield poses that put frames or axes of the part onto the same kind of the reference's.

    A rotation between frames comes twice: with the middles of the boxes along the frame put
    together, which is right where something small is missing, and with the centres of area.
    """
    ends = (part.centroid, reference.centroid)
    for rotation, source, target in frame_turns(part.frames, reference.frames):
        yield Transform.about(rotation, scale, source, target)
        yield Transform.about(rotation, scale, *ends)
    for rotation in phase_turns(part.frames, reference.frames):
        yield Transform.about(rotation, scale, *ends)


def _exact_cost(pose: Transform, part: PoseSurface, reference: PoseSurface) -> tuple[float, float]:
    """Return the mean surface distance from both sides, mm, and the largest at any telling point.

    It has no noise floor.
    """
    there, back = part.points[::FINE], reference.points[::FINE]
    normals = part.normals[part.owners[::FINE]] @ pose.rotation.T
    back_normals = reference.normals[reference.owners[::FINE]] @ pose.rotation
    returned = (back - pose.translation) @ pose.rotation / pose.scale
    to_reference = probe_distances(pose.apply(there), normals, reference)
    to_part = pose.scale * probe_distances(returned, back_normals, part)
    mean = float(np.average(to_reference, weights=part.weights[::FINE]))
    mean += float(np.average(to_part, weights=reference.weights[::FINE]))
    return mean / 2, float(max(to_reference.max(), to_part.max()))
