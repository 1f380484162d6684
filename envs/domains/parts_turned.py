"""Turned parts about the Z axis: a flanged bushing, a hose barb and a piston."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bevel,
    bodies,
    box,
    circle,
    cone,
    cylinder,
    dimensions,
    disc,
    face,
    hole,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, next_on_circle, note, span
from cadwright.envs.domains.family import Annotation, Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler


def _bushing_values(draw: Draw) -> Mapping[str, Number]:
    bore = draw.choice((8, 10, 12, 15, 16, 20, 25))
    outer = draw.length(bore + 5, bore + 12)
    flange = draw.length(outer + 22, outer + 40)
    return {
        "bore_diameter": bore,
        "outer_diameter": outer,
        "length": draw.length(20, 60),
        "flange_diameter": flange,
        "flange_thickness": draw.length(4, 10),
        "screw_count": draw.choice((3, 4, 6)),
        "screw_diameter": draw.choice((3.4, 4.5, 5.5)),
        "screw_circle": draw.length(outer + 10, flange - 9),
        "oil_diameter": draw.choice((2, 2.5, 3, 4)),
        "oil_height": draw.length(10, 50),
        "lead_size": draw.choice((0.5, 1, 1.5)),
    }


def _bushing_fits(d: Design) -> bool:
    screw, wall = d["screw_diameter"], (d["outer_diameter"] - d["bore_diameter"]) / 2
    spacing = d["screw_circle"] * math.sin(math.pi / d["screw_count"])
    return (
        wall >= d["lead_size"] + 0.9
        and d["screw_circle"] - screw >= d["outer_diameter"] + 2
        and d["screw_circle"] + screw + 3 <= d["flange_diameter"]
        and d["screw_count"] >= 2
        and spacing >= screw + 2
        and d["flange_thickness"] + d["oil_diameter"] / 2 + 2 <= d["oil_height"]
        and d["oil_height"] + d["oil_diameter"] / 2 + d["lead_size"] + 2 <= d["length"]
        and d["oil_diameter"] + 3 <= d["bore_diameter"]
    )


def _bushing_asked(d: Design) -> tuple[Record, ...]:
    t, tall, bore, outer = (
        d["flange_thickness"],
        d["length"],
        d["bore_diameter"],
        d["outer_diameter"],
    )
    solid = (disc(outer) - disc(bore)) * tall
    solid += (disc(d["flange_diameter"]) - disc(outer)) * t
    if "screw_holes" in d.options:
        solid -= d["screw_count"] * disc(d["screw_diameter"]) * t
    if "lead" in d.options:
        solid -= bevel(d["lead_size"], outer)
    if "oil_hole" in d.options:
        solid -= disc(d["oil_diameter"]) * (outer - bore) / 2
    screws = circle(d["screw_diameter"], int(d["screw_count"]), d["screw_circle"], (0, 0, t / 2))
    return (
        box((d["flange_diameter"],) * 2 + (tall,), (0, 0, tall / 2)),
        bodies(),
        volume(solid),
        cylinder(bore, (0, 0, None), inner=True, axis="z"),
        *when("screw_holes" in d.options, screws),
        *when(
            "oil_hole" in d.options,
            cylinder(d["oil_diameter"], (None, 0, d["oil_height"]), inner=True, axis="x"),
        ),
    )


def _bushing_drawn(d: Design) -> tuple[Annotation, ...]:
    t, tall, big = d["flange_thickness"], d["length"], d["flange_diameter"] / 2
    outer, at = d["outer_diameter"] / 2, d["screw_circle"] / 2
    marks = [
        span("flange_diameter", "front", (-big, 0, 0), (big, 0, 0), "⌀{value}"),
        span("flange_thickness", "front", (big, 0, 0), (big, 0, t)),
        span("length", "front", (-big, 0, 0), (-big, 0, tall)),
        span("outer_diameter", "front", (-outer, 0, tall), (outer, 0, tall), "⌀{value}"),
        diameter("bore_diameter", "top", (0, 0, tall), d["bore_diameter"], "⌀{value} THRU"),
    ]
    if "screw_holes" in d.options:
        text = "{value} holes, evenly spaced"
        second = next_on_circle((0, 0, t), at, d["screw_count"])
        marks += [
            diameter("screw_diameter", "top", (at, 0, t), d["screw_diameter"], "⌀{value} THRU"),
            diameter("screw_circle", "top", (0, 0, t), d["screw_circle"], "⌀{value} PCD"),
            note("top", second, text, "screw_count"),
        ]
    if "oil_hole" in d.options:
        z, size = d["oil_height"], d["oil_diameter"]
        marks += [
            span("oil_height", "right", (outer, 0, 0), (outer, 0, z)),
            diameter("oil_diameter", "right", (outer, 0, z), size, "⌀{value}, one wall"),
        ]
    if "lead" in d.options:
        marks.append(note("front", (outer, 0, tall), "{value} x 45°", "lead_size"))
    return tuple(marks)


def _bushing_pin(d: Design) -> Mate:
    """A shaft through the bushing, with 0.05 mm of play in the diameter."""
    size, tall = float(d["bore_diameter"] - 0.05), float(d["length"] + 20)
    about = (
        "Make the shaft that turns in this bushing: a plain round bar on the Z axis, 0.05 mm "
        "thinner than the bore, from Z = -10 to 10 mm above the upper end of the bushing."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'bar = cq.Workplane("XY", origin=(0, 0, -10)).circle({number(size)} / 2)\n'
        f"result = bar.extrude({number(tall)})\n"
    )
    asked = (box((size, size, tall), (0, 0, tall / 2 - 10)), bodies(), volume(disc(size) * tall))
    return Mate(about, program, asked)


_BUSHING_OPTIONS = {
    "screw_holes": (
        "{screw_count} through holes of diameter {screw_diameter} are spaced evenly on a circle of "
        "diameter {screw_circle} in the flange, the first on the +X axis."
    ),
    "oil_hole": (
        "An oil hole of diameter {oil_diameter} along X goes through the +X wall of the barrel "
        "only, into the bore, its axis at Y = 0, Z = {oil_height}."
    ),
    "lead": "The outer edge of the upper end has a chamfer of {lead_size} x 45 degrees.",
}

FLANGED_BUSHING = Family(
    name="flanged_bushing",
    title="flanged bushing",
    group="turned",
    dimensions=(
        *dimensions("bore_diameter outer_diameter length flange_diameter flange_thickness"),
        *dimensions("screw_count", "count"),
        *dimensions("screw_diameter screw_circle oil_diameter oil_height lead_size"),
    ),
    steps=(
        Step(
            'barrel = cq.Workplane("XY").circle({outer_diameter} / 2).extrude({length})\n'
            'flange = cq.Workplane("XY").circle({flange_diameter} / 2)\n'
            "result = barrel.union(flange.extrude({flange_thickness}))",
            "a barrel of {outer_diameter} by {length} on a flange of {flange_diameter}",
        ),
        Step(
            'result = result.faces(">Z").edges().chamfer({lead_size})',
            "a chamfer of {lead_size} at the upper end",
            "lead",
        ),
        Step(
            'bore = cq.Workplane("XY").circle({bore_diameter} / 2).extrude({length})\n'
            "result = result.cut(bore)",
            "a bore of {bore_diameter}",
        ),
        Step(
            'screws = cq.Workplane("XY").polarArray({screw_circle} / 2, 0, 360, {screw_count})\n'
            "screws = screws.circle({screw_diameter} / 2).extrude({flange_thickness})\n"
            "result = result.cut(screws)",
            "{screw_count} screw holes of {screw_diameter} on a circle of {screw_circle}",
            "screw_holes",
        ),
        Step(
            'oil = cq.Workplane("YZ", origin=(0, 0, {oil_height})).circle({oil_diameter} / 2)\n'
            "result = result.cut(oil.extrude({outer_diameter}))",
            "an oil hole of {oil_diameter} at Z = {oil_height}",
            "oil_hole",
        ),
    ),
    sample=sampler(_bushing_values, _bushing_fits, tuple(_BUSHING_OPTIONS)),
    is_possible=_bushing_fits,
    wordings=(
        "Flanged bushing, all lengths in mm, axis on Z. The flange is a disc of diameter "
        "{flange_diameter} from Z = 0 to Z = {flange_thickness}; the barrel has the outside "
        "diameter {outer_diameter} and reaches Z = {length}. A bore of diameter {bore_diameter} "
        "goes through everything. {features}",
        "Please turn a bushing with a collar (mm). The centre line is the Z axis and the collar "
        "lies on the XY plane: {flange_diameter} in diameter and {flange_thickness} thick. The "
        "sleeve is {outer_diameter} in outside diameter; the whole bushing is {length} tall, "
        "collar included, and bored {bore_diameter} through. {features}",
        "Bushing with flange. Units: mm. Axis Z. OD {outer_diameter}, ID {bore_diameter} through, "
        "Z 0 to {length}. Flange OD {flange_diameter}, Z 0 to {flange_thickness}. {features}",
    ),
    options=_BUSHING_OPTIONS,
    constrain=_bushing_asked,
    annotate=_bushing_drawn,
    mate=_bushing_pin,
)


def _barb_values(draw: Draw) -> Mapping[str, Number]:
    bore = draw.length(4, 12)
    root = draw.length(bore + 3, bore + 6)
    barb = draw.length(root + 1.5, root + 4)
    spigot = draw.length(bore + 5, bore + 10)
    return {
        "bore_diameter": bore,
        "spigot_diameter": spigot,
        "spigot_length": draw.length(8, 16),
        "across_flats": draw.choice((17, 19, 22, 24, 27, 30)),
        "hex_height": draw.length(6, 12),
        "root_diameter": root,
        "barb_diameter": barb,
        "barb_pitch": draw.length(4, 8),
        "barb_count": draw.count(3, 6),
        "groove_width": draw.choice((1.9, 2.4, 2.7)),
        "groove_depth": draw.choice((0.8, 1, 1.2)),
        "chamfer_size": draw.choice((0.5, 0.8, 1)),
        "recess_diameter": draw.length(bore + 1, bore + 4),
        "recess_depth": draw.length(2, 6),
    }


def _barb_fits(d: Design) -> bool:
    spigot = d["spigot_diameter"]
    return (
        d["across_flats"] >= max(spigot, d["barb_diameter"]) + 1
        and d["root_diameter"] >= d["bore_diameter"] + 2
        and d["barb_diameter"] >= d["root_diameter"] + 1
        and d["barb_pitch"] >= d["barb_diameter"] - d["root_diameter"]
        and d["barb_count"] >= 2
        and spigot - 2 * max(d["groove_depth"], d["chamfer_size"]) >= d["recess_diameter"] + 2
        and d["recess_diameter"] >= d["bore_diameter"] + 1
        and d["recess_depth"] + 1 <= d["spigot_length"]
        and d["groove_width"] + d["chamfer_size"] + 2 <= d["spigot_length"]
    )


def _barb_asked(d: Design) -> tuple[Record, ...]:
    flats, low, high = d["across_flats"], d["spigot_length"], d["hex_height"]
    barbs = d["barb_count"] * d["barb_pitch"]
    tall, spigot = low + high + barbs, d["spigot_diameter"]
    solid = disc(spigot) * low + math.sqrt(3) / 2 * flats**2 * high
    solid += d["barb_count"] * cone(d["barb_diameter"], d["root_diameter"], d["barb_pitch"])
    solid -= disc(d["bore_diameter"]) * tall
    if "seal_groove" in d.options:
        floor = spigot - 2 * d["groove_depth"]
        solid -= (disc(spigot) - disc(floor)) * d["groove_width"]
    if "chamfer" in d.options:
        solid -= bevel(d["chamfer_size"], spigot)
    if "recess" in d.options:
        solid -= (disc(d["recess_diameter"]) - disc(d["bore_diameter"])) * d["recess_depth"]
    return (
        box((2 * flats / math.sqrt(3), flats, tall), (0, 0, tall / 2)),
        bodies(),
        volume(solid),
        hole(d["bore_diameter"], (0, 0, None), through=True),
        face("-z", (0, flats / 2 - 0.3, low)),
        face("+z", (0, flats / 2 - 0.3, low + high)),
    )


_BARB_OPTIONS = {
    "seal_groove": (
        "The spigot has a groove for a seal, {groove_width} wide and {groove_depth} deep all "
        "round, directly below the hexagon: its upper flank is the underside of the hexagon."
    ),
    "chamfer": "The outer edge of the spigot's lower end is chamfered {chamfer_size} x 45 degrees.",
    "recess": (
        "From the lower end the bore is widened to diameter {recess_diameter}, {recess_depth} deep."
    ),
}

HOSE_BARB = Family(
    name="hose_barb",
    title="hose barb fitting",
    group="turned",
    dimensions=(
        *dimensions("bore_diameter spigot_diameter spigot_length across_flats hex_height"),
        *dimensions("root_diameter barb_diameter barb_pitch"),
        *dimensions("barb_count", "count"),
        *dimensions("groove_width groove_depth chamfer_size recess_diameter recess_depth"),
    ),
    steps=(
        Step(
            "low, high, pitch = {spigot_length}, {hex_height}, {barb_pitch}\n"
            'spigot = cq.Workplane("XY").circle({spigot_diameter} / 2).extrude(low)\n'
            'body = cq.Workplane("XY", origin=(0, 0, low))\n'
            "body = body.polygon(6, {across_flats} / 0.75**0.5).extrude(high)\n"
            "profile = [(0, low + high)]\n"
            "for i in range({barb_count}):\n"
            "    z = low + high + i * pitch\n"
            "    profile += [({barb_diameter} / 2, z), ({root_diameter} / 2, z + pitch)]\n"
            "profile.append((0, low + high + {barb_count} * pitch))\n"
            'barbs = cq.Workplane("XZ").polyline(profile).close().revolve(360, (0, 0), (0, 1))\n'
            "result = spigot.union(body).union(barbs)",
            "a spigot, a hexagon of {across_flats} and {barb_count} barbs of {barb_diameter}",
        ),
        Step(
            'result = result.faces("<Z").edges().chamfer({chamfer_size})',
            "a chamfer of {chamfer_size} on the spigot",
            "chamfer",
        ),
        Step(
            'bore = cq.Workplane("XY").circle({bore_diameter} / 2).extrude(1000)\n'
            "result = result.cut(bore)",
            "a bore of {bore_diameter}",
        ),
        Step(
            'ring = cq.Workplane("XY", origin=(0, 0, {spigot_length}))\n'
            "ring = ring.circle({spigot_diameter} / 2).circle({spigot_diameter} / 2 - "
            "{groove_depth})\n"
            "result = result.cut(ring.extrude(-{groove_width}))",
            "a seal groove of {groove_width}, {groove_depth} deep",
            "seal_groove",
        ),
        Step(
            'recess = cq.Workplane("XY").circle({recess_diameter} / 2).extrude({recess_depth})\n'
            "result = result.cut(recess)",
            "a recess of {recess_diameter}, {recess_depth} deep",
            "recess",
        ),
    ),
    sample=sampler(_barb_values, _barb_fits, tuple(_BARB_OPTIONS)),
    is_possible=_barb_fits,
    wordings=(
        "Hose barb fitting, all lengths in mm, axis on Z. A spigot of diameter {spigot_diameter} "
        "rises {spigot_length} from Z = 0. On it sits a hexagon, {across_flats} across flats (two "
        "corners on the X axis) and {hex_height} high. Above follow {barb_count} equal barbs, "
        "{barb_pitch} high each: cones that begin below with diameter {barb_diameter} and narrow "
        "to {root_diameter} at the top. A bore of diameter {bore_diameter} goes through along the "
        "axis. {features}",
        "Design a hose connector (mm, centre line on the Z axis, lower end on Z = 0). From bottom "
        "to top: a round spigot, {spigot_diameter} in diameter and {spigot_length} long; a hex "
        "body of {across_flats} across flats, {hex_height} high, turned so that its corners point "
        "along +X and -X; a saw-tooth nozzle of {barb_count} frustums stacked at a pitch of "
        "{barb_pitch}, each going from diameter {barb_diameter} at its lower end to "
        "{root_diameter} at its upper end. Bore it {bore_diameter} all the way. {features}",
        "Hose barb. Units: mm. Axis Z, bottom Z = 0. Spigot: dia {spigot_diameter}, length "
        "{spigot_length}. Hex: AF {across_flats}, height {hex_height}, corners on X. Barbs: "
        "{barb_count} x cone, dia {barb_diameter} (bottom) to {root_diameter} (top), height "
        "{barb_pitch} each. Through bore dia {bore_diameter}. {features}",
    ),
    options=_BARB_OPTIONS,
    constrain=_barb_asked,
)

FAMILIES = (FLANGED_BUSHING, HOSE_BARB)
