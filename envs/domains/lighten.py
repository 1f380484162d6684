"""Lightweight: keep the bounding box and every hole, and lose mass.

The wanted volume is that of another member with the same interfaces, so it can be reached; how is
up to the agent. Constraints judge the result, under gates that hold it against the given part:
closed voids that no tool can reach, bodies added and material where there was none are no
lightness.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from cadwright.envs.domains.domain import (
    Case,
    Constraints,
    Draft,
    Operation,
    program_of,
)
from cadwright.envs.domains.family import DIFFICULTIES, Design, Dimension, Family, number
from cadwright.envs.domains.randomness import generator
from cadwright.envs.domains.sizing import size_of
from cadwright.rewards.scoring import BODY_GATES
from cadwright.tools.errors import UsageError

LEAST_SHARE = 0.06  # of the volume; less is within what a careless model loses
MOST_SHARE = 0.7
VOLUME_TOLERANCE = 0.02  # share of the wanted volume
MOST_DRAWS = 60
DENSITY_G_CM3 = {"aluminium": 2.7, "steel": 7.85, "PLA": 1.24}
_SCALES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.25, 1.5)
_SCORING: Mapping[str, Any] = {
    "protocol": "constraints",
    "gates": {**BODY_GATES, "inside": 0.8},
}
_INTERFACES = ("bounding_box", "hole", "hole_circle", "hole_grid", "hole_line", "thread_hole")


def _make(case: Case) -> Draft:
    family = case.family
    for _ in range(MOST_DRAWS):
        old = case.members.draw()
        new = _lighter(family, old)
        if new is not None:
            return _draft(case, old, new)
    raise UsageError(f"family {family.name}: no member can be made lighter")


def _draft(case: Case, old: Design, new: Design) -> Draft:
    family = case.family
    material = sorted(DENSITY_G_CM3)[int(case.rng.integers(len(DENSITY_G_CM3)))]
    before, after = (_volume(family, design) for design in (old, new))
    assert before is not None  # _lighter looked
    assert after is not None
    mass = round(after / 1000 * DENSITY_G_CM3[material], 2)
    percent = 100 * (1 - after / before)
    asked = {
        "kind": "mass",
        "value": mass,
        "density": DENSITY_G_CM3[material],
        "tolerance": round(VOLUME_TOLERANCE * mass, 4),
        "weight": 2.0,
    }
    return Draft(
        new,
        told=(
            f"Make the given {family.title} about {percent:.0f} % lighter: in {material} "
            f"({DENSITY_G_CM3[material]} g/cm³) it has to weigh {number(mass)} g, to within "
            f"{100 * VOLUME_TOLERANCE:.0f} %. The bounding box stays as it is, and so does every "
            "hole: place, direction, diameter and depth. It stays "
            f"{_bodies_in_words(family, old)}. Take away only what a tool can reach: no closed "
            "voids."
        ),
        start=program_of(family, old),
        constraints=(*_interfaces(family, old), _bodies(family, old), asked),
        scoring=_SCORING,
        gold=program_of(family, new).to_json(),
        features=size_of(family, old),
    )


def _lighter(family: Family, old: Design) -> Design | None:
    """Return the lightest change of one thing that leaves the interfaces alone."""
    volume, kept = _volume(family, old), _keys(_interfaces(family, old))
    if volume is None or not kept:
        return None
    best: tuple[float, Design] | None = None
    for new in _others(family, old):
        share = 1 - (_volume(family, new) or volume) / volume
        if not LEAST_SHARE <= share <= MOST_SHARE or _keys(_interfaces(family, new)) != kept:
            continue
        if best is None or share > best[0]:
            best = (share, new)
    return best[1] if best is not None else None


def _others(family: Family, old: Design) -> Iterator[Design]:
    designs = [old.toggled(option) for option in family.options]
    for dimension in (d for d in family.used(old) if d.unit == "mm"):
        designs += [_scaled(old, dimension, scale) for scale in _SCALES]
    return (design for design in designs if family.is_possible(design))


def _scaled(old: Design, dimension: Dimension, scale: float) -> Design:
    value = scale * old[dimension.name]
    return old.having(**{dimension.name: round(value) if value >= 2 else round(value, 1)})


def _interfaces(family: Family, design: Design) -> Constraints:
    return tuple(c for c in family.constraints(design) if c["kind"] in _INTERFACES)


def _bodies(family: Family, design: Design) -> Mapping[str, Any]:
    """Return how many bodies a design has: what its family says, or one."""
    records = iter(family.constraints(design))
    return next((c for c in records if c["kind"] == "bodies"), {"kind": "bodies", "count": 1})


def _bodies_in_words(family: Family, design: Design) -> str:
    count = int(_bodies(family, design)["count"])
    return "one solid body" if count == 1 else f"{count} separate solid bodies"


def _keys(constraints: Constraints) -> list[str]:
    return sorted(json.dumps(dict(record), sort_keys=True) for record in constraints)


def _volume(family: Family, design: Design) -> float | None:
    records: Iterator[Mapping[str, Any]] = iter(family.constraints(design))
    return next((float(c["value"]) for c in records if c["kind"] == "volume"), None)


def can_be_lightened(family: Family) -> bool:
    """Return whether most members of every difficulty can be made lighter."""
    rng = generator("lightweight", family.name)
    for difficulty in DIFFICULTIES:
        tries = [_lighter(family, family.sample(rng, difficulty)) for _ in range(6)]
        if sum(new is not None for new in tries) < 3:
            return False
    return True


LIGHTWEIGHT = Operation("lightweight", _make, ("start",), is_offered=can_be_lightened)
