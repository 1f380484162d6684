"""The terms of a score: each measures one thing, once, and only where a scoring asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from cadwright.rewards import agreement, similarity
from cadwright.rewards.constraints.result import ConstraintReport
from cadwright.rewards.credit import credit
from cadwright.rewards.gates import SIZE_FORGIVEN
from cadwright.rewards.hygiene import unit_interval
from cadwright.rewards.measurement import Measurement
from cadwright.rewards.protocols.measures import PUBLISHED_MEASURES
from cadwright.rewards.score import Term
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.part import FloatArray

# What is left of the validity term for a part that is not a valid solid, so that a group of failed
# rollouts still has an order: parses < runs < makes something < makes a solid < right.
FAILED_CREDIT: Mapping[Outcome, float] = {
    Outcome.INVALID_GEOMETRY: 0.5,
    Outcome.NOT_A_SOLID: 0.3,
    Outcome.EMPTY_GEOMETRY: 0.2,
    Outcome.NO_RESULT: 0.1,
    Outcome.PYTHON_ERROR: 0.05,
    Outcome.TIMEOUT: 0.04,
    Outcome.RESOURCE_LIMIT: 0.03,
    Outcome.NATIVE_CRASH: 0.02,
}


def measure_terms(measurement: Measurement, names: list[str]) -> tuple[Term, ...]:
    """Return the named terms, each with the weight that the scoring gives it."""
    scoring = measurement.scoring
    terms = (MEASURES[name](measurement) for name in names)
    return tuple(_without_credit(term) if term.name in scoring.dropped else term for term in terms)


def _without_credit(term: Term) -> Term:
    """Return a term that tells its number and takes no part in the value."""
    note = f"{SIZE_FORGIVEN}; {term.note}" if term.note else SIZE_FORGIVEN
    return replace(term, weight=0.0, value=None, note=note)


def _validity(m: Measurement) -> Term:
    outcome = m.part.outcome
    value = 1.0 if outcome is Outcome.OK else FAILED_CREDIT.get(outcome, 0.0)
    return _term(m, "validity", None, "", value, m.part.message or outcome.value)


def constraints_term(scoring: Scoring, report: ConstraintReport | None) -> Term:
    """Return the term of a task's constraints; its raw value is the number of those met."""
    weight = scoring.weights.get("constraints", 0.0)
    if report is None or not report.results:
        return Term("constraints", weight, None, "met", None, "the task has no constraints")
    num_met = len(report.results) - len(report.unmet) - len(report.could_not_check)
    note = f"{num_met} of {len(report.results)} met"
    if report.could_not_check:
        note += f", {len(report.could_not_check)} could not be checked"
    if report.unmet:
        worst = min(report.unmet, key=lambda result: result.credit or 0.0)
        note += f"; {worst.id}: {worst.reason}"
    return Term("constraints", weight, float(num_met), "met", report.value, note)


def _constraints(m: Measurement) -> Term:
    return constraints_term(m.scoring, m.constraints)


def _iou(m: Measurement) -> Term:
    overlap = m.overlap
    if overlap.iou is None:
        return _term(m, "iou", None, "ratio", None, "undefined: both shapes are empty")
    note = ""
    if overlap.method != similarity.EXACT:
        note = f"approximate ({overlap.method} cells), error about {overlap.error:.2g}"
    value = unit_interval(overlap.iou / m.scoring.iou_target)
    return _term(m, "iou", overlap.iou, "ratio", value, note)


def _surface(m: Measurement) -> Term:
    there, back = m.deviation_mm
    return _distance_term(m, "surface", (there.mean + back.mean) / 2)


def _deviation(m: Measurement) -> Term:
    return _distance_term(m, "deviation", m.largest_gap_mm)


def _f1(m: Measurement) -> Term:
    tolerance = m.scoring.tolerances.get("f1", 0.01) * m.reference.surface.diagonal
    there, back = m.deviation_mm
    value = similarity.f1_from(there.even, back.even, tolerance)
    return _term(m, "f1", value, "ratio", value, f"within {tolerance:.4g} mm")


def _normals(m: Measurement) -> Term:
    value = agreement.normal_consistency(m.surface, m.reference.surface)
    return _ratio_term(m, "normals", value, "mean cosine to the nearest normal, both ways")


def _edges(m: Measurement) -> Term:
    tolerance = m.scoring.tolerances.get("edges", 0.01) * m.reference.surface.diagonal
    value = agreement.edge_agreement(m.edges, m.reference.edges, tolerance)
    if value is None:
        return _term(m, "edges", None, "ratio", None, "neither has a sharp edge")
    return _term(m, "edges", value, "ratio", value, f"within {tolerance:.4g} mm")


def _silhouette(m: Measurement) -> Term:
    if m.manifold is None or m.reference.outlines is None:
        return _term(m, "silhouette", None, "ratio", None, "no outline: a surface is not closed")
    value = agreement.silhouette_agreement(agreement.outlines(m.manifold), m.reference.outlines)
    return _ratio_term(m, "silhouette", value, "mean IoU of the outlines along X, Y and Z")


def _topology(m: Measurement) -> Term:
    part = agreement.topology_of(m.part.solid)
    reference = agreement.topology_of(m.reference.solid)
    if part is None or reference is None:
        return _term(m, "topology", None, "count", None, "a surface is not closed")
    gap = part.distance(reference)
    return _term(m, "topology", float(gap), "count", 0.5**gap, f"{part} against {reference}")


def _size(m: Measurement) -> Term:
    note = f"{_box(m.extents_mm)} against {_box(m.reference.surface.extents)} mm"
    ratio = similarity.size_ratio(m.extents_mm, m.reference.surface.extents)
    return _ratio_term(m, "size", ratio, note)


def _proportions(m: Measurement) -> Term:
    part, reference = m.extents_mm, m.reference.surface.extents
    ratio = similarity.size_ratio(part / part.max(), reference / reference.max())
    return _ratio_term(m, "proportions", ratio, "extents over the largest one")


def _volume(m: Measurement) -> Term:
    part, reference = m.part.solid.volume_mm3, m.reference.solid.volume_mm3
    if part is None or reference is None:
        return _term(m, "volume", None, "ratio", None, "no volume: a surface is not closed")
    ratio = similarity.volume_ratio(part, reference)
    return _ratio_term(m, "volume", ratio, f"{part:.6g} against {reference:.6g} mm3")


def _volume_error(m: Measurement) -> Term:
    part, reference = m.part.solid.volume_mm3, m.reference.solid.volume_mm3
    if part is None or reference is None:
        return _term(m, "volume_error", None, "ratio", None, "no volume: a surface is not closed")
    return _error_term(m, "volume_error", abs(part - reference) / reference, "ratio")


def _box_error(m: Measurement) -> Term:
    part, reference = np.sort(m.extents_mm), np.sort(m.reference.surface.extents)
    return _error_term(m, "box_error_mm", float(np.abs(part - reference).max()), "mm")


def _watertight(m: Measurement) -> Term:
    solid = m.part.solid
    is_tight = solid.manifold is not None and solid.num_tangled == 0
    note = solid.problem or ("" if is_tight else f"{solid.num_tangled} tangled edges")
    return _term(m, "watertight", float(is_tight), "bool", float(is_tight), note)


def _shells(m: Measurement) -> Term:
    found, asked = m.part.solid.shells, m.reference.solid.shells
    note = f"{found} against {asked}"
    return _term(m, "shells", float(found), "count", float(found == asked), note)


def _chamfer_l2(m: Measurement) -> Term:
    gap = similarity.chamfer_l2_mm(*m.sample_gaps_mm)
    return _chamfer_term(m, "chamfer_l2_mm", gap, "mm")


def _chamfer_sq_unit(m: Measurement) -> Term:
    extent = float(m.reference.surface.extents.max())
    gap = similarity.chamfer_sq_unit_x1000(*m.sample_gaps_mm, extent)
    return _chamfer_term(m, "chamfer_sq_unit_x1000", gap, "unit cube squared x1000")


def _hausdorff95(m: Measurement) -> Term:
    gap = similarity.hausdorff95_mm(*m.sample_gaps_mm)
    return _error_term(m, "hausdorff95_mm", gap, "mm")


MEASURES: Mapping[str, Callable[[Measurement], Term]] = {
    "validity": _validity,
    "constraints": _constraints,
    "iou": _iou,
    "surface": _surface,
    "deviation": _deviation,
    "size": _size,
    "proportions": _proportions,
    "volume": _volume,
    "volume_error": _volume_error,
    "box_error_mm": _box_error,
    "watertight": _watertight,
    "shells": _shells,
    "f1": _f1,
    "normals": _normals,
    "edges": _edges,
    "silhouette": _silhouette,
    "topology": _topology,
    "chamfer_l2_mm": _chamfer_l2,
    "chamfer_sq_unit_x1000": _chamfer_sq_unit,
    "hausdorff95_mm": _hausdorff95,
    **PUBLISHED_MEASURES,
}


def _distance_term(m: Measurement, name: str, gap_mm: float) -> Term:
    """Credit a distance whose tolerances are shares of the reference's diagonal."""
    diagonal = m.reference.surface.diagonal
    tolerance = m.scoring.tolerances.get(name, 0.0) * diagonal
    value = _credit(m, name, gap_mm / diagonal)
    return _term(m, name, gap_mm, "mm", value, f"full credit up to {tolerance:.4g} mm")


def _chamfer_term(m: Measurement, name: str, gap: float, unit: str) -> Term:
    """Credit a chamfer; where credit is partial, only what exceeds the noise floor counts."""
    floor = m.reference.noise_floor[name]
    is_graded = f"{name}_half" in m.scoring.tolerances
    value = _credit(m, name, max(0.0, gap - floor) if is_graded else gap)
    return _term(m, name, gap, unit, value, f"noise floor {floor:.4g}")


def _error_term(m: Measurement, name: str, error: float, unit: str) -> Term:
    tolerance = m.scoring.tolerances.get(name, 0.0)
    return _term(m, name, error, unit, _credit(m, name, error), f"full credit up to {tolerance:g}")


def _credit(m: Measurement, name: str, error: float) -> float | None:
    """Return the credit of an error, or None where the scoring gives it no tolerance."""
    tolerance = m.scoring.tolerances.get(name)
    half = m.scoring.tolerances.get(f"{name}_half")
    if tolerance is None and half is None:
        return None
    if half is None:
        return float(error <= (tolerance or 0.0))
    return credit(error, tolerance or 0.0, half)


def _ratio_term(m: Measurement, name: str, ratio: float, note: str) -> Term:
    tolerance = m.scoring.tolerances.get(name, 0.0)
    return _term(m, name, ratio, "ratio", unit_interval(ratio / (1.0 - tolerance)), note)


def _term(
    m: Measurement, name: str, raw: float | None, unit: str, value: float | None, note: str
) -> Term:
    return Term(name, m.scoring.weights.get(name, 0.0), raw, unit, value, note)


def _box(extents: FloatArray) -> str:
    return " x ".join(f"{size:.6g}" for size in extents)
