"""A policy that knows the answer: the upper bound of a suite and the proof that its tasks work.

Where a task carries a gold program the expert runs it like anybody else: execute, then submit.
Where a task carries only a gold part there is nothing to run, so the file goes to the judge past
the workspace. That is a privileged path: the loop opens it only for a policy that declares itself
privileged, and the trajectory records it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from cadwright.agent.messages import AssistantTurn, Conversation
from cadwright.agent.policies.policy import ONE_VARIANT, TurnList
from cadwright.agent.policies.replay import execute_and_submit
from cadwright.envs.pointing import pointed
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ToolSpec

if TYPE_CHECKING:
    from cadwright.envs.task import Gold, PublicTask, Task


class ExpertPolicy(TurnList):
    """Runs the gold program or the gold calls, or hands in the gold part.

    Args:
        name: The spec that made it.
        by_place: Point at places of a screen instead of naming the elements on it.
    """

    def __init__(self, *, name: str = "expert", by_place: bool = False) -> None:
        super().__init__(name)
        self._by_place = by_place

    @property
    def is_privileged(self) -> bool:
        """It reads the hidden half of the task: always true."""
        return True

    def variants(self, task: Task | PublicTask) -> tuple[str, ...]:
        """Return the one attempt it has where there is a gold answer."""
        return ONE_VARIANT if getattr(task, "gold", None) is not None else ()

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin with what the task holds as gold."""
        del seed, variant
        gold: Gold | None = getattr(task, "gold", None)
        if gold is None:
            raise UsageError(f"task {task.id} has no gold answer for the expert to give")
        self.begin(_turns_of(gold))

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        """Return the next turn; what it names on a screen is looked up there."""
        turn = super().act(conversation, tools)
        told = [message.text for message in reversed(conversation.messages)]
        calls = (pointed(call, told, by_place=self._by_place) for call in turn.tool_calls)
        return replace(turn, tool_calls=tuple(chain.from_iterable(calls)))


def _turns_of(gold: Gold) -> tuple[AssistantTurn, ...]:
    if gold.source is None:
        calls = (replace(call, id=str(n)) for n, call in enumerate(gold.calls, start=1))
        return tuple(AssistantTurn("", (call,)) for call in calls)
    if gold.source.is_program:
        return execute_and_submit(gold.source.text())
    return (AssistantTurn("", gold=gold.source),)
