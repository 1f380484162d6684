"""Brackets that are milled or cast: an angle with a rib and a clevis."""

from __future__ import annotations

from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bodies,
    box,
    dimensions,
    disc,
    face,
    filled,
    hole,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, note, span
from cadwright.envs.domains.family import Annotation, Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler

CLEARANCE = (4.5, 5.5, 6.6, 9)  # ISO 273 medium, M4 to M8


def _angle_values(draw: Draw) -> Mapping[str, Number]:
    return {
        "width": draw.length(40, 90),
        "base_length": draw.length(45, 100),
        "wall_height": draw.length(45, 110),
        "thickness": draw.length(5, 10),
        "rib_thickness": draw.length(4, 10),
        "rib_length": draw.length(20, 70),
        "rib_height": draw.length(20, 80),
        "base_hole_diameter": draw.choice(CLEARANCE),
        "base_hole_pitch": draw.length(20, 70),
        "base_hole_distance": draw.length(20, 90),
        "wall_hole_diameter": draw.choice((9, 11, 14, 18)),
        "wall_hole_height": draw.length(25, 100),
    }


def _angle_fits(d: Design) -> bool:
    t, rib = d["thickness"], d["rib_thickness"]
    base, wall = d["base_hole_diameter"], d["wall_hole_diameter"]
    return (
        d["rib_length"] + t + 2 <= d["base_length"]
        and d["rib_height"] + t + wall / 2 + 2 <= d["wall_hole_height"]
        and d["wall_hole_height"] + wall / 2 + 3 <= d["wall_height"]
        and t + base / 2 + 2 <= d["base_hole_distance"] <= d["base_length"] - base / 2 - 3
        and rib + base + 3 <= d["base_hole_pitch"] <= d["width"] - base - 6
        and wall + 6 <= d["width"]
        and t >= 2
        and rib >= 2
    )


def _angle_asked(d: Design) -> tuple[Record, ...]:
    w, b, h, t = d["width"], d["base_length"], d["wall_height"], d["thickness"]
    solid = w * t * (b + h - t)
    if "rib" in d.options:
        solid += d["rib_thickness"] * d["rib_length"] * d["rib_height"] / 2
    if "base_holes" in d.options:
        solid -= 2 * disc(d["base_hole_diameter"]) * t
    if "wall_hole" in d.options:
        solid -= disc(d["wall_hole_diameter"]) * t
    y, x = d["base_hole_pitch"] / 2, d["base_hole_distance"]
    return (
        box((b, w, h), (b / 2, 0, h / 2)),
        bodies(),
        volume(solid),
        face("+z", (b - 1, w / 2 - 1, t)),
        *when(
            "base_holes" in d.options,
            hole(d["base_hole_diameter"], (x, -y, None), (x, y, None), through=True),
        ),
        *when(
            "wall_hole" in d.options,
            hole(d["wall_hole_diameter"], (None, 0, d["wall_hole_height"]), axis="x", through=True),
        ),
        *when("rib" in d.options, filled((t + 0.5, -1, t + 0.5), (t + 2, 1, t + 2))),
    )


def _angle_drawn(d: Design) -> tuple[Annotation, ...]:
    w, b, h, t = d["width"] / 2, d["base_length"], d["wall_height"], d["thickness"]
    marks = [
        span("base_length", "front", (0, -w, 0), (b, -w, 0)),
        span("wall_height", "front", (0, -w, 0), (0, -w, h)),
        span("thickness", "front", (b, -w, 0), (b, -w, t)),
        span("width", "top", (0, -w, h), (0, w, h)),
    ]
    if "rib" in d.options:
        long, high, rib = d["rib_length"], d["rib_height"], d["rib_thickness"] / 2
        marks += [
            span("rib_length", "front", (t, 0, t), (t + long, 0, t)),
            span("rib_height", "front", (t, 0, t), (t, 0, t + high)),
            span("rib_thickness", "top", (t + long, -rib, t), (t + long, rib, t)),
        ]
    if "base_holes" in d.options:
        x, y, size = d["base_hole_distance"], d["base_hole_pitch"] / 2, d["base_hole_diameter"]
        marks += [
            span("base_hole_distance", "top", (0, y, t), (x, y, t)),
            span("base_hole_pitch", "top", (x, -y, t), (x, y, t)),
            diameter("base_hole_diameter", "top", (x, y, t), size, "2x ⌀{value} THRU"),
        ]
    if "wall_hole" in d.options:
        z, size = d["wall_hole_height"], d["wall_hole_diameter"]
        marks += [
            span("wall_hole_height", "right", (t, 0, 0), (t, 0, z)),
            diameter("wall_hole_diameter", "right", (t, 0, z), size, "⌀{value} THRU"),
        ]
    return tuple(marks)


_ANGLE_OPTIONS = {
    "rib": (
        "A triangular rib {rib_thickness} thick (Y, centred on Y = 0) fills the inside corner: it "
        "reaches {rib_length} along the base and {rib_height} up the wall, both measured from the "
        "inside corner."
    ),
    "base_holes": (
        "The base has two through holes of diameter {base_hole_diameter} at X = "
        "{base_hole_distance}, {base_hole_pitch} apart in Y, symmetric about Y = 0."
    ),
    "wall_hole": (
        "The wall has a through hole of diameter {wall_hole_diameter} along X at Y = 0, Z = "
        "{wall_hole_height}."
    ),
}

RIBBED_ANGLE = Family(
    name="ribbed_angle",
    title="angle bracket with a rib",
    group="brackets",
    dimensions=dimensions(
        "width base_length wall_height thickness rib_thickness rib_length rib_height "
        "base_hole_diameter base_hole_pitch base_hole_distance wall_hole_diameter wall_hole_height"
    ),
    steps=(
        Step(
            "t = {thickness}\n"
            "legs = [(0, 0), ({base_length}, 0), ({base_length}, t), (t, t), (t, {wall_height})]\n"
            'profile = cq.Workplane("XZ").polyline([*legs, (0, {wall_height})]).close()\n'
            "result = profile.extrude({width} / 2, both=True)",
            "two legs of {base_length} and {wall_height}, {thickness} thick and {width} wide",
        ),
        Step(
            "corner = [({thickness}, {thickness}), ({thickness} + {rib_length}, {thickness})]\n"
            "corner.append(({thickness}, {thickness} + {rib_height}))\n"
            'rib = cq.Workplane("XZ").polyline(corner).close().extrude({rib_thickness} / 2, '
            "both=True)\n"
            "result = result.union(rib)",
            "a rib {rib_thickness} thick, {rib_length} by {rib_height}",
            "rib",
        ),
        Step(
            'screws = cq.Workplane("XY", origin=({base_hole_distance}, 0, 0))\n'
            "screws = screws.rarray(1, {base_hole_pitch}, 1, 2).circle({base_hole_diameter} / 2)\n"
            "result = result.cut(screws.extrude({thickness}))",
            "two holes of {base_hole_diameter} in the base",
            "base_holes",
        ),
        Step(
            'bore = cq.Workplane("YZ", origin=(0, 0, {wall_hole_height}))\n'
            "result = result.cut(bore.circle({wall_hole_diameter} / 2).extrude({thickness}))",
            "a hole of {wall_hole_diameter} in the wall",
            "wall_hole",
        ),
    ),
    sample=sampler(_angle_values, _angle_fits, tuple(_ANGLE_OPTIONS)),
    is_possible=_angle_fits,
    wordings=(
        "Angle bracket, all lengths in mm, {width} wide (Y, centred on Y = 0). The base is "
        "{base_length} long along X and {thickness} thick, from X = 0 and with its underside on "
        "Z = 0. The wall stands at X = 0 to X = {thickness} and goes up to Z = {wall_height}. "
        "{features}",
        "Make a right-angle bracket (mm, Z up) from {thickness} thick material, {width} wide in Y "
        "and symmetric about Y = 0. Seen from the side it is an L with its outer corner at X = 0, "
        "Z = 0: one leg runs along +X to X = {base_length} on the floor, the other up the Z axis "
        "to Z = {wall_height}. {features}",
        "L bracket. Units: mm. Outer corner edge on the Y axis. Base: X 0 to {base_length}, Z 0 to "
        "{thickness}. Wall: X 0 to {thickness}, Z 0 to {wall_height}. Width {width} in Y, centred. "
        "{features}",
    ),
    options=_ANGLE_OPTIONS,
    constrain=_angle_asked,
    annotate=_angle_drawn,
)


def _clevis_values(draw: Draw) -> Mapping[str, Number]:
    pin = draw.choice((6, 8, 10, 12, 16))
    gap, ear = draw.length(10, 30), draw.length(6, 12)
    depth = draw.length(pin + 12, pin + 26)
    return {
        "base_length": draw.length(gap + 2 * ear + 30, gap + 2 * ear + 60),
        "base_thickness": draw.length(6, 14),
        "depth": depth,
        "gap": gap,
        "ear_thickness": ear,
        "pin_height": draw.length(25, 60),
        "pin_diameter": pin,
        "screw_diameter": draw.choice(CLEARANCE),
        "screw_pitch": draw.length(gap + 2 * ear + 10, gap + 2 * ear + 50),
        "boss_diameter": draw.length(pin + 6, pin + 12),
        "boss_length": draw.length(2, 6),
    }


def _clevis_fits(d: Design) -> bool:
    over_ears = d["gap"] + 2 * d["ear_thickness"]
    screw, boss = d["screw_diameter"], d["boss_diameter"]
    return (
        over_ears + screw + 3 <= d["screw_pitch"] <= d["base_length"] - screw - 5
        and d["pin_diameter"] + 4 <= boss <= d["depth"] - 2
        and d["depth"] >= max(d["pin_diameter"] + 8, screw + 6)
        and d["pin_height"] >= d["base_thickness"] + d["depth"] / 2 + 2
        and over_ears + 2 * d["boss_length"] + 2 <= d["base_length"]
        and min(d["gap"], d["ear_thickness"]) >= 3
    )


def _clevis_asked(d: Design) -> tuple[Record, ...]:
    y, z, t, pin = d["depth"], d["pin_height"], d["base_thickness"], d["pin_diameter"]
    ear = y * (z - t) + disc(y) / 2 - disc(pin)
    solid = d["base_length"] * y * t + 2 * d["ear_thickness"] * ear
    if "base_holes" in d.options:
        solid -= 2 * disc(d["screw_diameter"]) * t
    if "bosses" in d.options:
        solid += 2 * (disc(d["boss_diameter"]) - disc(pin)) * d["boss_length"]
    reach, top = d["screw_pitch"] / 2, z + y / 2
    middle = (d["gap"] + d["ear_thickness"]) / 2
    return (
        box((d["base_length"], y, top), (0, 0, top / 2)),
        bodies(),
        volume(solid),
        hole(pin, (-middle, 0, z), (middle, 0, z), axis="x"),
        *when(
            "base_holes" in d.options,
            hole(d["screw_diameter"], (-reach, 0, None), (reach, 0, None), through=True),
        ),
        *when(
            "bosses" in d.options,
            face("+x", (d["gap"] / 2 + d["ear_thickness"] + d["boss_length"], 0, z + pin / 2 + 1)),
        ),
    )


def _clevis_drawn(d: Design) -> tuple[Annotation, ...]:
    x, y, z, t = d["base_length"] / 2, d["depth"] / 2, d["pin_height"], d["base_thickness"]
    g, outer, s = d["gap"] / 2, d["gap"] / 2 + d["ear_thickness"], d["screw_pitch"] / 2
    marks = [
        span("base_length", "front", (-x, -y, 0), (x, -y, 0)),
        span("base_thickness", "front", (-x, -y, 0), (-x, -y, t)),
        span("gap", "front", (-g, 0, z), (g, 0, z)),
        span("ear_thickness", "front", (g, 0, z + y), (outer, 0, z + y)),
        span("depth", "top", (-x, -y, t), (-x, y, t)),
        span("pin_height", "right", (outer, 0, 0), (outer, 0, z)),
        diameter("pin_diameter", "right", (outer, 0, z), d["pin_diameter"], "⌀{value} THRU"),
        note("right", (outer, 0, z + y), "FULL R"),
    ]
    if "base_holes" in d.options:
        marks += [
            span("screw_pitch", "top", (-s, 0, t), (s, 0, t)),
            diameter("screw_diameter", "top", (s, 0, t), d["screw_diameter"], "2x ⌀{value} THRU"),
        ]
    if "bosses" in d.options:
        end = outer + d["boss_length"]
        r = d["boss_diameter"] / 2
        marks += [
            diameter("boss_diameter", "right", (end, 0, z), d["boss_diameter"], "2x ⌀{value}"),
            span("boss_length", "front", (outer, 0, z + r), (end, 0, z + r)),
        ]
    return tuple(marks)


def _clevis_pin(d: Design) -> Mate:
    """A plain pin through both ears, with 0.2 mm of play in the diameter."""
    size, length = float(d["pin_diameter"] - 0.2), float(d["gap"] + 2 * d["ear_thickness"] + 20)
    z = d["pin_height"]
    about = (
        "Make the pin for this clevis: plain and round, 0.2 mm thinner than the pin holes, "
        "coaxial with them and symmetric about X = 0. At either end 10 mm of it stand out "
        "beyond the outer face of the ear itself, a boss on it not counted."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'pin = cq.Workplane("YZ", origin=(0, 0, {number(z)})).circle({number(size)} / 2)\n'
        f"result = pin.extrude({number(length)} / 2, both=True)\n"
    )
    asked = (box((length, size, size), (0, 0, z)), bodies(), volume(disc(size) * length))
    return Mate(about, program, asked)


_CLEVIS_OPTIONS = {
    "base_holes": (
        "The base has two through holes of diameter {screw_diameter} along Z on Y = 0, "
        "{screw_pitch} apart in X, symmetric about X = 0."
    ),
    "bosses": (
        "On the outer face of each ear a boss of diameter {boss_diameter}, {boss_length} long, "
        "surrounds the pin hole, which goes through it."
    ),
}

CLEVIS = Family(
    name="clevis",
    title="clevis bracket",
    group="brackets",
    dimensions=dimensions(
        "base_length base_thickness depth gap ear_thickness pin_height pin_diameter "
        "screw_diameter screw_pitch boss_diameter boss_length"
    ),
    steps=(
        Step(
            'base = cq.Workplane("XY").rect({base_length}, {depth}).extrude({base_thickness})\n'
            "r, z, outer = {depth} / 2, {pin_height}, {gap} / 2 + {ear_thickness}\n"
            'side = cq.Workplane("YZ").moveTo(-r, 0).lineTo(r, 0).lineTo(r, z)\n'
            "ears = side.threePointArc((0, z + r), (-r, z)).close().extrude(outer, both=True)\n"
            'tall = cq.Workplane("XY", origin=(0, 0, {base_thickness})).rect({gap}, {depth})\n'
            "result = base.union(ears).cut(tall.extrude(z + r))",
            "a base of {base_length} by {depth} and two ears {gap} apart",
        ),
        Step(
            "start = {gap} / 2\n"
            "length = {ear_thickness} + {boss_length}\n"
            'right = cq.Workplane("YZ", origin=(start, 0, {pin_height}))\n'
            "right = right.circle({boss_diameter} / 2).extrude(length)\n"
            'result = result.union(right).union(right.mirror("YZ"))',
            "bosses of {boss_diameter}, {boss_length} long, on both ears",
            "bosses",
        ),
        Step(
            'pin = cq.Workplane("YZ", origin=(0, 0, {pin_height})).circle({pin_diameter} / 2)\n'
            "result = result.cut(pin.extrude({base_length} / 2, both=True))",
            "pin holes of {pin_diameter} at Z = {pin_height}",
        ),
        Step(
            'screws = cq.Workplane("XY").rarray({screw_pitch}, 1, 2, 1)\n'
            "result = result.cut(screws.circle({screw_diameter} / 2).extrude({base_thickness}))",
            "two base holes of {screw_diameter}, {screw_pitch} apart",
            "base_holes",
        ),
    ),
    sample=sampler(_clevis_values, _clevis_fits, tuple(_CLEVIS_OPTIONS)),
    is_possible=_clevis_fits,
    wordings=(
        "Clevis bracket, all lengths in mm, symmetric about X = 0 and Y = 0. The base is "
        "{base_length} (X) by {depth} (Y) by {base_thickness} (Z), underside on Z = 0. Two ears, "
        "each {ear_thickness} thick (X) and as deep as the base, stand on it with a gap of {gap} "
        "between them. A pin hole of diameter {pin_diameter} goes through both along X at Z = "
        "{pin_height}; above, each ear ends in a half circle about the pin axis, as wide as the "
        "ear. {features}",
        "I need a fork mount (mm, Z up) centred on the Z axis. Foot plate: {base_length} along X, "
        "{depth} along Y, {base_thickness} thick, resting on Z = 0. On it two upright lugs, "
        "{ear_thickness} thick in X, leave a clear gap of {gap} that is centred on X = 0 and goes "
        "down to the foot plate. They are {depth} deep in Y, like the foot, and fully rounded at "
        "the top around a {pin_diameter} pin hole along X whose axis is at Z = {pin_height}. "
        "{features}",
        "Clevis. Units: mm. Base X {base_length}, Y {depth}, Z 0 to {base_thickness}, centred. "
        "Ears: 2x, thickness {ear_thickness} in X, inner faces {gap} apart, Y {depth}, top full "
        "round about the pin axis. Pin axis along X at Y = 0, Z = {pin_height}; hole diameter "
        "{pin_diameter} through both ears. {features}",
    ),
    options=_CLEVIS_OPTIONS,
    constrain=_clevis_asked,
    annotate=_clevis_drawn,
    mate=_clevis_pin,
)

FAMILIES = (RIBBED_ANGLE, CLEVIS)
