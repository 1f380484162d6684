"""One walk over a shape: its solids, faces and edges, explored once and used by all."""

from __future__ import annotations

from dataclasses import dataclass

from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Compound
from OCP.TopTools import (
    TopTools_IndexedDataMapOfShapeListOfShape,
    TopTools_IndexedMapOfShape,
)

from cadwright.tools.geometry.kernel import Shape, subshapes

LOOSE = -1  # the body of a face that no solid owns


@dataclass(frozen=True, slots=True, eq=False)
class FaceUse:
    """A face as one body uses it: a wall shared by two solids is used twice.

    Attributes:
        face: TopoDS_Face with the orientation it has in this body.
        index: Its place among the distinct faces of the shape.
        body: Its solid, or ``LOOSE``.
    """

    face: Shape
    index: int
    body: int


@dataclass(frozen=True, slots=True, eq=False)
class Topology:
    """An explored shape.

    Attributes:
        shape: The shape, or a compound of its solids where it holds more than those.
        solids: Its distinct solids.
        face_uses: Every face of every solid, or every face where there is no solid.
        num_faces: Number of distinct faces.
        num_shells: Number of distinct shells.
        num_loose: Faces, edges and vertices left out because no solid owns them.
        visible_edges: Each distinct edge but seams and degenerated ones, with one of its
            faces, or None where it has none.
    """

    shape: Shape
    solids: tuple[Shape, ...]
    face_uses: tuple[FaceUse, ...]
    num_faces: int
    num_shells: int
    num_loose: int
    visible_edges: tuple[tuple[Shape, Shape | None], ...]


def explore(shape: Shape) -> Topology:
    """Walk over ``shape`` once; where it holds solids, whatever else it holds is left out."""
    num_loose = _num_loose(shape)
    solids = _solids(shape)
    if solids and num_loose:
        shape = _compound(solids)
    faces = TopTools_IndexedMapOfShape()
    TopExp.MapShapes_s(shape, TopAbs_ShapeEnum.TopAbs_FACE, faces)
    uses = [use for body, solid in enumerate(solids) for use in _uses(solid, faces, body)]
    return Topology(
        shape=shape,
        solids=solids,
        face_uses=tuple(uses or _uses(shape, faces, LOOSE)),
        num_faces=faces.Extent(),
        num_shells=len(subshapes(shape, TopAbs_ShapeEnum.TopAbs_SHELL)),
        num_loose=num_loose if solids else 0,
        visible_edges=_visible_edges(shape),
    )


def _num_loose(shape: Shape) -> int:
    """Return how many faces, edges and vertices belong to nothing larger."""
    return sum(
        _count(shape, kind, owner)
        for kind, owner in (
            (TopAbs_ShapeEnum.TopAbs_FACE, TopAbs_ShapeEnum.TopAbs_SOLID),
            (TopAbs_ShapeEnum.TopAbs_EDGE, TopAbs_ShapeEnum.TopAbs_FACE),
            (TopAbs_ShapeEnum.TopAbs_VERTEX, TopAbs_ShapeEnum.TopAbs_EDGE),
        )
    )


def _count(shape: Shape, kind: TopAbs_ShapeEnum, owner: TopAbs_ShapeEnum) -> int:
    walk, count = TopExp_Explorer(shape, kind, owner), 0
    while walk.More():
        count += 1
        walk.Next()
    return count


def _compound(solids: tuple[Shape, ...]) -> Shape:
    builder, compound = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(compound)
    for solid in solids:
        builder.Add(compound, solid)
    return compound


def _solids(shape: Shape) -> tuple[Shape, ...]:
    return tuple(TopoDS.Solid_s(found) for found in subshapes(shape, TopAbs_ShapeEnum.TopAbs_SOLID))


def _uses(solid: Shape, faces: TopTools_IndexedMapOfShape, body: int) -> list[FaceUse]:
    found = []
    walk = TopExp_Explorer(solid, TopAbs_ShapeEnum.TopAbs_FACE)
    while walk.More():
        found.append(_use(walk.Current(), faces, body))
        walk.Next()
    return found


def _use(face: Shape, faces: TopTools_IndexedMapOfShape, body: int) -> FaceUse:
    return FaceUse(TopoDS.Face_s(face), faces.FindIndex(face) - 1, body)


def _visible_edges(shape: Shape) -> tuple[tuple[Shape, Shape | None], ...]:
    owners = TopTools_IndexedDataMapOfShapeListOfShape()
    TopExp.MapShapesAndAncestors_s(
        shape, TopAbs_ShapeEnum.TopAbs_EDGE, TopAbs_ShapeEnum.TopAbs_FACE, owners
    )
    found: list[tuple[Shape, Shape | None]] = []
    for index in range(1, owners.Extent() + 1):
        edge = TopoDS.Edge_s(owners.FindKey(index))
        if BRep_Tool.Degenerated_s(edge):
            continue
        faces = owners.FindFromIndex(index)
        face = TopoDS.Face_s(faces.First()) if faces.Extent() else None
        if face is None or not BRep_Tool.IsClosed_s(edge, face):
            found.append((edge, face))
    return tuple(found)
