"""Parts with known features, and a shortcut from a part and plain constraints to results."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

from cadwright.rewards.constraints.job import check_part
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.constraints.result import ConstraintReport, ConstraintResult
from cadwright.tools.geometry.features import HoleFeature
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part

cq = pytest.importorskip("cadquery")

CORNERS = [(-20.0, -12.0), (-20.0, 12.0), (20.0, -12.0), (20.0, 12.0)]


def part_of(made: Any, name: str = "part") -> Part:
    """The part of a Workplane."""
    return Part(brep=brep_bytes(made.combine().val().wrapped), name=name)


def drilled(diameter: float = 6.0, corners=CORNERS) -> Any:
    """A 60 x 40 x 10 plate on z = 0 with holes through it."""
    plate = cq.Workplane().box(60, 40, 10, centered=(True, True, False))
    return plate.faces(">Z").workplane().pushPoints(list(corners)).hole(diameter)


@functools.cache
def plate() -> Part:
    """The plate with four holes of 6 mm."""
    return part_of(drilled(), "plate")


@functools.cache
def two_on_top_two_on_side() -> Part:
    """Two of the four holes drilled from the front instead: the same count and diameter."""
    made = drilled(corners=CORNERS[:2])
    made = made.faces("<Y").workplane(origin=(0, 0, 5)).pushPoints([(10, 0), (22, 0)]).hole(6)
    return part_of(made, "two and two")


@functools.cache
def block() -> Part:
    """A 60 x 40 x 20 block with a slot, a pocket, a boss, a blind hole, fillets and chamfers."""
    made = cq.Workplane().box(60, 40, 20, centered=(True, True, False))
    made = made.edges("|Z").fillet(4).faces("<Z").edges().chamfer(1)
    top = made.faces(">Z").workplane(origin=(0, 0, 20))
    made = top.center(-18, 0).slot2D(20, 6, 90).cutBlind(-5)
    made = made.faces(">Z").workplane(origin=(0, 0, 20)).center(4, 10).rect(16, 8).cutBlind(-4)
    made = made.faces(">Z").workplane(origin=(0, 0, 20)).center(2, -8).cboreHole(4, 8, 3, 12)
    made = made.faces(">Z").workplane(origin=(0, 0, 20)).center(20, 0).circle(5).extrude(7)
    return part_of(made, "block")


def moved(made: Any, axis=(0, 0, 1), degrees=0.0, shift=(0, 0, 0)) -> Any:
    """A Workplane turned about an axis through the origin, then shifted."""
    return made.rotate((0, 0, 0), axis, degrees).translate(shift)


def rotation(axis, degrees: float) -> np.ndarray:
    """The matrix of the same turn."""
    x, y, z = np.array(axis, dtype=float) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = math.radians(degrees)
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def report(part: Part, *plain: dict[str, Any], **others: Any) -> ConstraintReport:
    return check_part(part, parse_constraints(list(plain)), **others)


def one(part: Part, kind: str, **fields: Any) -> ConstraintResult:
    """The result of a single constraint; ``start`` and ``bodies`` go to the check."""
    others = {name: fields.pop(name) for name in ("start", "bodies") if name in fields}
    return report(part, {"kind": kind, **fields}, **others).results[0]


def hole(diameter=6.0, at=(0.0, 0.0, 10.0), axis=(0.0, 0.0, -1.0), depth=10.0, through=True):
    """A found hole as recognition would describe it."""
    end = tuple(p + depth * a for p, a in zip(at, axis, strict=True))
    bottom = "open" if through else "flat"
    return HoleFeature(diameter, depth, tuple(at), end, tuple(axis), through, bottom, ())
