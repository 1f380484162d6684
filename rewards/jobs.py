"""The jobs of a judge worker: those of a geometry worker, and scoring.

A reference is read, tessellated and sampled once and kept, a part that was just inspected is not
tessellated again for its score. The caches are keyed by content and bounded; nothing in them can
change a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cadwright.rewards.constraints.job import (
    constraints_job,
    counted_parts,
    derive_job,
    interface_job,
)
from cadwright.rewards.constraints.result import ConstraintReport
from cadwright.rewards.facets import matching_angle_deg
from cadwright.rewards.hacking import hack_job
from cadwright.rewards.measurement import Candidate, Reference
from cadwright.rewards.score import Score
from cadwright.rewards.scorer import failure_score, score_alone, score_shapes
from cadwright.rewards.scoring import Scoring
from cadwright.rewards.shape import inspected
from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.jobs import JOBS as GEOMETRY_JOBS
from cadwright.tools.geometry.jobs import Job, Reply
from cadwright.tools.geometry.part import Inspection, Notice, Part, Tessellation
from cadwright.tools.geometry.wire import Blobs, WireError, decode_part
from cadwright.tools.kept import Kept

KEPT_REFERENCES = 32
KEPT_CANDIDATES = 8


_candidates: Kept[Candidate] = Kept(KEPT_CANDIDATES)
_references: Kept[Reference] = Kept(KEPT_REFERENCES)


def score_part(
    part: Part,
    reference: Part | None,
    scoring: Scoring,
    *,
    is_exact_allowed: bool = True,
    constraints: ConstraintReport | None = None,
    start: Part | None = None,
) -> Score:
    """Return the score of a part, both shapes read in this process.

    Args:
        part: What a policy made.
        reference: What it should have been; None where the scoring needs none.
        scoring: How to score it.
        is_exact_allowed: False approximates the overlap, after an exact boolean failed.
        constraints: How the part stands to the task's constraints, or None without any.
        start: What the part was made from, for terms that compare with it; without a reference
            the gates do.
    """
    if reference is None:
        facet_deg = scoring.facet_deg or Tessellation().angle_deg
        given = None if start is None else reference_of(start, scoring)
        return score_alone(candidate_of(part, facet_deg), scoring, constraints, start=given)
    wanted = reference_of(reference, scoring)
    facet_deg = scoring.facet_deg or wanted.facet_deg
    return score_shapes(
        candidate_of(part, facet_deg),
        wanted,
        scoring,
        is_exact_allowed=is_exact_allowed,
        constraints=constraints,
        start=None if start is None else candidate_of(start, facet_deg),
    )


def candidate_of(part: Part, facet_deg: float) -> Candidate:
    """Return a part with its validity, tessellated as asked, ready to be measured."""
    key = (part.digest, part.name, facet_deg)  # messages hold the name
    return _candidates.get(key, lambda: _candidate(part, facet_deg))


def reference_of(part: Part, scoring: Scoring) -> Reference:
    """Return a reference, ready to be measured against."""
    key = (part.digest, part.name, scoring.facet_deg, scoring.num_points, scoring.seed)
    return _references.get(key, lambda: _reference(part, scoring))


def score_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Score ``header["part"]`` against ``header["reference"]`` by ``header["scoring"]``."""
    scoring = Scoring.from_dict(header["scoring"])
    given = header.get("reference")
    reference = None if given is None else decode_part(given, blobs)
    try:
        part = decode_part(header["part"], blobs)
    except WireError as err:
        return {"score": failure_score(err.outcome, str(err), scoring).to_json()}, []
    is_exact_allowed = bool(header.get("is_exact_allowed", True))
    is_gated = reference is None and bool(scoring.gates) and "start" in header
    is_compared = scoring.needs_start or is_gated
    score = score_part(
        part,
        reference,
        scoring,
        is_exact_allowed=is_exact_allowed,
        constraints=_report(header, blobs, scoring),
        start=decode_part(header["start"], blobs) if is_compared else None,
    )
    return {"score": score.to_json()}, []


def _report(header: Mapping[str, Any], blobs: Blobs, scoring: Scoring) -> ConstraintReport | None:
    """Check the constraints of a task where the scoring looks at them."""
    if "constraints" not in scoring.weights or not header.get("constraints"):
        return None
    return counted_parts(header, blobs)


def _candidate(part: Part, facet_deg: float) -> Candidate:
    found = inspected(part, Tessellation(angle_deg=facet_deg))
    inspection, shape = found.inspection, found.shape
    return Candidate(
        shape.solid,
        inspection.outcome,
        inspection.message,
        _notices(inspection),
        surface=None if shape.solid.is_empty else shape.surface,
    )


def _reference(part: Part, scoring: Scoring) -> Reference:
    facet_deg = scoring.facet_deg or Tessellation().angle_deg
    found = inspected(part, Tessellation(angle_deg=facet_deg))
    inspection, solid = found.inspection, found.shape.solid
    if part.brep is None and not solid.is_empty:
        facet_deg = matching_angle_deg(solid.vertices, solid.faces)
    return Reference(
        solid,
        is_exact=part.brep is not None,
        facet_deg=facet_deg,
        num_points=scoring.num_points,
        seed=scoring.seed,
        problem="" if inspection.mesh is not None else inspection.message,
        notices=_notices(inspection),
    )


def _notices(inspection: Inspection) -> tuple[Notice, ...]:
    """Return those of the inspection, and a name for curves that bound no surface."""
    if inspection.outcome is Outcome.NOT_A_SOLID and inspection.mesh is None:
        return (*inspection.notices, Notice("wire_only", inspection.message))
    return inspection.notices


JOBS: dict[str, Job] = {
    **GEOMETRY_JOBS,
    "score": score_job,
    "constraints": constraints_job,
    "derive": derive_job,
    "interface": interface_job,
    "hack": hack_job,
}
