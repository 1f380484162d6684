"""The leaf of a hinge, about the Y axis."""

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
from cadwright.envs.domains.family import Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler

CLEARANCE = (3.4, 4.5, 5.5, 6.6)  # ISO 273 medium, M3 to M6


def _leaf_values(draw: Draw) -> Mapping[str, Number]:
    pin, count = draw.choice((3, 4, 5, 6, 8)), draw.choice((3, 5))
    return {
        "leaf_length": draw.length(50, 110),
        "leaf_width": draw.length(25, 60),
        "thickness": draw.length(2, 4),
        "knuckle_diameter": draw.length(pin + 4, pin + 8),
        "pin_diameter": pin,
        "knuckle_count": count,
        "gap": draw.choice((0.3, 0.4, 0.5)),
        "corner_radius": draw.length(3, 10),
        "screw_count": draw.count(2, 4),
        "screw_diameter": draw.choice(CLEARANCE[:3]),
        "screw_pitch": draw.length(12, 32),
        "screw_distance": draw.length(12, 45),
        "slot_width": draw.length(4, 10),
        "slot_length": draw.length(12, 60),
        "slot_distance": draw.length(12, 50),
    }


def _leaf_fits(d: Design) -> bool:
    knuckle, screw, slot = d["knuckle_diameter"] / 2, d["screw_diameter"], d["slot_width"]
    row = (d["screw_count"] - 1) * d["screw_pitch"] + screw
    near, far = sorted((d["screw_distance"], d["slot_distance"]))
    return (
        int(d["knuckle_count"]) % 2 == 1
        and d["knuckle_count"] >= 3
        and d["screw_count"] >= 2
        and d["leaf_length"] / d["knuckle_count"] >= d["gap"] + 5
        and knuckle >= d["pin_diameter"] / 2 + 1.5
        and d["thickness"] <= knuckle
        and near - max(screw, slot) / 2 >= knuckle + d["gap"] + 1
        and far - near >= (screw + slot) / 2 + 2
        and far + max(screw, slot) / 2 + 2 <= d["leaf_width"]
        and d["corner_radius"] + far - near + knuckle <= d["leaf_width"]
        and d["corner_radius"] * 2 + 2 <= d["leaf_length"]
        and d["screw_pitch"] >= screw + 3
        and row + 2 * d["corner_radius"] <= d["leaf_length"]
        and slot + 3 <= d["slot_length"] <= d["leaf_length"] - 2 * d["corner_radius"]
    )


def _leaf_asked(d: Design) -> tuple[Record, ...]:
    long, wide, t, knuckle = (
        d[n] for n in ("leaf_length", "leaf_width", "thickness", "knuckle_diameter")
    )
    first = -(d["screw_count"] - 1) * d["screw_pitch"] / 2
    spots = [
        (d["screw_distance"], first + i * d["screw_pitch"], None)
        for i in range(int(d["screw_count"]))
    ]
    slot = {"width": d["slot_width"], "length": d["slot_length"], "through": True}
    return (
        box((wide + knuckle / 2, long, knuckle), ((wide - knuckle / 2) / 2, 0, 0)),
        bodies(),
        *when(not d.options, volume(_leaf_volume(d))),
        cylinder(d["pin_diameter"], (0, 1 - long / 2, 0), axis="y", inner=True),
        face("+z", (wide - 1, 0, t / 2)),
        *when("screws" in d.options, hole(d["screw_diameter"], *spots, axis="z", through=True)),
        *when(
            "slot" in d.options,
            {"kind": "slot", **slot, "at": [[d["slot_distance"], 0, None]]},
        ),
    )


def _leaf_volume(d: Design) -> float:
    """Return the volume of the bare leaf: a plate, and knuckles that the plate runs into."""
    t, r, count = d["thickness"], d["knuckle_diameter"] / 2, int(d["knuckle_count"])
    pitch, own = d["leaf_length"] / count, (count + 1) // 2
    knuckles = own * pitch - (count - 1) * d["gap"]
    # The half of the knuckle that lies in the plate's thickness, beyond the axis.
    shared = t / 2 * math.sqrt(r**2 - t**2 / 4) + r**2 * math.asin(t / 2 / r)
    plate = d["leaf_width"] * t * d["leaf_length"]
    taken = (d["leaf_length"] - knuckles) * (r + d["gap"]) * t
    return plate - taken + (math.pi * r**2 - shared - disc(d["pin_diameter"])) * knuckles


def _leaf_pin(d: Design) -> Mate:
    """The pin of the hinge, with 0.1 mm of play in the diameter."""
    size, long = float(d["pin_diameter"] - 0.1), float(d["leaf_length"])
    about = (
        "Make the pin of this hinge: a plain round bar along Y on the axis of the knuckles, 0.1 "
        "mm thinner than their bore, as long as the leaf and symmetric about Y = 0."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'pin = cq.Workplane("XZ").circle({number(size)} / 2)\n'
        f"result = pin.extrude({number(long)} / 2, both=True)\n"
    )
    asked = (box((size, long, size), (0, 0, 0)), bodies(), volume(disc(size) * long))
    return Mate(about, program, asked)


_LEAF_OPTIONS = {
    "corners": (
        "The two outer corners of the leaf, at +X, are rounded in plan with R{corner_radius}."
    ),
    "screws": (
        "{screw_count} through holes of diameter {screw_diameter} along Z lie in a row along Y at "
        "X = {screw_distance}, {screw_pitch} apart, the row centred on Y = 0."
    ),
    "slot": (
        "A slot with round ends along Y, {slot_length} long over all and {slot_width} wide, goes "
        "through the leaf with its middle at X = {slot_distance}, Y = 0."
    ),
}

HINGE_LEAF = Family(
    name="hinge_leaf",
    title="hinge leaf",
    group="hinges",
    dimensions=(
        *dimensions("leaf_length leaf_width thickness knuckle_diameter pin_diameter"),
        *dimensions("knuckle_count", "count"),
        *dimensions("gap corner_radius"),
        *dimensions("screw_count", "count"),
        *dimensions("screw_diameter screw_pitch screw_distance slot_width slot_length"),
        *dimensions("slot_distance"),
    ),
    steps=(
        Step(
            "long, pitch = {leaf_length}, {leaf_length} / {knuckle_count}\n"
            "r, half = {knuckle_diameter} / 2, {thickness} / 2\n"
            'plate = cq.Workplane("XY", origin=({leaf_width} / 2, 0, -half))\n'
            "plate = plate.rect({leaf_width}, long).extrude({thickness})\n"
            'barrel = cq.Workplane("XZ").circle(r).extrude(long / 2, both=True)\n'
            "result = plate.union(barrel)\n"
            "gaps = [i for i in range({knuckle_count}) if i % 2]  # where the other leaf goes\n"
            "spots = [(0, (i + 0.5) * pitch - long / 2) for i in gaps]\n"
            'rooms = cq.Workplane("XY", origin=(0, 0, -r)).pushPoints(spots)\n'
            "rooms = rooms.rect(2 * (r + {gap}), pitch + 2 * {gap}).extrude(2 * r)\n"
            'pin = cq.Workplane("XZ").circle({pin_diameter} / 2).extrude(long / 2, both=True)\n'
            "result = result.cut(rooms).cut(pin)",
            "a leaf of {leaf_width} by {leaf_length} with knuckles of {knuckle_diameter}",
        ),
        Step(
            'result = result.faces(">X").edges("|Z").fillet({corner_radius})',
            "roundings of R{corner_radius} at the outer corners",
            "corners",
        ),
        Step(
            'screws = cq.Workplane("XY", origin=({screw_distance}, 0, -{thickness} / 2))\n'
            "screws = screws.rarray(1, {screw_pitch}, 1, {screw_count})\n"
            "result = result.cut(screws.circle({screw_diameter} / 2).extrude({thickness}))",
            "{screw_count} screw holes of {screw_diameter}",
            "screws",
        ),
        Step(
            'slot = cq.Workplane("XY", origin=({slot_distance}, 0, -{thickness} / 2))\n'
            "slot = slot.slot2D({slot_length}, {slot_width}, 90).extrude({thickness})\n"
            "result = result.cut(slot)",
            "a slot of {slot_length} by {slot_width}",
            "slot",
        ),
    ),
    sample=sampler(_leaf_values, _leaf_fits, tuple(_LEAF_OPTIONS)),
    is_possible=_leaf_fits,
    wordings=(
        "Hinge leaf, all lengths in mm; the hinge axis is the Y axis. The leaf is a plate "
        "{leaf_width} wide, from X = 0 to +X, {leaf_length} long in Y, centred on Y = 0, and "
        "{thickness} thick, centred on Z = 0. A barrel of diameter {knuckle_diameter} about the Y "
        "axis, as long as the leaf, is divided in Y into {knuckle_count} equal sections; the "
        "first, third and so on are this leaf's knuckles. The other sections are cleared for the "
        "second leaf: from X = -(knuckle radius + {gap}) to X = knuckle radius + {gap}, over the "
        "whole height of the barrel and {gap} beyond either end of the section in Y. A pin hole of "
        "diameter {pin_diameter} runs along the Y axis. {features}",
        "Please draw one leaf of a butt hinge (mm) that turns about the Y axis. Flap: reaches from "
        "the axis {leaf_width} in +X, is {leaf_length} long, symmetric about Y = 0, and "
        "{thickness} thick with its middle plane on Z = 0. Knuckles: outside diameter "
        "{knuckle_diameter}, on the Y axis, with a pin bore of {pin_diameter}. The length is split "
        "into {knuckle_count} equal parts and this leaf keeps the odd ones, both ends included; "
        "the even ones are cut out, box-shaped and as high as the barrel, with {gap} of clearance "
        "around the other leaf's knuckle: in Y at both sides, and in X beyond its radius. "
        "{features}",
        "Hinge leaf. Units: mm. Axis Y. Plate X 0 to {leaf_width}, Y {leaf_length} centred, Z "
        "{thickness} centred. Barrel dia {knuckle_diameter}, bore dia {pin_diameter}, full length. "
        "{knuckle_count} equal sections in Y; keep sections 1, 3, ...; in sections 2, 4, ... cut a "
        "box: X +-(barrel radius + {gap}), Z over the barrel, Y section plus {gap} at each end. "
        "{features}",
    ),
    options=_LEAF_OPTIONS,
    constrain=_leaf_asked,
    mate=_leaf_pin,
)

FAMILIES = (HINGE_LEAF,)
