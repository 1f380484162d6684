"""The score of a part: named terms, a verdict, and the card that says how it was measured.

A number without its card cannot be set beside another number: chamfer squared or not, in mm or
in a unit cube, aligned or not, differ by orders of magnitude. So the card travels with the score
and `compare` refuses two scores whose cards differ. Nothing here measures anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from typing import Any, Self

from cadwright.rewards.hygiene import finite_number
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.part import Notice

# How the measuring went on one part, and not how it is defined: these differ between any two parts.
_PER_PART_FIELDS = frozenset({"transform", "noise_floor", "notes"})


class Verdict(StrEnum):
    """Whose statement a score is.

    ``scored`` and ``invalid`` judge the part. ``unscorable`` (the reference cannot carry a
    score) and ``infra_error`` (our machinery failed) judge something else and have no value.
    """

    SCORED = "scored"
    INVALID = "invalid"
    UNSCORABLE = "unscorable"
    INFRA_ERROR = "infra_error"


_MASKED = frozenset({Verdict.UNSCORABLE, Verdict.INFRA_ERROR})


@dataclass(frozen=True, slots=True)
class Term:
    """One named measurement with its credit.

    Attributes:
        name: ``iou``, ``size``, ``chamfer_l2_mm``, ...
        weight: Share in the total; 0 for a term that only informs.
        raw: The measured number in ``unit``, or None where it could not be measured.
        unit: ``mm``, ``ratio``, ``count``, ``mm2 / unit cube x1000``, ...
        value: Credit in [0, 1], or None where the term does not apply or was not measured.
        note: Plain words: the numbers compared, or why there is no value.
    """

    name: str
    weight: float
    raw: float | None
    unit: str
    value: float | None
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse what strict JSON or a trainer cannot hold."""
        finite_number(f"weight of term {self.name!r}", self.weight)
        if self.raw is not None:
            finite_number(f"raw value of term {self.name!r}", self.raw)
        _check_unit_interval(f"value of term {self.name!r}", self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricCard:
    """How a score was measured.

    Attributes:
        protocol: Id of the scoring, ``absolute``.
        version: Version of that protocol; a changed number means a new version.
        units: ``mm``, or ``mm at the reference's scale`` where size is forgiven.
        alignment: Alignment mode, see `cadwright.rewards.alignment`.
        num_points: Surface points sampled per shape.
        seed: Seed of the surface samples.
        combine: How the terms become one value, ``mean`` or ``all``.
        weights: Weight by term name.
        gates: Factors that the combined value is multiplied with, see ``rewards.gates``.
        baseline: ``start`` where the value is what was gained over the part that a task starts
            from, if it starts from one; else empty.
        tolerances: Tolerances, targets and half-credit distances by name.
        iou_method: ``manifold``, or ``raster 96`` and the like where an approximation took over.
        transform: What the alignment applied to the part: ``rotation`` (3x3 rows), ``scale``,
            ``translation_mm``.
        surface_noise: Share of itself that a mean distance to triangles is off by for its points,
            root mean square; a copy measures 0 all the same. 0 where no term is one.
        noise_floor: Chamfer of the reference against a second sample of itself, by term name.
        notes: What else a reader must know about this measurement.
    """

    protocol: str
    version: int
    units: str
    alignment: str
    num_points: int
    seed: int
    combine: str = "mean"
    weights: Mapping[str, float] = field(default_factory=dict)
    gates: Mapping[str, float] = field(default_factory=dict)
    baseline: str = ""
    tolerances: Mapping[str, float] = field(default_factory=dict)
    iou_method: str = "manifold"
    transform: Mapping[str, Any] | None = None
    surface_noise: float = 0.0
    noise_floor: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def differing_field(self, other: MetricCard) -> str | None:
        """Return the first field that makes two cards unlike, or None."""
        for entry in fields(self):
            if entry.name in _PER_PART_FIELDS:
                continue
            if getattr(self, entry.name) != getattr(other, entry.name):
                return entry.name
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the card as JSON-able values."""
        return {entry.name: _plain(getattr(self, entry.name)) for entry in fields(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read a card back.

        Raises:
            UsageError: A field is missing or unknown.
        """
        values = _known_fields(cls, "metric card", data)
        values["notes"] = tuple(values.get("notes", ()))
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Score:
    """What a judge says about a part.

    Attributes:
        value: In [0, 1], or None when the verdict masks it (``unscorable``, ``infra_error``).
        verdict: Whose statement this is.
        reason: One plain sentence.
        terms: Every term by name with weight, raw value and unit.
        card: How it was measured; None only where nothing was.
        notices: What was found in the part and put right, each by a stable code.
    """

    value: float | None
    verdict: Verdict
    reason: str
    terms: tuple[Term, ...] = ()
    card: MetricCard | None = None
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Hold value and verdict together: a masked verdict has no value, the others have one."""
        _check_unit_interval("score value", self.value)
        if (self.value is None) != (self.verdict in _MASKED):
            raise UsageError(f"a score with verdict {self.verdict} cannot have value {self.value}")

    def term(self, name: str) -> Term | None:
        """Return the term called ``name``, or None."""
        return next((term for term in self.terms if term.name == name), None)

    def to_json(self) -> dict[str, Any]:
        """Return the score as values that strict JSON can hold."""
        return {
            "value": self.value,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "terms": [{e.name: getattr(term, e.name) for e in fields(term)} for term in self.terms],
            "card": None if self.card is None else self.card.to_json(),
            "notices": [{"code": n.code, "message": n.message} for n in self.notices],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read a score back.

        Raises:
            UsageError: A field is missing, unknown or not a number that a score may hold.
        """
        values = _known_fields(cls, "score", data)
        terms = tuple(Term(**_known_fields(Term, "term", t)) for t in values.get("terms", ()))
        card = values.get("card")
        return cls(
            value=values["value"],
            verdict=_verdict(values["verdict"]),
            reason=values["reason"],
            terms=terms,
            card=None if card is None else MetricCard.from_json(card),
            notices=tuple(Notice(**n) for n in values.get("notices", ())),
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Second score minus first, in total and term by term (None where either has no value)."""

    difference: float | None
    terms: dict[str, float | None]


def compare(first: Score, second: Score) -> Comparison:
    """Return how much better the second score is.

    Raises:
        UsageError: The cards differ; the message names the field and both values.
    """
    require_same_card((first, second))
    names = [term.name for term in first.terms if second.term(term.name) is not None]
    return Comparison(
        _difference(first.value, second.value),
        {name: _difference(_value(first, name), _value(second, name)) for name in names},
    )


def require_same_card(scores: Iterable[Score]) -> None:
    """Refuse to treat scores as one population when they were measured differently.

    Scores without a card (nothing was measured) go with any other.

    Raises:
        UsageError: Two cards differ; the message names the field and both values.
    """
    cards = [score.card for score in scores if score.card is not None]
    for card in cards[1:]:
        name = cards[0].differing_field(card)
        if name is not None:
            raise UsageError(
                f"scores cannot be compared: metric card field {name!r} is "
                f"{_plain(getattr(cards[0], name))!r} in one and "
                f"{_plain(getattr(card, name))!r} in the other"
            )


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else second - first


def _value(score: Score, name: str) -> float | None:
    term = score.term(name)
    return None if term is None else term.value


def _check_unit_interval(name: str, value: float | None) -> None:
    if value is not None and not 0.0 <= finite_number(name, value) <= 1.0:
        raise UsageError(f"{name} is {value}: it must lie in [0, 1]")


def _verdict(text: str) -> Verdict:
    try:
        return Verdict(text)
    except ValueError as err:
        allowed = ", ".join(Verdict)
        raise UsageError(f"score field 'verdict' is {text!r}: allowed are {allowed}") from err


def _known_fields(record: type, what: str, data: Mapping[str, Any]) -> dict[str, Any]:
    names = {entry.name for entry in fields(record)}
    unknown = sorted(set(data) - names)
    if unknown:
        raise UsageError(f"{what} has an unknown field {unknown[0]!r}: known are {sorted(names)}")
    required = {e.name for e in fields(record) if e.default is e.default_factory is MISSING}
    missing = sorted(required - set(data))
    if missing:
        raise UsageError(f"{what} lacks the field {missing[0]!r}")
    return dict(data)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
