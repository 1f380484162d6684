"""Parts that screws go into: a hexagonal standoff and a block with tapped holes.

Threads are modelled as engineers model them: as the hole that is drilled before tapping.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Place,
    Record,
    bodies,
    box,
    cone,
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

# Nominal thread diameter: drill for its core (ISO 2306), width across flats of its standoff.
THREADS = {3: (2.5, 5.5), 4: (3.3, 7), 5: (4.2, 8), 6: (5, 10), 8: (6.8, 13)}


def _standoff_values(draw: Draw) -> Mapping[str, Number]:
    thread = draw.choice(tuple(THREADS))
    drill, flats = THREADS[thread]
    length = draw.length(15, 60)
    return {
        "across_flats": flats,
        "length": length,
        "drill_diameter": drill,
        "drill_depth": draw.length(6, 20),
        "stud_diameter": thread,
        "stud_length": draw.length(5, 12),
        "sink_diameter": draw.length(thread + 0.4, flats - 0.8),
        "waist_diameter": draw.length(drill + 1.5, flats - 0.4),
        "waist_length": draw.length(3, 20),
        "waist_height": draw.length(2, 20),
    }


def _standoff_fits(d: Design) -> bool:
    flats, drill = d["across_flats"], d["drill_diameter"]
    deep = (d["sink_diameter"] - drill) / 2
    return (
        drill + 2 <= flats
        and d["drill_depth"] + 3 <= d["length"]
        and deep + 2 <= d["drill_depth"]
        and drill + 0.4 <= d["sink_diameter"] <= flats - 0.4
        and d["stud_diameter"] + 0.8 <= flats
        and drill + 1.5 <= d["waist_diameter"] <= flats - 0.2
        and d["waist_height"] >= 1
        and d["waist_height"] + d["waist_length"] + deep + 1 <= d["length"]
    )


def _standoff_asked(d: Design) -> tuple[Record, ...]:
    flats, tall, drill = d["across_flats"], d["length"], d["drill_diameter"]
    hexagon = math.sqrt(3) / 2 * flats**2
    solid = hexagon * tall - disc(drill) * d["drill_depth"]
    low = -d["stud_length"] if "stud" in d.options else 0
    if "stud" in d.options:
        solid += disc(d["stud_diameter"]) * d["stud_length"]
    if "countersink" in d.options:
        deep = (d["sink_diameter"] - drill) / 2
        solid -= cone(d["sink_diameter"], drill, deep) - disc(drill) * deep
    if "waist" in d.options:
        solid -= (hexagon - disc(d["waist_diameter"])) * d["waist_length"]
    at = (0, 0, tall - d["drill_depth"] + 0.5)
    return (
        box((2 * flats / math.sqrt(3), flats, tall - low), (0, 0, (tall + low) / 2)),
        bodies(),
        volume(solid),
        cylinder(drill, at, axis="z", inner=True),
        face("+z", (0, 0, tall - d["drill_depth"])),
        *when("stud" in d.options, cylinder(d["stud_diameter"], (0, 0, low / 2), axis="z")),
    )


def _standoff_drawn(d: Design) -> tuple[Annotation, ...]:
    y, z, r = d["across_flats"] / 2, d["length"], d["drill_diameter"] / 2
    corner, floor = 2 * y / math.sqrt(3), z - d["drill_depth"]
    marks = [
        span("across_flats", "top", (0, -y, z), (0, y, z), "AF {value}"),
        span("length", "front", (corner, 0, 0), (corner, 0, z)),
        diameter("drill_diameter", "top", (0, 0, z), d["drill_diameter"]),
        span("drill_depth", "front", (r, 0, floor), (r, 0, z)),
    ]
    if "stud" in d.options:
        s, low = d["stud_diameter"] / 2, -d["stud_length"]
        marks += [
            span("stud_diameter", "front", (-s, 0, low), (s, 0, low), "⌀{value}"),
            span("stud_length", "front", (s, 0, low), (s, 0, 0)),
        ]
    if "countersink" in d.options:
        text = "⌀{value} x 90°"
        marks.append(diameter("sink_diameter", "top", (0, 0, z), d["sink_diameter"], text))
    if "waist" in d.options:
        w, low, high = d["waist_diameter"] / 2, d["waist_height"], d["waist_length"]
        marks += [
            span("waist_diameter", "right", (0, -w, low), (0, w, low), "⌀{value}"),
            span("waist_height", "right", (0, -y, 0), (0, -y, low)),
            span("waist_length", "right", (0, -y, low), (0, -y, low + high)),
        ]
    return tuple(marks)


def _standoff_pin(d: Design) -> Mate:
    """A plain pin for the drilled hole, with 0.1 mm of play in the diameter."""
    size, floor = float(d["drill_diameter"] - 0.1), float(d["length"] - d["drill_depth"])
    tall = float(d["drill_depth"] + 10)
    about = (
        "Make a plain round pin that goes to the bottom of the hole in this standoff: axis on "
        "Z, 0.1 mm thinner than the drilled hole, and 10 mm of it stand out of the top."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'pin = cq.Workplane("XY", origin=(0, 0, {number(floor)})).circle({number(size)} / 2)\n'
        f"result = pin.extrude({number(tall)})\n"
    )
    asked = (box((size, size, tall), (0, 0, floor + tall / 2)), bodies(), volume(disc(size) * tall))
    return Mate(about, program, asked)


_STANDOFF_OPTIONS = {
    "stud": (
        "A round stud of diameter {stud_diameter}, {stud_length} long, continues below the hexagon "
        "on the same axis, down to Z = -{stud_length}."
    ),
    "countersink": (
        "The mouth of the hole is countersunk at 90 degrees to diameter {sink_diameter}."
    ),
    "waist": (
        "The hexagon is turned down to a round waist of diameter {waist_diameter}, "
        "{waist_length} long, which begins at Z = {waist_height}."
    ),
}

STANDOFF = Family(
    name="hex_standoff",
    title="hexagonal standoff",
    group="fasteners",
    dimensions=dimensions(
        "across_flats length drill_diameter drill_depth stud_diameter stud_length sink_diameter "
        "waist_diameter waist_length waist_height"
    ),
    steps=(
        Step(
            'result = cq.Workplane("XY").polygon(6, {across_flats} / 0.75**0.5).extrude({length})',
            "a hexagon of {across_flats} across flats, {length} long",
        ),
        Step(
            'ring = cq.Workplane("XY", origin=(0, 0, {waist_height})).circle({across_flats})\n'
            "ring = ring.circle({waist_diameter} / 2).extrude({waist_length})\n"
            "result = result.cut(ring)",
            "a waist of {waist_diameter}, {waist_length} long",
            "waist",
        ),
        Step(
            'drill = cq.Workplane("XY", origin=(0, 0, {length})).circle({drill_diameter} / 2)\n'
            "result = result.cut(drill.extrude(-{drill_depth}))",
            "a blind hole of {drill_diameter}, {drill_depth} deep",
        ),
        Step(
            "wide, deep = {sink_diameter} / 2, ({sink_diameter} - {drill_diameter}) / 2\n"
            'sink = cq.Workplane("XY", origin=(0, 0, {length})).circle(wide)\n'
            "result = result.cut(sink.extrude(-deep, taper=45))",
            "a countersink of {sink_diameter}",
            "countersink",
        ),
        Step(
            'stud = cq.Workplane("XY").circle({stud_diameter} / 2).extrude(-{stud_length})\n'
            "result = result.union(stud)",
            "a stud of {stud_diameter}, {stud_length} long",
            "stud",
        ),
    ),
    sample=sampler(_standoff_values, _standoff_fits, tuple(_STANDOFF_OPTIONS)),
    is_possible=_standoff_fits,
    wordings=(
        "Hexagonal standoff, all lengths in mm, axis on Z: a hexagonal bar of {across_flats} "
        "across flats, two of its corners on the X axis, from Z = 0 to Z = {length}. From the "
        "upper end a blind hole of diameter {drill_diameter}, to be tapped later, goes "
        "{drill_depth} deep along the axis and ends flat. {features}",
        "I need a hex spacer for a circuit board (mm). It stands on Z = 0 with its centre line on "
        "the Z axis and is {length} tall. Width across flats {across_flats}; the flats of one pair "
        "face +Y and -Y. Drill the core hole for a thread from the top, {drill_diameter} in "
        "diameter and {drill_depth} deep, flat bottom. {features}",
        "Hex standoff. Units: mm. AF {across_flats}, corners on X, Z 0 to {length}. Hole from +Z: "
        "dia {drill_diameter}, depth {drill_depth}, flat end, on the Z axis. {features}",
    ),
    options=_STANDOFF_OPTIONS,
    constrain=_standoff_asked,
    annotate=_standoff_drawn,
    mate=_standoff_pin,
)


def _tapped_values(draw: Draw) -> Mapping[str, Number]:
    thread = draw.choice((4, 5, 6, 8))
    return {
        "length": draw.length(50, 110),
        "width": draw.length(25, 60),
        "height": draw.length(20, 50),
        "hole_count": draw.count(2, 4),
        "hole_pitch": draw.length(2 * thread + 4, 2 * thread + 20),
        "drill_diameter": THREADS[thread][0],
        "drill_depth": draw.length(2 * thread, 2 * thread + 10),
        "thread_diameter": thread,
        "run_in_depth": draw.length(1, 4),
        "bore_diameter": draw.length(6, 14),
        "bore_height": draw.length(5, 14),
        "chamfer_size": draw.length(1, 3),
        "step_length": draw.length(8, 20),
        "step_depth": draw.length(3, 10),
    }


def _tapped_fits(d: Design) -> bool:
    row, thread = (d["hole_count"] - 1) * d["hole_pitch"], d["thread_diameter"]
    bore = d["bore_diameter"] / 2
    return (
        d["hole_count"] >= 2
        and thread >= d["drill_diameter"] + 0.4
        and thread + 3 <= d["hole_pitch"]
        and row + thread + 2 * d["step_length"] + 4 <= d["length"]
        and thread + 2 * d["chamfer_size"] + 6 <= d["width"]
        and d["run_in_depth"] + 3 <= d["drill_depth"]
        and bore + 2 <= d["bore_height"]
        and d["bore_height"] + bore + d["drill_depth"] + 2 <= d["height"]
        and d["step_depth"] + bore + d["bore_height"] + 2 <= d["height"]
    )


def _tapped_asked(d: Design) -> tuple[Record, ...]:
    long, wide, tall, thread = d["length"], d["width"], d["height"], d["thread_diameter"]
    count, pitch = int(d["hole_count"]), d["hole_pitch"]
    spots: list[Place] = [[(i - (count - 1) / 2) * pitch, 0.0, None] for i in range(count)]
    solid = long * wide * tall - count * disc(d["drill_diameter"]) * d["drill_depth"]
    if "run_in" in d.options:
        solid -= count * (disc(thread) - disc(d["drill_diameter"])) * d["run_in_depth"]
    if "bore" in d.options:
        solid -= disc(d["bore_diameter"]) * wide
    if "steps" in d.options:
        solid -= 2 * d["step_length"] * d["step_depth"] * wide
    if "chamfers" in d.options:
        high = tall - (d["step_depth"] if "steps" in d.options else 0)
        solid -= 4 * d["chamfer_size"] ** 2 / 2 * high
    return (
        box((long, wide, tall), (0, 0, tall / 2)),
        bodies(),
        volume(solid),
        _core_holes(d, spots),
        *when(
            "bore" in d.options,
            hole(d["bore_diameter"], (0, None, d["bore_height"]), axis="y", through=True),
        ),
        *when("steps" in d.options, face("+z", (long / 2 - 1, 0, tall - d["step_depth"]))),
    )


def _core_holes(d: Design, spots: list[Place]) -> Record:
    """Ask for a thread where the drill is that of one, else for the holes as they are."""
    thread, drill = int(d["thread_diameter"]), d["drill_diameter"]
    if THREADS.get(thread, (0, 0))[0] != drill:
        return hole(drill, *spots, opens="+z")
    return {"kind": "thread_hole", "thread": f"M{thread}", "at": spots, "opens": "+z"}


def _tapped_drawn(d: Design) -> tuple[Annotation, ...]:
    x, y, z, r = d["length"] / 2, d["width"] / 2, d["height"], d["drill_diameter"] / 2
    first = -(d["hole_count"] - 1) * d["hole_pitch"] / 2
    second, floor = first + d["hole_pitch"], z - d["drill_depth"]
    marks = [
        span("length", "front", (-x, -y, 0), (x, -y, 0)),
        span("width", "top", (-x, -y, 0), (-x, y, 0)),
        span("height", "front", (-x, -y, 0), (-x, -y, z)),
        note("top", (first, 0, z), "{value} holes, row centred", "hole_count"),
        span("hole_pitch", "top", (first, 0, z), (second, 0, z)),
        diameter("drill_diameter", "top", (second, 0, z), d["drill_diameter"]),
        span("drill_depth", "front", (first + r, 0, floor), (first + r, 0, z)),
    ]
    if "run_in" in d.options:
        t, low = d["thread_diameter"] / 2, z - d["run_in_depth"]
        marks += [
            diameter("thread_diameter", "top", (first, 0, z), d["thread_diameter"]),
            span("run_in_depth", "front", (first + t, 0, low), (first + t, 0, z)),
        ]
    if "bore" in d.options:
        at, size = d["bore_height"], d["bore_diameter"]
        marks += [
            span("bore_height", "front", (0, -y, 0), (0, -y, at)),
            diameter("bore_diameter", "front", (0, -y, at), size, "⌀{value} THRU"),
        ]
    if "chamfers" in d.options:
        marks.append(note("top", (x, y, 0), "4x {value} x 45°", "chamfer_size"))
    if "steps" in d.options:
        inner, low = x - d["step_length"], z - d["step_depth"]
        marks += [
            span("step_length", "front", (inner, -y, low), (x, -y, low), "2x {value}"),
            span("step_depth", "front", (inner, -y, low), (inner, -y, z)),
        ]
    return tuple(marks)


_TAPPED_OPTIONS = {
    "chamfers": "The four vertical outer edges have a chamfer of {chamfer_size} x 45 degrees.",
    "steps": (
        "At both X ends the top is lowered by {step_depth} over a length of {step_length} in X and "
        "the whole width."
    ),
    "run_in": (
        "The mouth of each of these holes is widened to the thread's nominal diameter of "
        "{thread_diameter}, {run_in_depth} deep."
    ),
    "bore": (
        "A through bore of diameter {bore_diameter} runs along Y at X = 0, Z = {bore_height}."
    ),
}

TAPPED_BLOCK = Family(
    name="tapped_block",
    title="block with tapped holes",
    group="fasteners",
    dimensions=(
        *dimensions("length width height"),
        *dimensions("hole_count", "count"),
        *dimensions("hole_pitch drill_diameter drill_depth thread_diameter run_in_depth"),
        *dimensions("bore_diameter bore_height chamfer_size step_length step_depth"),
    ),
    steps=(
        Step(
            'result = cq.Workplane("XY").rect({length}, {width}).extrude({height})',
            "a block of {length} by {width} by {height}",
        ),
        Step(
            'result = result.edges("|Z").chamfer({chamfer_size})',
            "chamfers of {chamfer_size} on the vertical edges",
            "chamfers",
        ),
        Step(
            'steps = cq.Workplane("XY", origin=(0, 0, {height}))\n'
            "steps = steps.rarray({length}, 1, 2, 1).rect(2 * {step_length}, {width})\n"
            "result = result.cut(steps.extrude(-{step_depth}))",
            "steps of {step_length} by {step_depth} at both ends",
            "steps",
        ),
        Step(
            'row = cq.Workplane("XY", origin=(0, 0, {height})).rarray({hole_pitch}, 1, '
            "{hole_count}, 1)\n"
            "result = result.cut(row.circle({drill_diameter} / 2).extrude(-{drill_depth}))",
            "{hole_count} tap holes of {drill_diameter}, {drill_depth} deep",
        ),
        Step(
            'row = cq.Workplane("XY", origin=(0, 0, {height})).rarray({hole_pitch}, 1, '
            "{hole_count}, 1)\n"
            "result = result.cut(row.circle({thread_diameter} / 2).extrude(-{run_in_depth}))",
            "wide mouths of {thread_diameter}, {run_in_depth} deep, of the holes",
            "run_in",
        ),
        Step(
            'bore = cq.Workplane("XZ", origin=(0, 0, {bore_height})).circle({bore_diameter} / 2)\n'
            "result = result.cut(bore.extrude({width}, both=True))",
            "a cross bore of {bore_diameter}",
            "bore",
        ),
    ),
    sample=sampler(_tapped_values, _tapped_fits, tuple(_TAPPED_OPTIONS)),
    is_possible=_tapped_fits,
    wordings=(
        "Block with tapped holes, all lengths in mm: {length} (X) by {width} (Y) by {height} (Z), "
        "centred on X = 0 and Y = 0, underside on Z = 0. From the top, {hole_count} blind holes "
        "for threads are drilled with diameter {drill_diameter}, {drill_depth} deep with a flat "
        "end, in a row along X on Y = 0 at a pitch of {hole_pitch}, the row centred on X = 0. "
        "Threads are not modelled. {features}",
        "Model a threaded mounting block (mm, Z up), core holes only. The block is {length} long "
        "in X, {width} wide in Y and {height} high, rests on Z = 0 and has the Z axis in its "
        "middle. Its top face has {hole_count} core holes of diameter {drill_diameter}, each "
        "{drill_depth} deep, flat-bottomed; they lie on the X-directed centre line, {hole_pitch} "
        "apart, symmetric about the middle. {features}",
        "Tapped block. Units: mm. X {length}, Y {width}, centred; Z 0 to {height}. Holes from +Z: "
        "{hole_count} x dia {drill_diameter}, depth {drill_depth}, flat; at Y = 0, pitch "
        "{hole_pitch} along X, centred. No modelled threads. {features}",
    ),
    options=_TAPPED_OPTIONS,
    constrain=_tapped_asked,
    annotate=_tapped_drawn,
)

FAMILIES = (STANDOFF, TAPPED_BLOCK)
