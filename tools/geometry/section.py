"""The material in a plane: exact for exact geometry, that of the triangles for a mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.BRepGProp import BRepGProp
from OCP.gp import gp_Dir, gp_Pln, gp_Pnt
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_ShapeEnum

from cadwright.tools.geometry.bounds import quick_box
from cadwright.tools.geometry.gauged import direction_of, gauged
from cadwright.tools.geometry.gauges import SectionCut
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, Shape, shape_of, subshapes
from cadwright.tools.geometry.part import FloatArray, Part, Vector
from cadwright.tools.geometry.solids import Manifold, frame_along
from cadwright.tools.geometry.vectors import as_vector

NOTHING = SectionCut(0.0, 0.0, None, 0, 0)


def section_cut(part: Part, point: Vector, normal: Vector) -> SectionCut:
    """Return the area of material in a plane.

    Args:
        part: A closed part.
        point: A point of the plane, mm.
        normal: Its normal, of any length.

    Raises:
        GeometryError: The normal has no length, or the part has no inside.
    """
    way = direction_of(normal, "normal")
    if part.brep is not None:
        exact = _exact(shape_of(part.brep, name=part.name), np.array(point), way)
        if exact is not None:
            return exact
    return solid_section(gauged(part).manifold, np.array(point), way)


def solid_section(solid: Manifold, point: FloatArray, way: FloatArray) -> SectionCut:
    """Return the cut of triangles.

    Args:
        solid: A solid.
        point: (3,) a point of the plane in the solid's frame, mm.
        way: (3,) unit normal.
    """
    turn = frame_along(way).T  # rows: the plane's own axes
    cut = solid.transform(np.column_stack([turn, -turn @ point])).slice(0.0)
    outlines = [np.asarray(outline, np.float64) for outline in cut.to_polygons()]
    if not outlines:
        return NOTHING
    areas, moments = zip(*(_area(outline) for outline in outlines), strict=True)
    total = float(sum(areas))
    flat: Any = sum(moments) / total
    return SectionCut(
        area_mm2=total,
        perimeter_mm=float(sum(_length(outline) for outline in outlines)),
        centre_mm=as_vector(turn[:2].T @ flat + point),
        regions=sum(area > 0.0 for area in areas),
        openings=sum(area < 0.0 for area in areas),
    )


def _exact(shape: Shape, point: FloatArray, way: FloatArray) -> SectionCut | None:
    """Return the cut of exact geometry, None where the kernel cannot make it."""
    box = quick_box(shape)
    if box is None or not np.isfinite(box).all():
        return None
    middle = box.mean(axis=0)
    foot = middle - way * float((middle - point) @ way)
    half = float(np.linalg.norm(box[1] - box[0]))
    try:
        plane = gp_Pln(gp_Pnt(*foot.tolist()), gp_Dir(*way.tolist()))
        sheet = BRepBuilderAPI_MakeFace(plane, -half, half, -half, half).Face()
        cut = BRepAlgoAPI_Common(shape, sheet)
        if not cut.IsDone():
            return None
        return _measured(cut.Shape())
    except KERNEL_ERRORS:
        return None


def _measured(cut: Shape) -> SectionCut:
    faces = subshapes(cut, TopAbs_ShapeEnum.TopAbs_FACE)
    if not faces:
        return NOTHING
    area, length = GProp_GProps(), GProp_GProps()
    BRepGProp.SurfaceProperties_s(cut, area)
    wires = [wire for face in faces for wire in subshapes(face, TopAbs_ShapeEnum.TopAbs_WIRE)]
    for wire in wires:
        piece = GProp_GProps()
        BRepGProp.LinearProperties_s(wire, piece)
        length.Add(piece)
    centre = area.CentreOfMass()
    return SectionCut(
        area_mm2=float(area.Mass()),
        perimeter_mm=float(length.Mass()),
        centre_mm=(centre.X(), centre.Y(), centre.Z()),
        regions=len(faces),
        openings=len(wires) - len(faces),
    )


def _area(outline: FloatArray) -> tuple[float, FloatArray]:
    """Return the signed area of a polygon (n, 2) and its first moment (2,)."""
    following = np.roll(outline, -1, axis=0)
    twice = outline[:, 0] * following[:, 1] - following[:, 0] * outline[:, 1]
    moment = ((outline + following) * twice[:, None]).sum(axis=0) / 6.0
    return 0.5 * float(twice.sum()), moment


def _length(outline: FloatArray) -> float:
    return float(np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1).sum())
