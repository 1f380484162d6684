"""A drive shaft with what DIN puts on it: keyway, groove for a retaining ring, centre hole."""

from __future__ import annotations

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
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, note, span
from cadwright.envs.domains.family import Annotation, Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler

# Shaft diameter: width and depth of the keyway in it (DIN 6885-1).
KEYWAYS = {12: (4, 2.5), 16: (5, 3), 20: (6, 3.5), 25: (8, 4), 30: (8, 4), 35: (10, 5)}
# Shaft diameter: width and depth of the groove for a retaining ring (DIN 471).
GROOVES = {12: (1.1, 0.25), 15: (1.1, 0.35), 17: (1.1, 0.4), 20: (1.3, 0.5), 25: (1.3, 0.55)}


def _shaft_values(draw: Draw) -> Mapping[str, Number]:
    lower, upper = draw.choice(tuple(KEYWAYS)), draw.choice(tuple(GROOVES))
    lower_length, (key_width, key_depth) = draw.length(30, 60), KEYWAYS[lower]
    groove_width, groove_depth = GROOVES[upper]
    return {
        "lower_diameter": lower,
        "lower_length": lower_length,
        "body_diameter": draw.length(max(lower, upper) + 4, max(lower, upper) + 16),
        "body_length": draw.length(15, 60),
        "upper_diameter": upper,
        "upper_length": draw.length(15, 40),
        "chamfer_size": draw.choice((0.5, 1, 1.5)),
        "key_width": key_width,
        "key_depth": key_depth,
        "key_length": draw.length(12, 40),
        "key_height": draw.length(12, 40),
        "groove_width": groove_width,
        "groove_depth": groove_depth,
        "groove_distance": draw.length(2.5, 8),
        "centre_diameter": draw.choice((3.3, 4.2, 5)),
        "centre_depth": draw.length(8, 20),
    }


def _shaft_fits(d: Design) -> bool:
    key = d["key_length"] / 2
    return (
        d["body_diameter"] >= max(d["lower_diameter"], d["upper_diameter"]) + 2
        and d["chamfer_size"] + 2 <= min(d["upper_length"], d["lower_length"]) / 2
        and d["key_length"] >= d["key_width"] + 2
        and d["key_width"] <= d["lower_diameter"] / 2.4
        and d["key_depth"] <= d["lower_diameter"] / 4
        and d["chamfer_size"] + 1 <= d["key_height"] - key
        and d["key_height"] + key + 1 <= d["lower_length"]
        and d["groove_distance"] >= d["chamfer_size"] + 0.9
        and d["groove_distance"] + d["groove_width"] + 2 <= d["upper_length"]
        and d["groove_depth"] <= d["upper_diameter"] / 8
        and d["centre_diameter"] + 2 * d["chamfer_size"] + 3 <= d["upper_diameter"]
        and d["centre_depth"] >= 3
    )


def _shaft_asked(d: Design) -> tuple[Record, ...]:
    low, mid, top = d["lower_length"], d["body_length"], d["upper_length"]
    tall, centre = low + mid + top, d["centre_diameter"]
    solid = disc(d["lower_diameter"]) * low + disc(d["body_diameter"]) * mid
    solid += disc(d["upper_diameter"]) * top
    if "chamfers" in d.options:
        for across in (d["lower_diameter"], d["upper_diameter"]):
            solid -= bevel(d["chamfer_size"], across)
    if "groove" in d.options:
        floor = d["upper_diameter"] - 2 * d["groove_depth"]
        solid -= (disc(d["upper_diameter"]) - disc(floor)) * d["groove_width"]
    if "centre_hole" in d.options:
        solid -= disc(centre) * d["centre_depth"]
    floor = d["key_depth"] - d["lower_diameter"] / 2
    return (
        box((d["body_diameter"],) * 2 + (tall,), (0, 0, tall / 2)),
        bodies(),
        *when("keyway" not in d.options, volume(solid)),
        cylinder(d["body_diameter"], (0, 0, low + mid / 2), axis="z", length=mid),
        cylinder(d["lower_diameter"], (0, 0, low / 2), axis="z"),
        cylinder(d["upper_diameter"], (0, 0, None), axis="z"),
        *when("keyway" in d.options, face("-y", (0, floor, d["key_height"]))),
        *when(
            "centre_hole" in d.options,
            hole(centre, (0, 0, None), opens="+z", depth=d["centre_depth"]),
        ),
    )


def _shaft_drawn(d: Design) -> tuple[Annotation, ...]:
    a, b, c = d["lower_diameter"] / 2, d["body_diameter"] / 2, d["upper_diameter"] / 2
    z1 = d["lower_length"]
    z2 = z1 + d["body_length"]
    z3 = z2 + d["upper_length"]
    marks = [
        span("lower_diameter", "front", (-a, 0, 0), (a, 0, 0), "⌀{value}"),
        span("lower_length", "front", (b, 0, 0), (b, 0, z1)),
        span("body_diameter", "front", (-b, 0, z2), (b, 0, z2), "⌀{value}"),
        span("body_length", "front", (b, 0, z1), (b, 0, z2)),
        span("upper_diameter", "front", (-c, 0, z3), (c, 0, z3), "⌀{value}"),
        span("upper_length", "front", (b, 0, z2), (b, 0, z3)),
    ]
    if "chamfers" in d.options:
        marks.append(note("right", (0, c, z3), "2x {value} x 45°", "chamfer_size"))
    if "keyway" in d.options:
        z, w, half = d["key_height"], d["key_width"] / 2, d["key_length"] / 2
        marks += [
            span("key_width", "front", (-w, -a, z), (w, -a, z)),
            span("key_length", "front", (0, -a, z - half), (0, -a, z + half)),
            span("key_height", "front", (0, -a, 0), (0, -a, z)),
            span("key_depth", "right", (0, -a, z), (0, d["key_depth"] - a, z)),
        ]
    if "groove" in d.options:
        upper = z3 - d["groove_distance"]
        lower, floor = upper - d["groove_width"], c - d["groove_depth"]
        marks += [
            span("groove_distance", "right", (0, c, upper), (0, c, z3)),
            span("groove_width", "right", (0, c, lower), (0, c, upper)),
            span("groove_depth", "right", (0, floor, lower), (0, c, lower)),
        ]
    if "centre_hole" in d.options:
        size = d["centre_diameter"]
        marks.append(diameter("centre_diameter", "top", (0, 0, z3), size))
        low = z3 - d["centre_depth"]
        marks.append(span("centre_depth", "right", (0, size / 2, low), (0, size / 2, z3)))
    return tuple(marks)


def _shaft_ring(d: Design) -> Mate:
    """A plain ring on the upper journal against the shoulder, 0.1 mm wider than the journal."""
    bore, outer = float(d["upper_diameter"] + 0.1), d["upper_diameter"] + 16
    low = d["lower_length"] + d["body_length"]
    wide = float(d["upper_length"]) / 2
    about = (
        "Make a spacer ring that slides over the upper section of this shaft, its lower face "
        "against the shoulder. Its bore is 0.1 mm wider than that section and its outside "
        "diameter 16 mm larger; it is half as wide as the section is long."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'ring = cq.Workplane("XY", origin=(0, 0, {number(low)}))\n'
        f"result = ring.circle({number(outer)} / 2).circle({number(bore)} / 2)"
        f".extrude({number(wide)})\n"
    )
    asked = (
        box((outer, outer, wide), (0, 0, low + wide / 2)),
        bodies(),
        hole(bore, (0, 0, None), through=True),
        volume((disc(outer) - disc(bore)) * wide),
    )
    return Mate(about, program, asked)


_SHAFT_OPTIONS = {
    "chamfers": "The edges of both end faces have a chamfer of {chamfer_size} x 45 degrees.",
    "keyway": (
        "A keyway with fully round ends is milled into the -Y side of the lower section: "
        "{key_width} wide, {key_depth} deep, {key_length} long over all along Z, its middle at Z = "
        "{key_height}."
    ),
    "groove": (
        "The upper section has a groove for a retaining ring, {groove_width} wide and "
        "{groove_depth} deep all round; its upper flank lies {groove_distance} below the upper end "
        "face."
    ),
    "centre_hole": (
        "A blind hole of diameter {centre_diameter}, {centre_depth} deep with a flat end, runs "
        "down the axis from the upper end face."
    ),
}

DRIVE_SHAFT = Family(
    name="drive_shaft",
    title="drive shaft",
    group="turned",
    dimensions=dimensions(
        "lower_diameter lower_length body_diameter body_length upper_diameter upper_length "
        "chamfer_size key_width key_depth key_length key_height groove_width groove_depth "
        "groove_distance centre_diameter centre_depth"
    ),
    steps=(
        Step(
            'result = cq.Workplane("XY").circle({lower_diameter} / 2).extrude({lower_length})\n'
            'result = result.faces(">Z").workplane().circle({body_diameter} / 2)\n'
            "result = result.extrude({body_length})\n"
            'result = result.faces(">Z").workplane().circle({upper_diameter} / 2)\n'
            "result = result.extrude({upper_length})",
            "three sections of {lower_diameter}, {body_diameter} and {upper_diameter}",
        ),
        Step(
            'result = result.faces("<Z or >Z").edges().chamfer({chamfer_size})',
            "chamfers of {chamfer_size} at both ends",
            "chamfers",
        ),
        Step(
            'key = cq.Workplane("XZ", origin=(0, -{lower_diameter} / 2, {key_height}))\n'
            "key = key.slot2D({key_length}, {key_width}, 90).extrude(-{key_depth})\n"
            "result = result.cut(key)",
            "a keyway of {key_width} by {key_length}, {key_depth} deep",
            "keyway",
        ),
        Step(
            "end = {lower_length} + {body_length} + {upper_length} - {groove_distance}\n"
            'ring = cq.Workplane("XY", origin=(0, 0, end)).circle({upper_diameter} / 2)\n'
            "ring = ring.circle({upper_diameter} / 2 - {groove_depth}).extrude(-{groove_width})\n"
            "result = result.cut(ring)",
            "a groove {groove_width} wide, {groove_depth} deep",
            "groove",
        ),
        Step(
            "top = {lower_length} + {body_length} + {upper_length}\n"
            'drill = cq.Workplane("XY", origin=(0, 0, top)).circle({centre_diameter} / 2)\n'
            "result = result.cut(drill.extrude(-{centre_depth}))",
            "a blind hole of {centre_diameter}, {centre_depth} deep, in the upper end",
            "centre_hole",
        ),
    ),
    sample=sampler(_shaft_values, _shaft_fits, tuple(_SHAFT_OPTIONS)),
    is_possible=_shaft_fits,
    wordings=(
        "Drive shaft, all lengths in mm, axis on Z, lower end on Z = 0. Three round sections "
        "follow each other upwards: diameter {lower_diameter} for {lower_length}, diameter "
        "{body_diameter} for {body_length}, diameter {upper_diameter} for {upper_length}. "
        "{features}",
        "Turn a shaft (mm) that stands on the XY plane with the Z axis as its centre line. Its "
        "lower section is {lower_length} long and {lower_diameter} in diameter, the body above it "
        "{body_length} long and {body_diameter} in diameter, the upper section {upper_length} long "
        "and {upper_diameter} in diameter. {features}",
        "Shaft, 3 steps. Units: mm. Axis Z, start Z = 0, upwards. Lower: dia {lower_diameter} x "
        "{lower_length}. Body: dia {body_diameter} x {body_length}. Upper: dia {upper_diameter} x "
        "{upper_length}. {features}",
    ),
    options=_SHAFT_OPTIONS,
    constrain=_shaft_asked,
    annotate=_shaft_drawn,
    mate=_shaft_ring,
)

FAMILIES = (DRIVE_SHAFT,)
