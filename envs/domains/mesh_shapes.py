"""Shapes of the mesh domains: numbers drawn from a seed, words about them, and their triangles.

They are made with the solid kernel from boxes and cylinders, in our own process: nothing foreign
is parsed. Coordinates are rounded and sorted, so that equal numbers give equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.solids import Manifold
from cadwright.tools.meshing.primitives import primitive
from cadwright.tools.meshing.solid import mesh_of
from cadwright.tools.meshing.triangles import canonical

DIGITS = 4  # decimals of a mm; STL keeps about five for parts of this size
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}

Numbers = Mapping[str, float]
Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of part.

    Attributes:
        name: Word of domain ids.
        title: In words, no article.
        draw: (generator, difficulty) -> numbers by name, mm.
        build: numbers -> solid, resting on z = 0 around the z axis.
        about: The numbers in words, as ``str.format`` over them.
    """

    name: str
    title: str
    draw: Callable[[Rng, int], dict[str, float]]
    build: Callable[[Numbers], Manifold]
    about: str

    def words(self, numbers: Numbers) -> str:
        """Return the shape with its numbers in words."""
        return self.about.format(**{name: f"{value:g}" for name, value in numbers.items()})


def mesh_from(solid: Manifold) -> Mesh:
    """Return the rounded and sorted triangles of a solid."""
    return canonical(mesh_of(solid), digits=DIGITS)


def box(size: tuple[float, float, float], low: tuple[float, float, float]) -> Manifold:
    """Return a box by its size and its lowest corner."""
    centre = np.array(low) + 0.5 * np.array(size)
    return primitive("box", size, centre, np.array(_AXES["z"]))


def rod(
    diameter: float, height: float, middle: tuple[float, float, float], axis: str = "z"
) -> Manifold:
    """Return a cylinder by its size and its middle."""
    return primitive("cylinder", (diameter, height), np.array(middle), np.array(_AXES[axis]))


def pick(rng: Rng, low: float, high: float, step: float = 1.0) -> float:
    """Return a number from ``low`` to ``high`` in whole steps."""
    count = round((high - low) / step)
    return round(low + step * int(rng.integers(count + 1)), 4)


def step_of(difficulty: int) -> float:
    """Return how fine the numbers are: whole, then halves, then tenths of a mm."""
    return {1: 1.0, 2: 1.0, 3: 0.5, 4: 0.5}.get(difficulty, 0.1)


def up(height: float) -> tuple[float, float, float]:
    """Return the middle of something that stands on the origin."""
    return (0.0, 0.0, height / 2)
