"""Which way a part should lie for printing: little overhang, a large foot, not too high."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.solids import frame_along
from cadwright.tools.geometry.triangles import triangle_areas, triangle_normals
from cadwright.tools.meshing.moving import placed
from cadwright.tools.meshing.triangles import bounds, corners, diagonal_mm

STEEPEST_DEG = 45.0  # what prints without support
_BED = 1e-4  # of the diagonal: what is so near the lowest point lies on the bed
_SAME = 1e-3  # cosine below 1 of directions that count as one
_MOST_FEET = 40  # largest flat feet that are tried
_WORTH_FOOT, _WORTH_HEIGHT = 0.2, 1e-3  # mm2 of overhang that a mm2 of foot, a mm of height equals


@dataclass(frozen=True, slots=True, eq=False)
class Lie:
    """How a part lies.

    Attributes:
        down: (3,) the direction that points to the bed.
        overhang_mm2: Area that needs support.
        foot_mm2: Area on the bed.
        height_mm: How high it stands.
    """

    down: FloatArray
    overhang_mm2: float
    foot_mm2: float
    height_mm: float

    @property
    def cost_mm2(self) -> float:
        """The less, the better it prints."""
        return (
            self.overhang_mm2
            - _WORTH_FOOT * self.foot_mm2
            + _WORTH_HEIGHT * self.height_mm * max(self.foot_mm2, 1.0)
        )


def oriented(mesh: Mesh) -> tuple[Mesh, Lie]:
    """Return the mesh lying as it prints best, on z = 0 above the origin, and how it lies."""
    lies = [lie_of(mesh, down) for down in _feet(mesh)]
    best = min(lies, key=lambda lie: (round(lie.cost_mm2, 6), *lie.down.tolist()))
    return laid(mesh, best.down), best


def laid(mesh: Mesh, down: FloatArray) -> Mesh:
    """Return the mesh with ``down`` towards -z, on z = 0, its middle above the origin."""
    turned = mesh if np.allclose(down, (0.0, 0.0, -1.0)) else placed(mesh, frame_along(-down).T)
    low, high = bounds(turned)
    shift = np.array([*(-0.5 * (low + high))[:2], -low[2]])
    return placed(turned, np.eye(3), shift)


def lie_of(mesh: Mesh, down: FloatArray) -> Lie:
    """Measure how a part would lie with ``down`` towards the bed."""
    points = corners(mesh)
    normals, areas = triangle_normals(points), triangle_areas(points)
    heights = -(points @ down)
    lean = normals @ down  # 1 looks straight down
    on_bed = (heights < heights.min() + _BED * diagonal_mm(mesh)).all(axis=1) & (lean > 0.5)
    hangs = (lean > np.sin(np.radians(STEEPEST_DEG)) + _SAME) & ~on_bed
    return Lie(
        down,
        float(areas[hangs].sum()),
        float(areas[on_bed].sum()),
        float(np.ptp(heights)),
    )


def _feet(mesh: Mesh) -> list[FloatArray]:
    """Return the directions in which the hull has its largest faces, and the six of the axes."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(mesh.vertices)
    points = mesh.vertices[hull.simplices]
    normals = hull.equations[:, :3]
    areas = triangle_areas(points)
    found: list[FloatArray] = []
    weights: list[float] = []
    for index in np.argsort(-areas, kind="stable"):
        for k, other in enumerate(found):
            if normals[index] @ other > 1.0 - _SAME:
                weights[k] += areas[index]
                break
        else:
            found.append(normals[index])
            weights.append(areas[index])
    order = np.argsort(-np.array(weights), kind="stable")[:_MOST_FEET]
    axes = [np.array(sign * np.eye(3)[k]) for k in range(3) for sign in (-1.0, 1.0)]
    return [*axes, *(found[k] for k in order)]
