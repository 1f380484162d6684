"""What a check says: aspects with residuals, one verdict per constraint, and the totals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Self

from cadwright.rewards.constraints.record import Constraint
from cadwright.rewards.credit import credit
from cadwright.rewards.hygiene import finite_number, weighted_mean
from cadwright.tools.errors import UsageError


class CheckVerdict(StrEnum):
    """``met``: within tolerance. ``residual``: not. ``could_not_check``: nobody knows."""

    MET = "met"
    RESIDUAL = "residual"
    COULD_NOT_CHECK = "could_not_check"


class CannotCheck(Exception):
    """A constraint that this part or this evidence cannot answer; the message says why."""


class Hidden(CannotCheck):
    """The part itself keeps it from being checked: its own geometry, not missing evidence."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """One quantity of a constraint against what was asked: a diameter, a place, an angle.

    Attributes:
        name: ``diameter``, ``position``, ...
        residual: Distance from what was asked, at least 0.
        unit: Of the residual.
        tolerance: Residual that counts as met.
        half: Residual beyond the tolerance that halves the credit.
    """

    name: str
    residual: float
    unit: str
    tolerance: float
    half: float

    @property
    def is_met(self) -> bool:
        """Whether the residual is within the tolerance."""
        return self.residual <= self.tolerance

    @property
    def cost(self) -> float:
        """How often the credit is halved; the costs of aspects add up as credits multiply."""
        return max(0.0, self.residual - self.tolerance) / self.half

    @property
    def credit(self) -> float:
        """Credit in [0, 1]."""
        return credit(self.residual, self.tolerance, self.half)


def plain_aspect(constraint: Constraint, residual: float, name: str = "") -> Aspect:
    """Return the aspect of a constraint that has only one, in the unit of its kind."""
    slack = constraint.slack
    return Aspect(name, residual, constraint.unit, slack.tolerance, slack.half)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        got: What the part has, in words and numbers.
        aspects: The quantities compared; all have to be met. The worst becomes the residual.
        credit: Credit where it is not the product over the aspects.
        remark: What a reader should know besides.
    """

    got: str
    aspects: tuple[Aspect, ...]
    credit: float | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class ConstraintResult:
    """One constraint against one part.

    Attributes:
        id: Of the constraint.
        kind: Of the constraint.
        asked: What was asked, in words and numbers.
        got: What the part has; empty where it could not be checked.
        residual: The worst one, in ``unit``; None where it could not be checked.
        unit: Of residual and tolerance.
        tolerance: Residual that counts as met.
        credit: In [0, 1]; None where it could not be checked, which is not 0, unless the reference
            could be: see ``ConstraintReport.held_against`` and ``without_hiding``.
        verdict: The verdict.
        reason: Which quantity is off, or why nothing could be said.
        weight: Share in the total.
        is_hidden: It could not be checked because of the part's own geometry.
    """

    id: str
    kind: str
    asked: str
    got: str
    residual: float | None
    unit: str
    tolerance: float
    credit: float | None
    verdict: CheckVerdict
    reason: str
    weight: float = 1.0
    is_hidden: bool = False

    def __post_init__(self) -> None:
        """Refuse what strict JSON or a trainer cannot hold."""
        for name in ("residual", "credit"):
            value = getattr(self, name)
            if value is not None:
                finite_number(f"{name} of constraint {self.id!r}", value)

    @classmethod
    def of(cls, constraint: Constraint, asked: str, finding: Finding) -> Self:
        """Return the result of a check that worked."""
        worst = max(finding.aspects, key=lambda a: (a.cost, a.residual / (a.tolerance + a.half)))
        is_met = all(aspect.is_met for aspect in finding.aspects)
        value = finding.credit
        if value is None:
            value = math.prod(aspect.credit for aspect in finding.aspects)
        reason = "" if is_met else _shortfall(worst)
        return cls(
            id=constraint.id,
            kind=constraint.kind,
            asked=asked,
            got=finding.got,
            residual=worst.residual,
            unit=worst.unit,
            tolerance=worst.tolerance,
            credit=1.0 if is_met else value,
            verdict=CheckVerdict.MET if is_met else CheckVerdict.RESIDUAL,
            reason="; ".join(text for text in (reason, finding.remark) if text),
            weight=constraint.weight,
        )

    @classmethod
    def unchecked(
        cls, constraint: Constraint, asked: str, reason: str, *, is_hidden: bool = False
    ) -> Self:
        """Return the result of a check that could not be made."""
        return cls(
            id=constraint.id,
            kind=constraint.kind,
            asked=asked,
            got="",
            residual=None,
            unit=constraint.unit,
            tolerance=constraint.slack.tolerance,
            credit=None,
            verdict=CheckVerdict.COULD_NOT_CHECK,
            reason=reason,
            weight=constraint.weight,
            is_hidden=is_hidden,
        )


@dataclass(frozen=True, slots=True)
class ConstraintReport:
    """All constraints of a list against one part."""

    results: tuple[ConstraintResult, ...] = ()

    @property
    def value(self) -> float | None:
        """Weighted mean of the credits that there are; None where there is none."""
        credits = {result.id: result.credit for result in self.results}
        return weighted_mean(credits, {result.id: result.weight for result in self.results})

    @property
    def all_met(self) -> bool:
        """Whether every constraint was checked and is met; never of an empty list."""
        return bool(self.results) and all(r.verdict is CheckVerdict.MET for r in self.results)

    @property
    def unmet(self) -> tuple[ConstraintResult, ...]:
        """What was checked and is not met."""
        return tuple(r for r in self.results if r.verdict is CheckVerdict.RESIDUAL)

    @property
    def could_not_check(self) -> tuple[ConstraintResult, ...]:
        """What could not be checked."""
        return tuple(r for r in self.results if r.verdict is CheckVerdict.COULD_NOT_CHECK)

    def held_against(self, right: ConstraintReport) -> ConstraintReport:
        """Return the report with no credit for hiding what the right answer shows.

        A constraint that cannot be checked leaves the total, so geometry that nobody can recognise
        would drop whatever it fails. Where the right answer can be checked, so could this part.

        Args:
            right: The same constraints against the reference.
        """
        shown = {result.id for result in right.results if result.credit is not None}
        why = "the reference can be checked"
        return self._denying(lambda result: result.id in shown, why)

    def without_hiding(self) -> ConstraintReport:
        """Return the report with no credit for what the part itself keeps from being checked.

        It stands in for ``held_against`` where no right answer is known: what is asked was asked
        so that it can be recognised.
        """
        return self._denying(lambda result: result.is_hidden, "the part itself hides it")

    def _denying(self, blames: Callable[[ConstraintResult], bool], why: str) -> ConstraintReport:
        return ConstraintReport(
            tuple(
                _denied(result, why) if result.credit is None and blames(result) else result
                for result in self.results
            )
        )

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data, totals included."""
        return {
            "value": self.value,
            "all_met": self.all_met,
            "could_not_check": [result.id for result in self.could_not_check],
            "results": [
                asdict(result) | {"verdict": result.verdict.value} for result in self.results
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read a report back; the totals follow from the results.

        Raises:
            UsageError: A field is missing, unknown or no number.
        """
        return cls(tuple(_results(data.get("results") or ())))


def _denied(result: ConstraintResult, why: str) -> ConstraintResult:
    reason = f"{result.reason}; {why}, so this counts as not met"
    return replace(result, credit=0.0, reason=reason)


def _results(records: Iterable[Mapping[str, Any]]) -> Iterable[ConstraintResult]:
    for record in records:
        try:
            yield ConstraintResult(**{**record, "verdict": CheckVerdict(record["verdict"])})
        except (TypeError, KeyError, ValueError) as err:
            raise UsageError(f"a constraint result cannot be read: {err}") from err


def _shortfall(aspect: Aspect) -> str:
    name = f"{aspect.name} " if aspect.name else ""
    if not aspect.unit:
        return aspect.name
    return f"{name}off by {aspect.residual:.4g} {aspect.unit}".strip()
