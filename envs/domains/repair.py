"""Repair: what is given was made from the specification and is wrong; nobody says where."""

from __future__ import annotations

from cadwright.envs.domains.change import changed
from cadwright.envs.domains.domain import Case, Draft, Operation, asked_of, program_of
from cadwright.envs.domains.sizing import size_of
from cadwright.envs.domains.telling import specification

NUM_FAULTS = {1: 1, 2: 1, 3: 2, 4: 2, 5: 3}


def _make(case: Case) -> Draft:
    family = case.family
    chain = changed(case.members, case.rng, count=NUM_FAULTS[case.difficulty])
    right, wrong, steps = chain.old, chain.new, chain.steps
    told = specification(family, right, case.rng, case.difficulty)
    return Draft(
        right,
        told=(
            "The given part was made from the specification below, but it does not meet it. Find "
            f"what is wrong and put it right.\n\nSpecification: {told.text}"
        ),
        reference=program_of(family, right),
        start=program_of(family, wrong),
        constraints=asked_of(family, right),
        program=family.program(wrong),
        features=len(steps) * 2 + size_of(family, right) + 2 * len(told.relations),
        meta={"faults": [{"kind": step.kind, "name": step.name} for step in steps], **told.meta},
    )


REPAIR = Operation("repair", _make, ("start", "program"))
