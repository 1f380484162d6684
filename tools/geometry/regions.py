"""Volumes in space as solids: boxes along the axes, round cylinders."""

from __future__ import annotations

import math

import numpy as np
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.gauges import BoxRegion, CylinderRegion
from cadwright.tools.geometry.kernel import Shape
from cadwright.tools.geometry.solids import Manifold, frame_along

_SIDES = 240  # of a cylinder


def region_solid(region: BoxRegion | CylinderRegion) -> Manifold:
    """Return a region as a solid.

    Raises:
        GeometryError: It is flat.
    """
    return _box(region) if isinstance(region, BoxRegion) else _cylinder(region)


def region_shape(region: BoxRegion | CylinderRegion) -> Shape:
    """Return a region as a shape of the kernel."""
    if isinstance(region, BoxRegion):
        return BRepPrimAPI_MakeBox(gp_Pnt(*region.low_mm), gp_Pnt(*region.high_mm)).Shape()
    way = np.subtract(region.end_mm, region.start_mm)
    frame = gp_Ax2(gp_Pnt(*region.start_mm), gp_Dir(*way.tolist()))
    height = float(np.linalg.norm(way))
    return BRepPrimAPI_MakeCylinder(frame, 0.5 * region.diameter_mm, height).Shape()


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
    # corners outside the circle by as much as sides are inside: the volume is the round one's
    step = math.tau / _SIDES
    radius = 0.5 * region.diameter_mm * math.sqrt(step / math.sin(step))
    upright = manifold3d.Manifold.cylinder(height, radius, radius, _SIDES)
    return upright.transform(np.column_stack([frame_along(way / height), region.start_mm]))
