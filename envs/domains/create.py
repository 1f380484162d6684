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
from cadwright.envs.domains.family import DIFFICULTIES
from cadwright.envs.domains.sizing import size_of
from cadwright.envs.domains.telling import specification

_IN_WORDS = ("text", "long")


def _make(case: Case) -> Draft:
    family, design = case.family, case.members.draw()
    # a picture has the sizes themselves, so nothing is told by something else beside it
    difficulty = case.difficulty if case.modality in _IN_WORDS else DIFFICULTIES[0]
    told = specification(family, design, case.rng, difficulty)
    return Draft(
        design,
        told=told.text,
        shown=f"Make {article(family.title)}. All lengths in mm, Z is up.",
        reference=program_of(family, design),
        constraints=asked_of(family, design),
        features=size_of(family, design) + 2 * len(told.relations),
        facts=(told.text,),
        meta=told.meta,
    )


CREATE = Operation("create", _make, ("text", "views", "partial", "measured", "drawing", "long"))
