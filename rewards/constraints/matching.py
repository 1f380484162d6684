"""Which found feature answers which asked one.

All asked features of a family, over all constraints of a list, are matched with the found ones
at once and at the least total cost, so no found feature answers two questions and none is spent
where another would do. A pair that lost almost all credit is no pair: the feature is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadwright.rewards.constraints.result import Aspect, Finding

# Halvings of the credit past which a found feature is another feature: 0.4 % of it is left.
MISSING_COST = 8.0
# Every further halving of what counts as missing still costs a little, so that of two features
# far off the nearer one is named.
FAR_WEIGHT = 1e-6
FAR_COST = 1e6
WRONG_HALF = 0.5  # a yes for a no leaves a quarter of the credit

Aspects = tuple[Aspect, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """One feature that a constraint asks for.

    Attributes:
        owner: Id of the constraint.
        compare: From a found feature to the aspects that tell how well it answers.
    """

    owner: str
    compare: Callable[[Any], Aspects]


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for one asked feature.

    Attributes:
        feature: The found feature, or None where it is missing.
        aspects: How well it answers; empty where it is missing.
        nearest: The nearest found feature that did not count, with its aspects, or None.
    """

    feature: Any = None
    aspects: Aspects = ()
    nearest: tuple[Any, Aspects] | None = None

    @property
    def credit(self) -> float:
        """Product of the credits of the aspects, 0 where the feature is missing."""
        return 0.0 if self.feature is None else math.prod(a.credit for a in self.aspects)

    @property
    def is_met(self) -> bool:
        """Whether every aspect is within its tolerance."""
        return self.feature is not None and all(aspect.is_met for aspect in self.aspects)


def match(asks: Sequence[Ask], found: Sequence[Any]) -> dict[str, list[Answer]]:
    """Return the answers to the asks of each owner, in their order."""
    answers: dict[str, list[Answer]] = {ask.owner: [] for ask in asks}
    table = [[ask.compare(item) for item in found] for ask in asks]
    chosen = _assign(table)
    for row, ask in enumerate(asks):
        answers[ask.owner].append(_answer(table[row], chosen.get(row), found))
    return answers


def wrong(name: str, *, is_wrong: bool) -> Aspect:
    """Return the aspect of a yes or no."""
    return Aspect(name, float(is_wrong), "", 0.0, WRONG_HALF)


def cost_of(aspects: Aspects) -> float:
    """Return how often the credit is halved in all, held to a finite number."""
    return min(FAR_COST, math.fsum(aspect.cost for aspect in aspects))


def summary(
    answers: Sequence[Answer], describe: Callable[[Any], str], *, num_extra: int = 0
) -> Finding:
    """Return the finding of one constraint from the answers to its asks.

    Args:
        answers: One for each asked feature, at least one.
        describe: A found feature in words.
        num_extra: Found features too many, where none are allowed.
    """
    num_missing = sum(answer.feature is None for answer in answers)
    aspects = [aspect for answer in answers for aspect in answer.aspects]
    if num_missing or not aspects:
        aspects.append(_missing(num_missing))
    credit = math.fsum(answer.credit for answer in answers) / len(answers)
    if num_extra:
        extra = Aspect("too many,", float(num_extra), "of them", 0.0, float(len(answers)))
        aspects.append(extra)
        credit *= extra.credit
    return Finding(_got(answers, describe), tuple(aspects), credit, _remark(answers, describe))


def absent(remark: str) -> Finding:
    """Return the finding of one thing that is asked and is not there: it earns nothing."""
    return Finding("none", (_missing(1),), credit=0.0, remark=remark)


def _missing(number: int) -> Aspect:
    return Aspect("missing,", float(number), "of them", 0.0, 1 / MISSING_COST)


def _got(answers: Sequence[Answer], describe: Callable[[Any], str]) -> str:
    present = [answer for answer in answers if answer.feature is not None]
    if not present:
        return "none"
    worst = max(present, key=lambda answer: cost_of(answer.aspects))
    if len(answers) == 1:
        return describe(worst.feature)
    num_met = sum(answer.is_met for answer in answers)
    named = "such as" if num_met == len(answers) else "worst"
    return f"{num_met} of {len(answers)}, {named} {describe(worst.feature)}"


def _remark(answers: Sequence[Answer], describe: Callable[[Any], str]) -> str:
    """Name the nearest feature to what is missing: it tells a wrong place from nothing at all."""
    for answer in answers:
        if answer.feature is None and answer.nearest is not None:
            feature, aspects = answer.nearest
            worst = max(aspects, key=lambda aspect: aspect.cost)
            off = f"{worst.residual:.4g} {worst.unit}" if worst.unit else "not as asked"
            return f"nearest is {describe(feature)}: {worst.name} {off}"
    return ""


def _assign(table: Sequence[Sequence[Aspects]]) -> dict[int, int]:
    """Return the found feature of each asked one that has one."""
    from scipy.optimize import linear_sum_assignment

    if not table or not table[0]:
        return {}
    costs = np.array([[cost_of(aspects) for aspects in row] for row in table])
    capped = np.minimum(costs, MISSING_COST) + FAR_WEIGHT * costs
    rows, columns = linear_sum_assignment(capped)
    return {
        int(row): int(column)
        for row, column in zip(rows, columns, strict=True)
        if costs[row, column] < MISSING_COST
    }


def _answer(row: Sequence[Aspects], column: int | None, found: Sequence[Any]) -> Answer:
    if column is not None:
        return Answer(found[column], row[column])
    if not row:
        return Answer()
    nearest = min(range(len(row)), key=lambda index: cost_of(row[index]))
    return Answer(nearest=(found[nearest], row[nearest]))
