"""The surfaces of a part by kind: planes, cylinders, cones, spheres, tori."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cadwright.tools.geometry.faces import (
    ConeFace,
    CylinderFace,
    PlaneFace,
    SphereFace,
    TorusFace,
)
from cadwright.tools.geometry.patches import Graph, Patch
from cadwright.tools.geometry.vectors import add, dot, scaled


@dataclass(frozen=True, slots=True)
class Surfaced:
    """The elementary surfaces of a part, largest first."""

    planes: tuple[PlaneFace, ...]
    cylinders: tuple[CylinderFace, ...]
    cones: tuple[ConeFace, ...]
    spheres: tuple[SphereFace, ...]
    tori: tuple[TorusFace, ...]


def surfaced(graph: Graph) -> Surfaced:
    """Return the elementary surfaces of a graph."""
    order = sorted(graph.patches, key=lambda patch: (-patch.area, patch.faces))

    def of(kind: str) -> list[Patch]:
        return [patch for patch in order if patch.kind == kind]

    return Surfaced(
        planes=tuple(_plane(patch) for patch in of("plane")),
        cylinders=tuple(_cylinder(patch) for patch in of("cylinder")),
        cones=tuple(_cone(patch) for patch in of("cone")),
        spheres=tuple(_sphere(patch) for patch in of("sphere")),
        tori=tuple(_torus(patch) for patch in of("torus")),
    )


def _plane(patch: Patch) -> PlaneFace:
    return PlaneFace(
        normal=scaled(patch.axis, 1.0),
        offset_mm=dot(patch.axis, patch.point),
        area_mm2=patch.area,
        centre_mm=patch.centre,
        faces=patch.faces,
    )


def _cylinder(patch: Patch) -> CylinderFace:
    low, high = patch.span
    return CylinderFace(
        axis=patch.axis,
        position_mm=add(patch.point, patch.axis, 0.5 * (low + high)),
        diameter_mm=2.0 * patch.radius,
        length_mm=high - low,
        swept_deg=360.0 if patch.is_full else patch.swept_deg,
        is_inner=patch.is_inner,
        area_mm2=patch.area,
        faces=patch.faces,
    )


def _cone(patch: Patch) -> ConeFace:
    low, high = patch.span
    widening = 2.0 * math.tan(math.radians(patch.half_deg))
    return ConeFace(
        axis=patch.axis,
        position_mm=add(patch.point, patch.axis, 0.5 * (low + high)),
        angle_deg=2.0 * patch.half_deg,
        diameters_mm=(max(low, 0.0) * widening, high * widening),
        length_mm=high - low,
        swept_deg=360.0 if patch.is_full else patch.swept_deg,
        is_inner=patch.is_inner,
        area_mm2=patch.area,
        faces=patch.faces,
    )


def _sphere(patch: Patch) -> SphereFace:
    return SphereFace(patch.point, 2.0 * patch.radius, patch.is_inner, patch.area, patch.faces)


def _torus(patch: Patch) -> TorusFace:
    return TorusFace(
        axis=patch.axis,
        centre_mm=patch.point,
        ring_diameter_mm=2.0 * patch.radius,
        tube_diameter_mm=2.0 * patch.tube,
        is_inner=patch.is_inner,
        area_mm2=patch.area,
        faces=patch.faces,
    )
