"""A number is scored by how far it is from the right one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.rewards.answer import Answer, answer_score
from cadwright.rewards.score import Verdict
from cadwright.tools.errors import UsageError

VOLUME = Answer(12_500.0, "mm3", 0.005, "volume")
COUNT = Answer(6.0)


def test_the_right_number_earns_all():
    assert answer_score(12_500.0, VOLUME).value == 1.0


def test_a_number_within_the_tolerance_earns_all():
    assert answer_score(12_560.0, VOLUME).value == 1.0


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_the_nearer_number_never_earns_less(first, second):
    near, far = sorted((first, second), key=lambda given: abs(given - VOLUME.value))
    assert answer_score(near, VOLUME).value >= answer_score(far, VOLUME).value


def test_a_number_ten_times_too_large_earns_nothing():
    assert answer_score(125_000.0, VOLUME).value < 1e-6


def test_four_tolerances_further_on_half_is_left():
    assert answer_score(12_500.0 * (1 + 5 * 0.005), VOLUME).value == pytest.approx(0.5)


@pytest.mark.parametrize("number", [1.0, 0.012, 0.47, 30.0], ids=str)
def test_a_wide_tolerance_pays_no_other_unit_and_no_guess(number):
    assert answer_score(number, Answer(12.0, "mm", 0.05)).value < 0.01


@pytest.mark.parametrize("given_number", [5.0, 7.0, 6.01])
def test_a_wrong_count_earns_nothing(given_number):
    assert answer_score(given_number, COUNT).value == 0.0


def test_the_count_itself_earns_all():
    assert answer_score(6, COUNT).value == 1.0


def test_no_answer_is_invalid_and_earns_nothing():
    score = answer_score(None, VOLUME)
    assert (score.value, score.verdict) == (0.0, Verdict.INVALID)


def test_a_score_says_what_was_asked_and_what_was_given():
    assert "asked 12500 mm3, got 13000 mm3" in answer_score(13_000.0, VOLUME).reason


def test_a_score_is_json():
    score = answer_score(13_000.0, VOLUME)
    assert type(score).from_json(score.to_json()) == score


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, "'value' is missing"),
        ({"value": 3, "units": "mm"}, "unknown field 'units'"),
        ({"value": float("nan")}, "answer value"),
        ({"value": 3, "tolerance": 0.9}, "allowed 0 to 0.5"),
    ],
    ids=["no value", "unknown field", "not a number", "wide tolerance"],
)
def test_a_record_that_cannot_be_used_is_refused(record, message):
    with pytest.raises(UsageError, match=message):
        Answer.from_dict(record)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")], ids=str)
@pytest.mark.parametrize("tolerance", [0.0, 0.005])
def test_what_is_no_number_is_wrong_and_not_masked(number, tolerance):
    score = answer_score(number, Answer(12.0, "mm", tolerance))
    assert (score.value, score.verdict) == (0.0, Verdict.INVALID)


def test_nothing_is_earned_by_zero_however_wide_the_tolerance():
    assert answer_score(0.0, Answer(120.0, "mm3", 0.5)).value == 0.0
