"""How much there is to get right in a design, so that difficulties can be told apart."""

from __future__ import annotations

import functools

from cadwright.envs.domains.family import Design, Family, Sample, number
from cadwright.envs.domains.randomness import generator

_TRIES = 4


def size_of(family: Family, design: Design) -> int:
    """Return how much there is to get right in a design: its steps, and the digits of its numbers.

    50 has one digit that says something, 47 two, 47.5 three.
    """
    digits = (number(design[d.name]).replace(".", "").strip("0") for d in family.used(design))
    return sum(max(1, len(text)) for text in digits) + 2 * len(family.steps_of(design))


def is_graded(family: Family) -> bool:
    """Return whether the easier difficulties make a difference to what a family samples."""
    return _is_graded(family.name, family.sample)


@functools.lru_cache(maxsize=512)
def _is_graded(name: str, sample: Sample) -> bool:
    return any(
        sample(generator(name, n), 1) != sample(generator(name, n), 3) for n in range(_TRIES)
    )
