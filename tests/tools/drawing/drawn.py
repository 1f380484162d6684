"""Parts with all that their drawings say."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from cadwright.tools.drawing.callout import Callout
from cadwright.tools.geometry.hidden_lines import outlines_of
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.outlines import VIEWS, Outlines
from cadwright.tools.geometry.part import Part

cq = pytest.importorskip("cadquery")


def plate() -> Any:
    body = cq.Workplane().box(80, 60, 10, centered=(True, True, False)).edges("|Z").fillet(6)
    body = body.faces(">Z").workplane().rect(60, 40, forConstruction=True).vertices().hole(6.6)
    return body.faces(">Z").workplane().hole(20)


PLATE = (
    Callout("length", "linear", "top", ((-40, -30, 10), (40, -30, 10)), 80.0),
    Callout("width", "linear", "top", ((-40, -30, 10), (-40, 30, 10)), 60.0),
    Callout("thickness", "linear", "front", ((40, -30, 0), (40, -30, 10)), 10.0),
    Callout("spacing_x", "linear", "top", ((-30, 20, 10), (30, 20, 10)), 60.0),
    Callout("spacing_y", "linear", "top", ((30, -20, 10), (30, 20, 10)), 40.0),
    Callout("bore", "diameter", "top", ((0, 0, 10), (10, 0, 10)), 20.0),
    Callout(
        "hole",
        "diameter",
        "top",
        ((30, 20, 10), (33.3, 20, 10)),
        6.6,
        "{number}x ⌀{value} THRU",
        {"number": 4},
    ),
    Callout("corner", "radius", "top", ((-34, -24, 10), (-34, -30, 10)), 6.0, "4x R{value}"),
)


def shaft() -> Any:
    body = cq.Workplane().circle(16).extrude(30).faces(">Z").workplane().circle(10).extrude(45)
    return body.faces(">Z").chamfer(2).faces("<Z").workplane().hole(8, 20)


SHAFT = (
    Callout("body", "diameter", "front", ((0, 0, 15), (16, 0, 15)), 32.0),
    Callout("neck", "diameter", "front", ((0, 0, 50), (10, 0, 50)), 20.0),
    Callout("body_length", "linear", "front", ((-16, 0, 0), (-16, 0, 30)), 30.0),
    Callout("length", "linear", "front", ((16, 0, 0), (8, 0, 75)), 75.0),
    Callout("chamfer", "note", "front", ((9, 0, 74),), 2.0, "CHAMFER {value} x 45°"),
    Callout(
        "bore",
        "diameter",
        "top",
        ((0, 0, 0), (4, 0, 0)),
        8.0,
        "⌀{value} DEPTH {depth} FROM BELOW",
        {"depth": 20},
    ),
)


def wedge() -> Any:
    return (
        cq.Workplane("XZ").polyline([(0, 0), (60, 0), (60, 10), (0, 44.641016)]).close().extrude(25)
    )


WEDGE = (
    Callout("length", "linear", "front", ((0, 0, 0), (60, 0, 0)), 60.0),
    Callout("end", "linear", "front", ((60, 0, 0), (60, 0, 10)), 10.0),
    Callout("slope", "angle", "front", ((0, 0, 44.641016), (0, 0, 0), (60, 0, 10)), 60.0),
    Callout("width", "linear", "top", ((60, 0, 10), (60, -25, 10)), 25.0),
    Callout("", "note", "front", (), None, "BREAK ALL EDGES 0.3"),
)

DRAWN: dict[str, tuple[Callable[[], Any], tuple[Callout, ...]]] = {
    "plate": (plate, PLATE),
    "shaft": (shaft, SHAFT),
    "wedge": (wedge, WEDGE),
}


def part_of(made: Any, name: str = "part") -> Part:
    """Return the part of a Workplane."""
    return Part(brep=brep_bytes(made.val().wrapped), name=name)


@cache
def outlines(name: str) -> Outlines:
    """Return the lines of one of ``DRAWN``."""
    return outlines_of(part_of(DRAWN[name][0](), name), VIEWS)
