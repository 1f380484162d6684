"""Compact families: small parts, whole millimetres, one line of CadQuery.

They are for small policies as much as for people: a member fits into a cube of 60 mm, each of its
dimensions is a whole number on a coarse grid, and its program is a single chain of calls. That is
so up to difficulty 3; members of difficulty 4 have half millimetres, those of 5 tenths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cadwright.envs.domains.family import Design, Dimension, Family, Number, Step, Unit
from cadwright.envs.domains.sampling import tidy
from cadwright.tools.errors import UsageError

LARGEST_MM = 60  # extent of a compact part along any axis
MOST_TRIES = 2000
FINE_MM = {4: 0.5, 5: 0.1}  # grid of the lengths at a difficulty; whole numbers below
NO_LABELS: Mapping[str, str] = {}

Fits = Callable[[Mapping[str, Number]], bool]


@dataclass(frozen=True, slots=True)
class Grid:
    """The values that one dimension can take: ``low`` to ``high`` in steps, both possible."""

    low: int
    high: int
    step: int = 1
    unit: Unit = "mm"

    def draw(self, rng: np.random.Generator) -> int:
        """Return one of the values, each as likely as the others."""
        return self.low + self.step * int(rng.integers((self.high - self.low) // self.step + 1))

    def draw_fine(self, rng: np.random.Generator, grid: float) -> Number:
        """Return a value between the ends, on a finer grid in mm; counts stay as they are."""
        if self.unit != "mm":
            return self.draw(rng)
        while True:
            steps = int(rng.integers(round((self.high - self.low) / grid) + 1))
            value = tidy(self.low + steps * grid)
            if self.admits(value):
                return value

    def holds(self, value: Number) -> bool:
        """Whether a value is one of them."""
        return self.low <= value <= self.high and (value - self.low) % self.step == 0

    def admits(self, value: Number) -> bool:
        """Whether a value is one of them, or has decimals and lies between."""
        is_between = self.unit == "mm" and value % 1 != 0 and self.low < value < self.high
        return is_between or self.holds(value)


@dataclass(frozen=True, slots=True)
class CompactFamily(Family):
    """A family whose dimensions lie on grids.

    Attributes:
        grids: The values of each dimension, in the order of ``dimensions``.
    """

    grids: Mapping[str, Grid] = field(default_factory=dict)

    def neighbour(self, rng: np.random.Generator, design: Design, *, changes: int = 1) -> Design:
        """Return another member that differs by one or two steps in ``changes`` dimensions."""
        for _ in range(MOST_TRIES):
            names = rng.choice(list(self.grids), size=min(changes, len(self.grids)), replace=False)
            moved = design.having(**{str(n): self._beside(rng, design, str(n)) for n in names})
            if self.is_possible(moved):
                return moved
        raise UsageError(f"family {self.name}: no neighbour of {dict(design.values)}")

    def _beside(self, rng: np.random.Generator, design: Design, name: str) -> Number:
        steps = int(rng.choice((-2, -1, -1, -1, 1, 1, 1, 2)))
        return design[name] + steps * self.grids[name].step


def compact(
    name: str,
    title: str,
    group: str,
    *,
    grids: Mapping[str, Grid],
    code: str,
    wordings: tuple[str, ...],
    fits: Fits = lambda values: True,
    constrain: Callable[[Design], tuple[Mapping[str, Any], ...]],
    labels: Mapping[str, str] = NO_LABELS,
) -> CompactFamily:
    """Return a family from what distinguishes it.

    Args:
        name: Stable word.
        title: In words, singular, no article.
        group: Where it stands in the tree of families.
        grids: The values of each dimension.
        code: One chain of CadQuery calls; ``{name}`` stands for a dimension.
        wordings: Ways to ask for a member.
        fits: Whether values that lie on their grids fit together.
        constrain: The constraints that a member meets.
        labels: What a dimension is called where its name would mislead.
    """

    def is_possible(design: Design) -> bool:
        is_drawable = all(grid.admits(design[key]) for key, grid in grids.items())
        return is_drawable and fits(design.values)

    def sample(rng: np.random.Generator, difficulty: int) -> Design:
        fine = FINE_MM.get(difficulty)
        for _ in range(MOST_TRIES):
            design = Design(
                {
                    key: grid.draw(rng) if fine is None else grid.draw_fine(rng, fine)
                    for key, grid in grids.items()
                }
            )
            if is_possible(design):
                return design
        raise UsageError(f"family {name}: no design in {MOST_TRIES} tries")

    return CompactFamily(
        name=name,
        title=title,
        group=group,
        dimensions=tuple(
            Dimension(key, labels.get(key, key.replace("_", " ")), grid.unit)
            for key, grid in grids.items()
        ),
        steps=(Step(f"result = {code}", f"the {title}"),),
        sample=sample,
        is_possible=is_possible,
        wordings=wordings,
        constrain=constrain,
        grids=grids,
    )
