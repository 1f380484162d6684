"""Long specifications hold what they are given, where they are told, and nothing against it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.envs.domains.documents import bury, estimated_tokens, places
from cadwright.envs.domains.filler_parts import Dice, parts
from cadwright.tools.errors import UsageError

FACTS = (
    "Model a flange of 80 mm diameter and 12 mm thickness, its axis on Z, its back on Z = 0.",
    "It has 6 through holes of 6.6 mm diameter on a pitch circle of 60 mm.",
)


def document(num_tokens=4000, depth=0.5, seed=3, facts=FACTS):
    return bury(facts, np.random.default_rng(seed), num_tokens=num_tokens, depth=depth)


@given(st.integers(0, 1000), st.floats(0, 1), st.integers(1_000, 20_000))
def test_every_fact_stands_there_once_to_the_letter(seed, depth, num_tokens):
    found = places(document(num_tokens, depth, seed), FACTS)
    assert [place.fact for place in found] == list(FACTS)


@given(st.integers(0, 1000), st.floats(0, 1), st.integers(1_000, 20_000))
def test_the_length_is_what_was_asked_for(seed, depth, num_tokens):
    assert estimated_tokens(document(num_tokens, depth, seed)) == pytest.approx(
        num_tokens, rel=0.02, abs=90
    )


@pytest.mark.parametrize(("num_tokens", "slack"), [(1_000, 0.2), (16_000, 0.02), (64_000, 0.005)])
@pytest.mark.parametrize("depth", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_facts_stand_at_the_chosen_depth(num_tokens, slack, depth):
    first, *_ = places(document(num_tokens, depth), FACTS)
    assert first.depth == pytest.approx(depth, abs=slack)


def test_facts_keep_their_order():
    starts = [place.start for place in places(document(), FACTS)]
    assert starts == sorted(starts)


def test_the_same_generator_state_writes_the_same_document():
    assert document(seed=5) == document(seed=5)


def test_another_state_writes_another():
    assert document(seed=5) != document(seed=6)


def test_two_hundred_thousand_tokens_are_written_in_full():
    text = document(200_000, 0.9)
    assert estimated_tokens(text) == pytest.approx(200_000, rel=0.001)


def sections(text):
    """Return what stands under each heading, the heading included."""
    return re.split(r"\n\n(?=\d+(?:\.\d+|\.) [A-Z])", text)


def wanted_in(text):
    return re.search(r"part to be made is (PN-\d+)", text)[1]


@given(st.integers(0, 1000), st.floats(0, 1))
def test_every_length_outside_the_facts_belongs_to_another_part(seed, depth):
    text = document(5_000, depth, seed)
    wanted = wanted_in(text)
    for section in sections(text):
        if any(fact in section for fact in FACTS) or not re.search(r"\d mm\b", section):
            continue
        assert wanted not in section
        is_of_one_part = re.match(r"\d+\.\d+ Part PN-", section) is not None
        sentences = re.split(r"(?<=[.;])\s", section)
        with_lengths = [s for s in sentences if re.search(r"\d mm\b", s)]
        assert is_of_one_part or all("PN-" in sentence for sentence in with_lengths)


@given(st.integers(0, 1000))
def test_the_wanted_part_is_named_in_the_introduction_and_in_one_heading(seed):
    text = document(5_000, 0.5, seed)
    heading = rf"^\d+\. Part {wanted_in(text)}$"
    assert len(re.findall(heading, text, re.MULTILINE)) == 1


def test_the_wanted_part_is_also_named_where_it_is_ordered_and_where_others_meet_it():
    text = document(64_000)
    wanted = wanted_in(text)
    assert f"of the order is {wanted}." in text
    assert text.count(f"is fitted against {wanted}, which has a chapter of its own") > 3


def test_no_two_parts_share_a_number():
    names = re.findall(r"^\d+\.\d+ Part (PN-\d+)", document(200_000, 0.5), re.MULTILINE)
    assert len(names) > 1000
    assert len(set(names)) == len(names)


def test_changes_move_a_size_by_some_per_cent():
    found = re.findall(r"changed from ([\d.]+) mm to ([\d.]+) mm", document(64_000))
    assert len(found) > 100
    for before, after in found:
        assert 0 < abs(float(before) - float(after)) <= max(0.1 * float(after), 0.51)


def test_records_and_changes_speak_of_the_sizes_that_the_part_has():
    told = dict(re.findall(r"^\d+\.\d+ Part (PN-\d+) .*\n(.*)", document(16_000), re.MULTILINE))
    records = re.findall(r"Record \d+: (PN-\d+), [a-z ]+ ([\d.]+ mm)", document(16_000))
    assert len(records) > 50
    assert all(size in told[number] for number, size in records)


@given(st.integers(0, 1000))
def test_the_parts_that_fill_a_document_can_be_made(seed):
    made = parts(Dice(np.random.default_rng(seed)))
    for part in (next(made) for _ in range(40)):
        sizes = dict(part.sizes)
        outside = sizes.get("outer diameter", max(sizes.values()))
        assert all(value < outside for name, value in sizes.items() if name == "bore diameter")
        assert sizes.get("wall thickness", 0) < min(v for k, v in sizes.items() if "wall" not in k)
        box = np.prod(sorted([*sizes.values(), outside, outside])[-3:])
        assert part.mass_g < max(2, 8.6 * box / 1000)


def test_chapters_are_numbered_in_order():
    numbers = [int(n) for n in re.findall(r"^(\d+)\. [A-Z]", document(), re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_facts_longer_than_the_document_are_kept():
    long = ("The part has a hole. " * 400).strip()
    assert long in document(500, 0.5, facts=(long,))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"facts": ()}, "needs a fact"),
        ({"num_tokens": 10}, "10 tokens: allowed are"),
        ({"depth": 1.5}, "depth 1.5"),
    ],
    ids=["no fact", "too short", "too deep"],
)
def test_wrong_use_is_named(settings, message):
    with pytest.raises(UsageError, match=message):
        document(**settings)


def test_a_missing_fact_is_named():
    with pytest.raises(UsageError, match="stands 0 times"):
        places(document(), ("It is blue.",))
