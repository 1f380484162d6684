"""Shapes with flat sides: plates, brackets, wheels, housings."""

from __future__ import annotations

import math

from cadwright.envs.domains.mesh_shapes import Numbers, Rng, Shape, box, pick, rod, step_of, up
from cadwright.tools.geometry.solids import Manifold


def _draw_plate(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    length, width = pick(rng, 50, 90, step), pick(rng, 30, 46, step)
    return {
        "length": length,
        "width": width,
        "thickness": pick(rng, 5, 12, step),
        "hole": pick(rng, 4, 8, step),
        "pitch": pick(rng, 24, 36, step),
        "pad": pick(rng, 10, 18, step),
        "pad_height": pick(rng, 3, 8, step),
        "offset": pick(rng, 3, 6, step),
    }


def _build_plate(n: Numbers) -> Manifold:
    length, width, thickness = n["length"], n["width"], n["thickness"]
    solid = box((length, width, thickness), (-length / 2, -width / 2, 0.0))
    solid = solid + rod(n["pad"], thickness + n["pad_height"], up(thickness + n["pad_height"]))
    for side in (-1.0, 1.0):
        place = (side * n["pitch"] / 2, n["offset"], thickness / 2)
        solid = solid - rod(n["hole"], 2 * thickness, place)
    return solid


def _draw_bracket(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {
        "length": pick(rng, 40, 64, step),
        "width": pick(rng, 20, 36, step),
        "height": pick(rng, 30, 50, step),
        "thickness": pick(rng, 4, 8, step),
        "hole": pick(rng, 4, 8, step),
        "rib": pick(rng, 3, 6, step),
    }


def _build_bracket(n: Numbers) -> Manifold:
    import manifold3d

    length, width, height, t = n["length"], n["width"], n["height"], n["thickness"]
    base = box((length, width, t), (0.0, -width / 2, 0.0))
    wall = box((t, width, height), (0.0, -width / 2, 0.0))
    outline = [(t / 2, t / 2), (0.6 * length, t / 2), (t / 2, 0.6 * height)]
    profile = manifold3d.CrossSection([outline])
    rib = manifold3d.Manifold.extrude(profile, n["rib"]).rotate((90.0, 0.0, 0.0))
    solid = base + wall + rib.translate((0.0, n["rib"] / 2, 0.0))
    for side in (-1.0, 1.0):
        solid = solid - rod(n["hole"], 4 * t, (0.75 * length, side * width / 4, t / 2))
    return solid - rod(n["hole"], 4 * t, (t / 2, 0.0, 0.8 * height), "x")


def _draw_disc(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {
        "diameter": pick(rng, 50, 80, step),
        "thickness": pick(rng, 5, 10, step),
        "hub": pick(rng, 22, 30, step),
        "hub_height": pick(rng, 8, 20, step),
        "bore": pick(rng, 8, 14, step),
        "bolt": pick(rng, 4, 6, step),
        "bolts": float(rng.integers(3, 7)),
    }


def _build_disc(n: Numbers) -> Manifold:
    total = n["thickness"] + n["hub_height"]
    solid = rod(n["diameter"], n["thickness"], up(n["thickness"])) + rod(n["hub"], total, up(total))
    solid = solid - rod(n["bore"], 3 * total, up(total))
    radius = (n["diameter"] + n["hub"]) / 4
    for k in range(int(n["bolts"])):
        angle = math.tau * k / n["bolts"]
        place = (radius * math.cos(angle), radius * math.sin(angle), n["thickness"] / 2)
        solid = solid - rod(n["bolt"], 3 * n["thickness"], place)
    return solid


def _draw_wheel(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {
        "diameter": pick(rng, 60, 90, step),
        "rim": pick(rng, 5, 8, step),
        "width": pick(rng, 8, 16, step),
        "hub": pick(rng, 16, 22, step),
        "bore": pick(rng, 6, 10, step),
        "spoke": pick(rng, 4, 7, step),
        "spokes": float(rng.integers(3, 7)),
    }


def _build_wheel(n: Numbers) -> Manifold:
    width, outer = n["width"], n["diameter"]
    tyre = rod(outer, width, up(width)) - rod(outer - 2 * n["rim"], 3 * width, up(width))
    solid = tyre + rod(n["hub"], width, up(width))
    reach = outer / 2 - n["rim"] / 2
    for k in range(int(n["spokes"])):
        bar = box((reach, n["spoke"], 0.6 * width), (0.0, -n["spoke"] / 2, 0.2 * width))
        solid = solid + bar.rotate((0.0, 0.0, 360.0 * k / n["spokes"]))
    return solid - rod(n["bore"], 3 * width, up(width))


def _draw_housing(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {
        "length": pick(rng, 50, 80, step),
        "width": pick(rng, 34, 50, step),
        "height": pick(rng, 18, 30, step),
        "wall": pick(rng, 2, 4, step),
        "boss": pick(rng, 6, 8, step),
        "port": pick(rng, 6, 10, step),
    }


def _build_housing(n: Numbers) -> Manifold:
    length, width, height, wall = n["length"], n["width"], n["height"], n["wall"]
    solid = box((length, width, height), (-length / 2, -width / 2, 0.0))
    inner = (length - 2 * wall, width - 2 * wall, height)
    solid = solid - box(inner, (-inner[0] / 2, -inner[1] / 2, wall))
    tall = 0.7 * height
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            place = (x * (inner[0] / 2 - n["boss"]), y * (inner[1] / 2 - n["boss"]), tall / 2)
            solid = solid + rod(n["boss"], tall, place)
    return solid - rod(n["port"], 4 * wall, (length / 2, 0.0, height / 2), "x")


def _draw_wedge(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {
        "length": pick(rng, 50, 80, step),
        "width": pick(rng, 30, 44, step),
        "height": pick(rng, 28, 40, step),
        "nose": pick(rng, 14, 20, step),
    }


def _build_wedge(n: Numbers) -> Manifold:
    import manifold3d

    length, height = n["length"], n["height"]
    outline = [
        (0.0, 0.0),
        (length, 0.0),
        (length, n["nose"]),
        (0.3 * length, height),
        (0.0, height),
    ]
    solid = manifold3d.Manifold.extrude(manifold3d.CrossSection([outline]), n["width"])
    turned = solid.rotate((90.0, 0.0, 0.0))
    return turned.translate((-length / 2, n["width"] / 2, 0.0))


def _draw_lever(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {
        "reach": pick(rng, 44, 70, step),
        "big": pick(rng, 26, 34, step),
        "small": pick(rng, 14, 20, step),
        "thickness": pick(rng, 8, 12, step),
        "bore": pick(rng, 10, 14, step),
        "pin": pick(rng, 5, 7, step),
        "pin_height": pick(rng, 8, 16, step),
    }


def _build_lever(n: Numbers) -> Manifold:
    import manifold3d

    t, reach = n["thickness"], n["reach"]
    ends = [rod(n["big"], t, up(t)), rod(n["small"], t, (reach, 0.0, t / 2))]
    solid = manifold3d.Manifold.batch_hull(ends)
    tall = t + n["pin_height"]
    solid = solid + rod(n["pin"], tall, (reach, 0.0, tall / 2))
    solid = solid - rod(n["bore"], 3 * t, up(t))
    return solid - box((n["bore"], n["big"], 0.5 * t), (-n["bore"] / 2, n["bore"] / 4, 0.5 * t))


PRISMATIC: tuple[Shape, ...] = (
    Shape(
        "plate",
        "mounting plate with a pad",
        _draw_plate,
        _build_plate,
        "{length} x {width} x {thickness} mm, a pad of diameter {pad} and height {pad_height} "
        "in the middle, two holes of diameter {hole} at a pitch of {pitch}",
    ),
    Shape(
        "bracket",
        "angle bracket with a rib",
        _draw_bracket,
        _build_bracket,
        "foot {length} x {width} mm, wall {height} mm high, {thickness} mm thick",
    ),
    Shape(
        "disc",
        "flanged hub",
        _draw_disc,
        _build_disc,
        "flange {diameter} x {thickness} mm, hub {hub} mm, bore {bore} mm, {bolts} bolt holes",
    ),
    Shape(
        "wheel",
        "spoked wheel",
        _draw_wheel,
        _build_wheel,
        "diameter {diameter} mm, width {width} mm, {spokes} spokes, bore {bore} mm",
    ),
    Shape(
        "housing",
        "open housing with bosses",
        _draw_housing,
        _build_housing,
        "{length} x {width} x {height} mm, wall {wall} mm, four bosses, one port of {port} mm",
    ),
    Shape(
        "wedge",
        "sloping block",
        _draw_wedge,
        _build_wedge,
        "{length} x {width} x {height} mm, sloping down to {nose} mm",
    ),
    Shape(
        "lever",
        "lever with a pin",
        _draw_lever,
        _build_lever,
        "{reach} mm from bore to pin, {thickness} mm thick, bore {bore} mm, pin {pin} mm",
    ),
)
