"""How well tools were used: valid, useful, not repeated, within a budget.

The state of a workspace is the chain of calls that made it. A call repeats another one when it is
the same call in the same state: a second ``render`` without a change between is a repeat, and so
is a program run again after an ``undo``; a second fillet on the part of the first one is not.
Calls that failed through our own machinery count for nothing. These terms reward manners and not
results, so a recipe should let them count only in proportion to the outcome.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cadwright.rewards.breakdown import Reading
from cadwright.rewards.credit import credit
from cadwright.rewards.hygiene import finite_number
from cadwright.tools.errors import Outcome, UsageError

DEFAULT_BUDGET = 12.0
UNDO = "undo"
CLOSING = frozenset({"submit"})


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One tool call and what came of it.

    Attributes:
        name: The tool.
        arguments: As the policy gave them.
        outcome: How it ended.
        has_changed: The workspace is another than before.
        has_informed: The answer says something about the workspace: a picture, a measure.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    outcome: Outcome = Outcome.OK
    has_changed: bool = False
    has_informed: bool = False


@dataclass(frozen=True, slots=True)
class CallBudget:
    """What calls may cost.

    Attributes:
        budget: Cost with full credit; half as much again halves it.
        costs: Cost of one call by tool; 1 where a tool is not named.
    """

    budget: float = DEFAULT_BUDGET
    costs: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a budget that nothing could keep."""
        if not finite_number("calls.budget", self.budget) > 0.0:
            raise UsageError(f"calls.budget is {self.budget:g}: give a number above 0")
        for name, cost in self.costs.items():
            if finite_number(f"calls.costs.{name}", cost) < 0.0:
                raise UsageError(f"calls.costs.{name} is {cost:g}: give 0 or more")

    def spent(self, calls: Sequence[CallRecord]) -> float:
        """Return what calls cost together."""
        return sum(self.costs.get(call.name, 1.0) for call in calls)


def call_readings(
    calls: Sequence[CallRecord], budget: CallBudget | None = None
) -> dict[str, Reading]:
    """Return the terms of the tool call layer; none has a value where nothing was called."""
    own = [call for call in calls if call.outcome is not Outcome.INFRA_ERROR]
    repeats = repeated(own)
    useful = [_is_useful(call) and not again for call, again in zip(own, repeats, strict=True)]
    well_formed = [call.outcome is not Outcome.BAD_CALL for call in own]
    readings = (
        _share("calls_valid", well_formed, "calls with a known tool and right arguments"),
        _share("calls_useful", useful, "calls that changed something or told something new"),
        _share("calls_fresh", [not again for again in repeats], "calls that repeat none before"),
        _cost(own, budget or CallBudget()),
    )
    return {reading.name: reading for reading in readings}


def repeated(calls: Sequence[CallRecord]) -> tuple[bool, ...]:
    """Return of each call whether the same call was made before in the same state."""
    states: list[str] = [""]
    seen: set[tuple[str, str]] = set()
    found: list[bool] = []
    for call in calls:
        key = (states[-1], _written(call))
        found.append(key in seen)
        seen.add(key)
        _advance(states, call, key)
    return tuple(found)


def _advance(states: list[str], call: CallRecord, key: tuple[str, str]) -> None:
    """Go to the state after a call; equal chains of calls have equal states."""
    if call.outcome is not Outcome.OK or not call.has_changed:
        return
    if call.name != UNDO:
        states.append(hashlib.sha256("\n".join(key).encode("utf-8", "replace")).hexdigest())
        return
    steps = call.arguments.get("steps", 1)
    back = steps if isinstance(steps, int) and steps > 0 else 1
    del states[max(1, len(states) - back) :]


def _written(call: CallRecord) -> str:
    return json.dumps([call.name, dict(call.arguments)], sort_keys=True, default=repr)


def _is_useful(call: CallRecord) -> bool:
    if call.name in CLOSING:
        return call.outcome is Outcome.OK
    return call.has_changed or call.has_informed


def _share(name: str, flags: list[bool], meaning: str) -> Reading:
    if not flags:
        return Reading(name, None, None, "ratio", "no tool was called")
    share = sum(flags) / len(flags)
    return Reading(name, share, share, "ratio", f"{sum(flags)} of {len(flags)} {meaning}")


def _cost(calls: list[CallRecord], budget: CallBudget) -> Reading:
    if not calls:
        return Reading("calls_cost", None, None, "calls", "no tool was called")
    spent = budget.spent(calls)
    value = credit(spent, budget.budget, budget.budget / 2.0)
    return Reading("calls_cost", value, spent, "calls", f"of a budget of {budget.budget:g}")
