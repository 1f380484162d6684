"""From plain data to constraint records, and back.

Files, task records and frames between processes all come through here, so a constraint means the
same everywhere. A fault carries the path of its field; whoever read the file adds the line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Any

from cadwright.rewards.constraints import (
    kinds_faces,
    kinds_features,
    kinds_holes,
    kinds_making,
    kinds_patterns,
    kinds_space,
    kinds_whole,
)
from cadwright.rewards.constraints.field import ConstraintFault, Member, Path, members_of
from cadwright.rewards.constraints.record import KINDS, Constraint
from cadwright.rewards.constraints.values import AXES, MAX_ITEMS, nearest, read_record, wrong

# Importing the modules of the kinds is what registers them.
KIND_MODULES = (
    kinds_whole,
    kinds_holes,
    kinds_patterns,
    kinds_features,
    kinds_faces,
    kinds_space,
    kinds_making,
)

# ``+z`` for a direction along an axis of the coordinates.
SHORT = {vector: name for name, vector in AXES.items() if name[0] in "+-"}


def parse_constraints(data: object, where: Path = ()) -> tuple[Constraint, ...]:
    """Return the constraints of a list, each with an id of its own.

    Args:
        data: A list of mappings.
        where: Path of the list, for faults.

    Raises:
        ConstraintFault: The first fault, with its path.
    """
    if not isinstance(data, Sequence) or isinstance(data, str) or len(data) > MAX_ITEMS:
        raise wrong(data, where, f"a list of at most {MAX_ITEMS} constraints")
    found: dict[str, Constraint] = {}
    for index, item in enumerate(data):
        one = parse_constraint(item, (*where, index))
        name = one.id or f"{index + 1}_{one.kind}"
        if name in found:
            raise ConstraintFault((*where, index, "id"), f"id {name!r} is taken: give another")
        found[name] = replace(one, id=name)
    return tuple(found.values())


def parse_constraint(data: object, where: Path = ()) -> Constraint:
    """Return one constraint.

    Raises:
        ConstraintFault: The field, what was given and what is allowed.
    """
    if not isinstance(data, Mapping):
        raise wrong(data, where, "a mapping with a kind and its fields")
    kind = data.get("kind")
    if kind is None:
        raise ConstraintFault(where, f"a constraint needs a kind{nearest('', KINDS)}")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ConstraintFault((*where, "kind"), f"unknown kind {kind!r}{nearest(kind, KINDS)}")
    constraint: Constraint = read_record(KINDS[kind], data, where, skip=("kind",))
    return constraint


def to_plain(constraint: Constraint) -> dict[str, Any]:
    """Return a constraint as plain data without the fields that have their default."""
    return {"kind": constraint.kind, **_fields(constraint)}


def _fields(record: Any) -> dict[str, Any]:
    values = [(member, getattr(record, member.name)) for member in members_of(type(record))]
    return {m.name: _plain(value, m) for m, value in values if value != m.field.default}


def _plain(value: Any, member: Member) -> Any:
    if is_dataclass(value):
        return _fields(value)
    if member.entry.role == "direction" and value in SHORT:
        return SHORT[value]
    if isinstance(value, tuple):
        return [_plain(item, member) for item in value]
    return value
