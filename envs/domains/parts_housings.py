"""A pillow block for a ball bearing."""

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
    hole,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, span
from cadwright.envs.domains.family import Annotation, Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler

# Outside diameter and width of ball bearings 6000 to 6005 and 6203, 6204.
BEARINGS = ((26, 8), (28, 8), (32, 9), (35, 10), (42, 12), (47, 12), (40, 12), (47, 14))
CLEARANCE = (5.5, 6.6, 9, 11)  # ISO 273 medium, M5 to M10


def _block_values(draw: Draw) -> Mapping[str, Number]:
    bearing, wide = draw.choice(BEARINGS)
    body = draw.length(bearing + 10, bearing + 20)
    bolt = draw.choice(CLEARANCE)
    return {
        "base_length": draw.length(body + 30, body + 70),
        "base_thickness": draw.length(8, 16),
        "depth": draw.length(wide + 6, wide + 16),
        "centre_height": draw.length(body / 2 + 6, body / 2 + 25),
        "body_diameter": body,
        "bearing_diameter": bearing,
        "seat_depth": wide,
        "shaft_hole_diameter": draw.length(bearing - 14, bearing - 5),
        "bolt_diameter": bolt,
        "bolt_pitch": draw.length(body + 10, body + 60),
        "oil_diameter": draw.choice((2.5, 3.3, 4.2)),
        "relief_length": draw.length(20, 60),
        "relief_depth": draw.length(1, 3),
    }


def _block_fits(d: Design) -> bool:
    body, bolt, bearing = d["body_diameter"], d["bolt_diameter"], d["bearing_diameter"]
    return (
        body >= bearing + 6
        and bearing >= d["shaft_hole_diameter"] + 3
        and d["seat_depth"] + 3 <= d["depth"]
        and d["seat_depth"] >= d["oil_diameter"] + 2
        and d["centre_height"] >= bearing / 2 + d["relief_depth"] + 3
        and d["centre_height"] >= d["base_thickness"] + 2
        and body + bolt + 3 <= d["bolt_pitch"] <= d["base_length"] - bolt - 6
        and bolt + 5 <= d["depth"]
        and d["relief_length"] + bolt + 3 <= d["bolt_pitch"]
        and d["relief_depth"] + 3 <= d["base_thickness"]
    )


def _block_asked(d: Design) -> tuple[Record, ...]:
    long, deep, z, body = d["base_length"], d["depth"], d["centre_height"], d["body_diameter"]
    seat, t, bearing = d["seat_depth"], d["base_thickness"], d["bearing_diameter"]
    solid = (long * t + body * (z - t) + disc(body) / 2) * deep
    solid -= disc(bearing) * seat + disc(d["shaft_hole_diameter"]) * (deep - seat)
    if "bolt_holes" in d.options:
        solid -= 2 * disc(d["bolt_diameter"]) * t
    if "relief" in d.options:
        solid -= d["relief_length"] * d["relief_depth"] * deep
    if "oil_hole" in d.options:
        solid -= disc(d["oil_diameter"]) * (body - bearing) / 2
    reach, top = d["bolt_pitch"] / 2, z + body / 2
    return (
        box((long, deep, top), (0, 0, top / 2)),
        bodies(),
        volume(solid),
        cylinder(bearing, (0, seat / 2 - deep / 2, z), axis="y", inner=True),
        cylinder(d["shaft_hole_diameter"], (0, None, z), axis="y", inner=True),
        face("-y", (0, seat - deep / 2, z + bearing / 2 - 0.5)),
        *when(
            "bolt_holes" in d.options,
            hole(d["bolt_diameter"], (-reach, 0, None), (reach, 0, None), through=True),
        ),
        *when("relief" in d.options, face("-z", (0, 0, d["relief_depth"]))),
        *when(
            "oil_hole" in d.options,
            cylinder(d["oil_diameter"], (0, (seat - deep) / 2, None), axis="z", inner=True),
        ),
    )


def _block_drawn(d: Design) -> tuple[Annotation, ...]:
    x, y, z, t = d["base_length"] / 2, d["depth"] / 2, d["centre_height"], d["base_thickness"]
    r, seat = d["bearing_diameter"] / 2, d["seat_depth"] - y
    marks = [
        span("base_length", "front", (-x, -y, 0), (x, -y, 0)),
        span("base_thickness", "front", (x, -y, 0), (x, -y, t)),
        span("depth", "top", (-x, -y, t), (-x, y, t)),
        span("centre_height", "front", (-x, -y, 0), (-x, -y, z), "{value} to bearing axis"),
        span(
            "body_diameter",
            "front",
            (-d["body_diameter"] / 2, -y, z),
            (d["body_diameter"] / 2, -y, z),
            "⌀{value}, full radius on top",
        ),
        diameter("bearing_diameter", "front", (0, -y, z), d["bearing_diameter"]),
        span("seat_depth", "right", (0, -y, z + r), (0, seat, z + r)),
        diameter(
            "shaft_hole_diameter", "front", (0, seat, z), d["shaft_hole_diameter"], "⌀{value} THRU"
        ),
    ]
    if "bolt_holes" in d.options:
        s, size = d["bolt_pitch"] / 2, d["bolt_diameter"]
        marks += [
            span("bolt_pitch", "top", (-s, 0, t), (s, 0, t)),
            diameter("bolt_diameter", "top", (s, 0, t), size, "2x ⌀{value} THRU"),
        ]
    if "relief" in d.options:
        half, up = d["relief_length"] / 2, d["relief_depth"]
        marks += [
            span("relief_length", "front", (-half, -y, 0), (half, -y, 0)),
            span("relief_depth", "front", (half, -y, 0), (half, -y, up)),
        ]
    if "oil_hole" in d.options:
        at, top = (d["seat_depth"] - d["depth"]) / 2, z + d["body_diameter"] / 2
        text = "⌀{value} to seat, mid seat"
        marks.append(diameter("oil_diameter", "top", (0, at, top), d["oil_diameter"], text))
    return tuple(marks)


def _block_bearing(d: Design) -> Mate:
    """A ring as large as the bearing, with 0.02 mm of play in the diameter."""
    outer, bore = float(d["bearing_diameter"] - 0.02), float(d["shaft_hole_diameter"] - 2)
    wide, front, z = d["seat_depth"], -d["depth"] / 2, d["centre_height"]
    about = (
        "Make a plain ring in place of the bearing for this pillow block: coaxial with the seat "
        "and filling its depth, its outside diameter 0.02 mm smaller than the seat, its bore 2 "
        "mm smaller in diameter than the shaft hole behind the seat."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'ring = cq.Workplane("XZ", origin=(0, {number(float(front))}, {number(z)}))\n'
        f"ring = ring.circle({number(outer)} / 2).circle({number(bore)} / 2)\n"
        f"result = ring.extrude(-{number(wide)})\n"
    )
    asked = (
        box((outer, wide, outer), (0, front + wide / 2, z)),
        bodies(),
        hole(bore, (0, None, z), axis="y", through=True),
        volume((disc(outer) - disc(bore)) * wide),
    )
    return Mate(about, program, asked)


_BLOCK_OPTIONS = {
    "bolt_holes": (
        "The foot has two through holes of diameter {bolt_diameter} along Z on Y = 0, "
        "{bolt_pitch} apart in X, symmetric about X = 0."
    ),
    "relief": (
        "The underside is relieved in the middle: {relief_length} long in X, centred, "
        "{relief_depth} deep, over the whole depth in Y."
    ),
    "oil_hole": (
        "An oil hole of diameter {oil_diameter} at X = 0 goes straight down along Z from the top "
        "into the bearing seat, in the middle of the depth of the seat."
    ),
}

PILLOW_BLOCK = Family(
    name="pillow_block",
    title="pillow block bearing housing",
    group="housings",
    dimensions=dimensions(
        "base_length base_thickness depth centre_height body_diameter bearing_diameter seat_depth "
        "shaft_hole_diameter bolt_diameter bolt_pitch oil_diameter relief_length relief_depth"
    ),
    steps=(
        Step(
            "r, z, y = {body_diameter} / 2, {centre_height}, {depth} / 2\n"
            'foot = cq.Workplane("XY").rect({base_length}, {depth}).extrude({base_thickness})\n'
            'body = cq.Workplane("XZ", origin=(0, -y, 0)).moveTo(-r, 0).lineTo(r, 0).lineTo(r, z)\n'
            "body = body.threePointArc((0, z + r), (-r, z)).close().extrude(-{depth})\n"
            'front = cq.Workplane("XZ", origin=(0, -y, z))\n'
            "seat = front.circle({bearing_diameter} / 2).extrude(-{seat_depth})\n"
            "shaft = front.circle({shaft_hole_diameter} / 2).extrude(-{depth})\n"
            "result = foot.union(body).cut(seat).cut(shaft)",
            "a block around a seat of {bearing_diameter}, {seat_depth} deep, at {centre_height}",
        ),
        Step(
            'bolts = cq.Workplane("XY").rarray({bolt_pitch}, 1, 2, 1)\n'
            "result = result.cut(bolts.circle({bolt_diameter} / 2).extrude({base_thickness}))",
            "two bolt holes of {bolt_diameter}, {bolt_pitch} apart",
            "bolt_holes",
        ),
        Step(
            'relief = cq.Workplane("XY").rect({relief_length}, {depth}).extrude({relief_depth})\n'
            "result = result.cut(relief)",
            "a relief of {relief_length}, {relief_depth} deep, under the foot",
            "relief",
        ),
        Step(
            "middle = {seat_depth} / 2 - {depth} / 2\n"
            'oil = cq.Workplane("XY", origin=(0, middle, {centre_height}))\n'
            "result = result.cut(oil.circle({oil_diameter} / 2).extrude({body_diameter}))",
            "an oil hole of {oil_diameter}",
            "oil_hole",
        ),
    ),
    sample=sampler(_block_values, _block_fits, tuple(_BLOCK_OPTIONS)),
    is_possible=_block_fits,
    wordings=(
        "Pillow block, all lengths in mm, symmetric about X = 0 and centred on Y = 0. The foot is "
        "{base_length} (X) by {depth} (Y) by {base_thickness} (Z), underside on Z = 0. The body, "
        "as deep as the foot and {body_diameter} wide in X, stands in its middle and ends on top "
        "in a half circle about the bearing axis, which runs along Y at X = 0, Z = "
        "{centre_height}. A bearing seat of diameter {bearing_diameter} is bored {seat_depth} "
        "deep from the -Y face; a coaxial hole of diameter {shaft_hole_diameter} goes through the "
        "rest. {features}",
        "Design the housing for a ball bearing of {bearing_diameter} outside diameter and "
        "{seat_depth} width (mm, Z up). It bolts down on Z = 0 with a foot {base_length} long in "
        "X, {depth} deep in Y and {base_thickness} thick, centred on the Z axis. The bearing's "
        "axis is parallel to Y, {centre_height} above the ground at X = 0. Around it is an upright "
        "body {body_diameter} wide with a fully round top, of the same depth as the foot. The "
        "seat, exactly of the size of the bearing, opens to the -Y side; behind it a shaft hole "
        "of {shaft_hole_diameter} goes out to the +Y side. {features}",
        "Bearing housing. Units: mm. Foot: X {base_length}, Y {depth}, Z 0 to {base_thickness}, "
        "centred. Body: X {body_diameter} wide, same Y, from Z = 0 to the bearing axis (along Y, X "
        "= 0, Z = {centre_height}), half round of diameter {body_diameter} above. Seat: dia "
        "{bearing_diameter}, depth {seat_depth} from -Y. Shaft hole: dia {shaft_hole_diameter}, "
        "through. {features}",
    ),
    options=_BLOCK_OPTIONS,
    constrain=_block_asked,
    annotate=_block_drawn,
    mate=_block_bearing,
)

FAMILIES = (PILLOW_BLOCK,)
