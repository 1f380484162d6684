"""The records of measurements that need a question: against a direction, a plane, another part.

Lengths are mm, areas mm², volumes mm³, angles degrees. Shares lie in 0..1. Nothing here imports
a CAD kernel; worker processes make these records.
"""

from __future__ import annotations

from dataclasses import dataclass

from cadwright.tools.geometry.part import Vector


@dataclass(frozen=True, slots=True)
class Thickness:
    """How thick the material is, along inward rays from points all over the surface.

    Attributes:
        min_mm: The thinnest place found.
        position_mm: Where that is: the middle of the material.
        direction: Unit, across the material there.
        low_mm: 5 % of the surface is thinner than this.
        median_mm: Half of the surface is thinner than this.
        num_rays: Rays that met the far side.
    """

    min_mm: float
    position_mm: Vector
    direction: Vector
    low_mm: float
    median_mm: float
    num_rays: int


@dataclass(frozen=True, slots=True)
class Clearance:
    """Two parts in the same frame.

    Attributes:
        gap_mm: Smallest distance of their surfaces; 0 where they touch or overlap.
        overlap_mm3: Volume they share.
        points_mm: A nearest point on each, or None where they overlap.
    """

    gap_mm: float
    overlap_mm3: float
    points_mm: tuple[Vector, Vector] | None


@dataclass(frozen=True, slots=True)
class SectionCut:
    """The material in a plane.

    Attributes:
        area_mm2: Area of material, holes taken out.
        perimeter_mm: Length of every outline.
        centre_mm: Centre of the area, or None where nothing is cut.
        regions: Separate pieces of material.
        openings: Holes inside those pieces.
    """

    area_mm2: float
    perimeter_mm: float
    centre_mm: Vector | None
    regions: int
    openings: int


@dataclass(frozen=True, slots=True)
class Overhang:
    """Surface that would need support when printed along a direction.

    Attributes:
        area_mm2: Area that faces down more steeply than the limit, the first layer left out.
        share: That area over the whole surface.
        worst_deg: Greatest angle between such a face and the direction: 90 is a flat ceiling.
        bed_area_mm2: Area that lies on the bed.
        height_mm: Height of the part along the direction.
        faces: The faces concerned.
    """

    area_mm2: float
    share: float
    worst_deg: float
    bed_area_mm2: float
    height_mm: float
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mirror:
    """One plane and how far the part is its own mirror image in it.

    Attributes:
        iou: Volume that part and image share over the volume of both: 1 is symmetric.
    """

    normal: Vector
    offset_mm: float
    iou: float


@dataclass(frozen=True, slots=True)
class Fraction:
    """How much of a part lies in a region.

    Attributes:
        part_share: Volume of the part inside the region over the part's volume: 1 when the
            region contains the part (keep-in).
        region_share: That volume over the region's: 0 when the region is free (keep-out).
        inside_mm3: That volume.
        outside_mm3: Volume of the part beyond the region.
        vacant_mm3: Volume of the region that the part does not fill.
    """

    part_share: float
    region_share: float
    inside_mm3: float
    outside_mm3: float
    vacant_mm3: float


@dataclass(frozen=True, slots=True)
class BoxRegion:
    """A box along the axes of the frame: its lowest and highest corner."""

    low_mm: Vector
    high_mm: Vector


@dataclass(frozen=True, slots=True)
class CylinderRegion:
    """A cylinder between the centres of its two ends."""

    start_mm: Vector
    end_mm: Vector
    diameter_mm: float


@dataclass(frozen=True, slots=True)
class Draft:
    """How far the sides of a part lean away from a pull direction.

    Attributes:
        min_deg: Least angle between a side and the direction: 0 is vertical; None where there
            is no side face.
        faces: The faces with that angle.
    """

    min_deg: float | None
    faces: tuple[int, ...]
