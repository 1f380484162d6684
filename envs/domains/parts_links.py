"""Parts with an outline of arcs and tangents: an oval flange and a lever.

Both are convex outlines around circles on the X axis. A tangent line touches two circles at the
same angle from the line between their centres: cos(angle) = (difference of radii) / distance.
"""

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
from cadwright.envs.domains.dimensioning import diameter, radius, span
from cadwright.envs.domains.family import Annotation, Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler

CLEARANCE = (4.5, 5.5, 6.6, 9, 11)  # ISO 273 medium, M4 to M10
KEYS = {
    10: (3, 1.4),
    12: (4, 1.8),
    16: (5, 2.3),
    20: (6, 2.8),
    25: (8, 3.3),
    30: (8, 3.3),
}  # DIN 6885


def _half_hull(big: float, small: float, distance: float) -> float:
    """Return the area of two half discs and the quadrilaterals that join them, mm²."""
    angle = math.acos((big - small) / distance)
    joined = (big + small) * distance * math.sin(angle)
    return joined + small**2 * angle + big**2 * (math.pi - angle)


def _flange_values(draw: Draw) -> Mapping[str, Number]:
    body, bolt = draw.length(30, 70), draw.choice(CLEARANCE)
    return {
        "body_diameter": body,
        "bolt_pitch": draw.length(body + 10, body + 40),
        "ear_radius": draw.length(bolt / 2 + 4, bolt / 2 + 9),
        "thickness": draw.length(5, 15),
        "bolt_diameter": bolt,
        "bore_diameter": draw.length(8, body - 14),
        "collar_diameter": draw.length(14, body - 4),
        "collar_height": draw.length(5, 25),
        "spotface_diameter": draw.length(bolt + 4, bolt + 9),
        "spotface_depth": draw.length(0.5, 2),
    }


def _flange_fits(d: Design) -> bool:
    half = d["bolt_pitch"] / 2
    return (
        d["body_diameter"] / 2 >= d["ear_radius"] + 2
        and half >= d["body_diameter"] / 2 + d["bolt_diameter"] / 2
        and d["ear_radius"] >= d["bolt_diameter"] / 2 + 3
        and d["collar_diameter"] >= d["bore_diameter"] + 4
        and d["body_diameter"] >= d["collar_diameter"] + 3
        and half >= (d["collar_diameter"] + d["spotface_diameter"]) / 2 + 1
        and d["bolt_diameter"] + 3 <= d["spotface_diameter"] <= 2 * d["ear_radius"] - 2
        and d["spotface_depth"] + 3 <= d["thickness"]
    )


def _flange_asked(d: Design) -> tuple[Record, ...]:
    half, ear, body = d["bolt_pitch"] / 2, d["ear_radius"], d["body_diameter"]
    height = d["thickness"] + (d["collar_height"] if "collar" in d.options else 0)
    area = 2 * _half_hull(body / 2, ear, half) - math.pi * body**2 / 4  # the disc is in both halves
    solid = (area - 2 * disc(d["bolt_diameter"]) - disc(d["bore_diameter"])) * d["thickness"]
    if "collar" in d.options:
        solid += (disc(d["collar_diameter"]) - disc(d["bore_diameter"])) * d["collar_height"]
    if "spotfaces" in d.options:
        rings = disc(d["spotface_diameter"]) - disc(d["bolt_diameter"])
        solid -= 2 * rings * d["spotface_depth"]
    return (
        box((2 * half + 2 * ear, body, height), (0, 0, height / 2)),
        bodies(),
        volume(solid),
        hole(d["bore_diameter"], (0, 0, None), through=True),
        hole(d["bolt_diameter"], (-half, 0, None), (half, 0, None)),
        *when(
            "collar" in d.options,
            cylinder(d["collar_diameter"], (0, 0, None), axis="z", inner=False),
        ),
    )


def _flange_drawn(d: Design) -> tuple[Annotation, ...]:
    half, z = d["bolt_pitch"] / 2, d["thickness"]
    top = z + (d["collar_height"] if "collar" in d.options else 0)
    marks = [
        diameter("body_diameter", "top", (0, 0, z), d["body_diameter"]),
        span("bolt_pitch", "top", (-half, 0, z), (half, 0, z)),
        radius("ear_radius", "top", (half, 0, z), d["ear_radius"], -30, "2x R{value}"),
        span("thickness", "front", (half + d["ear_radius"], 0, 0), (half + d["ear_radius"], 0, z)),
        diameter("bolt_diameter", "top", (half, 0, z), d["bolt_diameter"], "2x ⌀{value} THRU"),
        diameter("bore_diameter", "top", (0, 0, top), d["bore_diameter"], "⌀{value} THRU"),
    ]
    if "collar" in d.options:
        r = d["collar_diameter"] / 2
        marks.append(span("collar_diameter", "front", (-r, 0, top), (r, 0, top), "⌀{value}"))
        marks.append(span("collar_height", "front", (r, 0, z), (r, 0, top)))
    if "spotfaces" in d.options:
        r, low = d["spotface_diameter"] / 2, z - d["spotface_depth"]
        value = d["spotface_diameter"]
        marks.append(diameter("spotface_diameter", "top", (-half, 0, z), value, "2x ⌀{value}"))
        marks.append(span("spotface_depth", "front", (-half - r, 0, low), (-half - r, 0, z)))
    return tuple(marks)


def _flange_gasket(d: Design) -> Mate:
    """A flat gasket under the flange: its outline, its holes."""
    half, ear, body = d["bolt_pitch"] / 2, d["ear_radius"], d["body_diameter"]
    about = (
        "Make the gasket for this oval flange: a flat sheet from Z = -1.5 to Z = 0, with the same "
        "outline and the same bore and bolt holes as the flange."
    )
    area = 2 * _half_hull(body / 2, ear, half) - math.pi * body**2 / 4
    area -= 2 * disc(d["bolt_diameter"]) + disc(d["bore_diameter"])
    sheet = Design({**d.values, "thickness": 1.5})
    program = OVAL_FLANGE.inline_program(sheet) + "result = result.translate((0, 0, -1.5))\n"
    asked = (
        box((2 * half + 2 * ear, body, 1.5), (0, 0, -0.75)),
        bodies(),
        volume(area * 1.5),
        hole(d["bolt_diameter"], (-half, 0, None), (half, 0, None), through=True),
        hole(d["bore_diameter"], (0, 0, None), through=True),
    )
    return Mate(about, program, asked)


_FLANGE_OPTIONS = {
    "collar": (
        "A collar of outside diameter {collar_diameter} stands on the top face, coaxial with the "
        "bore and {collar_height} high above that face; the bore goes on through it."
    ),
    "spotfaces": (
        "Both bolt holes are spot-faced from the top: diameter {spotface_diameter}, "
        "{spotface_depth} deep."
    ),
}

OVAL_FLANGE = Family(
    name="oval_flange",
    title="oval two-bolt flange",
    group="links",
    dimensions=dimensions(
        "body_diameter bolt_pitch ear_radius thickness bolt_diameter bore_diameter "
        "collar_diameter collar_height spotface_diameter spotface_depth"
    ),
    steps=(
        Step(
            "half, big, small = {bolt_pitch} / 2, {body_diameter} / 2, {ear_radius}\n"
            "c = (big - small) / half  # cosine of the angle at which the tangents touch\n"
            "s = (1 - c**2) ** 0.5\n"
            'outline = cq.Workplane("XY").moveTo(big * c, big * s)\n'
            "outline = outline.lineTo(half + small * c, small * s)\n"
            "outline = outline.threePointArc((half + small, 0), (half + small * c, -small * s))\n"
            "outline = outline.lineTo(big * c, -big * s)\n"
            "outline = outline.threePointArc((0, -big), (-big * c, -big * s))\n"
            "outline = outline.lineTo(-half - small * c, -small * s)\n"
            "outline = outline.threePointArc((-half - small, 0), (-half - small * c, small * s))\n"
            "outline = outline.lineTo(-big * c, big * s)\n"
            "outline = outline.threePointArc((0, big), (big * c, big * s)).close()\n"
            "result = outline.extrude({thickness})",
            "an oval plate {thickness} thick around {body_diameter} and two ears of R{ear_radius}",
        ),
        Step(
            'collar = cq.Workplane("XY").circle({collar_diameter} / 2)\n'
            "result = result.union(collar.extrude({thickness} + {collar_height}))",
            "a collar of {collar_diameter}, {collar_height} high",
            "collar",
        ),
        Step(
            'bolts = cq.Workplane("XY").rarray({bolt_pitch}, 1, 2, 1).circle({bolt_diameter} / 2)\n'
            "result = result.cut(bolts.extrude({thickness}))\n"
            'bore = cq.Workplane("XY").circle({bore_diameter} / 2)\n'
            "result = result.cut(bore.extrude(result.val().BoundingBox().zmax))",
            "a bore of {bore_diameter} and two bolt holes of {bolt_diameter}",
        ),
        Step(
            'faces = cq.Workplane("XY", origin=(0, 0, {thickness})).rarray({bolt_pitch}, 1, 2, 1)\n'
            "faces = faces.circle({spotface_diameter} / 2).extrude(-{spotface_depth})\n"
            "result = result.cut(faces)",
            "spot faces of {spotface_diameter}, {spotface_depth} deep",
            "spotfaces",
        ),
    ),
    sample=sampler(_flange_values, _flange_fits, tuple(_FLANGE_OPTIONS)),
    is_possible=_flange_fits,
    wordings=(
        "Oval two-bolt flange, all lengths in mm, from Z = 0 to Z = {thickness}. Its outline is a "
        "circle of diameter {body_diameter} about the origin and two circles of radius "
        "{ear_radius} on the X axis, {bolt_pitch} apart and symmetric about X = 0, joined by their "
        "outer tangents. A bore of diameter {bore_diameter} runs through along the Z axis, and a "
        "through hole of diameter {bolt_diameter} sits in the centre of each ear. {features}",
        "Model a diamond-shaped flange with two bolts (mm, Z up), {thickness} thick and lying on "
        "Z = 0. In plan it wraps a disc of diameter {body_diameter} at the origin and two rounded "
        "ears of radius {ear_radius} at Y = 0 with straight tangent edges; the ears are centred "
        "{bolt_pitch} apart in X, the origin halfway. Each ear has a concentric through hole of "
        "diameter {bolt_diameter}; the central through bore is {bore_diameter}. {features}",
        "Oval flange. Units: mm. Z 0 to {thickness}. Plan: convex hull of one circle of diameter "
        "{body_diameter} at X = 0, Y = 0 and two circles of radius {ear_radius} on Y = 0 with "
        "centre distance {bolt_pitch}, symmetric about X = 0. Through holes along Z: diameter "
        "{bore_diameter} in the middle, diameter {bolt_diameter} in both ear centres. {features}",
    ),
    options=_FLANGE_OPTIONS,
    constrain=_flange_asked,
    annotate=_flange_drawn,
    mate=_flange_gasket,
)


def _lever_values(draw: Draw) -> Mapping[str, Number]:
    bore = draw.choice(tuple(KEYS))
    width, depth = KEYS[bore]
    big = draw.length(bore + 16, bore + 30)
    small = draw.length(16, 30)
    distance = draw.length(80, 160)
    return {
        "centre_distance": distance,
        "big_diameter": big,
        "small_diameter": small,
        "big_bore": bore,
        "small_bore": draw.length(5, 12),
        "web_thickness": draw.length(6, 14),
        "boss_height": draw.length(15, 35),
        "key_width": width,
        "key_depth": depth,
        "slot_length": draw.length(20, 60),
        "slot_width": draw.length(6, 12),
        "small_height": draw.length(10, 30),
    }


def _lever_fits(d: Design) -> bool:
    big, small = d["big_diameter"] / 2, d["small_diameter"] / 2
    free = d["centre_distance"] - big - small
    return (
        big >= small + 1
        and big >= d["big_bore"] / 2 + d["key_depth"] + 3
        and d["key_width"] <= 0.5 * d["big_bore"]
        and small >= d["small_bore"] / 2 + 3
        and min(d["boss_height"], d["small_height"]) >= d["web_thickness"] + 2
        and d["slot_length"] / 2 <= min(d["centre_distance"] / 2 - big, free / 2 + small) - 3
        and d["slot_length"] / 2 <= d["centre_distance"] / 2 - small - 3
        and d["slot_width"] + 5 <= d["small_diameter"]
        and d["slot_length"] >= d["slot_width"] + 4
    )


def _lever_asked(d: Design) -> tuple[Record, ...]:
    far, big, small = d["centre_distance"], d["big_diameter"], d["small_diameter"]
    tall = max(d["boss_height"], d["small_height"] if "small_boss" in d.options else 0)
    keyed = "keyway" in d.options
    return (
        box((far + (big + small) / 2, big, tall), (far / 2 + (small - big) / 4, 0, tall / 2)),
        bodies(),
        hole(d["small_bore"], (far, 0, None), through=True),
        *when(not keyed, hole(d["big_bore"], (0, 0, None), through=True)),
        *when(keyed, face("+x", (-d["big_bore"] / 2 - d["key_depth"], 0, 3))),
        *when(
            "slot" in d.options,
            {
                "kind": "slot",
                "width": d["slot_width"],
                "length": d["slot_length"],
                "at": [[far / 2, 0, None]],
                "through": True,
            },
        ),
    )


def _lever_pin(d: Design) -> Mate:
    """A plain pin through the small eye, with 0.1 mm of play in the diameter."""
    size, length = d["small_bore"] - 0.1, d["web_thickness"] + 10
    about = (
        "Make the pin for the small eye of this lever: plain and round, coaxial with the small "
        f"bore and 0.1 mm thinner than it, from Z = -5 to Z = {number(length - 5)}."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'pin = cq.Workplane("XY", origin=({number(d["centre_distance"])}, 0, -5))\n'
        f"result = pin.circle({number(float(size))} / 2).extrude({number(length)})\n"
    )
    asked = (
        box((size, size, length), (d["centre_distance"], 0, length / 2 - 5)),
        bodies(),
        volume(disc(size) * length),
    )
    return Mate(about, program, asked)


_LEVER_OPTIONS = {
    "keyway": (
        "The large bore has a keyway along its whole length, {key_width} wide and symmetric about "
        "Y = 0, on the -X side; its flat floor lies {key_depth} outside the bore's wall."
    ),
    "slot": (
        "A slot with round ends goes through the web along X, {slot_length} long over all and "
        "{slot_width} wide, centred halfway between the two axes on Y = 0."
    ),
    "small_boss": (
        "At the small end a boss of diameter {small_diameter} rises from the web's underside at "
        "Z = 0 to Z = {small_height}; the small bore goes through it."
    ),
}

LEVER = Family(
    name="lever",
    title="shaft lever",
    group="links",
    dimensions=dimensions(
        "centre_distance big_diameter small_diameter big_bore small_bore web_thickness "
        "boss_height key_width key_depth slot_length slot_width small_height"
    ),
    steps=(
        Step(
            "big, small, far = {big_diameter} / 2, {small_diameter} / 2, {centre_distance}\n"
            "c = (big - small) / far  # cosine of the angle at which the tangents touch\n"
            "s = (1 - c**2) ** 0.5\n"
            'web = cq.Workplane("XY").moveTo(big * c, big * s)\n'
            "web = web.lineTo(far + small * c, small * s)\n"
            "web = web.threePointArc((far + small, 0), (far + small * c, -small * s))\n"
            "web = web.lineTo(big * c, -big * s)\n"
            "web = web.threePointArc((-big, 0), (big * c, big * s)).close()\n"
            'boss = cq.Workplane("XY").circle(big).extrude({boss_height})\n'
            "result = web.extrude({web_thickness}).union(boss)",
            "a web {web_thickness} thick over {centre_distance} and a boss {boss_height} high",
        ),
        Step(
            'eye = cq.Workplane("XY", origin=({centre_distance}, 0, 0))\n'
            "result = result.union(eye.circle({small_diameter} / 2).extrude({small_height}))",
            "a boss at the small end up to {small_height}",
            "small_boss",
        ),
        Step(
            "height = result.val().BoundingBox().zmax\n"
            'hub = cq.Workplane("XY").circle({big_bore} / 2).extrude(height)\n'
            'eye = cq.Workplane("XY", origin=({centre_distance}, 0, 0))\n'
            "result = result.cut(hub).cut(eye.circle({small_bore} / 2).extrude(height))",
            "bores of {big_bore} and {small_bore}",
        ),
        Step(
            "reach = {big_bore} / 2 + {key_depth}\n"
            'key = cq.Workplane("XY", origin=(-reach / 2, 0, 0)).rect(reach, {key_width})\n'
            "result = result.cut(key.extrude({boss_height}))",
            "a keyway {key_width} wide, {key_depth} deep",
            "keyway",
        ),
        Step(
            'slot = cq.Workplane("XY", origin=({centre_distance} / 2, 0, 0))\n'
            "slot = slot.slot2D({slot_length}, {slot_width}).extrude({web_thickness})\n"
            "result = result.cut(slot)",
            "a slot of {slot_length} by {slot_width} through the web",
            "slot",
        ),
    ),
    sample=sampler(_lever_values, _lever_fits, tuple(_LEVER_OPTIONS)),
    is_possible=_lever_fits,
    wordings=(
        "Shaft lever, all lengths in mm. The web lies from Z = 0 to Z = {web_thickness}; its "
        "outline is a circle of diameter {big_diameter} about the origin and a circle of diameter "
        "{small_diameter} about X = {centre_distance}, Y = 0, joined by their outer tangents. A "
        "boss of diameter {big_diameter} stands about the origin from Z = 0 to Z = {boss_height}. "
        "Bores along Z go through everything: diameter {big_bore} at the origin, diameter "
        "{small_bore} at the other centre. {features}",
        "Draw a lever (mm, Z up) that sits on a shaft along the Z axis and reaches along +X to an "
        "eye {centre_distance} away. It is a flat tangent-sided arm, {web_thickness} thick from "
        "Z = 0 up, with round ends of diameter {big_diameter} at the shaft and {small_diameter} at "
        "the eye. The shaft end is a boss of the same {big_diameter}, {boss_height} high from "
        "Z = 0. The shaft hole is {big_bore} in diameter, the hole of the eye {small_bore}; both "
        "are through. {features}",
        "Lever arm. Units: mm. Arm: convex hull of circle diameter {big_diameter} at (0, 0) and "
        "circle diameter {small_diameter} at ({centre_distance}, 0), Z 0 to {web_thickness}. Boss: "
        "diameter {big_diameter} at (0, 0), Z 0 to {boss_height}. Through bores along Z: "
        "{big_bore} at (0, 0), {small_bore} at ({centre_distance}, 0). {features}",
    ),
    options=_LEVER_OPTIONS,
    constrain=_lever_asked,
    mate=_lever_pin,
)

FAMILIES = (OVAL_FLANGE, LEVER)
