"""How pictures look: colours, lights and line widths that all backends share.

Colours are linear-free sRGB triples in [0, 1]; lights live in view space, so every view of a
part is lit alike. ``LOOK_VERSION`` changes whenever a number here does: it is part of every
render id.
"""

from __future__ import annotations

import hashlib
from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

Colour = tuple[float, float, float]
Direction = tuple[float, float, float]

REVISION = 1  # raise it when drawing code changes a picture without changing a number below


@dataclass(frozen=True, slots=True)
class Light:
    """A light at infinity: ``direction`` points from the part to the light, in view space."""

    direction: Direction
    strength: float


@dataclass(frozen=True, slots=True)
class Look:
    """Everything that decides how a surface or a line is coloured.

    Attributes:
        body: Colour of the outside of a surface.
        inside: Colour of the inside of a surface, so that an inside-out or open part is noticed.
        highlight: Colour of highlighted faces.
        cap: Colour of a cut face; ``hatch`` is the colour of its stripes.
        line: Colour of edges and silhouettes.
        ambient: Share of light that reaches every surface.
        lights: Key, fill and rim.
        depth_fade: Darkening from the nearest to the farthest point of the frame.
        line_px: Width of edges.
    """

    background: Colour = (1.0, 1.0, 1.0)
    body: Colour = (0.69, 0.79, 0.91)
    inside: Colour = (0.86, 0.45, 0.42)
    highlight: Colour = (1.0, 0.58, 0.12)
    cap: Colour = (0.97, 0.86, 0.62)
    hatch: Colour = (0.72, 0.52, 0.22)
    line: Colour = (0.09, 0.11, 0.15)
    ambient: float = 0.44
    lights: tuple[Light, ...] = (
        Light((-0.42, 0.62, 0.66), 0.52),
        Light((0.78, 0.10, 0.62), 0.20),
        Light((0.10, -0.86, 0.50), 0.10),
    )
    depth_fade: float = 0.16
    line_px: float = 1.5
    hatch_px: float = 7.0


LOOK = Look()
LOOK_VERSION = hashlib.sha256(repr((REVISION, astuple(LOOK))).encode()).hexdigest()[:8]


def unit(direction: Direction) -> Direction:
    """Return ``direction`` with length 1."""
    x, y, z = np.asarray(direction, dtype=np.float64) / np.linalg.norm(direction)
    return (float(x), float(y), float(z))


def brightness(normals: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the light that reaches surfaces with view-space ``normals``, (..., 3) to (...)."""
    total = np.full(normals.shape[:-1], LOOK.ambient, dtype=np.float32)
    for light in LOOK.lights:
        lit = normals @ np.asarray(unit(light.direction), dtype=np.float32)
        total += np.float32(light.strength) * np.maximum(lit, np.float32(0.0))
    return total
