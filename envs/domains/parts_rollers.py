"""A roller on an axle in its bracket: three bodies that move against each other."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bodies,
    box,
    cylinder,
    dimensions,
    disc,
    hole,
    volume,
    when,
)
from cadwright.envs.domains.family import Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler

CLEARANCE = (3.4, 4.5, 5.5, 6.6)  # ISO 273 medium, M3 to M6


def _roller_values(draw: Draw) -> Mapping[str, Number]:
    axle = draw.choice((6, 8, 10, 12))
    roller = draw.length(axle + 16, axle + 50)
    wide, ear = draw.length(15, 50), draw.length(4, 10)
    return {
        "roller_diameter": roller,
        "roller_width": wide,
        "axle_diameter": axle,
        "play": draw.choice((0.2, 0.3, 0.4, 0.5)),
        "side_gap": draw.choice((0.5, 1, 1.5)),
        "ear_thickness": ear,
        "ear_width": draw.length(axle + 10, axle + 30),
        "base_thickness": draw.length(5, 12),
        "axle_height": draw.length(roller / 2 + 8, roller / 2 + 25),
        "axle_overhang": draw.length(3, 10),
        "groove_width": draw.length(4, 20),
        "groove_depth": draw.length(1, 4),
        "screw_diameter": draw.choice(CLEARANCE),
        "screw_pitch": draw.length(8, 40),
        "slot_width": draw.choice((1.5, 2, 3)),
        "slot_depth": draw.length(1, 2.5),
    }


def _roller_fits(d: Design) -> bool:
    roller, axle, ear = d["roller_diameter"] / 2, d["axle_diameter"], d["ear_width"]
    return (
        0.1 <= d["play"] <= 1
        and d["side_gap"] >= 0.2
        and roller >= (axle + d["play"]) / 2 + d["groove_depth"] + 2
        and d["groove_width"] + 4 <= d["roller_width"]
        and ear >= axle + d["play"] + 5
        and d["axle_height"] >= d["base_thickness"] + roller + 1
        and d["axle_height"] >= d["base_thickness"] + ear / 2 + 1
        and d["screw_pitch"] + d["screw_diameter"] + 2 <= d["roller_width"]
        and d["screw_pitch"] >= d["screw_diameter"] + 2
        and d["screw_diameter"] + 4 <= ear
        and d["slot_depth"] + 0.5 <= d["axle_overhang"]
        and d["slot_width"] <= axle / 3
    )


def _roller_asked(d: Design) -> tuple[Record, ...]:
    axle, wide, ear, z = (
        d[n] for n in ("axle_diameter", "roller_width", "ear_width", "axle_height")
    )
    inner = wide + 2 * d["side_gap"]
    outer = inner + 2 * d["ear_thickness"]
    bore, long = axle + d["play"], outer + 2 * d["axle_overhang"]
    solid = ear * outer * d["base_thickness"]
    solid += 2 * d["ear_thickness"] * (ear * (z - d["base_thickness"]) + disc(ear) / 2 - disc(bore))
    solid += disc(axle) * long + (disc(d["roller_diameter"]) - disc(bore)) * wide
    if "groove" in d.options:
        floor = d["roller_diameter"] - 2 * d["groove_depth"]
        solid -= (disc(d["roller_diameter"]) - disc(floor)) * d["groove_width"]
    if "screws" in d.options:
        solid -= 2 * disc(d["screw_diameter"]) * d["base_thickness"]
    if "slot" in d.options:
        r, half = axle / 2, d["slot_width"] / 2
        cut = 2 * (half * math.sqrt(r**2 - half**2) + r**2 * math.asin(half / r))
        solid -= cut * d["slot_depth"]
    size_x, reach = max(ear, d["roller_diameter"]), d["screw_pitch"] / 2
    top = z + size_x / 2
    screws = ((0, -reach, None), (0, reach, None))
    return (
        box((size_x, long, top), (0, 0, top / 2)),
        bodies(3),
        volume(solid),
        cylinder(d["roller_diameter"], (0, wide / 2 - 1, z), axis="y"),
        cylinder(axle, (0, None, z), axis="y"),
        *when("screws" in d.options, hole(d["screw_diameter"], *screws, through=True)),
    )


_ROLLER_OPTIONS = {
    "groove": (
        "A groove {groove_width} wide and {groove_depth} deep runs all round the roller, in the "
        "middle of its width."
    ),
    "screws": (
        "The base has two through holes of diameter {screw_diameter} along Z at X = 0, "
        "{screw_pitch} apart in Y, symmetric about Y = 0."
    ),
    "slot": (
        "The +Y end of the axle has a screwdriver slot across its whole face along Z, {slot_width} "
        "wide, symmetric about X = 0, {slot_depth} deep."
    ),
}

BRACKET_ROLLER = Family(
    name="bracket_roller",
    title="roller on an axle in a bracket",
    group="assemblies",
    dimensions=dimensions(
        "roller_diameter roller_width axle_diameter play side_gap ear_thickness ear_width "
        "base_thickness axle_height axle_overhang groove_width groove_depth screw_diameter "
        "screw_pitch slot_width slot_depth"
    ),
    steps=(
        Step(
            "r, z, bore = {ear_width} / 2, {axle_height}, ({axle_diameter} + {play}) / 2\n"
            "inner = {roller_width} + 2 * {side_gap}\n"
            "outer = inner + 2 * {ear_thickness}\n"
            'side = cq.Workplane("XZ").moveTo(-r, 0).lineTo(r, 0).lineTo(r, z)\n'
            "side = side.threePointArc((0, z + r), (-r, z)).close()\n"
            "result = side.extrude(outer / 2, both=True)\n"
            'room = cq.Workplane("XY", origin=(0, 0, {base_thickness})).rect(4 * r, inner)\n'
            'hole = cq.Workplane("XZ", origin=(0, 0, z)).circle(bore)\n'
            "hole = hole.extrude(outer / 2, both=True)\n"
            "result = result.cut(room.extrude(z + r)).cut(hole)",
            "a bracket with ears of {ear_thickness}",
        ),
        Step(
            'screws = cq.Workplane("XY").rarray(1, {screw_pitch}, 1, 2)\n'
            "result = result.cut(screws.circle({screw_diameter} / 2).extrude({base_thickness}))",
            "two holes of {screw_diameter} in the base",
            "screws",
        ),
        Step(
            'axis = cq.Workplane("XZ", origin=(0, 0, z))\n'
            "roller = axis.circle({roller_diameter} / 2).circle(bore)\n"
            "roller = roller.extrude({roller_width} / 2, both=True)\n"
            "axle = axis.circle({axle_diameter} / 2)\n"
            "axle = axle.extrude(outer / 2 + {axle_overhang}, both=True)\n"
            "result = result.union(roller).union(axle)",
            "a roller of {roller_diameter} on an axle of {axle_diameter}",
        ),
        Step(
            'band = cq.Workplane("XZ", origin=(0, 0, z)).circle({roller_diameter} / 2)\n'
            "band = band.circle({roller_diameter} / 2 - {groove_depth})\n"
            "result = result.cut(band.extrude({groove_width} / 2, both=True))",
            "a groove {groove_width} wide, {groove_depth} deep, around the roller",
            "groove",
        ),
        Step(
            'end = cq.Workplane("XZ", origin=(0, outer / 2 + {axle_overhang}, z))\n'
            "end = end.rect({slot_width}, {axle_diameter}).extrude({slot_depth})\n"
            "result = result.cut(end)",
            "a slot of {slot_width}, {slot_depth} deep, in the axle",
            "slot",
        ),
    ),
    sample=sampler(_roller_values, _roller_fits, tuple(_ROLLER_OPTIONS)),
    is_possible=_roller_fits,
    wordings=(
        "Assembly of three separate parts, all lengths in mm: a bracket, an axle and a roller; "
        "symmetric about X = 0 and Y = 0. The axis of axle and roller runs along Y at X = 0, Z = "
        "{axle_height}. The roller has diameter {roller_diameter} and width {roller_width}. The "
        "axle has diameter {axle_diameter}; the bores of roller and ears are {play} larger in "
        "diameter. The bracket has two ears, {ear_thickness} thick in Y and {ear_width} wide in X, "
        "with {side_gap} between each ear and the roller; they are joined by a base "
        "{base_thickness} thick on Z = 0, as wide as the ears, and end on top in half circles "
        "about the axis. The axle sticks out {axle_overhang} beyond either ear. {features}",
        "Model a guide roller as three bodies that do not touch (mm, Z up). Roller: "
        "{roller_diameter} in diameter, {roller_width} wide, turning about an axis parallel to Y, "
        "{axle_height} above the ground, centred on the Z axis. Axle: {axle_diameter} in "
        "diameter, through both cheeks of the bracket, projecting {axle_overhang} outside each. "
        "Both roller and cheeks are bored with a diametral play of {play}. Bracket: a U on Z = 0, "
        "all of it {ear_width} wide in X, floor {base_thickness} thick, cheeks {ear_thickness} "
        "thick in Y with full-radius tops around the axis; leave {side_gap} between the roller and "
        "each cheek. {features}",
        "Bracket roller, 3 bodies. Units: mm. Axis along Y through (0, 0, {axle_height}). Roller: "
        "dia {roller_diameter}, width {roller_width}, centred. Axle: dia {axle_diameter}. Bores: "
        "axle + {play}. Bracket: X width {ear_width}, base Z 0 to {base_thickness}, ears "
        "{ear_thickness} thick, side gap {side_gap} to the roller, full-radius tops. Axle overhang "
        "{axle_overhang} per side. {features}",
    ),
    options=_ROLLER_OPTIONS,
    constrain=_roller_asked,
    split="held_out",
)

FAMILIES = (BRACKET_ROLLER,)
