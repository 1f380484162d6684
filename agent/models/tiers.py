"""Tiers: what is spent for speed. ``fast`` writes the same greedy tokens, or says where it may not.

``standard`` writes one token a pass. ``fast`` guesses ahead and checks every guess, so at
temperature 0 the tokens are the same; rounding in a longer pass could turn an exact tie, which the
benchmark would show. 8-bit weights change the model itself and are never chosen by a tier: they
are an option, ``quant=int8``, and the plan says that tokens may differ.

Figures behind the choices: docs/tiers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cadwright.agent.models.family import Family
from cadwright.agent.models.options import ModelOptions

Guess = Literal["none", "lookup", "draft"]


@dataclass(frozen=True, slots=True)
class TierPlan:
    """What a tier comes to for one model.

    Attributes:
        tier: ``standard`` or ``fast``.
        guess: How tokens are guessed ahead.
        is_greedy_equal: Whether temperature 0 gives the tokens of ``standard`` in float32.
        notes: Why, and what is not available, one line each.
    """

    tier: Literal["standard", "fast"]
    guess: Guess
    is_greedy_equal: bool
    notes: tuple[str, ...] = ()


def plan_tier(options: ModelOptions, family: Family) -> TierPlan:
    """Choose for a model what its tier means."""
    tier, notes = _resolved(options)
    guess: Guess = "none"
    if tier == "fast":
        guess = "draft" if options.draft else "lookup"
        if not family.can_cut:
            guess = "none"
            notes.append(
                f"tier fast is tier standard for {family.kind}: a wrong guess cannot be taken "
                "back from its recurrent states"
            )
    if options.quant != "none":
        notes.append(f"quant={options.quant} changes the weights: tokens may differ from float32")
    return TierPlan(tier, guess, options.quant == "none", tuple(notes))


def _resolved(options: ModelOptions) -> tuple[Literal["standard", "fast"], list[str]]:
    """Return the tier itself; ``auto`` is decided by the scenario."""
    if options.tier == "standard":
        return "standard", []
    if options.tier == "fast":
        return "fast", []
    if options.scenario == "batch":
        return "standard", ["tier auto: standard, since a batch already fills every pass"]
    return "fast", [f"tier auto: fast, since one {options.scenario} episode waits for each token"]
