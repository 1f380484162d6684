"""A star knob with room for a nut."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bodies,
    cylinder,
    dimensions,
    disc,
    face,
    volume,
    when,
)
from cadwright.envs.domains.family import Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler
from cadwright.envs.domains.toothed import gap_angle, lens, toothed_box

# Core hole of the thread and width across flats of its nut, with play: M5, M6, M8, M10.
NUTS = ((4.2, 8.2), (5, 10.2), (6.8, 13.2), (8.5, 17.2))


def _knob_values(draw: Draw) -> Mapping[str, Number]:
    drill, flats = draw.choice(NUTS)
    hub = draw.length(flats + 6, flats + 14)
    outer = draw.length(hub + 20, hub + 50)
    return {
        "outer_diameter": outer,
        "head_height": draw.length(10, 25),
        "scallop_count": draw.choice((3, 5, 6, 7, 8)),
        "scallop_diameter": draw.length(8, 24),
        "scallop_circle": draw.length(outer, outer + 14),
        "hub_diameter": hub,
        "hub_height": draw.length(8, 20),
        "hole_diameter": drill,
        "nut_flats": flats,
        "nut_depth": draw.length(3, 8),
        "cross_diameter": draw.choice((2.5, 3, 4)),
        "cap_diameter": draw.length(hub - 4, hub + 4),
        "cap_depth": draw.length(1, 4),
    }


def _knob_fits(d: Design) -> bool:
    outer, gap, at = d["outer_diameter"] / 2, d["scallop_diameter"] / 2, d["scallop_circle"] / 2
    count, corner = d["scallop_count"], 2 * d["nut_flats"] / math.sqrt(3)
    if not (count >= 3 and abs(outer - at) < gap - 0.5 and at >= outer):
        return False
    return (
        gap_angle(gap, at, outer) + math.radians(4) <= math.pi / count
        and at - gap >= max(d["hub_diameter"], d["cap_diameter"], corner) / 2 + 2
        and d["hub_diameter"] >= d["hole_diameter"] + 4
        and d["nut_flats"] >= d["hole_diameter"] + 2
        and d["cap_diameter"] >= corner + 0.5
        and d["nut_depth"] + d["cap_depth"] + 2 <= d["head_height"]
        and d["cross_diameter"] + 3 <= d["hub_height"]
        and d["cross_diameter"] <= d["hole_diameter"]
    )


def _knob_asked(d: Design) -> tuple[Record, ...]:
    outer, gap, at = d["outer_diameter"] / 2, d["scallop_diameter"] / 2, d["scallop_circle"] / 2
    count, head = d["scallop_count"], d["head_height"]
    tall, drill = head + d["hub_height"], d["hole_diameter"]
    solid = (disc(2 * outer) - count * lens(outer, gap, at)) * head
    solid += disc(d["hub_diameter"]) * d["hub_height"] - disc(drill) * tall
    cap = d["cap_depth"] if "cap" in d.options else 0
    if "cap" in d.options:
        solid -= (disc(d["cap_diameter"]) - disc(drill)) * cap
    if "nut" in d.options:
        hexagon = math.sqrt(3) / 2 * d["nut_flats"] ** 2
        solid -= (hexagon - disc(drill)) * d["nut_depth"]
    half_tip = math.pi / count - gap_angle(gap, at, outer)
    floor = cap + d["nut_depth"]
    return (
        toothed_box(outer, count, half_tip, math.pi / count, tall),
        bodies(),
        *when("cross" not in d.options, volume(solid)),
        cylinder(drill, (0, 0, head + 1), axis="z", inner=True),
        cylinder(d["hub_diameter"], (0, 0, head + 1), axis="z"),
        *when("nut" in d.options, face("-z", (0, d["nut_flats"] / 2 - 0.3, floor))),
        *when(
            "cap" in d.options, cylinder(d["cap_diameter"], (0, 0, cap / 2), axis="z", inner=True)
        ),
        *when(
            "cross" in d.options,
            cylinder(
                d["cross_diameter"], (None, 0, head + d["hub_height"] / 2), axis="x", inner=True
            ),
        ),
    )


_KNOB_OPTIONS = {
    "cap": (
        "A round recess of diameter {cap_diameter}, {cap_depth} deep, is cut into the lower face, "
        "coaxial with the hole."
    ),
    "nut": (
        "A hexagonal pocket for a nut, {nut_flats} across flats with two corners on the X axis, is "
        "cut upwards around the hole, {nut_depth} deep, from the lower face, or from the floor of "
        "the round recess where there is one."
    ),
    "cross": (
        "A through hole of diameter {cross_diameter} goes along X across the hub, halfway up the "
        "hub's height."
    ),
}

STAR_KNOB = Family(
    name="star_knob",
    title="star knob",
    group="hand",
    dimensions=(
        *dimensions("outer_diameter head_height"),
        *dimensions("scallop_count", "count"),
        *dimensions("scallop_diameter scallop_circle hub_diameter hub_height hole_diameter"),
        *dimensions("nut_flats nut_depth cross_diameter cap_diameter cap_depth"),
    ),
    steps=(
        Step(
            "tall, floor = {head_height} + {hub_height}, 0\n"
            'head = cq.Workplane("XY").circle({outer_diameter} / 2).extrude({head_height})\n'
            'gaps = cq.Workplane("XY").polarArray({scallop_circle} / 2, 0, 360, {scallop_count})\n'
            "gaps = gaps.circle({scallop_diameter} / 2).extrude({head_height})\n"
            'hub = cq.Workplane("XY").circle({hub_diameter} / 2).extrude(tall)\n'
            'hole = cq.Workplane("XY").circle({hole_diameter} / 2).extrude(tall)\n'
            "result = head.cut(gaps).union(hub).cut(hole)",
            "a head of {outer_diameter} with {scallop_count} scallops and a hub",
        ),
        Step(
            "floor = {cap_depth}\n"
            'cap = cq.Workplane("XY").circle({cap_diameter} / 2).extrude(floor)\n'
            "result = result.cut(cap)",
            "a recess of {cap_diameter}, {cap_depth} deep",
            "cap",
        ),
        Step(
            'nut = cq.Workplane("XY", origin=(0, 0, floor)).polygon(6, {nut_flats} / 0.75**0.5)\n'
            "result = result.cut(nut.extrude({nut_depth}))",
            "a nut pocket of {nut_flats} across flats, {nut_depth} deep",
            "nut",
        ),
        Step(
            'cross = cq.Workplane("YZ", origin=(0, 0, {head_height} + {hub_height} / 2))\n'
            "cross = cross.circle({cross_diameter} / 2).extrude({hub_diameter}, both=True)\n"
            "result = result.cut(cross)",
            "a cross hole of {cross_diameter} in the hub",
            "cross",
        ),
    ),
    sample=sampler(_knob_values, _knob_fits, tuple(_KNOB_OPTIONS)),
    is_possible=_knob_fits,
    wordings=(
        "Star knob, all lengths in mm, axis on Z. The head is a disc of diameter {outer_diameter} "
        "from Z = 0 to Z = {head_height}. Its rim has {scallop_count} scallops: circles of "
        "diameter {scallop_diameter}, evenly spaced with their centres on a circle of diameter "
        "{scallop_circle}, the first on the +X axis, are cut away over the whole height. A hub of "
        "diameter {hub_diameter} rises {hub_height} above the head. A hole of diameter "
        "{hole_diameter} goes through along the axis. {features}",
        "Please design a knob to be turned by hand (mm). It lies with its face on Z = 0, centred "
        "on the Z axis: a {head_height} thick round grip, {outer_diameter} in diameter, with "
        "{scallop_count} finger grooves cut straight through in the Z direction. The grooves are "
        "parts of circles of diameter {scallop_diameter} whose centres lie at equal angles on a "
        "{scallop_circle} circle, one of them on the +X axis. On top there is a neck "
        "{hub_diameter} in diameter and {hub_height} high; bore {hole_diameter} through. "
        "{features}",
        "Knob. Units: mm. Axis Z. Head: dia {outer_diameter}, Z 0 to {head_height}. Scallops: "
        "{scallop_count} x circle dia {scallop_diameter} on PCD {scallop_circle}, first at +X, "
        "through the head. Hub: dia {hub_diameter}, {hub_height} above the head. Hole: dia "
        "{hole_diameter} through. {features}",
    ),
    options=_KNOB_OPTIONS,
    constrain=_knob_asked,
)

FAMILIES = (STAR_KNOB,)
