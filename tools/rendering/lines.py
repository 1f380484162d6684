"""Lines without a GPU: the same widths and the same visibility test as the GL shader, in numpy.

Backends that have depth and triangles but no line shader (the ray tracer, pyrender) draw edges
and silhouettes with this, so that all backends look alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.rendering.camera import Camera
from cadwright.tools.rendering.frame import Frame, Pixels
from cadwright.tools.rendering.look import LOOK
from cadwright.tools.rendering.topology import Flags, Floats, Ints

STEP_PX = 0.5  # between the points at which a line's visibility is tested
SPLAT_PX = 4  # pixels across that a point of a line can touch
STEP = 4.0  # tolerances between a silhouette and what lies behind it; facets make smaller steps
MAX_POINTS = 4_000_000
TOLERANCE_PX = 0.6  # how far behind a surface an edge still lies on it: facets cut corners
TOLERANCE_RADIUS = 8e-4  # the same for the deflection of a tessellation, in radii of the part


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Points along projected segments.

    Attributes:
        at: (n, 2) column and row in pixels.
        depth: (n,) share of the depth range.
        along: (n, 2) unit direction of the segment.
    """

    at: Floats
    depth: Floats
    along: Floats


def tolerance(camera: Camera, radius_mm: float, size: tuple[int, int]) -> float:
    """Return how far behind a surface a line may lie, as a share of the depth range."""
    slack = TOLERANCE_PX * camera.mm_per_px(size) + TOLERANCE_RADIUS * radius_mm
    return slack / (2.0 * camera.depth_half_mm)


def ink_lines(frame: Frame) -> Pixels:
    """Return the frame's colour with edges and silhouettes drawn over it."""
    scene, camera = frame.scene, frame.camera
    coverage = np.zeros(frame.depth.size, dtype=np.float32)
    for segments, is_contour in (
        (scene.lines, False),
        (scene.contours(camera.axes[2]), True),
    ):
        points = _points_of(segments, frame)
        visible = _visible(points, frame, is_contour=is_contour)
        _splat(coverage, points, visible, frame.depth.shape)
    share = coverage.reshape(*frame.depth.shape, 1)
    line = np.array(LOOK.line, dtype=np.float32) * 255.0
    mixed: Pixels = np.rint(frame.colour * (1.0 - share) + line * share).astype(np.uint8)
    return mixed


def _points_of(segments: Floats, frame: Frame) -> _Points:
    height, width = frame.depth.shape
    projected = frame.camera.project(segments.reshape(-1, 3), (width, height))
    projected[:, 2] /= 2.0 * frame.camera.depth_half_mm
    start, end = projected[0::2], projected[1::2]
    first, last = _inside(start[:, :2], end[:, :2], np.array([width, height]))
    # a segment seen from its end is a point, and its corner belongs to other segments anyway
    keep = (last > first) & (np.linalg.norm((end - start)[:, :2], axis=1) > 1e-3)
    start, end, first, last = start[keep], end[keep], first[keep], last[keep]
    run = end - start
    length = np.linalg.norm(run[:, :2], axis=1)
    count = np.ceil((last - first) * length / STEP_PX).astype(np.int64) + 1
    if count.sum() > MAX_POINTS:
        count = np.ones_like(count)
    which = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    t = first[which] + (last - first)[which] * (place + 0.5) / count[which]
    points = start[which] + t[:, None] * run[which]
    along = run[:, :2] / np.maximum(length, 1e-9)[:, None]
    return _Points(points[:, :2], points[:, 2], along[which])


def _inside(start: Floats, end: Floats, size: Floats) -> tuple[Floats, Floats]:
    """Return the parameter range of each segment within the picture and its border."""
    border = LOOK.line_px
    run = end - start
    run = np.where(np.abs(run) < 1e-9, 1e-9, run)
    one, two = (-border - start) / run, (size + border - start) / run
    first = np.minimum(one, two).max(axis=1).clip(0.0, None)
    last = np.maximum(one, two).min(axis=1).clip(None, 1.0)
    return first, last


def _visible(points: _Points, frame: Frame, *, is_contour: bool) -> Flags:
    """Whether each point lies on, or before, the surface seen there; see ``shaders``."""
    height, width = frame.depth.shape
    slack = tolerance(frame.camera, frame.scene.box.radius, (width, height))
    across = np.stack([-points.along[:, 1], points.along[:, 0]], axis=1)
    places = (points.at, points.at + across, points.at - across)
    home, one, two = (_surface(points.at, place, frame) for place in places)
    in_range = (points.depth >= 0.0) & (points.depth <= 1.0)
    if is_contour:  # without a step in depth there is no silhouette
        steps = one.lies_beyond(points.depth, slack) | two.lies_beyond(points.depth, slack)
        return np.asarray(in_range & steps)
    lies_on = np.any([s.holds(points.depth, slack) for s in (home, one, two)], axis=0)
    is_covered = one.covers(points.depth, slack) | two.covers(points.depth, slack)
    is_before = np.where(home.there < 1.0, points.depth < home.there + slack, ~is_covered)
    return np.asarray(in_range & (lies_on | is_before))


@dataclass(frozen=True, slots=True, eq=False)
class _Surface:
    """Planes seen beside points: their depth at the point, at the texel, and change per pixel."""

    here: Floats
    there: Floats
    slope: Floats

    def holds(self, depth: Floats, slack: float) -> Flags:
        """Whether points of this depth lie on the planes."""
        is_near = np.abs(self.here - depth) < slack + 0.25 * self.slope
        return np.asarray((self.there < 1.0) & is_near)

    def lies_beyond(self, depth: Floats, slack: float) -> Flags:
        """Whether the planes lie behind points of this depth, with a step between."""
        far = depth + STEP * slack
        return np.asarray((self.there > far) & ((self.there == 1.0) | (self.here > far)))

    def covers(self, depth: Floats, slack: float) -> Flags:
        """Whether the planes hide points of this depth."""
        is_before = self.here < depth - slack - 2.5 * self.slope
        return np.asarray((self.there < 1.0) & is_before)


def _texels(at: Floats, shape: tuple[int, ...]) -> Ints:
    column = np.clip(np.floor(at[:, 0]), 0, shape[1] - 1).astype(np.int64)
    row = np.clip(np.floor(at[:, 1]), 0, shape[0] - 1).astype(np.int64)
    return row * shape[1] + column


def _surface(at: Floats, seen_at: Floats, frame: Frame) -> _Surface:
    """Extend the plane of the triangle seen at ``seen_at`` to ``at``."""
    height, width = frame.depth.shape
    texels = _texels(seen_at, frame.depth.shape)
    there = frame.depth.ravel()[texels].astype(np.float64)
    is_hit = there < 1.0
    triangle = np.where(is_hit, frame.triangle.ravel()[texels], 0).astype(np.int64)
    normal = frame.scene.normals[triangle] @ frame.camera.axes.T
    steep = np.where(np.abs(normal[:, 2:]) < 1e-6, 1e-6, normal[:, 2:])
    scale = frame.camera.mm_per_px((width, height)) / (2.0 * frame.camera.depth_half_mm)
    per_px = normal[:, :2] / steep * [scale, -scale]
    per_px[~is_hit] = 0.0
    offset = at - np.stack([texels % width + 0.5, texels // width + 0.5], axis=1)
    here = there + (per_px * offset).sum(axis=1)
    return _Surface(here, there, np.linalg.norm(per_px, axis=1))


def _splat(
    coverage: npt.NDArray[np.float32],
    points: _Points,
    visible: Flags,
    shape: tuple[int, ...],
) -> None:
    """Raise the coverage of the pixels near each visible point."""
    at, along = points.at[visible], points.along[visible]
    corner = np.floor(at - 0.5).astype(np.int64) - (SPLAT_PX // 2 - 1)
    for dy in range(SPLAT_PX):
        for dx in range(SPLAT_PX):
            column, row = corner[:, 0] + dx, corner[:, 1] + dy
            offset = np.stack([column, row], axis=1) + 0.5 - at
            aside = np.abs(offset[:, 0] * along[:, 1] - offset[:, 1] * along[:, 0])
            ahead = np.abs((offset * along).sum(axis=1)) - STEP_PX / 2.0
            distance = np.maximum(aside, ahead)
            value = np.clip(LOOK.line_px / 2.0 + 0.5 - distance, 0.0, 1.0).astype(np.float32)
            keep = (value > 0.0) & (column >= 0) & (column < shape[1])
            keep &= (row >= 0) & (row < shape[0])
            np.maximum.at(coverage, (row * shape[1] + column)[keep], value[keep])
