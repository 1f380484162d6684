from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cadwright.rewards.calls import CallBudget, CallRecord, call_readings, repeated
from cadwright.tools.errors import Outcome, UsageError


def execute(code: str, *, changed: bool = True) -> CallRecord:
    return CallRecord("execute", {"code": code}, has_changed=changed)


def failed(code: str, outcome: Outcome = Outcome.PYTHON_ERROR) -> CallRecord:
    return CallRecord("execute", {"code": code}, outcome)


def undo(steps: int = 1) -> CallRecord:
    return CallRecord("undo", {"steps": steps}, has_changed=True)


RENDER = CallRecord("render", {"view": "top"}, has_informed=True)
SUBMIT = CallRecord("submit")


def values(*calls: CallRecord, budget: float = 12.0) -> dict[str, float | None]:
    return {n: r.value for n, r in call_readings(calls, CallBudget(budget)).items()}


def test_a_gold_trajectory_earns_full_credit_in_every_term() -> None:
    found = values(execute("plate"), RENDER, execute("holes"), RENDER, SUBMIT)
    assert set(found.values()) == {1.0}


def test_a_wrong_trajectory_stays_below_half_in_every_term() -> None:
    loop = [CallRecord("exceute", {}, Outcome.BAD_CALL)] * 12
    assert all((value or 0.0) < 0.5 for value in values(*loop, budget=4.0).values())


def test_a_call_in_the_same_state_is_a_repeat() -> None:
    assert repeated([execute("plate"), RENDER, RENDER]) == (False, False, True)


def test_a_look_after_a_change_is_no_repeat() -> None:
    assert repeated([execute("plate"), RENDER, execute("holes"), RENDER]) == (False,) * 4


def test_the_same_operation_on_another_part_is_no_repeat() -> None:
    assert repeated([execute("result = result.union(peg)")] * 2) == (False, False)


def test_a_failed_program_run_again_is_a_repeat() -> None:
    assert repeated([failed("1/0"), failed("1/0")]) == (False, True)


def test_doing_again_what_was_undone_is_a_repeat() -> None:
    assert repeated([execute("plate"), undo(), execute("plate")]) == (False, False, True)


def test_undoing_several_steps_leads_back_past_them_all() -> None:
    calls = [execute("plate"), execute("holes"), undo(2), execute("plate")]
    assert repeated(calls)[-1]


def test_a_step_that_changed_and_told_nothing_is_useless() -> None:
    assert values(execute("plate"), execute("x = 1", changed=False))["calls_useful"] == 0.5


def test_a_submission_that_was_refused_is_useless() -> None:
    assert values(CallRecord("submit", {}, Outcome.BAD_CALL))["calls_useful"] == 0.0


def test_a_failing_program_is_a_valid_call() -> None:
    assert values(failed("1/0"))["calls_valid"] == 1.0


def test_calls_that_failed_through_us_do_not_count() -> None:
    broken = failed("plate", Outcome.INFRA_ERROR)
    assert values(execute("plate"), broken) == values(execute("plate"))


def test_nothing_called_has_no_value() -> None:
    assert set(values().values()) == {None}


@given(spent=st.integers(1, 30))
@settings(max_examples=20, deadline=None)
def test_a_further_call_never_raises_the_credit_for_cost(spent: int) -> None:
    calls = [execute(str(n)) for n in range(spent + 1)]
    fewer, more = values(*calls[:-1])["calls_cost"], values(*calls)["calls_cost"]
    assert fewer is not None
    assert more is not None
    assert more <= fewer


def test_costs_follow_the_tool() -> None:
    budget = CallBudget(2.0, {"execute": 2.0, "render": 0.0})
    reading = call_readings([execute("plate"), RENDER], budget)["calls_cost"]
    assert (reading.raw, reading.value) == (2.0, 1.0)


@pytest.mark.parametrize("budget", [0.0, -1.0])
def test_a_budget_nobody_can_keep_is_refused(budget: float) -> None:
    with pytest.raises(UsageError, match=r"calls\.budget"):
        CallBudget(budget)
