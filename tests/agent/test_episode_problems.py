"""Calls that could not be run, full contexts and Ctrl-C, through the real loop."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import FakeRuntime, FakeWorkspace, make_task, records

from cadwright.agent.context import ContextBudget, EstimatedTokens, fit
from cadwright.agent.episode import run_episode
from cadwright.agent.episode_result import EpisodeResult
from cadwright.agent.events import Event, Refused
from cadwright.agent.messages import AssistantTurn, CallProblem, Conversation, Usage
from cadwright.agent.policies.policy import Policy, TurnList
from cadwright.agent.policies.scripted import ScriptedPolicy
from cadwright.agent.replay import replay
from cadwright.agent.tool_calls import parse_calls
from cadwright.agent.trajectory import read_trajectory
from cadwright.envs.core import EndReason
from cadwright.envs.task import EpisodeLimits, PublicTask, Task
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ToolCall, ToolSpec

GOOD = ToolCall("execute", {"code": "good box"}, "g")
SUBMIT = ToolCall("submit", {}, "s")
BAD = ToolCall("execute", {"code": "bad"}, "b")


def run(folder: Path, policy: Policy, **options: Any) -> EpisodeResult:
    return run_episode(
        options.pop("task", make_task()),
        policy,
        FakeRuntime(),  # type: ignore[arg-type]
        folder,
        workspace=FakeWorkspace(),
        **options,
    )


class Speaker(TurnList):
    """A model that only writes text."""

    def __init__(self, *texts: str, budget: ContextBudget | None = None) -> None:
        super().__init__("speaker")
        self._texts = texts
        self._budget = budget or ContextBudget()

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin anew."""

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        turn = conversation.num_turns
        fitted = fit(conversation.messages, self._budget, EstimatedTokens())
        parsed = parse_calls(self._texts[turn], tools, id_prefix=f"{turn + 1}.")
        return AssistantTurn(
            parsed.text,
            parsed.calls,
            problems=parsed.problems,
            repairs=parsed.repairs,
            thinking=parsed.thinking,
            context=fitted.report,
            usage=Usage(100, 10, 0.5),
        )


CALL = '<tool_call>{"name": "execute", "arguments": {"code": "good box",}}</tool_call>'
HAND_IN = '<tool_call>{"name": "submit", "arguments": {}}</tool_call>'
BROKEN = '<think>Hm.</think><tool_call>{"name": "execute", "arguments": [1]}</tool_call>'


def test_a_problem_is_answered_counted_and_on_record(tmp_path: Path) -> None:
    events: list[Event] = []
    speaker = Speaker(BROKEN, CALL, HAND_IN)
    result = run(tmp_path / "e", speaker, on_event=events.append)
    assert (result.end_reason, result.problems, result.repairs) == (EndReason.SUBMITTED, 1, 1)
    assert [e.problem.code for e in events if isinstance(e, Refused)] == ["invalid_arguments"]
    decision = next(r for r in records(tmp_path / "e") if r["kind"] == "decision")
    assert decision["problems"][0]["code"] == "invalid_arguments"
    assert decision["thinking"] == "Hm."
    answer = read_trajectory(tmp_path / "e").conversation().messages[2]
    assert (answer.role, "named fields" in answer.text) == ("user", True)


def test_a_thought_never_enters_the_conversation(tmp_path: Path) -> None:
    run(tmp_path / "e", Speaker(BROKEN, CALL, HAND_IN))
    said = [m.text for m in read_trajectory(tmp_path / "e").conversation()]
    assert not any("Hm." in text for text in said)


def test_saying_done_ends_as_repeated_failures(tmp_path: Path) -> None:
    result = run(tmp_path / "e", Speaker(*["The bracket is complete."] * 9))
    assert (result.end_reason, result.turns) == (EndReason.REPEATED_FAILURES, 3)


def test_the_same_failing_call_ends_the_episode_whatever_works_between(tmp_path: Path) -> None:
    turns = [AssistantTurn("", (BAD, GOOD))] * 9
    result = run(tmp_path / "e", ScriptedPolicy(turns))
    assert (result.end_reason, result.turns) == (EndReason.REPEATED_FAILURES, 3)


def test_different_failures_between_successes_go_on(tmp_path: Path) -> None:
    turns = [
        AssistantTurn("", (ToolCall("execute", {"code": f"bad {n}"}, f"{n}"), GOOD))
        for n in range(5)
    ]
    result = run(tmp_path / "e", ScriptedPolicy([*turns, AssistantTurn("", (SUBMIT,))]))
    assert result.end_reason is EndReason.SUBMITTED


def test_usage_is_added_up(tmp_path: Path) -> None:
    result = run(tmp_path / "e", Speaker(CALL, HAND_IN))
    assert result.usage == Usage(200, 20, 1.0, attempts=2)
    assert records(tmp_path / "e")[-1]["usage"]["completion_tokens"] == 20


def test_a_full_context_ends_the_episode_in_order(tmp_path: Path) -> None:
    speaker = Speaker(CALL, CALL, HAND_IN, budget=ContextBudget(tokens=25))
    result = run(tmp_path / "e", speaker)
    assert result.end_reason is EndReason.CONTEXT_LIMIT
    assert result.fault is None
    assert result.score is not None
    assert result.message.startswith("the context is full")
    assert result.context is not None
    assert result.context.tokens_full > result.context.tokens_sent
    full = next(r for r in records(tmp_path / "e") if r["kind"] == "context_limit")
    assert full["context"]["tokens_sent"] > 25


def test_thirty_steps_in_a_small_context(tmp_path: Path) -> None:
    """Renders pile up; the target and the newest stay, and the record rebuilds every request."""
    task = make_task(limits=EpisodeLimits(turns=40, wall_s=60, repeated_failures=3))
    speaker = Speaker(*[CALL] * 30, HAND_IN, budget=ContextBudget(images=3))
    result = run(tmp_path / "e", speaker, task=task)
    assert (result.end_reason, result.turns) == (EndReason.SUBMITTED, 31)
    trajectory = read_trajectory(tmp_path / "e")
    for turn in (1, 2, 10, 31):
        sent = trajectory.sent(turn)
        assert len(sent[0].images) == 1
        assert sum(len(message.images) for message in sent) == min(turn, 3)
    with pytest.raises(UsageError, match="turns 1 to 31, not 32"):
        trajectory.sent(32)


@pytest.mark.parametrize(
    ("speaker", "reason"),
    [
        (Speaker(BROKEN, "well", CALL, HAND_IN), EndReason.SUBMITTED),
        (Speaker(CALL, CALL, HAND_IN, budget=ContextBudget(tokens=25)), EndReason.CONTEXT_LIMIT),
    ],
    ids=["problems", "context"],
)
def test_replay_of_problems_and_full_contexts(
    tmp_path: Path, speaker: Speaker, reason: EndReason
) -> None:
    task = make_task()
    assert run(tmp_path / "e", speaker).end_reason is reason
    checks = replay(
        tmp_path / "e",
        task,
        FakeRuntime(),  # type: ignore[arg-type]
        tmp_path / "again",
        workspace=FakeWorkspace(),
    )
    assert [check.name for check in checks if not check.is_equal] == []


def test_replay_of_a_refused_provider_call(tmp_path: Path) -> None:
    wrong = CallProblem("unknown_tool", "there is no tool", "x", ToolCall("x", {}, "1.1"))
    turns = [
        AssistantTurn("", (GOOD,), problems=(wrong,)),
        AssistantTurn("", (SUBMIT,)),
    ]
    assert run(tmp_path / "e", ScriptedPolicy(turns)).problems == 1
    checks = replay(
        tmp_path / "e",
        make_task(),
        FakeRuntime(),  # type: ignore[arg-type]
        tmp_path / "again",
        workspace=FakeWorkspace(),
    )
    assert [check.name for check in checks if not check.is_equal] == []


class Interrupted(TurnList):
    """Somebody presses Ctrl-C in the second turn."""

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        self.begin([AssistantTurn("", (GOOD,))])

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        if conversation.num_turns == 1:
            raise KeyboardInterrupt
        return super().act(conversation, tools)


def test_ctrl_c_leaves_a_complete_record_and_goes_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "e", Interrupted("interrupted"))
    trajectory = read_trajectory(tmp_path / "e")
    assert trajectory.ending is not None
    assert trajectory.ending["end_reason"] == "stopped"
    assert trajectory.ending["part_digest"]
    assert (tmp_path / "e/score.json").is_file()
    with pytest.raises(UsageError, match="somebody interrupted it"):
        replay(
            tmp_path / "e",
            make_task(),
            FakeRuntime(),  # type: ignore[arg-type]
            tmp_path / "again",
            workspace=FakeWorkspace(),
        )
