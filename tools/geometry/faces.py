"""The records of faces by kind: planes, cylinders, cones, spheres, tori.

Lengths are mm, areas mm², angles degrees. Every record names the faces it came from
(``Mesh.face_ids`` of the inspection of the same bytes) and says on which side the material lies.
Nothing here imports a CAD kernel; worker processes make these records.
"""

from __future__ import annotations

from dataclasses import dataclass

from cadwright.tools.geometry.part import Vector

Faces = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlaneFace:
    """One flat region; neighbouring coplanar faces are taken together.

    Attributes:
        normal: Unit, out of the material.
        offset_mm: ``normal · p`` of every point ``p`` of the plane.
        centre_mm: Centre of its area.
    """

    normal: Vector
    offset_mm: float
    area_mm2: float
    centre_mm: Vector
    faces: Faces


@dataclass(frozen=True, slots=True)
class CylinderFace:
    """One cylindrical region; the halves of a split cylinder are taken together.

    Attributes:
        axis: Unit, its largest component positive.
        position_mm: Middle of the stretch of the axis that the region covers.
        length_mm: Length of that stretch.
        swept_deg: Angle covered around the axis, 360 where it goes all the way round.
        is_inner: The material lies outside the cylinder.
    """

    axis: Vector
    position_mm: Vector
    diameter_mm: float
    length_mm: float
    swept_deg: float
    is_inner: bool
    area_mm2: float
    faces: Faces


@dataclass(frozen=True, slots=True)
class ConeFace:
    """One conical region.

    Attributes:
        axis: Unit, from the apex to the wide end.
        position_mm: Middle of the stretch of the axis that the region covers.
        angle_deg: Full opening angle: 90 for a common countersink, 118 for a drill point.
        diameters_mm: At the narrow and at the wide end.
        is_inner: The material lies outside the cone.
    """

    axis: Vector
    position_mm: Vector
    angle_deg: float
    diameters_mm: tuple[float, float]
    length_mm: float
    swept_deg: float
    is_inner: bool
    area_mm2: float
    faces: Faces


@dataclass(frozen=True, slots=True)
class SphereFace:
    """One spherical region; ``is_inner`` where the material lies outside the sphere."""

    centre_mm: Vector
    diameter_mm: float
    is_inner: bool
    area_mm2: float
    faces: Faces


@dataclass(frozen=True, slots=True)
class TorusFace:
    """One region of a torus.

    Attributes:
        axis: Unit, its largest component positive.
        ring_diameter_mm: Diameter of the circle along which the tube runs.
        tube_diameter_mm: Diameter of the tube.
        is_inner: The material lies outside the tube.
    """

    axis: Vector
    centre_mm: Vector
    ring_diameter_mm: float
    tube_diameter_mm: float
    is_inner: bool
    area_mm2: float
    faces: Faces
