"""The core contract of an environment: three verbs and the rules that end an episode.

    reset(task, seed) -> blocks        call(tool call) -> ToolResult        finish() -> Submission

A ``Workspace`` owns what the policy works on (a CAD session, a mesh, a browser page). The episode
loop, the Gymnasium class and every trainer adapter only translate these three verbs.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.part import Inspection, Notice, Part
from cadwright.tools.tool import Block, ToolCall, ToolResult, ToolSpec

if TYPE_CHECKING:
    from cadwright.envs.task import EpisodeLimits, Task


MAX_CALLS_PER_TURN = 16  # a turn with more is a loop in the policy, not a plan


@dataclass(frozen=True, slots=True, eq=False)
class Submission:
    """What an episode leaves behind for the judge.

    Attributes:
        part: The last valid part, or None where there never was one.
        outcome: ``ok``, or why there is no part.
        message: The reason in words.
        inspection: What was measured of ``part``, so that nobody measures it again.
        answer: The number that was handed in, in a task that asks for one.
        is_submitted: The policy called ``submit``; False where a limit ended the episode.
    """

    part: Part | None
    outcome: Outcome
    message: str = ""
    inspection: Inspection | None = None
    is_submitted: bool = False
    notices: tuple[Notice, ...] = ()
    answer: float | None = None


def answered(value: float | None) -> Submission:
    """Return what a task leaves behind that asks for a number: it needs no part."""
    if value is None:
        return Submission(None, Outcome.NO_RESULT, "no answer was given")
    return Submission(None, Outcome.OK, answer=value, is_submitted=True)


class Workspace(Protocol):
    """What the policy works on, behind three verbs."""

    def reset(self, task: Task, seed: int) -> tuple[Block, ...]:
        """Begin the task afresh and return the first observation."""

    def call(self, call: ToolCall) -> ToolResult:
        """Run one tool call; a bad call is a result, never an exception.

        Raises:
            InfraError: Our own machinery failed.
        """

    def finish(self) -> Submission:
        """Return what there is to score. The workspace can still be looked at."""

    def tools(self) -> tuple[ToolSpec, ...]:
        """Return the tools that the task allows."""

    def close(self) -> None:
        """Free everything. Idempotent, and safe before ``reset``."""


class EndReason(StrEnum):
    """Why an episode ended."""

    SUBMITTED = "submitted"
    TURN_LIMIT = "turn_limit"
    TIME_LIMIT = "time_limit"
    REPEATED_FAILURES = "repeated_failures"
    CONTEXT_LIMIT = "context_limit"
    STOPPED = "stopped"
    POLICY_ERROR = "policy_error"
    INFRA_ERROR = "infra_error"


class EpisodeRules:
    """Decides after each turn whether the episode is over.

    A call that fails again and again ends it, however much else goes well in between: whoever runs
    the calls notes each one.

    Args:
        limits: The task's limits.
        clock: Seconds that only go forward; a test passes its own.
    """

    def __init__(
        self, limits: EpisodeLimits, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._start = clock()
        self.turns = 0
        self.failures_in_a_row = 0
        self._failures: Counter[str] = Counter()

    def note_call(self, call: ToolCall, result: ToolResult) -> None:
        """Count a call that was run; one that went well is forgiven its failures."""
        key = f"{call.name} {_ordered(call.arguments)!r}"
        if result.outcome is Outcome.OK:
            del self._failures[key]
        else:
            self._failures[key] += 1

    def note_refusal(self, reason: str) -> None:
        """Count a call that could not be run at all."""
        self._failures[reason] += 1

    def after_turn(self, results: Iterable[ToolResult]) -> EndReason | None:
        """Count one turn and return why the episode ends, or None where it goes on.

        A turn without a call counts as a failure: saying "done" is not a submission.
        """
        results = tuple(results)
        self.turns += 1
        if any(r.is_final for r in results):
            return EndReason.SUBMITTED
        is_failure = not any(r.outcome is Outcome.OK for r in results)
        self.failures_in_a_row = self.failures_in_a_row + 1 if is_failure else 0
        most_failures = max(self.failures_in_a_row, *self._failures.values(), 0)
        if most_failures >= self._limits.repeated_failures:
            return EndReason.REPEATED_FAILURES
        if self.turns >= self._limits.turns:
            return EndReason.TURN_LIMIT
        if self._clock() - self._start >= self._limits.wall_s:
            return EndReason.TIME_LIMIT
        return None


def _ordered(value: object) -> object:
    """Return what prints the same whatever the order of the keys in it."""
    if isinstance(value, Mapping):
        pairs = ((str(key), _ordered(item)) for key, item in value.items())
        return sorted(pairs, key=lambda pair: pair[0])
    return [_ordered(item) for item in value] if isinstance(value, list | tuple) else value
