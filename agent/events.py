"""What a live view hears about an episode while it runs.

An observer is any callable that takes an ``Event``. It sees what the policy sees and what the
loop decided; it cannot change either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from cadwright.agent.messages import AssistantTurn, CallProblem
from cadwright.envs.core import EndReason
from cadwright.tools.tool import Block, ToolCall, ToolResult

if TYPE_CHECKING:
    from cadwright.agent.episode_result import EpisodeResult


@dataclass(frozen=True, slots=True)
class Began:
    """The first observation is there. ``images`` are file names inside the episode folder."""

    task_id: str
    blocks: tuple[Block, ...]
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Writing:
    """The policy is writing its turn; the pieces joined are what a model or server sends."""

    text: str


@dataclass(frozen=True, slots=True)
class Decided:
    """The policy has taken turn ``turn`` (the first is 1)."""

    turn: int
    assistant: AssistantTurn
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Executed:
    """One call has run. ``images`` are file names inside the episode folder."""

    turn: int
    call: ToolCall
    result: ToolResult
    images: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A call was not run; the policy has been told why."""

    turn: int
    problem: CallProblem


@dataclass(frozen=True, slots=True)
class Ended:
    """The conversation is over; artifacts and score follow."""

    reason: EndReason


@dataclass(frozen=True, slots=True)
class Scored:
    """The episode is complete on disk."""

    result: EpisodeResult


Event = Began | Writing | Decided | Executed | Refused | Ended | Scored
Observer = Callable[[Event], None]


def nobody(event: Event) -> None:
    """Listen to nothing: the default observer."""
    del event


@runtime_checkable
class Audible(Protocol):
    """A policy that can be heard while it writes."""

    on_text: Callable[[str], None] | None


def listen(policy: object, tell: Observer) -> None:
    """Have ``tell`` hear what ``policy`` writes, where that can be heard.

    Only an observer with ``hears_writing`` does: tokens are turned into text for it.
    """
    if isinstance(policy, Audible):
        is_heard = getattr(tell, "hears_writing", False)
        policy.on_text = (lambda text: tell(Writing(text))) if is_heard else None
