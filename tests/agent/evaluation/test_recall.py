from __future__ import annotations

from typing import Any

import pytest
from rows import failed, row

from cadwright.agent.evaluation.recall import tolerance_recall
from cadwright.agent.evaluation.summary import summarise
from cadwright.rewards.score import Score, Term, Verdict


def with_gap(task: str, gap: float, name: str = "surface") -> dict[str, Any]:
    terms = (Term(name, 1.0, gap, "mm", 0.5),)
    return row(task, score=Score(0.5, Verdict.SCORED, "measured", terms).to_json())


def test_recall_counts_the_parts_within_each_tolerance() -> None:
    curve = tolerance_recall([with_gap("a", 0.05), with_gap("b", 5.0)])["surface"]
    found = dict(zip(curve["tolerances"], curve["recall"], strict=True))
    assert (found[0.01], found[0.1], found[10.0]) == (0.0, 0.5, 1.0)


def test_area_of_perfect_parts_is_one_and_of_lost_ones_zero() -> None:
    assert tolerance_recall([with_gap("a", 0.0)])["surface"]["auc"] == 1.0
    assert tolerance_recall([with_gap("a", 1e6)])["surface"]["auc"] == 0.0


def test_area_is_taken_over_the_logarithm() -> None:
    # within 0.1 of a range from 0.001 to 10: half of four decades, and half a step beside it
    auc = tolerance_recall([with_gap("a", 0.1)])["surface"]["auc"]
    assert auc == pytest.approx(0.5, abs=0.5 / 16 + 1e-6)


def test_failures_lower_the_curve_instead_of_dropping_out() -> None:
    alone = tolerance_recall([with_gap("a", 0.0)])["surface"]["auc"]
    joined = tolerance_recall([with_gap("a", 0.0), failed("b")])["surface"]["auc"]
    assert joined == pytest.approx(alone / 2)


def test_distance_that_nobody_measured_has_no_curve() -> None:
    assert tolerance_recall([row("a"), failed("b")]) == {}


def test_summary_gives_both_means_of_the_score() -> None:
    figures = summarise([with_gap("a", 0.0), failed("b")])
    assert (figures["score_mean"], figures["score_mean_scored"]) == (0.25, 0.5)
    assert set(figures["tolerance_recall"]) == {"surface"}
