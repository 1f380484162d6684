"""What goes into a composed reward and what comes out of it, as records.

A `Reading` is one number as a layer (outcome, process, calls, consistency) hands it in. A
`RewardBreakdown` is the reward with everything it was made of. `cadwright.rewards.compose` leads
from the one to the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cadwright.rewards.score import MetricCard, Term
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.part import Notice


@dataclass(frozen=True, slots=True)
class Reading:
    """One named measurement as a layer hands it in.

    Attributes:
        name: Name of the term.
        value: Credit in [0, 1], or None; `evaluate` checks what it is given.
        raw: The measured number in ``unit``.
        unit: ``ratio``, ``count``, ``mm``, ...
        note: Plain words: what was compared, or why there is no value.
        is_masked: Nobody can know the value and that is not the policy's doing.
    """

    name: str
    value: float | None
    raw: float | None = None
    unit: str = "ratio"
    note: str = ""
    is_masked: bool = False


@dataclass(frozen=True, slots=True)
class NodeValue:
    """What one node of the tree came to; ``path`` leads to it from the root."""

    path: str
    value: float | None
    is_masked: bool


@dataclass(frozen=True, slots=True)
class RecipeCard:
    """Which reward this is: two rewards with unlike cards are different quantities."""

    name: str
    version: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardBreakdown:
    """One reward with everything it was made of.

    Attributes:
        value: In [0, 1] for the trainer, or None: skip the sample, never read it as 0.
        terms: Every term by name; the weight is the share of the total that hangs on it.
        vector: The children of the root by name, for training on several goals.
        nodes: The value of every node by its path, root first.
        steps: Per-step rewards that add up beside ``value`` (potential-based shaping), or empty.
        viable_prefix: Steps before the first geometric failure, where steps are known.
        reason: Why there is no value; empty where there is one.
        flags: Numbers that had to be changed: ``not_finite`` or ``out_of_range``.
        recipe: Which recipe made it.
        card: How the outcome was measured.
    """

    value: float | None
    terms: tuple[Term, ...]
    vector: Mapping[str, float | None]
    nodes: tuple[NodeValue, ...]
    steps: tuple[float, ...] = ()
    viable_prefix: int | None = None
    reason: str = ""
    flags: tuple[Notice, ...] = ()
    recipe: RecipeCard | None = None
    card: MetricCard | None = None

    def term(self, name: str) -> Term | None:
        """Return the term called ``name``, or None."""
        return next((term for term in self.terms if term.name == name), None)

    def to_json(self) -> dict[str, Any]:
        """Return the reward as values that strict JSON can hold."""
        card, recipe = self.card, self.recipe
        return {
            "value": self.value,
            "reason": self.reason,
            "terms": [asdict(term) for term in self.terms],
            "vector": dict(self.vector),
            "nodes": [asdict(node) for node in self.nodes],
            "steps": list(self.steps),
            "viable_prefix": self.viable_prefix,
            "flags": [asdict(flag) for flag in self.flags],
            "recipe": None if recipe is None else asdict(recipe),
            "card": None if card is None else card.to_json(),
        }


def require_same_recipe(*rewards: RewardBreakdown) -> None:
    """Refuse to treat rewards as one quantity when they were made differently.

    Raises:
        UsageError: Two recipes differ; the message names the field and both values.
    """
    cards = [reward.recipe for reward in rewards if reward.recipe is not None]
    for card in cards[1:]:
        for name in ("name", "version", "digest"):
            first, other = getattr(cards[0], name), getattr(card, name)
            if first != other:
                raise UsageError(
                    f"rewards cannot be compared: recipe {name} is {first!r} in one and "
                    f"{other!r} in the other"
                )
