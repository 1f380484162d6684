"""Credit for single steps that cannot move the goal.

**Shaping.** Every state s has a potential phi(s) in [0, 1]: the score of the part as it stands. A
step from s to s' earns F = gamma * phi(s') - phi(s). By the theorem of A. Y. Ng, D. Harada and
S. Russell, "Policy invariance under reward transformations: theory and application to reward
shaping" (ICML 1999), adding such an F to any reward leaves the set of optimal policies unchanged,
and no other shaping does so for every environment. With discounting, the rewards of an episode add
up to gamma^T * phi(s_T) - phi(s_0). The terminal potential is 0 (M. Grzes, "Reward shaping in
episodic reinforcement learning", AAMAS 2017): with any other value the way an episode ends would
change the sum, and an agent could collect potential by ending early. So the steps of an episode
add up to a number that no policy can change, and the last step pays back what was lent. They say
*when* something was won, never how much.

**Viable prefix.** An episode that breaks the geometry at step 7 did not go wrong at step 1. After
the idea of IterCAD, the steps before the first geometric failure are not punished: a negative
advantage does not reach them.

Rewards of steps never enter the scalar of `cadwright.rewards.compose`; they stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from cadwright.rewards.breakdown import Reading
from cadwright.rewards.hygiene import finite_number
from cadwright.tools.errors import Outcome, UsageError

GEOMETRIC_FAILURES = frozenset(
    {
        Outcome.INVALID_GEOMETRY,
        Outcome.NOT_A_SOLID,
        Outcome.EMPTY_GEOMETRY,
        Outcome.NATIVE_CRASH,
    }
)


def shaping_rewards(
    potentials: Sequence[float | None], *, gamma: float = 1.0, scale: float = 1.0
) -> tuple[float, ...]:
    """Return the shaping reward of each step.

    Args:
        potentials: phi(s_0) .. phi(s_T), one more than there are steps. None where a state could
            not be measured: it keeps the potential before it, so its step earns nothing by it.
            The last one counts as 0, since the episode ends there.
        gamma: The trainer's discount; with another one the theorem does not hold.
        scale: Factor on every potential; any factor leaves the optimum where it is.

    Returns:
        T rewards. Discounted by gamma they add up to ``-scale * phi(s_0)``.

    Raises:
        UsageError: A potential is outside [0, 1], gamma is outside (0, 1].
    """
    if not 0.0 < finite_number("gamma", gamma) <= 1.0:
        raise UsageError(f"gamma is {gamma:g}: allowed are numbers above 0 up to 1")
    if not potentials:
        return ()
    known = [scale * phi for phi in _carried(potentials)]
    known[-1] = 0.0
    return tuple(gamma * after - before for before, after in pairwise(known))


def discounted(rewards: Sequence[float], gamma: float) -> float:
    """Return the discounted sum of the rewards of an episode."""
    total = 0.0
    for reward in reversed(rewards):
        total = reward + gamma * total
    return total


def improvement(potentials: Sequence[float | None], final: float | None) -> float | None:
    """Return how much of what was missing at the start has been won: ``(s - b) / (1 - b)``.

    A part handed back as it was given earns 0 (BenchCAD and CADGenBench score edits so).

    Args:
        potentials: phi(s_0) first; the score b of the geometry that the episode began with.
        final: Score s of what was handed in.

    Returns:
        In [0, 1], or None where a score is missing or the start was perfect already.
    """
    before = potentials[0] if potentials else None
    if before is None or final is None or before >= 1.0:
        return None
    return max(0.0, (final - before) / (1.0 - before))


def viable_prefix(outcomes: Sequence[Outcome]) -> int:
    """Return how many steps came before the first geometric failure."""
    failures = (n for n, outcome in enumerate(outcomes) if outcome in GEOMETRIC_FAILURES)
    return next(failures, len(outcomes))


def spare_prefix(advantages: Sequence[float], outcomes: Sequence[Outcome]) -> tuple[float, ...]:
    """Return the advantages of steps, none below 0 before the first geometric failure.

    An episode without such a failure is returned as it is: what it did wrong, if anything, may
    lie in any step.
    """
    prefix = viable_prefix(outcomes)
    if prefix == len(outcomes):
        return tuple(advantages)
    return tuple(max(0.0, a) if n < prefix else a for n, a in enumerate(advantages))


def process_readings(
    outcomes: Sequence[Outcome], potentials: Sequence[float | None], final: float | None
) -> dict[str, Reading]:
    """Return what the process layer offers to a composition.

    ``improvement`` masks where it is not known: a recipe that asks for it cannot do without.
    ``viable_steps`` moves the optimum where a recipe gives it weight; it is there to be reported.
    """
    share = viable_prefix(outcomes) / len(outcomes) if outcomes else None
    gain = improvement(potentials, final)
    note = "" if gain is not None else "the score of the start geometry is not known or perfect"
    return {
        "improvement": Reading("improvement", gain, gain, "ratio", note, is_masked=gain is None),
        "viable_steps": Reading("viable_steps", share, share, "ratio"),
    }


def _carried(potentials: Sequence[float | None]) -> list[float]:
    """Fill gaps with the potential before them; before the first known one it is 0."""
    known, latest = [], 0.0
    for number, phi in enumerate(potentials):
        if phi is not None and not 0.0 <= finite_number(f"potential {number}", phi) <= 1.0:
            raise UsageError(f"potential {number} is {phi:g}: it must lie in [0, 1]")
        latest = latest if phi is None else phi
        known.append(latest)
    return known
