"""A split collar that clamps a shaft."""

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
    keep_out,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, note, span
from cadwright.envs.domains.family import Annotation, Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler


def _collar_values(draw: Draw) -> Mapping[str, Number]:
    bore = draw.choice((10, 12, 16, 20, 25, 30))
    outer = draw.length(bore + 16, bore + 28)
    return {
        "bore_diameter": bore,
        "outer_diameter": outer,
        "width": draw.length(10, 20),
        "slot_width": draw.choice((1.5, 2, 3)),
        "screw_diameter": draw.choice((3.4, 4.5, 5.5)),
        "screw_distance": draw.length(bore / 2 + 3, outer / 2 - 2),
        "flat_distance": draw.length(bore / 2 + 3, outer / 2 - 1),
        "chamfer_size": draw.choice((0.5, 1, 1.5)),
        "relief_width": draw.choice((1.5, 2, 3)),
        "relief_depth": draw.length(1, 5),
    }


def _collar_fits(d: Design) -> bool:
    bore, outer, screw = d["bore_diameter"] / 2, d["outer_diameter"] / 2, d["screw_diameter"] / 2
    return (
        bore + screw + 0.8 <= d["screw_distance"] <= outer - screw - 1.5
        and 2 * screw + 2 * d["chamfer_size"] + 2 <= d["width"]
        and d["slot_width"] <= bore
        and bore + 1.5 <= d["flat_distance"] <= outer - d["chamfer_size"] - 0.4
        and d["relief_width"] <= bore
        and bore + d["relief_depth"] + 2 <= outer
        and d["chamfer_size"] + 1.5 <= outer - bore
    )


def _collar_asked(d: Design) -> tuple[Record, ...]:
    bore, outer, wide, gap = (
        d[n] for n in ("bore_diameter", "outer_diameter", "width", "slot_width")
    )
    r, big, half = bore / 2, outer / 2, gap / 2
    strip = _strip(half, big) - _strip(half, r)
    solid = (disc(outer) - disc(bore) - strip) * wide
    if "relief" in d.options:
        low = d["relief_width"] / 2
        solid -= (2 * low * (r + d["relief_depth"]) - _strip(low, r)) * wide
    flat, at = d["flat_distance"], d["screw_distance"]
    is_flat = "flat" in d.options
    if is_flat:
        solid -= (big**2 * math.acos(flat / big) - flat * math.sqrt(big**2 - flat**2)) * wide
    high = flat if is_flat else big
    has_volume = not {"chamfers", "screw"} & d.options
    low_x = math.sqrt(big**2 - half**2)  # the slot takes the outermost point
    return (
        box((big + low_x, high + big, wide), ((low_x - big) / 2, (high - big) / 2, wide / 2)),
        bodies(),
        *when(has_volume, volume(solid)),
        keep_out((0, -half, 0), (big, half, wide)),
        cylinder(bore, (0, 0, None), axis="z", inner=True),
        *when(is_flat, face("+y", (0, flat, wide / 2))),
        *when("relief" in d.options, face("+x", (-r - d["relief_depth"], 0, wide / 2))),
        *when(
            "screw" in d.options,
            cylinder(d["screw_diameter"], (at, half + 0.3, wide / 2), axis="y", inner=True),
        ),
    )


def _strip(half: float, radius: float) -> float:
    """Return the area of half a strip through the middle of a circle, from its centre, mm²."""
    return half * math.sqrt(radius**2 - half**2) + radius**2 * math.asin(half / radius)


def _collar_drawn(d: Design) -> tuple[Annotation, ...]:
    bore, big, z = d["bore_diameter"] / 2, d["outer_diameter"] / 2, d["width"]
    half = d["slot_width"] / 2
    marks = [
        diameter("bore_diameter", "top", (0, 0, z), d["bore_diameter"], "⌀{value} THRU"),
        diameter("outer_diameter", "top", (0, 0, z), d["outer_diameter"]),
        span("width", "front", (-big, 0, 0), (-big, 0, z)),
        span("slot_width", "top", (bore + 1, -half, z), (bore + 1, half, z)),
    ]
    if "screw" in d.options:
        x, r = d["screw_distance"], d["screw_diameter"] / 2
        text = "⌀{value} THRU, mid width"
        marks += [
            span("screw_distance", "front", (0, -big, z / 2), (x, -big, z / 2)),
            diameter("screw_diameter", "front", (x, -big, z / 2), 2 * r, text),
        ]
    if "flat" in d.options:
        marks.append(span("flat_distance", "top", (0, 0, z), (0, d["flat_distance"], z)))
    if "chamfers" in d.options:
        marks.append(note("front", (-big, 0, z), "2x {value} x 45°", "chamfer_size"))
    if "relief" in d.options:
        low, deep = d["relief_width"] / 2, -bore - d["relief_depth"]
        marks += [
            span("relief_width", "top", (deep, -low, z), (deep, low, z)),
            span("relief_depth", "top", (deep, 0, z), (-bore, 0, z)),
        ]
    return tuple(marks)


def _collar_shaft(d: Design) -> Mate:
    """A plain shaft in the bore, with 0.05 mm of play in the diameter."""
    size = float(d["bore_diameter"] - 0.05)
    about = (
        "Make the shaft that this collar sits on: plain and round, 0.05 mm thinner than the "
        "bore, on the Z axis from Z = -30 to Z = 50."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'shaft = cq.Workplane("XY", origin=(0, 0, -30)).circle({number(size)} / 2)\n'
        f"result = shaft.extrude(80)\n"
    )
    return Mate(about, program, (box((size, size, 80), (0, 0, 10)), volume(disc(size) * 80)))


_COLLAR_OPTIONS = {
    "chamfers": "The outer edges of both end faces have a chamfer of {chamfer_size} x 45 degrees.",
    "flat": (
        "The +Y side has a flat, parallel to the XZ plane at Y = {flat_distance}, over the whole "
        "width; what lies beyond is removed."
    ),
    "screw": (
        "A hole of diameter {screw_diameter} for the clamp screw goes through the whole collar "
        "along Y, across the slot, at X = {screw_distance} and halfway up the width."
    ),
    "relief": (
        "Opposite the slot, on the -X side of the bore, a groove {relief_width} wide (Y, centred) "
        "and {relief_depth} deep from the bore's wall, with a flat floor, runs along the whole "
        "width."
    ),
}

SPLIT_COLLAR = Family(
    name="split_collar",
    title="split clamp collar",
    group="hand",
    dimensions=dimensions(
        "bore_diameter outer_diameter width slot_width screw_diameter screw_distance "
        "flat_distance chamfer_size relief_width relief_depth"
    ),
    steps=(
        Step(
            'result = cq.Workplane("XY").circle({outer_diameter} / 2).extrude({width})',
            "a ring of {outer_diameter}, {width} wide",
        ),
        Step(
            "result = result.edges().chamfer({chamfer_size})",
            "chamfers of {chamfer_size} at both ends",
            "chamfers",
        ),
        Step(
            'bore = cq.Workplane("XY").circle({bore_diameter} / 2).extrude({width})\n'
            'slot = cq.Workplane("XY", origin=({outer_diameter} / 2, 0, 0))\n'
            "slot = slot.rect({outer_diameter}, {slot_width}).extrude({width})\n"
            "result = result.cut(bore).cut(slot)",
            "a bore of {bore_diameter} and a slot of {slot_width}",
        ),
        Step(
            'flat = cq.Workplane("XY", origin=(0, {flat_distance} + {outer_diameter} / 2, 0))\n'
            "flat = flat.rect({outer_diameter}, {outer_diameter}).extrude({width})\n"
            "result = result.cut(flat)",
            "a flat at {flat_distance}",
            "flat",
        ),
        Step(
            'screw = cq.Workplane("XZ", origin=({screw_distance}, 0, {width} / 2))\n'
            "screw = screw.circle({screw_diameter} / 2).extrude({outer_diameter}, both=True)\n"
            "result = result.cut(screw)",
            "a screw hole of {screw_diameter} across the slot",
            "screw",
        ),
        Step(
            "reach = {bore_diameter} / 2 + {relief_depth}\n"
            'relief = cq.Workplane("XY", origin=(-reach / 2, 0, 0)).rect(reach, {relief_width})\n'
            "result = result.cut(relief.extrude({width}))",
            "a relief of {relief_width}, {relief_depth} deep",
            "relief",
        ),
    ),
    sample=sampler(_collar_values, _collar_fits, tuple(_COLLAR_OPTIONS)),
    is_possible=_collar_fits,
    wordings=(
        "Split clamp collar, all lengths in mm, axis on Z: a ring of outside diameter "
        "{outer_diameter} and bore {bore_diameter} from Z = 0 to Z = {width}. A slot {slot_width} "
        "wide (Y, centred on Y = 0) opens the ring on the +X side, from the bore outwards over the "
        "whole width. {features}",
        "Model a shaft collar (mm) around the Z axis, standing on Z = 0 and {width} wide. It is "
        "{outer_diameter} in diameter outside and bored {bore_diameter}. On the +X side it is cut "
        "through radially with a gap of {slot_width}, symmetric about the XZ plane. {features}",
        "Clamp collar. Units: mm. Axis Z, Z 0 to {width}. OD {outer_diameter}, ID {bore_diameter}. "
        "Slit on +X: width {slot_width}, centred on Y = 0, bore to outside, full width. {features}",
    ),
    options=_COLLAR_OPTIONS,
    constrain=_collar_asked,
    annotate=_collar_drawn,
    mate=_collar_shaft,
)

FAMILIES = (SPLIT_COLLAR,)
