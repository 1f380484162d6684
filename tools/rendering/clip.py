"""Clip triangles and lines by a plane: what is left of an open mesh, which is no solid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadwright.tools.errors import ToolError
from cadwright.tools.geometry.part import Edges, Mesh
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.topology import Flags, Floats


@dataclass(frozen=True, slots=True)
class Plane:
    """A cutting plane across a coordinate axis; material on the ``side`` of it is cut away."""

    axis: int
    offset_mm: float
    side: float

    def above(self, points: Floats) -> Floats:
        """Return how far points (..., 3) lie on the side that is cut away, in mm."""
        return (points[..., self.axis] - self.offset_mm) * self.side

    @property
    def normal(self) -> Floats:
        """(3,) unit normal towards what is kept."""
        normal = np.zeros(3)
        normal[self.axis] = -self.side
        return normal


def clip_triangles(scene: Scene, plane: Plane) -> Mesh:
    """Clip triangles one by one: each leaves itself, one triangle, two, or nothing.

    Raises:
        ToolError: Nothing is left.
    """
    count = _corners_above(scene, plane).sum(axis=1)
    whole = scene.vertices[scene.faces[count == 0]]
    tip, tip_one, tip_two = _cut(scene, plane, lone_is_above=False)
    quad, quad_one, quad_two = _cut(scene, plane, lone_is_above=True)
    pieces = [
        whole,
        np.stack([tip[:, 0], tip_one, tip_two], axis=1),
        np.stack([quad_one, quad[:, 1], quad[:, 2]], axis=1),
        np.stack([quad_one, quad[:, 2], quad_two], axis=1),
    ]
    ids = [scene.face_ids[count == k] for k in (0, 2, 1, 1)]
    corners = np.concatenate(pieces)
    if not len(corners):
        raise ToolError("nothing of the part is left behind the section plane")
    faces = np.arange(3 * len(corners), dtype=np.int32).reshape(-1, 3)
    return Mesh(corners.reshape(-1, 3), faces, np.concatenate(ids))


def cut_lines(scene: Scene, plane: Plane) -> Floats:
    """Return (k, 2, 3) where the plane cuts triangles."""
    cuts = [_cut(scene, plane, lone_is_above=side) for side in (False, True)]
    return np.concatenate([np.stack([one, two], axis=1) for _, one, two in cuts])


def clip_lines(scene: Scene, plane: Plane) -> Floats:
    """Return the part of the scene's lines that is kept, (k, 2, 3)."""
    segments = scene.lines
    above = plane.above(segments)
    keep = (above <= 0.0).any(axis=1)
    segments, above = segments[keep], above[keep]
    span = above[:, 0] - above[:, 1]
    share = np.clip(above[:, 0] / np.where(span == 0.0, 1.0, span), 0.0, 1.0)
    crossing = segments[:, 0] + share[:, None] * (segments[:, 1] - segments[:, 0])
    return np.where((above > 0.0)[..., None], crossing[:, None, :], segments)


def joined(*lines: Floats) -> Edges:
    """Return several sets of (k, 2, 3) segments as edges."""
    segments = np.concatenate(lines)
    return Edges(segments, np.zeros(len(segments), dtype=np.int32))


def _corners_above(scene: Scene, plane: Plane) -> Flags:
    """Return (m, 3) which corners are cut away."""
    return np.asarray(plane.above(scene.vertices)[scene.faces] > 0.0)


def _cut(scene: Scene, plane: Plane, *, lone_is_above: bool) -> tuple[Floats, Floats, Floats]:
    """Find the triangles of which one corner lies alone on its side of the plane.

    Returns:
        Their corners (k, 3, 3), the lone one first, and where the two edges from it cross the
        plane, (k, 3) each.
    """
    above = _corners_above(scene, plane)
    chosen = above.sum(axis=1) == (1 if lone_is_above else 2)
    faces, sides = scene.faces[chosen], above[chosen] == lone_is_above
    order = (np.argmax(sides, axis=1)[:, None] + np.arange(3)) % 3
    corners = scene.vertices[np.take_along_axis(faces, order, axis=1)]
    return corners, _crossing(plane, corners, 1), _crossing(plane, corners, 2)


def _crossing(plane: Plane, corners: Floats, other: int) -> Floats:
    """Return (k, 3) where the edge from the first to the ``other`` corner crosses the plane."""
    start, end = corners[:, 0], corners[:, other]
    one, two = plane.above(start), plane.above(end)
    share = one / np.where(one == two, 1.0, one - two)
    crossing: Floats = start + share[:, None] * (end - start)
    return crossing
