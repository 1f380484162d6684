"""Solids whose features are known, one for each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solids import cq, part_from, plate

from cadwright.tools.geometry.features import Features
from cadwright.tools.geometry.kernel import shape_of
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.recognise import find_features


def block() -> Any:
    """Return a block of 40 x 30 x 20."""
    return cq.Workplane().box(40, 30, 20)


def top() -> Any:
    """Return the block, ready to work on its top."""
    return block().faces(">Z").workplane()


def drilled(depth: float = 10.0) -> Any:
    """Return a block with a blind hole that ends in a 118 degree point."""
    drill = cq.Solid.makeCylinder(3, depth).fuse(
        cq.Solid.makeCone(0, 3, 1.8025818572, cq.Vector(0, 0, -1.8025818572))
    )
    return block().cut(cq.Workplane(drill).translate((0, 0, 10 - depth)))


def flange() -> Any:
    """Return a disc with a hub, a bore and six holes on a circle."""
    disc = cq.Workplane().circle(40).extrude(8).faces(">Z").workplane()
    holed = disc.polarArray(30, 0, 360, 6).hole(5)
    hub = holed.faces(">Z").workplane(centerOption="CenterOfMass").circle(15).extrude(20)
    return hub.faces(">Z").workplane().hole(12)


def shaft() -> Any:
    """Return a turned shaft with three steps, a chamfer and a fillet."""
    made = cq.Workplane().circle(10).extrude(20).faces(">Z").workplane().circle(6).extrude(15)
    made = made.faces(">Z").workplane().circle(4).extrude(10)
    made = made.faces(">Z").edges().chamfer(0.5)
    return made.faces("<Z").edges().fillet(1)


def rounded_pocket() -> Any:
    """Return a block with a pocket of 20 x 10 x 5 whose corners have a radius of 2."""
    return top().rect(20, 10).cutBlind(-5).edges("|Z and (not (>X or <X))").fillet(2)


def bevelled() -> Any:
    """Return a block whose top edges have a chamfer of 1 by 2."""
    return block().faces(">Z").edges().chamfer(1, 2)


def gusset() -> Any:
    """Return an angle bracket with a triangular rib."""
    profile = [(0, 0), (40, 0), (40, 5), (5, 5), (5, 30), (0, 30)]
    bracket = cq.Workplane("XZ").polyline(profile).close().extrude(20)
    rib = cq.Workplane("XZ", origin=(0, -8, 0)).polyline([(5, 5), (30, 5), (5, 25)]).close()
    return bracket.union(rib.extrude(4))


FEATURED: dict[str, Callable[[], Any]] = {
    "plate": plate,
    "countersunk": lambda: top().cskHole(6, 12, 90),
    "drilled": drilled,
    "crossed": lambda: top().hole(6).faces(">X").workplane(centerOption="CenterOfMass").hole(10),
    "slot": lambda: top().slot2D(20, 6, 30).cutBlind(-4),
    "pocket": rounded_pocket,
    "boss": lambda: top().rect(12, 8).extrude(7),
    "flange": flange,
    "shaft": shaft,
    "bevelled": bevelled,
    "rounded": lambda: block().edges("|Z").fillet(5).faces(">Z").edges().fillet(2),
    "shelled": lambda: block().faces(">Z").shell(-2),
    "gusset": gusset,
}


def features(made: Any) -> Features:
    """Return the features of a Workplane, a shape or a part."""
    return find_features(made if isinstance(made, Part) else part_from(made))


def moved(part: Part, transformation: Any) -> Part:
    """Return a part under a transformation of the kernel."""
    from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform

    shape = BRepBuilderAPI_Transform(shape_of(part.brep), transformation, True).Shape()
    return part_from(cq.Shape.cast(shape), part.name)
