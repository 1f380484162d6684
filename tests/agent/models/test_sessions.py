"""With the cache kept across turns, greedy tokens are those of reading everything again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tiny_models import CROPPABLE, FAMILIES, TOOLS, conversation, picture

from cadwright.agent.messages import Message
from cadwright.agent.models.generation import Answer, Sampling
from cadwright.agent.models.local import LocalModel
from cadwright.agent.models.pictures import join_inputs
from cadwright.agent.models.prompts import Prompt
from cadwright.tools.tool import TextBlock

OpenFamily = Callable[..., LocalModel]

GREEDY = Sampling(max_new_tokens=16)
TURNS = 4


def answer(local: LocalModel, prompt: Prompt, owner: object = "me") -> Answer:
    return local.engine.generate(prompt, GREEDY, owner=owner)


def from_transformers(local: LocalModel, prompt: Prompt) -> list[int]:
    """Return what ``generate`` of transformers writes, reading the whole prompt."""
    model, family = local.loaded.model, local.engine.family
    ids = torch.from_numpy(prompt.ids)[None]
    more: dict[str, Any] = dict(join_inputs(prompt.pictures) or {}) if prompt.pictures else {}
    is_picture = ids == family.image_token_id
    if family.has_grid_positions:
        more["mm_token_type_ids"] = is_picture.int()
    elif family.types_name and more:
        more[family.types_name] = is_picture.long()
    suppressed = local.engine.suppressed
    with torch.inference_mode():
        out = model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=GREEDY.max_new_tokens,
            do_sample=False,
            suppress_tokens=suppressed,
            **more,
        )
    return [int(token) for token in out[0, len(prompt) :]]


@pytest.mark.parametrize("name", FAMILIES)
def test_tokens_equal_those_of_transformers_at_every_turn(
    name: str, open_family: OpenFamily
) -> None:
    local = open_family(name)
    builder = local.prompt_builder()
    spoken: dict[int, tuple[int, ...]] = {}
    for turn in range(TURNS):
        prompt = builder.build(conversation(turn), TOOLS, spoken)
        found = answer(local, prompt)
        assert list(found.ids) == from_transformers(local, prompt)
        assert len(set(found.ids)) > 3  # one token for ever would prove nothing
        spoken[2 * turn + 1] = found.ids


@pytest.mark.parametrize("name", FAMILIES)
def test_turn_reads_only_what_is_new(name: str, open_family: OpenFamily) -> None:
    local = open_family(name)
    builder = local.prompt_builder()
    first = builder.build(conversation(0), TOOLS)
    spoken = {1: answer(local, first).ids}
    second = builder.build(conversation(1), TOOLS, spoken)
    # the last token of an answer was written and never read
    assert answer(local, second).cached_tokens == len(first) + len(spoken[1]) - 1


@pytest.mark.parametrize("name", FAMILIES)
def test_changed_history_gives_the_tokens_of_a_fresh_start(
    name: str, open_family: OpenFamily
) -> None:
    local = open_family(name)
    builder = local.prompt_builder()
    answer(local, builder.build(conversation(3), TOOLS))
    undone = [*conversation(1), Message("user", (TextBlock("no, larger"), picture(9)))]
    prompt = builder.build(undone, TOOLS)
    assert list(answer(local, prompt).ids) == from_transformers(local, prompt)


@pytest.mark.parametrize("name", CROPPABLE)
def test_undo_keeps_what_still_holds(name: str, open_family: OpenFamily) -> None:
    local = open_family(name)
    builder = local.prompt_builder()
    kept = builder.build(conversation(2), TOOLS)
    answer(local, builder.build(conversation(4), TOOLS))
    found = answer(local, kept)
    assert found.cached_tokens == len(kept) - 1


@pytest.mark.parametrize("name", ["qwen3_vl", "gemma3", "idefics3"])
def test_other_pixels_in_the_same_place_are_read_again(name: str, open_family: OpenFamily) -> None:
    local = open_family(name)
    builder = local.prompt_builder()
    answer(local, builder.build(conversation(0), TOOLS))
    changed = builder.build([Message("user", (TextBlock("Make a box."), picture(5)))], TOOLS)
    found = answer(local, changed)
    assert found.cached_tokens <= changed.spans[0][0]
    assert list(found.ids) == from_transformers(local, changed)


@pytest.mark.parametrize("name", CROPPABLE)
def test_branches_share_their_beginning(name: str, open_family: OpenFamily) -> None:
    local = open_family(name)
    builder = local.prompt_builder()
    trunk = builder.build(conversation(2), TOOLS)
    before = answer(local, trunk, "trunk")
    branch = builder.build([*conversation(2), Message("user", (TextBlock("left"),))], TOOLS)
    found = answer(local, branch, "branch")
    assert found.cached_tokens > len(trunk) * 0.9
    assert list(found.ids) == from_transformers(local, branch)
    assert answer(local, trunk, "trunk").ids == before.ids


def test_recurrent_states_cannot_be_cut_and_are_read_again(open_family: OpenFamily) -> None:
    local = open_family("qwen3_5")
    builder = local.prompt_builder()
    answer(local, builder.build(conversation(3), TOOLS))
    assert answer(local, builder.build(conversation(1), TOOLS)).cached_tokens == 0


def test_memory_is_bounded(open_family: OpenFamily) -> None:
    local = open_family("qwen3_vl", cache_tokens=1500)
    builder = local.prompt_builder()
    for seed in range(8):
        messages = [Message("user", (picture(seed), TextBlock(f"part {seed} " * 20)))]
        answer(local, builder.build(messages, TOOLS), owner=seed)
        assert local.engine.store.num_tokens <= 1500


def test_forgotten_owner_leaves_nothing(open_family: OpenFamily) -> None:
    local = open_family("qwen3")
    answer(local, local.prompt_builder().build(conversation(0), TOOLS), "gone")
    local.engine.forget("gone")
    assert local.engine.store.num_tokens == 0


def test_memory_of_zero_remembers_nothing(open_family: OpenFamily) -> None:
    local = open_family("qwen3", cache_tokens=0)
    prompt = local.prompt_builder().build(conversation(1), TOOLS)
    answer(local, prompt)
    assert answer(local, prompt).cached_tokens == 0
