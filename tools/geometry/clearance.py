"""A part and what is around it: gaps, overlaps, and how much of it lies in a region.

The functions on solids serve whoever has them at hand; those on parts use exact geometry where
both parts have it. A region is exact.
"""

from __future__ import annotations

import numpy as np
from OCP.BRep import BRep_Builder
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.TopoDS import TopoDS_Compound

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry import bounds
from cadwright.tools.geometry.gauged import Gauged
from cadwright.tools.geometry.gauges import BoxRegion, Clearance, CylinderRegion, Fraction
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, Shape, shape_of
from cadwright.tools.geometry.part import FloatArray, Part, Vector
from cadwright.tools.geometry.regions import region_shape
from cadwright.tools.geometry.solids import Manifold

_SPECK = 1e-6  # of the smaller volume: an overlap of facets that only touch
_TOUCH = 1e-6  # of the distance of far ends: what single precision leaves between touching faces
_ROUNDING = 1e-12  # of a volume: what sums over its triangles lose


def clearance(first: Gauged, second: Gauged) -> Clearance:
    """Return gap and overlap of two closed parts in the same frame.

    The gap between two exact parts is exact. Where one is a mesh it is that of the triangles,
    and the nearest points are not given.

    Raises:
        GeometryError: One of them has no inside.
    """
    overlap = overlap_mm3(first.manifold, second.manifold)
    if overlap > 0.0:
        return Clearance(0.0, overlap, None)
    exact = _exact_gap(first.part, second.part)
    return exact or Clearance(gap_mm(first.manifold, second.manifold), 0.0, None)


def overlap_mm3(first: Manifold, second: Manifold) -> float:
    """Return the volume that two solids share; 0 where they only touch.

    Raises:
        GeometryError: They cannot be intersected.
    """
    shared = _shared_mm3(first, second)
    is_speck = shared <= _SPECK * min(float(first.volume()), float(second.volume()))
    return 0.0 if is_speck else shared


def gap_mm(first: Manifold, second: Manifold, *, within_mm: float | None = None) -> float:
    """Return the distance of two solids that do not overlap.

    Args:
        first: A solid.
        second: Another in the same frame.
        within_mm: How far to search; a longer gap is returned as this one.
    """
    farthest = _farthest_mm(first, second)
    reach = farthest if within_mm is None else within_mm
    found = float(first.min_gap(second, reach))
    return 0.0 if found < _TOUCH * farthest else found


def surface_gap_mm(
    subject: Gauged, other: BoxRegion | CylinderRegion | Part, within_mm: float
) -> float | None:
    """Return the distance of a part's surface from a body, 0 where it touches or enters it.

    Args:
        subject: The part.
        other: A region, or a part with exact geometry in the same frame.
        within_mm: How far to search; a longer gap is returned as this one.

    Returns:
        Mm by the kernel; None where either has no exact geometry, or the kernel gives up.
    """
    if subject.part.brep is None or (isinstance(other, Part) and other.brep is None):
        return None
    try:
        body = _shape_of(other)
        near = _faces_near(subject, bounds.quick_box(body), within_mm + subject.exact.sag_mm)
        if near is None:
            return within_mm
        search = BRepExtrema_DistShapeShape(near, body)
        return min(within_mm, float(search.Value())) if search.IsDone() else None
    except KERNEL_ERRORS:
        return None


def fraction(solid: Manifold, region: Manifold) -> Fraction:
    """Return how much of a solid lies in a region, and how much of the region it fills.

    Raises:
        GeometryError: One of them has no volume, or they cannot be intersected.
    """
    whole, room = float(solid.volume()), float(region.volume())
    if whole <= 0.0 or room <= 0.0:
        raise GeometryError("part or region has no volume")
    inside = _shared_mm3(solid, region)
    outside, vacant = (
        0.0 if volume - inside < _ROUNDING * volume else volume - inside for volume in (whole, room)
    )
    return Fraction(
        part_share=min(1.0, inside / whole),
        region_share=min(1.0, inside / room),
        inside_mm3=inside,
        outside_mm3=outside,
        vacant_mm3=vacant,
    )


def shared_solid(first: Manifold, second: Manifold) -> Manifold:
    """Return what two solids have in common.

    Raises:
        GeometryError: They cannot be intersected.
    """
    shared = first ^ second
    if shared.status().name != "NoError":
        raise GeometryError(f"the solids cannot be intersected: {shared.status().name}")
    return shared


def _shared_mm3(first: Manifold, second: Manifold) -> float:
    return max(0.0, float(shared_solid(first, second).volume()))


def _shape_of(body: BoxRegion | CylinderRegion | Part) -> Shape:
    return shape_of(body.brep or b"") if isinstance(body, Part) else region_shape(body)


def _faces_near(subject: Gauged, box: FloatArray | None, reach_mm: float) -> Shape | None:
    """Return the faces with a triangle whose box comes this near to a box; None for none."""
    if box is None:
        return None
    low, high = subject.corners.min(axis=1), subject.corners.max(axis=1)
    apart = np.maximum(low - box[1], box[0] - high).max(axis=1)
    wanted = set(np.unique(subject.mesh.face_ids[apart <= reach_mm]).tolist())
    if not wanted:
        return None
    builder, compound = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(compound)
    for face in subject.exact.faces(wanted):
        builder.Add(compound, face)
    return compound


def _exact_gap(part: Part, other: Part) -> Clearance | None:
    if part.brep is None or other.brep is None:
        return None
    try:
        search = BRepExtrema_DistShapeShape(shape_of(part.brep), shape_of(other.brep))
        if not search.IsDone() or search.NbSolution() == 0:
            return None
        near, far = search.PointOnShape1(1), search.PointOnShape2(1)
    except KERNEL_ERRORS:
        return None
    points: tuple[Vector, Vector] = (
        (near.X(), near.Y(), near.Z()),
        (far.X(), far.Y(), far.Z()),
    )
    return Clearance(float(search.Value()), 0.0, points)


def _farthest_mm(first: Manifold, second: Manifold) -> float:
    """Return the diagonal of the box around both."""
    boxes: FloatArray = np.array([first.bounding_box(), second.bounding_box()])  # (2, 6)
    return float(np.linalg.norm(boxes[:, 3:].max(axis=0) - boxes[:, :3].min(axis=0)))
