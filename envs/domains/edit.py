"""Edit: change, add, remove or move something in a given part; the rest stays as it is."""

from __future__ import annotations

from cadwright.envs.domains.change import changed
from cadwright.envs.domains.domain import Case, Draft, Operation, asked_of, program_of

# Difficulty 1 changes one thing, 5 three things of a part with every feature.
NUM_CHANGES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 3}
_LAST = (
    "Everything else stays as it is.",
    "Leave everything else unchanged, where it stands.",
    "Nothing else of the part may change.",
)


def _make(case: Case) -> Draft:
    family = case.family
    chain = changed(case.members, case.rng, count=NUM_CHANGES[case.difficulty])
    old, new, steps = chain.old, chain.new, chain.steps
    last = _LAST[int(case.rng.integers(len(_LAST)))]
    asked = " ".join(step.words for step in steps)
    return Draft(
        new,
        told=f"Edit the given {family.title}, all lengths in mm. {asked} {last}",
        shown=f"Change the given {family.title} so that it agrees with the drawing.",
        reference=program_of(family, new),
        start=program_of(family, old),
        constraints=asked_of(family, new),
        program=family.program(old),
        features=len(steps) * 4 + len(family.steps_of(new)),
        meta={"changes": [{"kind": step.kind, "name": step.name} for step in steps]},
    )


EDIT = Operation("edit", _make, ("start", "program", "drawing"))
