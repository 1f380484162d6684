"""What machine tables and frames are clamped with: a T-nut and a T-slot profile."""

from __future__ import annotations

from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bodies,
    box,
    dimensions,
    disc,
    face,
    hole,
    rounded_rectangle,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, note, span
from cadwright.envs.domains.family import Annotation, Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler

# Width of the neck, width and height of the head, drill for the thread: DIN 508.
NUTS = ((7.7, 13, 6, 5), (9.7, 15, 6, 6.8), (11.6, 18, 7, 8.5), (13.6, 22, 8, 10.2))
# Side, mouth, depth, lip, chamber width, straight part of it, floor width: profiles 20, 30, 40.
PROFILES = ((20, 6, 6, 1.8, 11, 1.5, 6), (30, 8, 9, 2.2, 16.5, 3, 9), (40, 8, 12.5, 4.5, 20, 4, 12))


def _nut_values(draw: Draw) -> Mapping[str, Number]:
    neck, head, head_height, drill = draw.choice(NUTS)
    return {
        "neck_width": neck,
        "head_width": head,
        "head_height": head_height,
        "total_height": draw.length(head_height + 4, head_height + 12),
        "length": draw.length(head, 2.2 * head),
        "drill_diameter": drill,
        "chamfer_size": draw.choice((0.5, 0.8, 1)),
        "groove_width": draw.choice((1, 1.5, 2)),
        "groove_depth": draw.choice((0.5, 0.8, 1)),
        "relief_diameter": draw.length(drill + 0.5, drill + 1.5),
        "relief_depth": draw.length(1, 3),
    }


def _nut_fits(d: Design) -> bool:
    return (
        d["neck_width"] >= d["relief_diameter"] + 0.6
        and d["head_width"] >= d["neck_width"] + 3
        and d["total_height"] >= d["head_height"] + 2
        and d["length"] >= d["drill_diameter"] + 2 * d["groove_width"] + 4
        and d["chamfer_size"] + d["groove_depth"] + 1 <= d["head_height"]
        and d["relief_diameter"] >= d["drill_diameter"] + 0.4
        and d["relief_depth"] + 1 <= d["head_height"]
        and d["groove_depth"] + d["relief_depth"] + 1 <= d["total_height"]
        and d["relief_diameter"] / 2 + d["groove_width"] + 2.5 <= d["length"] / 2
    )


def _nut_asked(d: Design) -> tuple[Record, ...]:
    long, wide, head = d["length"], d["head_width"], d["head_height"]
    tall, neck, drill = d["total_height"], d["neck_width"], d["drill_diameter"]
    solid = long * (wide * head + neck * (tall - head)) - disc(drill) * tall
    if "chamfers" in d.options:
        solid -= 2 * d["chamfer_size"] ** 2 / 2 * long
    if "grooves" in d.options:
        solid -= 2 * d["groove_width"] * d["groove_depth"] * wide
    if "relief" in d.options:
        solid -= (disc(d["relief_diameter"]) - disc(drill)) * d["relief_depth"]
    return (
        box((long, wide, tall), (0, 0, tall / 2)),
        bodies(),
        volume(solid),
        hole(drill, (0, 0, None)),
        face("+z", (0, wide / 2 - 0.5, head)),
        face("+y", (0, neck / 2, (head + tall) / 2)),
    )


def _nut_drawn(d: Design) -> tuple[Annotation, ...]:
    x, y, n = d["length"] / 2, d["head_width"] / 2, d["neck_width"] / 2
    head, tall = d["head_height"], d["total_height"]
    marks = [
        span("length", "front", (-x, -y, 0), (x, -y, 0)),
        span("head_width", "right", (x, -y, 0), (x, y, 0)),
        span("neck_width", "right", (x, -n, tall), (x, n, tall)),
        span("head_height", "right", (x, y, 0), (x, y, head)),
        span("total_height", "right", (x, -y, 0), (x, -y, tall)),
        diameter("drill_diameter", "top", (0, 0, tall), d["drill_diameter"], "⌀{value} THRU"),
    ]
    if "chamfers" in d.options:
        marks.append(note("right", (x, y, 0), "2x {value} x 45°", "chamfer_size"))
    if "grooves" in d.options:
        w, up, at = d["groove_width"], d["groove_depth"], x - 2
        marks += [
            span("groove_width", "front", (at - w, -y, 0), (at, -y, 0), "2x {value}"),
            span("groove_depth", "front", (at, -y, 0), (at, -y, up)),
            note("front", (at, -y, 0), "grooves 2 from either end"),
        ]
    if "relief" in d.options:
        r, low = d["relief_diameter"] / 2, tall - d["relief_depth"]
        marks += [
            diameter("relief_diameter", "top", (0, 0, tall), d["relief_diameter"]),
            span("relief_depth", "front", (r, 0, low), (r, 0, tall)),
        ]
    return tuple(marks)


def _nut_rail(d: Design) -> Mate:
    """A straight bar with the slot that the nut slides in, 0.3 mm wider on every side."""
    neck, head = float(d["neck_width"] + 0.6), float(d["head_width"] + 0.6)
    roof, tall = float(d["head_height"] + 0.3), float(d["total_height"] + 2)
    wide, long = float(head + 12), float(d["length"] + 20)
    about = (
        "Make a straight rail around this T-nut, 20 mm longer than the nut and 12.6 mm wider "
        "than its head, centred on X = 0 and Y = 0, from Z = -6 to 2 mm above the nut. A T-slot "
        "open to the top runs along X through the whole rail and leaves the nut 0.3 mm of "
        "play: on either side of head and neck, below the head and above it."
    )
    program = (
        f"import cadquery as cq\n\n"
        f"wide, tall, long = {number(wide)}, {number(tall)}, {number(long)}\n"
        f"neck, head, roof = {number(neck)}, {number(head)}, {number(roof)}\n"
        f'bar = cq.Workplane("XY", origin=(0, 0, -6)).rect(long, wide).extrude(tall + 6)\n'
        f'slot = cq.Workplane("XY", origin=(0, 0, -0.3)).rect(long, head).extrude(roof + 0.3)\n'
        f'mouth = cq.Workplane("XY").rect(long, neck).extrude(tall)\n'
        f"result = bar.cut(slot).cut(mouth)\n"
    )
    area = wide * (tall + 6) - head * (roof + 0.3) - neck * (tall - roof)
    asked = (
        box((long, wide, tall + 6), (0, 0, (tall - 6) / 2)),
        bodies(),
        volume(area * long),
        face("-z", (0, head / 2 - 0.5, roof)),
    )
    return Mate(about, program, asked)


_NUT_OPTIONS = {
    "chamfers": (
        "The two lower edges of the head along X have a chamfer of {chamfer_size} x 45 degrees."
    ),
    "grooves": (
        "Two grooves run along Y across the underside, {groove_width} wide and {groove_depth} "
        "deep, their outer walls 2 from either end of the nut."
    ),
    "relief": (
        "The mouth of the hole is widened from the top to diameter {relief_diameter}, "
        "{relief_depth} deep."
    ),
}

T_NUT = Family(
    name="t_nut",
    title="T-slot nut",
    group="fasteners",
    dimensions=dimensions(
        "neck_width head_width head_height total_height length drill_diameter chamfer_size "
        "groove_width groove_depth relief_diameter relief_depth"
    ),
    steps=(
        Step(
            'head = cq.Workplane("XY").rect({length}, {head_width}).extrude({head_height})\n'
            'neck = cq.Workplane("XY").rect({length}, {neck_width}).extrude({total_height})\n'
            "result = head.union(neck)",
            "a head of {head_width} by {head_height} with a neck of {neck_width}",
        ),
        Step(
            'result = result.faces("<Z").edges("|X").chamfer({chamfer_size})',
            "chamfers of {chamfer_size} on the lower edges",
            "chamfers",
        ),
        Step(
            'drill = cq.Workplane("XY").circle({drill_diameter} / 2).extrude({total_height})\n'
            "result = result.cut(drill)",
            "a hole of {drill_diameter}",
        ),
        Step(
            "spread = {length} - 4 - {groove_width}\n"
            'grooves = cq.Workplane("XY").rarray(spread, 1, 2, 1)\n'
            "grooves = grooves.rect({groove_width}, {head_width}).extrude({groove_depth})\n"
            "result = result.cut(grooves)",
            "two grooves of {groove_width}, {groove_depth} deep",
            "grooves",
        ),
        Step(
            'relief = cq.Workplane("XY", origin=(0, 0, {total_height}))\n'
            "relief = relief.circle({relief_diameter} / 2).extrude(-{relief_depth})\n"
            "result = result.cut(relief)",
            "a relief of {relief_diameter}, {relief_depth} deep",
            "relief",
        ),
    ),
    sample=sampler(_nut_values, _nut_fits, tuple(_NUT_OPTIONS)),
    is_possible=_nut_fits,
    wordings=(
        "T-slot nut, all lengths in mm, {length} long along X, symmetric about X = 0 and Y = 0, "
        "underside on Z = 0. The head is {head_width} wide (Y) and {head_height} high; the neck "
        "above it is {neck_width} wide and reaches Z = {total_height}. A through hole of diameter "
        "{drill_diameter}, to be tapped, runs along the Z axis. {features}",
        "Make a nut for a T-slot (mm, Z up). Its cross-section in the YZ plane is an upside-down "
        "T: a foot {head_width} wide and {head_height} high on Z = 0, and on top of it a "
        "{neck_width} wide tongue up to a total height of {total_height}, both centred on Y = 0. "
        "It is {length} long in X, centred, and drilled {drill_diameter} through in the middle "
        "from top to bottom. {features}",
        "T-nut. Units: mm. X length {length}, centred. Head: Y {head_width}, Z 0 to {head_height}. "
        "Neck: Y {neck_width}, up to Z = {total_height}. Hole: dia {drill_diameter} along the Z "
        "axis, through. {features}",
    ),
    options=_NUT_OPTIONS,
    constrain=_nut_asked,
    annotate=_nut_drawn,
    mate=_nut_rail,
)


def _profile_values(draw: Draw) -> Mapping[str, Number]:
    side, mouth, depth, lip, chamber, straight, floor = draw.choice(PROFILES)
    return {
        "side": side,
        "length": draw.length(40, 200),
        "mouth_width": mouth,
        "slot_depth": depth,
        "lip_thickness": lip,
        "chamber_width": chamber,
        "chamber_straight": straight,
        "floor_width": floor,
        "core_diameter": draw.choice((4.2, 5, 6.8)),
        "corner_radius": draw.choice((1, 1.5, 2)),
        "cross_diameter": draw.choice((5.5, 6.6)),
        "cross_height": draw.length(10, 60),
    }


def _profile_fits(d: Design) -> bool:
    side, depth, lip = d["side"], d["slot_depth"], d["lip_thickness"]
    core = side / 2 - depth  # half the width of what is left in the middle
    bend = side / 2 - lip - d["chamber_straight"]
    return (
        d["chamber_width"] >= max(d["mouth_width"], d["floor_width"]) + 2
        and lip >= 1
        and bend >= core + 1
        # Neighbouring slots meet at the diagonals, where a wall must stay.
        and d["chamber_width"] / 2 + 1 <= bend
        and d["floor_width"] / 2 + 1 <= core
        and core >= d["core_diameter"] / 2 + 1
        and d["corner_radius"] + 1 <= (side - d["chamber_width"]) / 2
        and d["cross_diameter"] <= d["mouth_width"]
        and d["cross_diameter"] / 2 + 2 <= d["cross_height"]
        and d["cross_height"] + d["cross_diameter"] / 2 + 2 <= d["length"]
    )


def _slot_area(d: Design) -> float:
    """Return the area of one slot: mouth, straight part of the chamber, narrowing part."""
    chamber, straight = d["chamber_width"], d["chamber_straight"]
    narrow = d["slot_depth"] - d["lip_thickness"] - straight
    area = d["mouth_width"] * d["lip_thickness"] + chamber * straight
    return area + (chamber + d["floor_width"]) / 2 * narrow


def _profile_asked(d: Design) -> tuple[Record, ...]:
    side, long = d["side"], d["length"]
    area = side**2 - 4 * _slot_area(d)
    if "corners" in d.options:
        area -= side**2 - rounded_rectangle(side, side, d["corner_radius"])
    if "core" in d.options:
        area -= disc(d["core_diameter"])
    web = side / 2 - d["slot_depth"]
    return (
        box((side, side, long), (0, 0, long / 2)),
        bodies(),
        *when("cross" not in d.options, volume(area * long)),
        face("+x", (web, 0, 2)),
        face("-x", (side / 2 - d["lip_thickness"], d["mouth_width"] / 2 + 0.5, 2)),
        *when(
            "core" in d.options and "cross" not in d.options,
            hole(d["core_diameter"], (0, 0, None), through=True),
        ),
    )


_PROFILE_OPTIONS = {
    "core": "A core hole of diameter {core_diameter} runs through the whole length on the Z axis.",
    "corners": "The four outer edges along Z are rounded with R{corner_radius}.",
    "cross": (
        "A hole of diameter {cross_diameter} goes through the whole profile along X at Y = 0, Z = "
        "{cross_height}."
    ),
}

T_SLOT_PROFILE = Family(
    name="t_slot_profile",
    title="T-slot profile",
    group="frames",
    dimensions=dimensions(
        "side length mouth_width slot_depth lip_thickness chamber_width chamber_straight "
        "floor_width core_diameter corner_radius cross_diameter cross_height"
    ),
    steps=(
        Step(
            "mouth, chamber, floor = {mouth_width} / 2, {chamber_width} / 2, {floor_width} / 2\n"
            "r, top = {side} / 2, {side} / 2 - {lip_thickness}\n"
            "bend, core = top - {chamber_straight}, r - {slot_depth}\n"
            "quarter = [(r, -r), (r, -mouth), (top, -mouth), (top, -chamber)]\n"
            "quarter += [(bend, -chamber), (core, -floor)]\n"
            "quarter += [(x, -y) for x, y in reversed(quarter[1:])]\n"
            "points = []\n"
            "for _ in range(4):\n"
            "    points += quarter\n"
            "    quarter = [(-y, x) for x, y in quarter]  # a quarter turn\n"
            'result = cq.Workplane("XY").polyline(points).close().extrude({length})',
            "a bar of {side} by {side} with four T-slots",
        ),
        Step(
            "edges = None\n"
            "for x, y in ((r, r), (r, -r), (-r, r), (-r, -r)):\n"
            "    near = cq.NearestToPointSelector((x, y, {length} / 2))\n"
            "    edges = near if edges is None else edges + near\n"
            "result = result.edges(edges).fillet({corner_radius})",
            "roundings of R{corner_radius} on the outer edges",
            "corners",
        ),
        Step(
            'core = cq.Workplane("XY").circle({core_diameter} / 2).extrude({length})\n'
            "result = result.cut(core)",
            "a core hole of {core_diameter}",
            "core",
        ),
        Step(
            'cross = cq.Workplane("YZ", origin=(0, 0, {cross_height}))\n'
            "cross = cross.circle({cross_diameter} / 2).extrude({side}, both=True)\n"
            "result = result.cut(cross)",
            "a cross hole of {cross_diameter}",
            "cross",
        ),
    ),
    sample=sampler(_profile_values, _profile_fits, tuple(_PROFILE_OPTIONS)),
    is_possible=_profile_fits,
    wordings=(
        "T-slot profile, all lengths in mm: a square bar of {side} by {side} centred on the Z axis "
        "with sides along X and Y, from Z = 0 to Z = {length}. Each of the four sides has the same "
        "slot in its middle over the whole length, {slot_depth} deep from the outside: a mouth "
        "{mouth_width} wide through a lip of {lip_thickness}; behind it a chamber {chamber_width} "
        "wide with parallel walls for a depth of {chamber_straight}, which then narrows with plane "
        "walls to a flat floor {floor_width} wide. {features}",
        "Please model a piece of aluminium framing (mm): a {side} x {side} bar along Z from 0 to "
        "{length}, centred on the axis, its faces square to X and Y, with one symmetric T-slot in "
        "the middle of each face. Going inwards: lip {lip_thickness} thick with an opening of "
        "{mouth_width}; chamber {chamber_width} wide, straight-sided for {chamber_straight}; then "
        "tapering evenly to the flat floor, {floor_width} wide, at a total depth of {slot_depth}. "
        "{features}",
        "T-slot bar. Units: mm. Square {side}, centred on the Z axis, Z 0 to {length}. 4 equal "
        "slots, one per side, centred: mouth {mouth_width}, lip {lip_thickness}, chamber "
        "{chamber_width} straight for {chamber_straight}, then linear taper to floor width "
        "{floor_width} at depth {slot_depth}. {features}",
    ),
    options=_PROFILE_OPTIONS,
    constrain=_profile_asked,
    split="held_out",
)

FAMILIES = (T_NUT, T_SLOT_PROFILE)
