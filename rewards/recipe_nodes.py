"""The tree of a reward as plain data, and back.

A node is the name of a term, or a mapping with the one key that says its kind:

    score                                     a term
    {term: iou, weight: 2}                    a term with its share of a sum
    {sum: [...], on_missing: mask}            also: product, minimum
    {lexicographic: [...], levels: 11}        the first decides, the next only between equals
    {gate: NODE, then: NODE, at_least: 1, floor: 0.05}

A fault carries the path of its field; whoever read the file adds the line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from cadwright.rewards.compose import (
    DEFAULT_FLOOR,
    DEFAULT_LEVELS,
    Gate,
    Leaf,
    Lexicographic,
    Minimum,
    Node,
    OnMissing,
    Product,
    WeightedSum,
)
from cadwright.rewards.constraints.values import nearest
from cadwright.rewards.hygiene import finite_number
from cadwright.tools.errors import UsageError

Path = tuple[str | int, ...]

MAX_DEPTH = 12
MAX_CHILDREN = 200
MAX_WEIGHT = 1e6
MAX_LEVELS = 1000
_COMMON = ("name", "weight")
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "term": ("weight",),
    "sum": (*_COMMON, "on_missing"),
    "product": (*_COMMON, "on_missing"),
    "minimum": (*_COMMON, "on_missing"),
    "lexicographic": (*_COMMON, "on_missing", "levels"),
    "gate": (*_COMMON, "then", "at_least", "floor"),
}
_LISTS: Mapping[str, type[WeightedSum | Product | Minimum | Lexicographic]] = {
    "sum": WeightedSum,
    "product": Product,
    "minimum": Minimum,
    "lexicographic": Lexicographic,
}


class RecipeFault(UsageError):
    """A recipe that cannot be used. ``where`` is the path of the field at fault."""

    def __init__(self, where: Path, message: str) -> None:
        super().__init__(message)
        self.where = where


def parse_node(
    data: object, terms: Collection[str], where: Path, *, is_in_sum: bool = False
) -> Node:
    """Return the node that plain data describe.

    Args:
        data: A name or a mapping.
        terms: Names that a leaf may have.
        where: Path of the node, for faults.
        is_in_sum: Whether a weight has a meaning here.

    Raises:
        RecipeFault: The field, what was given and what is allowed.
    """
    if len(where) > 2 * MAX_DEPTH:
        raise RecipeFault(where, f"nested more than {MAX_DEPTH} deep")
    if isinstance(data, str):
        return Leaf(term=_term(data, terms, where))
    if not isinstance(data, Mapping):
        given = f"{where_text(where)} is {data!r}"
        raise RecipeFault(where, f"{given}: give the name of a term or a mapping")
    kind = _kind(data, where)
    _check_fields(data, kind, where, is_in_sum=is_in_sum)
    weight = number(data.get("weight", 1.0), (*where, "weight"), 0.0, MAX_WEIGHT)
    if kind == "term":
        return Leaf(term=_term(data["term"], terms, (*where, "term")), weight=weight)
    common = {"name": text(data.get("name", kind), (*where, "name")), "weight": weight}
    if kind == "gate":
        return _gate(data, terms, where, common)
    return _list(data, kind, terms, where, common)


def node_to_plain(node: Node) -> dict[str, Any]:
    """Return what a node means as plain data: labels left out, order only where it counts."""
    if isinstance(node, Leaf):
        return {"term": node.term, "weight": node.weight}
    if isinstance(node, Gate):
        parts = {"gate": node_to_plain(node.condition), "then": node_to_plain(node.then)}
        return {**parts, "at_least": node.at_least, "floor": node.floor, "weight": node.weight}
    children = [node_to_plain(child) for child in node.children]
    plain: dict[str, Any] = {"on_missing": node.on_missing.value, "weight": node.weight}
    if isinstance(node, Lexicographic):
        return plain | {"lexicographic": children, "levels": node.levels}
    kind = next(name for name, cls in _LISTS.items() if isinstance(node, cls))
    return plain | {kind: sorted(children, key=lambda child: json.dumps(child, sort_keys=True))}


def number(value: object, where: Path, low: float, high: float) -> float:
    """Return a number within bounds."""
    try:
        found = finite_number(where_text(where), value)
    except UsageError as err:
        raise RecipeFault(where, str(err)) from err
    if not low <= found <= high:
        raise RecipeFault(
            where, f"{where_text(where)} is {found:g}: allowed are {low:g} to {high:g}"
        )
    return found


def text(value: object, where: Path) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise RecipeFault(where, f"{where_text(where)} is {value!r}: give a text")
    return value


def where_text(where: Path) -> str:
    """Return a path as a person reads it."""
    return ".".join(str(step) for step in where) or "the recipe"


def _kind(data: Mapping[Any, Any], where: Path) -> str:
    kinds = [kind for kind in _OPTIONS if kind in data]
    if len(kinds) == 1:
        return kinds[0]
    if kinds:
        raise RecipeFault(where, f"{where_text(where)} is both {kinds[0]} and {kinds[1]}")
    given_key = next((key for key in data if key not in _COMMON), "")
    raise RecipeFault(where, f"{given_key!r} is no kind of node{nearest(given_key, _OPTIONS)}")


def _check_fields(data: Mapping[Any, Any], kind: str, where: Path, *, is_in_sum: bool) -> None:
    for key in data:
        if key != kind and key not in _OPTIONS[kind]:
            message = f"unknown field {key!r} of {kind}{nearest(key, _OPTIONS[kind])}"
            raise RecipeFault((*where, key), message)
    if "weight" in data and not is_in_sum:
        message = "a weight counts only under a sum: leave it out, or put the node under one"
        raise RecipeFault((*where, "weight"), message)


def _term(name: object, terms: Collection[str], where: Path) -> str:
    if not isinstance(name, str) or name not in terms:
        raise RecipeFault(where, f"unknown term {name!r}{nearest(name, terms)}")
    return name


def _gate(
    data: Mapping[str, Any], terms: Collection[str], where: Path, common: dict[str, Any]
) -> Gate:
    if "then" not in data:
        raise RecipeFault(where, f"{where_text(where)} lacks the field 'then'")
    return Gate(
        condition=parse_node(data["gate"], terms, (*where, "gate")),
        then=parse_node(data["then"], terms, (*where, "then")),
        at_least=number(data.get("at_least", 1.0), (*where, "at_least"), 0.0, 1.0),
        floor=number(data.get("floor", DEFAULT_FLOOR), (*where, "floor"), 0.0, 1.0),
        **common,
    )


def _list(
    data: Mapping[str, Any], kind: str, terms: Collection[str], where: Path, common: dict[str, Any]
) -> Node:
    items, path = data[kind], (*where, kind)
    if not isinstance(items, list) or not 1 <= len(items) <= MAX_CHILDREN:
        raise RecipeFault(path, f"{where_text(path)}: give a list of 1 to {MAX_CHILDREN} nodes")
    children = tuple(
        parse_node(item, terms, (*path, index), is_in_sum=kind == "sum")
        for index, item in enumerate(items)
    )
    if kind == "sum" and not any(child.weight > 0.0 for child in children):
        raise RecipeFault(path, f"{where_text(path)}: at least one weight must be above 0")
    if "on_missing" in data:
        common["on_missing"] = _on_missing(data["on_missing"], (*where, "on_missing"))
    if kind == "lexicographic":
        levels = data.get("levels", DEFAULT_LEVELS)
        # of one level every child but the last is the same, whatever its value
        common["levels"] = whole(levels, (*where, "levels"), MAX_LEVELS, low=2)
    make: Callable[..., Node] = _LISTS[kind]
    return make(children=children, **common)


def whole(value: object, where: Path, high: int, *, low: int = 1) -> int:
    """Return a whole number from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        allowed = f"a whole number from {low} to {high}"
        raise RecipeFault(where, f"{where_text(where)} is {value!r}: give {allowed}")
    return value


def _on_missing(value: object, where: Path) -> OnMissing:
    try:
        return OnMissing(str(value))
    except ValueError as err:
        raise RecipeFault(
            where, f"unknown on_missing {value!r}{nearest(value, OnMissing)}"
        ) from err
