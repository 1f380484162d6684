"""What a person reads when a server refuses: its own words, and whose turn it is to act."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from served_fakes import Behaviour, breaks_off, refuses, says, sends, serving

from cadwright.agent.messages import Conversation, Message
from cadwright.agent.policies.policy import DecisionFailed, DecisionStopped
from cadwright.agent.policies.served import ServedPolicy
from cadwright.agent.policies.served_options import parse_served
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import TextBlock

ASKED = Conversation([Message("user", (TextBlock("Build a box."),))])


def deciding(*behaviours: Behaviour, times: int = 1, options: str = "") -> Iterator[str]:
    """Yield what each turn says."""
    with serving(*behaviours) as server:
        spec = parse_served(f"m@{server.url}?attempts=2&first_token_s=2&{options}")
        policy = ServedPolicy("openai:m", spec, sleep=lambda _: None)
        try:
            for _ in range(times):
                yield policy.act(ASKED, ()).text
        finally:
            policy.close()


def in_detail(status: int, words: str) -> Behaviour:
    """Refuse in the form of FastAPI, which `transformers serve` uses."""
    return lambda handler: handler.send_json({"detail": words}, status)


def in_plain_text(status: int, words: str) -> Behaviour:
    return lambda handler: handler.send_raw(words.encode(), status)


@pytest.mark.parametrize("refusal", [in_detail, in_plain_text, refuses])
def test_a_refusal_is_told_in_the_words_of_the_server(refusal: object) -> None:
    behaviour = refusal(400, "Server is pinned to 'other'")  # type: ignore[operator]
    with pytest.raises(UsageError, match="pinned to 'other'"):
        list(deciding(behaviour))


def test_a_broken_chunk_is_shown_as_it_came() -> None:
    with pytest.raises(DecisionFailed, match=r"no JSON.*KeyError in the model"):
        list(deciding(sends(b'{"error": "KeyError in the model: "x""}')))


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("when", ["reading", "waiting"])
def test_ctrl_c_brings_the_bill_of_what_was_begun(when: str) -> None:
    with serving(breaks_off("half a reply")) as server:
        spec = parse_served(f"m@{server.url}?attempts=2&first_token_s=2")
        policy = ServedPolicy("openai:m", spec, sleep=interrupted)
        policy.on_text = interrupted if when == "reading" else None
        with pytest.raises(DecisionStopped) as stopped:
            policy.act(ASKED, ())
        policy.close()
    assert stopped.value.usage.attempts == 1
    assert stopped.value.usage.completion_tokens == len("half a reply") // 4


def test_a_refusal_after_a_reply_is_no_wrong_use() -> None:
    with pytest.raises(DecisionFailed, match="not this time"):
        list(deciding(says("Hello."), refuses(400, "not this time"), times=2))


@pytest.mark.parametrize("stream", ["0", "1"], ids=["whole", "streamed"])
def test_an_empty_system_file_sends_no_system_message(stream: str) -> None:
    with serving(says("Hello.")) as server:
        spec = parse_served(f"m@{server.url}?system=/dev/null&stream={stream}")
        policy = ServedPolicy("openai:m", spec)
        policy.act(ASKED, ())
        policy.close()
        assert [message["role"] for message in server.requests[0]["messages"]] == ["user"]
