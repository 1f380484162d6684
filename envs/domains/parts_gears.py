"""Involute gearing of 20 degrees: a spur gear and a rack that it can run in."""

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
    hole,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, note, span
from cadwright.envs.domains.family import Annotation, Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler
from cadwright.envs.domains.toothed import (
    ADDENDUM,
    DEDENDUM,
    PRESSURE,
    gear_area,
    half_tooth,
    toothed_box,
)

MODULES = (1, 1.5, 2, 2.5, 3)  # ISO 54, first series
# Bore: width of the key and depth of its seat in the hub (DIN 6885-1).
KEY_SEATS = {8: (3, 1.4), 10: (3, 1.4), 12: (4, 1.8), 16: (5, 2.3), 20: (6, 2.8), 25: (8, 3.3)}


def _gear_values(draw: Draw) -> Mapping[str, Number]:
    module, teeth = draw.choice(MODULES), draw.count(14, 40)
    bore = draw.choice(tuple(KEY_SEATS))
    key_width, key_depth = KEY_SEATS[bore]
    root = module * (teeth - 2 * DEDENDUM)
    hub = draw.length(bore + 10, bore + 20)
    return {
        "module": module,
        "teeth": teeth,
        "face_width": draw.length(8, 25),
        "bore_diameter": bore,
        "hub_diameter": hub,
        "hub_height": draw.length(8, 20),
        "key_width": key_width,
        "key_depth": key_depth,
        "hole_count": draw.choice((3, 4, 5, 6)),
        "hole_diameter": draw.length(4, 16),
        "hole_circle": draw.length(hub, max(hub + 10, root)),
    }


def _gear_fits(d: Design) -> bool:
    root = d["module"] * (d["teeth"] - 2 * DEDENDUM)
    spacing = d["hole_circle"] * math.sin(math.pi / d["hole_count"])
    return (
        d["teeth"] >= 12
        and d["hole_count"] >= 3
        and root >= d["hub_diameter"] + 2
        and d["hub_diameter"] >= d["bore_diameter"] + 2 * d["key_depth"] + 4
        and d["key_width"] <= d["bore_diameter"] / 2
        and d["hole_circle"] - d["hole_diameter"] >= d["hub_diameter"] + 2
        and d["hole_circle"] + d["hole_diameter"] + 3 <= root
        and spacing >= d["hole_diameter"] + 3
    )


def _gear_asked(d: Design) -> tuple[Record, ...]:
    module, teeth, wide, bore = d["module"], d["teeth"], d["face_width"], d["bore_diameter"]
    tip = module * (teeth / 2 + ADDENDUM)
    tall = wide + (d["hub_height"] if "hub" in d.options else 0)
    solid = gear_area(module, teeth) * wide - disc(bore) * tall
    if "hub" in d.options:
        solid += disc(d["hub_diameter"]) * d["hub_height"]
    if "lightening" in d.options:
        solid -= d["hole_count"] * disc(d["hole_diameter"]) * wide
    if "keyway" in d.options:
        solid -= _key_area(d) * tall
    ring = circle(d["hole_diameter"], int(d["hole_count"]), d["hole_circle"], (0, 0, wide / 2))
    return (
        toothed_box(tip, teeth, half_tooth(module, teeth, tip), 0.0, tall),
        bodies(),
        volume(solid),
        cylinder(bore, (0, 0, None), inner=True, axis="z"),
        *when("lightening" in d.options, ring),
        *when("keyway" in d.options, face("-y", (0, bore / 2 + d["key_depth"], 1))),
        *when(
            "hub" in d.options,
            cylinder(d["hub_diameter"], (0, 0, None), axis="z", length=d["hub_height"]),
        ),
    )


def _key_area(d: Design) -> float:
    """Return what a key seat adds to the area of the bore, mm²."""
    r, half = d["bore_diameter"] / 2, d["key_width"] / 2
    under_chord = half * math.sqrt(r**2 - half**2) + r**2 * math.asin(half / r)
    return d["key_width"] * (r + d["key_depth"]) - under_chord


def _gear_shaft(d: Design) -> Mate:
    """A plain shaft for the bore, with 0.05 mm of play in the diameter."""
    size, tall = float(d["bore_diameter"] - 0.05), float(d["face_width"] + 60)
    about = (
        "Make the plain round shaft for the bore of this gear: 0.05 mm thinner than the bore, "
        "axis on Z, from Z = -20 to 40 mm above the upper face of the toothed rim, a hub on it "
        "not counted."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'bar = cq.Workplane("XY", origin=(0, 0, -20)).circle({number(size)} / 2)\n'
        f"result = bar.extrude({number(tall)})\n"
    )
    asked = (box((size, size, tall), (0, 0, tall / 2 - 20)), bodies(), volume(disc(size) * tall))
    return Mate(about, program, asked)


_GEAR_OPTIONS = {
    "hub": (
        "A hub of diameter {hub_diameter} rises {hub_height} above the upper face of the gear, "
        "coaxial with it; the bore goes on through it."
    ),
    "keyway": (
        "The bore has a keyway along its whole length on the +Y side, {key_width} wide and "
        "symmetric about X = 0; its flat floor lies {key_depth} outside the bore's wall."
    ),
    "lightening": (
        "{hole_count} through holes of diameter {hole_diameter} are spaced evenly on a circle of "
        "diameter {hole_circle} in the web, the first on the +X axis."
    ),
}

SPUR_GEAR = Family(
    name="spur_gear",
    title="involute spur gear",
    group="transmission",
    dimensions=(
        *dimensions("module"),
        *dimensions("teeth", "count"),
        *dimensions("face_width bore_diameter hub_diameter hub_height key_width key_depth"),
        *dimensions("hole_count", "count"),
        *dimensions("hole_diameter hole_circle"),
    ),
    steps=(
        Step(
            "import math\n\n"
            "pitch, pressure = {module} * {teeth} / 2, math.radians(20)\n"
            "base, root = pitch * math.cos(pressure), pitch - 1.25 * {module}\n"
            "foot, tip = max(base, root), pitch + {module}\n\n"
            "def turned(angle):\n"
            "    return math.tan(angle) - angle\n\n"
            "def at(radius, angle):\n"
            "    return (radius * math.cos(angle), radius * math.sin(angle))\n\n"
            "step = 2 * math.pi / {teeth}\n"
            "half = step / 4 + turned(pressure)  # half a tooth on the base circle\n"
            "radii = [foot + (tip - foot) * i / 5 for i in range(6)]\n"
            "flank = [(r, half - turned(math.acos(base / r))) for r in radii]\n"
            "wide, thin = flank[0][1], flank[-1][1]\n"
            'gear = cq.Workplane("XY").moveTo(*at(root, -wide))\n'
            "for i in range({teeth}):\n"
            "    t = i * step\n"
            "    if foot > root:\n"
            "        gear = gear.lineTo(*at(foot, t - wide))\n"
            "    gear = gear.spline([at(r, t - a) for r, a in flank[1:]], includeCurrent=True)\n"
            "    gear = gear.threePointArc(at(tip, t), at(tip, t + thin))\n"
            "    back = [at(r, t + a) for r, a in reversed(flank[:-1])]\n"
            "    gear = gear.spline(back, includeCurrent=True)\n"
            "    if foot > root:\n"
            "        gear = gear.lineTo(*at(root, t + wide))\n"
            "    gear = gear.threePointArc(at(root, t + step / 2), at(root, t + step - wide))\n"
            "result = gear.close().extrude({face_width})",
            "an involute gear of module {module} with {teeth} teeth, {face_width} wide",
        ),
        Step(
            'hub = cq.Workplane("XY").circle({hub_diameter} / 2)\n'
            "result = result.union(hub.extrude({face_width} + {hub_height}))",
            "a hub of {hub_diameter}, {hub_height} high",
            "hub",
        ),
        Step(
            "tall = result.val().BoundingBox().zmax\n"
            'result = result.cut(cq.Workplane("XY").circle({bore_diameter} / 2).extrude(tall))',
            "a bore of {bore_diameter}",
        ),
        Step(
            "reach = {bore_diameter} / 2 + {key_depth}\n"
            'key = cq.Workplane("XY", origin=(0, reach / 2, 0)).rect({key_width}, reach)\n'
            "result = result.cut(key.extrude(tall))",
            "a keyway {key_width} wide, {key_depth} deep",
            "keyway",
        ),
        Step(
            'holes = cq.Workplane("XY").polarArray({hole_circle} / 2, 0, 360, {hole_count})\n'
            "result = result.cut(holes.circle({hole_diameter} / 2).extrude({face_width}))",
            "{hole_count} holes of {hole_diameter} in the web",
            "lightening",
        ),
    ),
    sample=sampler(_gear_values, _gear_fits, tuple(_GEAR_OPTIONS)),
    is_possible=_gear_fits,
    wordings=(
        "Involute spur gear, all lengths in mm: module {module}, {teeth} teeth, pressure angle 20 "
        "degrees, no profile shift, addendum 1 module, dedendum 1.25 modules, tooth thickness half "
        "the pitch on the pitch circle, sharp root corners; below the base circle the flanks run "
        "radially. Axis on Z, face width from Z = 0 to Z = {face_width}, one tooth centred on the "
        "+X axis. A bore of diameter {bore_diameter} goes through. {features}",
        "I need a straight-toothed gear (mm) with {teeth} teeth of module {module}, standard 20 "
        "degree involute: tips one module outside and roots 1.25 modules inside the pitch circle, "
        "no shift, no backlash, radial flanks below the base circle, no root fillets. It lies flat "
        "on Z = 0, {face_width} wide, turning about the Z axis, the middle of a tooth pointing "
        "along +X, with a through bore of {bore_diameter}. {features}",
        "Spur gear. Units: mm. m = {module}, z = {teeth}, alpha = 20 deg, x = 0, ha = 1 m, hf = "
        "1.25 m, s = p / 2, no fillet, radial below base circle. Width Z 0 to {face_width}, axis "
        "Z, tooth centre at +X. Bore diameter {bore_diameter} through. {features}",
    ),
    options=_GEAR_OPTIONS,
    constrain=_gear_asked,
    mate=_gear_shaft,
)


def _rack_values(draw: Draw) -> Mapping[str, Number]:
    module, teeth = draw.choice(MODULES), draw.count(8, 20)
    return {
        "module": module,
        "teeth": teeth,
        "width": draw.length(10, 30),
        "pitch_height": draw.length(4 * module + 8, 4 * module + 20),
        "hole_diameter": draw.choice((3.4, 4.5, 5.5, 6.6)),
        "hole_pitch": draw.length(12, teeth * math.pi * module - 12),
        "hole_height": draw.length(5, 16),
        "groove_width": draw.length(3, 20),
        "groove_depth": draw.choice((1, 1.5, 2)),
    }


def _rack_fits(d: Design) -> bool:
    root, size = d["pitch_height"] - DEDENDUM * d["module"], d["hole_diameter"]
    return (
        d["teeth"] >= 3
        and size / 2 + d["groove_depth"] + 2 <= d["hole_height"] <= root - size / 2 - 1
        and size + 3 <= d["hole_pitch"] <= d["teeth"] * math.pi * d["module"] - size - 4
        and d["groove_width"] + 4 <= d["width"]
    )


def _rack_asked(d: Design) -> tuple[Record, ...]:
    m, n, wide, pitch = d["module"], d["teeth"], d["width"], d["pitch_height"]
    long, root = n * math.pi * m, pitch - DEDENDUM * m
    slope = math.tan(PRESSURE) * m
    thick = math.pi * m + 2 * (DEDENDUM - ADDENDUM) * slope  # root and tip width together
    area = long * root + n * thick / 2 * (ADDENDUM + DEDENDUM) * m
    solid = area * wide
    if "screw_holes" in d.options:
        solid -= 2 * disc(d["hole_diameter"]) * wide
    if "groove" in d.options:
        solid -= d["groove_width"] * d["groove_depth"] * long
    low, high = (long - d["hole_pitch"]) / 2, (long + d["hole_pitch"]) / 2
    spots = [(x, None, d["hole_height"]) for x in (low, high)]
    return (
        box((long, wide, pitch + m), (long / 2, 0, (pitch + m) / 2)),
        bodies(),
        volume(solid),
        face("+z", (math.pi * m / 2, 0, pitch + m)),
        *when("screw_holes" in d.options, hole(d["hole_diameter"], *spots, axis="y", through=True)),
        *when("groove" in d.options, face("-z", (1, 0, d["groove_depth"]))),
    )


def _rack_drawn(d: Design) -> tuple[Annotation, ...]:
    long, y, z = d["teeth"] * math.pi * d["module"], d["width"] / 2, d["pitch_height"]
    middle, m = long / 2, d["module"]
    text = "module {value}, 20°, addendum 1 m, dedendum 1.25 m"
    marks = [
        note("front", (math.pi * m / 2, -y, z + m), text, "module"),
        note("front", (math.pi * m * 1.5, -y, z + m), "{value} full teeth", "teeth"),
        span("width", "right", (long, -y, 0), (long, y, 0)),
        span("pitch_height", "front", (0, -y, 0), (0, -y, z), "{value} to pitch line"),
    ]
    if "screw_holes" in d.options:
        at, low, size = d["hole_height"], middle - d["hole_pitch"] / 2, d["hole_diameter"]
        high = low + d["hole_pitch"]
        marks += [
            span("hole_pitch", "front", (low, -y, at), (high, -y, at), "{value}, centred"),
            span("hole_height", "front", (high, -y, 0), (high, -y, at)),
            diameter("hole_diameter", "front", (low, -y, at), size, "2x ⌀{value} THRU"),
        ]
    if "groove" in d.options:
        g, up = d["groove_width"] / 2, d["groove_depth"]
        marks += [
            span("groove_width", "right", (long, -g, 0), (long, g, 0)),
            span("groove_depth", "right", (long, g, 0), (long, g, up)),
        ]
    return tuple(marks)


_RACK_OPTIONS = {
    "screw_holes": (
        "Two through holes of diameter {hole_diameter} along Y lie at Z = {hole_height}, "
        "{hole_pitch} apart in X, symmetric about the middle of the rack's length."
    ),
    "groove": (
        "A groove {groove_width} wide (Y, centred) and {groove_depth} deep runs along X in the "
        "whole underside."
    ),
}

GEAR_RACK = Family(
    name="gear_rack",
    title="gear rack",
    group="transmission",
    dimensions=(
        *dimensions("module"),
        *dimensions("teeth", "count"),
        *dimensions("width pitch_height hole_diameter hole_pitch hole_height"),
        *dimensions("groove_width groove_depth"),
    ),
    steps=(
        Step(
            "import math\n\n"
            "m, pitch = {module}, math.pi * {module}\n"
            "root, tip = {pitch_height} - 1.25 * m, {pitch_height} + m\n"
            "slope = math.tan(math.radians(20))\n"
            "wide, narrow = pitch / 4 + 1.25 * m * slope, pitch / 4 - m * slope\n"
            "points = [({teeth} * pitch, 0), (0, 0), (0, root)]\n"
            "for i in range({teeth}):\n"
            "    x = (i + 0.5) * pitch\n"
            "    points += [(x - wide, root), (x - narrow, tip)]\n"
            "    points += [(x + narrow, tip), (x + wide, root)]\n"
            "points.append(({teeth} * pitch, root))\n"
            'profile = cq.Workplane("XZ").polyline(points).close()\n'
            "result = profile.extrude({width} / 2, both=True)",
            "a rack of module {module} with {teeth} teeth, {width} wide",
        ),
        Step(
            'holes = cq.Workplane("XZ", origin=({teeth} * pitch / 2, 0, {hole_height}))\n'
            "holes = holes.rarray({hole_pitch}, 1, 2, 1).circle({hole_diameter} / 2)\n"
            "result = result.cut(holes.extrude({width} / 2, both=True))",
            "two holes of {hole_diameter}, {hole_pitch} apart",
            "screw_holes",
        ),
        Step(
            'groove = cq.Workplane("YZ").rect({groove_width}, 2 * {groove_depth})\n'
            "result = result.cut(groove.extrude({teeth} * pitch))",
            "a groove {groove_width} wide, {groove_depth} deep, in the underside",
            "groove",
        ),
    ),
    sample=sampler(_rack_values, _rack_fits, tuple(_RACK_OPTIONS)),
    is_possible=_rack_fits,
    wordings=(
        "Gear rack, all lengths in mm: module {module}, {teeth} teeth, pressure angle 20 degrees "
        "(straight flanks at 20 degrees to the vertical), addendum 1 module, dedendum 1.25 "
        "modules, tooth and gap equally wide on the pitch line, sharp corners. It runs along X "
        "from X = 0, its length being {teeth} pitches of pi times the module, with half a gap at "
        "either end. Width {width} in Y, centred on Y = 0. Underside on Z = 0, teeth upwards, "
        "pitch line at Z = {pitch_height}. {features}",
        "Model a straight toothed rack (mm, Z up), module {module}, {teeth} whole teeth, for a "
        "20 degree gear. The bar starts at X = 0 and is {teeth} times pi times the module long; "
        "the first tooth is centred half a pitch from that end. It is {width} wide, symmetric "
        "about Y = 0, rests on Z = 0 and carries the teeth on top: pitch line {pitch_height} above "
        "the underside, tips one module above it, roots 1.25 modules below, tooth thickness on the "
        "pitch line half a pitch, no fillets. {features}",
        "Rack. Units: mm. m = {module}, z = {teeth}, alpha = 20 deg, ha = 1 m, hf = 1.25 m, s = p "
        "/ 2, p = pi m, sharp. X from 0 to z p, first tooth centre at p / 2; Y width {width}, "
        "centred; Z from 0, pitch line Z = {pitch_height}, teeth +Z. {features}",
    ),
    options=_RACK_OPTIONS,
    constrain=_rack_asked,
    annotate=_rack_drawn,
    split="held_out",
)

FAMILIES = (SPUR_GEAR, GEAR_RACK)
