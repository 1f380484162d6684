"""Constraints against a part: one result for each, and what could not be checked said so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cadwright.rewards.constraints import (
    checks_faces,
    checks_features,
    checks_making,
    checks_space,
    checks_whole,
)
from cadwright.rewards.constraints.checks_features import FAMILIES, Answered, answer_features
from cadwright.rewards.constraints.record import Constraint
from cadwright.rewards.constraints.registry import CHECKS
from cadwright.rewards.constraints.result import (
    CannotCheck,
    ConstraintReport,
    ConstraintResult,
    Finding,
    Hidden,
)
from cadwright.rewards.constraints.subject import Subject
from cadwright.rewards.constraints.wording import asked_text
from cadwright.tools.errors import GeometryError, Outcome

# Importing the modules of the checks is what registers them.
CHECK_MODULES = (checks_faces, checks_features, checks_making, checks_space, checks_whole)


def evaluate(constraints: Sequence[Constraint], subject: Subject) -> ConstraintReport:
    """Return how a part stands to constraints with distinct ids.

    Args:
        constraints: What is asked, as ``parse_constraints`` returns it.
        subject: The part.
    """
    matched = answer_features(constraints, subject)
    return ConstraintReport(tuple(_result(one, subject, matched) for one in constraints))


def unchecked_report(constraints: Sequence[Constraint], reason: str) -> ConstraintReport:
    """Return the report on a part that is no valid solid: nothing of it could be checked."""
    return ConstraintReport(
        tuple(
            ConstraintResult.unchecked(one, asked_text(one), reason, is_hidden=True)
            for one in constraints
        )
    )


def checked_kinds() -> set[str]:
    """Return the names of the kinds that something checks."""
    families = {kind for family in FAMILIES for kind in family.kinds}
    known = (*CHECKS, *families, *(sub for kind in families for sub in kind.__subclasses__()))
    return {kind.kind for kind in known if kind.kind}


def _result(one: Constraint, subject: Subject, matched: Mapping[str, Answered]) -> ConstraintResult:
    asked = asked_text(one)
    finding: Finding | CannotCheck
    try:
        finding = matched[one.id] if one.id in matched else CHECKS[type(one)](one, subject)
    except CannotCheck as err:
        finding = err
    except GeometryError as err:
        finding = _unmeasured(err)
    if isinstance(finding, Finding):
        return ConstraintResult.of(one, asked, finding)
    is_hidden = isinstance(finding, Hidden)
    return ConstraintResult.unchecked(one, asked, str(finding), is_hidden=is_hidden)


def _unmeasured(failure: GeometryError) -> CannotCheck:
    """Return what a gauge's failure means: the part is what it failed on, unless it was misused."""
    is_misused = failure.outcome is Outcome.BAD_CALL
    return CannotCheck(str(failure)) if is_misused else Hidden(str(failure))
