"""How the numbers of a design are drawn: the easier, the rounder.

Whatever is drawn depends on the generator and the difficulty alone, so that the same seed gives
the same design in every process.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from cadwright.envs.domains.family import Design, IsPossible, Number, Sample
from cadwright.tools.errors import UsageError

Value = TypeVar("Value")

GRIDS = (10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)  # lengths are whole multiples of one of them
FINEST = {1: 5.0, 2: 1.0, 3: 1.0, 4: 0.5, 5: 0.1}  # mm, the grid at each difficulty
FEWEST = 4  # lengths in a range: fewer, and the next finer grid is taken
MOST_TRIES = 2000


class Draw:
    """Draws the values and the optional features of one design.

    Args:
        rng: Where all chance comes from.
        difficulty: 1 to 5.
    """

    def __init__(self, rng: np.random.Generator, difficulty: int) -> None:
        self._rng = rng
        self.difficulty = difficulty

    def length(self, low: float, high: float) -> Number:
        """Return a length between two bounds, mm, as round as the difficulty asks for."""
        grid = _grid(low, high, FINEST[self.difficulty])
        first, last = math.ceil(low / grid - 1e-9), math.floor(high / grid + 1e-9)
        return tidy(int(self._rng.integers(first, last + 1)) * grid)

    def angle(self, low: int, high: int, step: int = 5) -> int:
        """Return an angle in whole steps, degrees."""
        return step * self.count(math.ceil(low / step), high // step)

    def count(self, low: int, high: int) -> int:
        """Return a whole number between two bounds, both possible."""
        return int(self._rng.integers(low, high + 1))

    def choice(self, values: Sequence[Value]) -> Value:
        """Return one of several values."""
        return values[int(self._rng.integers(len(values)))]

    def features(self, names: Sequence[str]) -> frozenset[str]:
        """Return as many optional features as the difficulty asks for."""
        order = [names[int(i)] for i in self._rng.permutation(len(names))]
        return frozenset(order[: num_features(self.difficulty, len(names))])


def num_features(difficulty: int, available: int) -> int:
    """Return how many of the available features a design of this difficulty has."""
    wanted = {1: 0, 2: 1, 3: max(2, available // 2), 4: max(2, available - 1), 5: available}
    return min(available, wanted[difficulty])


def sampler(
    values: Callable[[Draw], Mapping[str, Number]], is_possible: IsPossible, options: Sequence[str]
) -> Sample:
    """Return a family's ``sample``: values that fit together, and features to the difficulty.

    Args:
        values: Draws a value for every dimension; they need not fit together.
        is_possible: Says whether they do.
        options: The optional features.
    """

    def sample(rng: np.random.Generator, difficulty: int) -> Design:
        draw = Draw(rng, difficulty)
        for _ in range(MOST_TRIES):
            design = Design(dict(values(draw)), draw.features(options))
            if is_possible(design):
                return design
        raise UsageError(f"no design of difficulty {difficulty} in {MOST_TRIES} tries")

    return sample


def tidy(value: float) -> Number:
    """Return a value with three decimals, and as an int where it is one."""
    value = round(float(value), 3)
    return int(value) if value.is_integer() else value


def _grid(low: float, high: float, coarsest: float) -> float:
    fits = [g for g in GRIDS if g <= coarsest and (high - low) / g >= FEWEST - 1]
    return fits[0] if fits else GRIDS[-1]
