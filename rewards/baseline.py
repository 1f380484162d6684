"""Edit tasks: what counts is what was gained over the part that the task began with.

An edit changes little, so the part handed back unchanged is nearly right by any measure of shape.
BenchCAD and CADGenBench therefore measure from there: ``max(0, (s - b) / (1 - b))`` with the score
``b`` of the unedited input. No edit is worth 0, a right one 1, a harmful one 0.
"""

from __future__ import annotations

from dataclasses import replace

from cadwright.rewards.score import Score, Term, Verdict

NAME = "start"


def gained(score: Score, start: Score) -> Score:
    """Return a score as what was gained over that of the unedited input.

    Args:
        score: Of the part, as it is.
        start: Of the unedited input, by the same scoring.

    Returns:
        The score with its terms and a term ``start`` beside them that tells both values; masked
        where the input has no score. It stays as it is where the input is the answer already and
        nothing could be gained.
    """
    if score.value is None or (start.value is not None and start.value >= 1.0):
        return score
    if start.value is None:
        return replace(start, reason=f"the part that the task starts from: {start.reason}")
    value = max(0.0, (score.value - start.value) / (1.0 - start.value))
    note = f"{score.value:.4f} as it is, {start.value:.4f} for the unedited input"
    term = Term(NAME, 0.0, score.value, "score", start.value, note)
    return replace(score, value=value, reason=_reason(score, value), terms=(*score.terms, term))


def may_gain(score: Score, start: Score) -> bool:
    """Whether a better score of the unedited input would change what was gained over it."""
    if score.value is None:
        return False
    return start.value is None or start.value < min(score.value, 1.0)


def nothing_gained(score: Score) -> Score:
    """Return the score of an edit that left no part: below every start that can be edited."""
    return replace(score, value=0.0) if score.verdict is Verdict.INVALID else score


def _reason(score: Score, value: float) -> str:
    if value == 0.0:
        return f"no better than the part it began with; {score.reason}"
    return score.reason
