"""A part family: one kind of part, every member of it, and what is true of each.

A family owns a program template. A ``Design`` fills it in: a value for each dimension and the
optional features that this member has. Everything else follows from the design: the program, the
briefs, the constraints, the annotations of its drawing. An operation (create, edit, repair ...)
is a step from one design to another, so families know nothing of operations.

    family.sample(rng, difficulty) -> Design -> family.program(design)
                                             -> family.briefs(design)
                                             -> family.constraints(design)

Nothing here runs a kernel: a design is numbers and words, and a task made from it is made in
microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from cadwright.tools.errors import UsageError

Number = int | float
Point = tuple[float, float, float]
Unit = Literal["mm", "deg", "count"]
AnnotationKind = Literal["linear", "diameter", "radius", "angle", "note"]
DrawingView = Literal["front", "top", "right"]

DIFFICULTIES = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Dimension:
    """A number that a designer would put on the drawing.

    Attributes:
        name: Python name in the program: ``bore_diameter``.
        label: In words: ``bore diameter``.
        unit: ``mm``, ``deg`` or ``count``.
    """

    name: str
    label: str
    unit: Unit = "mm"


@dataclass(frozen=True, slots=True)
class Step:
    """One modelling step.

    Attributes:
        code: CadQuery lines that assign ``result``. ``{name}`` stands for a dimension.
        about: What it makes, as a noun phrase: ``a through bore of {bore_diameter}``.
        option: The optional feature that it makes; empty where every member has it.
    """

    code: str
    about: str
    option: str = ""


@dataclass(frozen=True, slots=True)
class Design:
    """One member of a family.

    Attributes:
        values: A number for every dimension, also those of features that it has not.
        options: The optional features that it has.
    """

    values: Mapping[str, Number]
    options: frozenset[str] = frozenset()

    def __getitem__(self, name: str) -> Number:
        return self.values[name]

    def having(self, **values: Number) -> Design:
        """Return a copy with other values."""
        return replace(self, values={**self.values, **values})

    def toggled(self, option: str) -> Design:
        """Return a copy with one optional feature added or taken away."""
        return replace(self, options=self.options ^ {option})


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a drawing says about one dimension, and where it says it.

    Attributes:
        name: The dimension, or empty for a note.
        kind: How it is drawn.
        view: The view that carries it.
        points: mm, in the frame of the part. Linear: the two points that it spans. Diameter and
            radius: centre, then a point of the circle. Angle: apex and a point on each leg. Note:
            what the leader points at.
        text: The words instead of the bare number: ``4x ⌀{value} THRU``.
        times: What is written, in multiples of the dimension: 2 for the diameter of a radius.
    """

    name: str
    kind: AnnotationKind
    view: DrawingView
    points: tuple[Point, ...]
    text: str = ""
    times: int = 1


Sample = Callable[[np.random.Generator, int], Design]
IsPossible = Callable[[Design], bool]


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of part.

    Attributes:
        name: Stable word, part of domain ids: ``flange``.
        title: In words, singular, no article: ``hub flange``.
        group: Where it stands in the tree of families: ``turned``, ``plates``, ``brackets``.
        dimensions: Every dimension that a member can have.
        steps: The program in order. The first makes the body; an optional one may be left out
            without breaking those after it.
        sample: Draws a member: (generator, difficulty 1 to 5) -> design. The difficulty means:
            1 the bare body, round numbers; 2 one feature; 3 several features; 4 features that
            depend on each other; 5 all features, fine tolerances, numbers with decimals.
        is_possible: Whether the numbers of a design fit together (no wall below 1 mm, no hole
            through an edge). What ``sample`` draws always does.
        wordings: At least three ways to ask for a member, as ``str.format`` templates over the
            dimensions. Each says all that is needed, the placement in the frame included
            (axis, which face lies on Z = 0). ``{features}`` stands for the sentences about the
            optional features.
        options: For each optional feature one sentence, over the dimensions, that says all of it.
        otherwise: What is said instead of some of these sentences of a member without the feature.
        constrain: The constraints that a member meets (``rewards.constraints`` records).
        annotate: What a complete drawing of a member says, or None where the family has none.
        mate: The part that fits this one: (program, brief, constraints), or None.
        split: ``train``, or ``held_out`` for a family that only the out-of-family test uses.
    """

    name: str
    title: str
    group: str
    dimensions: tuple[Dimension, ...]
    steps: tuple[Step, ...]
    sample: Sample
    is_possible: IsPossible
    wordings: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    otherwise: Mapping[str, str] = field(default_factory=dict)
    constrain: Callable[[Design], tuple[Mapping[str, Any], ...]] = lambda design: ()
    annotate: Callable[[Design], tuple[Annotation, ...]] | None = None
    mate: Callable[[Design], Mate | None] | None = None
    split: Literal["train", "held_out"] = "train"

    def dimension(self, name: str) -> Dimension:
        """Return a dimension by its name.

        Raises:
            UsageError: The family has none of that name.
        """
        for dimension in self.dimensions:
            if dimension.name == name:
                return dimension
        raise UsageError(f"family {self.name} has no dimension {name!r}")

    def steps_of(self, design: Design) -> tuple[Step, ...]:
        """Return the steps that make a design."""
        return tuple(s for s in self.steps if not s.option or s.option in design.options)

    def used(self, design: Design) -> tuple[Dimension, ...]:
        """Return the dimensions that the program of a design mentions, in their own order."""
        code = "\n".join(step.code for step in self.steps_of(design))
        return tuple(d for d in self.dimensions if "{" + d.name + "}" in code)

    def program(self, design: Design) -> str:
        """Return the program with its dimensions assigned at the top, ready to be edited."""
        header = [f"{d.name} = {number(design[d.name])}" for d in self.used(design)]
        names = {d.name: d.name for d in self.dimensions}
        steps = [_filled(step.code, names) for step in self.steps_of(design)]
        return "\n".join(["import cadquery as cq", "", *header, "", *steps]) + "\n"

    def inline_program(self, design: Design) -> str:
        """Return the same program with the numbers in their places."""
        steps = [_filled(step.code, _numbers(design)) for step in self.steps_of(design)]
        return "\n".join(["import cadquery as cq", "", *steps]) + "\n"

    def briefs(self, design: Design) -> tuple[str, ...]:
        """Return the design in words, once for each wording."""
        numbers = _numbers(design)
        sentences = (
            text if name in design.options else self.otherwise.get(name, "")
            for name, text in self.options.items()
        )
        features = " ".join(sentences).format(**numbers)
        return tuple(
            " ".join(w.format(**numbers, features=features).split()) for w in self.wordings
        )

    def constraints(self, design: Design) -> tuple[Mapping[str, Any], ...]:
        """Return the constraints that the design meets."""
        return self.constrain(design)


@dataclass(frozen=True, slots=True)
class Mate:
    """A part that fits another.

    Attributes:
        about: What to make, in words, fit and frame included.
        program: Makes it, in the frame of the part that it fits.
        constraints: What it meets.
    """

    about: str
    program: str
    constraints: tuple[Mapping[str, Any], ...] = ()


def number(value: Number) -> str:
    """Return a value as a drawing writes it: at most three decimals, none that say nothing."""
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _numbers(design: Design) -> dict[str, str]:
    return {name: number(value) for name, value in design.values.items()}


def _filled(code: str, words: Mapping[str, str]) -> str:
    """Put words into ``{name}`` places; other braces are Python's own and stay."""
    for name, word in words.items():
        code = code.replace("{" + name + "}", word)
    return code
