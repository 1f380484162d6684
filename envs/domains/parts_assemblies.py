"""Assemblies of two parts that move against each other: a pin in a bushing, a box and its lid.

The parts never touch: the play between them is a dimension, so that bodies can be counted.
"""

from __future__ import annotations

from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bodies,
    box,
    cylinder,
    dimensions,
    disc,
    face,
    filled,
    keep_out,
    rounded_rectangle,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import note, span
from cadwright.envs.domains.family import Annotation, Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler

PLAY = (0.2, 0.3, 0.4, 0.5)  # mm


def _pin_values(draw: Draw) -> Mapping[str, Number]:
    pin = draw.choice((8, 10, 12, 16, 20))
    outer = draw.length(pin + 6, pin + 16)
    return {
        "pin_diameter": pin,
        "play": draw.choice(PLAY),
        "bushing_diameter": outer,
        "bushing_length": draw.length(15, 50),
        "overhang": draw.length(8, 20),
        "flange_diameter": draw.length(outer + 6, outer + 20),
        "flange_thickness": draw.length(2, 6),
        "head_diameter": draw.length(pin + 4, pin + 14),
        "head_height": draw.length(3, 8),
        "cotter_diameter": draw.choice((2, 2.5, 3.2, 4)),
        "cotter_distance": draw.length(3, 8),
    }


def _pin_fits(d: Design) -> bool:
    return (
        d["bushing_diameter"] >= d["pin_diameter"] + d["play"] + 3
        and 0.05 <= d["play"] <= 1
        and d["flange_diameter"] >= d["bushing_diameter"] + 3
        and d["flange_thickness"] + 3 <= d["bushing_length"]
        and d["head_diameter"] >= d["pin_diameter"] + 2
        and d["cotter_diameter"] <= d["pin_diameter"] / 3
        and d["cotter_diameter"] / 2 + 1.5 <= d["cotter_distance"]
        and d["cotter_distance"] + d["cotter_diameter"] / 2 + 1 <= d["overhang"]
    )


def _pin_asked(d: Design) -> tuple[Record, ...]:
    pin, outer, long, over = (
        d[n] for n in ("pin_diameter", "bushing_diameter", "bushing_length", "overhang")
    )
    solid = (disc(outer) - disc(pin + d["play"])) * long + disc(pin) * (long + 2 * over)
    widest, low = outer, -over
    if "flange" in d.options:
        solid += (disc(d["flange_diameter"]) - disc(outer)) * d["flange_thickness"]
        widest = d["flange_diameter"]
    if "head" in d.options:
        solid += disc(d["head_diameter"]) * d["head_height"]
        widest, low = max(widest, d["head_diameter"]), -over - d["head_height"]
    top = long + over
    return (
        box((widest, widest, top - low), (0, 0, (top + low) / 2)),
        bodies(2),
        *when("cotter" not in d.options, volume(solid)),
        cylinder(pin, (0, 0, 1), axis="z"),
        cylinder(pin + d["play"], (0, 0, 1), axis="z", inner=True, length=long),
        *when(
            "cotter" in d.options,
            cylinder(
                d["cotter_diameter"], (0, 0, top - d["cotter_distance"]), axis="x", inner=True
            ),
        ),
    )


def _pin_drawn(d: Design) -> tuple[Annotation, ...]:
    p, b, long, over = (
        d["pin_diameter"] / 2,
        d["bushing_diameter"] / 2,
        d["bushing_length"],
        d["overhang"],
    )
    top = long + over
    marks = [
        span("pin_diameter", "front", (-p, 0, top), (p, 0, top), "⌀{value}"),
        note("top", (p, 0, long), "bore ⌀ = pin + {value}", "play"),
        span("bushing_diameter", "front", (-b, 0, long), (b, 0, long), "⌀{value}"),
        span("bushing_length", "front", (b, 0, 0), (b, 0, long)),
        span("overhang", "front", (p, 0, long), (p, 0, top), "2x {value}"),
    ]
    if "flange" in d.options:
        f, t = d["flange_diameter"] / 2, d["flange_thickness"]
        marks += [
            span("flange_diameter", "right", (0, -f, 0), (0, f, 0), "⌀{value}"),
            span("flange_thickness", "right", (0, f, 0), (0, f, t)),
        ]
    if "head" in d.options:
        h, low = d["head_diameter"] / 2, -over - d["head_height"]
        marks += [
            span("head_diameter", "front", (-h, 0, low), (h, 0, low), "⌀{value}"),
            span("head_height", "front", (h, 0, low), (h, 0, -over)),
        ]
    if "cotter" in d.options:
        z, r = top - d["cotter_distance"], d["cotter_diameter"] / 2
        marks += [
            span("cotter_distance", "right", (0, 0, z), (0, 0, top)),
            span("cotter_diameter", "right", (p, -r, z), (p, r, z), "⌀{value} THRU"),
        ]
    return tuple(marks)


_PIN_OPTIONS = {
    "flange": (
        "The bushing has a flange of diameter {flange_diameter} at its lower end, from Z = 0 to Z "
        "= {flange_thickness}."
    ),
    "head": (
        "The pin has a head of diameter {head_diameter}, {head_height} high, below its lower end, "
        "coaxial with it."
    ),
    "cotter": (
        "The pin has a through hole of diameter {cotter_diameter} along X for a cotter, its axis "
        "{cotter_distance} below the pin's upper end."
    ),
}

PIN_IN_BUSHING = Family(
    name="pin_in_bushing",
    title="pin in a bushing",
    group="assemblies",
    dimensions=dimensions(
        "pin_diameter play bushing_diameter bushing_length overhang flange_diameter "
        "flange_thickness head_diameter head_height cotter_diameter cotter_distance"
    ),
    steps=(
        Step(
            'result = cq.Workplane("XY").circle({bushing_diameter} / 2).extrude({bushing_length})',
            "a bushing of {bushing_diameter}, {bushing_length} long",
        ),
        Step(
            'flange = cq.Workplane("XY").circle({flange_diameter} / 2)\n'
            "result = result.union(flange.extrude({flange_thickness}))",
            "a flange of {flange_diameter} on the bushing",
            "flange",
        ),
        Step(
            'bore = cq.Workplane("XY").circle(({pin_diameter} + {play}) / 2)\n'
            'pin = cq.Workplane("XY", origin=(0, 0, -{overhang})).circle({pin_diameter} / 2)\n'
            "pin = pin.extrude({bushing_length} + 2 * {overhang})\n"
            "result = result.cut(bore.extrude({bushing_length})).union(pin)",
            "its bore, {play} wider than the pin of {pin_diameter}",
        ),
        Step(
            'head = cq.Workplane("XY", origin=(0, 0, -{overhang})).circle({head_diameter} / 2)\n'
            "result = result.union(head.extrude(-{head_height}))",
            "a head of {head_diameter}, {head_height} high",
            "head",
        ),
        Step(
            "height = {bushing_length} + {overhang} - {cotter_distance}\n"
            'cotter = cq.Workplane("YZ", origin=(0, 0, height)).circle({cotter_diameter} / 2)\n'
            "result = result.cut(cotter.extrude({pin_diameter}, both=True))",
            "a cotter hole of {cotter_diameter}",
            "cotter",
        ),
    ),
    sample=sampler(_pin_values, _pin_fits, tuple(_PIN_OPTIONS)),
    is_possible=_pin_fits,
    wordings=(
        "Assembly of two separate parts, all lengths in mm, both on the Z axis: a bushing of "
        "outside diameter {bushing_diameter} from Z = 0 to Z = {bushing_length}, and in it a solid "
        "pin of diameter {pin_diameter} that sticks out by {overhang} at either end of the "
        "bushing. The through bore of the bushing is {play} larger in diameter than the pin, so "
        "that the two do not touch. {features}",
        "Please model a hinge pin inside its bushing as two bodies (mm). The sleeve stands on Z = "
        "0 around the Z axis, {bushing_length} tall and {bushing_diameter} in outside diameter. "
        "The pin is {pin_diameter} in diameter, runs along the same axis through the sleeve and "
        "projects {overhang} above and {overhang} below it. Leave a diametral play of {play}: the "
        "bore is that much wider than the pin. {features}",
        "Pin and bushing, 2 bodies. Units: mm. Axis Z. Bushing: OD {bushing_diameter}, ID = pin + "
        "{play}, Z 0 to {bushing_length}. Pin: dia {pin_diameter}, from {overhang} below the "
        "bushing to {overhang} above it. {features}",
    ),
    options=_PIN_OPTIONS,
    constrain=_pin_asked,
    annotate=_pin_drawn,
)


def _case_values(draw: Draw) -> Mapping[str, Number]:
    return {
        "length": draw.length(60, 130),
        "width": draw.length(40, 100),
        "height": draw.length(25, 70),
        "wall": draw.length(1.5, 4),
        "lid_thickness": draw.length(2, 5),
        "plug_depth": draw.length(3, 8),
        "gap": draw.choice(PLAY),
        "corner_radius": draw.length(5, 12),
        "knob_diameter": draw.length(8, 25),
        "knob_height": draw.length(5, 15),
        "divider_position": draw.length(8, 40),
        "divider_height": draw.length(10, 50),
        "notch_width": draw.length(10, 40),
        "notch_depth": draw.length(4, 20),
    }


def _case_fits(d: Design) -> bool:
    wall, gap = d["wall"], d["gap"]
    return (
        wall >= 1
        and 0.05 <= gap <= 1
        and d["corner_radius"] >= wall + gap + 0.5
        and 2 * d["corner_radius"] + 6 <= min(d["length"], d["width"])
        and d["plug_depth"] + wall + 4 <= d["height"]
        and d["knob_diameter"] + 8 <= d["width"]
        and d["divider_position"] + wall + d["corner_radius"] + 2 <= d["length"] / 2
        and d["notch_width"] + 2 * d["corner_radius"] + 2 <= d["width"]
        and d["notch_depth"] + wall + 2 <= d["height"]
        and wall + 3 <= d["divider_height"] <= d["height"] - d["plug_depth"] - 1
    )


def _case_asked(d: Design) -> tuple[Record, ...]:
    long, wide, tall, wall, gap = (d[n] for n in ("length", "width", "height", "wall", "gap"))
    r = d["corner_radius"]

    def area(inset: float) -> float:
        return rounded_rectangle(long - 2 * inset, wide - 2 * inset, r - inset)

    solid = area(0) * tall - area(wall) * (tall - wall)
    solid += area(0) * d["lid_thickness"] + area(wall + gap) * d["plug_depth"]
    top = tall + gap + d["lid_thickness"]
    if "knob" in d.options:
        solid += disc(d["knob_diameter"]) * d["knob_height"]
    if "divider" in d.options:
        solid += wall * (wide - 2 * wall) * (d["divider_height"] - wall)
    if "notch" in d.options:
        solid -= d["notch_width"] * d["notch_depth"] * wall
    total = top + (d["knob_height"] if "knob" in d.options else 0)
    x, middle = d["divider_position"], wide / 2 - wall - 1
    return (
        box((long, wide, total), (0, 0, total / 2)),
        bodies(2),
        volume(solid),
        face("+z", (0, wide / 2 - wall / 2, tall)),
        face("-z", (0, 0, tall + gap - d["plug_depth"])),
        keep_out((-1, -wide / 2, tall + gap / 4), (1, wall - wide / 2, tall + 3 * gap / 4)),
        *when(
            "divider" in d.options,
            filled((x, -middle, wall), (x + wall, middle, d["divider_height"])),
        ),
    )


_CASE_OPTIONS = {
    "knob": (
        "A round knob of diameter {knob_diameter}, {knob_height} high, stands on the lid on the Z "
        "axis and is one piece with it."
    ),
    "divider": (
        "A wall as thick as the others divides the box across its whole inside width: from X = "
        "{divider_position} towards +X, from the floor up to Z = {divider_height}."
    ),
    "notch": (
        "A notch {notch_width} wide (Y, centred on Y = 0) and {notch_depth} deep from the rim goes "
        "through the box's +X wall; the lid has none."
    ),
}

BOX_WITH_LID = Family(
    name="box_with_lid",
    title="box with a plug lid",
    group="assemblies",
    dimensions=dimensions(
        "length width height wall lid_thickness plug_depth gap corner_radius knob_diameter "
        "knob_height divider_position divider_height notch_width notch_depth"
    ),
    steps=(
        Step(
            "def block(inset, low, high):\n"
            '    blank = cq.Workplane("XY", origin=(0, 0, low))\n'
            "    blank = blank.rect({length} - 2 * inset, {width} - 2 * inset)\n"
            '    return blank.extrude(high - low).edges("|Z").fillet({corner_radius} - inset)\n\n'
            "case = block(0, 0, {height}).cut(block({wall}, {wall}, {height}))\n"
            "rest = {height} + {gap}\n"
            "lid = block(0, rest, rest + {lid_thickness})\n"
            "lid = lid.union(block({wall} + {gap}, rest - {plug_depth}, rest))\n"
            "result = case.union(lid)",
            "a box with walls of {wall} and a lid {lid_thickness} thick with a plug",
        ),
        Step(
            'knob = cq.Workplane("XY", origin=(0, 0, rest + {lid_thickness}))\n'
            "result = result.union(knob.circle({knob_diameter} / 2).extrude({knob_height}))",
            "a knob of {knob_diameter}, {knob_height} high",
            "knob",
        ),
        Step(
            "middle = {divider_position} + {wall} / 2\n"
            'divider = cq.Workplane("XY", origin=(middle, 0, 0))\n'
            "divider = divider.rect({wall}, {width} - 2 * {wall}).extrude({divider_height})\n"
            "result = result.union(divider)",
            "a divider at X = {divider_position}, up to {divider_height}",
            "divider",
        ),
        Step(
            'notch = cq.Workplane("YZ", origin=({length} / 2 - {wall}, 0, {height}))\n'
            "notch = notch.rect({notch_width}, 2 * {notch_depth}).extrude({wall})\n"
            "result = result.cut(notch.intersect(case))",
            "a notch of {notch_width}, {notch_depth} deep, in the +X wall",
            "notch",
        ),
    ),
    sample=sampler(_case_values, _case_fits, tuple(_CASE_OPTIONS)),
    is_possible=_case_fits,
    wordings=(
        "Box with its lid as two separate bodies, all lengths in mm. The box is {length} (X) by "
        "{width} (Y) by {height} (Z) outside, centred on X = 0 and Y = 0, underside on Z = 0, "
        "open at the top, walls and floor {wall} thick; its outer vertical edges have "
        "R{corner_radius}, the inner ones are concentric. The lid, a plate of the same outline "
        "and {lid_thickness} thick, lies {gap} above the upper rim. From its underside a solid "
        "plug goes {plug_depth} down, {gap} smaller than the box's opening on every side, with "
        "concentric corners. {features}",
        "Model a container and its cover, not touching (mm, Z up). Container: outside {length} "
        "along X, {width} along Y, {height} high, standing on Z = 0 and centred on the Z axis; "
        "uniform wall and floor {wall}; upright edges R{corner_radius} outside. Cover: a "
        "{lid_thickness} thick plate as large as the container in plan, floating {gap} above its "
        "rim, with a block underneath, {plug_depth} deep, that fits into the opening with {gap} "
        "of clearance all round. All inner corners are concentric with the outer ones. {features}",
        "Box and lid, 2 bodies. Units: mm. Box: X {length}, Y {width}, centred, Z 0 to {height}, "
        "wall = floor = {wall}, open top, vertical edges R{corner_radius}, insides concentric. "
        "Lid plate: same X and Y, {lid_thickness} thick, underside {gap} above the rim. Plug "
        "under the plate: {plug_depth} deep, side clearance {gap} to the inner walls. {features}",
    ),
    options=_CASE_OPTIONS,
    constrain=_case_asked,
)

FAMILIES = (PIN_IN_BUSHING, BOX_WITH_LID)
