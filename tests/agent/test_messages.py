from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.agent.messages import (
    AssistantTurn,
    Conversation,
    Message,
    call_from_json,
    call_to_json,
    from_plain,
    message_from_json,
    message_to_json,
    pixels_digest,
    to_plain,
)
from cadwright.tools.tool import ImageBlock, TextBlock, ToolCall

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(), values, max_size=3))
def test_call_survives_json(arguments: dict[str, object]) -> None:
    call = ToolCall("execute", arguments, "7")
    text = json.dumps(call_to_json(call), allow_nan=False)
    assert call_from_json(json.loads(text)) == call


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan], ids=str)
def test_non_finite_number_survives_strict_json(value: float) -> None:
    again = from_plain(json.loads(json.dumps(to_plain([value]), allow_nan=False)))
    assert repr(again) == repr([value])


def test_message_survives_json_with_its_image() -> None:
    image = ImageBlock(np.arange(12, dtype=np.uint8).reshape(2, 2, 3), "id", "caption")
    message = Message("tool", (TextBlock("text"), image), (ToolCall("a", {}),), "1")
    data = json.loads(json.dumps(message_to_json(message, lambda _: "one.png")))
    again = message_from_json(data, lambda name: {"one.png": image.pixels}[name])
    assert again.text == "text"
    assert np.array_equal(again.images[0].pixels, image.pixels)
    assert (again.role, again.tool_calls, again.call_id) == ("tool", message.tool_calls, "1")


def test_json_of_an_image_holds_a_file_name_and_no_pixels() -> None:
    image = ImageBlock(np.zeros((64, 64, 3), np.uint8), "id")
    data = message_to_json(Message("user", (image,)), lambda _: "one.png")
    assert data["blocks"][0]["file"] == "one.png"
    assert len(json.dumps(data)) < 500


def test_digest_tells_images_of_other_shape_apart() -> None:
    flat, tall = np.zeros((1, 4, 3), np.uint8), np.zeros((4, 1, 3), np.uint8)
    assert pixels_digest(flat) != pixels_digest(tall)


def test_conversation_counts_the_turns_of_the_policy() -> None:
    conversation = Conversation([Message("user", (TextBlock("go"),))])
    conversation.append(AssistantTurn("one").as_message())
    conversation.append(Message("tool", (TextBlock("ok"),)))
    conversation.append(AssistantTurn("two").as_message())
    assert (conversation.num_turns, len(conversation)) == (2, 4)


def test_messages_of_a_conversation_cannot_be_changed_from_outside() -> None:
    conversation = Conversation()
    assert isinstance(conversation.messages, tuple)
