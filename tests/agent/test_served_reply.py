from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from served_fakes import chunk

from cadwright.agent.policies.served_reply import Assembler, MalformedReply
from cadwright.agent.tool_calls import ProviderCall

keys = st.sampled_from(
    ["choices", "delta", "message", "content", "tool_calls", "function", "index", "name",
     "arguments", "id", "finish_reason", "usage", "prompt_tokens", "completion_tokens",
     "reasoning_content", "prompt_tokens_details", "cached_tokens"]
)  # fmt: skip
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=12,
)


@given(st.lists(plain | st.fixed_dictionaries({"choices": st.lists(plain, max_size=2)})))
def test_whatever_a_server_sends_is_a_reply_or_malformed(pieces: list[Any]) -> None:
    assembler = Assembler()
    try:
        for piece in pieces:
            assembler.add(piece)
        reply = assembler.reply()
    except MalformedReply:
        return
    assert isinstance(reply.text, str)
    assert all(isinstance(call.arguments, str) for call in reply.calls)


@given(text=st.text(), cuts=st.lists(st.integers(0, 200)))
def test_a_streamed_text_is_the_text(text: str, cuts: list[int]) -> None:
    assembler = Assembler()
    at = 0
    for cut in [*sorted(min(cut, len(text)) for cut in cuts), len(text)]:
        assembler.add(chunk(content=text[at:cut]))
        at = cut
    assembler.add(chunk("stop"))
    assert assembler.reply().text == text


def test_calls_that_come_in_pieces_are_put_together_by_their_index() -> None:
    assembler = Assembler()
    for index, name in ((1, "submit"), (0, "render")):
        function = {"name": name, "arguments": ""}
        assembler.add(chunk(tool_calls=[{"index": index, "id": f"c{index}", "function": function}]))
    assembler.add(chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"view":'}}]))
    assembler.add(chunk(tool_calls=[{"index": 1, "function": {"arguments": "{}"}}]))
    assembler.add(chunk(tool_calls=[{"index": 0, "function": {"arguments": '"iso"}'}}]))
    assembler.add(chunk("tool_calls"))
    assert assembler.reply().calls == (
        ProviderCall("render", '{"view":"iso"}', "c0"),
        ProviderCall("submit", "{}", "c1"),
    )


def test_a_reply_without_an_end_is_none() -> None:
    assembler = Assembler()
    assembler.add(chunk(content="half"))
    with pytest.raises(MalformedReply, match="broke off"):
        assembler.reply()


def test_thoughts_that_come_apart_stay_apart() -> None:
    assembler = Assembler()
    assembler.add(chunk(reasoning_content="Hm. "))
    assembler.add(chunk(reasoning="Yes."))
    assembler.add(chunk("stop", content="Done."))
    assert (assembler.reply().thinking, assembler.reply().text) == ("Hm. Yes.", "Done.")


def test_an_endless_reply_is_given_up() -> None:
    assembler = Assembler()
    assembler.add(chunk(content="x" * 2_000_000))
    with pytest.raises(MalformedReply, match="longer than"):
        assembler.add(chunk(content="x"))
