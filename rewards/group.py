"""A group of rewards of one task, as group-relative training (GRPO) sees it.

Where all rewards of a group are equal the advantages are all 0 and the group teaches nothing:
eight rollouts that all failed in one way, or all succeeded. This module reports the spread of the
total and of every term, so that such groups are seen, counted and explained.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cadwright.rewards.breakdown import RewardBreakdown, require_same_recipe

# Rewards closer than this are equal to a trainer: it divides by std + 1e-4 or so.
ZERO_SPREAD = 1e-6


@dataclass(frozen=True, slots=True)
class Spread:
    """How values of one component vary over a group.

    Attributes:
        count: Members that have a value.
        mean: Their mean, or None where nobody has one.
        std: Their population standard deviation, or None likewise.
    """

    count: int
    mean: float | None
    std: float | None

    @property
    def is_zero_signal(self) -> bool:
        """Whether this component cannot tell two members apart."""
        return self.std is None or self.std <= ZERO_SPREAD


@dataclass(frozen=True, slots=True)
class GroupStatistics:
    """The spread of a group.

    Attributes:
        size: Members, masked ones included.
        num_masked: Members without a value.
        total: Spread of the reward itself.
        components: Spread of every term by name.
    """

    size: int
    num_masked: int
    total: Spread
    components: dict[str, Spread]

    @property
    def is_zero_signal(self) -> bool:
        """Whether the group teaches nothing: the rewards that exist are all equal."""
        return self.total.is_zero_signal

    @property
    def silent(self) -> tuple[str, ...]:
        """The terms that cannot tell any two members apart."""
        return tuple(name for name, spread in self.components.items() if spread.is_zero_signal)


def group_statistics(rewards: Sequence[RewardBreakdown]) -> GroupStatistics:
    """Return the spread of the rewards of one group.

    Raises:
        UsageError: They were made by unlike recipes.
    """
    require_same_recipe(*rewards)
    names = dict.fromkeys(term.name for reward in rewards for term in reward.terms)
    values = [reward.value for reward in rewards]
    return GroupStatistics(
        size=len(rewards),
        num_masked=sum(value is None for value in values),
        total=spread(values),
        components={name: spread(_value(reward, name) for reward in rewards) for name in names},
    )


def spread(values: Iterable[float | None]) -> Spread:
    """Return the spread of the values that exist."""
    present = [value for value in values if value is not None]
    if not present:
        return Spread(0, None, None)
    mean = math.fsum(present) / len(present)
    variance = math.fsum((value - mean) ** 2 for value in present) / len(present)
    return Spread(len(present), mean, math.sqrt(variance))


def _value(reward: RewardBreakdown, name: str) -> float | None:
    term = reward.term(name)
    return None if term is None else term.value
