"""``run --step``: a person looks at every turn of a policy before it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cadwright.agent.header import Adjusted
from cadwright.agent.messages import AssistantTurn, CallProblem, Conversation, to_plain
from cadwright.agent.policies.desk import Desk
from cadwright.agent.policies.human import AUTHOR, HumanPolicy, edited
from cadwright.agent.policies.policy import Policy
from cadwright.tools.tool import ToolCall, ToolSpec

if TYPE_CHECKING:
    from cadwright.envs.task import PublicTask, Task

CHOICES = "[a]pprove  [e]dit  [s]kip  [t]ake over  [q]uit"
BACK = "back"


class SteppedPolicy:
    """Puts a person between a policy and the workspace.

    Args:
        inner: Proposes each turn.
        desk: Where the person sits.
    """

    def __init__(self, inner: Policy, desk: Desk) -> None:
        self._inner = inner
        self._desk = desk
        self._human = HumanPolicy(desk)
        self._is_taken_over = False

    @property
    def name(self) -> str:
        """The name of the policy that proposes."""
        return self._inner.name

    @property
    def digest(self) -> str:
        """The digest of the policy that proposes."""
        return self._inner.digest

    @property
    def is_privileged(self) -> bool:
        """Whether the policy that proposes sees what a task hides."""
        return self._inner.is_privileged

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the policy that proposes, and that somebody stood between."""
        own = self._inner.settings if isinstance(self._inner, Adjusted) else {}
        return {**own, "is_stepped": True}

    def variants(self, task: Task | PublicTask) -> tuple[str, ...]:
        """Return the attempts of the policy that proposes."""
        return self._inner.variants(task)

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin an episode."""
        self._is_taken_over = False
        self._inner.reset(task, seed, variant)
        self._human.reset(task, seed, variant)

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        """Return what the person lets through."""
        if self._is_taken_over:
            turn = self._human.ask(conversation, tools, words=BACK)
            if turn is not None:
                return turn
            self._is_taken_over = False
        return self._decide(self._inner.act(conversation, tools), conversation, tools)

    def close(self) -> None:
        """Free what the policy holds. Idempotent."""
        self._inner.close()

    def _decide(
        self, turn: AssistantTurn, conversation: Conversation, tools: Sequence[ToolSpec]
    ) -> AssistantTurn:
        self._desk.show(_proposal(turn))
        while True:
            answer = self._desk.ask(f"{CHOICES}: ")
            choice = "q" if answer is None else answer.strip().lower()[:1]
            decided = self._chosen(choice, turn, conversation, tools)
            if decided is not None:
                return decided

    def _chosen(
        self,
        choice: str,
        turn: AssistantTurn,
        conversation: Conversation,
        tools: Sequence[ToolSpec],
    ) -> AssistantTurn | None:
        """Return the turn of a choice, or None to ask again."""
        match choice:
            case "a":
                return turn
            case "e":
                return edited(turn, self._desk) if turn.tool_calls else None
            case "s":
                note = self._desk.ask("tell it why (Enter for nothing): ") or ""
                return skipped(turn, note.strip())
            case "t":
                self._is_taken_over = True
                own = self._human.ask(conversation, tools, words=BACK)
                self._is_taken_over = own is not None
                return None if own is None else replace(own, usage=turn.usage)
            case "q":
                return AssistantTurn("", is_stop=True, author=AUTHOR, usage=turn.usage)
        return None


def skipped(turn: AssistantTurn, note: str) -> AssistantTurn:
    """Return a turn whose calls are answered without being run; the policy reads the note."""
    reason = f": {note}" if note else "."
    problems = tuple(
        CallProblem("skipped", f"not run, a person skipped this call{reason}", call.name, call)
        for call in turn.tool_calls
    )
    if not problems:
        problems = (CallProblem("skipped", f"A person skipped this turn{reason}"),)
    return replace(turn, tool_calls=(), problems=problems, is_stop=False, gold=None, author=AUTHOR)


def _proposal(turn: AssistantTurn) -> str:
    """Return a turn in words, before anything of it is run."""
    lines = [turn.text] if turn.text else []
    lines += [_call_text(call) for call in turn.tool_calls]
    lines += [f"(not run: {problem.message})" for problem in turn.problems]
    if turn.gold is not None:
        lines.append(f"(hands in the gold part {turn.gold.name})")
    if turn.is_stop:
        lines.append("(stops)")
    return "\n".join(lines) or "(says nothing)"


def _call_text(call: ToolCall) -> str:
    arguments = dict(call.arguments) if isinstance(call.arguments, Mapping) else {}
    code = arguments.pop("code", None)
    shown = ", ".join(f"{key}={to_plain(value)!r}" for key, value in arguments.items())
    body = "\n" + "\n".join(f"    {line}" for line in code.splitlines()) if code else ""
    return f"→ {call.name}({shown}){body}"
