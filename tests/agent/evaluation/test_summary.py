from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import broken, failed, row, score, unscorable

from cadwright.agent.evaluation.summary import summarise
from cadwright.rewards.answer import Answer, answer_score

mixed = [
    row("a", score=score(1.0)),
    row("b", score=score(0.5)),
    failed("c"),
    broken("d"),
    unscorable("e"),
]


def test_failure_counts_as_zero_in_the_mean_over_all() -> None:
    assert summarise([row("a", score=score(1.0)), failed("b")])["iou"]["mean_all"] == 0.5


def test_failure_is_left_out_of_the_mean_over_survivors() -> None:
    assert summarise([row("a", score=score(0.8)), failed("b")])["iou"]["mean_scored"] == 0.8


def test_a_question_has_no_part_in_the_means_of_iou() -> None:
    answers = [answer_score(given, Answer(12.0)).to_json() for given in (12.0, None)]
    asked = [row(f"q{n}", score=answer) for n, answer in enumerate(answers)]
    figures = summarise([row("a", score=score(0.5)), failed("b"), *asked])
    assert figures["iou"]["mean_all"] == 0.25
    assert figures["score_mean"] == pytest.approx((0.5 + 0.0 + 1.0 + 0.0) / 4)


def test_our_faults_and_unusable_references_are_masked() -> None:
    figures = summarise(mixed)
    assert figures["iou"]["mean_all"] == pytest.approx(0.5)
    assert figures["score_mean"] == pytest.approx(0.5)
    assert figures["infra_errors"] == 1


def test_unscorable_is_counted_apart_with_its_reason() -> None:
    figures = summarise(mixed)
    assert figures["unscorable"] == {"count": 1, "tasks": {"e": "because unscorable"}}
    assert figures["outcomes"]["ok"] == 3


def test_a_declined_request_is_counted_by_how_it_ended() -> None:
    declined = failed("b", outcome="no_result") | {"end_reason": "stopped"}
    assert summarise([row("a"), declined])["end_reasons"] == {"stopped": 1, "submitted": 1}


def test_every_final_row_is_counted_once() -> None:
    figures = summarise(mixed)
    assert figures["n"] == sum(figures["outcomes"].values()) == sum(figures["verdicts"].values())


def test_attempts_are_totalled_and_the_last_one_counts() -> None:
    first = broken("a", is_final=False, seconds=5.0)
    second = row("a", attempt=2, seconds=1.0, elapsed_s=6.5)
    figures = summarise([first, second])
    assert (figures["n"], figures["attempts"]) == (1, 2)
    assert figures["episode_seconds"] == 6.0
    assert figures["outcomes"] == {"ok": 1}


def test_wall_time_adds_up_the_sessions() -> None:
    rows = [
        row("a", session="one", elapsed_s=3.0),
        row("b", session="one", elapsed_s=5.0),
        row("c", session="two", elapsed_s=2.0),
    ]
    assert summarise(rows)["seconds"] == 7.0


def test_score_that_broke_in_the_judge_is_ours() -> None:
    from cadwright.rewards.score import Verdict

    figures = summarise([row("a", score=score(None, Verdict.INFRA_ERROR)), row("b")])
    assert figures["infra_errors"] == 1
    assert figures["iou"]["mean_all"] == 1.0


def test_nothing_at_all_gives_no_numbers() -> None:
    figures = summarise([])
    assert figures["iou"] == {"mean_all": None, "mean_scored": None, "median": None, "over_0_99": 0}


@given(st.permutations(mixed))
def test_order_of_rows_does_not_matter(rows: list[dict[str, object]]) -> None:
    assert summarise(rows) == summarise(mixed)
