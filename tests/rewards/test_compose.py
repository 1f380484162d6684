from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cadwright.rewards.breakdown import Reading, RecipeCard, RewardBreakdown, require_same_recipe
from cadwright.rewards.compose import (
    Gate,
    Leaf,
    Lexicographic,
    Minimum,
    Node,
    OnMissing,
    Product,
    WeightedSum,
    evaluate,
    shares,
)
from cadwright.rewards.group import group_statistics
from cadwright.tools.errors import UsageError

UNIT = st.floats(0.0, 1.0)
FEW = settings(max_examples=25, deadline=None)
NAMES = ("a", "b", "c")
COMBINING = [WeightedSum, Product, Minimum]


def reward(tree: Node, **values: float | None) -> RewardBreakdown:
    return evaluate(tree, {name: Reading(name, value) for name, value in values.items()})


def node(kind: type, weights: tuple[float, ...] = (1.0, 2.0, 0.5), **options: object) -> Node:
    children = tuple(Leaf(term=n, weight=w) for n, w in zip(NAMES, weights, strict=True))
    made: Node = kind(children=children, **options)
    return made


ALL_KINDS = [
    pytest.param(node(WeightedSum), id="sum"),
    pytest.param(node(Product), id="product"),
    pytest.param(node(Minimum), id="minimum"),
    pytest.param(node(Lexicographic), id="lexicographic"),
    pytest.param(Gate(condition=Leaf(term="a"), then=node(Product)), id="gate"),
]


@pytest.mark.parametrize("tree", ALL_KINDS)
@given(values=st.tuples(UNIT, UNIT, UNIT))
@FEW
def test_scalar_lies_in_the_unit_interval(tree: Node, values: tuple[float, ...]) -> None:
    value = reward(tree, **dict(zip(NAMES, values, strict=True))).value
    assert value is not None
    assert 0.0 <= value <= 1.0


@pytest.mark.parametrize("tree", ALL_KINDS)
@given(values=st.tuples(UNIT, UNIT, UNIT), index=st.integers(0, 2), better=UNIT)
@FEW
def test_a_better_term_never_costs(
    tree: Node, values: tuple[float, ...], index: int, better: float
) -> None:
    terms = dict(zip(NAMES, values, strict=True))
    raised = {**terms, NAMES[index]: max(better, values[index])}
    before, after = reward(tree, **terms).value, reward(tree, **raised).value
    assert before is not None
    assert after is not None
    assert after >= before


@pytest.mark.parametrize("tree", ALL_KINDS)
def test_full_credit_everywhere_is_exactly_one(tree: Node) -> None:
    assert reward(tree, a=1.0, b=1.0, c=1.0).value == 1.0


@pytest.mark.parametrize("kind", COMBINING)
@given(values=st.tuples(UNIT, UNIT, UNIT), seed=st.integers(0, 5))
@FEW
def test_the_order_of_terms_changes_nothing(
    kind: type, values: tuple[float, ...], seed: int
) -> None:
    tree = node(kind)
    assert not isinstance(tree, Leaf | Gate)
    mixed = list(tree.children)
    random.Random(seed).shuffle(mixed)
    terms = dict(zip(NAMES, values, strict=True))
    assert reward(replace(tree, children=tuple(mixed)), **terms).value == (
        reward(tree, **terms).value
    )


@given(condition=st.floats(0.0, 0.999), then=UNIT)
@FEW
def test_a_closed_gate_gives_only_its_graded_value(condition: float, then: float) -> None:
    tree = Gate(condition=Leaf(term="a"), then=Leaf(term="b"), floor=0.2)
    assert reward(tree, a=condition, b=then).value == 0.2 * condition


@given(closed=st.floats(0.0, 0.999), then=UNIT)
@FEW
def test_an_open_gate_beats_every_closed_one(closed: float, then: float) -> None:
    tree = Gate(condition=Leaf(term="a"), then=Leaf(term="b"), floor=0.2)
    low, high = reward(tree, a=closed, b=1.0).value, reward(tree, a=1.0, b=then).value
    assert low is not None
    assert high is not None
    assert low < high


@given(first=st.integers(0, 9), second=UNIT, other=UNIT)
@FEW
def test_an_earlier_goal_outweighs_all_later_ones(first: int, second: float, other: float) -> None:
    tree = Lexicographic(children=(Leaf(term="a"), Leaf(term="b")))
    low = reward(tree, a=(first + 0.5) / 10, b=second).value
    high = reward(tree, a=(first + 1.5) / 10 if first < 9 else 1.0, b=other).value
    assert low is not None
    assert high is not None
    assert low < high


def test_a_vector_keeps_its_components_by_name() -> None:
    tree = Lexicographic(children=(Leaf(term="a"), Leaf(term="b")))
    assert reward(tree, a=0.4, b=0.7).vector == {"a": 0.4, "b": 0.7}


def test_renormalising_goes_on_without_an_absent_term() -> None:
    assert reward(node(WeightedSum), a=1.0, b=0.5).value == pytest.approx(2.0 / 3.0)


@pytest.mark.parametrize("kind", COMBINING)
def test_masking_node_has_no_value_where_a_term_is_absent(kind: type) -> None:
    assert reward(node(kind, on_missing=OnMissing.MASK), a=1.0, b=0.5).value is None


@pytest.mark.parametrize("tree", ALL_KINDS)
def test_a_failure_of_ours_masks_the_whole_and_is_never_zero(tree: Node) -> None:
    readings = {name: Reading(name, 1.0) for name in NAMES}
    readings["b"] = Reading("b", None, note="the judge died", is_masked=True)
    found = evaluate(tree, readings)
    assert found.value is None
    assert found.reason == "masked by b: the judge died"


def test_a_term_without_weight_cannot_mask() -> None:
    readings = {"a": Reading("a", 0.5), "b": Reading("b", 1.0), "c": Reading("c", math.nan)}
    assert evaluate(node(WeightedSum, (1.0, 1.0, 0.0)), readings).value == 0.75


def test_a_closed_gate_does_not_ask_what_it_guards() -> None:
    tree = Gate(condition=Leaf(term="a"), then=Leaf(term="b"))
    masked = Reading("b", None, is_masked=True)
    assert evaluate(tree, {"a": Reading("a", 0.5), "b": masked}).value == 0.025


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_no_number_masks_and_is_flagged(number: float) -> None:
    found = reward(node(WeightedSum), a=number, b=1.0, c=1.0)
    assert found.value is None
    assert [flag.code for flag in found.flags] == ["not_finite"]
    json.dumps(found.to_json(), allow_nan=False)


@pytest.mark.parametrize(("given_value", "kept"), [(2.0, 1.0), (-1000.0, 0.0)])
def test_a_value_out_of_range_is_clamped_and_flagged(given_value: float, kept: float) -> None:
    found = reward(Leaf(term="a"), a=given_value)
    assert found.value == kept
    assert [flag.code for flag in found.flags] == ["out_of_range"]


@pytest.mark.parametrize("hostile", ["1.0", True])
def test_a_value_of_the_wrong_type_is_refused_by_name(hostile: object) -> None:
    readings = {"a": Reading("a", hostile)}  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="component 'a'"):
        evaluate(Leaf(term="a"), readings)


def test_shares_follow_the_weights_down_the_tree() -> None:
    inner = WeightedSum(children=(Leaf(term="b"), Leaf(term="c", weight=3.0)), weight=3.0)
    tree = WeightedSum(children=(Leaf(term="a"), inner))
    assert shares(tree) == {"a": 0.25, "b": 0.1875, "c": 0.5625}


def test_every_node_is_reported_by_its_path() -> None:
    inner = Product(children=(Leaf(term="a"), Leaf(term="b")))
    tree = WeightedSum(children=(Leaf(term="a"), inner))
    found = {entry.path: entry.value for entry in reward(tree, a=1.0, b=0.5).nodes}
    assert found == {
        "sum": 0.75,
        "sum/a": 1.0,
        "sum/product": 0.5,
        "sum/product/a": 1.0,
        "sum/product/b": 0.5,
    }


@pytest.mark.parametrize("field", ["name", "version", "digest"])
def test_rewards_of_unlike_recipes_refuse_comparison(field: str) -> None:
    card = RecipeCard("create", 1, "abc")
    first = replace(reward(Leaf(term="a"), a=1.0), recipe=card)
    unlike = replace(card, version=2) if field == "version" else replace(card, **{field: "other"})
    with pytest.raises(UsageError, match=f"recipe {field}"):
        require_same_recipe(first, replace(first, recipe=unlike))


def test_a_group_with_equal_rewards_has_no_signal() -> None:
    group = group_statistics([reward(node(Minimum), a=0.0, b=b, c=1.0) for b in (0.2, 0.9)])
    assert group.is_zero_signal
    assert group.silent == ("a", "c")


def test_graded_failures_give_a_group_its_signal() -> None:
    tree = Gate(condition=Leaf(term="a"), then=Leaf(term="b"))
    assert not group_statistics([reward(tree, a=a) for a in (0.05, 0.1, 0.3)]).is_zero_signal


def test_masked_members_are_counted_and_left_out_of_the_spread() -> None:
    group = group_statistics([reward(Leaf(term="a"), a=a) for a in (0.0, 1.0, None)])
    assert (group.num_masked, group.total.count, group.total.std) == (1, 2, 0.5)
