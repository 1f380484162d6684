"""A box for a circuit board, and the mate that closes it."""

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
    rounded_rectangle,
    volume,
    when,
)
from cadwright.envs.domains.family import Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler


def _enclosure_values(draw: Draw) -> Mapping[str, Number]:
    return {
        "length": draw.length(70, 160),
        "width": draw.length(50, 110),
        "height": draw.length(20, 60),
        "wall": draw.length(1.5, 3.5),
        "corner_radius": draw.length(4, 10),
        "boss_diameter": draw.length(6, 9),
        "boss_hole_diameter": draw.choice((2, 2.5, 3)),
        "boss_spacing_x": draw.length(40, 140),
        "boss_spacing_y": draw.length(24, 90),
        "boss_height": draw.length(6, 40),
        "cable_diameter": draw.length(5, 14),
        "cable_height": draw.length(8, 40),
        "vent_count": draw.count(3, 8),
        "vent_width": draw.choice((1.5, 2, 2.5, 3)),
        "vent_length": draw.length(12, 40),
        "vent_pitch": draw.choice((4, 5, 6, 7)),
    }


def _enclosure_fits(d: Design) -> bool:
    wall, boss = d["wall"], d["boss_diameter"]
    free_x, free_y = d["length"] - 2 * wall, d["width"] - 2 * wall
    vents = (d["vent_count"] - 1) * d["vent_pitch"] + d["vent_width"]
    return (
        wall >= 1
        and d["corner_radius"] >= wall + 1
        and boss >= d["boss_hole_diameter"] + 2
        and d["boss_spacing_x"] + boss + 2 * d["corner_radius"] <= free_x
        and d["boss_spacing_y"] + boss + 2 * d["corner_radius"] <= free_y
        and d["boss_height"] + wall + 1 <= d["height"]
        and d["boss_height"] >= 4
        and wall + d["cable_diameter"] / 2 + 1 <= d["cable_height"]
        and d["cable_height"] + d["cable_diameter"] / 2 + 1 <= d["height"]
        and d["cable_diameter"] + 2 * d["corner_radius"] <= d["width"]
        and d["vent_count"] >= 2
        and d["vent_pitch"] >= d["vent_width"] + 1
        and vents + boss + 2 <= d["boss_spacing_x"]
        and d["vent_width"] + 2 <= d["vent_length"] <= free_y - 4
    )


def _enclosure_asked(d: Design) -> tuple[Record, ...]:
    long, wide, tall, wall = d["length"], d["width"], d["height"], d["wall"]
    inner = rounded_rectangle(long - 2 * wall, wide - 2 * wall, d["corner_radius"] - wall)
    solid = rounded_rectangle(long, wide, d["corner_radius"]) * tall - inner * (tall - wall)
    if "bosses" in d.options:
        solid += 4 * (disc(d["boss_diameter"]) - disc(d["boss_hole_diameter"])) * d["boss_height"]
    if "cable" in d.options:
        solid -= disc(d["cable_diameter"]) * wall
    if "vents" in d.options:
        w = d["vent_width"]
        solid -= d["vent_count"] * (w * (d["vent_length"] - w) + disc(w)) * wall
    x, y = d["boss_spacing_x"], d["boss_spacing_y"]
    return (
        box((long, wide, tall), (0, 0, tall / 2)),
        bodies(),
        volume(solid),
        face("+z", (long / 2 - d["corner_radius"] - 1, 0, wall)),
        *when(
            "bosses" in d.options,
            hole(
                d["boss_hole_diameter"],
                *corners(x, y, (0, 0)),
                opens="+z",
                depth=d["boss_height"],
            ),
        ),
        *when(
            "cable" in d.options,
            hole(d["cable_diameter"], (None, 0, d["cable_height"]), axis="x", through=True),
        ),
        *when("vents" in d.options, _vents(d)),
    )


def _vents(d: Design) -> Record:
    sizes = {"width": d["vent_width"], "length": d["vent_length"], "through": True}
    return {"kind": "slot", **sizes, "count": d["vent_count"], "along": "y"}


def _enclosure_lid(d: Design) -> Mate:
    """A flat cover with a plug that goes 3 mm into the box with 0.2 mm of play all round."""
    long, wide, top, r = d["length"], d["width"], d["height"], d["corner_radius"]
    gap = d["wall"] + 0.2
    plug = (float(long - 2 * gap), float(wide - 2 * gap), float(r - gap))
    about = (
        "Make the lid of this enclosure: a cover 2 mm thick on top of the walls, with the "
        "outline of the enclosure, and below it a solid plug that goes 3 mm into the box. The "
        "plug leaves 0.2 mm of play to the walls all round, at their round inside edges as "
        "well."
    )
    sizes = ", ".join(number(v) for v in plug[:2])
    program = (
        f"import cadquery as cq\n\n"
        f'cover = cq.Workplane("XY", origin=(0, 0, {number(top)})).rect({number(long)}, '
        f"{number(wide)})\n"
        f'cover = cover.extrude(2).edges("|Z").fillet({number(r)})\n'
        f'plug = cq.Workplane("XY", origin=(0, 0, {number(top)})).rect({sizes})\n'
        f'result = cover.union(plug.extrude(-3).edges("|Z").fillet({number(plug[2])}))\n'
    )
    solid = rounded_rectangle(long, wide, r) * 2 + rounded_rectangle(*plug) * 3
    asked = (box((long, wide, 5), (0, 0, top - 0.5)), bodies(), volume(solid))
    return Mate(about, program, asked)


_ENCLOSURE_OPTIONS = {
    "bosses": (
        "Four round bosses of diameter {boss_diameter}, {boss_height} high, stand on the floor at "
        "the corners of a rectangle of {boss_spacing_x} (X) by {boss_spacing_y} (Y) centred on the "
        "Z axis; each has a coaxial hole of diameter {boss_hole_diameter}, {boss_height} deep from "
        "its top, which ends flat on the level of the floor."
    ),
    "cable": (
        "The +X wall has a through hole of diameter {cable_diameter} for a cable, its axis along X "
        "at Y = 0, Z = {cable_height}."
    ),
    "vents": (
        "The floor has {vent_count} through slots with round ends, {vent_width} wide and "
        "{vent_length} long over all along Y, in a row along X at a pitch of {vent_pitch}, centred "
        "on the Z axis."
    ),
}

ENCLOSURE = Family(
    name="electronics_enclosure",
    title="electronics enclosure",
    group="housings",
    dimensions=(
        *dimensions("length width height wall corner_radius boss_diameter boss_hole_diameter"),
        *dimensions("boss_spacing_x boss_spacing_y boss_height cable_diameter cable_height"),
        *dimensions("vent_count", "count"),
        *dimensions("vent_width vent_length vent_pitch"),
    ),
    steps=(
        Step(
            'outside = cq.Workplane("XY").rect({length}, {width}).extrude({height})\n'
            'outside = outside.edges("|Z").fillet({corner_radius})\n'
            'inside = cq.Workplane("XY", origin=(0, 0, {wall}))\n'
            "inside = inside.rect({length} - 2 * {wall}, {width} - 2 * {wall}).extrude({height})\n"
            'result = outside.cut(inside.edges("|Z").fillet({corner_radius} - {wall}))',
            "an open box of {length} by {width} by {height} with walls of {wall}",
        ),
        Step(
            'spots = cq.Workplane("XY").rarray({boss_spacing_x}, {boss_spacing_y}, 2, 2)\n'
            "bosses = spots.circle({boss_diameter} / 2).extrude({wall} + {boss_height})\n"
            'spots = cq.Workplane("XY", origin=(0, 0, {wall}))\n'
            "spots = spots.rarray({boss_spacing_x}, {boss_spacing_y}, 2, 2)\n"
            "holes = spots.circle({boss_hole_diameter} / 2).extrude({boss_height})\n"
            "result = result.union(bosses).cut(holes)",
            "four bosses of {boss_diameter}, {boss_height} high, with holes",
            "bosses",
        ),
        Step(
            'cable = cq.Workplane("YZ", origin=({length} / 2 - {wall}, 0, {cable_height}))\n'
            "result = result.cut(cable.circle({cable_diameter} / 2).extrude({wall}))",
            "a cable hole of {cable_diameter} in the +X wall",
            "cable",
        ),
        Step(
            'vents = cq.Workplane("XY").rarray({vent_pitch}, 1, {vent_count}, 1)\n'
            "vents = vents.slot2D({vent_length}, {vent_width}, 90).extrude({wall})\n"
            "result = result.cut(vents)",
            "{vent_count} vents of {vent_length} by {vent_width} in the floor",
            "vents",
        ),
    ),
    sample=sampler(_enclosure_values, _enclosure_fits, tuple(_ENCLOSURE_OPTIONS)),
    is_possible=_enclosure_fits,
    wordings=(
        "Lower half of an electronics enclosure, all lengths in mm: outside {length} (X) by "
        "{width} (Y) by {height} (Z), centred on X = 0 and Y = 0, underside on Z = 0, open at the "
        "top. Floor and walls are {wall} thick everywhere. The outside vertical edges have a "
        "radius of {corner_radius}, the inside ones a radius smaller by the wall thickness. "
        "{features}",
        "Please make a box for a circuit board (mm, Z up), without a lid. It is {length} long in "
        "X, {width} wide in Y and {height} high, stands on Z = 0 with the Z axis through its "
        "middle, and has a uniform wall and floor of {wall}. Round the four outer upright edges "
        "with R{corner_radius} and the inner ones concentrically. {features}",
        "Open housing. Units: mm. Outside X {length}, Y {width}, both symmetric about 0; Z 0 to "
        "{height}. Wall = floor = {wall}, open at +Z. Vertical edges R{corner_radius} outside, "
        "concentric inside. {features}",
    ),
    options=_ENCLOSURE_OPTIONS,
    constrain=_enclosure_asked,
    mate=_enclosure_lid,
)

FAMILIES = (ENCLOSURE,)
