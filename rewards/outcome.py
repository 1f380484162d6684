"""The outcome layer: what the judge said about the final part, as readings.

An episode is graded below "valid", so that a group of failures still has an order: a program that
runs is worth more than one that does not, a solid more than a heap of faces. Where nobody can say
what the part is worth (our machinery failed, or the reference cannot carry a score) every reading
of this layer masks: such an episode teaches nothing and must not be read as a 0.
"""

from __future__ import annotations

from cadwright.rewards.breakdown import Reading
from cadwright.rewards.constraints.result import ConstraintReport
from cadwright.rewards.score import Score, Verdict
from cadwright.rewards.scoring import TERMS
from cadwright.rewards.terms import FAILED_CREDIT
from cadwright.tools.errors import Outcome

SCORE, VALIDITY, CONSTRAINTS = "score", "validity", "constraints"
OUTCOME_TERMS = (SCORE, VALIDITY, CONSTRAINTS, *(name for name in TERMS if name != VALIDITY))

_MASKED = frozenset({Verdict.UNSCORABLE, Verdict.INFRA_ERROR})


def outcome_readings(
    score: Score | None,
    outcome: Outcome,
    message: str = "",
    *,
    report: ConstraintReport | None = None,
    report_failure: str = "",
) -> dict[str, Reading]:
    """Return the terms of the outcome layer: the score, its own terms, and graded validity.

    Args:
        score: The judge's score, or None where there is none.
        outcome: How the episode ended: ``ok``, or why there is no part.
        message: The reason in words.
        report: How the part stands to the task's constraints, where the score does not say.
        report_failure: Why there is none though there should be: a gauge that fails masks, since
            a term that is merely absent would drop whatever the part fails.
    """
    if score is None or outcome is Outcome.INFRA_ERROR or score.verdict in _MASKED:
        note = message or (score.reason if score is not None else "there is no score")
        return {name: Reading(name, None, note=note, is_masked=True) for name in OUTCOME_TERMS}
    readings = {} if report is None else {CONSTRAINTS: _constraints(report)}
    if report_failure:
        readings[CONSTRAINTS] = Reading(CONSTRAINTS, None, note=report_failure, is_masked=True)
    readings |= {t.name: Reading(t.name, t.value, t.raw, t.unit, t.note) for t in score.terms}
    readings[SCORE] = Reading(SCORE, score.value, score.value, "ratio", score.reason)
    readings[VALIDITY] = _validity(score, outcome)
    return readings


def _constraints(report: ConstraintReport) -> Reading:
    num_met = len(report.results) - len(report.unmet) - len(report.could_not_check)
    note = f"{num_met} of {len(report.results)} met"
    return Reading(CONSTRAINTS, report.value, float(num_met), "count", note)


def _validity(score: Score, outcome: Outcome) -> Reading:
    if score.verdict is Verdict.SCORED:
        return Reading(VALIDITY, 1.0, None, "", "a valid solid")
    term = score.term(VALIDITY)
    judged = term.value if term is not None and term.value is not None else 0.0
    value = judged if outcome is Outcome.OK else FAILED_CREDIT.get(outcome, 0.0)
    return Reading(VALIDITY, value, None, "", score.reason)
