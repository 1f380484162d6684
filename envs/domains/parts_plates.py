"""Machined plates: a motor plate, a fixture plate, an oval flange and a lever."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Place,
    Record,
    bevelled,
    bodies,
    box,
    corners,
    dimensions,
    disc,
    face,
    hole,
    rounded_rectangle,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, note, radius, span
from cadwright.envs.domains.family import Annotation, Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler

# Square of the screws, clearance hole of the screw, pilot of the motor: NEMA 11, 17, 23, 34.
NEMA = ((23, 2.9, 22), (31, 3.4, 22), (47.14, 5.5, 38.1), (69.6, 6.6, 73))
CLEARANCE = (3.4, 4.5, 5.5, 6.6, 9, 11)  # ISO 273 medium, M3 to M10
TAP_DRILLS = (3.3, 4.2, 5, 6.8, 8.5)  # M4 to M10
DOWELS = (4, 5, 6, 8)  # ISO 2338


def _motor_values(draw: Draw) -> Mapping[str, Number]:
    pitch, screw, pilot = draw.choice(NEMA)
    return {
        "length": draw.length(pitch + 45, pitch + 90),
        "width": draw.length(pitch + 12, pitch + 40),
        "thickness": draw.length(4, 12),
        "pilot_diameter": pilot,
        "screw_pitch": pitch,
        "screw_diameter": screw,
        "corner_radius": draw.length(3, 8),
        "chamfer_size": draw.length(0.5, 1.5),
        "recess_diameter": draw.length(pilot + 3, pilot + 8),
        "recess_depth": draw.length(1, 3),
        "mount_pitch": draw.length(pitch + 22, pitch + 70),
        "mount_diameter": draw.choice(CLEARANCE[:4]),
    }


def _motor_fits(d: Design) -> bool:
    pitch, screw = d["screw_pitch"], d["screw_diameter"]
    return (
        d["mount_pitch"] + d["mount_diameter"] + 8 <= d["length"]
        and d["mount_pitch"] >= pitch + screw + d["mount_diameter"] + 3
        and pitch + screw + 6 <= d["width"]
        and d["recess_diameter"] / 2 + screw / 2 + 1 <= pitch / math.sqrt(2)
        and d["recess_diameter"] >= d["pilot_diameter"] + 2
        and d["recess_depth"] + 1 <= d["thickness"]
        and d["chamfer_size"] + 0.5 <= min(d["corner_radius"], d["thickness"] / 2)
        and 2 * d["corner_radius"] + 4 <= d["width"]
    )


def _motor_volume(d: Design) -> float:
    rounding = d["corner_radius"] if "corners" in d.options else 0
    bevel = d["chamfer_size"] if "chamfer" in d.options else 0
    outline = rounded_rectangle(d["length"], d["width"], rounding)
    cut = disc(d["pilot_diameter"]) + 4 * disc(d["screw_diameter"])
    if "mounting" in d.options:
        cut += 2 * disc(d["mount_diameter"])
    body = outline * (d["thickness"] - bevel) - cut * d["thickness"]
    body += bevelled(d["length"], d["width"], rounding, bevel)
    if "recess" in d.options:
        body -= (disc(d["recess_diameter"]) - disc(d["pilot_diameter"])) * d["recess_depth"]
    return body


def _motor_asked(d: Design) -> tuple[Record, ...]:
    pitch, reach = d["screw_pitch"], d["mount_pitch"] / 2
    return (
        box((d["length"], d["width"], d["thickness"]), (0, 0, d["thickness"] / 2)),
        bodies(),
        volume(_motor_volume(d)),
        hole(d["pilot_diameter"], (0, 0, None), through=True),
        hole(d["screw_diameter"], *corners(pitch, pitch, (0, 0)), through=True),
        *when(
            "mounting" in d.options,
            hole(d["mount_diameter"], (-reach, 0, None), (reach, 0, None), through=True),
        ),
        *when(
            "recess" in d.options,
            face("+z", (0, d["recess_diameter"] / 2 - 0.5, d["thickness"] - d["recess_depth"])),
        ),
    )


def _motor_drawn(d: Design) -> tuple[Annotation, ...]:
    x, y, z = d["length"] / 2, d["width"] / 2, d["thickness"]
    s, m = d["screw_pitch"] / 2, d["mount_pitch"] / 2
    r, chosen = d["corner_radius"], d.options
    marks = [
        span("length", "top", (-x, -y, z), (x, -y, z)),
        span("width", "top", (-x, -y, z), (-x, y, z)),
        span("thickness", "front", (x, -y, 0), (x, -y, z)),
        diameter("pilot_diameter", "top", (0, 0, z), d["pilot_diameter"], "⌀{value} THRU"),
        span("screw_pitch", "top", (-s, s, z), (s, s, z)),
        note("top", (s, -s, z), "square pattern"),
        diameter("screw_diameter", "top", (s, s, z), d["screw_diameter"], "4x ⌀{value} THRU"),
    ]
    if "corners" in chosen:
        marks.append(radius("corner_radius", "top", (x - r, y - r, z), r, text="4x R{value}"))
    if "chamfer" in chosen:
        marks.append(note("front", (x, -y, z), "{value} x 45°", "chamfer_size"))
    if "recess" in chosen:
        marks.append(diameter("recess_diameter", "top", (0, 0, z), d["recess_diameter"]))
        low = z - d["recess_depth"]
        edge = d["recess_diameter"] / 2
        marks.append(span("recess_depth", "right", (0, edge, low), (0, edge, z)))
    if "mounting" in chosen:
        marks.append(span("mount_pitch", "top", (-m, 0, z), (m, 0, z)))
        text = "2x ⌀{value} THRU"
        marks.append(diameter("mount_diameter", "top", (m, 0, z), d["mount_diameter"], text))
    return tuple(marks)


_MOTOR_OPTIONS = {
    "corners": "The four vertical edges are rounded with R{corner_radius}.",
    "chamfer": "The outer edge of the top face has a chamfer of {chamfer_size} x 45 degrees.",
    "recess": (
        "A round recess of diameter {recess_diameter}, {recess_depth} deep, is cut from the top, "
        "coaxial with the pilot bore."
    ),
    "mounting": (
        "Two more through holes of diameter {mount_diameter} lie on Y = 0, {mount_pitch} apart in "
        "X, symmetric about X = 0."
    ),
}

MOTOR_PLATE = Family(
    name="motor_plate",
    title="stepper motor plate",
    group="plates",
    dimensions=dimensions(
        "length width thickness pilot_diameter screw_pitch screw_diameter corner_radius "
        "chamfer_size recess_diameter recess_depth mount_pitch mount_diameter"
    ),
    steps=(
        Step(
            'result = cq.Workplane("XY").rect({length}, {width}).extrude({thickness})',
            "a plate of {length} by {width} by {thickness}",
        ),
        Step(
            'result = result.edges("|Z").fillet({corner_radius})',
            "roundings of R{corner_radius} on the vertical edges",
            "corners",
        ),
        Step(
            'result = result.faces(">Z").edges().chamfer({chamfer_size})',
            "a chamfer of {chamfer_size} around the top",
            "chamfer",
        ),
        Step(
            'screws = cq.Workplane("XY").rect({screw_pitch}, {screw_pitch}, forConstruction=True)\n'
            "screws = screws.vertices().circle({screw_diameter} / 2).extrude({thickness})\n"
            'pilot = cq.Workplane("XY").circle({pilot_diameter} / 2).extrude({thickness})\n'
            "result = result.cut(screws).cut(pilot)",
            "a pilot bore of {pilot_diameter} and four screw holes of {screw_diameter}",
        ),
        Step(
            "floor = {thickness} - {recess_depth}\n"
            'recess = cq.Workplane("XY", origin=(0, 0, floor)).circle({recess_diameter} / 2)\n'
            "result = result.cut(recess.extrude({recess_depth}))",
            "a recess of {recess_diameter}, {recess_depth} deep",
            "recess",
        ),
        Step(
            'mounts = cq.Workplane("XY").rarray({mount_pitch}, 1, 2, 1)\n'
            "result = result.cut(mounts.circle({mount_diameter} / 2).extrude({thickness}))",
            "two mounting holes of {mount_diameter}, {mount_pitch} apart",
            "mounting",
        ),
    ),
    sample=sampler(_motor_values, _motor_fits, tuple(_MOTOR_OPTIONS)),
    is_possible=_motor_fits,
    wordings=(
        "Stepper motor plate, all lengths in mm: {length} (X) by {width} (Y) by {thickness} (Z), "
        "centred on X = 0 and Y = 0, underside on Z = 0. A through bore of diameter "
        "{pilot_diameter} on the Z axis takes the pilot of the motor. Four through holes of "
        "diameter {screw_diameter} take its screws, on the corners of a square of {screw_pitch} by "
        "{screw_pitch} that is centred on the Z axis with its sides along X and Y. {features}",
        "Please model the plate that our stepper motor bolts to (mm, Z up). It lies on the plane "
        "Z = 0, is {thickness} thick, {length} long in X and {width} wide in Y, with its middle on "
        "the Z axis. The motor's pilot goes through a hole of diameter {pilot_diameter} in the "
        "middle, its four screws through holes of diameter {screw_diameter} at a spacing of "
        "{screw_pitch} in both X and Y, symmetric about the Z axis. {features}",
        "Motor mounting plate. Units: mm. Body X {length}, Y {width}, both symmetric about 0; Z "
        "from 0 to {thickness}. Through all: 1x diameter {pilot_diameter} at X = 0, Y = 0; 4x "
        "diameter {screw_diameter} in a centred square pattern, pitch {screw_pitch}, aligned with "
        "X and Y. {features}",
    ),
    options=_MOTOR_OPTIONS,
    constrain=_motor_asked,
    annotate=_motor_drawn,
)


def _fixture_values(draw: Draw) -> Mapping[str, Number]:
    columns, rows, pitch = draw.count(3, 6), draw.count(2, 4), draw.choice((15, 20, 25, 30))
    return {
        "length": draw.length((columns - 1) * pitch + 50, (columns - 1) * pitch + 90),
        "width": draw.length((rows - 1) * pitch + 24, (rows - 1) * pitch + 50),
        "thickness": draw.length(12, 30),
        "columns": columns,
        "rows": rows,
        "pitch": pitch,
        "hole_diameter": draw.choice(TAP_DRILLS),
        "dowel_pitch": draw.length((columns - 1) * pitch + 24, (columns - 1) * pitch + 70),
        "dowel_diameter": draw.choice(DOWELS),
        "corner_radius": draw.length(3, 10),
        "relief_width": draw.length(10, 60),
        "relief_depth": draw.length(2, 6),
    }


def _fixture_fits(d: Design) -> bool:
    grid_x = (d["columns"] - 1) * d["pitch"] + d["hole_diameter"]
    grid_y = (d["rows"] - 1) * d["pitch"] + d["hole_diameter"]
    return (
        min(d["columns"], d["rows"]) >= 2
        and d["pitch"] >= d["hole_diameter"] + 3
        and grid_x + d["dowel_diameter"] + 4 <= d["dowel_pitch"] + d["hole_diameter"]
        and d["dowel_pitch"] + d["dowel_diameter"] + 6 <= d["length"]
        and grid_y + 8 <= d["width"]
        and 2 * d["corner_radius"] + 4 <= d["width"]
        and d["relief_width"] + 8 <= d["width"]
        and d["relief_depth"] + 5 <= d["thickness"]
    )


def _grid(d: Design) -> list[Place]:
    x0, y0 = (d["columns"] - 1) * d["pitch"] / 2, (d["rows"] - 1) * d["pitch"] / 2
    step = d["pitch"]
    return [
        (i * step - x0, j * step - y0, None)
        for i in range(int(d["columns"]))
        for j in range(int(d["rows"]))
    ]


def _fixture_asked(d: Design) -> tuple[Record, ...]:
    reach = d["dowel_pitch"] / 2
    return (
        box((d["length"], d["width"], d["thickness"]), (0, 0, d["thickness"] / 2)),
        bodies(),
        hole(d["hole_diameter"], *_grid(d), through=True),
        *when(
            "dowels" in d.options,
            hole(d["dowel_diameter"], (-reach, 0, None), (reach, 0, None), through=True),
        ),
        *when(
            "relief" in d.options,
            face("-z", (d["length"] / 2 - 1, d["relief_width"] / 2 - 0.5, d["relief_depth"])),
        ),
    )


def _fixture_drawn(d: Design) -> tuple[Annotation, ...]:
    x, y, z = d["length"] / 2, d["width"] / 2, d["thickness"]
    gx, gy = (d["columns"] - 1) * d["pitch"] / 2, (d["rows"] - 1) * d["pitch"] / 2
    m, r, w = d["dowel_pitch"] / 2, d["corner_radius"], d["relief_width"] / 2
    marks = [
        span("length", "top", (-x, -y, z), (x, -y, z)),
        span("width", "top", (-x, -y, z), (-x, y, z)),
        span("thickness", "front", (x, -y, 0), (x, -y, z)),
        span("pitch", "top", (-gx, gy, z), (-gx + d["pitch"], gy, z), "{value} (X and Y)"),
        note("top", (-gx, -gy, z), "{value} columns", "columns"),
        note("top", (gx, -gy, z), "{value} rows", "rows"),
        diameter("hole_diameter", "top", (gx, gy, z), d["hole_diameter"], "⌀{value} THRU, grid"),
    ]
    if "dowels" in d.options:
        text = "2x ⌀{value} THRU"
        marks.append(span("dowel_pitch", "top", (-m, 0, z), (m, 0, z)))
        marks.append(diameter("dowel_diameter", "top", (m, 0, z), d["dowel_diameter"], text))
    if "corners" in d.options:
        marks.append(radius("corner_radius", "top", (x - r, y - r, z), r, text="4x R{value}"))
    if "relief" in d.options:
        marks.append(span("relief_width", "right", (x, -w, 0), (x, w, 0)))
        marks.append(span("relief_depth", "right", (x, w, 0), (x, w, d["relief_depth"])))
    return tuple(marks)


_FIXTURE_OPTIONS = {
    "dowels": (
        "Two through holes of diameter {dowel_diameter} for dowel pins lie on Y = 0, {dowel_pitch} "
        "apart in X, symmetric about X = 0."
    ),
    "corners": "The four vertical edges are rounded with R{corner_radius}.",
    "relief": (
        "A channel {relief_width} wide (Y, centred) and {relief_depth} deep runs along X through "
        "the whole underside."
    ),
}

FIXTURE_PLATE = Family(
    name="fixture_plate",
    title="fixture plate with a grid of holes",
    group="plates",
    dimensions=(
        *dimensions("length width thickness"),
        *dimensions("columns rows", "count"),
        *dimensions(
            "pitch hole_diameter dowel_pitch dowel_diameter corner_radius relief_width relief_depth"
        ),
    ),
    steps=(
        Step(
            'result = cq.Workplane("XY").rect({length}, {width}).extrude({thickness})',
            "a plate of {length} by {width} by {thickness}",
        ),
        Step(
            'result = result.edges("|Z").fillet({corner_radius})',
            "roundings of R{corner_radius} on the vertical edges",
            "corners",
        ),
        Step(
            'grid = cq.Workplane("XY").rarray({pitch}, {pitch}, {columns}, {rows})\n'
            "result = result.cut(grid.circle({hole_diameter} / 2).extrude({thickness}))",
            "{columns} by {rows} through holes of {hole_diameter}, pitch {pitch}",
        ),
        Step(
            'dowels = cq.Workplane("XY").rarray({dowel_pitch}, 1, 2, 1)\n'
            "result = result.cut(dowels.circle({dowel_diameter} / 2).extrude({thickness}))",
            "two dowel holes of {dowel_diameter}, {dowel_pitch} apart",
            "dowels",
        ),
        Step(
            'channel = cq.Workplane("XY").rect({length}, {relief_width}).extrude({relief_depth})\n'
            "result = result.cut(channel)",
            "a channel of {relief_width}, {relief_depth} deep, in the underside",
            "relief",
        ),
    ),
    sample=sampler(_fixture_values, _fixture_fits, tuple(_FIXTURE_OPTIONS)),
    is_possible=_fixture_fits,
    wordings=(
        "Fixture plate, all lengths in mm: {length} (X) by {width} (Y) by {thickness} (Z), centred "
        "on X = 0 and Y = 0, underside on Z = 0. A grid of through holes of diameter "
        "{hole_diameter}, {columns} along X by {rows} along Y, pitch {pitch} both ways, is centred "
        "on the Z axis. {features}",
        "Make a work-holding plate (mm, Z up), {thickness} thick from Z = 0 upwards, {length} in X "
        "and {width} in Y with the Z axis through its middle. Drill {columns} columns (along X) "
        "and {rows} rows (along Y) of through holes of diameter {hole_diameter}, {pitch} from hole "
        "to hole in both directions, the pattern centred on the plate. {features}",
        "Tooling plate. Units: mm. X {length}, Y {width}, symmetric about 0; Z 0 to {thickness}. "
        "Hole grid centred on X = 0, Y = 0: {columns} (X) x {rows} (Y), pitch {pitch}, diameter "
        "{hole_diameter} through. {features}",
    ),
    options=_FIXTURE_OPTIONS,
    constrain=_fixture_asked,
    annotate=_fixture_drawn,
)

FAMILIES = (MOTOR_PLATE, FIXTURE_PLATE)
