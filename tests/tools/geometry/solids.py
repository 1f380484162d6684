"""Solids with known measures, made by the kernel itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part

cq = pytest.importorskip("cadquery")


def plate() -> Any:
    """Return a rounded plate with four counterbored holes and one bore."""
    return (
        cq.Workplane()
        .box(80, 60, 10)
        .edges("|Z")
        .fillet(6)
        .faces(">Z")
        .workplane()
        .rect(60, 40, forConstruction=True)
        .vertices()
        .cboreHole(5, 8, 4)
        .faces(">Z")
        .workplane()
        .hole(20)
    )


def hollow() -> Any:
    """Return a box with a closed spherical cavity."""
    return cq.Workplane().box(20, 20, 20).cut(cq.Workplane().sphere(5))


def rotated() -> Any:
    """Return a wedge far from the origin, turned about a skew axis."""
    wedge = cq.Workplane().polyline([(0, 0), (30, 0), (0, 10)]).close().extrude(7)
    return wedge.rotate((0, 0, 0), (1, 2, 3), 37).translate((500, -300, 200))


def two_bodies() -> Any:
    """Return two separate cylinders."""
    return cq.Workplane().pushPoints([(0, 0), (30, 0)]).circle(5).extrude(12)


SOLIDS: dict[str, Callable[[], Any]] = {
    "box": lambda: cq.Workplane().box(30, 20, 10),
    "plate": plate,
    "hollow": hollow,
    "rotated": rotated,
    "two_bodies": two_bodies,
}


def part_from(made: Any, name: str = "part") -> Part:
    """Return the part of a Workplane or a shape."""
    values = made.vals() if isinstance(made, cq.Workplane) else [made]
    shape = values[0] if len(values) == 1 else cq.Compound.makeCompound(values)
    return Part(brep=brep_bytes(shape.wrapped), name=name)
