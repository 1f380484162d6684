"""A helical compression spring."""

from __future__ import annotations

import math
from collections.abc import Mapping

from cadwright.envs.domains.asking import Record, bodies, box, dimensions, disc, face, volume, when
from cadwright.envs.domains.family import Design, Family, Mate, Number, Step, number
from cadwright.envs.domains.sampling import Draw, sampler


def _spring_values(draw: Draw) -> Mapping[str, Number]:
    wire = draw.choice((1.5, 2, 2.5, 3, 4))
    return {
        "wire_diameter": wire,
        "mean_diameter": draw.length(6 * wire, 10 * wire),
        "pitch": draw.length(1.8 * wire, 3.5 * wire),
        "turns": draw.count(3, 7),
        "seat_thickness": draw.length(wire / 2 + 0.5, wire / 2 + 3),
        "seat_margin": draw.length(1, 5),
        "cap_thickness": draw.length(wire / 2 + 0.5, wire / 2 + 3),
    }


def _spring_fits(d: Design) -> bool:
    wire, mean = d["wire_diameter"], d["mean_diameter"]
    return (
        d["turns"] >= 2
        and mean >= 4 * wire
        and 1.3 * wire <= d["pitch"] <= mean / 1.5
        and min(d["seat_thickness"], d["cap_thickness"]) >= wire / 2 + 0.3
        and wire + 2 * d["seat_margin"] + 2 <= mean
    )


def _spring_asked(d: Design) -> tuple[Record, ...]:
    wire, mean, tall = d["wire_diameter"], d["mean_diameter"], d["turns"] * d["pitch"]
    is_seated, is_capped = "seat" in d.options, "cap" in d.options
    is_bare = not (is_seated or is_capped)
    across = mean + wire + (0 if is_bare else 2 * d["seat_margin"])
    low = -d["seat_thickness"] if is_seated else -wire / 2
    high = tall + (d["cap_thickness"] if is_capped else wire / 2)
    # Every section through the axis is the same circle, so the theorem of Pappus holds.
    solid = disc(wire) * math.pi * mean * d["turns"]
    return (
        box((across, across, high - low), (0, 0, (low + high) / 2)),
        bodies(),
        *when(is_bare, volume(solid), {"kind": "centre_of_mass", "at": [0, 0, tall / 2]}),
        *when(is_seated, face("-z", (0, mean / 2, low))),
        *when(is_capped, face("+z", (0, mean / 2, high))),
    )


def _spring_guide(d: Design) -> Mate:
    """A pin inside the spring and its rings, 1 mm thinner than the free space."""
    has_ring = bool(d.options & {"seat", "cap"})
    free = d["mean_diameter"] - d["wire_diameter"] - (2 * d["seat_margin"] if has_ring else 0)
    size = float(free - 1)
    tall = float(d["turns"] * d["pitch"])
    about = (
        "Make the guide pin that stands inside this spring: plain and round, on the Z axis from "
        "Z = 0 to where the centre line of the wire ends, and 1 mm thinner than the space that "
        "the spring, with any ring on it, leaves free."
    )
    program = (
        f"import cadquery as cq\n\n"
        f'result = cq.Workplane("XY").circle({number(size)} / 2).extrude({number(tall)})\n'
    )
    asked = (box((size, size, tall), (0, 0, tall / 2)), bodies(), volume(disc(size) * tall))
    return Mate(about, program, asked)


_SPRING_OPTIONS = {
    "left_hand": (
        "The helix is left-handed: from its start on +X it rises through -Y, then -X, then +Y."
    ),
    "seat": (
        "The lower end stands on a flat ring, one piece with it, from Z = -{seat_thickness} to Z = "
        "0; the ring is {seat_margin} wider than the spring both outwards and inwards."
    ),
    "cap": (
        "A flat ring, one piece with the spring, lies on the upper end of the helix and is "
        "{cap_thickness} thick: its lower face is {turns} pitches above Z = 0; the ring is "
        "{seat_margin} wider than the spring both outwards and inwards."
    ),
}

_SPRING_OTHERWISE = {
    "left_hand": (
        "The helix is right-handed: from its start on +X it rises through +Y, then -X, then -Y."
    ),
}

SPRING = Family(
    name="compression_spring",
    title="compression spring",
    group="forms",
    dimensions=(
        *dimensions("wire_diameter mean_diameter pitch"),
        *dimensions("turns", "count"),
        *dimensions("seat_thickness seat_margin cap_thickness"),
    ),
    steps=(
        Step(
            "tall = {turns} * {pitch}\n"
            "helix = cq.Wire.makeHelix({pitch}, tall, {mean_diameter} / 2)\n"
            'section = cq.Workplane("XZ", origin=({mean_diameter} / 2, 0, 0))\n'
            "result = section.circle({wire_diameter} / 2).sweep(helix, isFrenet=True)",
            "a helix of {turns} turns, {mean_diameter} across, of wire of {wire_diameter}",
        ),
        Step('result = result.mirror("XZ")', "a left-handed helix", "left_hand"),
        Step(
            "half = {wire_diameter} / 2 + {seat_margin}\n"
            'seat = cq.Workplane("XY").circle({mean_diameter} / 2 + half)\n'
            "seat = seat.circle({mean_diameter} / 2 - half).extrude(-{seat_thickness})\n"
            "result = result.union(seat, tol=1e-3)",
            "a ring {seat_thickness} thick under the lower end",
            "seat",
        ),
        Step(
            "half = {wire_diameter} / 2 + {seat_margin}\n"
            'cap = cq.Workplane("XY", origin=(0, 0, tall)).circle({mean_diameter} / 2 + half)\n'
            "cap = cap.circle({mean_diameter} / 2 - half).extrude({cap_thickness})\n"
            "result = result.union(cap, tol=1e-3)",
            "a ring {cap_thickness} thick on the upper end",
            "cap",
        ),
    ),
    sample=sampler(_spring_values, _spring_fits, tuple(_SPRING_OPTIONS)),
    is_possible=_spring_fits,
    wordings=(
        "Helical compression spring, all lengths in mm, axis on Z: round wire of diameter "
        "{wire_diameter}, mean coil diameter {mean_diameter}, pitch {pitch}, {turns} turns, all of "
        "the same pitch. The middle of the wire starts on the +X axis at Z = 0 and "
        "rises. In every plane through the Z axis the section of the wire is a circle; the ends "
        "are cut in the XZ plane. {features}",
        "Please model a coil spring (mm) around the Z axis. Its centre line is a helix "
        "with a diameter of {mean_diameter} that begins at Z = 0 above the +X axis and "
        "climbs {pitch} per turn for {turns} turns. The wire is {wire_diameter} thick, measured "
        "as a circle in planes that contain the axis, and ends square in the XZ plane. {features}",
        "Spring. Units: mm. Axis Z. Wire dia "
        "{wire_diameter} (circular in axial planes), mean dia {mean_diameter}, pitch {pitch}, "
        "{turns} turns, start at +X, Z = 0, ends plane in XZ. {features}",
    ),
    options=_SPRING_OPTIONS,
    otherwise=_SPRING_OTHERWISE,
    constrain=_spring_asked,
    mate=_spring_guide,
)

FAMILIES = (SPRING,)
