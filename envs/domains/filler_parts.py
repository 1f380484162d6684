"""Parts that a long specification speaks of beside the one asked for: kinds, sizes, materials.

A kind has one leading size and the others in proportion to it, so a lift hook looks like a lift
hook at any size, and its mass is that of its material.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

import numpy as np

T = TypeVar("T")

_BATCH = 4096  # draws at once: one by one they cost more than the text
_FIRST, _SPAN, _STRIDE = 10_000, 60_000, 7_919  # of part numbers; the stride shares no factor
_SPREAD = 0.12  # of a proportion, either way
_COARSE_MM = 20  # from here on sizes are in half millimetres, below in tenths


@dataclass(frozen=True, slots=True)
class _Material:
    """What a part is made of, g/cm³, and how it may be finished."""

    name: str
    density: float
    finishes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of part.

    Attributes:
        lead: The size that the others follow, and its range in mm.
        ratios: The other sizes as shares of it.
        bulk: Volume as a share of the cube of the leading size.
        materials: What it may be made of.
    """

    lead: tuple[str, int, int]
    ratios: Mapping[str, float]
    bulk: float
    materials: Sequence[_Material]


@dataclass(frozen=True, slots=True)
class FillerPart:
    """One part.

    Attributes:
        number: No other part has it: ``PN-41561``.
        name: ``drive pin``.
        sizes: Names and values in mm.
        material: With its finish, in words.
        mass_g: Of one piece.
    """

    number: str
    name: str
    sizes: tuple[tuple[str, float], ...]
    material: str
    mass_g: int

    @property
    def full_name(self) -> str:
        """Number and name."""
        return f"{self.number} ({self.name})"


class Dice:
    """Draws from a generator in batches.

    Args:
        rng: Where the draws come from.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._draws = (draw for _ in count() for draw in rng.random(_BATCH).tolist())

    def share(self) -> float:
        """Return a number from 0 to 1."""
        return float(next(self._draws))

    def whole(self, low: int, high: int) -> int:
        """Return a whole number, both ends included."""
        return low + int(next(self._draws) * (high - low + 1))

    def of(self, words: Sequence[T]) -> T:
        """Return one of some words."""
        return words[int(next(self._draws) * len(words))]


def parts(dice: Dice) -> Iterator[FillerPart]:
    """Yield parts without end, as many as there are part numbers."""
    place = dice.whole(0, _SPAN - 1)
    while True:
        place = (place + _STRIDE) % _SPAN
        name = dice.of(_NAMES)
        yield _part(dice, f"PN-{_FIRST + place}", name, _KINDS[name])


def _part(dice: Dice, number: str, name: str, kind: _Kind) -> FillerPart:
    label, low, high = kind.lead
    lead = float(dice.whole(low, high))
    others = ((what, _near(dice, ratio * lead)) for what, ratio in kind.ratios.items())
    material = dice.of(kind.materials)
    mass = max(1, round(kind.bulk * lead**3 / 1000 * material.density))
    words = f"{material.name}, {dice.of(material.finishes)}"
    return FillerPart(number, name, ((label, lead), *others), words, mass)


def _near(dice: Dice, value: float) -> float:
    return rounded(value * (1 + _SPREAD * (2 * dice.share() - 1)))


def rounded(value: float) -> float:
    """Return a size as a designer chooses it, mm."""
    if value >= _COARSE_MM:
        return float(round(value * 2) / 2)
    return max(0.5, float(round(value, 1)))


_STEEL = (
    _Material("S235JR", 7.85, ("zinc plated", "powder coated RAL 7035", "painted RAL 9005")),
    _Material("S355J2", 7.85, ("phosphated", "zinc plated")),
    _Material("C45", 7.85, ("black oxidised", "phosphated and oiled")),
    _Material("42CrMo4", 7.85, ("nitrided", "quenched and tempered")),
)
_STAINLESS = (
    _Material("1.4301", 7.9, ("electropolished", "left plain")),
    _Material("1.4571", 8.0, ("left plain", "pickled")),
)
_LIGHT = (
    _Material("EN AW-6082", 2.7, ("clear anodised", "black anodised")),
    _Material("EN AW-7075", 2.8, ("hard anodised",)),
)
_BRASS = (_Material("CuZn39Pb3", 8.5, ("nickel plated", "left plain")),)
_IRON = (_Material("EN-GJL-250", 7.2, ("primed grey", "machined faces oiled")),)
_PLASTIC = (
    _Material("POM-C", 1.41, ("left plain",)),
    _Material("PA6", 1.14, ("conditioned in water",)),
    _Material("PEEK", 1.32, ("tempered before machining",)),
)
_SHEET = (_STEEL[0], *_STAINLESS, _LIGHT[0])
_METAL = (*_STEEL, *_STAINLESS, *_LIGHT)
_LENGTH, _OUTSIDE = "overall length", "outer diameter"
_BORE, _WIDTH, _HEIGHT, _WALL = "bore diameter", "overall width", "overall height", "wall thickness"
_THICK = "thickness"

_KINDS: Mapping[str, _Kind] = {
    "clamp lever": _Kind(
        (_LENGTH, 60, 160), {_WIDTH: 0.2, _HEIGHT: 0.15, _BORE: 0.1}, 0.02, _STEEL
    ),
    "spacer ring": _Kind((_OUTSIDE, 20, 120), {_BORE: 0.6, _HEIGHT: 0.3}, 0.15, _METAL),
    "guide rail": _Kind((_LENGTH, 180, 900), {_WIDTH: 0.07, _HEIGHT: 0.06}, 0.004, _STEEL),
    "end cap": _Kind((_OUTSIDE, 30, 140), {_HEIGHT: 0.35, _WALL: 0.08}, 0.12, (*_LIGHT, *_PLASTIC)),
    "drive pin": _Kind((_LENGTH, 30, 140), {"diameter": 0.2, "chamfer": 0.02}, 0.031, _STEEL),
    "cover plate": _Kind((_LENGTH, 80, 420), {_WIDTH: 0.6, _THICK: 0.02}, 0.011, _SHEET),
    "wedge": _Kind((_LENGTH, 40, 150), {_WIDTH: 0.4, _HEIGHT: 0.25}, 0.06, _STEEL),
    "stop block": _Kind((_LENGTH, 30, 120), {_WIDTH: 0.7, _HEIGHT: 0.5, _BORE: 0.18}, 0.33, _METAL),
    "cable tray": _Kind((_LENGTH, 250, 900), {_WIDTH: 0.15, _HEIGHT: 0.08}, 0.0006, _SHEET),
    "hinge leaf": _Kind((_LENGTH, 40, 140), {_WIDTH: 0.6, _THICK: 0.05}, 0.03, _SHEET),
    "tension arm": _Kind(
        (_LENGTH, 90, 320), {_WIDTH: 0.18, _THICK: 0.08, _BORE: 0.1}, 0.011, _STEEL
    ),
    "sensor bracket": _Kind((_LENGTH, 30, 120), {_WIDTH: 0.5, _THICK: 0.04}, 0.03, _SHEET),
    "bearing seat": _Kind(
        (_OUTSIDE, 60, 220), {_BORE: 0.6, _HEIGHT: 0.35, "shoulder height": 0.06}, 0.17, _IRON
    ),
    "support foot": _Kind((_OUTSIDE, 40, 150), {_HEIGHT: 0.6, "stem diameter": 0.25}, 0.1, _STEEL),
    "locking bolt": _Kind(
        (_LENGTH, 30, 140), {"shank diameter": 0.18, "head height": 0.1}, 0.03, _STEEL
    ),
    "shaft collar": _Kind(
        (_OUTSIDE, 20, 100), {_BORE: 0.5, _WIDTH: 0.35, "slot width": 0.04}, 0.2, _STEEL
    ),
    "roller fork": _Kind(
        (_LENGTH, 60, 220), {_WIDTH: 0.4, "slot width": 0.2, _BORE: 0.12}, 0.05, _STEEL
    ),
    "valve body": _Kind((_LENGTH, 50, 180), {_WIDTH: 0.6, _HEIGHT: 0.55, _BORE: 0.2}, 0.26, _BRASS),
    "gasket frame": _Kind((_LENGTH, 60, 320), {_WIDTH: 0.7, _THICK: 0.01}, 0.003, _PLASTIC),
    "lift hook": _Kind(
        (_HEIGHT, 80, 260), {_WIDTH: 0.55, _THICK: 0.15, "eye diameter": 0.2}, 0.035, _STEEL
    ),
    "pivot bush": _Kind(
        (_OUTSIDE, 12, 70), {_BORE: 0.65, _LENGTH: 0.9, "flange thickness": 0.1}, 0.42, _BRASS
    ),
    "terminal box": _Kind(
        (_LENGTH, 90, 320), {_WIDTH: 0.7, _HEIGHT: 0.4, _WALL: 0.02}, 0.05, _LIGHT
    ),
    "handwheel": _Kind(
        (_OUTSIDE, 80, 320), {_BORE: 0.1, "hub length": 0.2, _HEIGHT: 0.25}, 0.03, _IRON
    ),
    "nozzle holder": _Kind(
        (_LENGTH, 30, 120), {_WIDTH: 0.5, _BORE: 0.15, _HEIGHT: 0.45}, 0.18, _BRASS
    ),
    "spring plate": _Kind((_LENGTH, 40, 180), {_WIDTH: 0.35, _THICK: 0.015}, 0.005, _STAINLESS),
    "jaw insert": _Kind(
        (_LENGTH, 30, 120), {_WIDTH: 0.5, _HEIGHT: 0.3, "groove depth": 0.03}, 0.14, _STEEL
    ),
    "coupling half": _Kind(
        (_OUTSIDE, 40, 180), {_BORE: 0.4, _LENGTH: 0.6, "keyway width": 0.1}, 0.38, _METAL
    ),
    "link bar": _Kind(
        (_LENGTH, 80, 420), {_WIDTH: 0.12, _THICK: 0.05, "hole spacing": 0.85}, 0.0055, _STEEL
    ),
    "pressure pad": _Kind(
        (_OUTSIDE, 20, 120), {_HEIGHT: 0.25, "pocket depth": 0.08}, 0.17, _PLASTIC
    ),
    "adapter disc": _Kind(
        (_OUTSIDE, 60, 260), {_BORE: 0.35, _THICK: 0.1, "bolt circle": 0.7}, 0.068, _METAL
    ),
}
_NAMES = tuple(_KINDS)
