"""A heat sink with straight fins on a base."""

from __future__ import annotations

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
from cadwright.envs.domains.dimensioning import diameter, note, span
from cadwright.envs.domains.family import Annotation, Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler

CLEARANCE = (2.9, 3.4, 4.5)  # ISO 273 medium, M2.5 to M4


def _sink_values(draw: Draw) -> Mapping[str, Number]:
    count, fin = draw.count(5, 12), draw.choice((1, 1.5, 2))
    pitch = draw.choice((4, 5, 6, 7, 8))
    return {
        "length": draw.length(40, 110),
        "base_thickness": draw.length(3, 8),
        "fin_count": count,
        "fin_thickness": fin,
        "fin_pitch": pitch,
        "height": draw.length(18, 50),
        "margin": draw.length(4, 12),
        "cross_cut_width": draw.length(3, 10),
        "cross_cut_count": draw.count(2, 4),
        "cross_cut_pitch": draw.length(14, 30),
        "screw_diameter": draw.choice(CLEARANCE),
        "screw_spacing": draw.length(20, 100),
        "pad_length": draw.length(12, 40),
        "pad_width": draw.length(12, 40),
        "pad_height": draw.length(1, 3),
    }


def _sink_width(d: Design) -> float:
    return (d["fin_count"] - 1) * d["fin_pitch"] + d["fin_thickness"] + 2 * d["margin"]


def _sink_fits(d: Design) -> bool:
    cuts = (d["cross_cut_count"] - 1) * d["cross_cut_pitch"] + d["cross_cut_width"]
    screw = d["screw_diameter"]
    return (
        d["fin_count"] >= 2
        and d["fin_thickness"] >= 0.8
        and d["fin_pitch"] >= d["fin_thickness"] + 1.5
        and d["height"] >= d["base_thickness"] + 8
        and d["cross_cut_count"] >= 2
        and d["cross_cut_pitch"] >= d["cross_cut_width"] + 4
        and cuts + 8 <= d["length"]
        and d["margin"] >= screw + 1
        and d["screw_spacing"] + screw + 4 <= d["length"]
        and d["screw_spacing"] >= screw + 4
        and d["pad_length"] + 4 <= d["length"]
        and d["pad_width"] + 2 * d["margin"] <= _sink_width(d)
    )


def _sink_asked(d: Design) -> tuple[Record, ...]:
    wide, long, base, top = _sink_width(d), d["length"], d["base_thickness"], d["height"]
    fins = d["fin_count"] * d["fin_thickness"] * (top - base)
    solid = wide * long * base + fins * long
    low = -d["pad_height"] if "pad" in d.options else 0
    if "cross_cuts" in d.options:
        solid -= fins * d["cross_cut_count"] * d["cross_cut_width"]
    if "screws" in d.options:
        solid -= 4 * disc(d["screw_diameter"]) * base
    if "pad" in d.options:
        solid += d["pad_length"] * d["pad_width"] * d["pad_height"]
    across = wide - d["margin"]
    first = -(d["fin_count"] - 1) * d["fin_pitch"] / 2
    spots = corners(across, d["screw_spacing"], (0, 0))
    return (
        box((wide, long, top - low), (0, 0, (top + low) / 2)),
        bodies(),
        volume(solid),
        face("+z", (first, long / 2 - 1, top)),
        face("-x", (first - d["fin_thickness"] / 2, long / 2 - 1, top - 1)),
        *when("screws" in d.options, hole(d["screw_diameter"], *spots, through=True)),
        *when("pad" in d.options, face("-z", (0, 0, low))),
    )


def _sink_drawn(d: Design) -> tuple[Annotation, ...]:
    x, y, base, top = _sink_width(d) / 2, d["length"] / 2, d["base_thickness"], d["height"]
    first = -(d["fin_count"] - 1) * d["fin_pitch"] / 2
    f, last = d["fin_thickness"] / 2, x - d["margin"]
    marks = [
        span("length", "right", (x, -y, 0), (x, y, 0)),
        span("base_thickness", "front", (x, -y, 0), (x, -y, base)),
        span("height", "front", (-x, -y, 0), (-x, -y, top)),
        span("fin_pitch", "front", (first, -y, top), (first + d["fin_pitch"], -y, top)),
        span("fin_thickness", "front", (last - 2 * f, -y, top), (last, -y, top)),
        span("margin", "front", (last, -y, base), (x, -y, base), "2x {value}"),
        note("front", (first, -y, top), "{value} fins", "fin_count"),
    ]
    if "cross_cuts" in d.options:
        start = -(d["cross_cut_count"] - 1) * d["cross_cut_pitch"] / 2
        w, pitch = d["cross_cut_width"] / 2, d["cross_cut_pitch"]
        marks += [
            span("cross_cut_width", "right", (x, start - w, top), (x, start + w, top)),
            span("cross_cut_pitch", "right", (x, start, base), (x, start + pitch, base)),
            note("right", (x, start, top), "{value} cuts, centred", "cross_cut_count"),
        ]
    if "screws" in d.options:
        a, b = x - d["margin"] / 2, d["screw_spacing"] / 2
        text = "4x ⌀{value} THRU, mid margin"
        marks += [
            span("screw_spacing", "top", (a, -b, base), (a, b, base)),
            diameter("screw_diameter", "top", (a, b, base), d["screw_diameter"], text),
        ]
    if "pad" in d.options:
        a, b, low = d["pad_width"] / 2, d["pad_length"] / 2, -d["pad_height"]
        marks += [
            span("pad_width", "front", (-a, -b, low), (a, -b, low)),
            span("pad_length", "right", (a, -b, low), (a, b, low)),
            span("pad_height", "front", (a, -b, low), (a, -b, 0)),
        ]
    return tuple(marks)


_SINK_OPTIONS = {
    "cross_cuts": (
        "{cross_cut_count} cuts of width {cross_cut_width} along X go through all fins down to the "
        "base, at a pitch of {cross_cut_pitch} in Y, centred on Y = 0."
    ),
    "screws": (
        "Four through holes of diameter {screw_diameter} go through the base in the margins: in X "
        "in the middle of each margin, {screw_spacing} apart in Y, symmetric about Y = 0."
    ),
    "pad": (
        "A pad of {pad_width} (X) by {pad_length} (Y), centred on the Z axis, stands out "
        "{pad_height} below the base, down to Z = -{pad_height}."
    ),
}

FINNED_SINK = Family(
    name="finned_heat_sink",
    title="finned heat sink",
    group="cooling",
    dimensions=(
        *dimensions("length base_thickness"),
        *dimensions("fin_count", "count"),
        *dimensions("fin_thickness fin_pitch height margin cross_cut_width"),
        *dimensions("cross_cut_count", "count"),
        *dimensions("cross_cut_pitch screw_diameter screw_spacing pad_length pad_width pad_height"),
    ),
    steps=(
        Step(
            "width = ({fin_count} - 1) * {fin_pitch} + {fin_thickness} + 2 * {margin}\n"
            "profile = [(width / 2, 0), (-width / 2, 0), (-width / 2, {base_thickness})]\n"
            "for i in range({fin_count}):\n"
            "    x = (i - ({fin_count} - 1) / 2) * {fin_pitch}\n"
            "    left, right = x - {fin_thickness} / 2, x + {fin_thickness} / 2\n"
            "    profile += [(left, {base_thickness}), (left, {height})]\n"
            "    profile += [(right, {height}), (right, {base_thickness})]\n"
            "profile.append((width / 2, {base_thickness}))\n"
            'result = cq.Workplane("XZ").polyline(profile).close()\n'
            "result = result.extrude({length} / 2, both=True)",
            "a base of {base_thickness} with {fin_count} fins up to {height}",
        ),
        Step(
            'cuts = cq.Workplane("XY", origin=(0, 0, {base_thickness}))\n'
            "cuts = cuts.rarray(1, {cross_cut_pitch}, 1, {cross_cut_count})\n"
            "cuts = cuts.rect(width, {cross_cut_width}).extrude({height})\n"
            "result = result.cut(cuts)",
            "{cross_cut_count} cross cuts of {cross_cut_width}",
            "cross_cuts",
        ),
        Step(
            'screws = cq.Workplane("XY").rarray(width - {margin}, {screw_spacing}, 2, 2)\n'
            "result = result.cut(screws.circle({screw_diameter} / 2).extrude({base_thickness}))",
            "four screw holes of {screw_diameter}",
            "screws",
        ),
        Step(
            'pad = cq.Workplane("XY").rect({pad_width}, {pad_length}).extrude(-{pad_height})\n'
            "result = result.union(pad)",
            "a pad of {pad_width} by {pad_length}, {pad_height} high",
            "pad",
        ),
    ),
    sample=sampler(_sink_values, _sink_fits, tuple(_SINK_OPTIONS)),
    is_possible=_sink_fits,
    wordings=(
        "Heat sink with straight fins, all lengths in mm, {length} long along Y, symmetric about X "
        "= 0 and Y = 0. The base is {base_thickness} thick, underside on Z = 0. On it stand "
        "{fin_count} fins over the whole length, each {fin_thickness} thick in X, up to Z = "
        "{height}, at a pitch of {fin_pitch} in X. Beyond the outer faces of the two outermost "
        "fins the base goes on by a margin of {margin} on either side in X. {features}",
        "Design an extruded cooler (mm, Z up), {length} in the direction of extrusion Y, centred "
        "on the Z axis, standing on Z = 0 and {height} high in total. Its base plate is "
        "{base_thickness} thick and carries {fin_count} upright fins, {fin_thickness} thick, "
        "repeating every {fin_pitch} along X. The plate is wider than the fins by {margin} on the "
        "left and on the right. {features}",
        "Heat sink. Units: mm. Extruded along Y, {length}, centred. Base Z 0 to {base_thickness}. "
        "Fins: {fin_count} x, {fin_thickness} thick, pitch {fin_pitch} in X, centred, top Z = "
        "{height}. Base margin outside the outer fins: {margin} each side. {features}",
    ),
    options=_SINK_OPTIONS,
    constrain=_sink_asked,
    annotate=_sink_drawn,
)

FAMILIES = (FINNED_SINK,)
