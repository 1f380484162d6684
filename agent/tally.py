"""What an episode has added up while it ran."""

from __future__ import annotations

from dataclasses import dataclass

from cadwright.agent.context_report import ContextReport, ContextTotals
from cadwright.agent.messages import AssistantTurn, Usage


@dataclass(slots=True)
class Tally:
    """Counts of one episode.

    Attributes:
        calls: Tool calls run.
        problems: Calls answered without being run.
        repairs: Lossless repairs of calls.
        usage: Tokens and cost of all attempts, where the policy counts them.
        context: What the turns sent and dropped, where the policy has a context budget.
    """

    calls: int = 0
    problems: int = 0
    repairs: int = 0
    usage: Usage | None = None
    context: ContextTotals | None = None

    def add(self, turn: AssistantTurn) -> None:
        """Count a turn that came."""
        self.problems += len(turn.problems)
        self.repairs += len(turn.repairs)
        if turn.usage is not None:
            self.spend(turn.usage)
        if turn.context is not None:
            self.context = (self.context or ContextTotals()).plus(turn.context)

    def drop(self, report: ContextReport) -> None:
        """Count a conversation that was too long to be sent."""
        self.context = (self.context or ContextTotals()).plus_unsent(report)

    def spend(self, usage: Usage) -> None:
        """Count what a turn cost, also one that never came."""
        self.usage = (self.usage or Usage.nothing()).plus(usage)
