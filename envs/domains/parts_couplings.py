"""What sits on a shaft and turns with it: half a jaw coupling, a split collar, an eccentric cam."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bevel,
    bodies,
    box,
    cylinder,
    dimensions,
    disc,
    face,
    hole,
    keep_out,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, note, span
from cadwright.envs.domains.family import Annotation, Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler

# Bore: width of the key and depth of its seat in the hub (DIN 6885-1).
KEY_SEATS = {8: (3, 1.4), 10: (3, 1.4), 12: (4, 1.8), 14: (5, 2.3), 16: (5, 2.3), 20: (6, 2.8)}


def _coupling_values(draw: Draw) -> Mapping[str, Number]:
    bore = draw.choice(tuple(KEY_SEATS))
    key_width, key_depth = KEY_SEATS[bore]
    outer, count = draw.length(bore + 22, bore + 45), draw.choice((2, 3, 4))
    return {
        "outer_diameter": outer,
        "hub_length": draw.length(15, 40),
        "bore_diameter": bore,
        "jaw_count": count,
        "jaw_angle": draw.angle(20, 150 // count),
        "jaw_height": draw.length(6, 16),
        "core_diameter": draw.length(bore + 8, outer - 10),
        "key_width": key_width,
        "key_depth": key_depth,
        "set_screw_diameter": draw.choice((3.3, 4.2, 5, 6.8)),
        "chamfer_size": draw.choice((0.5, 1, 1.5, 2)),
    }


def _coupling_fits(d: Design) -> bool:
    return (
        d["jaw_count"] >= 2
        and 10 <= d["jaw_angle"] <= 320 / d["jaw_count"]
        and d["bore_diameter"] + 2 * d["key_depth"] + 3 <= d["core_diameter"]
        and d["core_diameter"] + 8 <= d["outer_diameter"]
        and d["key_width"] <= d["bore_diameter"] / 2
        and d["set_screw_diameter"] + 2 * d["chamfer_size"] + 4 <= d["hub_length"]
    )


def _coupling_asked(d: Design) -> tuple[Record, ...]:
    outer, low, bore = d["outer_diameter"], d["hub_length"], d["bore_diameter"]
    tall = low + d["jaw_height"]
    share = d["jaw_count"] * d["jaw_angle"] / 360
    solid = (disc(outer) - disc(bore)) * low
    solid += (disc(outer) - disc(d["core_diameter"])) * share * d["jaw_height"]
    if "chamfer" in d.options:
        solid -= bevel(d["chamfer_size"], outer)
    if "keyway" in d.options:
        r, half = bore / 2, d["key_width"] / 2
        chord = half * math.sqrt(r**2 - half**2) + r**2 * math.asin(half / r)
        solid -= (d["key_width"] * (r + d["key_depth"]) - chord) * low
    if "set_screw" in d.options:
        solid -= disc(d["set_screw_diameter"]) * (outer - bore) / 2
    across, deep = _jaw_reach(d)
    return (
        box((outer, outer, tall), (0, 0, tall / 2)),
        bodies(),
        volume(solid),
        cylinder(bore, (0, 0, None), axis="z", inner=True),
        face("+z", (across, 0, tall)),
        keep_out((-deep, -deep, low + 0.1), (deep, deep, tall)),
        *when("keyway" in d.options, face("-y", (0, bore / 2 + d["key_depth"], 1))),
        *when(
            "set_screw" in d.options,
            cylinder(d["set_screw_diameter"], (None, 0, low / 2), axis="x", inner=True),
        ),
    )


def _jaw_reach(d: Design) -> tuple[float, float]:
    """Return the middle radius of the jaws, and half the side of a square between them, mm."""
    return (d["outer_diameter"] + d["core_diameter"]) / 4, d["core_diameter"] / 2.9


def _shaft_for(d: Design, what: str) -> Mate:
    """A plain round shaft for a bore on the Z axis, with 0.05 mm of play in the diameter."""
    size = float(d["bore_diameter"] - 0.05)
    about = (
        f"Make the shaft that goes into the bore of this {what}: plain and round, 0.05 mm "
        "thinner than the bore, axis on Z, from Z = -40 to Z = 10."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'shaft = cq.Workplane("XY", origin=(0, 0, -40)).circle({number(size)} / 2)\n'
        f"result = shaft.extrude(50)\n"
    )
    asked = (box((size, size, 50), (0, 0, -15)), bodies(), volume(disc(size) * 50))
    return Mate(about, program, asked)


_COUPLING_OPTIONS = {
    "keyway": (
        "The bore has a keyway through the whole length of the hub on the +Y side, {key_width} "
        "wide and symmetric about X = 0; its flat floor lies {key_depth} outside the bore's wall."
    ),
    "set_screw": (
        "A hole of diameter {set_screw_diameter} for a set screw goes along X through the +X wall "
        "of the hub only, into the bore, halfway along the hub's length."
    ),
    "chamfer": "The outer edge of the lower face has a chamfer of {chamfer_size} x 45 degrees.",
}

JAW_COUPLING = Family(
    name="jaw_coupling",
    title="jaw coupling half",
    group="transmission",
    dimensions=(
        *dimensions("outer_diameter hub_length bore_diameter"),
        *dimensions("jaw_count", "count"),
        *dimensions("jaw_angle", "deg"),
        *dimensions("jaw_height core_diameter key_width key_depth set_screw_diameter chamfer_size"),
    ),
    steps=(
        Step(
            "tall = {hub_length} + {jaw_height}\n"
            'result = cq.Workplane("XY").circle({outer_diameter} / 2).extrude(tall)',
            "a cylinder of {outer_diameter} as high as hub and jaws",
        ),
        Step(
            'result = result.faces("<Z").edges().chamfer({chamfer_size})',
            "a chamfer of {chamfer_size} at the lower end",
            "chamfer",
        ),
        Step(
            "import math\n\n"
            "inner, outer = {core_diameter} / 4, {outer_diameter}  # the gaps reach beyond both\n"
            "half = 180 / {jaw_count} - {jaw_angle} / 2\n\n"
            "def at(radius, degrees):\n"
            "    angle = math.radians(degrees)\n"
            "    return (radius * math.cos(angle), radius * math.sin(angle))\n\n"
            'top = cq.Workplane("XY", origin=(0, 0, {hub_length}))\n'
            "core = top.circle({core_diameter} / 2).extrude({jaw_height})\n"
            "gaps = top\n"
            "for i in range({jaw_count}):\n"
            "    t = 360 * (i + 0.5) / {jaw_count}\n"
            "    gaps = gaps.moveTo(*at(inner, t - half)).lineTo(*at(outer, t - half))\n"
            "    gaps = gaps.threePointArc(at(outer, t), at(outer, t + half))\n"
            "    gaps = gaps.lineTo(*at(inner, t + half))\n"
            "    gaps = gaps.threePointArc(at(inner, t), at(inner, t - half)).close()\n"
            'bore = cq.Workplane("XY").circle({bore_diameter} / 2).extrude({hub_length})\n'
            "result = result.cut(core).cut(gaps.extrude({jaw_height})).cut(bore)",
            "{jaw_count} jaws of {jaw_angle} degrees, {jaw_height} high, and a bore",
        ),
        Step(
            "reach = {bore_diameter} / 2 + {key_depth}\n"
            'key = cq.Workplane("XY", origin=(0, reach / 2, 0)).rect({key_width}, reach)\n'
            "result = result.cut(key.extrude({hub_length}))",
            "a keyway {key_width} wide, {key_depth} deep",
            "keyway",
        ),
        Step(
            'screw = cq.Workplane("YZ", origin=(0, 0, {hub_length} / 2))\n'
            "screw = screw.circle({set_screw_diameter} / 2).extrude({outer_diameter})\n"
            "result = result.cut(screw)",
            "a set screw hole of {set_screw_diameter}",
            "set_screw",
        ),
    ),
    sample=sampler(_coupling_values, _coupling_fits, tuple(_COUPLING_OPTIONS)),
    is_possible=_coupling_fits,
    wordings=(
        "Half of a jaw coupling, all lengths in mm, axis on Z. The hub is a cylinder of diameter "
        "{outer_diameter} from Z = 0 to Z = {hub_length}, with a through bore of diameter "
        "{bore_diameter}. On its upper face stand {jaw_count} equal jaws, {jaw_height} high and "
        "evenly spaced: ring sectors of {jaw_angle} degrees between diameter {core_diameter} and "
        "diameter {outer_diameter}, their sides radial, the first centred on the +X axis. "
        "{features}",
        "Please model one hub of a claw coupling (mm). It sits on Z = 0 around the Z axis: a round "
        "body {outer_diameter} in diameter and {hub_length} tall, bored {bore_diameter} through. "
        "{jaw_count} claws rise a further {jaw_height} from its top; in plan each is a sector of "
        "the ring between the {core_diameter} circle and the outside, {jaw_angle} degrees wide "
        "with radial flanks. One claw points along +X, the others follow at equal angles. "
        "{features}",
        "Coupling half. Units: mm. Axis Z. Hub: dia {outer_diameter}, Z 0 to {hub_length}, bore "
        "dia {bore_diameter}. Jaws: {jaw_count} x, height {jaw_height} above the hub, ID "
        "{core_diameter}, OD {outer_diameter}, {jaw_angle} deg each, radial sides, equally spaced, "
        "first centred on +X. {features}",
    ),
    options=_COUPLING_OPTIONS,
    constrain=_coupling_asked,
    mate=lambda d: _shaft_for(d, "coupling"),
)


def _cam_values(draw: Draw) -> Mapping[str, Number]:
    bore = draw.choice(tuple(KEY_SEATS))
    key_width, key_depth = KEY_SEATS[bore]
    hub = draw.length(bore + 10, bore + 18)
    return {
        "cam_diameter": draw.length(hub + 20, hub + 60),
        "eccentricity": draw.length(4, 15),
        "cam_width": draw.length(8, 20),
        "bore_diameter": bore,
        "hub_diameter": hub,
        "hub_length": draw.length(8, 20),
        "key_width": key_width,
        "key_depth": key_depth,
        "groove_width": draw.length(3, 8),
        "groove_depth": draw.length(1, 4),
        "hole_diameter": draw.length(5, 20),
        "hole_distance": draw.length(hub / 2 + 6, hub / 2 + 40),
    }


def _cam_fits(d: Design) -> bool:
    reach, hole_radius = d["cam_diameter"] / 2 - d["groove_depth"], d["hole_diameter"] / 2
    return (
        d["hub_diameter"] / 2 + d["eccentricity"] + 2 <= reach
        and d["hub_diameter"] >= d["bore_diameter"] + 2 * d["key_depth"] + 4
        and d["key_width"] <= d["bore_diameter"] / 2
        and d["groove_width"] + 3 <= d["cam_width"]
        and d["hole_distance"] - hole_radius >= d["hub_diameter"] / 2 + 1
        and d["hole_distance"] + hole_radius + 2 <= reach + d["eccentricity"]
        and d["eccentricity"] >= 1
    )


def _cam_asked(d: Design) -> tuple[Record, ...]:
    size, off, wide, bore = (
        d[name] for name in ("cam_diameter", "eccentricity", "cam_width", "bore_diameter")
    )
    tall = wide + d["hub_length"]
    solid = disc(size) * wide + disc(d["hub_diameter"]) * d["hub_length"] - disc(bore) * tall
    if "groove" in d.options:
        solid -= (disc(size) - disc(size - 2 * d["groove_depth"])) * d["groove_width"]
    if "hole" in d.options:
        solid -= disc(d["hole_diameter"]) * wide
    if "keyway" in d.options:
        r, half = bore / 2, d["key_width"] / 2
        chord = half * math.sqrt(r**2 - half**2) + r**2 * math.asin(half / r)
        solid -= (d["key_width"] * (r + d["key_depth"]) - chord) * tall
    return (
        box((size, size, tall), (off, 0, tall / 2)),
        bodies(),
        volume(solid),
        cylinder(bore, (0, 0, None), axis="z", inner=True),
        cylinder(d["hub_diameter"], (0, 0, None), axis="z"),
        *when(
            "hole" in d.options,
            hole(d["hole_diameter"], (d["hole_distance"], 0, None), through=True),
        ),
        *when("keyway" in d.options, face("+x", (-bore / 2 - d["key_depth"], 0, 1))),
        *when(
            "groove" in d.options,
            cylinder(size - 2 * d["groove_depth"], (off, 0, wide / 2), axis="z"),
        ),
    )


def _cam_drawn(d: Design) -> tuple[Annotation, ...]:
    r, off, wide, hub = d["cam_diameter"] / 2, d["eccentricity"], d["cam_width"], d["hub_diameter"]
    tall = wide + d["hub_length"]
    marks = [
        diameter("cam_diameter", "top", (off, 0, wide), d["cam_diameter"]),
        span("eccentricity", "top", (0, 0, tall), (off, 0, tall)),
        span("cam_width", "front", (off + r, 0, 0), (off + r, 0, wide)),
        diameter("bore_diameter", "top", (0, 0, tall), d["bore_diameter"], "⌀{value} THRU"),
        span("hub_diameter", "front", (-hub / 2, 0, tall), (hub / 2, 0, tall), "⌀{value}"),
        span("hub_length", "front", (hub / 2, 0, wide), (hub / 2, 0, tall)),
    ]
    if "keyway" in d.options:
        wall, half = d["bore_diameter"] / 2, d["key_width"] / 2
        floor = wall + d["key_depth"]
        marks += [
            span("key_width", "top", (-floor, -half, tall), (-floor, half, tall)),
            span("key_depth", "top", (-floor, 0, tall), (-wall, 0, tall)),
        ]
    if "groove" in d.options:
        low, high = (wide - d["groove_width"]) / 2, (wide + d["groove_width"]) / 2
        floor = off + r - d["groove_depth"]
        text = "{value}, centred on rim"
        marks += [
            span("groove_width", "front", (off + r, 0, low), (off + r, 0, high), text),
            span("groove_depth", "front", (floor, 0, low), (off + r, 0, low)),
        ]
    if "hole" in d.options:
        at, size = d["hole_distance"], d["hole_diameter"]
        marks += [
            span("hole_distance", "top", (0, 0, wide), (at, 0, wide)),
            diameter("hole_diameter", "top", (at, 0, wide), size, "⌀{value} THRU"),
        ]
    return (*marks, note("top", (0, 0, tall), "shaft axis"))


_CAM_OPTIONS = {
    "keyway": (
        "The bore has a keyway along its whole length on the -X side, {key_width} wide and "
        "symmetric about Y = 0; its flat floor lies {key_depth} outside the bore's wall."
    ),
    "groove": (
        "A groove {groove_width} wide and {groove_depth} deep runs all round the rim of the disc, "
        "in the middle of its width."
    ),
    "hole": (
        "To balance it, a through hole of diameter {hole_diameter} along Z lies in the disc at X = "
        "{hole_distance}, Y = 0."
    ),
}

ECCENTRIC_CAM = Family(
    name="eccentric_cam",
    title="eccentric cam",
    group="transmission",
    dimensions=dimensions(
        "cam_diameter eccentricity cam_width bore_diameter hub_diameter hub_length key_width "
        "key_depth groove_width groove_depth hole_diameter hole_distance"
    ),
    steps=(
        Step(
            'cam = cq.Workplane("XY", origin=({eccentricity}, 0, 0)).circle({cam_diameter} / 2)\n'
            "tall = {cam_width} + {hub_length}\n"
            'hub = cq.Workplane("XY").circle({hub_diameter} / 2).extrude(tall)\n'
            'bore = cq.Workplane("XY").circle({bore_diameter} / 2).extrude(tall)\n'
            "result = cam.extrude({cam_width}).union(hub).cut(bore)",
            "a disc of {cam_diameter}, off centre by {eccentricity}, with hub and bore",
        ),
        Step(
            "reach = {bore_diameter} / 2 + {key_depth}\n"
            'key = cq.Workplane("XY", origin=(-reach / 2, 0, 0)).rect(reach, {key_width})\n'
            "result = result.cut(key.extrude(tall))",
            "a keyway {key_width} wide, {key_depth} deep",
            "keyway",
        ),
        Step(
            "low = ({cam_width} - {groove_width}) / 2\n"
            'ring = cq.Workplane("XY", origin=({eccentricity}, 0, low))\n'
            "ring = ring.circle({cam_diameter} / 2).circle({cam_diameter} / 2 - {groove_depth})\n"
            "result = result.cut(ring.extrude({groove_width}))",
            "a groove {groove_width} wide, {groove_depth} deep, in the rim",
            "groove",
        ),
        Step(
            'balance = cq.Workplane("XY", origin=({hole_distance}, 0, 0))\n'
            "result = result.cut(balance.circle({hole_diameter} / 2).extrude({cam_width}))",
            "a hole of {hole_diameter} at X = {hole_distance}",
            "hole",
        ),
    ),
    sample=sampler(_cam_values, _cam_fits, tuple(_CAM_OPTIONS)),
    is_possible=_cam_fits,
    wordings=(
        "Eccentric cam, all lengths in mm; the shaft axis is the Z axis. A disc of diameter "
        "{cam_diameter} lies from Z = 0 to Z = {cam_width}, its centre at X = {eccentricity}, "
        "Y = 0. A hub of diameter {hub_diameter} about the Z axis rises {hub_length} above the "
        "disc. A bore of diameter {bore_diameter} on the Z axis goes through both. {features}",
        "An eccentric (mm) for a shaft along the Z axis, please. The round plate rests on Z = 0, "
        "{cam_width} thick and {cam_diameter} in diameter, shifted {eccentricity} along "
        "+X from the shaft. A round hub, {hub_diameter} in diameter and concentric with the shaft, "
        "stands {hub_length} proud of the plate's upper side; the shaft hole of {bore_diameter} "
        "runs through. {features}",
        "Eccentric. Units: mm. Shaft axis Z. Disc: dia {cam_diameter}, centre ({eccentricity}, 0), "
        "Z 0 to {cam_width}. Hub: dia {hub_diameter}, centre (0, 0), {hub_length} above the disc. "
        "Bore: dia {bore_diameter}, centre (0, 0), through. {features}",
    ),
    options=_CAM_OPTIONS,
    constrain=_cam_asked,
    annotate=_cam_drawn,
)

FAMILIES = (JAW_COUPLING, ECCENTRIC_CAM)
