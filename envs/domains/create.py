"""Create: make a member of the family from what is asked."""

from __future__ import annotations

from cadwright.envs.domains.domain import (
    Case,
    Draft,
    Operation,
    article,
    asked_of,
    program_of,
)
from cadwright.envs.domains.sizing import size_of


def _make(case: Case) -> Draft:
    family, design = case.family, case.members.draw()
    wordings = family.briefs(design)
    told = wordings[int(case.rng.integers(len(wordings)))]
    return Draft(
        design,
        told=told,
        shown=f"Make {article(family.title)}. All lengths in mm, Z is up.",
        reference=program_of(family, design),
        constraints=asked_of(family, design),
        features=size_of(family, design),
        facts=(told,),
    )


CREATE = Operation("create", _make, ("text", "views", "partial", "measured", "drawing", "long"))
