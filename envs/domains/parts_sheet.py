"""Parts bent from sheet metal: a Z bracket and a hat section, bends with a true inside radius.

A bend of inside radius r in sheet of thickness t has the outside radius r + t.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bodies,
    box,
    corners,
    dimensions,
    disc,
    face,
    hole,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, note, radius, span
from cadwright.envs.domains.family import Annotation, Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler

SHEETS = (1, 1.5, 2, 2.5, 3)  # mm, stock thicknesses
CLEARANCE = (3.4, 4.5, 5.5, 6.6)  # ISO 273 medium, M3 to M6


def _rounding(d: Design) -> float:
    """Return how much area one bend takes from sharp corners, mm²."""
    r, t = d["bend_radius"], d["thickness"]
    return (1 - math.pi / 4) * ((r + t) ** 2 - r**2)


def _slot_area(d: Design) -> float:
    return d["slot_width"] * (d["slot_length"] - d["slot_width"]) + disc(d["slot_width"])


def _slot(d: Design, x: float) -> Record:
    sizes = {"width": d["slot_width"], "length": d["slot_length"], "through": True}
    return {"kind": "slot", **sizes, "at": [[x, 0, None]]}


def _z_values(draw: Draw) -> Mapping[str, Number]:
    thickness = draw.choice(SHEETS)
    return {
        "width": draw.length(30, 80),
        "thickness": thickness,
        "bend_radius": draw.choice((1, 1.5, 2, 3)),
        "height": draw.length(25, 70),
        "lower_length": draw.length(20, 50),
        "upper_length": draw.length(20, 60),
        "hole_diameter": draw.choice(CLEARANCE),
        "hole_pitch": draw.length(12, 60),
        "hole_distance": draw.length(8, 40),
        "slot_length": draw.length(10, 40),
        "slot_width": draw.choice(CLEARANCE),
        "slot_distance": draw.length(10, 50),
        "corner_radius": draw.length(3, 10),
    }


def _z_fits(d: Design) -> bool:
    bend, size, r = d["bend_radius"] + d["thickness"], d["hole_diameter"], d["corner_radius"]
    return (
        d["height"] >= 2 * bend + 4
        and bend + size / 2 + 1 <= d["hole_distance"] <= d["lower_length"] - size / 2 - 3
        and size + 3 <= d["hole_pitch"] <= d["width"] - size - 5
        and d["slot_length"] >= d["slot_width"] + 2
        and bend + d["slot_length"] / 2 + 1 <= d["slot_distance"]
        and d["slot_distance"] + d["slot_length"] / 2 + 3 <= d["upper_length"]
        and d["slot_width"] + 2 * r + 1 <= d["width"]
        and bend + r + 1 <= min(d["upper_length"], d["lower_length"])
    )


def _z_asked(d: Design) -> tuple[Record, ...]:
    w, t, h = d["width"], d["thickness"], d["height"]
    low, up, size = d["lower_length"], d["upper_length"], d["hole_diameter"]
    area = t * (low + up + h) - 2 * _rounding(d)
    solid = area * w
    if "holes" in d.options:
        solid -= 2 * disc(size) * t
    if "slot" in d.options:
        solid -= _slot_area(d) * t
    if "corners" in d.options:
        solid -= (4 - math.pi) * d["corner_radius"] ** 2 * t
    y, at = d["hole_pitch"] / 2, -d["hole_distance"]
    return (
        box((low + t + up, w, h), ((up + t - low) / 2, 0, h / 2)),
        bodies(),
        volume(solid),
        face("+z", (1 - low, 0, t)),
        face("+x", (t, 0, h / 2)),
        *when("holes" in d.options, hole(size, (at, -y, None), (at, y, None), through=True)),
        *when("slot" in d.options, _slot(d, t + d["slot_distance"])),
    )


def _z_drawn(d: Design) -> tuple[Annotation, ...]:
    y, t, h = d["width"] / 2, d["thickness"], d["height"]
    low, up, r = -d["lower_length"], t + d["upper_length"], d["bend_radius"]
    inner = (-r, -y, t + r)
    marks = [
        span("width", "top", (up, -y, h), (up, y, h)),
        span("thickness", "front", (0, -y, h / 2), (t, -y, h / 2)),
        span("height", "front", (up, -y, 0), (up, -y, h)),
        span("lower_length", "front", (low, -y, t), (0, -y, t)),
        span("upper_length", "front", (t, -y, h), (up, -y, h)),
        radius("bend_radius", "front", inner, r, -45, "2x R{value} inside"),
    ]
    if "holes" in d.options:
        at, half = -d["hole_distance"], d["hole_pitch"] / 2
        marks += [
            span("hole_distance", "top", (at, half, t), (0, half, t)),
            span("hole_pitch", "top", (at, -half, t), (at, half, t)),
            diameter("hole_diameter", "top", (at, half, t), d["hole_diameter"], "2x ⌀{value} THRU"),
        ]
    if "slot" in d.options:
        at, half, wide = t + d["slot_distance"], d["slot_length"] / 2, d["slot_width"] / 2
        marks += [
            span("slot_distance", "top", (t, 0, h), (at, 0, h)),
            span("slot_length", "top", (at - half, 0, h), (at + half, 0, h), "{value} THRU"),
            span("slot_width", "top", (at, -wide, h), (at, wide, h)),
        ]
    if "corners" in d.options:
        c = d["corner_radius"]
        marks.append(radius("corner_radius", "top", (up - c, y - c, h), c, text="4x R{value}"))
    return tuple(marks)


_Z_OPTIONS = {
    "holes": (
        "The lower flange has two through holes of diameter {hole_diameter} at X = "
        "-{hole_distance}, {hole_pitch} apart in Y, symmetric about Y = 0."
    ),
    "slot": (
        "The upper flange has a slot with round ends along X on Y = 0, {slot_length} long over all "
        "and {slot_width} wide; its middle is {slot_distance} from the web's +X face."
    ),
    "corners": "The two free corners of each flange are rounded in plan with R{corner_radius}.",
}

Z_BRACKET = Family(
    name="z_bracket",
    title="sheet-metal Z bracket",
    group="sheet",
    dimensions=dimensions(
        "width thickness bend_radius height lower_length upper_length hole_diameter hole_pitch "
        "hole_distance slot_length slot_width slot_distance corner_radius"
    ),
    steps=(
        Step(
            "t, h, low, up = {thickness}, {height}, -{lower_length}, {thickness} + {upper_length}\n"
            "profile = [(low, 0), (t, 0), (t, h - t), (up, h - t)]\n"
            "profile += [(up, h), (0, h), (0, t), (low, t)]\n"
            'result = cq.Workplane("XZ").polyline(profile).close()\n'
            "result = result.extrude({width} / 2, both=True)\n"
            "near = cq.NearestToPointSelector\n"
            "inside = near((0, 0, t)) + near((t, 0, h - t))\n"
            "outside = near((t, 0, 0)) + near((0, 0, h))\n"
            "result = result.edges(inside).fillet({bend_radius})\n"
            "result = result.edges(outside).fillet({bend_radius} + t)",
            "a Z of {lower_length}, {height} and {upper_length} in sheet of {thickness}",
        ),
        Step(
            'ends = result.faces("<X or >X").edges("|Z")\nresult = ends.fillet({corner_radius})',
            "roundings of R{corner_radius} at the free corners",
            "corners",
        ),
        Step(
            'holes = cq.Workplane("XY", origin=(-{hole_distance}, 0, 0))\n'
            "holes = holes.rarray(1, {hole_pitch}, 1, 2).circle({hole_diameter} / 2)\n"
            "result = result.cut(holes.extrude({thickness}))",
            "two holes of {hole_diameter} in the lower flange",
            "holes",
        ),
        Step(
            'slot = cq.Workplane("XY", origin=({thickness} + {slot_distance}, 0, {height}))\n'
            "slot = slot.slot2D({slot_length}, {slot_width}).extrude(-{thickness})\n"
            "result = result.cut(slot)",
            "a slot of {slot_length} by {slot_width} in the upper flange",
            "slot",
        ),
    ),
    sample=sampler(_z_values, _z_fits, tuple(_Z_OPTIONS)),
    is_possible=_z_fits,
    wordings=(
        "Z bracket of sheet metal, all lengths in mm, {thickness} thick and {width} wide (Y, "
        "centred on Y = 0), {height} high over all from Z = 0. The web stands upright between X = "
        "0 and X = {thickness}. The lower flange lies on Z = 0 and reaches {lower_length} from the "
        "web's -X face towards -X; the upper flange is flush with the top and reaches "
        "{upper_length} from the web's +X face towards +X. Both bends have an inside radius of "
        "{bend_radius} and a concentric outside. {features}",
        "Bend a Z-shaped bracket (mm, Z up) from {thickness} sheet, {width} wide in Y, symmetric "
        "about Y = 0. Its vertical middle part has its left face on X = 0 and its material on the "
        "+X side. At the bottom, on Z = 0, a flange goes {lower_length} to the left of X = 0; at "
        "the top, ending at Z = {height}, another goes {upper_length} to the right of the middle "
        "part. Inside bend radius {bend_radius} at both bends, outside radius larger by the "
        "thickness. {features}",
        "Z bracket, sheet {thickness}. Units: mm. Web: X 0 to {thickness}, Z 0 to {height}. Lower "
        "flange: to X = -{lower_length}, Z 0 to {thickness}. Upper flange: {upper_length} beyond "
        "the web in +X, top at Z = {height}. Y width {width}, centred. Bends: R{bend_radius} "
        "inside, R{bend_radius} + {thickness} outside. {features}",
    ),
    options=_Z_OPTIONS,
    constrain=_z_asked,
    annotate=_z_drawn,
)


def _hat_values(draw: Draw) -> Mapping[str, Number]:
    return {
        "length": draw.length(60, 160),
        "thickness": draw.choice(SHEETS),
        "bend_radius": draw.choice((1, 1.5, 2, 3)),
        "top_width": draw.length(30, 70),
        "height": draw.length(15, 50),
        "flange_length": draw.length(15, 35),
        "hole_diameter": draw.choice(CLEARANCE),
        "hole_spacing_x": draw.length(50, 140),
        "hole_spacing_y": draw.length(30, 140),
        "slot_length": draw.length(15, 80),
        "slot_width": draw.length(5, 20),
        "drain_diameter": draw.length(4, 16),
    }


def _hat_fits(d: Design) -> bool:
    t, size = d["thickness"], d["hole_diameter"]
    bend, half = d["bend_radius"] + t, d["top_width"] / 2
    return (
        d["height"] >= 2 * bend + d["drain_diameter"] + 2
        and d["top_width"] >= 2 * bend + d["slot_width"] + 2
        and d["hole_spacing_x"] / 2 - size / 2 >= half + bend + 1
        and d["hole_spacing_x"] / 2 + size / 2 + 3 <= half + d["flange_length"]
        and d["hole_spacing_y"] + size + 6 <= d["length"]
        and d["hole_spacing_y"] >= size + 4
        and d["slot_width"] + 4 <= d["slot_length"] <= d["length"] - 8
        and d["drain_diameter"] + 8 <= d["length"]
    )


def _hat_asked(d: Design) -> tuple[Record, ...]:
    long, t, h, top = d["length"], d["thickness"], d["height"], d["top_width"]
    wide, size = top + 2 * d["flange_length"], d["hole_diameter"]
    area = top * t + 2 * t * (h - t) + 2 * d["flange_length"] * t - 4 * _rounding(d)
    solid = area * long
    if "holes" in d.options:
        solid -= 4 * disc(size) * t
    if "slot" in d.options:
        solid -= _slot_area(d) * t
    if "drains" in d.options:
        solid -= 2 * disc(d["drain_diameter"]) * t
    x, y = d["hole_spacing_x"], d["hole_spacing_y"]
    middle = (top - t) / 2
    drains = [(-middle, 0, h / 2), (middle, 0, h / 2)]
    return (
        box((wide, long, h), (0, 0, h / 2)),
        bodies(),
        volume(solid),
        face("-z", (0, long / 2 - 1, h - t)),
        face("+z", (wide / 2 - 1, 0, t)),
        *when("holes" in d.options, hole(size, *corners(x, y, (0, 0)), through=True)),
        *when("drains" in d.options, hole(d["drain_diameter"], *drains, axis="x")),
        *when("slot" in d.options, _slot(d, 0)),
    )


def _hat_drawn(d: Design) -> tuple[Annotation, ...]:
    y, t, h, r = d["length"] / 2, d["thickness"], d["height"], d["bend_radius"]
    half, edge = d["top_width"] / 2, d["top_width"] / 2 + d["flange_length"]
    marks = [
        span("length", "top", (-edge, -y, t), (-edge, y, t)),
        span("thickness", "front", (edge, -y, 0), (edge, -y, t)),
        radius("bend_radius", "front", (half + r, -y, t + r), r, 225, "4x R{value} inside"),
        span("top_width", "front", (-half, -y, h), (half, -y, h)),
        span("height", "front", (-edge, -y, 0), (-edge, -y, h)),
        span("flange_length", "front", (half, -y, 0), (edge, -y, 0)),
        note("front", (-half, -y, h / 2), "symmetric"),
    ]
    if "holes" in d.options:
        a, b, size = d["hole_spacing_x"] / 2, d["hole_spacing_y"] / 2, d["hole_diameter"]
        marks += [
            span("hole_spacing_x", "top", (-a, b, t), (a, b, t)),
            span("hole_spacing_y", "top", (a, -b, t), (a, b, t)),
            diameter("hole_diameter", "top", (a, b, t), size, "4x ⌀{value} THRU"),
        ]
    if "slot" in d.options:
        a, b = d["slot_width"] / 2, d["slot_length"] / 2
        marks += [
            span("slot_width", "top", (-a, 0, h), (a, 0, h)),
            span("slot_length", "top", (0, -b, h), (0, b, h), "{value} THRU"),
        ]
    if "drains" in d.options:
        text = "2x ⌀{value}, mid height"
        at = (half, 0, h / 2)
        marks.append(diameter("drain_diameter", "right", at, d["drain_diameter"], text))
    return tuple(marks)


_HAT_OPTIONS = {
    "holes": (
        "The flanges have four through holes of diameter {hole_diameter} at the corners of a "
        "rectangle of {hole_spacing_x} (X) by {hole_spacing_y} (Y) centred on the Z axis."
    ),
    "slot": (
        "The top has a slot with round ends along Y, {slot_length} long over all and {slot_width} "
        "wide, centred on the Z axis."
    ),
    "drains": (
        "Both side walls have a hole of diameter {drain_diameter} along X, at Y = 0 and halfway up "
        "the overall height."
    ),
}

HAT_SECTION = Family(
    name="hat_section",
    title="sheet-metal hat section",
    group="sheet",
    dimensions=dimensions(
        "length thickness bend_radius top_width height flange_length hole_diameter "
        "hole_spacing_x hole_spacing_y slot_length slot_width drain_diameter"
    ),
    steps=(
        Step(
            "t, h, half = {thickness}, {height}, {top_width} / 2\n"
            "edge = half + {flange_length}\n"
            "right = [(half - t, h - t), (half - t, 0), (edge, 0)]\n"
            "right += [(edge, t), (half, t), (half, h)]\n"
            "left = [(-x, z) for x, z in reversed(right)]\n"
            'profile = cq.Workplane("XZ").polyline([*right, *left]).close()\n'
            "result = profile.extrude({length} / 2, both=True)\n"
            "near = cq.NearestToPointSelector\n"
            "top = half - t\n"
            "inside = near((half, 0, t)) + near((-half, 0, t))\n"
            "inside = inside + near((top, 0, h - t)) + near((-top, 0, h - t))\n"
            "outside = near((top, 0, 0)) + near((-top, 0, 0))\n"
            "outside = outside + near((half, 0, h)) + near((-half, 0, h))\n"
            "result = result.edges(inside).fillet({bend_radius})\n"
            "result = result.edges(outside).fillet({bend_radius} + t)",
            "a hat {top_width} wide and {height} high with flanges of {flange_length}",
        ),
        Step(
            'holes = cq.Workplane("XY").rarray({hole_spacing_x}, {hole_spacing_y}, 2, 2)\n'
            "result = result.cut(holes.circle({hole_diameter} / 2).extrude({thickness}))",
            "four holes of {hole_diameter} in the flanges",
            "holes",
        ),
        Step(
            'slot = cq.Workplane("XY", origin=(0, 0, {height}))\n'
            "slot = slot.slot2D({slot_length}, {slot_width}, 90).extrude(-{thickness})\n"
            "result = result.cut(slot)",
            "a slot of {slot_length} by {slot_width} in the top",
            "slot",
        ),
        Step(
            'drain = cq.Workplane("YZ", origin=(0, 0, {height} / 2)).circle({drain_diameter} / 2)\n'
            "result = result.cut(drain.extrude({top_width}, both=True))",
            "holes of {drain_diameter} in the side walls",
            "drains",
        ),
    ),
    sample=sampler(_hat_values, _hat_fits, tuple(_HAT_OPTIONS)),
    is_possible=_hat_fits,
    wordings=(
        "Hat section of sheet metal, all lengths in mm, {thickness} thick, {length} long along Y, "
        "symmetric about X = 0 and Y = 0. The flat top is at Z = {height} and the profile is "
        "{top_width} wide there over its upright side walls. At the bottom a flange of "
        "{flange_length}, measured from the outer face of the wall, lies outwards on Z = 0 on "
        "either side. All four bends have an inside radius of {bend_radius} and a concentric "
        "outside. {features}",
        "Please draw a top-hat rail (mm, Z up) bent from {thickness} sheet. Cross-section in the "
        "XZ plane: brims on Z = 0, vertical walls, a level crown whose upper side is {height} "
        "above Z = 0. Outside width over the walls {top_width}; each brim sticks out "
        "{flange_length} from its wall. Bend radius {bend_radius} inside at all four bends "
        "(outside larger by the thickness). Extend it {length} along Y, centred on the origin in X "
        "and Y. {features}",
        "Hat profile, sheet {thickness}. Units: mm. Length Y {length}, centred. Height Z 0 to "
        "{height}. Width over walls {top_width}, centred on X = 0. Flanges {flange_length} "
        "outwards each, at Z = 0. Bends R{bend_radius} inside, concentric. {features}",
    ),
    options=_HAT_OPTIONS,
    constrain=_hat_asked,
    annotate=_hat_drawn,
)

FAMILIES = (Z_BRACKET, HAT_SECTION)
