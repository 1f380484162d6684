"""The graph of patches and borders of exact geometry."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d
from OCP.GeomAbs import GeomAbs_CurveType
from OCP.GeomLib import GeomLib_IsPlanarSurface
from OCP.gp import gp_Pnt, gp_Vec
from OCP.TopAbs import TopAbs_Orientation, TopAbs_ShapeEnum
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopoDS import TopoDS
from OCP.TopTools import TopTools_IndexedMapOfShape

from cadwright.tools.geometry.explored import Explored
from cadwright.tools.geometry.holes import Surfaces
from cadwright.tools.geometry.kernel import Shape
from cadwright.tools.geometry.mass import FaceArea
from cadwright.tools.geometry.part import Vector
from cadwright.tools.geometry.patches import (
    ELEMENTARY,
    SMOOTH_DEG,
    Border,
    Graph,
    Patch,
    Ring,
    bend_of,
    is_parallel,
)
from cadwright.tools.geometry.topology import FaceUse, Topology
from cadwright.tools.geometry.vectors import (
    cross,
    distance,
    dot,
    scaled,
    signed,
    sub,
    unit,
    weighted_mean,
)

_LINE_POINTS, _CIRCLE_POINTS, _CURVE_POINTS = 3, 5, 9  # odd numbers, so that one is the middle
_TOLERANCE = 2e-6  # of the diagonal: what writing and reading STEP may move
_REVERSED = TopAbs_Orientation.TopAbs_REVERSED


def brep_graph(explored: Explored, diagonal_mm: float) -> Graph:
    """Return the patches of an explored shape.

    Args:
        explored: The shape.
        diagonal_mm: Diagonal of its bounding box.
    """
    tolerance = _TOLERANCE * diagonal_mm
    topology, surfaces = explored.topology, explored.surfaces
    uses = zip(topology.face_uses, explored.face_areas, strict=True)
    sheets = [
        _sheet(place, use, surfaces, area, tolerance) for place, (use, area) in enumerate(uses)
    ]
    graph = Graph(sheets, tolerance)
    borders = _borders(topology, surfaces, graph)
    return _merged(graph, borders)


def _sheet(place: int, use: FaceUse, surfaces: Surfaces, area: FaceArea, tolerance: float) -> Patch:
    """Return one face as a patch of its own."""
    kind, adaptor = surfaces.kinds[use.index], surfaces.adaptors[use.index]
    patch = Patch(place, kind, (use.index,), use.body)
    patch.area, patch.centre = area.area_mm2, area.centre_mm
    is_reversed = use.face.Orientation() == _REVERSED
    if kind == "plane":
        _place_plane(patch, adaptor.Plane(), is_reversed)
    elif kind in ELEMENTARY:
        _place_round(patch, adaptor, is_reversed)
    else:
        _flatten(patch, use, adaptor, is_reversed, tolerance)
    return patch


def _flatten(patch: Patch, use: FaceUse, adaptor: Any, is_reversed: bool, tolerance: float) -> None:
    """Take a free-form face that is flat for the plane it is: lofts and imports have such."""
    search = GeomLib_IsPlanarSurface(BRep_Tool.Surface_s(use.face), tolerance)
    if not search.IsPlanar():
        return
    point, normal = _point_and_normal(adaptor, *_middle_of(adaptor))
    patch.kind, patch.point = "plane", point
    patch.axis = scaled(normal, -1.0 if is_reversed else 1.0)


def _place_plane(patch: Patch, plane: Any, is_reversed: bool) -> None:
    normal = _xyz(plane.Axis().Direction())
    patch.axis = scaled(normal, 1.0 if plane.Direct() != is_reversed else -1.0)
    patch.point = _xyz(plane.Location())


def _place_round(patch: Patch, adaptor: Any, is_reversed: bool) -> None:
    turn = adaptor.LastUParameter() - adaptor.FirstUParameter()
    patch.swept_deg = math.degrees(turn)
    point, normal = _point_and_normal(adaptor, *_middle_of(adaptor))
    if patch.kind == "cylinder":
        surface = adaptor.Cylinder()
        patch.radius = surface.Radius()
    elif patch.kind == "cone":
        surface = adaptor.Cone()
        patch.half_deg = abs(math.degrees(surface.SemiAngle()))
    elif patch.kind == "sphere":
        surface = adaptor.Sphere()
        patch.radius = surface.Radius()
    else:
        surface = adaptor.Torus()
        patch.radius, patch.tube = surface.MajorRadius(), surface.MinorRadius()
        patch.tube_deg = math.degrees(adaptor.LastVParameter() - adaptor.FirstVParameter())
    patch.axis = signed(_xyz(surface.Position().Direction()))
    if patch.kind == "cone":
        patch.point = _xyz(surface.Apex())
        if dot(sub(point, patch.point), patch.axis) < 0.0:
            patch.axis = scaled(patch.axis, -1.0)
    else:
        patch.point = _xyz(surface.Location())
    outward = scaled(normal, -1.0 if is_reversed else 1.0)
    patch.is_inner = dot(outward, patch.normal_at(point)) < 0.0


def _middle_of(adaptor: Any) -> tuple[float, float]:
    """Return surface parameters inside a face's range, off its exact middle."""
    u = 0.47 * adaptor.FirstUParameter() + 0.53 * adaptor.LastUParameter()
    return u, 0.47 * adaptor.FirstVParameter() + 0.53 * adaptor.LastVParameter()


def _point_and_normal(adaptor: Any, u: float, v: float) -> tuple[Vector, Vector]:
    """Return a point and the surface's own normal there, before any orientation."""
    point, along_u, along_v = gp_Pnt(), gp_Vec(), gp_Vec()
    adaptor.D1(u, v, point, along_u, along_v)
    return _xyz(point), unit(cross(_xyz(along_u), _xyz(along_v)))


@dataclass(slots=True, eq=False)
class _Half:
    """An edge as one face uses it."""

    place: int  # of the face among the face uses
    edge: Shape
    is_reversed: bool


def _borders(topology: Topology, surfaces: Surfaces, graph: Graph) -> list[Border]:
    edges, vertices = TopTools_IndexedMapOfShape(), TopTools_IndexedMapOfShape()
    TopExp.MapShapes_s(topology.shape, TopAbs_ShapeEnum.TopAbs_EDGE, edges)
    TopExp.MapShapes_s(topology.shape, TopAbs_ShapeEnum.TopAbs_VERTEX, vertices)
    halves: dict[tuple[int, int], list[_Half]] = defaultdict(list)
    for place, use in enumerate(topology.face_uses):
        walk = TopExp_Explorer(use.face, TopAbs_ShapeEnum.TopAbs_EDGE)
        while walk.More():
            edge = TopoDS.Edge_s(walk.Current())
            half = _Half(place, edge, edge.Orientation() == _REVERSED)
            halves[use.body, edges.FindIndex(edge)].append(half)
            walk.Next()
    found = []
    for pair in halves.values():
        if len(pair) == 2 and pair[0].place != pair[1].place:  # neither a seam nor an open edge
            found.append(_border(pair[0], pair[1], topology, surfaces, graph, vertices))
    return [border for border in found if border is not None]


def _border(
    first: _Half,
    second: _Half,
    topology: Topology,
    surfaces: Surfaces,
    graph: Graph,
    vertices: TopTools_IndexedMapOfShape,
) -> Border | None:
    if BRep_Tool.Degenerated_s(first.edge):
        return None
    curve = BRepAdaptor_Curve(first.edge)
    is_straight = curve.GetType() == GeomAbs_CurveType.GeomAbs_Line
    points = _points(curve)
    ends = (TopExp.FirstVertex_s(first.edge), TopExp.LastVertex_s(first.edge))
    numbers = (vertices.FindIndex(ends[0]), vertices.FindIndex(ends[1]))
    if first.is_reversed:
        points, numbers = points[::-1], numbers[::-1]
    normals = tuple(
        _normal_beside(half, points[len(points) // 2], topology, surfaces, graph)
        for half in (first, second)
    )
    border = Border(
        sides=(first.place, second.place),
        points=points,
        ends=numbers,
        length=_length(curve, points),
        is_straight=is_straight,
        bend_deg=0.0,
        normals=(normals[0], normals[1]),
        ring=_whole_circle(curve) if numbers[0] == numbers[1] else None,
    )
    border.bend_deg = bend_of(border)
    return border


def _whole_circle(curve: Any) -> Ring | None:
    if curve.GetType() != GeomAbs_CurveType.GeomAbs_Circle:
        return None
    circle = curve.Circle()
    return Ring(_xyz(circle.Location()), _xyz(circle.Axis().Direction()), circle.Radius())


def _points(curve: Any) -> tuple[Vector, ...]:
    kinds = {
        GeomAbs_CurveType.GeomAbs_Line: _LINE_POINTS,
        GeomAbs_CurveType.GeomAbs_Circle: _CIRCLE_POINTS,
    }
    count = kinds.get(curve.GetType(), _CURVE_POINTS)
    start, step = curve.FirstParameter(), curve.LastParameter() - curve.FirstParameter()
    return tuple(_xyz(curve.Value(start + step * k / (count - 1))) for k in range(count))


def _length(curve: Any, points: tuple[Vector, ...]) -> float:
    if curve.GetType() == GeomAbs_CurveType.GeomAbs_Circle:
        turn: float = curve.LastParameter() - curve.FirstParameter()
        return float(curve.Circle().Radius()) * turn
    return sum(distance(a, b) for a, b in pairwise(points))


def _normal_beside(
    half: _Half, point: Vector, topology: Topology, surfaces: Surfaces, graph: Graph
) -> Vector:
    """Return the outward normal of a face at the middle of one of its edges."""
    patch, use = graph.patches[half.place], topology.face_uses[half.place]
    if patch.kind in ELEMENTARY:
        return patch.normal_at(point)
    trace = BRepAdaptor_Curve2d(half.edge, use.face)
    place = trace.Value(0.5 * (trace.FirstParameter() + trace.LastParameter()))
    normal = _point_and_normal(surfaces.adaptors[use.index], place.X(), place.Y())[1]
    return scaled(normal, -1.0 if use.face.Orientation() == _REVERSED else 1.0)


def _merged(graph: Graph, borders: list[Border]) -> Graph:
    """Return the graph with neighbouring faces of one surface taken together."""
    root = list(range(len(graph.patches)))

    def find(place: int) -> int:
        while root[place] != place:
            place = root[place]
        return place

    for border in borders:
        a, b = (find(side) for side in border.sides)
        if border.is_smooth and _is_same(graph.patches[a], graph.patches[b], graph.tolerance):
            root[max(a, b)] = min(a, b)
    groups: dict[int, list[Patch]] = defaultdict(list)
    for place, patch in enumerate(graph.patches):
        groups[find(place)].append(patch)
    numbers = {old: new for new, old in enumerate(groups)}
    patches = [_joined(numbers[old], members) for old, members in groups.items()]
    for border in borders:
        a, b = (numbers[find(side)] for side in border.sides)
        if a != b:
            border.sides = (a, b)
            patches[a].borders.append(border)
            patches[b].borders.append(border)
    return Graph(patches, graph.tolerance)


def _is_same(a: Patch, b: Patch, tolerance: float) -> bool:
    """Return whether two faces that run into each other lie on one surface."""
    if a.kind != b.kind or a.kind not in ELEMENTARY or a.is_inner != b.is_inner:
        return False
    if a.kind == "plane":
        return True  # they are tangent and share an edge
    sizes = abs(a.radius - b.radius) + abs(a.tube - b.tube)
    if sizes > tolerance or abs(a.half_deg - b.half_deg) > SMOOTH_DEG:
        return False
    if a.kind in ("sphere", "torus", "cone"):
        return distance(a.point, b.point) < 10.0 * tolerance
    offset = sub(b.point, a.point)
    beside = distance(offset, scaled(a.axis, dot(offset, a.axis)))
    return is_parallel(a.axis, b.axis) and beside < 10.0 * tolerance


def _joined(index: int, members: list[Patch]) -> Patch:
    first = members[0]
    joined = Patch(
        index,
        first.kind,
        tuple(sorted({face for member in members for face in member.faces})),
        first.body,
        axis=first.axis,
        point=first.point,
        radius=first.radius,
        tube=first.tube,
        half_deg=first.half_deg,
        is_inner=first.is_inner,
    )
    joined.area = sum(member.area for member in members)
    joined.centre = weighted_mean([(member.centre, member.area + 1e-30) for member in members])
    largest = max(member.area for member in members)
    # Halves of one cylinder share its height: their turns add up as their areas do.
    share = joined.area / largest if largest > 0.0 else 1.0
    widest = max(members, key=lambda member: member.area)
    joined.swept_deg = min(360.0, widest.swept_deg * share)
    joined.tube_deg = max(member.tube_deg for member in members)
    return joined


def _xyz(value: Any) -> Vector:
    return (value.X(), value.Y(), value.Z())
