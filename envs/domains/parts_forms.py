"""Free forms: a duct that goes from a rectangle to a circle, and a bent pipe."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bodies,
    box,
    circle,
    cylinder,
    dimensions,
    disc,
    face,
    keep_out,
    volume,
    when,
)
from cadwright.envs.domains.family import Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler

PIPES = ((21.3, 2.6), (26.9, 2.6), (33.7, 3.2), (42.4, 3.2))  # ISO 4200: outside, wall


def _duct_values(draw: Draw) -> Mapping[str, Number]:
    return {
        "inlet_length": draw.length(50, 100),
        "inlet_width": draw.length(35, 80),
        "outlet_diameter": draw.length(20, 50),
        "height": draw.length(30, 90),
        "wall": draw.length(1.5, 4),
        "flange_margin": draw.length(8, 18),
        "flange_thickness": draw.length(2, 6),
        "collar_length": draw.length(8, 30),
    }


def _duct_fits(d: Design) -> bool:
    wall = d["wall"]
    return (
        wall >= 1
        and d["outlet_diameter"] >= 4 * wall + 4
        and min(d["inlet_length"], d["inlet_width"]) >= 4 * wall + 4
        and d["outlet_diameter"] + 4 <= 2 * d["inlet_width"]
        and d["flange_thickness"] + 10 <= d["height"]
        and d["flange_margin"] >= 4
    )


def _duct_asked(d: Design) -> tuple[Record, ...]:
    long, wide, round_, tall = (
        d[n] for n in ("inlet_length", "inlet_width", "outlet_diameter", "height")
    )
    margin = d["flange_margin"] if "flange" in d.options else 0
    top = tall + (d["collar_length"] if "collar" in d.options else 0)
    bore = round_ - 2 * d["wall"]
    size_x, size_y = max(long + 2 * margin, round_), max(wide + 2 * margin, round_)
    inside = 0.3 * min(bore, wide - 2 * d["wall"], long - 2 * d["wall"])
    return (
        box((size_x, size_y, top), (0, 0, top / 2)),
        bodies(),
        face("+z", (round_ / 2 - d["wall"] / 2, 0, top)),
        keep_out((-inside, -inside, 0), (inside, inside, top)),
        *when(
            "flange" in d.options,
            face("+z", (long / 2 + margin - 1, wide / 2 + margin - 1, d["flange_thickness"])),
        ),
        *when(
            "collar" in d.options,
            cylinder(bore, (0, 0, top - 1), axis="z", inner=True),
        ),
    )


_DUCT_OPTIONS = {
    "flange": (
        "Around the inlet lies a rectangular flange from Z = 0 to Z = {flange_thickness} that "
        "reaches {flange_margin} beyond the inlet's outline on every side."
    ),
    "collar": (
        "Above the transition a straight round collar of the outlet's diameters goes on for "
        "{collar_length}."
    ),
}

DUCT = Family(
    name="duct_transition",
    title="duct transition",
    group="forms",
    dimensions=dimensions(
        "inlet_length inlet_width outlet_diameter height wall flange_margin flange_thickness "
        "collar_length"
    ),
    steps=(
        Step(
            "def funnel(inset):\n"
            "    long, wide = {inlet_length} - 2 * inset, {inlet_width} - 2 * inset\n"
            '    base = cq.Workplane("XY").rect(long, wide)\n'
            "    base = base.workplane(offset={height}).circle({outlet_diameter} / 2 - inset)\n"
            "    return base.loft(ruled=True)\n\n"
            "result = funnel(0)",
            "a loft from {inlet_length} by {inlet_width} to a circle of {outlet_diameter}",
        ),
        Step(
            'flange = cq.Workplane("XY").rect(\n'
            "    {inlet_length} + 2 * {flange_margin}, {inlet_width} + 2 * {flange_margin}\n"
            ")\n"
            "result = result.union(flange.extrude({flange_thickness}))",
            "a flange {flange_margin} wide, {flange_thickness} thick",
            "flange",
        ),
        Step(
            'collar = cq.Workplane("XY", origin=(0, 0, {height})).circle({outlet_diameter} / 2)\n'
            "collar = collar.circle({outlet_diameter} / 2 - {wall})\n"
            "result = result.union(collar.extrude({collar_length}))",
            "a collar of {outlet_diameter}, {collar_length} long",
            "collar",
        ),
        Step(
            "result = result.cut(funnel({wall}))",
            "the same loft inside, {wall} smaller all round",
        ),
    ),
    sample=sampler(_duct_values, _duct_fits, tuple(_DUCT_OPTIONS)),
    is_possible=_duct_fits,
    wordings=(
        "Hollow duct transition, all lengths in mm, centred on the Z axis. Its outside goes from a "
        "rectangle of {inlet_length} (X) by {inlet_width} (Y) on Z = 0 to a circle of diameter "
        "{outlet_diameter} on Z = {height}, the two joined by straight lines (a ruled loft). Its "
        "inside is the same kind of loft with both outlines {wall} smaller on every side; both "
        "ends are open. {features}",
        "Create an adapter from a rectangular to a round duct (mm, Z up). The lower end on Z = 0 "
        "is {inlet_length} along X by {inlet_width} along Y outside, the upper end on Z = "
        "{height} is round with outside diameter {outlet_diameter}; both are centred on the Z "
        "axis and joined by a straight (ruled) loft. Hollow it out by an inner loft between the "
        "same planes whose outlines are smaller by a wall of {wall} all round, open at both ends. "
        "{features}",
        "Square-to-round. Units: mm. Ruled loft, outer: rectangle X {inlet_length}, Y "
        "{inlet_width} at Z = 0 to circle dia {outlet_diameter} at Z = {height}, both centred. "
        "Inner: same loft, each outline offset inwards by {wall}. Open ends. {features}",
    ),
    options=_DUCT_OPTIONS,
    constrain=_duct_asked,
    split="held_out",
)


def _pipe_values(draw: Draw) -> Mapping[str, Number]:
    outer, wall = draw.choice(PIPES)
    return {
        "outer_diameter": outer,
        "wall": wall,
        "bend_radius": draw.length(1.5 * outer, 3 * outer),
        "lower_leg": draw.length(30, 90),
        "upper_leg": draw.length(30, 110),
        "flange_diameter": draw.length(outer + 36, outer + 60),
        "flange_thickness": draw.length(6, 14),
        "bolt_count": draw.choice((3, 4, 6)),
        "bolt_diameter": draw.choice((6.6, 9, 11)),
        "bolt_circle": draw.length(outer + 18, outer + 40),
        "collar_diameter": draw.length(outer + 6, outer + 16),
        "collar_length": draw.length(8, 25),
        "tap_diameter": draw.choice((5, 6.8, 8.5)),
        "tap_height": draw.length(12, 70),
    }


def _pipe_fits(d: Design) -> bool:
    outer, bolt = d["outer_diameter"], d["bolt_diameter"]
    height = d["lower_leg"] + d["bend_radius"]
    return (
        1 <= d["wall"] <= outer / 4
        and d["bend_radius"] >= outer
        and d["bolt_count"] >= 2
        and d["bolt_circle"] - bolt >= outer + 3
        and d["bolt_circle"] + bolt + 4 <= d["flange_diameter"]
        and d["bolt_circle"] * math.sin(math.pi / d["bolt_count"]) >= bolt + 3
        and d["collar_diameter"] >= outer + 3
        and d["collar_length"] + 5 <= d["upper_leg"]
        and d["tap_diameter"] <= outer / 2.5
        and d["flange_thickness"] + d["tap_diameter"] / 2 + 2 <= d["tap_height"]
        and d["tap_height"] + d["tap_diameter"] / 2 + 2 <= d["lower_leg"]
        and d["flange_diameter"] / 2 + 2 <= d["bend_radius"] + d["upper_leg"]
        and d["collar_diameter"] / 2 + d["flange_thickness"] + 2 <= height
    )


def _pipe_asked(d: Design) -> tuple[Record, ...]:
    outer, bend, thick = d["outer_diameter"], d["bend_radius"], d["flange_thickness"]
    height = d["lower_leg"] + bend
    ring = disc(outer) - disc(outer - 2 * d["wall"])
    solid = ring * (d["lower_leg"] + d["upper_leg"] + math.pi / 2 * bend)
    left, wide, top = outer / 2, outer, height + outer / 2
    if "flange" in d.options:
        left, wide = d["flange_diameter"] / 2, d["flange_diameter"]
        solid += (disc(wide) - disc(outer) - d["bolt_count"] * disc(d["bolt_diameter"])) * thick
    if "collar" in d.options:
        wide, top = max(wide, d["collar_diameter"]), height + d["collar_diameter"] / 2
        solid += (disc(d["collar_diameter"]) - disc(outer)) * d["collar_length"]
    right = bend + d["upper_leg"]
    bolts = (d["bolt_diameter"], int(d["bolt_count"]), d["bolt_circle"], (0, 0, thick / 2))
    return (
        box((left + right, wide, top), ((right - left) / 2, 0, top / 2)),
        bodies(),
        *when("tap" not in d.options, volume(solid)),
        cylinder(outer - 2 * d["wall"], (right - 1, 0, height), axis="x", inner=True),
        *when("flange" in d.options, circle(*bolts)),
        *when(
            "tap" in d.options,
            cylinder(d["tap_diameter"], (None, 0, d["tap_height"]), axis="x", inner=True),
        ),
    )


_PIPE_OPTIONS = {
    "flange": (
        "A round flange of diameter {flange_diameter} surrounds the lower end, from Z = 0 to Z = "
        "{flange_thickness}, with {bolt_count} through holes of diameter {bolt_diameter} spaced "
        "evenly on a circle of diameter {bolt_circle}, the first on the +X side; the pipe's inside "
        "stays open."
    ),
    "collar": (
        "At the free end of the horizontal leg a collar of outside diameter {collar_diameter} "
        "surrounds the last {collar_length} of the pipe."
    ),
    "tap": (
        "A hole of diameter {tap_diameter} along X goes through the -X wall of the vertical leg "
        "only, at Y = 0, Z = {tap_height}."
    ),
}

PIPE_BEND = Family(
    name="pipe_bend",
    title="pipe bend",
    group="forms",
    dimensions=(
        *dimensions("outer_diameter wall bend_radius lower_leg upper_leg"),
        *dimensions("flange_diameter flange_thickness"),
        *dimensions("bolt_count", "count"),
        *dimensions("bolt_diameter bolt_circle collar_diameter collar_length"),
        *dimensions("tap_diameter tap_height"),
    ),
    steps=(
        Step(
            "r, low = {bend_radius}, {lower_leg}\n"
            "middle = (r * (1 - 0.5**0.5), low + r * 0.5**0.5)\n"
            'path = cq.Workplane("XZ").lineTo(0, low).threePointArc(middle, (r, low + r))\n'
            "path = path.lineTo(r + {upper_leg}, low + r).wire().val()\n\n"
            "def bar(diameter):\n"
            '    return cq.Workplane("XY").circle(diameter / 2).sweep(path)\n\n'
            "result = bar({outer_diameter})",
            "a bar of {outer_diameter}, bent with {bend_radius}",
        ),
        Step(
            'flange = cq.Workplane("XY").circle({flange_diameter} / 2)\n'
            "flange = flange.extrude({flange_thickness})\n"
            'bolts = cq.Workplane("XY").polarArray({bolt_circle} / 2, 0, 360, {bolt_count})\n'
            "bolts = bolts.circle({bolt_diameter} / 2).extrude({flange_thickness})\n"
            "result = result.union(flange.cut(bolts))",
            "a flange of {flange_diameter} with {bolt_count} holes",
            "flange",
        ),
        Step(
            "end = (r + {upper_leg} - {collar_length}, 0, low + r)\n"
            'collar = cq.Workplane("YZ", origin=end).circle({collar_diameter} / 2)\n'
            "result = result.union(collar.extrude({collar_length}))",
            "a collar of {collar_diameter}, {collar_length} long",
            "collar",
        ),
        Step(
            "result = result.cut(bar({outer_diameter} - 2 * {wall}))",
            "hollow, with a wall of {wall}",
        ),
        Step(
            'tap = cq.Workplane("YZ", origin=(0, 0, {tap_height})).circle({tap_diameter} / 2)\n'
            "result = result.cut(tap.extrude(-{outer_diameter}))",
            "a hole of {tap_diameter} in the vertical leg",
            "tap",
        ),
    ),
    sample=sampler(_pipe_values, _pipe_fits, tuple(_PIPE_OPTIONS)),
    is_possible=_pipe_fits,
    wordings=(
        "Bent pipe, all lengths in mm: outside diameter {outer_diameter}, wall {wall}, open at "
        "both ends. Its centre line lies in the XZ plane: from the origin straight up the Z axis "
        "for {lower_leg}, then a bend of 90 degrees with a centre-line radius of {bend_radius} "
        "towards +X, then straight along +X for {upper_leg}. {features}",
        "I need a 90 degree pipe elbow with two straight legs (mm, Z up). The tube is "
        "{outer_diameter} outside with a {wall} wall. It begins on Z = 0 around the Z axis, rises "
        "vertically for {lower_leg}, turns towards +X on a centre-line radius of {bend_radius} and "
        "ends after another {upper_leg} of horizontal straight pipe. Both ends are square and "
        "open. {features}",
        "Pipe 90 deg. Units: mm. OD {outer_diameter}, wall {wall}. Centre line: (0, 0, 0), up "
        "{lower_leg} along Z; arc R{bend_radius} in the XZ plane to +X; {upper_leg} along X. Open "
        "ends. {features}",
    ),
    options=_PIPE_OPTIONS,
    constrain=_pipe_asked,
)

FAMILIES = (DUCT, PIPE_BEND)
