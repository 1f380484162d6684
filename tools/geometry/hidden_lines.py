"""Hidden-line removal: the lines of a part from one side, those in front and those behind.

Runs in a worker process. Smooth edges, where two faces run into each other without a crease, are
no lines of a drawing and are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepLib import BRepLib
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.GCPnts import GCPnts_TangentialDeflection
from OCP.GeomAbs import GeomAbs_CurveType, GeomAbs_SurfaceType
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt
from OCP.HLRAlgo import HLRAlgo_Projector
from OCP.HLRBRep import (
    HLRBRep_Algo,
    HLRBRep_HLRToShape,
    HLRBRep_PolyAlgo,
    HLRBRep_PolyHLRToShape,
)
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopoDS import TopoDS

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.axes import axes_of
from cadwright.tools.geometry.bounds import quick_box
from cadwright.tools.geometry.holes import Surfaces, surfaces_of
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, Shape, reason, shape_of, subshapes
from cadwright.tools.geometry.merge_strokes import fitted_arc, merged
from cadwright.tools.geometry.outlines import (
    FRAMES,
    Arc,
    Curve,
    Flat,
    Line,
    Outline,
    Outlines,
    Strokes,
)
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.topology import explore

RICH_POLES = 400  # of spline surfaces together: a spring has a thousand and takes 5 s a view
_ANGLE = 0.1  # rad between the pieces of a curve
_SMOOTH = 1e-4  # rad
_DEFLECTION = 2e-4  # of the diagonal: half a pixel of a sheet 768 wide
_STRAIGHT = 1e-5  # of the diagonal: a circle seen from its edge is a line, a silhouette an arc


def outlines_of(part: Part, views: Sequence[str]) -> Outlines:
    """Return the visible and hidden lines of a part from each side.

    Args:
        part: Exact geometry.
        views: Names out of ``outlines.VIEWS``.

    Raises:
        GeometryError: The part has no exact geometry, a view is unknown, or the kernel fails.
    """
    unknown = [view for view in views if view not in FRAMES]
    if unknown:
        raise GeometryError(f"view is {unknown[0]!r}; allowed are {', '.join(FRAMES)}")
    if part.brep is None:
        raise GeometryError(f"{part.name}: a mesh has no edges to draw: give exact geometry")
    topology = explore(shape_of(part.brep, name=part.name))
    box = quick_box(topology.shape)
    if box is None:
        raise GeometryError(f"{part.name}: there is nothing to draw")
    size = float(np.linalg.norm(box[1] - box[0]))
    BRepLib.EncodeRegularity_s(topology.shape, _SMOOTH)  # booleans forget which edges are smooth
    surfaces = surfaces_of(topology)
    method: Literal["exact", "facets"] = "facets" if _is_rich(surfaces) else "exact"
    try:
        seen = tuple(_outline(topology.shape, view, size, method) for view in views)
    except KERNEL_ERRORS as err:
        raise GeometryError(f"{part.name}: its lines cannot be drawn ({reason(err)})") from err
    return Outlines(seen, axes_of(topology, surfaces), method)


def _is_rich(surfaces: Surfaces) -> bool:
    """Return whether spline surfaces have too many poles for the exact way."""
    splines = (
        adaptor
        for adaptor in surfaces.adaptors.values()
        if adaptor.GetType() == GeomAbs_SurfaceType.GeomAbs_BSplineSurface
    )
    return sum(int(s.NbUPoles() * s.NbVPoles()) for s in splines) > RICH_POLES


def _outline(shape: Shape, view: str, size: float, method: str) -> Outline:
    reader = (_exact if method == "exact" else _faceted)(shape, _projector(view), size)
    visible = _strokes((reader.VCompound(), reader.OutLineVCompound()), size)
    hidden = _strokes((reader.HCompound(), reader.OutLineHCompound()), size)
    return Outline(view, *merged(visible, hidden, size))


def _projector(view: str) -> HLRAlgo_Projector:
    right, _, eye = FRAMES[view]
    return HLRAlgo_Projector(gp_Ax2(gp_Pnt(0.0, 0.0, 0.0), gp_Dir(*eye), gp_Dir(*right)))


def _exact(shape: Shape, projector: HLRAlgo_Projector, size: float) -> Any:
    algorithm = HLRBRep_Algo()
    algorithm.Add(shape)
    algorithm.Projector(projector)
    algorithm.Update()
    algorithm.Hide()
    return HLRBRep_HLRToShape(algorithm)


def _faceted(shape: Shape, projector: HLRAlgo_Projector, size: float) -> Any:
    BRepMesh_IncrementalMesh(shape, size * 5e-4, False, 0.2, False)
    algorithm = HLRBRep_PolyAlgo()
    algorithm.Load(shape)
    algorithm.Projector(projector)
    algorithm.Update()
    reader = HLRBRep_PolyHLRToShape()
    reader.Update(algorithm)
    return reader


def _strokes(compounds: Sequence[Shape | None], size: float) -> Strokes:
    """Return the edges of flat compounds as strokes."""
    lines: list[Line] = []
    arcs: list[Arc] = []
    curves: list[Curve] = []
    for edge in _edges(compounds):
        curve = BRepAdaptor_Curve(edge)
        if curve.GetType() == GeomAbs_CurveType.GeomAbs_Circle:
            arcs.append(_arc(curve))
        elif _is_straight(points := _points(curve, size), size):
            lines.append((*points[0], *points[-1]))
        elif (arc := fitted_arc(points, _STRAIGHT * size)) is not None:
            arcs.append(arc)
        else:
            curves.append(points)
    return Strokes(tuple(lines), tuple(arcs), tuple(curves))


def _edges(compounds: Sequence[Shape | None]) -> Iterator[Shape]:
    for compound in compounds:
        if compound is not None and not compound.IsNull():
            BRepLib.BuildCurves3d_s(compound)  # until then they are curves of a plane
            for edge in subshapes(compound, TopAbs_ShapeEnum.TopAbs_EDGE):
                yield TopoDS.Edge_s(edge)


def _arc(curve: Any) -> Arc:
    """Return centre, radius, start and sweep; the sweep is positive, the turn that of the paper."""
    circle = curve.Circle()
    centre, radius = circle.Location(), circle.Radius()
    first, last = curve.FirstParameter(), curve.LastParameter()
    begin = _flat(curve.Value(first if circle.Axis().Direction().Z() > 0.0 else last))
    start = math.atan2(begin[1] - centre.Y(), begin[0] - centre.X())
    return (centre.X(), centre.Y(), radius, start, last - first)


def _points(curve: Any, size: float) -> Curve:
    if curve.GetType() == GeomAbs_CurveType.GeomAbs_Line:
        ends = (curve.FirstParameter(), curve.LastParameter())
        return tuple(_flat(curve.Value(end)) for end in ends)
    walk = GCPnts_TangentialDeflection(curve, _ANGLE, _DEFLECTION * size)
    return tuple(_flat(walk.Value(index)) for index in range(1, walk.NbPoints() + 1))


def _flat(point: Any) -> Flat:
    return (point.X(), point.Y())


def _is_straight(points: Curve, size: float) -> bool:
    if len(points) == 2:
        return True
    path: Any = np.array(points)
    along = path[-1] - path[0]
    length = float(np.linalg.norm(along))
    if length < _STRAIGHT * size:
        return False  # closed
    off = np.abs((path - path[0]) @ np.array([-along[1], along[0]])) / length
    share = (path - path[0]) @ along / length**2
    is_between = bool((share > -1e-6).all() and (share < 1.0 + 1e-6).all())
    return is_between and float(off.max()) < _STRAIGHT * size
