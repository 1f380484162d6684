"""Seeded pairs of parts from eight families: a part, and a reference of the same family.

Plates, brackets, flanges, shells, lofts, sweeps, bosses and counterbored plates, as a drawing of
a workshop has them. The two parts of a pair have the same features in slightly other sizes, so
that every scorer has to do its work.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cadquery as cq

from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part

REFERENCE_SEED, PART_SEED = 0, 1000


@dataclass(frozen=True)
class Pair:
    """Two shapes of one family, as the kernel and as the judge hold them."""

    family: str
    part: Any  # cadquery.Shape
    reference: Any

    @property
    def parts(self) -> tuple[Part, Part]:
        """Part and reference as bytes."""
        return part_of(self.part), part_of(self.reference)


def make_pair(number: int) -> Pair:
    """Return one pair; the same number gives the same pair."""
    family = FAMILIES[number % len(FAMILIES)]
    part, reference = (
        family(random.Random(seed + number)).val() for seed in (PART_SEED, REFERENCE_SEED)
    )
    return Pair(family.__name__, part, reference)


def part_of(shape: Any) -> Part:
    """Return a shape as the judge takes it."""
    return Part(brep=brep_bytes(shape.wrapped))


def plate(rng: random.Random) -> cq.Workplane:
    """A rounded plate with a grid of holes."""
    width, depth, height = rng.uniform(40, 120), rng.uniform(30, 90), rng.uniform(4, 15)
    body = cq.Workplane().box(width, depth, height).edges("|Z").fillet(rng.uniform(2, 6))
    grid = body.faces(">Z").workplane().rarray(width / 4, depth / 3, rng.randint(2, 3), 2)
    return grid.hole(rng.uniform(3, min(width, depth) / 7))


def bracket(rng: random.Random) -> cq.Workplane:
    """An angle with a hole in its foot and broken edges."""
    foot, wall = rng.uniform(30, 60), rng.uniform(30, 60)
    thick, width = rng.uniform(4, 8), rng.uniform(20, 40)
    outline = [(0, 0), (foot, 0), (foot, thick), (thick, thick), (thick, wall), (0, wall)]
    body = cq.Workplane("XZ").polyline(outline).close().extrude(width)
    below = body.faces("<Z").workplane(centerOption="CenterOfBoundBox").center(foot / 6, 0)
    return below.hole(rng.uniform(4, 8)).edges("|Y").fillet(rng.uniform(0.5, 1.5))


def flange(rng: random.Random) -> cq.Workplane:
    """A turned flange with a ring of holes."""
    radius, bore = rng.uniform(30, 60), rng.uniform(8, 15)
    height, thick = rng.uniform(20, 40), rng.uniform(5, 10)
    hub = bore + 6
    outline = [(bore, 0), (radius, 0), (radius, thick), (hub, thick), (hub, height), (bore, height)]
    body = cq.Workplane("XZ").polyline(outline).close().revolve(360, (0, 0, 0), (0, 1, 0))
    ring = cq.Workplane().workplane(offset=-1)
    ring = ring.polarArray((radius + hub) / 2, 0, 360, rng.choice([4, 6, 8]))
    return body.cut(ring.circle(rng.uniform(2, 3)).extrude(thick + 2))


def shell(rng: random.Random) -> cq.Workplane:
    """An open box with rounded corners."""
    width, depth, height = (rng.uniform(30, 80) for _ in range(3))
    body = cq.Workplane().box(width, depth, height).edges("|Z").fillet(rng.uniform(3, 8))
    return body.faces(">Z").shell(-rng.uniform(1.5, 3))


def loft(rng: random.Random) -> cq.Workplane:
    """From a rectangle to a circle."""
    side, radius, height = rng.uniform(20, 50), rng.uniform(8, 20), rng.uniform(20, 60)
    start = cq.Workplane().rect(side, side * rng.uniform(0.6, 1))
    return start.workplane(offset=height).circle(radius).loft(combine=True)


def sweep(rng: random.Random) -> cq.Workplane:
    """A bent rod."""
    bend = [(0, 0), (10, rng.uniform(20, 30)), (rng.uniform(20, 40), 60)]
    return cq.Workplane().circle(rng.uniform(2, 5)).sweep(cq.Workplane("XZ").spline(bend))


def boss(rng: random.Random) -> cq.Workplane:
    """A plate with two drilled bosses and a chamfered foot."""
    places = [(-20, 0), (20, 0)]
    body = cq.Workplane().box(80, 50, 8).faces(">Z").workplane().pushPoints(places)
    body = body.circle(rng.uniform(6, 10)).extrude(rng.uniform(10, 20))
    top = body.faces(">Z").workplane(centerOption="CenterOfMass").pushPoints(places)
    return top.hole(rng.uniform(3, 6)).faces("<Z").edges().chamfer(rng.uniform(0.5, 1.5))


def counterbored(rng: random.Random) -> cq.Workplane:
    """A plate with four counterbores and a bore."""
    width = rng.uniform(60, 100)
    body = cq.Workplane().box(width, 60, 10).edges("|Z").fillet(6).faces(">Z").workplane()
    body = body.rect(width - 20, 40, forConstruction=True).vertices().cboreHole(5, 8, 4)
    return body.faces(">Z").workplane().hole(rng.uniform(10, 25))


FAMILIES: tuple[Callable[[random.Random], cq.Workplane], ...] = (
    plate,
    bracket,
    flange,
    shell,
    loft,
    sweep,
    boss,
    counterbored,
)
