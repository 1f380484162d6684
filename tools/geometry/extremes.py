"""How far curved faces reach along the axes, exactly, where triangles only come near.

The kernel bounds a face by the rectangle of its parameters, with what was cut away inside it. So a
bound that sticks out of what is known is believed only where the face itself is found to reach it:
by an edge, or by a bulge between its edges. A cylinder, a cone and an extrusion have none: every
point lies on a straight line of the surface, and nothing reaches farther than both its ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from OCP.Bnd import Bnd_Box
from OCP.BndLib import BndLib_Add3dCurve
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepTopAdaptor import BRepTopAdaptor_FClass2d
from OCP.GeomAbs import GeomAbs_CurveType
from OCP.gp import gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.ShapeAnalysis import ShapeAnalysis_Surface
from OCP.TopAbs import TopAbs_ShapeEnum, TopAbs_State
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS
from OCP.TopTools import TopTools_IndexedMapOfShape

from cadwright.tools.geometry.kernel import Shape
from cadwright.tools.geometry.part import FloatArray

# Kinds of faces that reach no farther than their edges.
STRAIGHT = frozenset({"plane", "cylinder", "cone", "extrusion"})
# What two ways to the same extremum may differ by, as a share of the diagonal.
SAME = 1e-6
NUM_STARTS = 8
NUM_STEPS = 12
# Parameters: how near to an edge still counts as on the face, and a step that is none.
ON_FACE = 1e-9
NO_STEP = 1e-12


def nothing() -> FloatArray:
    """Return the (2, 3) bounds of no point at all."""
    return np.array([[np.inf] * 3, [-np.inf] * 3])


def joined(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the (2, 3) bounds that contain both."""
    return np.stack([np.fmin(one[0], other[0]), np.fmax(one[1], other[1])])


def face_bounds(
    face: Shape, adaptor: Any, kind: str, known: FloatArray, corners: Callable[[], FloatArray]
) -> FloatArray:
    """Return the (2, 3) bounds of a face, as far as it sticks out of what is known.

    Args:
        face: TopoDS_Face.
        adaptor: Its surface.
        kind: What that is: ``cylinder``, ...
        known: (2, 3) bounds that are reached for certain.
        corners: Makes the (n, 3) corners of its triangles, where a search begins.
    """
    whole = Bnd_Box()
    BRepBndLib.AddOptimal_s(face, whole, False, False)
    claimed = _array(whole)
    slack = SAME * float(np.linalg.norm(known[1] - known[0]))
    is_out = np.stack([claimed[0] < known[0] - slack, claimed[1] > known[1] + slack])
    if not is_out.any():
        return claimed
    reached = joined(known, _edge_bounds(face))
    for side, axis in np.argwhere(is_out).tolist():
        sign = 1.0 if side else -1.0
        aim, best = sign * claimed[side, axis] - slack, sign * reached[side, axis]
        if best < aim and kind not in STRAIGHT:
            best = max(best, _bulge(face, adaptor, corners(), axis, sign, aim))
        if best < aim:
            claimed[side, axis] = sign * best
    return claimed


def _edge_bounds(face: Shape) -> FloatArray:
    """Return the (2, 3) bounds of the curved edges around a face."""
    edges, box = TopTools_IndexedMapOfShape(), Bnd_Box()
    TopExp.MapShapes_s(face, TopAbs_ShapeEnum.TopAbs_EDGE, edges)
    for number in range(1, edges.Extent() + 1):
        edge = TopoDS.Edge_s(edges.FindKey(number))
        if BRep_Tool.Degenerated_s(edge):
            continue
        curve = BRepAdaptor_Curve(edge)
        if curve.GetType() != GeomAbs_CurveType.GeomAbs_Line:  # its ends are corners of triangles
            BndLib_Add3dCurve.AddOptimal_s(curve, 0.0, box)
    return _array(box)


def _bulge(
    face: Shape, adaptor: Any, corners: FloatArray, axis: int, sign: float, aim: float
) -> float:
    """Return how far the inside of a face reaches along an axis; minus infinity for nowhere.

    Args:
        face: TopoDS_Face.
        adaptor: Its surface.
        corners: (n, 3) of its triangles.
        axis: Which coordinate.
        sign: 1 upwards, -1 downwards.
        aim: How far it is said to reach: there the search ends.
    """
    inside = BRepTopAdaptor_FClass2d(face, ON_FACE)
    places = ShapeAnalysis_Surface(BRep_Tool.Surface_s(face))
    best = -np.inf
    order = np.argsort(-sign * corners[:, axis], kind="stable")
    for start in corners[order[:NUM_STARTS]].tolist():
        uv = places.ValueOfUV(gp_Pnt(*start), SAME)
        summit = _summit(adaptor, uv.X(), uv.Y(), axis)
        if summit is None:
            continue
        u, v, height = summit
        if inside.Perform(gp_Pnt2d(u, v)) != TopAbs_State.TopAbs_OUT:
            best = max(best, sign * height)
        if best >= aim:
            break
    return best


def _summit(adaptor: Any, u: float, v: float, axis: int) -> tuple[float, float, float] | None:
    """Return where a coordinate stands still on a surface, and its value there (Newton)."""
    point, vectors = gp_Pnt(), [gp_Vec() for _ in range(5)]
    for _ in range(NUM_STEPS):
        adaptor.D2(u, v, point, *vectors)
        along_u, along_v, uu, vv, uv = (vector.Coord(axis + 1) for vector in vectors)
        bend = uu * vv - uv * uv
        if bend == 0.0:
            return None
        step_u, step_v = (uv * along_v - vv * along_u) / bend, (uv * along_u - uu * along_v) / bend
        u, v = u + step_u, v + step_v
        if not (np.isfinite(u) and np.isfinite(v)):
            return None
        if abs(step_u) + abs(step_v) < NO_STEP:
            break
    return u, v, point.Coord(axis + 1)


def _array(box: Bnd_Box) -> FloatArray:
    if box.IsVoid():
        return nothing()
    return np.array(box.Get(), np.float64).reshape(2, 3)
