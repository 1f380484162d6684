"""Rewards compose: a tree of named terms becomes one number, and every term stays visible.

Leaves name readings, each in [0, 1] or None. Above them stand five kinds of node: a weighted sum,
a gate, a product, a minimum and a lexicographic vector. `evaluate` gives a `RewardBreakdown`: the
scalar for the trainer, every term by name for people, and the vector for whoever trains on several
goals at once.

None is not 0. A reading without a value is either *absent* (the term does not apply: the node's
``on_missing`` says whether the node goes on without it or has no value either) or it *masks* (our
machinery failed, or the number is NaN), which takes the value from everything that counts it, so
that the trainer skips the sample. Nothing here measures; same input, same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from cadwright.rewards.breakdown import NodeValue, Reading, RewardBreakdown
from cadwright.rewards.hygiene import clean_reward, unit_interval, weighted_mean
from cadwright.rewards.score import Term
from cadwright.tools.geometry.part import Notice

DEFAULT_LEVELS = 11  # tenths and full credit
DEFAULT_FLOOR = 0.05


class OnMissing(StrEnum):
    """What a node does without the value of one of its children.

    ``renormalise`` goes on as if the child were not there; ``mask`` has no value either.
    """

    RENORMALISE = "renormalise"
    MASK = "mask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A term by name."""

    term: str
    weight: float = 1.0

    @property
    def name(self) -> str:
        """The term's name."""
        return self.term


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedSum:
    """Mean of the children by their weights."""

    children: tuple[Node, ...]
    name: str = "sum"
    weight: float = 1.0
    on_missing: OnMissing = OnMissing.RENORMALISE


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Product of the children: each is worth what the others leave of it."""

    children: tuple[Node, ...]
    name: str = "product"
    weight: float = 1.0
    on_missing: OnMissing = OnMissing.RENORMALISE


@dataclass(frozen=True, slots=True, kw_only=True)
class Minimum:
    """The worst of the children."""

    children: tuple[Node, ...]
    name: str = "minimum"
    weight: float = 1.0
    on_missing: OnMissing = OnMissing.RENORMALISE


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Nothing but the condition counts until it holds.

    Closed: ``floor * condition``, graded, so that a group of failures has an order. Open:
    ``floor + (1 - floor) * then``. So whatever opens the gate is worth more than whatever does not.

    Attributes:
        at_least: Value of the condition that opens the gate.
        floor: Share of the total that the condition alone can earn.
    """

    condition: Node
    then: Node
    at_least: float = 1.0
    floor: float = DEFAULT_FLOOR
    name: str = "gate"
    weight: float = 1.0

    @property
    def children(self) -> tuple[Node, ...]:
        """Condition and what it guards."""
        return (self.condition, self.then)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicographic:
    """The first child decides; the next one only between equals; and so on.

    A trainer needs one number: each child but the last is rounded down to one of ``levels`` steps,
    and a step of an earlier child outweighs all that later ones can add.
    """

    children: tuple[Node, ...]
    levels: int = DEFAULT_LEVELS
    name: str = "lexicographic"
    weight: float = 1.0
    on_missing: OnMissing = OnMissing.MASK


Node = Leaf | WeightedSum | Product | Minimum | Gate | Lexicographic


@dataclass(frozen=True, slots=True)
class _Value:
    """A value on its way up the tree; ``masked`` names the term that took it away."""

    value: float | None
    masked: str = ""


@dataclass(frozen=True, slots=True)
class _Trace:
    readings: Mapping[str, Reading]
    nodes: list[NodeValue] = field(default_factory=list)


def evaluate(tree: Node, readings: Mapping[str, Reading]) -> RewardBreakdown:
    """Return the reward of a tree over readings.

    Args:
        tree: The composition.
        readings: By name; a term of the tree without a reading is absent.

    Raises:
        UsageError: A reading is not a number; the message names it.
    """
    clean, flags = _clean(readings, list(shares(tree)))
    trace = _Trace(clean)
    found = _value(tree, trace, tree.name)
    return RewardBreakdown(
        value=found.value,
        terms=tuple(_term(clean[name], weight) for name, weight in shares(tree).items()),
        vector={name: _value(node, _Trace(clean), "").value for name, node in _components(tree)},
        nodes=tuple(sorted(trace.nodes, key=lambda node: node.path)),
        reason=_reason(found, clean),
        flags=flags,
    )


def shares(tree: Node) -> dict[str, float]:
    """Return, by term, the share of the whole that hangs on it.

    A sum divides its share by weight. Under a product, a minimum, a gate or a vector all of the
    share hangs on every child, so these shares may add up to more than 1.
    """
    found: dict[str, float] = {}
    for name, share in _shares(tree, 1.0):
        found[name] = found.get(name, 0.0) + share
    return found


def _value(node: Node, trace: _Trace, path: str) -> _Value:
    found = _value_of(node, trace, path)
    trace.nodes.append(NodeValue(path, found.value, bool(found.masked)))
    return found


def _value_of(node: Node, trace: _Trace, path: str) -> _Value:
    if isinstance(node, Leaf):
        reading = trace.readings[node.term]
        return _Value(reading.value, reading.name if reading.is_masked else "")
    below = [_value(c, trace, f"{path}/{_label(node, i)}") for i, c in enumerate(node.children)]
    if isinstance(node, Gate):
        return _gate(node, *below)
    counted = [pair for pair in zip(node.children, below, strict=True) if _counts(node, pair[0])]
    masked = next((value.masked for _, value in counted if value.masked), "")
    present = [(c.weight, v.value) for c, v in counted if v.value is not None]
    is_short = len(present) < len(counted) and node.on_missing is OnMissing.MASK
    if masked or is_short or not present:
        return _Value(None, masked)
    return _Value(unit_interval(_combined(node, present)))


def _combined(
    node: WeightedSum | Product | Minimum | Lexicographic, present: list[tuple[float, float]]
) -> float:
    values = [value for _, value in present]
    if isinstance(node, WeightedSum):
        numbered = {str(i): value for i, value in enumerate(values)}
        return weighted_mean(numbered, {str(i): w for i, (w, _) in enumerate(present)}) or 0.0
    if isinstance(node, Product):
        # exact: float products would depend on the order, and could fall as a factor grows
        return float(math.prod(map(Fraction, values)))
    return min(values) if isinstance(node, Minimum) else _embedded(values, node.levels)


def _gate(node: Gate, condition: _Value, then: _Value) -> _Value:
    if condition.value is None:
        return _Value(None, condition.masked)
    if condition.value < node.at_least:
        return _Value(unit_interval(node.floor * condition.value))
    if then.value is None:
        return _Value(None, then.masked)
    return _Value(unit_interval(node.floor + (1.0 - node.floor) * then.value))


def _embedded(values: list[float], levels: int) -> float:
    """Return one number whose order is that of the vectors, but for the last child's rounding."""
    *leading, number = values
    for value in reversed(leading):
        # 2 * step, so that the best of a lower step stays below the worst of the next one
        number = (2 * math.floor(value * (levels - 1)) + number) / (2 * levels - 1)
    return number


def _counts(node: Node, child: Node) -> bool:
    return not isinstance(node, WeightedSum) or child.weight > 0.0


def _label(node: Node, index: int) -> str:
    name = _children(node)[index].name
    twins = [i for i, child in enumerate(_children(node)) if child.name == name]
    return name if len(twins) == 1 else f"{name}[{twins.index(index)}]"


def _children(node: Node) -> tuple[Node, ...]:
    return () if isinstance(node, Leaf) else node.children


def _components(tree: Node) -> Iterator[tuple[str, Node]]:
    children = _children(tree)
    if not children:
        yield tree.name, tree
    for index, child in enumerate(children):
        yield _label(tree, index), child


def _shares(node: Node, share: float) -> Iterator[tuple[str, float]]:
    if isinstance(node, Leaf):
        yield node.term, share
    total = math.fsum(child.weight for child in _children(node)) or 1.0
    for child in _children(node):
        part = share * child.weight / total if isinstance(node, WeightedSum) else share
        yield from _shares(child, part)


def _clean(
    readings: Mapping[str, Reading], names: list[str]
) -> tuple[dict[str, Reading], tuple[Notice, ...]]:
    """Check the readings that a tree asks for; a number that is none masks."""
    given = {name: readings.get(name) or _absent(name) for name in names}
    checked = clean_reward({name: reading.value for name, reading in given.items()})
    clean = {
        name: replace(
            reading,
            value=None if reading.is_masked else checked.components[name],
            is_masked=reading.is_masked
            or (reading.value is not None and checked.components[name] is None),
        )
        for name, reading in given.items()
    }
    return clean, checked.flags


def _absent(name: str) -> Reading:
    return Reading(name, None, note="not measured")


def _term(reading: Reading, share: float) -> Term:
    raw = reading.raw if reading.raw is not None and math.isfinite(reading.raw) else None
    return Term(reading.name, share, raw, reading.unit, reading.value, reading.note)


def _reason(found: _Value, readings: Mapping[str, Reading]) -> str:
    if found.value is not None:
        return ""
    if found.masked:
        note = readings[found.masked].note or "not a finite number"
        return f"masked by {found.masked}: {note}"
    return "no term that counts has a value"
