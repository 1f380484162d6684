"""A part and what is around it: gaps, overlaps, and how much of it lies in a region."""

from __future__ import annotations

import math

import numpy as np
from OCP.BRepExtrema import BRepExtrema_DistShapeShape

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.gauged import Gauged, Manifold, gauged
from cadwright.tools.geometry.gauges import BoxRegion, Clearance, CylinderRegion, Fraction
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, shape_of
from cadwright.tools.geometry.part import Part, Vector

Region = BoxRegion | CylinderRegion | Part

_SIDES = 240  # of a cylindrical region
_SPECK = 1e-6  # of the smaller volume: an overlap of facets that only touch
_TOUCH = 1e-6  # of the diagonal: what single precision leaves between faces that touch


def clearance(part: Part, other: Part) -> Clearance:
    """Return gap and overlap of two closed parts in the same frame.

    The gap between two exact parts is exact. Where one is a mesh it is that of the triangles,
    and the nearest points are not given.

    Raises:
        GeometryError: One of them has no inside.
    """
    first, second = gauged(part), gauged(other)
    shared = first.manifold ^ second.manifold
    overlap = max(0.0, float(shared.volume()))
    if overlap > _SPECK * min(first.manifold.volume(), second.manifold.volume()):
        return Clearance(0.0, overlap, None)
    exact = _exact_gap(part, other)
    return exact if exact is not None else Clearance(_gap(first, second), 0.0, None)


def fraction(part: Part, region: Region) -> Fraction:
    """Return how much of a part lies in a region, and how much of the region it fills.

    Raises:
        GeometryError: The part, or a region given as a part, has no inside.
    """
    subject = gauged(part)
    around = _solid(region)
    inside = max(0.0, float((subject.manifold ^ around).volume()))
    whole, room = float(subject.manifold.volume()), float(around.volume())
    if whole <= 0.0 or room <= 0.0:
        raise GeometryError(f"{part.name}: part or region has no volume")
    return Fraction(min(1.0, inside / whole), min(1.0, inside / room), inside)


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


def _gap(first: Gauged, second: Gauged) -> float:
    ends = np.stack([gauge.mesh.vertices.mean(axis=0) for gauge in (first, second)])
    reach = float(np.linalg.norm(ends[1] - ends[0])) + first.diagonal_mm + second.diagonal_mm
    found = float(first.manifold.min_gap(second.manifold, reach))
    return 0.0 if found < _TOUCH * reach else found


def _solid(region: Region) -> Manifold:
    if isinstance(region, Part):
        return gauged(region).manifold
    return _box(region) if isinstance(region, BoxRegion) else _cylinder(region)


def _box(region: BoxRegion) -> Manifold:
    import manifold3d

    size = np.subtract(region.high_mm, region.low_mm)
    if not (size > 0.0).all():
        raise GeometryError(
            f"box from {region.low_mm} to {region.high_mm}: every side must be longer than 0",
            Outcome.BAD_CALL,
        )
    return manifold3d.Manifold.cube(size.tolist()).translate(region.low_mm)


def _cylinder(region: CylinderRegion) -> Manifold:
    import manifold3d

    way = np.subtract(region.end_mm, region.start_mm)
    height = float(np.linalg.norm(way))
    if height <= 0.0 or region.diameter_mm <= 0.0:
        raise GeometryError("a cylinder needs two ends and a diameter above 0", Outcome.BAD_CALL)
    # a polygon of the circle's own area
    step = math.tau / _SIDES
    radius = 0.5 * region.diameter_mm * math.sqrt(step / math.sin(step))
    upright = manifold3d.Manifold.cylinder(height, radius, radius, _SIDES)
    axis = way / height
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    placed = np.column_stack([first, np.cross(axis, first), axis, region.start_mm])
    return upright.transform(placed)
