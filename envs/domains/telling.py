"""A design in words, the numbers said or, where it should be hard, told by each other.

Compact families have one feature at every difficulty. Their hard members are told as engineers
tell a parametric part: some sizes are letters, and what a letter stands for follows from another.

    Block P x 38 x 24, centred on the origin, with a groove along X through its top, Q wide and 7
    deep. P is 46 mm. Q is 32 mm less than P.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from cadwright.envs.domains.compact_grid import CompactFamily
from cadwright.envs.domains.family import Design, Family, Number, number
from cadwright.envs.domains.sampling import tidy

NUM_RELATIONS = {4: 1, 5: 3}  # of a compact member at a difficulty; none below
_LETTERS = "PQSUVW"  # not the article, an axis, a radius or a section of that shape
_FACTORS: Mapping[float, str] = {1.0: "as large as", 2.0: "twice", 0.5: "half of"}


@dataclass(frozen=True, slots=True)
class Relation:
    """A size that follows from another: ``factor`` times it plus ``more``, both as said."""

    name: str
    of: str
    words: str
    factor: float = 1.0
    more: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {
            "name": self.name,
            "of": self.of,
            "words": self.words,
            "factor": self.factor,
            "more": self.more,
        }


@dataclass(frozen=True, slots=True)
class Specification:
    """A design in words.

    Attributes:
        text: All of it.
        relations: The sizes in it that are told by others.
    """

    text: str
    relations: tuple[Relation, ...] = ()

    @property
    def meta(self) -> dict[str, Any]:
        """Hidden notes for a task that is told so; none where every number is said."""
        return {"relations": [r.to_json() for r in self.relations]} if self.relations else {}


def specification(
    family: Family, design: Design, rng: np.random.Generator, difficulty: int
) -> Specification:
    """Return a design in one of its family's wordings.

    Args:
        family: Of the design.
        design: Told completely.
        rng: Chooses the wording, and what is told by what.
        difficulty: 1 to 5.
    """
    wordings = family.briefs(design)
    place = int(rng.integers(len(wordings)))
    count = NUM_RELATIONS.get(difficulty, 0) if isinstance(family, CompactFamily) else 0
    if not count:
        return Specification(wordings[place])
    names = [d.name for d in family.used(design) if d.unit == "mm"]
    order = [names[int(i)] for i in rng.permutation(len(names))[: count + 1]]
    letters = dict(zip(order, _LETTERS, strict=False))
    relations = tuple(_relations(design, order, letters))
    said = {name: letters.get(name, number(value)) for name, value in design.values.items()}
    first = f"{letters[order[0]]} is {number(design[order[0]])} mm."
    told = [
        family.wordings[place].format(**said, features=""),
        first,
        *(r.words for r in relations),
    ]
    return Specification(" ".join(" ".join(told).split()), relations)


def _relations(design: Design, order: list[str], letters: Mapping[str, str]) -> Iterator[Relation]:
    """Yield each size told by the one before it, so that the last needs all of them."""
    for base, name in pairwise(order):
        yield _relation(name, base, design, letters)


def _relation(name: str, base: str, design: Design, letters: Mapping[str, str]) -> Relation:
    value, known = design[name], design[base]
    for factor, phrase in _FACTORS.items():
        if value == tidy(factor * known):
            words = f"{letters[name]} is {phrase} {letters[base]}."
            return Relation(name, base, words, factor)
    more: Number = tidy(value - known)
    how = f"{number(abs(more))} mm {'more' if more > 0 else 'less'} than {letters[base]}"
    return Relation(name, base, f"{letters[name]} is {how}.", more=more)
