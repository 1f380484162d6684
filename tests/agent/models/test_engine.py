"""Many conversations on one model: the same answers as one by one, and an orderly end of each."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from tiny_models import FAMILIES, TOOLS, conversation, picture

from cadwright.agent.messages import Message
from cadwright.agent.models.generation import Answer, Chooser, Sampling
from cadwright.agent.models.local import LocalModel
from cadwright.agent.models.prompts import Prompt
from cadwright.tools.errors import InfraError
from cadwright.tools.tool import TextBlock

OpenFamily = Callable[..., LocalModel]

EPISODES = 16


def prompts_of(local: LocalModel, count: int) -> list[Prompt]:
    """Return prompts of unequal length."""
    builder = local.prompt_builder()
    return [
        builder.build([Message("user", (TextBlock(f"part {n} " * (1 + n % 5)), picture(n)))], TOOLS)
        for n in range(count)
    ]


def in_threads(local: LocalModel, prompts: list[Prompt], sampling: Sampling) -> list[Answer]:
    with ThreadPoolExecutor(len(prompts)) as pool:
        jobs = [
            pool.submit(local.engine.generate, prompt, sampling, owner=("together", number))
            for number, prompt in enumerate(prompts)
        ]
        return [job.result(timeout=60) for job in jobs]


@pytest.mark.parametrize("name", FAMILIES)
def test_sixteen_together_write_what_they_write_alone(name: str, open_family: OpenFamily) -> None:
    local = open_family(name)
    prompts = prompts_of(local, EPISODES)
    greedy = Sampling(max_new_tokens=8)
    together = in_threads(local, prompts, greedy)
    alone = [local.engine.generate(p, greedy, owner=n) for n, p in enumerate(prompts)]
    assert [one.ids for one in together] == [one.ids for one in alone]


def test_together_they_share_their_passes(open_family: OpenFamily) -> None:
    local = open_family("qwen3_vl")
    prompts = prompts_of(local, 8)
    passes = 0
    forward = local.engine.runner.forward

    def counted(ids: object, *rest: object, **more: object) -> torch.Tensor:
        nonlocal passes
        passes += 1
        return forward(ids, *rest, **more)  # type: ignore[arg-type]

    local.engine.runner.forward = counted  # type: ignore[method-assign, assignment]
    try:
        answers = in_threads(local, prompts, Sampling(max_new_tokens=64))
    finally:
        local.engine.runner.forward = forward  # type: ignore[method-assign]
    assert passes < len(prompts) + sum(one.passes for one in answers)


def test_sampled_row_depends_on_its_seed_and_not_on_its_company(open_family: OpenFamily) -> None:
    local = open_family("qwen3_vl")
    prompts = prompts_of(local, 4)
    sampling = Sampling(temperature=1.0, top_p=0.9, max_new_tokens=12, seed=7)
    together = in_threads(local, prompts, sampling)
    alone = [local.engine.generate(p, sampling, owner=n) for n, p in enumerate(prompts)]
    assert [one.ids for one in together] == [one.ids for one in alone]


def test_another_seed_gives_another_answer(open_family: OpenFamily) -> None:
    local = open_family("qwen3_vl")
    prompt = prompts_of(local, 1)[0]
    first, second = (
        local.engine.generate(prompt, Sampling(1.0, max_new_tokens=12, seed=seed), owner="me")
        for seed in (1, 2)
    )
    assert first.ids != second.ids


def test_session_of_a_batched_row_goes_on_alone(open_family: OpenFamily) -> None:
    local = open_family("qwen3_vl")
    builder = local.prompt_builder()
    greedy = Sampling(max_new_tokens=12)
    first = builder.build(conversation(0), TOOLS)
    others = prompts_of(local, 3)
    found = in_threads(local, [first, *others], greedy)[0]
    second = builder.build(conversation(1), TOOLS, {1: found.ids})
    kept = local.engine.generate(second, greedy, owner=("together", 0))
    assert kept.cached_tokens == len(first) + len(found.ids) - 1
    fresh = open_family("qwen3_vl").engine.generate(second, greedy, owner="fresh")
    assert kept.ids == fresh.ids


def test_logprobs_are_those_of_the_tokens(open_family: OpenFamily) -> None:
    local = open_family("qwen3")
    prompt = prompts_of(local, 1)[0]
    found = local.engine.generate(prompt, Sampling(max_new_tokens=8), owner="me")
    whole = prompt.followed_by(found.ids[:-1])
    runner = local.engine.runner
    logits = runner.read(
        whole, 0, runner.empty_cache(), runner.positions(whole), keep=len(found.ids)
    ).clone()
    logits[:, local.engine.suppressed] = float("-inf")
    expected = torch.log_softmax(logits, -1)[range(len(found.ids)), list(found.ids)]
    assert torch.allclose(torch.tensor(found.logprobs), expected, atol=1e-4)


def test_marks_of_pictures_are_never_written(open_family: OpenFamily) -> None:
    local = open_family("qwen3_vl")
    forbidden = set(local.engine.suppressed)
    assert local.engine.family.image_token_id in forbidden
    prompt = prompts_of(local, 1)[0]
    for seed in range(5):
        hot = Sampling(temperature=5.0, max_new_tokens=40, seed=seed)
        assert not forbidden & set(local.engine.generate(prompt, hot, owner="me").ids)


def test_answer_can_be_cancelled(open_family: OpenFamily) -> None:
    local = open_family("qwen3")
    cancel = threading.Event()
    written: list[int] = []

    def stop_after_three(tokens: list[int]) -> None:
        written.extend(tokens)
        if len(written) >= 3:
            cancel.set()

    found = local.engine.generate(
        prompts_of(local, 1)[0],
        Sampling(temperature=1.0, max_new_tokens=400),
        owner="me",
        on_tokens=stop_after_three,  # type: ignore[arg-type]
        cancel=cancel,
    )
    assert found.finish == "cancelled"
    assert len(found.ids) == 3


def test_tokens_are_streamed_in_order(open_family: OpenFamily) -> None:
    local = open_family("qwen3", tier="fast")
    written: list[int] = []
    found = local.engine.generate(
        prompts_of(local, 1)[0], Sampling(max_new_tokens=20), owner="me", on_tokens=written.extend
    )
    assert tuple(written) == found.ids


def test_failed_pass_is_raised_at_its_callers_and_the_engine_goes_on(
    open_family: OpenFamily,
) -> None:
    local = open_family("qwen3")
    prompts = prompts_of(local, 3)
    greedy = Sampling(max_new_tokens=64)
    forward, tripped = local.engine.runner.forward, threading.Event()

    def broken(ids: list[list[int]], *rest: object, **more: object) -> torch.Tensor:
        if len(ids) == 3 and not tripped.is_set():
            tripped.set()
            raise RuntimeError("out of memory")
        return forward(ids, *rest, **more)  # type: ignore[arg-type]

    local.engine.runner.forward = broken  # type: ignore[method-assign, assignment]
    with ThreadPoolExecutor(3) as pool:
        jobs = [
            pool.submit(local.engine.generate, prompt, greedy, owner=number)
            for number, prompt in enumerate(prompts)
        ]
        errors = {type(job.exception(timeout=60)) for job in jobs}
    assert errors <= {RuntimeError, InfraError, type(None)}
    local.engine.runner.forward = forward  # type: ignore[method-assign]
    assert local.engine.generate(prompts[0], greedy, owner="after").ids


@pytest.mark.parametrize(
    ("sampling", "allowed"),
    [
        (Sampling(temperature=1.0, top_k=2), {0, 1}),
        (Sampling(temperature=1.0, top_p=0.6), {0, 1}),
        (Sampling(temperature=1.0, top_p=0.01), {0}),
        (Sampling(temperature=0.0), {0}),
    ],
    ids=["top_k", "top_p", "smallest top_p", "greedy"],
)
def test_choice_stays_inside_what_is_allowed(sampling: Sampling, allowed: set[int]) -> None:
    logits = torch.log(torch.tensor([0.5, 0.3, 0.15, 0.05]))
    chooser = Chooser(sampling, torch.tensor([], dtype=torch.long))
    assert {chooser.choose(logits)[0] for _ in range(200)} == allowed


def test_choice_follows_the_probabilities() -> None:
    logits = torch.log(torch.tensor([0.7, 0.3]))
    chooser = Chooser(Sampling(temperature=1.0), torch.tensor([], dtype=torch.long))
    ones = sum(chooser.choose(logits)[0] for _ in range(2000))
    assert 500 < ones < 700
