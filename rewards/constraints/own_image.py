"""How much a part differs from its own image, at the price that the answer is worth.

The exact answer is a boolean of the part with its image, whose faces all but coincide: the slowest
boolean there is. Most parts that are asked are symmetric, and that shows on their surface: where
it lies no farther than the facets of curved faces from its image, the volume between both is the
mean distance times the area. Only where this might reach the tolerance the boolean decides.
"""

from __future__ import annotations

from dataclasses import dataclass

from cadwright.rewards.distances import distances_to
from cadwright.rewards.shape import Shape
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.symmetry import image_iou

# The estimate may be wrong by this factor before it decides anything: it is good to a few percent
# for curved faces in facets, and twice too large where a wall moved as a whole.
TRUSTED = 2.0
# Percent of the volume that a feature between 1,024 points may hide: one of 0.5 % of the area,
# which they miss once in 200 parts, has less.
HIDDEN = 0.1


@dataclass(frozen=True, slots=True)
class OwnImage:
    """Part and image.

    Attributes:
        differs: Share of the volume of both together that they do not have in common, percent.
        is_exact: By a boolean; else measured on the surface, and right within ``TRUSTED``.
    """

    differs: float
    is_exact: bool


def own_image(shape: Shape, motion: FloatArray, point: FloatArray, tolerance: float) -> OwnImage:
    """Return how much a closed part differs from its image.

    Args:
        shape: The part; its solid has a manifold.
        motion: (3, 3) orthogonal: a turn or a reflection.
        point: (3,) what stays in place, in the frame of the solid.
        tolerance: Percent that count as none.

    Raises:
        GeometryError: The two cannot be intersected.
    """
    estimate = _between(shape, motion, point, (tolerance - HIDDEN) / TRUSTED)
    if TRUSTED * estimate + HIDDEN <= tolerance:
        return OwnImage(estimate, is_exact=False)
    iou = image_iou(shape.solid.manifold, motion, point)
    return OwnImage(max(0.0, 100.0 * (1.0 - iou)), is_exact=True)


def _between(shape: Shape, motion: FloatArray, point: FloatArray, most: float) -> float:
    """Return the volume between both surfaces, percent of the part's.

    What is nearer than half of the mean distance that makes ``most`` percent may count for too
    much: it alone decides nothing.
    """
    surface, volume = shape.surface, shape.solid.volume_mm3 or 0.0
    near_mm = max(0.0, most / 2) / 100.0 * volume / float(surface.areas.sum())
    places = (surface.even.points - point) @ motion.T + point
    normals = surface.normals[surface.even.owners] @ motion.T
    gaps = distances_to(places, normals, surface, near_mm=near_mm)
    between = float(gaps.mean() * surface.areas.sum())
    return 100.0 * between / volume if volume > 0.0 else 100.0
