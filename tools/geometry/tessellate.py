"""Triangles and edge lines of exact geometry, the same for the same bytes every time.

The kernel's triangulation is read back in one piece: geometry-free faces that hold only the
triangulations are written as BinTools to memory, and numpy reads the arrays out of that. It is
20 times faster than a Python call for each node, keeps double precision and needs no file.
"""

from __future__ import annotations

import io
import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from OCP.BinTools import BinTools
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepTools import BRepTools
from OCP.IMeshTools import IMeshTools_MeshAlgoType, IMeshTools_Parameters
from OCP.TopAbs import TopAbs_Orientation
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Compound, TopoDS_Face

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, Shape, reason
from cadwright.tools.geometry.part import Edges, FloatArray, IntArray, Mesh, Tessellation
from cadwright.tools.geometry.topology import Topology
from cadwright.tools.geometry.weld import drop_degenerate, weld

# Delabella takes half the time of Watson where faces are flat; what it cannot do, Watson tries.
_WAYS = (
    IMeshTools_MeshAlgoType.IMeshTools_MeshAlgoType_Delabella,
    IMeshTools_MeshAlgoType.IMeshTools_MeshAlgoType_Watson,
)
# Inside free-form faces the distance from the surface decides. A finer angle there makes a spring
# ten times as heavy and a hundredth of its volume better; cylinders, cones and the like have none.
_INSIDE_DEG = 34.0
_SECTION = b"\nTriangulations "
_HEADER = struct.Struct("<ii??d")  # nodes, triangles, has UV, has normals, deflection
# Faces placed by different locations disagree in the last bits of a shared node. The odd factor
# keeps round coordinates off the borders between grid cells.
_WELD_SHARE = 1.0471975e-8
_NO_POINTS = np.zeros((0, 3))
_NO_TRIANGLES = np.zeros((0, 3), np.int32)
_NO_IDS = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Triangulated:
    """Triangles of a shape.

    Attributes:
        mesh: Welded inside each body, never across bodies; ``face_ids`` index the shape's
            distinct faces.
        bodies: (m,) int32, the solid each triangle belongs to, -1 for a loose face.
        edges: The B-rep edges as the triangulation runs along them.
        bare_faces: Indices of faces that the kernel could not triangulate.
    """

    mesh: Mesh
    bodies: IntArray
    edges: Edges
    bare_faces: tuple[int, ...]


def tessellate(
    topology: Topology, diagonal_mm: float, settings: Tessellation | None = None
) -> Triangulated:
    """Triangulate a shape that has no triangulation yet.

    Args:
        topology: The explored shape.
        diagonal_mm: Diagonal of its bounding box.
        settings: How fine; None is the default.

    Raises:
        GeometryError: The kernel gave up on the whole shape.
    """
    parameters = _parameters(settings or Tessellation(), diagonal_mm)
    for way in _WAYS:
        parameters.MeshAlgo = way
        try:
            BRepMesh_IncrementalMesh(topology.shape, parameters)
        except KERNEL_ERRORS as err:
            raise GeometryError(f"the part cannot be tessellated ({reason(err)})") from err
        found = _collect(topology, _WELD_SHARE * diagonal_mm)
        if not found.bare_faces:
            break
        BRepTools.Clean_s(topology.shape, True)
    return found


def _parameters(settings: Tessellation, diagonal_mm: float) -> IMeshTools_Parameters:
    parameters = IMeshTools_Parameters()
    parameters.Deflection = settings.deflection_mm(diagonal_mm)
    parameters.Angle = math.radians(settings.angle_deg)
    parameters.AngleInterior = math.radians(max(2.0 * settings.angle_deg, _INSIDE_DEG))
    parameters.Relative = parameters.InParallel = False
    return parameters


@dataclass(slots=True, eq=False)
class _Face:
    """One face of one body: where its nodes come from and how they are placed."""

    index: int
    body: int
    source: int
    location: Any
    is_reversed: bool


class _Sources:
    """The distinct triangulations of a shape; instances of one face share theirs."""

    def __init__(self) -> None:
        self.found: list[Any] = []  # keeps the wrappers alive while their ids serve as keys
        self._places: dict[int, int] = {}

    def place(self, triangulation: Any) -> int:
        """Return the index of a triangulation, adding it at first sight."""
        place = self._places.setdefault(id(triangulation), len(self.found))
        if place == len(self.found):
            self.found.append(triangulation)
        return place


def _collect(topology: Topology, grid_mm: float) -> Triangulated:
    sources, placed, bare = _Sources(), [], []
    for use in topology.face_uses:
        location = TopLoc_Location()
        triangulation = BRep_Tool.Triangulation_s(use.face, location)
        if triangulation is None:
            bare.append(use.index)
            continue
        is_reversed = use.face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED
        source = sources.place(triangulation)
        placed.append(_Face(use.index, use.body, source, location, is_reversed))
    arrays = _arrays(sources.found)
    mesh, bodies = _join(placed, arrays, grid_mm)
    return Triangulated(mesh, bodies, _edge_lines(topology, sources, arrays), tuple(bare))


def _arrays(triangulations: list[Any]) -> list[tuple[FloatArray, IntArray]]:
    """Return nodes (n, 3) float64 and triangles (m, 3) int32 of each triangulation."""
    if not triangulations:
        return []
    data = _dump(triangulations)
    start = data.index(_SECTION) + len(_SECTION)  # only empty sections come before it
    newline = data.index(b"\n", start)
    if int(data[start:newline]) != len(triangulations):
        raise GeometryError("the kernel wrote its triangulations in an unknown layout")
    offset, arrays = newline + 1, []
    for _ in triangulations:
        nodes, triangles, offset = _read_one(data, offset)
        arrays.append((nodes, triangles))
    return arrays


def _dump(triangulations: list[Any]) -> bytes:
    builder, compound = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(compound)
    for triangulation in triangulations:
        face = TopoDS_Face()
        builder.MakeFace(face, triangulation)
        builder.Add(compound, face)
    stream = io.BytesIO()
    BinTools.Write_s(compound, stream)
    return stream.getvalue()


def _read_one(data: bytes, offset: int) -> tuple[FloatArray, IntArray, int]:
    num_nodes, num_triangles, has_uv, has_normals, _ = _HEADER.unpack_from(data, offset)
    offset += _HEADER.size
    nodes = np.frombuffer(data, "<f8", 3 * num_nodes, offset).reshape(-1, 3)
    offset += nodes.nbytes + (16 * num_nodes if has_uv else 0)
    triangles = np.frombuffer(data, "<i4", 3 * num_triangles, offset).reshape(-1, 3)
    offset += triangles.nbytes + (12 * num_nodes if has_normals else 0)
    return nodes, triangles - 1, offset


def _join(
    placed: list[_Face], arrays: list[tuple[FloatArray, IntArray]], grid_mm: float
) -> tuple[Mesh, IntArray]:
    """Place every face, weld the nodes inside each body and drop what has collapsed."""
    if not placed:
        return Mesh(_NO_POINTS, _NO_TRIANGLES, _NO_IDS), _NO_IDS
    points, faces, counts, offset = [], [], [], 0
    for face in placed:
        nodes, triangles = arrays[face.source]
        points.append(_moved(nodes, face.location))
        faces.append((triangles[:, ::-1] if face.is_reversed else triangles) + offset)
        counts.append((len(nodes), len(triangles)))
        offset += len(nodes)
    per_node, per_triangle = np.array(counts).T
    bodies = np.array([face.body for face in placed], np.int32)
    numbers = np.array([face.index for face in placed], np.int32)
    nodes = np.concatenate(points)
    kept, place = weld(nodes, np.repeat(bodies, per_node), grid_mm=grid_mm)
    welded = place[np.concatenate(faces)]
    whole = drop_degenerate(welded)
    face_ids = np.repeat(numbers, per_triangle)[whole]
    mesh = Mesh(nodes[kept] + 0.0, welded[whole], face_ids)
    return mesh, np.repeat(bodies, per_triangle)[whole]


def _moved(nodes: FloatArray, location: Any) -> FloatArray:
    if location.IsIdentity():
        return nodes
    move = location.Transformation()
    matrix = np.array([[move.Value(r, c) for c in range(1, 5)] for r in range(1, 4)])
    moved: FloatArray = nodes @ matrix[:, :3].T + matrix[:, 3]
    return moved


def _edge_lines(
    topology: Topology, sources: _Sources, arrays: list[tuple[FloatArray, IntArray]]
) -> Edges:
    """Return every visible edge as segments on the nodes of the triangles beside it."""
    segments: list[FloatArray] = []
    edge_ids: list[int] = []
    for index, (edge, face) in enumerate(topology.visible_edges):
        line = _free_line(edge) if face is None else _line(edge, face, sources, arrays)
        if len(line) > 1:
            segments.append(np.stack([line[:-1], line[1:]], axis=1))
            edge_ids.extend([index] * (len(line) - 1))
    if not segments:
        return Edges(np.zeros((0, 2, 3)), _NO_IDS)
    return Edges(np.concatenate(segments), np.array(edge_ids, np.int32))


def _line(
    edge: Shape, face: Shape, sources: _Sources, arrays: list[tuple[FloatArray, IntArray]]
) -> FloatArray:
    location = TopLoc_Location()
    triangulation = BRep_Tool.Triangulation_s(face, location)
    if triangulation is None:
        return _NO_POINTS
    polygon = BRep_Tool.PolygonOnTriangulation_s(edge, triangulation, location)
    if polygon is None:
        return _NO_POINTS
    places = np.array([polygon.Node(k) for k in range(1, polygon.NbNodes() + 1)]) - 1
    return _moved(arrays[sources.place(triangulation)][0][places], location)


def _free_line(edge: Shape) -> FloatArray:
    """Return the points of an edge that bounds no face."""
    location = TopLoc_Location()
    polygon = BRep_Tool.Polygon3D_s(edge, location)
    if polygon is None:
        return _NO_POINTS
    points = [(p.X(), p.Y(), p.Z()) for p in polygon.Nodes()]
    return _moved(np.array(points, np.float64).reshape(-1, 3), location)
