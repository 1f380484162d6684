"""Complete: the first steps of a program are given; the rest follows from the specification."""

from __future__ import annotations

from dataclasses import replace

from cadwright.envs.domains.domain import Case, Draft, Operation, asked_of, program_of
from cadwright.envs.domains.family import Design, Family
from cadwright.envs.domains.sizing import size_of
from cadwright.envs.domains.telling import specification
from cadwright.envs.sources import GeometrySource


def first_steps(family: Family, design: Design, count: int) -> str:
    """Return the program of the first steps of a design."""
    return replace(family, steps=family.steps_of(design)[:count]).program(design)


def _make(case: Case) -> Draft:
    family, design = case.family, case.members.draw(num_steps=2)
    num_steps = len(family.steps_of(design))
    # the harder, the less is given: from all but one step down to the body alone
    most = max(1, num_steps - 1 - (case.difficulty - 1) // 2)
    given = first_steps(family, design, int(case.rng.integers(1, most + 1)))
    told = specification(family, design, case.rng, case.difficulty)
    return Draft(
        design,
        told=(
            "The program below is only the beginning. Write the rest, so that `result` is the part "
            f"of the specification.\n\nSpecification: {told.text}"
        ),
        reference=program_of(family, design),
        start=GeometrySource(given),
        constraints=asked_of(family, design),
        program=given,
        features=size_of(family, design) + 2 * len(told.relations),
        meta=told.meta,
    )


def has_steps(family: Family) -> bool:
    """Return whether there is something to complete."""
    return len(family.steps) > 1


COMPLETE = Operation("complete", _make, ("program",), is_offered=has_steps)
