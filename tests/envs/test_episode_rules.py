"""When an episode is over: the rules that the loop and the Gymnasium environment share."""

from __future__ import annotations

import pytest

from cadwright.envs.core import EndReason, EpisodeRules, Submission
from cadwright.envs.task import EpisodeLimits, Task
from cadwright.envs.tool_env import ToolEnv
from cadwright.tools.errors import Outcome
from cadwright.tools.tool import Block, TextBlock, ToolCall, ToolResult, ToolSpec

LIMITS = EpisodeLimits(turns=20, wall_s=60, repeated_failures=3)
LOOK = ToolCall("render", {"view": "iso"}, "2")


def turn_of(rules: EpisodeRules, *calls: tuple[ToolCall, Outcome]) -> EndReason | None:
    """Note the calls of a turn and ask whether it was the last."""
    results = []
    for call, outcome in calls:
        results.append(ToolResult(call.name, "", outcome=outcome))
        rules.note_call(call, results[-1])
    return rules.after_turn(results)


def broken(**arguments: object) -> tuple[ToolCall, Outcome]:
    return ToolCall("execute", arguments, "1"), Outcome.PYTHON_ERROR


def test_one_call_that_keeps_failing_ends_it_whatever_went_well_between() -> None:
    rules = EpisodeRules(LIMITS)
    reasons = [turn_of(rules, broken(code="x"), (LOOK, Outcome.OK)) for _ in range(3)]
    assert reasons == [None, None, EndReason.REPEATED_FAILURES]


def test_the_order_of_arguments_makes_no_other_call() -> None:
    rules = EpisodeRules(LIMITS)
    for call in (broken(a=1, b=[2]), broken(b=[2], a=1), broken(a=1, b=[2])):
        assert turn_of(rules, (LOOK, Outcome.OK)) is None
        rules.note_call(call[0], ToolResult("execute", "", outcome=call[1]))
    assert turn_of(rules, (LOOK, Outcome.OK)) is EndReason.REPEATED_FAILURES


def test_different_calls_that_fail_are_not_added_up() -> None:
    rules = EpisodeRules(LIMITS)
    for number in range(10):
        assert turn_of(rules, broken(code=str(number)), (LOOK, Outcome.OK)) is None


def test_a_call_that_went_well_is_forgiven() -> None:
    rules = EpisodeRules(LIMITS)
    call = ToolCall("execute", {"code": "x"}, "1")
    for outcome in (Outcome.TIMEOUT, Outcome.TIMEOUT, Outcome.OK, Outcome.TIMEOUT):
        assert turn_of(rules, (call, outcome), (LOOK, Outcome.OK)) is None


def test_the_same_refusal_again_and_again_ends_it() -> None:
    rules = EpisodeRules(LIMITS)
    for expected in (None, None, EndReason.REPEATED_FAILURES):
        rules.note_refusal("unknown_tool: run")
        assert turn_of(rules, (LOOK, Outcome.OK)) is expected


class _Bench:
    """A workspace in which ``execute`` always fails and everything else goes well."""

    def reset(self, task: Task, seed: int) -> tuple[Block, ...]:
        del task, seed
        return (TextBlock("Begin."),)

    def call(self, call: ToolCall) -> ToolResult:
        outcome = Outcome.PYTHON_ERROR if call.name == "execute" else Outcome.OK
        return ToolResult(call.name, "", outcome=outcome)

    def finish(self) -> Submission:
        return Submission(None, Outcome.NO_RESULT)

    def tools(self) -> tuple[ToolSpec, ...]:
        return ()

    def close(self) -> None:
        """Nothing to free."""


class _Nothing:
    value = None


class _Judge:
    def score(self, task: Task, submission: Submission) -> _Nothing:
        del task, submission
        return _Nothing()


@pytest.mark.parametrize("bad", ['{"name": "execute"}', "nonsense"], ids=["call", "refusal"])
def test_environment_ends_with_the_same_breaker(bad: str) -> None:
    task = Task("t", "make it", limits=LIMITS)
    env = ToolEnv(lambda runtime, size: _Bench(), task=task, runtime=_Judge())  # type: ignore[arg-type]
    env.reset(seed=0)
    for _ in range(2):
        assert "end_reason" not in env.step(bad)[-1]
        assert "end_reason" not in env.step('{"name": "render"}')[-1]
    assert env.step(bad)[-1]["end_reason"] == "repeated_failures"
    env.close()
