"""A pulley with grooves for V-belts."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bodies,
    box,
    circle,
    cone,
    cylinder,
    dimensions,
    disc,
    face,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, next_on_circle, note, span
from cadwright.envs.domains.family import Annotation, Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler

# Groove pitch, width at the rim, depth: SPZ, SPA, SPB (ISO 4183), rounded.
BELTS = ((12, 9.7, 11), (15, 12.7, 14), (19, 16.3, 18))


def _pulley_values(draw: Draw) -> Mapping[str, Number]:
    pitch, groove, depth = draw.choice(BELTS)
    count, bore = draw.count(2, 3), draw.choice((12, 16, 20, 25))
    hub = draw.length(bore + 14, bore + 24)
    outer = draw.length(hub + 2 * depth + 40, hub + 2 * depth + 90)
    return {
        "outer_diameter": outer,
        "width": draw.length(count * pitch + 6, count * pitch + 12),
        "groove_count": count,
        "groove_pitch": pitch,
        "groove_width": groove,
        "floor_width": draw.choice((3, 3.5, 4)),
        "groove_depth": depth,
        "bore_diameter": bore,
        "hub_diameter": hub,
        "hub_length": draw.length(10, 25),
        "hole_count": draw.choice((3, 4, 5, 6)),
        "hole_diameter": draw.length(6, 20),
        "hole_circle": draw.length(hub + 8, outer - 2 * depth - 8),
        "set_screw_diameter": draw.choice((3.3, 4.2, 5)),
        "recess_diameter": draw.length(bore + 6, outer - 2 * depth - 6),
        "recess_depth": draw.length(4, 16),
    }


def _pulley_fits(d: Design) -> bool:
    root, size = d["outer_diameter"] - 2 * d["groove_depth"], d["hole_diameter"]
    spacing = d["hole_circle"] * math.sin(math.pi / d["hole_count"])
    return (
        d["groove_count"] >= 2
        and d["hole_count"] >= 3
        and d["groove_pitch"] >= d["groove_width"] + 1
        and d["groove_width"] >= d["floor_width"] + 1
        and d["width"] >= (d["groove_count"] - 1) * d["groove_pitch"] + d["groove_width"] + 3
        and d["hub_diameter"] >= d["bore_diameter"] + 8
        and d["hole_circle"] - size >= d["hub_diameter"] + 2
        and d["hole_circle"] + size + 4 <= root
        and spacing >= size + 3
        and d["set_screw_diameter"] + 4 <= d["hub_length"]
        and d["bore_diameter"] + 6 <= d["recess_diameter"] <= root - 4
        and d["recess_depth"] + 4 <= d["width"]
        and abs(d["recess_diameter"] - d["hole_circle"]) >= size + 2
    )


def _pulley_asked(d: Design) -> tuple[Record, ...]:
    outer, wide, bore, hub = (
        d[name] for name in ("outer_diameter", "width", "bore_diameter", "hub_diameter")
    )
    tall, deep = wide + d["hub_length"], d["groove_depth"]
    solid = disc(outer) * wide + disc(hub) * d["hub_length"] - disc(bore) * tall
    solid -= d["groove_count"] * _groove(d)
    if "recess" in d.options:
        solid -= (disc(d["recess_diameter"]) - disc(bore)) * d["recess_depth"]
    if "holes" in d.options:
        inside = d["hole_circle"] + d["hole_diameter"] <= d["recess_diameter"]
        cut = d["recess_depth"] if inside and "recess" in d.options else 0
        solid -= d["hole_count"] * disc(d["hole_diameter"]) * (wide - cut)
    if "set_screw" in d.options:
        solid -= disc(d["set_screw_diameter"]) * (hub - bore) / 2
    ring = circle(d["hole_diameter"], int(d["hole_count"]), d["hole_circle"], (0, 0, wide / 2))
    return (
        box((outer, outer, tall), (0, 0, tall / 2)),
        bodies(),
        volume(solid),
        cylinder(bore, (0, 0, None), inner=True, axis="z"),
        cylinder(outer - 2 * deep, (0, 0, None), axis="z"),
        *when("holes" in d.options, ring),
        *when("recess" in d.options, face("-z", (bore / 2 + 1, 0, d["recess_depth"]))),
        *when(
            "set_screw" in d.options,
            cylinder(
                d["set_screw_diameter"],
                (None, 0, wide + d["hub_length"] / 2),
                axis="x",
                inner=True,
            ),
        ),
    )


def _groove(d: Design) -> float:
    """Return the volume of one groove, mm³, by the theorem of Pappus."""
    deep, top, floor = d["groove_depth"], d["groove_width"], d["floor_width"]
    side = (top - floor) / 2
    flank = disc(d["outer_diameter"]) * side
    flank -= cone(d["outer_diameter"], d["outer_diameter"] - 2 * deep, side)
    ring = disc(d["outer_diameter"]) - disc(d["outer_diameter"] - 2 * deep)
    return ring * floor + 2 * flank


def _pulley_drawn(d: Design) -> tuple[Annotation, ...]:
    r, w, hub = d["outer_diameter"] / 2, d["width"], d["hub_diameter"] / 2
    tall, root = w + d["hub_length"], r - d["groove_depth"]
    first = w / 2 - (d["groove_count"] - 1) * d["groove_pitch"] / 2
    top, floor = d["groove_width"] / 2, d["floor_width"] / 2
    pitch = d["groove_pitch"]
    text = "{value} grooves, centred on the rim"
    marks = [
        span("outer_diameter", "front", (-r, 0, 0), (r, 0, 0), "⌀{value}"),
        span("width", "front", (-r, 0, 0), (-r, 0, w)),
        span("groove_width", "front", (r, 0, first - top), (r, 0, first + top)),
        span("floor_width", "front", (root, 0, first - floor), (root, 0, first + floor)),
        span("groove_depth", "front", (root, 0, first), (r, 0, first)),
        note("front", (root, 0, first), text, "groove_count"),
        span("groove_pitch", "right", (0, r, first), (0, r, first + pitch), "{value} pitch"),
        span("hub_diameter", "front", (-hub, 0, tall), (hub, 0, tall), "⌀{value}"),
        span("hub_length", "front", (hub, 0, w), (hub, 0, tall)),
        diameter("bore_diameter", "top", (0, 0, tall), d["bore_diameter"], "⌀{value} THRU"),
    ]
    if "holes" in d.options:
        at, text = d["hole_circle"] / 2, "{value} holes, evenly spaced"
        second = next_on_circle((0, 0, w), at, d["hole_count"])
        marks += [
            diameter("hole_diameter", "top", (at, 0, w), d["hole_diameter"], "⌀{value} THRU"),
            diameter("hole_circle", "top", (0, 0, w), d["hole_circle"], "⌀{value} PCD"),
            note("top", second, text, "hole_count"),
        ]
    if "set_screw" in d.options:
        z, size = w + d["hub_length"] / 2, d["set_screw_diameter"]
        text = "⌀{value}, one wall, middle of hub"
        marks.append(diameter("set_screw_diameter", "right", (hub, 0, z), size, text))
    if "recess" in d.options:
        e, up = d["recess_diameter"] / 2, d["recess_depth"]
        marks += [
            span("recess_diameter", "right", (0, -e, 0), (0, e, 0), "⌀{value}"),
            span("recess_depth", "right", (0, e, 0), (0, e, up)),
        ]
    return tuple(marks)


_PULLEY_OPTIONS = {
    "holes": (
        "{hole_count} through holes of diameter {hole_diameter} are spaced evenly on a circle of "
        "diameter {hole_circle} in the web, the first on the +X axis."
    ),
    "set_screw": (
        "A hole of diameter {set_screw_diameter} for a set screw goes along X through the +X wall "
        "of the hub only, into the bore, halfway up the hub's length."
    ),
    "recess": (
        "A round recess of diameter {recess_diameter}, {recess_depth} deep, is turned into the "
        "underside, coaxial with the bore."
    ),
}

GROOVED_PULLEY = Family(
    name="grooved_pulley",
    title="V-belt pulley",
    group="transmission",
    dimensions=(
        *dimensions("outer_diameter width"),
        *dimensions("groove_count", "count"),
        *dimensions("groove_pitch groove_width floor_width groove_depth bore_diameter"),
        *dimensions("hub_diameter hub_length"),
        *dimensions("hole_count", "count"),
        *dimensions("hole_diameter hole_circle set_screw_diameter recess_diameter recess_depth"),
    ),
    steps=(
        Step(
            "r, root = {outer_diameter} / 2, {outer_diameter} / 2 - {groove_depth}\n"
            "rim = [(0, 0), (r, 0)]\n"
            "for i in range({groove_count}):\n"
            "    z = {width} / 2 + (i - ({groove_count} - 1) / 2) * {groove_pitch}\n"
            "    rim += [(r, z - {groove_width} / 2), (root, z - {floor_width} / 2)]\n"
            "    rim += [(root, z + {floor_width} / 2), (r, z + {groove_width} / 2)]\n"
            "tall = {width} + {hub_length}\n"
            "rim += [(r, {width}), ({hub_diameter} / 2, {width}), ({hub_diameter} / 2, tall)]\n"
            'profile = cq.Workplane("XZ").polyline([*rim, (0, tall)]).close()\n'
            "result = profile.revolve(360, (0, 0), (0, 1))",
            "a rim of {outer_diameter} with {groove_count} grooves and a hub of {hub_diameter}",
        ),
        Step(
            'bore = cq.Workplane("XY").circle({bore_diameter} / 2).extrude(tall)\n'
            "result = result.cut(bore)",
            "a bore of {bore_diameter}",
        ),
        Step(
            'holes = cq.Workplane("XY").polarArray({hole_circle} / 2, 0, 360, {hole_count})\n'
            "result = result.cut(holes.circle({hole_diameter} / 2).extrude({width}))",
            "{hole_count} holes of {hole_diameter} in the web",
            "holes",
        ),
        Step(
            'screw = cq.Workplane("YZ", origin=(0, 0, {width} + {hub_length} / 2))\n'
            "screw = screw.circle({set_screw_diameter} / 2).extrude({hub_diameter})\n"
            "result = result.cut(screw)",
            "a set screw hole of {set_screw_diameter} in the hub",
            "set_screw",
        ),
        Step(
            'recess = cq.Workplane("XY").circle({recess_diameter} / 2).extrude({recess_depth})\n'
            "result = result.cut(recess)",
            "a recess of {recess_diameter}, {recess_depth} deep, in the underside",
            "recess",
        ),
    ),
    sample=sampler(_pulley_values, _pulley_fits, tuple(_PULLEY_OPTIONS)),
    is_possible=_pulley_fits,
    wordings=(
        "V-belt pulley, all lengths in mm, axis on Z. The rim has the outside diameter "
        "{outer_diameter} and is {width} wide, from Z = 0 up. Belt grooves: {groove_count}, at a "
        "pitch of {groove_pitch}, the set centred on the width of the rim; each is {groove_width} "
        "wide at the rim, {groove_depth} deep and {floor_width} wide at its flat floor, with "
        "straight symmetric flanks. On the upper face stands a hub of diameter {hub_diameter}, "
        "{hub_length} long. A bore of diameter {bore_diameter} goes through everything. {features}",
        "Please turn a V-pulley (mm) about the Z axis, resting on Z = 0: a solid wheel of diameter "
        "{outer_diameter}, {width} thick, with {groove_count} trapezoidal grooves in its rim. "
        "The grooves are {groove_width} at the mouth, {floor_width} at the bottom, {groove_depth} "
        "deep, spaced {groove_pitch} apart and placed symmetrically about the middle of the rim. "
        "A hub {hub_diameter} in diameter projects {hub_length} from the upper side of the wheel. "
        "Bore {bore_diameter} through. {features}",
        "Belt pulley. Units: mm. Axis Z. Rim: dia {outer_diameter}, Z 0 to {width}. Grooves: "
        "{groove_count} x, pitch {groove_pitch}, centred in Z on the rim; top width "
        "{groove_width}, bottom width {floor_width}, depth {groove_depth}. Hub: dia "
        "{hub_diameter}, {hub_length} beyond the rim's upper face. Bore: dia {bore_diameter}, "
        "through. {features}",
    ),
    options=_PULLEY_OPTIONS,
    constrain=_pulley_asked,
    annotate=_pulley_drawn,
)

FAMILIES = (GROOVED_PULLEY,)
