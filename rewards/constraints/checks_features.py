"""Checks of features: every family is matched once, over all constraints of a list."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cadwright.rewards.constraints import compare_features as other
from cadwright.rewards.constraints import kinds_features, kinds_holes, kinds_patterns
from cadwright.rewards.constraints.compare_holes import (
    Spot,
    compare_hole,
    describe_hole,
    mouths,
)
from cadwright.rewards.constraints.matching import Answer, Ask, cost_of, match, summary
from cadwright.rewards.constraints.patterns import spots_of
from cadwright.rewards.constraints.places import angle_deg, line_angle_deg
from cadwright.rewards.constraints.record import Constraint
from cadwright.rewards.constraints.registry import checks
from cadwright.rewards.constraints.result import CannotCheck, Finding, plain_aspect
from cadwright.rewards.constraints.subject import Subject
from cadwright.rewards.constraints.values import Place
from cadwright.tools.geometry.features import Chamfer, Fillet, HoleFeature
from cadwright.tools.geometry.part import Vector

# Halvings up to which a further hole is one more of the asked ones rather than another hole.
ALIKE_COST = 2.0
COUNTED_DEG = 5.0
# Features that break out sideways or lean, by those that they are to who asks for them.
OPEN = {"holes": "open_holes", "slots": "open_slots", "pockets": "leaning_pockets"}

Compare = Callable[[Any, Place | None, Any, Subject], Iterable[Any]]
Answered = Finding | CannotCheck


@dataclass(frozen=True, slots=True)
class Family:
    """Constraints that are answered by one list of found features.

    Attributes:
        name: The field of ``Features``.
        kinds: The constraints.
        asks: From a constraint to the features it asks for.
        describe: A found feature in words.
    """

    name: str
    kinds: tuple[type[Constraint], ...]
    asks: Callable[[Any, Subject], list[Ask]]
    describe: Callable[[Any], str]


def answer_features(constraints: Sequence[Constraint], subject: Subject) -> dict[str, Answered]:
    """Return what was found for every constraint on features, by its id."""
    outcomes: dict[str, Answered] = {}
    for family in FAMILIES:
        members = [one for one in constraints if isinstance(one, family.kinds)]
        if members:
            outcomes |= _answer_family(family, members, subject)
    return outcomes


def found_features(family: Family, subject: Subject) -> tuple[Any, ...]:
    """Return the found features of a family; a chain of edges is taken edge by edge."""
    found: tuple[Any, ...] = getattr(subject.features, family.name)
    found += getattr(subject.features, OPEN.get(family.name, ""), ())
    if family.name == "chamfers":  # the cone of a countersink is one to who asks for it
        found += subject.features.sunk_chamfers
    if family.name in ("fillets", "chamfers"):
        return tuple(edge for item in found for edge in _edges_of(item))
    return found


def _edges_of(chain: Fillet | Chamfer) -> Iterator[Fillet | Chamfer]:
    """Yield every edge of a chain: it has one place and, however the chain turns, one direction."""
    if not chain.edges:
        yield chain
    for edge in chain.edges:
        yield replace(chain, position_mm=edge.position_mm, axis=edge.axis, faces=edge.faces)


def _answer_family(
    family: Family, members: Sequence[Constraint], subject: Subject
) -> dict[str, Answered]:
    found = found_features(family, subject)
    answers = match([ask for one in members for ask in family.asks(one, subject)], found)
    taken = [answer.feature for group in answers.values() for answer in group]
    spare = [item for item in found if all(item is not used for used in taken)]
    return {
        one.id: _outcome(family, one, answers[one.id], _num_extra(one, spare), subject)
        for one in members
    }


def _outcome(
    family: Family,
    one: Constraint,
    answers: Sequence[Answer],
    num_extra: int,
    subject: Subject,
) -> Answered:
    missing = [place for answer, place in _placed(one, answers) if answer.feature is None]
    try:
        for place in missing:
            subject.needs(family.name, place, _reach(one))
    except CannotCheck as err:
        return err
    return summary(answers, family.describe, num_extra=num_extra)


def _placed(one: Constraint, answers: Sequence[Answer]) -> Iterator[tuple[Answer, Place | None]]:
    """Yield every answer with the place that was asked for; patterns name no place."""
    places = getattr(one, "at", None) or (None,) * len(answers)
    yield from zip(answers, places, strict=True)


def _reach(one: Constraint) -> float:
    """Return how far the faces of a feature may be from its place, mm."""
    sizes = [one.size_mm, getattr(one, "length", None), getattr(one, "depth", None)]
    size = getattr(one, "size", None)
    sizes += size if isinstance(size, tuple) else (size,)
    return max((size for size in sizes if size is not None), default=math.inf)


def _num_extra(one: Constraint, spare: Sequence[Any]) -> int:
    if not isinstance(one, kinds_holes.HoleLike) or not one.only:
        return 0
    return sum(cost_of(compare_hole(one, Spot(), hole)) < ALIKE_COST for hole in spare)


def _hole_asks(one: kinds_holes.HoleLike, subject: Subject) -> list[Ask]:
    def ask(spot: Spot) -> Ask:
        return Ask(one.id, lambda hole: compare_hole(one, spot, hole))

    if isinstance(one, kinds_patterns.HolePattern):
        return [ask(spot) for spot in spots_of(one, _all_holes(subject))]
    if isinstance(one, kinds_holes.SpottedHole):
        return [ask(Spot(place)) for place in one.at or (None,) * one.number]
    raise TypeError(f"{one.kind} asks for no holes")


def _all_holes(subject: Subject) -> tuple[HoleFeature, ...]:
    return (*subject.features.holes, *subject.features.open_holes)


def _asks_with(compare: Compare) -> Callable[[Any, Subject], list[Ask]]:
    def asks(one: kinds_features.Feature, subject: Subject) -> list[Ask]:
        def ask(place: Place | None) -> Ask:
            return Ask(one.id, lambda item: tuple(compare(one, place, item, subject)))

        return [ask(place) for place in one.at or (None,) * one.number]

    return asks


def _without_subject(compare: Callable[[Any, Place | None, Any], Iterable[Any]]) -> Compare:
    return lambda asked, place, item, _: compare(asked, place, item)


FAMILIES = (
    Family(
        "holes",
        (kinds_holes.Hole, kinds_holes.ThreadHole, kinds_patterns.HolePattern),
        _hole_asks,
        describe_hole,
    ),
    Family(
        "slots",
        (kinds_features.Slot,),
        _asks_with(_without_subject(other.compare_slot)),
        other.describe_slot,
    ),
    Family(
        "pockets",
        (kinds_features.Pocket,),
        _asks_with(_without_subject(other.compare_pocket)),
        other.describe_pocket,
    ),
    Family(
        "bosses",
        (kinds_features.Boss,),
        _asks_with(_without_subject(other.compare_boss)),
        other.describe_boss,
    ),
    Family(
        "cylinders",
        (kinds_features.Cylinder,),
        _asks_with(_without_subject(other.compare_cylinder)),
        other.describe_cylinder,
    ),
    Family(
        "fillets",
        (kinds_features.Fillet,),
        _asks_with(other.compare_fillet),
        other.describe_fillet,
    ),
    Family(
        "chamfers",
        (kinds_features.Chamfer,),
        _asks_with(other.compare_chamfer),
        other.describe_chamfer,
    ),
)


@checks(kinds_holes.HoleCount)
def hole_count(asked: kinds_holes.HoleCount, subject: Subject) -> Finding:
    """Count the holes that fit the description; one that breaks out may be counted or not."""
    subject.needs("holes")
    whole, broken = (
        sum(_counts(asked, hole) for hole in holes)
        for holes in (subject.features.holes, subject.features.open_holes)
    )
    residual = max(whole - asked.count, asked.count - whole - broken, 0)
    text = f"{whole}" + (f" and {broken} that break out" if broken else "")
    return Finding(text, (plain_aspect(asked, float(residual)),))


def _counts(asked: kinds_holes.HoleCount, hole: HoleFeature) -> bool:
    low, high = asked.diameter or (0.0, float("inf"))
    return (
        low <= hole.diameter_mm <= high
        and asked.through in (None, hole.is_through)
        and (asked.axis is None or line_angle_deg(asked.axis, hole.axis) < COUNTED_DEG)
        and (asked.opens is None or _opens_to(asked.opens, hole))
    )


def _opens_to(side: Vector, hole: HoleFeature) -> bool:
    return any(angle_deg(side, mouth.outward) < COUNTED_DEG for mouth in mouths(hole))
