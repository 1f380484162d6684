"""Shapes with curved sides, and those whose bare surface makes a sheet."""

from __future__ import annotations

import math

import numpy as np

from cadwright.envs.domains.mesh_shapes import Numbers, Rng, Shape, pick, rod, step_of, up
from cadwright.tools.geometry.solids import Manifold
from cadwright.tools.meshing.primitives import primitive

_UP = np.array((0.0, 0.0, 1.0))


def _draw_knob(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {
        "diameter": pick(rng, 30, 50, step),
        "height": pick(rng, 16, 26, step),
        "shaft": pick(rng, 6, 10, step),
        "depth": pick(rng, 8, 12, step),
        "grip": pick(rng, 6, 9, step),
        "grips": float(rng.integers(5, 9)),
    }


def _build_knob(n: Numbers) -> Manifold:
    radius, height = n["diameter"] / 2, n["height"]
    solid = rod(n["diameter"], height, up(height))
    ball = primitive("sphere", (2.6 * height,), np.array((0.0, 0.0, -0.3 * height)), _UP)
    solid = solid ^ ball.scale((radius / height, radius / height, 1.0))
    for k in range(int(n["grips"])):
        angle = math.tau * k / n["grips"]
        place = (1.05 * radius * math.cos(angle), 1.05 * radius * math.sin(angle), height / 2)
        solid = solid - rod(n["grip"], 3 * height, place)
    return solid - rod(n["shaft"], 2 * n["depth"], (0.0, 0.0, 0.0))


def _draw_vase(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {
        "foot": pick(rng, 24, 34, step),
        "belly": pick(rng, 44, 60, step),
        "neck": pick(rng, 18, 26, step),
        "height": pick(rng, 50, 80, step),
    }


def _build_vase(n: Numbers) -> Manifold:
    import manifold3d

    heights = np.linspace(0.0, 1.0, 61)
    shares = np.interp(
        heights, [0.0, 0.4, 0.85, 1.0], [n["foot"], n["belly"], n["neck"], n["neck"] + 6]
    )
    kernel = np.hanning(15) / np.hanning(15).sum()
    smooth = np.convolve(np.pad(shares, 7, mode="edge"), kernel, mode="valid") / 2
    outline = [(0.0, 0.0), *zip(smooth, heights * n["height"], strict=True), (0.0, n["height"])]
    return manifold3d.Manifold.revolve(manifold3d.CrossSection([outline]), 96)


def _draw_ring(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {
        "ring": pick(rng, 40, 60, step),
        "tube": pick(rng, 10, 16, step),
        "stem": pick(rng, 5, 8, step),
        "reach": pick(rng, 16, 30, step),
    }


def _build_ring(n: Numbers) -> Manifold:
    lift = np.array((0.0, 0.0, n["tube"] / 2))
    solid = primitive("torus", (n["ring"], n["tube"]), lift, _UP)
    middle = (n["ring"] / 2 + n["reach"] / 2, 0.0, n["tube"] / 2)
    return solid + rod(n["stem"], n["reach"], middle, "x")


def _draw_cover(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {"diameter": pick(rng, 30, 60, step), "height": pick(rng, 10, 14, step)}


def _build_cover(n: Numbers) -> Manifold:
    """A cap of a ball: it passes through the rim and the top."""
    half, height = n["diameter"] / 2, n["height"]
    radius = (half**2 + height**2) / (2 * height)
    ball = primitive("sphere", (2 * radius,), np.array((0.0, 0.0, height - radius)), _UP)
    return ball.trim_by_plane((0.0, 0.0, 1.0), 0.0)


def _draw_gutter(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {"diameter": pick(rng, 24, 50, step), "length": pick(rng, 40, 80, step)}


def _build_gutter(n: Numbers) -> Manifold:
    whole = rod(n["diameter"], n["length"], (0.0, 0.0, 0.0), "x")
    return whole.trim_by_plane((0.0, 0.0, 1.0), 0.0)


def _draw_tray(rng: Rng, difficulty: int) -> dict[str, float]:
    step = step_of(difficulty)
    return {
        "length": pick(rng, 50, 80, step),
        "width": pick(rng, 36, 48, step),
        "height": pick(rng, 12, 20, step),
        "lean": pick(rng, 4, 8, step),
    }


def _build_tray(n: Numbers) -> Manifold:
    import manifold3d

    length, width, height, lean = n["length"], n["width"], n["height"], n["lean"]
    corners = [
        (sx * (length / 2 - inset), sy * (width / 2 - inset), z)
        for z, inset in ((0.0, 0.0), (height, lean))
        for sx in (-1.0, 1.0)
        for sy in (-1.0, 1.0)
    ]
    return manifold3d.Manifold.hull_points(corners)


ROUNDED: tuple[Shape, ...] = (
    Shape(
        "knob",
        "grip knob",
        _draw_knob,
        _build_knob,
        "diameter {diameter} mm, height {height} mm, {grips} grips, shaft hole {shaft} mm",
    ),
    Shape(
        "vase",
        "solid vase",
        _draw_vase,
        _build_vase,
        "foot {foot} mm, belly {belly} mm, neck {neck} mm, height {height} mm",
    ),
    Shape(
        "ring",
        "ring with a stem",
        _draw_ring,
        _build_ring,
        "ring {ring} mm, tube {tube} mm, stem of {stem} mm reaching {reach} mm out",
    ),
    Shape(
        "cover",
        "domed cover",
        _draw_cover,
        _build_cover,
        "diameter {diameter} mm, height {height} mm",
    ),
    Shape(
        "gutter",
        "half-round trough",
        _draw_gutter,
        _build_gutter,
        "diameter {diameter} mm, length {length} mm",
    ),
    Shape(
        "tray",
        "tapered tray",
        _draw_tray,
        _build_tray,
        "{length} x {width} x {height} mm, sides leaning in by {lean} mm",
    ),
)
