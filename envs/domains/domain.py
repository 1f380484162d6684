"""A domain: family x operation x modality x environment, and what makes its tasks.

    Operation.make(Request) -> Draft        what is asked, whatever way it is told
    Modality.tell(Draft)    -> Task fields  words and pictures of it

An operation is a step between designs and knows no family; a modality tells any draft.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cadwright.envs.domains.family import Design, Dimension, Family, number
from cadwright.envs.domains.seeds import Members, Split
from cadwright.envs.sources import GeometrySource
from cadwright.envs.task import Task

Constraints = tuple[Mapping[str, Any], ...]
# A bounding box has nearly the volume of a plate with holes: the largest distance between the
# surfaces tells them apart, and so does what the family says of its members.
SCORING = {
    "protocol": "absolute",
    "weights": {
        "validity": 0.05,
        "iou": 0.15,
        "surface": 0.1,
        "deviation": 0.3,
        "size": 0.05,
        "volume": 0.05,
        "constraints": 0.3,
    },
}
# Constraints that the bounding box of the part meets as well, and their share beside the others.
_PLAIN_KINDS, _PLAIN_WEIGHT = ("bounding_box", "fits_in_box", "bodies", "watertight"), 0.25
PROGRAM = "reference"  # what ``meta.gold`` says where the reference's own program is the answer


@dataclass(frozen=True, slots=True)
class Domain:
    """One kind of task.

    Attributes:
        env: The environment that runs it.
        operation: What is done: ``create``, ``edit``, ``inspect``.
        modality: How it is asked: ``text``, ``views``, ``drawing``.
        family: What it is done to.
        version: Raised when the tasks of its seeds change.
        splits: Where it has tasks; the first is the default.
    """

    env: str
    operation: str
    modality: str
    family: str
    version: str = "1"
    splits: tuple[Split, ...] = ("train", "validation", "test")

    @property
    def id(self) -> str:
        """The stable id: ``cad.create.text.flange``."""
        return f"{self.env}.{self.operation}.{self.modality}.{self.family}"


@dataclass(frozen=True, slots=True)
class Request:
    """Which task of a domain.

    Attributes:
        seed: Number of the task in its split.
        difficulty: 1 to 5.
        split: Which split.
        num_tokens: Length of a long specification; by difficulty where it is None.
        depth: Where in it the numbers stand, 0 to 1; drawn where it is None.
    """

    seed: int
    difficulty: int
    split: Split = "train"
    num_tokens: int | None = None
    depth: float | None = None

    @property
    def name(self) -> str:
        """The part of a task's id after the domain: ``3-17``, ``2-5-test``."""
        words: list[object] = [self.difficulty, self.seed]
        words += [self.split] if self.split in ("validation", "test") else []
        words += [f"{self.num_tokens}t"] if self.num_tokens is not None else []
        words += [f"{self.depth * 100:.0f}p"] if self.depth is not None else []
        return "-".join(map(str, words))


@dataclass(frozen=True, slots=True)
class Source:
    """A domain and what makes its tasks."""

    domain: Domain
    make: Callable[[Request], Task]


@dataclass(frozen=True, slots=True)
class Draft:
    """What an operation asks for, before a modality tells it.

    Attributes:
        design: What the pictures show: the wanted member, or the one that is asked about.
        told: The task in words, complete.
        shown: The task in words where a picture carries the numbers.
        reference: What the result is measured against.
        start: What the agent begins with.
        constraints: What the result meets.
        scoring: As in a task; empty where nothing but constraints judges.
        answer: The number that is asked for, as in a task.
        program: Code that belongs to the brief.
        gold: As in ``meta``; the reference's own program by default.
        features: How much there is to get right; rises with the difficulty.
        facts: The sentences that a long document must hold; ``told`` where there are none.
        meta: More hidden notes.
    """

    design: Design
    told: str
    shown: str = ""
    reference: GeometrySource | None = None
    start: GeometrySource | None = None
    constraints: Constraints = ()
    scoring: Mapping[str, Any] = field(default_factory=lambda: SCORING)
    answer: Mapping[str, Any] | None = None
    program: str = ""
    gold: Any = PROGRAM
    features: int = 1
    facts: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """What an operation works on.

    Attributes:
        family: The kind of part.
        members: Draws its members, all of the task's split.
        rng: Chance of the operation's own; the same for every modality, so that one design is
            asked for in words, by views and by drawing.
        difficulty: 1 to 5.
        modality: How the task will be told.
    """

    family: Family
    members: Members
    rng: np.random.Generator
    difficulty: int
    modality: str


@dataclass(frozen=True, slots=True)
class Operation:
    """A step between designs.

    Attributes:
        name: Word of the domain id.
        make: Drafts one task.
        version: Raised when the tasks of its seeds change.
        modalities: How its tasks can be told.
        is_offered: Whether it makes sense for a family.
    """

    name: str
    make: Callable[[Case], Draft]
    modalities: tuple[str, ...]
    version: int = 1
    is_offered: Callable[[Family], bool] = lambda family: True


def asked_of(family: Family, design: Design) -> Constraints:
    """Return the constraints of a design, weighted so that what any box meets counts little."""
    return tuple(
        {"weight": _PLAIN_WEIGHT, **record} if record["kind"] in _PLAIN_KINDS else record
        for record in family.constraints(design)
    )


def program_of(family: Family, design: Design) -> GeometrySource:
    """Return the program of a design as the source of a part."""
    return GeometrySource(family.program(design))


def quantity(dimension: Dimension, value: int | float) -> str:
    """Return a dimension with its value in words: ``bore diameter 20 mm``."""
    return f"{dimension.label} {amount(dimension, value)}"


def amount(dimension: Dimension, value: int | float) -> str:
    """Return a value with its unit: ``20 mm``, ``30°``, ``6``."""
    unit = {"mm": " mm", "deg": "°", "count": ""}[dimension.unit]
    return number(value) + unit


def article(text: str) -> str:
    """Return a noun phrase with its indefinite article."""
    return ("an " if text[:1].lower() in "aeiou" else "a ") + text
