"""Fit: make the part that fits a given one."""

from __future__ import annotations

from cadwright.envs.domains.domain import Case, Draft, Operation
from cadwright.envs.domains.family import Family
from cadwright.envs.domains.sizing import size_of
from cadwright.envs.sources import GeometrySource


def _make(case: Case) -> Draft:
    family, design = case.family, case.members.draw()
    mate = family.mate(design) if family.mate is not None else None
    assert mate is not None  # offered only to families with mates
    return Draft(
        design,
        told=(
            f"Given is a part: {family.title}. {mate.about} Hand in the new part alone, in the "
            "frame of the given one. Sizes that are not said are to be measured on the given part."
        ),
        reference=GeometrySource(mate.program),
        start=GeometrySource(family.program(design)),
        constraints=mate.constraints,
        features=size_of(family, design),
    )


def has_mate(family: Family) -> bool:
    """Return whether the family says what fits its members."""
    return family.mate is not None


FIT = Operation("fit", _make, ("start",), is_offered=has_mate)
