"""Debug: a program that stops with an error; the message is given, and so is the specification."""

from __future__ import annotations

from cadwright.envs.domains.complete import first_steps
from cadwright.envs.domains.domain import Case, Draft, Operation, asked_of, program_of
from cadwright.envs.domains.family import Family
from cadwright.envs.domains.faults import Fault, faults_of
from cadwright.envs.domains.randomness import generator
from cadwright.envs.domains.sizing import size_of
from cadwright.envs.domains.telling import specification
from cadwright.envs.sources import GeometrySource
from cadwright.tools.errors import UsageError

MOST_DRAWS = 20
# What Python says of a name or a bracket is easier to read than what the kernel says of a fillet.
_KINDS = {
    1: ("name", "syntax", "method"),
    2: ("name", "method", "argument"),
    3: ("argument", "keyword", "selector"),
    4: ("keyword", "selector", "selection"),
    5: ("selector", "selection", "size"),
}


def _make(case: Case) -> Draft:
    family = case.family
    for _ in range(MOST_DRAWS):
        design = case.members.draw()
        faults = faults_of(family, design)
        fitting = [fault for fault in faults if fault.kind in _KINDS[case.difficulty]] or faults
        if fitting:
            break
    else:
        raise UsageError(f"family {family.name}: no line of its programs can be broken")
    fault = fitting[int(case.rng.integers(len(fitting)))]
    told = specification(family, design, case.rng, case.difficulty)
    good = first_steps(family, design, fault.num_good_steps) if fault.num_good_steps else ""
    return Draft(
        design,
        told=_told(fault, told.text, is_begun=bool(good)),
        reference=program_of(family, design),
        start=GeometrySource(good) if good else None,
        constraints=asked_of(family, design),
        program=fault.program,
        features=size_of(family, design) + 2 * len(told.relations),
        meta={"fault": {"kind": fault.kind, "line": fault.line, "error": fault.error}, **told.meta},
    )


def _told(fault: Fault, specification: str, *, is_begun: bool) -> str:
    begun = " What it had made until then is in `result`." if is_begun else ""
    return (
        "The program below stops with an error. Find the reason, and make the part of the "
        f"specification.{begun}\n\n"
        f"line {fault.line}: {fault.error}\n\n"
        f"Specification: {specification}"
    )


def can_be_broken(family: Family) -> bool:
    """Return whether the programs of a family have lines whose errors are known."""
    rng = generator("debug", family.name)
    return all(faults_of(family, family.sample(rng, difficulty)) for difficulty in (1, 3, 5))


DEBUG = Operation("debug", _make, ("program",), is_offered=can_be_broken)
