"""A heat sink with fins around a core."""

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
    face,
    hole,
    volume,
    when,
)
from cadwright.envs.domains.family import Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler
from cadwright.envs.domains.toothed import toothed_box


def _star_values(draw: Draw) -> Mapping[str, Number]:
    core = draw.length(16, 40)
    return {
        "core_diameter": core,
        "outer_diameter": draw.length(core + 20, core + 60),
        "height": draw.length(15, 50),
        "fin_count": draw.choice((8, 10, 12, 16, 20)),
        "fin_thickness": draw.choice((1, 1.5, 2)),
        "bore_diameter": draw.length(4, 14),
        "plate_diameter": draw.length(core + 24, core + 80),
        "plate_thickness": draw.length(2, 6),
        "screw_circle": draw.length(8, 30),
        "screw_diameter": draw.choice((2.5, 3.3)),
        "screw_depth": draw.length(4, 12),
        "recess_diameter": draw.length(10, 34),
        "recess_depth": draw.length(1, 6),
    }


def _star_fits(d: Design) -> bool:
    core, bore, screw = d["core_diameter"], d["bore_diameter"], d["screw_diameter"]
    gap = math.pi * core / d["fin_count"] - d["fin_thickness"]
    return (
        d["fin_count"] >= 4
        and gap >= 1
        and d["fin_thickness"] >= 0.8
        and d["outer_diameter"] >= core + 8
        and d["screw_circle"] >= bore + screw + 2
        and d["screw_circle"] + screw + 2 <= core
        and bore + 2 <= d["recess_diameter"] <= core - 3
        and d["recess_depth"] + d["screw_depth"] + 2 <= d["height"]
        and d["plate_diameter"] >= d["outer_diameter"] + 4
        and d["plate_thickness"] + d["recess_depth"] + 4 <= d["height"]
    )


def _strip(wide: float, radius: float) -> float:
    """Return the area of a strip from the middle of a circle to its rim, mm²."""
    half = wide / 2
    return half * math.sqrt(radius**2 - half**2) + radius**2 * math.asin(half / radius)


def _star_area(d: Design) -> float:
    core, outer, wide = d["core_diameter"] / 2, d["outer_diameter"] / 2, d["fin_thickness"]
    return math.pi * core**2 + d["fin_count"] * (_strip(wide, outer) - _strip(wide, core))


def _star_asked(d: Design) -> tuple[Record, ...]:
    outer, tall, plate = d["outer_diameter"], d["height"], d["plate_diameter"]
    half_tip = math.asin(d["fin_thickness"] / outer)
    is_plated = "plate" in d.options
    solid = (_star_area(d) - disc(d["bore_diameter"])) * tall
    if is_plated:
        solid += (disc(plate) - _star_area(d)) * d["plate_thickness"]
    if "screws" in d.options:
        solid -= 2 * disc(d["screw_diameter"]) * d["screw_depth"]
    if "recess" in d.options:
        solid -= (disc(d["recess_diameter"]) - disc(d["bore_diameter"])) * d["recess_depth"]
    at = d["screw_circle"] / 2
    screws = hole(d["screw_diameter"], (-at, 0, None), (at, 0, None), opens="-z")
    edge = (0, d["recess_diameter"] / 2 - 0.5, tall - d["recess_depth"])
    plated = box((plate, plate, tall), (0, 0, tall / 2))
    return (
        plated if is_plated else toothed_box(outer / 2, d["fin_count"], half_tip, 0.0, tall),
        bodies(),
        volume(solid),
        cylinder(d["bore_diameter"], (0, 0, 1), axis="z", inner=True),
        *when("screws" in d.options, screws),
        *when("recess" in d.options, face("+z", edge)),
    )


_STAR_OPTIONS = {
    "plate": (
        "At the lower end a round plate of diameter {plate_diameter}, coaxial with the core, fills "
        "the space from Z = 0 to Z = {plate_thickness}."
    ),
    "screws": (
        "Two blind holes of diameter {screw_diameter}, {screw_depth} deep with a flat end, go up "
        "from Z = 0 into the core, on Y = 0 and {screw_circle} apart in X, symmetric about X = 0."
    ),
    "recess": (
        "A round recess of diameter {recess_diameter}, {recess_depth} deep, is cut into the upper "
        "end of the core, coaxial with it."
    ),
}

STAR_SINK = Family(
    name="radial_heat_sink",
    title="radial heat sink",
    group="cooling",
    dimensions=(
        *dimensions("core_diameter outer_diameter height"),
        *dimensions("fin_count", "count"),
        *dimensions("fin_thickness bore_diameter plate_diameter plate_thickness"),
        *dimensions("screw_circle screw_diameter screw_depth recess_diameter recess_depth"),
    ),
    steps=(
        Step(
            "import math\n\n"
            "core, outer = {core_diameter} / 2, {outer_diameter} / 2\n"
            "step = 2 * math.pi / {fin_count}\n"
            "root, tip = (math.asin({fin_thickness} / 2 / r) for r in (core, outer))\n\n"
            "def at(radius, angle):\n"
            "    return (radius * math.cos(angle), radius * math.sin(angle))\n\n"
            'star = cq.Workplane("XY").moveTo(*at(core, -root))\n'
            "for i in range({fin_count}):\n"
            "    t = i * step\n"
            "    star = star.lineTo(*at(outer, t - tip))\n"
            "    star = star.threePointArc(at(outer, t), at(outer, t + tip))\n"
            "    star = star.lineTo(*at(core, t + root))\n"
            "    star = star.threePointArc(at(core, t + step / 2), at(core, t + step - root))\n"
            "result = star.close().extrude({height})",
            "a core of {core_diameter} with {fin_count} fins out to {outer_diameter}",
        ),
        Step(
            'plate = cq.Workplane("XY").circle({plate_diameter} / 2).extrude({plate_thickness})\n'
            "result = result.union(plate)",
            "a plate of {plate_diameter}, {plate_thickness} thick",
            "plate",
        ),
        Step(
            'bore = cq.Workplane("XY").circle({bore_diameter} / 2).extrude({height})\n'
            "result = result.cut(bore)",
            "a bore of {bore_diameter}",
        ),
        Step(
            'screws = cq.Workplane("XY").rarray({screw_circle}, 1, 2, 1)\n'
            "result = result.cut(screws.circle({screw_diameter} / 2).extrude({screw_depth}))",
            "two blind holes of {screw_diameter}, {screw_depth} deep",
            "screws",
        ),
        Step(
            'recess = cq.Workplane("XY", origin=(0, 0, {height})).circle({recess_diameter} / 2)\n'
            "result = result.cut(recess.extrude(-{recess_depth}))",
            "a recess of {recess_diameter}, {recess_depth} deep",
            "recess",
        ),
    ),
    sample=sampler(_star_values, _star_fits, tuple(_STAR_OPTIONS)),
    is_possible=_star_fits,
    wordings=(
        "Radial heat sink, all lengths in mm, axis on Z, from Z = 0 to Z = {height}. Around a "
        "solid core of diameter {core_diameter} stand {fin_count} equal fins, evenly spaced, each "
        "{fin_thickness} thick with parallel sides, its middle plane through the axis; the first "
        "points along +X. They end on a cylinder of diameter {outer_diameter}. A through bore of "
        "diameter {bore_diameter} runs along the axis. {features}",
        "Model a star-shaped cooler (mm) extruded along Z from 0 to {height} and centred on the Z "
        "axis. Its hub is {core_diameter} in diameter with a {bore_diameter} hole all the way "
        "through. {fin_count} straight radial blades of constant thickness {fin_thickness} go out "
        "from the hub and end on the circle of diameter {outer_diameter} (their tips are arcs of "
        "that circle); one of them lies along +X, the angles between them are equal. {features}",
        "Round heat sink. Units: mm. Axis Z, Z 0 to {height}. Core dia {core_diameter}, bore dia "
        "{bore_diameter} through. Fins: {fin_count} x, radial, {fin_thickness} thick (parallel "
        "faces), to outer dia {outer_diameter}, equally spaced, first at +X. {features}",
    ),
    options=_STAR_OPTIONS,
    constrain=_star_asked,
    split="held_out",
)

FAMILIES = (STAR_SINK,)
