"""A gusset to weld into a corner."""

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
from cadwright.envs.domains.family import Annotation, Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler


def _gusset_values(draw: Draw) -> Mapping[str, Number]:
    return {
        "base_length": draw.length(80, 180),
        "height": draw.length(70, 160),
        "thickness": draw.length(4, 12),
        "base_nose": draw.length(8, 20),
        "top_nose": draw.length(8, 20),
        "relief_size": draw.length(8, 20),
        "window_diameter": draw.length(15, 50),
        "window_x": draw.length(20, 60),
        "window_z": draw.length(20, 60),
        "slot_width": draw.length(3, 8),
        "slot_depth": draw.length(4, 12),
        "slot_x": draw.length(40, 140),
    }


def _gusset_fits(d: Design) -> bool:
    run, rise = d["base_length"] - d["top_nose"], d["height"] - d["base_nose"]
    x, z, r = d["window_x"], d["window_z"], d["window_diameter"] / 2
    # Distance from the window's centre to the sloping edge.
    slope = (rise * run - rise * (x - d["top_nose"]) - run * (z - d["base_nose"])) / math.hypot(
        rise, run
    )
    slot = d["slot_width"] / 2
    return (
        min(run, rise) >= 20
        and min(x, z) >= r + 3
        and math.hypot(x, z) >= r + d["relief_size"] + 3
        and slope >= r + 4
        and d["relief_size"] + slot + 4 <= d["slot_x"] <= d["base_length"] - slot - 5
        and d["slot_depth"] + 4 <= min(d["base_nose"], z - r)
    )


def _gusset_asked(d: Design) -> tuple[Record, ...]:
    long, high, t = d["base_length"], d["height"], d["thickness"]
    run, rise = long - d["top_nose"], high - d["base_nose"]
    area = long * high - run * rise / 2
    if "relief" in d.options:
        area -= math.pi * d["relief_size"] ** 2 / 4
    if "window" in d.options:
        area -= disc(d["window_diameter"])
    if "slot" in d.options:
        area -= d["slot_width"] * d["slot_depth"]
    centre = (d["window_x"], None, d["window_z"])
    return (
        box((long, t, high), (long / 2, 0, high / 2)),
        bodies(),
        volume(area * t),
        face("+x", (long, 0, d["base_nose"] / 2)),
        face("+z", (d["top_nose"] / 2, 0, high)),
        *when(
            "window" in d.options,
            hole(d["window_diameter"], centre, axis="y", through=True),
        ),
        *when(
            "relief" in d.options,
            cylinder(2 * d["relief_size"], (0, None, 0), axis="y", inner=True),
        ),
        *when("slot" in d.options, face("-z", (d["slot_x"], 0, d["slot_depth"]))),
    )


def _gusset_drawn(d: Design) -> tuple[Annotation, ...]:
    long, high, y = d["base_length"], d["height"], d["thickness"] / 2
    marks = [
        span("base_length", "front", (0, -y, 0), (long, -y, 0)),
        span("height", "front", (0, -y, 0), (0, -y, high)),
        span("base_nose", "front", (long, -y, 0), (long, -y, d["base_nose"])),
        span("top_nose", "front", (0, -y, high), (d["top_nose"], -y, high)),
        span("thickness", "right", (long, -y, high), (long, y, high)),
    ]
    if "relief" in d.options:
        marks.append(radius("relief_size", "front", (0, -y, 0), d["relief_size"], 45, "R{value}"))
    if "window" in d.options:
        x, z = d["window_x"], d["window_z"]
        marks += [
            span("window_x", "front", (0, -y, z), (x, -y, z)),
            span("window_z", "front", (x, -y, 0), (x, -y, z)),
            diameter("window_diameter", "front", (x, -y, z), d["window_diameter"], "⌀{value} THRU"),
        ]
    if "slot" in d.options:
        x, up, half = d["slot_x"], d["slot_depth"], d["slot_width"] / 2
        marks += [
            span("slot_x", "front", (0, -y, 0), (x, -y, 0)),
            span("slot_width", "front", (x - half, -y, 0), (x + half, -y, 0)),
            span("slot_depth", "front", (x + half, -y, 0), (x + half, -y, up)),
        ]
    return tuple(marks)


_GUSSET_OPTIONS = {
    "relief": (
        "The corner at X = 0, Z = 0 is cut away for the weld by a quarter circle of radius "
        "{relief_size} about that corner."
    ),
    "window": (
        "A through hole of diameter {window_diameter} along Y lies at X = {window_x}, Z = "
        "{window_z}."
    ),
    "slot": (
        "A rectangular slot is cut up into the lower edge: {slot_width} wide in X, centred on X = "
        "{slot_x}, {slot_depth} deep, through the whole thickness."
    ),
}

GUSSET = Family(
    name="gusset_plate",
    title="gusset plate",
    group="brackets",
    dimensions=dimensions(
        "base_length height thickness base_nose top_nose relief_size window_diameter window_x "
        "window_z slot_width slot_depth slot_x"
    ),
    steps=(
        Step(
            "outline = [(0, 0), ({base_length}, 0), ({base_length}, {base_nose})]\n"
            "outline += [({top_nose}, {height}), (0, {height})]\n"
            'result = cq.Workplane("XZ").polyline(outline).close()\n'
            "result = result.extrude({thickness} / 2, both=True)",
            "a triangle of {base_length} by {height} with blunt ends, {thickness} thick",
        ),
        Step(
            'relief = cq.Workplane("XZ").circle({relief_size}).extrude({thickness}, both=True)\n'
            "result = result.cut(relief)",
            "the cut of R{relief_size} at the corner",
            "relief",
        ),
        Step(
            'window = cq.Workplane("XZ", origin=({window_x}, 0, {window_z}))\n'
            "window = window.circle({window_diameter} / 2).extrude({thickness}, both=True)\n"
            "result = result.cut(window)",
            "a hole of {window_diameter}",
            "window",
        ),
        Step(
            'slot = cq.Workplane("XY", origin=({slot_x}, 0, 0)).rect({slot_width}, {thickness})\n'
            "result = result.cut(slot.extrude({slot_depth}))",
            "a slot of {slot_width}, {slot_depth} deep, in the lower edge",
            "slot",
        ),
    ),
    sample=sampler(_gusset_values, _gusset_fits, tuple(_GUSSET_OPTIONS)),
    is_possible=_gusset_fits,
    wordings=(
        "Gusset plate, all lengths in mm, {thickness} thick (Y, centred on Y = 0). Its outline in "
        "the XZ plane has the right angle at the origin: the lower edge runs along X to X = "
        "{base_length}, the back edge up the Z axis to Z = {height}. Both tips are blunt: the "
        "front end is an upright edge of {base_nose}, the top a level edge of {top_nose}; a "
        "straight sloping edge joins their ends. {features}",
        "I need a triangular stiffener (mm, Z up) for the corner between a floor at Z = 0 and a "
        "wall at X = 0. It stands in the XZ plane, {thickness} thick and symmetric about Y = 0, "
        "and reaches {base_length} along the floor and {height} up the wall. At the far end of "
        "the floor it is still {base_nose} high, at the top of the wall still {top_nose} deep; "
        "between these it slopes in a straight line. {features}",
        "Gusset. Units: mm. Profile in XZ: (0, 0), ({base_length}, 0), ({base_length}, "
        "{base_nose}), ({top_nose}, {height}), (0, {height}), closed. Thickness {thickness} in Y, "
        "centred on Y = 0. {features}",
    ),
    options=_GUSSET_OPTIONS,
    constrain=_gusset_asked,
    annotate=_gusset_drawn,
)

FAMILIES = (GUSSET,)
