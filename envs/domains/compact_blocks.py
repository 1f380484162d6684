"""Compact blocks: a box with one kind of cut, and two profiles that are blocks by their look."""

from __future__ import annotations

from cadwright.envs.domains.asking import Record, bodies, box
from cadwright.envs.domains.compact_grid import CompactFamily, Grid, compact
from cadwright.envs.domains.family import Design, Number

LENGTH, WIDTH, HEIGHT = Grid(24, 60, 2), Grid(20, 50, 2), Grid(10, 40, 2)
RUN = Grid(16, 50, 2)  # of a profile along Y
TOP = ".faces('>Z').workplane()"
BLOCK = "cq.Workplane('XY').box({length},{width},{height})"


def _block(d: Design, *more: Record) -> tuple[Record, ...]:
    """Ask for a block around the origin."""
    return (box((d["length"], d["width"], d["height"]), (0, 0, 0)), bodies(), *more)


def _bar(d: Design, length: Number, height: Number) -> tuple[Record, ...]:
    """Ask for a profile whose lower left corner runs along Y from the origin to -Y."""
    run = d["width"]
    return (box((length, run, height), (length / 2, -run / 2, height / 2)), bodies())


POCKET_BLOCK = compact(
    "pocket_block",
    "block with a pocket",
    "blocks",
    grids={
        "length": LENGTH,
        "width": WIDTH,
        "height": Grid(10, 30, 2),
        "pocket_length": Grid(8, 54, 2),
        "pocket_width": Grid(6, 44, 2),
        "pocket_depth": Grid(3, 27),
    },
    code=f"{BLOCK}{TOP}.rect({{pocket_length}},{{pocket_width}}).cutBlind(-{{pocket_depth}})",
    wordings=(
        "Block {length} x {width} x {height}, centred on the origin, with a pocket {pocket_length} "
        "x {pocket_width}, {pocket_depth} deep, in the middle of its top.",
        "Block with a pocket, about the origin: length {length}, width {width}, height {height}, "
        "pocket length {pocket_length}, pocket width {pocket_width}, pocket depth {pocket_depth}.",
        "A {length} by {width} block, {height} high, its middle at the origin, hollowed from the "
        "top by {pocket_length} x {pocket_width} to a depth of {pocket_depth}.",
        "Centre a {length} x {width} x {height} mm block on the origin and mill a rectangular "
        "recess of {pocket_length} x {pocket_width} mm, {pocket_depth} mm deep, into its top.",
    ),
    fits=lambda v: (
        v["length"] // 3 <= v["pocket_length"] <= v["length"] - 6
        and v["width"] // 3 <= v["pocket_width"] <= v["width"] - 6
        and v["pocket_depth"] <= v["height"] - 3
    ),
    constrain=_block,
)

CHAMFERED_BLOCK = compact(
    "chamfered_block",
    "chamfered block",
    "blocks",
    grids={"length": LENGTH, "width": WIDTH, "height": HEIGHT, "chamfer": Grid(3, 12)},
    code=f"{BLOCK}.edges('|Z').chamfer({{chamfer}})",
    wordings=(
        "Block {length} x {width} x {height}, centred on the origin, with {chamfer} mm chamfers on "
        "the vertical edges.",
        "Chamfered block about the origin: length {length}, width {width}, height {height}, "
        "chamfer {chamfer}.",
        "A {length} by {width} block, {height} high, its middle at the origin; the four edges "
        "along Z are bevelled by {chamfer}.",
        "Centre a {length} x {width} x {height} mm block on the origin and break its four upright "
        "edges by {chamfer} mm at 45 degrees.",
    ),
    fits=lambda v: v["chamfer"] <= min(v["length"], v["width"]) // 2 - 2,
    constrain=_block,
)

GROOVED_BLOCK = compact(
    "grooved_block",
    "grooved block",
    "blocks",
    grids={
        "length": LENGTH,
        "width": WIDTH,
        "height": Grid(12, 40, 2),
        "groove_width": Grid(8, 42, 2),
        "groove_depth": Grid(4, 36),
    },
    code=f"{BLOCK}{TOP}.rect({{length}},{{groove_width}}).cutBlind(-{{groove_depth}})",
    wordings=(
        "Block {length} x {width} x {height}, centred on the origin, with a groove along X through "
        "its top, {groove_width} wide and {groove_depth} deep.",
        "Grooved block about the origin: length {length}, width {width}, height {height}, groove "
        "width {groove_width}, groove depth {groove_depth}.",
        "A U channel {length} by {width}, {height} high, its middle at the origin, open to the "
        "top: {groove_width} wide and {groove_depth} deep inside, all along X.",
        "Centre a {length} x {width} x {height} mm block on the origin and mill a trough of "
        "{groove_width} mm, {groove_depth} mm deep, along X into its top.",
    ),
    fits=lambda v: v["groove_width"] <= v["width"] - 8 and v["groove_depth"] <= v["height"] - 3,
    constrain=_block,
)

COUNTERBORED_BLOCK = compact(
    "counterbored_block",
    "counterbored block",
    "blocks",
    grids={
        "length": LENGTH,
        "width": WIDTH,
        "height": HEIGHT,
        "hole_diameter": Grid(4, 20),
        "bore_diameter": Grid(10, 40, 2),
        "bore_depth": Grid(3, 30),
    },
    code=f"{BLOCK}{TOP}.cboreHole({{hole_diameter}},{{bore_diameter}},{{bore_depth}})",
    wordings=(
        "Block {length} x {width} x {height}, centred on the origin, with a {hole_diameter} mm "
        "through hole in the middle, counterbored from the top {bore_diameter} wide and "
        "{bore_depth} deep.",
        "Counterbored block about the origin: length {length}, width {width}, height {height}, "
        "hole diameter {hole_diameter}, bore diameter {bore_diameter}, bore depth {bore_depth}.",
        "A {length} by {width} block, {height} high, its middle at the origin; along Z a hole of "
        "diameter {hole_diameter} with a counterbore of diameter {bore_diameter}, {bore_depth} "
        "deep, at the top.",
        "Centre a {length} x {width} x {height} mm block on the origin, drill {hole_diameter} mm "
        "through it and open the top to {bore_diameter} mm for {bore_depth} mm.",
    ),
    fits=lambda v: (
        v["hole_diameter"] + 4 <= v["bore_diameter"] <= min(v["length"], v["width"]) - 6
        and v["bore_depth"] <= v["height"] - 3
    ),
    constrain=_block,
)

WINDOW_BLOCK = compact(
    "window_block",
    "block with a window",
    "blocks",
    grids={
        "length": LENGTH,
        "width": WIDTH,
        "height": Grid(16, 50, 2),
        "window_length": Grid(8, 52, 2),
        "window_height": Grid(6, 42, 2),
    },
    code=f"{BLOCK}.faces('<Y').workplane().rect({{window_length}},{{window_height}}).cutThruAll()",
    wordings=(
        "Block {length} x {width} x {height}, centred on the origin, with a window {window_length} "
        "long in X and {window_height} high in Z, through it along Y.",
        "Block with a window, about the origin: length {length}, width {width}, height {height}, "
        "window length {window_length}, window height {window_height}.",
        "A {length} by {width} block, {height} high, its middle at the origin, pierced along Y by "
        "a {window_length} x {window_height} rectangular opening.",
        "Centre a {length} x {width} x {height} mm block on the origin and cut a rectangle of "
        "{window_length} x {window_height} mm right through it from the front.",
    ),
    fits=lambda v: (
        v["length"] // 3 <= v["window_length"] <= v["length"] - 8
        and v["height"] // 3 <= v["window_height"] <= v["height"] - 8
    ),
    constrain=_block,
)

STEP_BLOCK = compact(
    "step_block",
    "step block",
    "blocks",
    grids={
        "length": Grid(24, 60, 2),
        "height": Grid(20, 50, 2),
        "step_length": Grid(10, 48, 2),
        "step_height": Grid(10, 40, 2),
        "width": RUN,
    },
    code=(
        "cq.Workplane('XZ').polyline([(0,0),({length},0),({length},{step_height}),"
        "({step_length},{step_height}),({step_length},{height}),(0,{height})])"
        ".close().extrude({width})"
    ),
    wordings=(
        "Step block from X = 0 to {length}, Y = 0 to -{width}, standing on Z = 0: {height} high up "
        "to X = {step_length}, {step_height} high from there on.",
        "Step block with its corner at the origin, width towards -Y: length {length}, height "
        "{height}, step length {step_length}, step height {step_height}, width {width}.",
        "A stair of two steps, {length} long in X and {width} wide from Y = 0 to -Y; the high one "
        "is {step_length} long and {height} high, the low one {step_height} high; underside Z = 0.",
        "Block {length} mm by {width} mm in X and -Y from the origin: its left {step_length} mm "
        "rise to Z = {height}, the rest to Z = {step_height}.",
    ),
    fits=lambda v: v["step_length"] <= v["length"] - 8 and v["step_height"] <= v["height"] - 6,
    constrain=lambda d: _bar(d, d["length"], d["height"]),
)

WEDGE_BLOCK = compact(
    "wedge_block",
    "wedge",
    "blocks",
    grids={
        "base_length": Grid(24, 60, 2),
        "top_length": Grid(4, 52, 2),
        "height": Grid(12, 50, 2),
        "width": RUN,
    },
    code=(
        "cq.Workplane('XZ').polyline([(0,0),({base_length},0),({top_length},{height}),"
        "(0,{height})]).close().extrude({width})"
    ),
    wordings=(
        "Wedge on Z = 0 from X = 0, {base_length} long at the bottom and {top_length} at the top, "
        "{height} high, from Y = 0 to -{width}; its left side is upright.",
        "Wedge with its corner at the origin, width towards -Y: base length {base_length}, top "
        "length {top_length}, height {height}, width {width}.",
        "A right trapezoid in XZ with its right angle at the origin, bottom {base_length}, top "
        "{top_length}, height {height}, run {width} along -Y.",
        "Block with one sloping side: {base_length} mm long below, {top_length} mm above, {height} "
        "mm high, {width} mm wide towards -Y, corner at the origin.",
    ),
    fits=lambda v: v["top_length"] <= v["base_length"] - 8,
    constrain=lambda d: _bar(d, d["base_length"], d["height"]),
)

FAMILIES: tuple[CompactFamily, ...] = (
    POCKET_BLOCK,
    CHAMFERED_BLOCK,
    GROOVED_BLOCK,
    COUNTERBORED_BLOCK,
    WINDOW_BLOCK,
    STEP_BLOCK,
    WEDGE_BLOCK,
)
