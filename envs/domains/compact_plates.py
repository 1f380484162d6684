"""Compact plates: a flat box with one kind of feature."""

from __future__ import annotations

from cadwright.envs.domains.asking import Record, bodies, box, corners, hole
from cadwright.envs.domains.compact_grid import CompactFamily, Grid, compact
from cadwright.envs.domains.family import Design

LENGTH, WIDTH = Grid(24, 60, 2), Grid(20, 50, 2)
THICKNESS = Grid(3, 12)
TOP = ".faces('>Z').workplane()"
PLATE = "cq.Workplane('XY').box({length},{width},{thickness})"


def _plate(d: Design, *more: Record) -> tuple[Record, ...]:
    """Ask for a plate around the origin."""
    return (box((d["length"], d["width"], d["thickness"]), (0, 0, 0)), bodies(), *more)


BORED_PLATE = compact(
    "bored_plate",
    "bored plate",
    "plates",
    grids={
        "length": LENGTH,
        "width": WIDTH,
        "thickness": THICKNESS,
        "hole_diameter": Grid(6, 42, 2),
    },
    code=f"{PLATE}{TOP}.hole({{hole_diameter}})",
    wordings=(
        "Plate {length} x {width} x {thickness}, centred on the origin, with a {hole_diameter} mm "
        "through hole along Z in the middle.",
        "Bored plate about the origin: length {length}, width {width}, thickness {thickness}, "
        "hole diameter {hole_diameter}.",
        "A {length} by {width} plate, {thickness} thick, with one central bore of diameter "
        "{hole_diameter}; the middle of the plate is the origin.",
        "Centre a plate of {length} x {width} mm and thickness {thickness} mm on the origin and "
        "drill it through its middle with {hole_diameter} mm.",
    ),
    fits=lambda v: v["hole_diameter"] <= min(v["length"], v["width"]) - 8,
    constrain=lambda d: _plate(d, hole(d["hole_diameter"], (0, 0, None), through=True)),
)

FOUR_HOLE_PLATE = compact(
    "four_hole_plate",
    "plate with four holes",
    "plates",
    grids={
        "length": Grid(32, 60, 2),
        "width": Grid(28, 50, 2),
        "thickness": Grid(3, 10),
        "pitch_length": Grid(16, 50, 2),
        "pitch_width": Grid(14, 40, 2),
        "hole_diameter": Grid(3, 6),
    },
    code=f"{PLATE}{TOP}.rect({{pitch_length}},{{pitch_width}}).vertices().hole({{hole_diameter}})",
    wordings=(
        "Plate {length} x {width} x {thickness}, centred on the origin, with four {hole_diameter} "
        "mm through holes on a {pitch_length} x {pitch_width} rectangle.",
        "Plate with four holes about the origin: length {length}, width {width}, thickness "
        "{thickness}, pitch length {pitch_length}, pitch width {pitch_width}, hole diameter "
        "{hole_diameter}.",
        "A mounting plate {length} by {width}, {thickness} thick, its middle at the origin; four "
        "holes of diameter {hole_diameter}, {pitch_length} apart along X and {pitch_width} along "
        "Y.",
        "Centre a {length} x {width} x {thickness} mm plate on the origin and drill "
        "{hole_diameter} mm at the corners of a rectangle of {pitch_length} x {pitch_width} mm.",
    ),
    fits=lambda v: (
        v["length"] // 2 <= v["pitch_length"] <= v["length"] - 10
        and v["width"] // 2 <= v["pitch_width"] <= v["width"] - 10
    ),
    constrain=lambda d: _plate(
        d,
        hole(
            d["hole_diameter"],
            *corners(d["pitch_length"], d["pitch_width"], (0, 0)),
            through=True,
        ),
    ),
)

TWO_HOLE_PLATE = compact(
    "two_hole_plate",
    "plate with two holes",
    "plates",
    grids={
        "length": Grid(32, 60, 2),
        "width": Grid(16, 40, 2),
        "thickness": THICKNESS,
        "pitch": Grid(14, 46, 2),
        "hole_diameter": Grid(4, 12),
    },
    code=f"{PLATE}{TOP}.rarray({{pitch}},1,2,1).hole({{hole_diameter}})",
    wordings=(
        "Plate {length} x {width} x {thickness}, centred on the origin, with two {hole_diameter} "
        "mm through holes {pitch} apart along X.",
        "Plate with two holes about the origin: length {length}, width {width}, thickness "
        "{thickness}, pitch {pitch}, hole diameter {hole_diameter}.",
        "A strap {length} by {width}, {thickness} thick, its middle at the origin; two holes of "
        "diameter {hole_diameter} in a row along X at a distance of {pitch}.",
        "Centre a {length} x {width} x {thickness} mm plate on the origin; drill two holes of "
        "{hole_diameter} mm, {pitch} mm from each other in X.",
    ),
    fits=lambda v: (
        v["hole_diameter"] + 3 <= v["pitch"] <= v["length"] - v["hole_diameter"] - 6
        and v["hole_diameter"] <= v["width"] - 6
    ),
    constrain=lambda d: _plate(
        d,
        hole(
            d["hole_diameter"], (d["pitch"] / 2, 0, None), (-d["pitch"] / 2, 0, None), through=True
        ),
    ),
)

SLOTTED_PLATE = compact(
    "slotted_plate",
    "slotted plate",
    "plates",
    grids={
        "length": Grid(30, 60, 2),
        "width": WIDTH,
        "thickness": THICKNESS,
        "slot_length": Grid(10, 54, 2),
        "slot_width": Grid(6, 20, 2),
    },
    code=f"{PLATE}{TOP}.slot2D({{slot_length}},{{slot_width}}).cutThruAll()",
    wordings=(
        "Plate {length} x {width} x {thickness}, centred on the origin, with a through slot along "
        "X, {slot_length} long over its round ends and {slot_width} wide.",
        "Slotted plate about the origin: length {length}, width {width}, thickness {thickness}, "
        "slot length {slot_length}, slot width {slot_width}.",
        "A {length} by {width} plate, {thickness} thick, its middle at the origin, and in it a "
        "{slot_length} x {slot_width} obround hole along X.",
        "Centre a {length} x {width} x {thickness} mm plate on the origin and mill a slot of "
        "{slot_length} by {slot_width} mm through it, along X.",
    ),
    fits=lambda v: (
        v["slot_width"] + 4 <= v["slot_length"] <= v["length"] - 6
        and v["slot_width"] <= v["width"] - 8
    ),
    constrain=_plate,
)

COUNTERSUNK_PLATE = compact(
    "countersunk_plate",
    "countersunk plate",
    "plates",
    grids={
        "length": LENGTH,
        "width": WIDTH,
        "thickness": Grid(5, 12),
        "hole_diameter": Grid(4, 14),
        "sink_diameter": Grid(10, 30, 2),
    },
    code=f"{PLATE}{TOP}.cskHole({{hole_diameter}},{{sink_diameter}},90)",
    wordings=(
        "Plate {length} x {width} x {thickness}, centred on the origin, with a {hole_diameter} mm "
        "through hole in the middle, countersunk from the top to {sink_diameter} mm at 90 degrees.",
        "Countersunk plate about the origin: length {length}, width {width}, thickness "
        "{thickness}, hole diameter {hole_diameter}, sink diameter {sink_diameter}.",
        "A {length} by {width} plate, {thickness} thick, its middle at the origin; central hole of "
        "diameter {hole_diameter} with a 90 degree countersink of diameter {sink_diameter} on top.",
        "Centre a {length} x {width} x {thickness} mm plate on the origin, drill {hole_diameter} "
        "mm through its middle and sink the top to {sink_diameter} mm, 90 degrees.",
    ),
    fits=lambda v: (
        v["hole_diameter"] + 4 <= v["sink_diameter"] <= v["width"] - 6
        and (v["sink_diameter"] - v["hole_diameter"]) / 2 <= v["thickness"] - 1
        and v["sink_diameter"] <= v["length"] - 6
    ),
    constrain=_plate,
)

BOSS_PLATE = compact(
    "boss_plate",
    "plate with a boss",
    "plates",
    grids={
        "length": LENGTH,
        "width": WIDTH,
        "thickness": Grid(3, 10),
        "boss_radius": Grid(4, 20),
        "boss_height": Grid(4, 30, 2),
    },
    code=f"{PLATE}{TOP}.circle({{boss_radius}}).extrude({{boss_height}})",
    wordings=(
        "Plate {length} x {width} x {thickness}, centred on the origin, with a round boss of "
        "radius {boss_radius}, {boss_height} high, in the middle of its top.",
        "Plate with a boss, the plate about the origin: length {length}, width {width}, thickness "
        "{thickness}, boss radius {boss_radius}, boss height {boss_height}.",
        "A {length} by {width} base, {thickness} thick, its middle at the origin, carries a "
        "cylinder of radius {boss_radius} that stands {boss_height} above it.",
        "Centre a {length} x {width} x {thickness} mm plate on the origin; on top of it a pin of "
        "radius {boss_radius} mm and height {boss_height} mm.",
    ),
    fits=lambda v: v["boss_radius"] <= min(v["length"], v["width"]) // 2 - 2,
    constrain=lambda d: (
        box(
            (d["length"], d["width"], d["thickness"] + d["boss_height"]),
            (0, 0, d["boss_height"] / 2),
        ),
        bodies(),
    ),
)

CROSS_PLATE = compact(
    "cross_plate",
    "cross",
    "plates",
    grids={
        "length": LENGTH,
        "width": Grid(20, 60, 2),
        "arm_width": Grid(6, 30, 2),
        "thickness": Grid(3, 20),
    },
    code=(
        "cq.Workplane('XY').box({length},{arm_width},{thickness})"
        ".union(cq.Workplane('XY').box({arm_width},{width},{thickness}))"
    ),
    wordings=(
        "Cross about the origin, {length} long in X, {width} in Y, {thickness} thick in Z, with "
        "arms {arm_width} wide.",
        "Cross centred on the origin: length {length}, width {width}, arm width {arm_width}, "
        "thickness {thickness}.",
        "A plus-shaped plate, {thickness} thick, its middle at the origin: one arm {length} along "
        "X, one {width} along Y, each {arm_width} wide.",
        "Centre a plus sign on the origin: {length} by {width} mm over all, arms of {arm_width} "
        "mm, plate thickness {thickness} mm.",
    ),
    fits=lambda v: v["arm_width"] <= min(v["length"], v["width"]) - 8,
    constrain=_plate,
)

FAMILIES: tuple[CompactFamily, ...] = (
    BORED_PLATE,
    FOUR_HOLE_PLATE,
    TWO_HOLE_PLATE,
    SLOTTED_PLATE,
    COUNTERSUNK_PLATE,
    BOSS_PLATE,
    CROSS_PLATE,
)
