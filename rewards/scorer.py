"""From a candidate, a reference and a scoring to a score, as a pure function.

Who is to blame is decided here: a part that is not a valid solid is ``invalid`` and keeps a
graded value; a reference that no part could be measured against makes ``unscorable`` without a
value, together with what could still be measured. What kills a worker is the judge's business.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cadwright.rewards.baseline import NAME as BASELINE
from cadwright.rewards.constraints.result import ConstraintReport
from cadwright.rewards.gates import Gate, measure_gates
from cadwright.rewards.hygiene import unit_interval, weighted_mean
from cadwright.rewards.measurement import Candidate, Measurement, Reference
from cadwright.rewards.score import MetricCard, Score, Term, Verdict
from cadwright.rewards.scoring import Combine, Scoring
from cadwright.rewards.similarity import EXACT
from cadwright.rewards.surface import EVEN_NOISE
from cadwright.rewards.terms import FAILED_CREDIT, constraints_term, measure_terms
from cadwright.rewards.units import unit_notices
from cadwright.tools.errors import Outcome

# What is still worth knowing about a part when its reference cannot carry a score.
INFORMATIVE_TERMS = ("iou", "surface", "size", "chamfer_l2_mm", "chamfer_sq_unit_x1000")
FULL_CREDIT = 1.0 - 1e-12
MEAN_DISTANCES = frozenset({"surface", "f1"})  # terms of distances at even points


def score_shapes(
    part: Candidate,
    reference: Reference,
    scoring: Scoring,
    *,
    is_exact_allowed: bool = True,
    constraints: ConstraintReport | None = None,
    start: Candidate | None = None,
) -> Score:
    """Score a part against a reference.

    Args:
        part: The candidate with the result of its validity layers.
        reference: What it should have been, prepared for this scoring's samples.
        scoring: What to measure and how to weigh it.
        is_exact_allowed: False approximates the overlap, after an exact boolean failed.
        constraints: How the part stands to the task's constraints, or None without any.
        start: What the part was made from, for terms that compare with it.

    Returns:
        The same score for the same input, in any process.
    """
    if part.outcome is not Outcome.OK or part.solid.is_empty:
        return _invalid(part, scoring)
    measurement = Measurement(
        part,
        reference,
        scoring,
        is_exact_allowed=is_exact_allowed,
        constraints=constraints,
        start=start,
    )
    if reference.problem:
        return _unscorable(measurement)
    if scoring.needs_start and measurement.of_start is None:
        message = "the start that the part is compared with is no valid solid"
        return Score(None, Verdict.UNSCORABLE, message, (), plain_card(scoring))
    terms = measure_terms(measurement, list(scoring.weights))
    value = combined(terms, scoring.combine)
    if value is None or not _says_something(terms):
        return Score(None, Verdict.UNSCORABLE, _silence(terms), terms, _card(measurement, terms))
    gates = measure_gates(measurement)
    return Score(
        _through(gates, value, scoring),
        Verdict.SCORED,
        _gated(gates) or _summary(terms),
        (*terms, *map(_gate_term, gates)),
        _card(measurement, terms),
        (*part.all_notices, *unit_notices(measurement.extents_mm, reference.surface.extents)),
    )


def score_alone(
    part: Candidate,
    scoring: Scoring,
    constraints: ConstraintReport | None,
    *,
    start: Reference | None = None,
) -> Score:
    """Score a part without a reference, by a scoring that needs none.

    Args:
        part: The candidate with the result of its validity layers.
        scoring: Terms that need a reference have no weight in it and are left out.
        constraints: How the part stands to the task's constraints, or None without any.
        start: What the part was made from, which stands in for a reference in the gates.
    """
    if part.outcome is not Outcome.OK or part.solid.is_empty:
        return _invalid(part, scoring)
    validity = Term("validity", scoring.weights.get("validity", 0.0), None, "", 1.0, "ok")
    asked = constraints_term(scoring, constraints)
    terms = tuple(term for term in (validity, asked) if term.name in scoring.weights)
    card = plain_card(scoring)
    value = combined(terms, scoring.combine)
    if value is None or not _says_something(terms):
        return Score(None, Verdict.UNSCORABLE, _silence(terms), terms, card)
    gates = () if start is None else measure_gates(Measurement(part, start, scoring))
    return Score(
        _through(gates, value, scoring),
        Verdict.SCORED,
        _gated(gates) or _summary(terms),
        (*terms, *map(_gate_term, gates)),
        card,
    )


def failure_score(
    outcome: Outcome, message: str, scoring: Scoring, *, is_graded: bool = True
) -> Score:
    """Return the score where there is no valid part: graded for the policy, masked for us.

    Args:
        outcome: Why there is no valid part.
        message: The reason in words.
        scoring: The scoring that the part would have had.
        is_graded: Give the credit of how far it got; False gives 0 to what was made to fail.
    """
    if outcome is Outcome.INFRA_ERROR:
        return infra_score(message, scoring)
    note = f"not measured: {outcome}"
    terms = tuple(
        Term(name, weight, None, "", _failed_credit(name, outcome) if is_graded else 0.0, note)
        for name, weight in scoring.weights.items()
    )
    value = combined(terms, scoring.combine) or 0.0
    reason = f"{outcome}: {message}" if message else str(outcome)
    return Score(value, Verdict.INVALID, reason, terms, plain_card(scoring))


def _invalid(part: Candidate, scoring: Scoring) -> Score:
    score = failure_score(_outcome(part), part.message or part.solid.problem, scoring)
    return replace(score, notices=part.all_notices)


def infra_score(message: str, scoring: Scoring) -> Score:
    """Return the masked score for a failure of our own machinery."""
    return Score(None, Verdict.INFRA_ERROR, message, (), plain_card(scoring))


def combined(terms: tuple[Term, ...], combine: Combine) -> float | None:
    """Return the value that the terms make, or None where no weighted term has one."""
    weighted = {term.name: term for term in terms if term.weight > 0}
    values = {name: term.value for name, term in weighted.items()}
    mean = weighted_mean(values, {name: term.weight for name, term in weighted.items()})
    if mean is None or combine is Combine.MEAN:
        return 1.0 if mean is not None and mean >= FULL_CREDIT else mean
    return float(all(value == 1.0 for value in values.values()))


def _says_something(terms: tuple[Term, ...]) -> bool:
    """Whether more than validity was measured, where more was asked: any cube is valid."""
    others = [term for term in terms if term.weight > 0 and term.name != "validity"]
    return not others or any(term.value is not None for term in others)


def _silence(terms: tuple[Term, ...]) -> str:
    notes = [f"{t.name}: {t.note}" for t in terms if t.weight > 0 and t.value is None and t.note]
    reason = "no weighted term of this scoring applies to the part"
    return "; ".join([reason, *notes])


def plain_card(scoring: Scoring) -> MetricCard:
    """Return the card of a scoring before anything is measured."""
    return MetricCard(
        protocol=scoring.protocol,
        version=scoring.version,
        units="mm at the reference's scale" if scoring.alignment.forgives_size else "mm",
        alignment=scoring.alignment.value,
        num_points=scoring.num_points,
        seed=scoring.seed,
        combine=scoring.combine.value,
        weights=dict(scoring.weights),
        gates=dict(scoring.gates),
        baseline=BASELINE if scoring.is_relative else "",
        tolerances=_tolerances(scoring),
        surface_noise=EVEN_NOISE if MEAN_DISTANCES & set(scoring.weights) else 0.0,
    )


def _outcome(part: Candidate) -> Outcome:
    return Outcome.EMPTY_GEOMETRY if part.outcome is Outcome.OK else part.outcome


def _failed_credit(name: str, outcome: Outcome) -> float:
    return FAILED_CREDIT.get(outcome, 0.0) if name == "validity" else 0.0


def _unscorable(measurement: Measurement) -> Score:
    """Blame the reference, and report without weight what can be measured against it."""
    reason = f"the reference cannot be scored against: {measurement.reference.problem}"
    if not measurement.reference.has_extent:
        return Score(None, Verdict.UNSCORABLE, reason, (), plain_card(measurement.scoring))
    measured = measure_terms(measurement, list(INFORMATIVE_TERMS))
    terms = tuple(Term(t.name, 0.0, t.raw, t.unit, t.value, t.note) for t in measured)
    return Score(None, Verdict.UNSCORABLE, reason, terms, _card(measurement, terms))


def _card(measurement: Measurement, terms: tuple[Term, ...]) -> MetricCard:
    scoring, names = measurement.scoring, {term.name for term in terms}
    plain = plain_card(scoring).to_json()
    has_floor = any(name.startswith("chamfer") for name in names)
    floor: Mapping[str, float] = measurement.reference.noise_floor if has_floor else {}
    changes: dict[str, Any] = {
        "transform": measurement.transform_mm.to_json(),
        "noise_floor": {name: value for name, value in floor.items() if name in names},
        "iou_method": measurement.overlap.method if "iou" in names else EXACT,
        "notes": tuple(
            f"{whose}: {notice.message}"
            for whose, solid in (
                ("part", measurement.part.solid),
                ("reference", measurement.reference.solid),
            )
            for notice in solid.notices
        ),
    }
    return MetricCard(**(plain | changes))


def _tolerances(scoring: Scoring) -> dict[str, float]:
    extra = {"iou_target": scoring.iou_target}
    if scoring.facet_deg is not None:
        extra["facet_deg"] = scoring.facet_deg
    return {**scoring.tolerances, **extra}


def _through(gates: tuple[Gate, ...], value: float, scoring: Scoring) -> float:
    """Return the value that the gates leave: a valid part stays above every invalid one."""
    total = math.fsum(scoring.weights.values())
    floor = max(FAILED_CREDIT.values()) * scoring.weights.get("validity", 0.0) / total
    factor = math.prod(gate.factor for gate in gates)
    if factor >= 1.0 or value <= floor:
        return value
    return unit_interval(floor + factor * (value - floor))


def _gate_term(gate: Gate) -> Term:
    return Term(gate.name, 0.0, gate.found, "gate", gate.factor, gate.note)


def _gated(gates: tuple[Gate, ...]) -> str:
    """Name the gate that costs the most; empty where none costs anything."""
    worst = min(gates, key=lambda gate: gate.factor, default=None)
    if worst is None or worst.factor >= 1.0:
        return ""
    return f"multiplied by {worst.factor:.3g} for {worst.name}: {worst.note}"


def _summary(terms: tuple[Term, ...]) -> str:
    """Name what cost the most, so that one line tells why a score is not 1."""
    lost = [(t.weight * (1.0 - t.value), t) for t in terms if t.value is not None and t.weight > 0]
    cost, worst = max(lost, key=lambda pair: pair[0])
    if cost <= 0.0:
        return "every weighted term has full credit"
    raw = "" if worst.raw is None else f" {worst.raw:.4g} {worst.unit}".rstrip()
    return f"most is lost by {worst.name}:{raw} earns {worst.value:.3f}"
