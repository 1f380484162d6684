"""The seam between the loop and whatever decides: a scripted list, a program file, a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from cadwright.agent.messages import AssistantTurn, Conversation, Usage
from cadwright.tools.errors import InfraError
from cadwright.tools.tool import ToolSpec

if TYPE_CHECKING:
    from cadwright.envs.task import PublicTask, Task

ONE_VARIANT = ("",)  # what a policy without variants answers


class DecisionFailed(InfraError):
    """What stands behind a policy gave no turn, though it was asked more than once.

    Args:
        message: What happened.
        usage: What all the attempts have cost; it stays on the episode's bill.
    """

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


class DecisionStopped(KeyboardInterrupt):
    """Ctrl-C, while a server was paid for a turn.

    Args:
        usage: What it has cost so far; it stays on the episode's bill.
    """

    def __init__(self, usage: Usage) -> None:
        super().__init__()
        self.usage = usage


class Policy(Protocol):
    """Decides the next assistant turn."""

    @property
    def name(self) -> str:
        """The spec that made it, for example ``replay:programs.jsonl``."""

    @property
    def digest(self) -> str:
        """Hash of the file or weights behind it, or empty: two runs compare it on resuming."""

    @property
    def is_privileged(self) -> bool:
        """Whether it may see what a task hides, such as the gold program.

        Every other policy gets the public half; the trajectory says which of the two it was.
        """

    def variants(self, task: Task | PublicTask) -> tuple[str, ...]:
        """Return the attempts it has for a task: names, or none where it has nothing to offer.

        As in ``reset``, only a privileged policy is given the whole ``Task``.
        """

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin an episode. Only a privileged policy is given the whole ``Task``."""

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        """Return the next turn, given everything that was said so far.

        Raises:
            ContextOverflow: The conversation has outgrown the policy's budget: a normal end.
            DecisionFailed: What stands behind the policy failed.
        """

    def close(self) -> None:
        """Free what the policy holds. Idempotent."""


def declines(text: str, words: str) -> bool:
    """Return whether an answer begins with the words of decline; no words, no declining."""
    return bool(words) and text.lstrip().startswith(words)


def visible_to(policy: Policy, task: Task) -> Task | PublicTask:
    """Return what ``policy`` may see of ``task``."""
    return task if policy.is_privileged else task.public()


class TurnList:
    """The shared body of policies whose turns are known when the episode begins.

    After the last turn it stops, so an episode whose submission was refused ends there.
    """

    def __init__(self, name: str, digest: str = "") -> None:
        self.name = name
        self.digest = digest
        self._turns: tuple[AssistantTurn, ...] = ()

    @property
    def is_privileged(self) -> bool:
        """Whether it sees what a task hides; most do not."""
        return False

    def variants(self, task: Task | PublicTask) -> tuple[str, ...]:
        """Return the one unnamed attempt."""
        del task
        return ONE_VARIANT

    def begin(self, turns: Sequence[AssistantTurn]) -> None:
        """Set the turns of the episode that starts now."""
        self._turns = tuple(turns)

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        """Return the turn whose place in the conversation has come."""
        del tools
        place = conversation.num_turns
        if place < len(self._turns):
            return self._turns[place]
        return AssistantTurn("I have no further step.", is_stop=True)

    def close(self) -> None:
        """Nothing to free."""
