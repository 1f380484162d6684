"""Guesses change how fast an answer comes, never what it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import CROPPABLE, TOOLS, conversation

from cadwright.agent.models.family import Family
from cadwright.agent.models.generation import Sampling
from cadwright.agent.models.local import LocalModel
from cadwright.agent.models.options import ModelOptions
from cadwright.agent.models.speculation import Pace, last_occurrence
from cadwright.agent.models.tiers import plan_tier

OpenFamily = Callable[..., LocalModel]

LENGTH = 48
SAMPLINGS = {
    "greedy": Sampling(max_new_tokens=LENGTH),
    "sampled": Sampling(temperature=1.0, top_p=0.9, max_new_tokens=LENGTH, seed=5),
}


@pytest.mark.parametrize("sampling", SAMPLINGS.values(), ids=SAMPLINGS)
@pytest.mark.parametrize("name", CROPPABLE)
def test_fast_tier_writes_the_tokens_of_the_standard_tier(
    name: str, sampling: Sampling, open_family: OpenFamily
) -> None:
    standard, fast = open_family(name), open_family(name, tier="fast")
    for turns in (0, 2):
        prompt = standard.prompt_builder().build(conversation(turns), TOOLS)
        expected = standard.engine.generate(prompt, sampling, owner="me")
        found = fast.engine.generate(prompt, sampling, owner="me")
        assert found.ids == expected.ids
        assert found.logprobs == pytest.approx(expected.logprobs, abs=1e-4)


def test_draft_model_writes_the_tokens_of_the_standard_tier(
    open_family: OpenFamily, family_folder: Callable[[str], Path]
) -> None:
    standard = open_family("qwen3_vl")
    fast = open_family("qwen3_vl", tier="fast", draft=str(family_folder("qwen3_vl")))
    prompt = standard.prompt_builder().build(conversation(1), TOOLS)
    expected = standard.engine.generate(prompt, SAMPLINGS["greedy"], owner="me")
    found = fast.engine.generate(prompt, SAMPLINGS["greedy"], owner="me")
    assert found.ids == expected.ids
    assert found.accepted == found.guessed > 0  # the draft is the model itself
    assert found.passes < expected.passes / 3


def test_repeated_text_takes_fewer_passes(open_family: OpenFamily) -> None:
    fast = open_family("gemma3", tier="fast")
    prompt = fast.prompt_builder().build(conversation(2), TOOLS)
    found = fast.engine.generate(prompt, Sampling(max_new_tokens=200), owner="me")
    assert found.passes == len(found.ids) - 1 - found.accepted


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(1, 4))
def test_last_occurrence_is_what_a_plain_search_finds(text: list[int], size: int) -> None:
    ending = text[-size:]
    places = [n for n in range(len(text) - size) if text[n : n + size] == ending]
    expected = places[-1] if places else -1
    assert last_occurrence(np.asarray(text, dtype=np.int64), size) == expected


def test_pace_grows_with_luck_and_shrinks_without() -> None:
    pace = Pace()
    start = pace.most
    pace.learn(start, start)
    assert pace.most > start
    for _ in range(5):
        pace.learn(pace.most, 0)
    assert pace.most == 2


PLAIN = Family("plain", -1, has_grid_positions=False, types_name="", can_cut=True)
RECURRENT = Family("recurrent", -1, has_grid_positions=False, types_name="", can_cut=False)


@pytest.mark.parametrize(
    ("tier", "scenario", "expected"),
    [
        ("standard", "interactive", "standard"),
        ("fast", "batch", "fast"),
        ("auto", "interactive", "fast"),
        ("auto", "long", "fast"),
        ("auto", "batch", "standard"),
    ],
)
def test_auto_tier_follows_the_scenario(tier: str, scenario: str, expected: str) -> None:
    plan = plan_tier(ModelOptions("m", tier=tier, scenario=scenario), PLAIN)
    assert plan.tier == expected
    assert plan.guess == ("lookup" if expected == "fast" else "none")


def test_fast_tier_says_where_it_cannot_guess() -> None:
    plan = plan_tier(ModelOptions("m", tier="fast"), RECURRENT)
    assert plan.guess == "none"
    assert "recurrent states" in plan.notes[0]


def test_quantised_weights_are_not_called_equal() -> None:
    plan = plan_tier(ModelOptions("m", quant="int8"), PLAIN)
    assert not plan.is_greedy_equal
    assert "tokens may differ" in plan.notes[0]
