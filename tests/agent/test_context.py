from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.agent.context import (
    ContextBudget,
    ContextOverflow,
    ContextReport,
    EstimatedTokens,
    Fitted,
    fit,
    rebuild,
)
from cadwright.agent.messages import Message
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ImageBlock, TextBlock, ToolCall

COUNT = EstimatedTokens()


def picture(name: str, height: int = 32, width: int = 32, value: int = 0) -> ImageBlock:
    return ImageBlock(np.full((height, width, 3), value, np.uint8), f"id/{name}", f"{name}; more")


def conversation(num_turns: int, *, text: str = "done", system: bool = False) -> list[Message]:
    """A task with a target picture, then turns of one call and one render each."""
    messages = [Message("system", (TextBlock("Be exact."),))] if system else []
    messages.append(Message("user", (TextBlock("Make it."), picture("target"))))
    for turn in range(1, num_turns + 1):
        call = ToolCall("execute", {"code": f"box({turn})"}, f"{turn}")
        messages.append(Message("assistant", (TextBlock("Now this."),), (call,)))
        render = picture("iso", 128, 128, value=turn)
        messages.append(Message("tool", (TextBlock(text), render), call_id=f"{turn}"))
    return messages


def texts(fitted: Fitted) -> str:
    return "\n".join(message.text for message in fitted.messages)


def test_without_limits_nothing_changes() -> None:
    messages = tuple(conversation(3, system=True))
    fitted = fit(messages, ContextBudget(), COUNT)
    assert fitted.messages == messages
    assert fitted.report.edits == ()
    assert fitted.report.tokens_sent == fitted.report.tokens_full == sum(map(COUNT, messages))


def test_the_target_and_the_newest_renders_stay() -> None:
    fitted = fit(conversation(5), ContextBudget(keep_renders=2), COUNT)
    values = [int(image.pixels[0, 0, 0]) for m in fitted.messages for image in m.images]
    assert values == [0, 4, 5]
    assert (fitted.report.images_sent, fitted.report.images_dropped) == (3, 3)


def test_a_placeholder_says_what_was_there() -> None:
    fitted = fit(conversation(3), ContextBudget(keep_renders=1), COUNT)
    assert "[picture dropped: iso of step 1]" in texts(fitted)
    assert "[picture dropped: iso of step 2]" in texts(fitted)


def test_pictures_of_the_task_count_and_are_never_dropped() -> None:
    assert fit(conversation(5), ContextBudget(images=3), COUNT).report.images_sent == 3
    with pytest.raises(ContextOverflow, match="1 pictures in the task, 0 may be sent"):
        fit(conversation(5), ContextBudget(images=0), COUNT)


def test_a_large_picture_is_scaled_and_keeps_its_shape() -> None:
    messages = [Message("user", (picture("drawing", 300, 400),))]
    fitted = fit(messages, ContextBudget(image_px=30_000), COUNT)
    height, width = fitted.messages[0].images[0].pixels.shape[:2]
    assert height * width <= 30_000
    assert width / height == pytest.approx(400 / 300, rel=0.02)
    assert fitted.report.images_scaled == 1


def test_a_long_result_is_cut_and_says_by_how_much() -> None:
    fitted = fit(conversation(1, text="x" * 100), ContextBudget(tool_text_chars=10), COUNT)
    assert fitted.messages[-1].text == f"{'x' * 10}\n[text cut: 90 of 100 characters not shown]"
    assert fitted.report.texts_cut == 1


def test_tokens_are_saved_oldest_first_and_only_as_needed() -> None:
    messages = conversation(6, text="long " * 40)
    full = sum(map(COUNT, messages))
    fitted = fit(messages, ContextBudget(tokens=full - 1), COUNT)
    assert [edit.message for edit in fitted.report.edits] == [2]
    assert fitted.report.tokens_sent < full
    assert fitted.report.tokens_dropped == full - fitted.report.tokens_sent


def test_the_newest_render_outlasts_old_texts() -> None:
    messages = conversation(6, text="long " * 100)
    needed = sum(map(COUNT, messages)) - 3 * 125
    fitted = fit(messages, ContextBudget(tokens=needed), COUNT)
    assert "[text dropped: 500 characters of step 1]" in texts(fitted)
    assert fitted.messages[-1].images
    assert fitted.messages[-1].text == "long " * 100


def test_a_full_context_is_an_overflow_with_its_report() -> None:
    with pytest.raises(ContextOverflow, match="tokens have to be sent, 10 may be") as caught:
        fit(conversation(2), ContextBudget(tokens=10), COUNT)
    assert caught.value.report.tokens_sent > 10


def test_fixed_tokens_count() -> None:
    messages = conversation(1)
    total = sum(map(COUNT, messages))
    fit(messages, ContextBudget(tokens=total + 50), COUNT, fixed_tokens=50)
    with pytest.raises(ContextOverflow):
        fit(messages, ContextBudget(tokens=total), COUNT, fixed_tokens=50)


def test_the_same_conversation_is_cut_the_same_way() -> None:
    budget = ContextBudget(tokens=280, images=3, tool_text_chars=20)
    one = fit(conversation(6, text="x" * 50), budget, COUNT)
    two = fit(conversation(6, text="x" * 50), budget, COUNT)
    assert one == two


def test_a_message_may_have_both_a_cut_text_and_a_dropped_picture() -> None:
    budget = ContextBudget(keep_renders=0, tool_text_chars=3)
    fitted = fit(conversation(1, text="abcdef"), budget, COUNT)
    assert fitted.messages[-1].text.startswith("abc\n[text cut")
    assert not fitted.messages[-1].images


budgets = st.builds(
    ContextBudget,
    tokens=st.none() | st.integers(100, 1000),
    images=st.none() | st.integers(1, 6),
    image_px=st.none() | st.integers(50, 2000),
    keep_renders=st.none() | st.integers(0, 6),
    tool_text_chars=st.none() | st.integers(1, 300),
)


@given(
    budget=budgets,
    turns=st.integers(0, 7),
    length=st.integers(0, 400),
    system=st.booleans(),
    later=st.integers(0, 2),
)
def test_what_was_sent_is_rebuilt_from_the_report(
    budget: ContextBudget, turns: int, length: int, system: bool, later: int
) -> None:
    messages = conversation(turns + later, text="y" * length, system=system)
    before = messages[: len(messages) - 2 * later]
    try:
        fitted = fit(before, budget, COUNT)
    except ContextOverflow:
        return
    report = ContextReport.from_json(json.loads(json.dumps(fitted.report.to_json())))
    assert report == fitted.report
    assert rebuild(messages, report) == fitted.messages


@given(budget=budgets, turns=st.integers(0, 7), length=st.integers(0, 400))
def test_no_limit_is_ever_passed(budget: ContextBudget, turns: int, length: int) -> None:
    try:
        fitted = fit(conversation(turns, text="y" * length), budget, COUNT)
    except ContextOverflow:
        return
    images = [image for message in fitted.messages for image in message.images]
    assert budget.images is None or len(images) <= budget.images
    assert budget.keep_renders is None or len(images) <= 1 + budget.keep_renders
    sizes = [image.pixels.shape[0] * image.pixels.shape[1] for image in images]
    assert budget.image_px is None or all(size <= budget.image_px for size in sizes)
    assert budget.tokens is None or sum(map(COUNT, fitted.messages)) <= budget.tokens
    assert fitted.report.images_sent == len(images)
    assert fitted.report.images_full == fitted.report.images_sent + fitted.report.images_dropped
    assert [m.role for m in fitted.messages] == [m.role for m in conversation(turns)]


def test_a_picture_that_comes_out_otherwise_is_noticed() -> None:
    messages = [Message("user", (picture("drawing", 60, 60),))]
    report = fit(messages, ContextBudget(image_px=100), COUNT).report
    spoilt = replace(report, edits=(replace(report.edits[0], sha256="0" * 64),))
    with pytest.raises(UsageError, match="does not come out"):
        rebuild(messages, spoilt)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"image": 3}, "did you mean 'images'"),
        ({"images": -1}, "whole number from 0"),
        ({"tokens": 0}, "whole number from 1"),
        ({"tokens": True}, "whole number"),
        ({"image_px": 1.5}, "whole number"),
    ],
    ids=["name", "negative", "zero", "boolean", "fraction"],
)
def test_a_wrong_budget_is_refused_in_words(data: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ContextBudget.from_json(data)


def test_the_estimate_says_that_it_is_one() -> None:
    assert COUNT.name.startswith("estimate: 4 characters")
    assert COUNT(Message("user", (TextBlock("x" * 400),))) == 104
