"""What a constraint is: a typed record with units, tolerance, weight and partial credit.

A kind is one frozen dataclass; `KINDS` names them all. Nothing here measures a part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar

from cadwright.rewards.constraints.field import Entry
from cadwright.rewards.constraints.values import number, positive, text
from cadwright.tools.errors import UsageError

MAX_WEIGHT = 1e6
OF_KIND = "unit of the kind"
# Of what is smaller the tolerances in mm shrink in proportion: a tenth of a millimetre says nothing
# about a hole of that diameter.
SMALL_MM = 1.0


@dataclass(frozen=True, slots=True)
class Slack:
    """What a residual may be: full credit up to ``tolerance``, half of it ``half`` further on."""

    tolerance: float
    half: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """What every kind has.

    Attributes:
        id: Name of this constraint among others; its place and kind where it is empty.
        note: For people.
        weight: Share in the total; 0 reports without counting.
        tolerance: Residual that still counts as met, in the unit of the kind. None takes the
            kind's own, which for volumes and the like is a share of what was asked.
        half: Residual beyond the tolerance that halves the credit; None takes the kind's own.
    """

    kind: ClassVar[str] = ""
    unit: ClassVar[str] = ""
    default_tolerance: ClassVar[float] = 0.0
    default_half: ClassVar[float] = 1.0
    example: ClassVar[Mapping[str, Any]] = {}

    id: Annotated[str, Entry(text, "name among other constraints")] = ""
    note: Annotated[str, Entry(text, "for people")] = ""
    weight: Annotated[float, Entry(number(0.0, MAX_WEIGHT), "share in the total")] = 1.0
    tolerance: Annotated[
        float | None, Entry(number(0.0), "residual that still counts as met", unit=OF_KIND)
    ] = None
    half: Annotated[
        float | None,
        Entry(positive(), "residual beyond the tolerance that halves the credit", unit=OF_KIND),
    ] = None

    @property
    def scale(self) -> float:
        """What the kind's own tolerance is a share of; 1 where it is an absolute residual."""
        return 1.0

    @property
    def size_mm(self) -> float | None:
        """Size of what is asked, where the kind's own tolerance is a length; None for any."""
        return None

    @property
    def fineness(self) -> float:
        """What is left of a tolerance in mm for the size of what is asked: 1 but for small ones."""
        return min(1.0, (self.size_mm or SMALL_MM) / SMALL_MM)

    @property
    def slack(self) -> Slack:
        """The tolerance and half in force, in the unit of the kind."""
        scale = self.scale * self.fineness
        tolerance = self.default_tolerance * scale if self.tolerance is None else self.tolerance
        return Slack(tolerance, self.default_half * scale if self.half is None else self.half)


KINDS: dict[str, type[Constraint]] = {}

Kind = TypeVar("Kind", bound=type[Constraint])


def register(cls: Kind) -> Kind:
    """Make a kind known under its name."""
    if cls.kind in KINDS or not cls.kind:
        raise UsageError(f"constraint kind {cls.kind!r} of {cls.__name__} is taken or empty")
    KINDS[cls.kind] = cls
    return cls
