"""A manifold block for air or oil."""

from __future__ import annotations

from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Place,
    Record,
    bodies,
    box,
    corners,
    cylinder,
    dimensions,
    face,
    hole,
    when,
)
from cadwright.envs.domains.family import Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler

CLEARANCE = (5.5, 6.6, 9, 11)  # ISO 273 medium, M5 to M10
PORTS = (8.8, 11.8, 15.25)  # drills for G 1/8, 1/4, 3/8


def _manifold_values(draw: Draw) -> Mapping[str, Number]:
    port, count = draw.choice(PORTS), draw.count(2, 5)
    pitch = draw.length(port + 10, port + 24)
    return {
        "length": draw.length((count - 1) * pitch + port + 20, (count - 1) * pitch + port + 50),
        "width": draw.length(30, 60),
        "height": draw.length(30, 60),
        "gallery_diameter": draw.length(6, 14),
        "gallery_height": draw.length(12, 35),
        "port_diameter": port,
        "port_count": count,
        "port_pitch": pitch,
        "spotface_diameter": draw.length(port + 5, port + 12),
        "spotface_depth": draw.choice((0.5, 1, 1.5)),
        "mount_diameter": draw.choice(CLEARANCE[:3]),
        "mount_spacing_x": draw.length(30, 160),
        "mount_spacing_y": draw.length(18, 50),
        "inlet_diameter": draw.choice(PORTS),
        "inlet_depth": draw.length(8, 15),
    }


def _manifold_fits(d: Design) -> bool:
    row = (d["port_count"] - 1) * d["port_pitch"]
    z, gallery, mount = d["gallery_height"], d["gallery_diameter"], d["mount_diameter"]
    widest = max(gallery, d["inlet_diameter"], d["port_diameter"])
    return (
        d["port_count"] >= 2
        and d["port_diameter"] >= gallery * 0.6
        and d["inlet_diameter"] >= gallery + 1
        and z >= d["inlet_diameter"] / 2 + 4
        and d["height"] - z >= widest / 2 + 6
        and d["spotface_diameter"] >= d["port_diameter"] + 2
        and d["port_pitch"] >= d["spotface_diameter"] + 2
        and row + d["spotface_diameter"] + 6 <= d["length"]
        and d["inlet_depth"] + d["port_diameter"] / 2 + 2 <= (d["length"] - row) / 2
        and d["mount_spacing_x"] + mount + 6 <= d["length"]
        and max(widest, d["spotface_diameter"]) + mount + 3 <= d["mount_spacing_y"]
        and d["mount_spacing_y"] + mount + 5 <= d["width"]
    )


def _ports(d: Design) -> list[Place]:
    first = -(d["port_count"] - 1) * d["port_pitch"] / 2
    return [(first + i * d["port_pitch"], 0, None) for i in range(int(d["port_count"]))]


def _manifold_asked(d: Design) -> tuple[Record, ...]:
    long, wide, tall, z = d["length"], d["width"], d["height"], d["gallery_height"]
    spacing = (d["mount_spacing_x"], d["mount_spacing_y"])
    spots = [(x, 0, z + d["gallery_diameter"] / 2 + 1) for x, _, _ in _ports(d)]
    over_port, floor = d["spotface_diameter"] / 2 - 0.4, tall - d["spotface_depth"]
    return (
        box((long, wide, tall), (0, 0, tall / 2)),
        bodies(),
        cylinder(d["gallery_diameter"], (None, 0, z), axis="x", inner=True),
        {
            "kind": "cylinder",
            "diameter": d["port_diameter"],
            "axis": "z",
            "inner": True,
            "at": [list(spot) for spot in spots],
        },
        *when("mounting" in d.options, hole(d["mount_diameter"], *corners(*spacing, (0, 0)))),
        *when(
            "spotfaces" in d.options,
            face("+z", (spots[0][0] or 0, over_port, floor)),
        ),
        *when(
            "inlet" in d.options,
            cylinder(d["inlet_diameter"], (long / 2, 0, z), axis="x", inner=True),
        ),
    )


_MANIFOLD_OPTIONS = {
    "spotfaces": (
        "Each port is spot-faced from the top: diameter {spotface_diameter}, {spotface_depth} deep."
    ),
    "mounting": (
        "Four through holes of diameter {mount_diameter} along Z lie at the corners of a rectangle "
        "of {mount_spacing_x} (X) by {mount_spacing_y} (Y) centred on the Z axis."
    ),
    "inlet": (
        "From the +X face the gallery is opened out to diameter {inlet_diameter}, {inlet_depth} "
        "deep with a flat end, coaxial with the gallery."
    ),
}

MANIFOLD = Family(
    name="manifold_block",
    title="manifold block",
    group="housings",
    dimensions=(
        *dimensions("length width height gallery_diameter gallery_height port_diameter"),
        *dimensions("port_count", "count"),
        *dimensions("port_pitch spotface_diameter spotface_depth mount_diameter mount_spacing_x"),
        *dimensions("mount_spacing_y inlet_diameter inlet_depth"),
    ),
    steps=(
        Step(
            'block = cq.Workplane("XY").rect({length}, {width}).extrude({height})\n'
            'gallery = cq.Workplane("YZ", origin=(-{length} / 2, 0, {gallery_height}))\n'
            "gallery = gallery.circle({gallery_diameter} / 2).extrude({length})\n"
            'ports = cq.Workplane("XY", origin=(0, 0, {gallery_height}))\n'
            "ports = ports.rarray({port_pitch}, 1, {port_count}, 1).circle({port_diameter} / 2)\n"
            "result = block.cut(gallery).cut(ports.extrude({height}))",
            "a block with a gallery of {gallery_diameter} and {port_count} ports",
        ),
        Step(
            'faces = cq.Workplane("XY", origin=(0, 0, {height} - {spotface_depth}))\n'
            "faces = faces.rarray({port_pitch}, 1, {port_count}, 1)\n"
            "faces = faces.circle({spotface_diameter} / 2).extrude({spotface_depth})\n"
            "result = result.cut(faces)",
            "spot faces of {spotface_diameter}, {spotface_depth} deep",
            "spotfaces",
        ),
        Step(
            'mounts = cq.Workplane("XY").rarray({mount_spacing_x}, {mount_spacing_y}, 2, 2)\n'
            "result = result.cut(mounts.circle({mount_diameter} / 2).extrude({height}))",
            "four mounting holes of {mount_diameter}",
            "mounting",
        ),
        Step(
            'inlet = cq.Workplane("YZ", origin=({length} / 2, 0, {gallery_height}))\n'
            "result = result.cut(inlet.circle({inlet_diameter} / 2).extrude(-{inlet_depth}))",
            "an inlet of {inlet_diameter}, {inlet_depth} deep",
            "inlet",
        ),
    ),
    sample=sampler(_manifold_values, _manifold_fits, tuple(_MANIFOLD_OPTIONS)),
    is_possible=_manifold_fits,
    wordings=(
        "Manifold block, all lengths in mm: {length} (X) by {width} (Y) by {height} (Z), centred "
        "on X = 0 and Y = 0, underside on Z = 0. A gallery of diameter {gallery_diameter} runs "
        "along X through the whole block at Y = 0, Z = {gallery_height}. Ports of diameter "
        "{port_diameter}, {port_count} in a row along X on Y = 0 at a pitch of {port_pitch}, "
        "centred on the Z axis, go down along Z from the top and end flat on the level of the "
        "gallery's axis. {features}",
        "I need a distributor block (mm, Z up) standing on Z = 0 with the Z axis through its "
        "middle: {length} along X, {width} along Y, {height} high. One straight channel of "
        "{gallery_diameter} diameter goes from end face to end face along X, {gallery_height} "
        "above the underside, in the middle of the width. From the top {port_count} flat-ended "
        "outlets of diameter {port_diameter} are bored down to the height of the channel's axis; "
        "they stand above the channel, {port_pitch} apart, symmetric about X = 0. {features}",
        "Manifold. Units: mm. Block X {length}, Y {width}, centred, Z 0 to {height}. Gallery: dia "
        "{gallery_diameter} along X, through, at Y = 0, Z = {gallery_height}. Ports: {port_count} "
        "x dia {port_diameter} along Z from the top down to Z = {gallery_height}, flat, at Y = 0, "
        "pitch {port_pitch} in X, centred. {features}",
    ),
    options=_MANIFOLD_OPTIONS,
    constrain=_manifold_asked,
    split="held_out",
)

FAMILIES = (MANIFOLD,)
