"""Changes: one design becomes another, and the words for it.

A change sets one dimension to a value that another member has, or adds or removes one feature.
What results is always a possible design.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from cadwright.envs.domains.domain import amount
from cadwright.envs.domains.family import Design, Dimension, Family, Number, number
from cadwright.envs.domains.seeds import Members
from cadwright.tools.errors import UsageError

Item = TypeVar("Item")

LEAST_SHARE = 0.12  # of the old value: a smaller change is hard to see and to score
LEAST_MM = 1.0
LEAST_DEG = 5.0
MOST_MEMBERS = 40
MOST_TRIES = 60  # for each of them
_SCALES = (1.25, 0.75, 1.5, 1.15, 0.85, 2.0, 0.5)
_PLACES = ("offset", "spacing", "pitch", "distance", "position", "circle", "from the")


@dataclass(frozen=True, slots=True)
class Change:
    """One step from a design to another.

    Attributes:
        kind: ``dimension``, ``move``, ``add`` or ``remove``.
        name: The dimension or the feature.
        design: What results.
        words: The step in words.
    """

    kind: str
    name: str
    design: Design
    words: str


@dataclass(frozen=True, slots=True)
class Chain:
    """A member and the changes that lead to another."""

    old: Design
    steps: tuple[Change, ...]

    @property
    def new(self) -> Design:
        """Where the changes lead."""
        return self.steps[-1].design


def changed(members: Members, rng: np.random.Generator, *, count: int) -> Chain:
    """Return a member and changes that lead from it to another of the same split.

    Args:
        members: Of the split that both must belong to.
        rng: Which changes.
        count: How many, each of another dimension or feature; fewer where a part has no more.

    Raises:
        UsageError: No such changes were found.
    """
    for wanted in range(count, 0, -1):
        for _ in range(MOST_MEMBERS):
            old = members.draw()
            for _ in range(MOST_TRIES):
                steps = _steps(members, old, rng, wanted)
                if len(steps) == wanted and members.is_mine(steps[-1].design):
                    return Chain(old, tuple(steps))
    raise UsageError(
        f"family {members.family.name}: no member of split {members.split} leads to another one"
    )


def _steps(members: Members, old: Design, rng: np.random.Generator, count: int) -> list[Change]:
    family, design, found, names = members.family, old, [], set[str]()
    for _ in range(count):
        change = _one(family, members.difficulty, design, rng)
        if change is None or change.name in names or not _says_all(family, old, change):
            return []
        found.append(change)
        names.add(change.name)
        design = change.design
    return found


def _says_all(family: Family, old: Design, change: Change) -> bool:
    """Whether a dimension that changes is one of the part that the agent is given."""
    if change.kind in ("add", "remove"):
        return True
    return change.name in {d.name for d in family.used(old)}


def _one(family: Family, difficulty: int, old: Design, rng: np.random.Generator) -> Change | None:
    makers: list[Callable[[], Change | None]] = [
        lambda: _resized(family, difficulty, old, rng),
        lambda: _resized(family, difficulty, old, rng),
    ]
    if family.options:
        makers += [lambda: _toggled(family, old, rng)]
    return makers[int(rng.integers(len(makers)))]()


def _resized(
    family: Family, difficulty: int, old: Design, rng: np.random.Generator
) -> Change | None:
    dimension = _pick(family.used(old), rng)
    for value in _values(family, difficulty, old, dimension, rng):
        new = old.having(**{dimension.name: value})
        if _is_far(dimension, old[dimension.name], value) and family.is_possible(new):
            return _resize(dimension, old, new, rng)
    return None


def _values(
    family: Family,
    difficulty: int,
    old: Design,
    dimension: Dimension,
    rng: np.random.Generator,
) -> Iterator[Number]:
    """Yield what other members have there, then shares of the old value."""
    for _ in range(4):
        yield family.sample(rng, difficulty)[dimension.name]
    for scale in rng.permutation(_SCALES):
        yield _like(old[dimension.name], float(scale) * old[dimension.name])


def _like(old: Number, value: float) -> Number:
    return round(value) if isinstance(old, int) else round(value * 2) / 2


def _is_far(dimension: Dimension, old: Number, new: Number) -> bool:
    if dimension.unit == "count":
        return old != new and new > 0
    least = max(LEAST_SHARE * abs(old), LEAST_MM if dimension.unit == "mm" else LEAST_DEG)
    return new > 0 and abs(new - old) >= least


def _resize(dimension: Dimension, old: Design, new: Design, rng: np.random.Generator) -> Change:
    before, after = old[dimension.name], new[dimension.name]
    is_place = any(word in dimension.label for word in _PLACES)
    a, b = amount(dimension, before), amount(dimension, after)
    change = amount(dimension, type(after)(round(abs(after - before), 6)))
    wordings = [
        f"Change the {dimension.label} from {a} to {b}.",
        f"Make the {dimension.label} {b} instead of {a}.",
        f"The {dimension.label} is {a}; it has to be {b}.",
        f"{'Raise' if after > before else 'Reduce'} the {dimension.label} by {change}, to {b}.",
    ]
    words = wordings[int(rng.integers(len(wordings)))]
    return Change("move" if is_place else "dimension", dimension.name, new, words)


def _toggled(family: Family, old: Design, rng: np.random.Generator) -> Change | None:
    name = _pick(tuple(family.options), rng)
    new = old.toggled(name)
    if not family.is_possible(new):
        return None
    kind = "add" if name in new.options else "remove"
    if name in family.otherwise:
        return Change(kind, name, new, f"This is to hold instead: {sentence(family, new, name)}")
    if kind == "add":
        return Change("add", name, new, f"Add a feature. {sentence(family, new, name)}")
    gone = removed(family, old, name)
    return Change("remove", name, new, f"Take out {gone}, as if the part had never had that.")


def sentence(family: Family, design: Design, option: str) -> str:
    """Return what a family says of one optional feature that a design has, or has not."""
    said = family.options if option in design.options else family.otherwise
    return said[option].format(**_words(design)).strip()


def removed(family: Family, design: Design, option: str) -> str:
    """Return what the steps of an optional feature make, as something that is known."""
    steps = [step for step in family.steps if step.option == option]
    made = (step.about.format(**_words(design)) for step in steps if step.about)
    return ", ".join("the " + re.sub("^(?:an?|the) ", "", words) for words in made)


def _words(design: Design) -> dict[str, str]:
    return {name: number(value) for name, value in design.values.items()}


def _pick(items: tuple[Item, ...], rng: np.random.Generator) -> Item:
    return items[int(rng.integers(len(items)))]
