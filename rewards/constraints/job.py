"""Constraints inside a judge worker: a part is inspected and recognised once, then checked.

The header names everything the checks may need: the part, the constraints as plain data, the
start geometry of an edit, and the bodies that regions name by their file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from cadwright.rewards.constraints.checks_features import FAMILIES
from cadwright.rewards.constraints.derive import derive
from cadwright.rewards.constraints.evaluate import evaluate, unchecked_report
from cadwright.rewards.constraints.kinds_space import Clearance, Preserved, Spatial
from cadwright.rewards.constraints.parse import parse_constraints, to_plain
from cadwright.rewards.constraints.record import Constraint
from cadwright.rewards.constraints.result import ConstraintReport
from cadwright.rewards.constraints.subject import Subject
from cadwright.rewards.interface import interface_score
from cadwright.rewards.shape import inspected
from cadwright.tools.errors import GeometryError, Outcome, UsageError
from cadwright.tools.geometry.features import Features, Unchecked
from cadwright.tools.geometry.inspect import inspection_of
from cadwright.tools.geometry.jobs import Reply
from cadwright.tools.geometry.part import Inspection, Mesh, Part, Tessellation
from cadwright.tools.geometry.recognise import find_features
from cadwright.tools.geometry.wire import Blobs, decode_part
from cadwright.tools.kept import Kept

KEPT_SUBJECTS = 8
# For volumes that touch the part: at the usual 17 degrees a facet, a bore is 1.5 % smaller than
# the pin that fits it. It costs three times the usual one, so the rest does without.
FINE = Tessellation(angle_deg=6.0)
USUAL = Tessellation()
NEEDS_FINE = (Spatial, Clearance, Preserved)
# What checks look for: the lists of ``Features`` that they ask to be complete.
FEATURE_NAMES = ("planes", *(family.name for family in FAMILIES))

_subjects: Kept[Subject | Inspection] = Kept(KEPT_SUBJECTS)


def constraints_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Check ``header["part"]`` against ``header["constraints"]``, as a score would count it."""
    return {"report": counted_parts(header, blobs).to_json()}, []


def interface_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Find the pose in which ``header["part"]`` mates best."""
    constraints = parse_constraints(header["constraints"])
    subject = subject_of(decode_part(header["part"], blobs), _facets(constraints))
    if isinstance(subject, Inspection):
        raise GeometryError(f"no interface to test: {subject.message}", subject.outcome)
    bodies = {name: _mesh_of(body) for name, body in _bodies(header, blobs).items()}
    try:
        score = interface_score(constraints, replace(subject, bodies=bodies))
    except UsageError as err:  # a constraint without a place: the caller's, not the judge's, fault
        raise GeometryError(str(err), Outcome.BAD_CALL) from err
    return {"interface": score.to_json()}, []


def derive_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Propose constraints that ``header["part"]`` meets."""
    subject = subject_of(decode_part(header["part"], blobs))
    if isinstance(subject, Inspection):
        raise GeometryError(f"no constraints from it: {subject.message}", subject.outcome)
    proposed = derive(subject)
    return {"constraints": [to_plain(one) for one in proposed]}, []


def counted_parts(header: Mapping[str, Any], blobs: Blobs) -> ConstraintReport:
    """Return the report on the part of a frame with no credit for what it hides.

    Where ``header`` has a reference, that is what the same constraints find hidden in it too.
    """
    part = decode_part(header["part"], blobs)
    report = _check(part, header, blobs)
    if not report.could_not_check:
        return report
    if header.get("reference") is None:
        return report.without_hiding()
    right = _alike(decode_part(header["reference"], blobs), part)
    return report.held_against(_check(right, header, blobs))


def _check(part: Part, header: Mapping[str, Any], blobs: Blobs) -> ConstraintReport:
    return check_part(
        part,
        parse_constraints(header["constraints"]),
        start=decode_part(header["start"], blobs) if header.get("start") else None,
        bodies=_bodies(header, blobs),
    )


def _alike(reference: Part, part: Part) -> Part:
    """Return a reference as triangles where the part is: they show less than exact geometry."""
    if part.brep is not None or reference.brep is None:
        return reference
    mesh = inspected(reference, USUAL).inspection.mesh
    return reference if mesh is None else Part(mesh=mesh, name=reference.name)


def _bodies(header: Mapping[str, Any], blobs: Blobs) -> dict[str, Part]:
    return {name: decode_part(body, blobs) for name, body in (header.get("bodies") or {}).items()}


def check_part(
    part: Part,
    constraints: Sequence[Constraint],
    *,
    start: Part | None = None,
    bodies: Mapping[str, Part] | None = None,
) -> ConstraintReport:
    """Return how a part stands to constraints; what is not a solid cannot be checked.

    Args:
        part: The part.
        constraints: What is asked of it.
        start: What it was made from, for edits.
        bodies: Other bodies by the file that a region names.
    """
    subject = subject_of(part, _facets(constraints))
    if isinstance(subject, Inspection):
        return unchecked_report(constraints, f"{subject.outcome}: {subject.message}")
    if start is not None or bodies:
        others = {name: _mesh_of(body) for name, body in (bodies or {}).items()}
        # few constraints look at it, and its fine triangles may take seconds
        before = None if start is None else partial(_mesh_of, start)
        subject = replace(
            subject, start=before, bodies=others, exact_start=start, exact_bodies=bodies or {}
        )
    return evaluate(constraints, subject)


def subject_of(part: Part, facets: Tessellation = USUAL) -> Subject | Inspection:
    """Return a part ready for checks, or its inspection where it is no valid solid."""
    key = (part.digest, part.name, facets)
    return _subjects.get(key, lambda: _subject(part, facets))


def _facets(constraints: Sequence[Constraint]) -> Tessellation:
    return FINE if any(isinstance(one, NEEDS_FINE) for one in constraints) else USUAL


def _subject(part: Part, facets: Tessellation) -> Subject | Inspection:
    found = inspected(part, facets)
    inspection = found.inspection
    measures, mesh = inspection.measures, inspection.mesh
    if inspection.outcome is not Outcome.OK or measures is None or mesh is None:
        return inspection
    features = cache(partial(_features, part))
    return Subject(measures, mesh, features, known=found.shape, part=part)


def _features(part: Part) -> Features:
    """Return the features of a part; where recognition fails, each kind says why."""
    try:
        return find_features(part)
    except GeometryError as err:
        unchecked = tuple(Unchecked(name, str(err)) for name in FEATURE_NAMES)
        return Features("mesh" if part.brep is None else "brep", unchecked=unchecked)


def _mesh_of(part: Part) -> Mesh:
    inspection = inspection_of(part, tolerance=FINE)
    if inspection.mesh is None:
        raise GeometryError(f"{part.name}: {inspection.message}", inspection.outcome)
    return inspection.mesh
