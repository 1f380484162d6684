"""The examination counts what it says it counts."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from cadwright.agent.training import evaluate_tiny, talk
from cadwright.agent.training.evaluate_tiny import Exam, Examiner, Made, Sitting, interval
from cadwright.agent.training.exam_rows import REQUEST, Row
from cadwright.agent.training.examine import misses, table
from cadwright.agent.training.records import program_of
from cadwright.agent.training.sheets import Sheet
from cadwright.agent.training.vlm import Example
from cadwright.envs.runtime import Runtime


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime.open(backend="raycast") as opened:
        yield opened


def hold(
    monkeypatch: pytest.MonkeyPatch,
    tokenizer: Any,
    runtime: Runtime,
    exam: Exam,
    said: Sequence[str],
) -> Sitting:
    """Take one exam with a policy that says these things, one after another."""
    waiting = iter(said)

    def answers(model: object, words: object, examples: Sequence[Example]) -> list[str]:
        return [next(waiting) for _ in examples]

    monkeypatch.setattr(evaluate_tiny, "answers", answers)
    return Examiner(None, tokenizer, runtime).hold([exam])[0]


def test_the_wanted_program_is_exact(
    monkeypatch: pytest.MonkeyPatch, tokenizer: Any, runtime: Runtime, sheets: list[Sheet]
) -> None:
    exam = Exam(REQUEST, sheets[0].picture, sheets[0])
    said = [talk.execute(program_of(sheets[0])), talk.SUBMIT]
    sitting = hold(monkeypatch, tokenizer, runtime, exam, said)
    assert sitting.made == [Made(1.0, True)]
    assert sitting.is_submitted


def test_a_correction_counts_as_a_gain(
    monkeypatch: pytest.MonkeyPatch, tokenizer: Any, runtime: Runtime, sheets: list[Sheet]
) -> None:
    exam = Exam(REQUEST, sheets[0].picture, sheets[0])
    programs = [program_of(sheets[1]), program_of(sheets[0])]
    said = [*map(talk.execute, programs), talk.SUBMIT]
    sitting = hold(monkeypatch, tokenizer, runtime, exam, said)
    assert 0.0 < sitting.first < 1.0
    assert sitting.last == 1.0


def test_a_program_that_fails_is_worth_nothing(
    monkeypatch: pytest.MonkeyPatch, tokenizer: Any, runtime: Runtime, sheets: list[Sheet]
) -> None:
    exam = Exam(REQUEST, sheets[0].picture, sheets[0])
    sitting = hold(monkeypatch, tokenizer, runtime, exam, [talk.execute("result = 1 / 0")])
    assert sitting.made == [Made(0.0, False)]
    assert sitting.last == 0.0


def test_words_that_are_no_call_are_worth_nothing(
    monkeypatch: pytest.MonkeyPatch, tokenizer: Any, runtime: Runtime, sheets: list[Sheet]
) -> None:
    exam = Exam(REQUEST, sheets[0].picture, sheets[0])
    sitting = hold(monkeypatch, tokenizer, runtime, exam, ["<tool_call>{"])
    assert sitting.first == 0.0


def test_a_decline_ends_the_exam(
    monkeypatch: pytest.MonkeyPatch, tokenizer: Any, runtime: Runtime
) -> None:
    sitting = hold(monkeypatch, tokenizer, runtime, Exam("A gear", None, None), [talk.DECLINE])
    assert sitting.is_declined
    assert not sitting.made


def test_a_miss_is_bold_and_listed() -> None:
    row = Row("views", 10, {"iou": 0.5, "exact": 0.6}, {"iou": 0.93, "exact": 0.45})
    assert "**0.500 (0.93)**" in table([row])
    assert misses([row]) == ["views: iou 0.500, asked 0.93"]


def test_a_gain_is_met_by_the_low_end_of_its_interval() -> None:
    figures = {"gain": 0.02, "gain_low": -0.01, "gain_high": 0.05}
    assert misses([Row("views", 10, figures, {"gain": 0.0})])


def test_the_interval_holds_the_mean() -> None:
    low, high = interval([0.0, 0.0, 1.0, 1.0] * 50)
    assert low < 0.5 < high
