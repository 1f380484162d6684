"""Rotations worth trying to bring one shape onto another, found from the two shapes alone.

Most shapes have axes of their own: those of inertia, or the directions that their planes face.
Between two such frames lie the 24 rotations of a cube. A flange has one axis only, and any phase
about it gives a frame: there the phase is found by correlation of what is not round about the
axis, the walls of its holes or the flanks of its teeth. A cube with one hole, or a ball with
bores, has not even that: several of its directions are tried as the axis.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cadwright.rewards.posing import TellingSurface
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.rotations import cube_rotations, rotation_by

# Triangles, largest first, whose normals are tried as the dominant direction.
MAX_DIRECTIONS = 64
# Below this length a normal projected onto a plane has no direction in it.
TINY = 1e-9
# Second directions shorter than this, once the first is taken out, are the first one again.
TOO_PARALLEL = 0.5
# Two face normals closer than this cosine are one direction.
SAME_DIRECTION = 0.999
# Principal moments closer than this share of the largest are taken as equal.
EQUAL_MOMENTS = 0.05
# A direction with less than this share of the area facing it is no plane but a facet.
LEAST_PLANE = 0.03
# Points on a ball within this cosine (15 degrees) of each other belong to one opening.
ONE_OPENING = 0.966
# Directions with at least this share of the best support may each be the axis; at most so many.
TIED, MAX_AXES = 0.9, 24
# Phases: steps of a turn, how far a point is blurred, what a peak has to reach of the highest one,
# and how many are tried.
NUM_STEPS, BLUR_DEG, LEAST_PEAK, MAX_PHASES = 720, 1.0, 0.5, 128


class Frames:
    """The frames and axes of one surface.

    Attributes:
        proper: Right-handed frames, axes in columns: the world's, of inertia, of large planes.
        middles: (3,) mm for each of them, the middle of the box whose sides run along its axes.
        is_ambiguous: Two of the principal moments are equal, so the frame of inertia may be any.
        axes: (k, 3) unit vectors, either of which may be the one that another shape turns about.
    """

    def __init__(self, surface: TellingSurface) -> None:
        moments, axes = _principal(surface)
        gaps = np.diff(moments) / max(float(moments[2]), TINY)
        self._surface = surface
        self._signatures: dict[int, FloatArray] = {}
        self.proper = (np.eye(3), _proper(axes), _plane_frame(surface))
        self.middles = tuple(_box_middle(surface, frame) for frame in self.proper)
        self.is_ambiguous = bool(gaps.min() < EQUAL_MOMENTS)
        unlike = axes[:, 0 if gaps[0] > gaps[1] else 2]
        is_ball = gaps.max() < EQUAL_MOMENTS
        self.axes = _directions(surface) if is_ball else np.stack([unlike, -unlike])

    def about(self, index: int) -> tuple[FloatArray, FloatArray]:
        """Return a frame with one of the axes as its last, and what is not round about it."""
        frame = _completed(self.axes[index])
        if index not in self._signatures:
            self._signatures[index] = _signature(self._surface, frame)
        return frame, self._signatures[index]


def frame_turns(
    part: Frames, reference: Frames
) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """Yield rotations between frames of one kind, and the middles of the boxes along those."""
    for kind, (own, other) in enumerate(zip(part.proper, reference.proper, strict=True)):
        for turn in CUBE_ROTATIONS:
            yield other @ turn @ own.T, part.middles[kind], reference.middles[kind]


def phase_turns(part: Frames, reference: Frames) -> Iterator[FloatArray]:
    """Yield the rotations that put what is not round about an axis into phase."""
    if not (part.is_ambiguous or reference.is_ambiguous):
        return
    own, sought = part.about(0)
    matches = []
    for index in range(len(reference.axes)):
        other, found = reference.about(index)
        matches += [(height, other, phase) for height, phase in _peaks(sought, found)]
    matches.sort(key=lambda match: -match[0])
    for height, other, phase in matches[:MAX_PHASES]:
        if height >= LEAST_PEAK * matches[0][0]:
            yield other @ rotation_by(np.array([0.0, 0.0, phase])) @ own.T


def _box_middle(surface: TellingSurface, frame: FloatArray) -> FloatArray:
    points = surface.triangles.reshape(-1, 3) @ frame
    middle: FloatArray = frame @ ((points.min(axis=0) + points.max(axis=0)) / 2)
    return middle


def _principal(surface: TellingSurface) -> tuple[FloatArray, FloatArray]:
    """Return the exact second moments of area, ascending, and their axes in columns."""
    corners = surface.triangles - surface.centroid
    sums = corners.sum(axis=1)
    weights = surface.areas / surface.areas.sum()
    outer = np.einsum("m,mki,mkj->ij", weights, corners, corners)
    moment = (outer + np.einsum("m,mi,mj->ij", weights, sums, sums)) / 12
    values, axes = np.linalg.eigh(moment)
    return values, axes


def _plane_frame(surface: TellingSurface) -> FloatArray:
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


def _directions(surface: TellingSurface) -> FloatArray:
    """Return (k, 3) directions that a shape with three equal moments is known by.

    They are those that its largest planes face or, where it is round all over, the directions
    from the middle to what is not part of a ball: the mouths of its bores.
    """
    normals, areas = surface.normals, surface.areas / surface.areas.sum()
    planes = _tied(normals, areas, SAME_DIRECTION)
    if float((normals @ planes[0] > SAME_DIRECTION) @ areas) >= LEAST_PLANE:
        return planes
    outward = _unit(surface.points - surface.centroid)
    askew = np.linalg.norm(np.cross(surface.normals[surface.owners], outward), axis=1)
    return _tied(outward, surface.weights * askew**2, ONE_OPENING)


def _tied(vectors: FloatArray, weights: FloatArray, cosine: float) -> FloatArray:
    """Return all directions with nearly the most weight within a cone around them."""
    heaviest = vectors[np.argsort(-weights, kind="stable")[: 4 * MAX_DIRECTIONS]]
    members = heaviest @ vectors.T > cosine
    support = members @ weights
    least = TIED * float(support.max())
    found: list[FloatArray] = []
    while len(found) < MAX_AXES and support.max() >= least:
        chosen = int(np.argmax(support))
        found.append(_unit(((members[chosen] * weights) @ vectors)[None])[0])
        support[heaviest @ heaviest[chosen] > 2 * cosine**2 - 1] = -1.0
    return np.array(found)


def _signature(surface: TellingSurface, frame: FloatArray) -> FloatArray:
    """Return (c, NUM_STEPS) spectra of what faces along a turn about the frame's last axis.

    Nothing on a round surface does, and the facets of one hardly do. Height and distance from the
    axis, with and without sign, tell one feature from another.
    """
    x, y, z = ((surface.points - surface.centroid) @ frame).T
    radius = np.hypot(x, y)
    facing = surface.normals[surface.owners] @ frame
    along = (facing[:, 1] * x - facing[:, 0] * y) / np.where(radius > 0.0, radius, 1.0)
    reach = max(float(radius.max()), float(np.abs(z).max()), TINY)
    places = np.stack([np.ones_like(z), radius / reach, z / reach, z * radius / reach**2])
    strengths = surface.weights * np.stack([along**2, along * np.abs(along)])
    channels = (strengths[:, None] * places).reshape(-1, len(z))
    steps = (np.arctan2(y, x) * (NUM_STEPS / (2 * np.pi))) % NUM_STEPS
    return _spectra(channels, steps)


def _spectra(channels: FloatArray, steps: FloatArray) -> FloatArray:
    """Return the blurred spectra of values that stand at steps of a turn, each shared by two."""
    low, share = np.floor(steps).astype(int), steps % 1.0
    rows = []
    for values in channels:
        row = np.bincount(low % NUM_STEPS, values * (1 - share), NUM_STEPS)
        row += np.bincount((low + 1) % NUM_STEPS, values * share, NUM_STEPS)
        rows.append(row)
    plain = np.fft.rfft(np.array(rows), axis=1)
    orders = np.arange(plain.shape[1])
    spectra: FloatArray = plain * np.exp(-0.5 * (orders * np.radians(BLUR_DEG)) ** 2)
    spectra[:, 0] = 0.0  # the same at every phase
    return spectra


def _peaks(sought: FloatArray, found: FloatArray) -> list[tuple[float, float]]:
    """Return how well one signature matches another, and the phase in radians, at each peak."""
    match = np.fft.irfft((found * sought.conj()).sum(axis=0), NUM_STEPS)
    before, after = np.roll(match, 1), np.roll(match, -1)
    peaks = np.flatnonzero((match > before) & (match >= after) & (match > 0.0))
    heights, before, after = match[peaks], before[peaks], after[peaks]
    # the top of the parabola through a peak and its neighbours
    tops = peaks + 0.5 * (after - before) / (2 * heights - before - after)
    return list(zip(heights.tolist(), (tops * (2 * np.pi / NUM_STEPS)).tolist(), strict=True))


def _completed(axis: FloatArray) -> FloatArray:
    """Return a proper frame with this unit vector as its last axis."""
    aside = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(aside, axis)
    first = first / np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])


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


# Identity first: it wins ties.
CUBE_ROTATIONS = tuple(sorted(cube_rotations(), key=lambda turn: -np.trace(turn)))
