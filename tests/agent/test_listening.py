"""Whoever watches an episode can read along while a policy writes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from agent_fakes import FakeRuntime, FakeWorkspace, make_task
from rich.console import Console
from served_fakes import breaks_off, says, serving

from cadwright.agent.cli.live import LiveView
from cadwright.agent.episode import run_episode
from cadwright.agent.events import Decided, Event, Writing
from cadwright.agent.messages import AssistantTurn, Conversation
from cadwright.agent.policies.policy import TurnList
from cadwright.agent.policies.served import ServedPolicy
from cadwright.agent.policies.served_options import parse_served
from cadwright.envs.core import EndReason
from cadwright.envs.task import PublicTask, Task
from cadwright.tools.tool import ToolSpec


class Aloud(TurnList):
    """Says what it writes, and stops."""

    on_text: Callable[[str], None] | None = None

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        del task, seed, variant

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        del conversation, tools
        if self.on_text is not None:
            self.on_text("half a ")
            self.on_text("thought")
        return AssistantTurn("half a thought", is_stop=True)


class Ear:
    """Keeps every event."""

    def __init__(self, hears_writing: bool) -> None:
        self.hears_writing, self.events = hears_writing, list[Event]()

    def __call__(self, event: Event) -> None:
        self.events.append(event)


def play(folder: Path, policy: object, ear: Callable[[Event], None]) -> EndReason:
    result = run_episode(
        make_task(),
        policy,  # type: ignore[arg-type]
        FakeRuntime(),  # type: ignore[arg-type]
        folder,
        workspace=FakeWorkspace(),
        on_event=ear,
    )
    return result.end_reason


def test_words_are_heard_before_the_turn_is_there(tmp_path: Path) -> None:
    ear = Ear(hears_writing=True)
    play(tmp_path / "e", Aloud("aloud"), ear)
    kinds = [type(event) for event in ear.events]
    assert kinds[1:4] == [Writing, Writing, Decided]
    assert "".join(e.text for e in ear.events if isinstance(e, Writing)) == "half a thought"


def test_who_does_not_read_along_is_not_told(tmp_path: Path) -> None:
    policy, ear = Aloud("aloud"), Ear(hears_writing=False)
    policy.on_text = pytest.fail
    play(tmp_path / "e", policy, ear)
    assert not [event for event in ear.events if isinstance(event, Writing)]


@pytest.mark.parametrize("stream", ["0", "1"], ids=["whole", "streamed"])
def test_words_and_calls_of_a_server_are_heard_as_they_come(tmp_path: Path, stream: str) -> None:
    ear = Ear(hears_writing=True)
    with serving(breaks_off("I be"), says("I begin.", ("submit", '{"why": "done"}'))) as server:
        spec = parse_served(f"m@{server.url}?stream={stream}&attempts=3&first_token_s=5")
        policy = ServedPolicy("openai:m", spec, sleep=lambda _: None)
        play(tmp_path / "e", policy, ear)
        policy.close()
    told = "".join(event.text for event in ear.events if isinstance(event, Writing))
    assert 'I begin.submit {"why": "done"}' in told
    assert "asked again in" in told


@pytest.mark.parametrize("is_terminal", [True, False], ids=["terminal", "pipe"])
def test_no_order_to_the_terminal_gets_through(tmp_path: Path, is_terminal: bool) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=is_terminal, width=60, highlight=False)
    said = says("\x1b]0;owned\x07", ("execute", {"code": "good\n\x1b[2J"}))
    with serving(said, says("", ("submit", {}))) as server:
        spec = parse_served(f"m@{server.url}?attempts=1&first_token_s=5")
        policy = ServedPolicy("openai:m", spec)
        play(tmp_path / "e", policy, LiveView(console, tmp_path / "e"))
        policy.close()
    assert "\x1b]" not in shown.getvalue()
    assert "\x1b[2J" not in shown.getvalue()
    assert "\\x1b]0;owned" in shown.getvalue()


@pytest.mark.parametrize("is_terminal", [True, False], ids=["terminal", "pipe"])
def test_a_draft_is_shown_where_it_can_be_taken_away(tmp_path: Path, is_terminal: bool) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=is_terminal, width=60, highlight=False)
    play(tmp_path / "e", Aloud("aloud"), LiveView(console, tmp_path / "e"))
    draft, _, rest = shown.getvalue().partition("turn 1")
    assert ("half a " in draft) == is_terminal
    assert "half a thought" in rest
