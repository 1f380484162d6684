"""A sprocket for a roller chain."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bodies,
    box,
    circle,
    dimensions,
    disc,
    face,
    hole,
    volume,
    when,
)
from cadwright.envs.domains.family import Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler
from cadwright.envs.domains.toothed import gap_angle, lens, toothed_box

# Pitch, roller diameter and width of a sprocket for it: 06B, 08B, 10B, 12B (ISO 606).
CHAINS = ((9.525, 6.35, 5.3), (12.7, 8.51, 7.2), (15.875, 10.16, 9.1), (19.05, 12.07, 11.1))


def _sprocket_values(draw: Draw) -> Mapping[str, Number]:
    pitch, roller, wide = draw.choice(CHAINS)
    teeth, bore = draw.count(11, 28), draw.choice((10, 12, 16, 20))
    across = pitch / math.sin(math.pi / teeth)
    hub = draw.length(bore + 10, bore + 20)
    return {
        "teeth": teeth,
        "chain_pitch": pitch,
        "roller_diameter": roller,
        "outer_diameter": draw.length(across + 0.4 * roller, across + 0.7 * roller),
        "width": wide,
        "bore_diameter": bore,
        "hub_diameter": hub,
        "hub_height": draw.length(8, 20),
        "hole_count": draw.choice((2, 3, 4)),
        "hole_diameter": draw.choice((3.4, 4.5, 5.5, 6.6)),
        "hole_circle": draw.length(hub + 8, max(hub + 16, across - roller - 10)),
        "flat_distance": draw.length(bore / 2 - 2.5, bore / 2 - 0.5),
    }


def _pitch_radius(d: Design) -> float:
    return d["chain_pitch"] / math.sin(math.pi / d["teeth"]) / 2


def _sprocket_fits(d: Design) -> bool:
    pitch, roller = _pitch_radius(d), d["roller_diameter"] / 2
    size = d["hole_diameter"]
    return (
        d["teeth"] >= 9
        and d["hole_count"] >= 2
        and d["chain_pitch"] >= d["roller_diameter"] + 2
        and 0.3 * roller <= d["outer_diameter"] / 2 - pitch <= 0.8 * roller
        and d["hub_diameter"] >= d["bore_diameter"] + 6
        and d["hole_circle"] - size >= d["hub_diameter"] + 2
        and d["hole_circle"] + size + 3 <= 2 * (pitch - roller)
        and d["bore_diameter"] / 4 <= d["flat_distance"] <= d["bore_diameter"] / 2 - 0.3
    )


def _sprocket_asked(d: Design) -> tuple[Record, ...]:
    pitch, outer, roller = _pitch_radius(d), d["outer_diameter"] / 2, d["roller_diameter"] / 2
    wide, bore, n = d["width"], d["bore_diameter"], d["teeth"]
    tall = wide + (d["hub_height"] if "hub" in d.options else 0)
    solid = (disc(2 * outer) - n * lens(outer, roller, pitch)) * wide - disc(bore) * tall
    if "hub" in d.options:
        solid += disc(d["hub_diameter"]) * d["hub_height"]
    if "holes" in d.options:
        solid -= d["hole_count"] * disc(d["hole_diameter"]) * wide
    if "flat" in d.options:
        r, h = bore / 2, d["flat_distance"]
        solid += (r**2 * math.acos(h / r) - h * math.sqrt(r**2 - h**2)) * tall
    half_tip = math.pi / n - gap_angle(roller, pitch, outer)
    ring = circle(d["hole_diameter"], int(d["hole_count"]), d["hole_circle"], (0, 0, wide / 2))
    return (
        toothed_box(outer, n, half_tip, math.pi / n, tall),
        bodies(),
        volume(solid),
        *when("flat" not in d.options, hole(bore, (0, 0, None), through=True)),
        *when("flat" in d.options, face("-y", (0, d["flat_distance"], 1))),
        *when("holes" in d.options, ring),
    )


def _sprocket_shaft(d: Design) -> Mate:
    """A plain shaft for the bore that touches no flat: as thick as the free height allows."""
    size = float(d["bore_diameter"] - 0.1)
    if "flat" in d.options:
        size = float(2 * d["flat_distance"] - 0.1)
    about = (
        "Make the pin that this sprocket turns on: plain and round, on the Z axis from Z = -15 "
        "to Z = 45, and 0.1 mm thinner than the thickest such pin that goes through the bore."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'pin = cq.Workplane("XY", origin=(0, 0, -15)).circle({number(size)} / 2)\n'
        f"result = pin.extrude(60)\n"
    )
    return Mate(about, program, (box((size, size, 60), (0, 0, 15)), volume(disc(size) * 60)))


_SPROCKET_OPTIONS = {
    "hub": (
        "A hub of diameter {hub_diameter} rises {hub_height} above the upper face, coaxial with "
        "the bore, which goes on through it."
    ),
    "holes": (
        "{hole_count} through holes of diameter {hole_diameter} are spaced evenly on a circle of "
        "diameter {hole_circle}, the first on the +X axis."
    ),
    "flat": (
        "The bore is a D bore: on the +Y side material is left beyond a flat, parallel to the XZ "
        "plane and {flat_distance} from the axis, over the whole length of the bore."
    ),
}

SPROCKET = Family(
    name="sprocket",
    title="chain sprocket",
    group="transmission",
    dimensions=(
        *dimensions("teeth", "count"),
        *dimensions("chain_pitch roller_diameter outer_diameter width bore_diameter"),
        *dimensions("hub_diameter hub_height"),
        *dimensions("hole_count", "count"),
        *dimensions("hole_diameter hole_circle flat_distance"),
    ),
    steps=(
        Step(
            "import math\n\n"
            "step, r = 2 * math.pi / {teeth}, {roller_diameter} / 2\n"
            "pitch, outer = {chain_pitch} / math.sin(step / 2) / 2, {outer_diameter} / 2\n"
            "gap = math.acos((pitch**2 + outer**2 - r**2) / (2 * pitch * outer))\n\n"
            "def at(radius, angle):\n"
            "    return (radius * math.cos(angle), radius * math.sin(angle))\n\n"
            'wheel = cq.Workplane("XY").moveTo(*at(outer, -gap))\n'
            "for i in range({teeth}):\n"
            "    t = i * step\n"
            "    wheel = wheel.threePointArc(at(pitch - r, t), at(outer, t + gap))\n"
            "    wheel = wheel.threePointArc(at(outer, t + step / 2), at(outer, t + step - gap))\n"
            "result = wheel.close().extrude({width})",
            "a wheel with {teeth} teeth for a chain of pitch {chain_pitch}",
        ),
        Step(
            'hub = cq.Workplane("XY").circle({hub_diameter} / 2)\n'
            "result = result.union(hub.extrude({width} + {hub_height}))",
            "a hub of {hub_diameter}, {hub_height} high",
            "hub",
        ),
        Step(
            "tall = result.val().BoundingBox().zmax\n"
            'bore = cq.Workplane("XY").circle({bore_diameter} / 2).extrude(tall)\n'
            "result = result.cut(bore)",
            "a bore of {bore_diameter}",
        ),
        Step(
            "reach = {bore_diameter}\n"
            'flat = cq.Workplane("XY", origin=(0, {flat_distance} + reach / 2, 0))\n'
            "flat = flat.rect(reach, reach).extrude(tall).intersect(bore)\n"
            "result = result.union(flat)",
            "a flat {flat_distance} from the axis of the bore",
            "flat",
        ),
        Step(
            'holes = cq.Workplane("XY").polarArray({hole_circle} / 2, 0, 360, {hole_count})\n'
            "result = result.cut(holes.circle({hole_diameter} / 2).extrude({width}))",
            "{hole_count} holes of {hole_diameter}",
            "holes",
        ),
    ),
    sample=sampler(_sprocket_values, _sprocket_fits, tuple(_SPROCKET_OPTIONS)),
    is_possible=_sprocket_fits,
    wordings=(
        "Plain chain sprocket, all lengths in mm, axis on Z, from Z = 0 to Z = {width}. It is a "
        "disc of diameter {outer_diameter} with {teeth} round gaps for the rollers of a chain of "
        "pitch {chain_pitch}: each gap is what a circle of diameter {roller_diameter} takes away, "
        "the circles being evenly spaced on the pitch circle of diameter {chain_pitch} / sin(180 "
        "deg / {teeth}), the first on the +X axis. A bore of diameter {bore_diameter} goes "
        "through. {features}",
        "Make a simple sprocket (mm) for a roller chain with pitch {chain_pitch} and rollers of "
        "{roller_diameter}: {teeth} teeth, blank {outer_diameter} in diameter and {width} thick, "
        "lying on Z = 0 and centred on the Z axis, bored {bore_diameter} through. Cut the seats "
        "as full circles of the roller diameter {roller_diameter} whose centres lie on a circle of "
        "diameter {chain_pitch} divided by the sine of 180 / {teeth} degrees; one seat is on the "
        "+X axis. {features}",
        "Sprocket. Units: mm. Axis Z, Z 0 to {width}. z = {teeth}, p = {chain_pitch}, roller dia "
        "{roller_diameter}, tip dia {outer_diameter}. Tooth form: disc minus z circles of roller "
        "diameter on the pitch circle dia p / sin(180 deg / z), one centre on +X. Bore dia "
        "{bore_diameter} through. {features}",
    ),
    options=_SPROCKET_OPTIONS,
    constrain=_sprocket_asked,
    mate=_sprocket_shaft,
)

FAMILIES = (SPROCKET,)
