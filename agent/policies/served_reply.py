"""Puts a reply together, streamed or whole, and trusts nothing in it.

Servers that speak the same protocol differ in all that the protocol leaves open, and broken ones
send anything. What cannot be a reply is a ``MalformedReply``, which is tried again like any other
failure of a server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cadwright.agent.tool_calls import ProviderCall

MAX_TOKENS = 10**12  # of one request; a larger count is none, and no float holds its price
MAX_CHARS = 2_000_000  # far above every token limit: whoever sends more never stops


class MalformedReply(Exception):
    """A server sent what is no reply."""


@dataclass(frozen=True, slots=True)
class ServerUsage:
    """Tokens as a server counted them."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered.

    Attributes:
        text: Of the assistant.
        thinking: Where the server keeps it apart.
        calls: Calls that it delivered as such.
        finish: Its reason for ending: ``stop``, ``tool_calls``, ``length``, ...
    """

    text: str
    thinking: str
    calls: tuple[ProviderCall, ...]
    finish: str

    @property
    def is_truncated(self) -> bool:
        """Whether a token limit cut it off."""
        return self.finish == "length"


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Assembler:
    """Takes the pieces of one reply in order."""

    text: str = ""
    thinking: str = ""
    finish: str = ""
    usage: ServerUsage | None = None
    _calls: dict[int, _Call] = field(default_factory=dict)

    @property
    def num_chars(self) -> int:
        """Characters so far, for a bill that the server never sent."""
        arguments = sum(len(call.name) + len(call.arguments) for call in self._calls.values())
        return len(self.text) + len(self.thinking) + arguments

    def add(self, piece: Any) -> str:
        """Take one piece, a chunk of a stream or a whole reply, and return what it says.

        Raises:
            MalformedReply: It is neither.
        """
        data = _mapping(piece, "the reply")
        self._count(data.get("usage"))
        choices = data.get("choices")
        if not isinstance(choices, list):
            raise MalformedReply("the reply has no list of choices")
        if not choices:
            return ""  # the last chunk of a stream carries the usage and nothing else
        choice = _mapping(choices[0], "a choice")
        said = choice.get("delta") if choice.get("delta") is not None else choice.get("message")
        new = "" if said is None else self._say(_mapping(said, "a message"))
        if self.num_chars > MAX_CHARS:
            raise MalformedReply(f"the reply is longer than {MAX_CHARS} characters")
        self.finish = _text(choice.get("finish_reason"), "finish_reason") or self.finish
        return new

    def reply(self) -> Reply:
        """Return the whole reply.

        Raises:
            MalformedReply: It never came to an end.
        """
        if not self.finish:
            raise MalformedReply("the reply broke off before its end")
        calls = tuple(
            ProviderCall(call.name, call.arguments, call.id)
            for _, call in sorted(self._calls.items())
        )
        return Reply(self.text, self.thinking, calls, self.finish)

    def _say(self, said: Mapping[str, Any]) -> str:
        words = _text(said.get("content"), "content")
        thought = _text(said.get("reasoning_content") or said.get("reasoning"), "reasoning")
        self.text, self.thinking = self.text + words, self.thinking + thought
        calls = said.get("tool_calls") or []
        if not isinstance(calls, list):
            raise MalformedReply("tool_calls is no list")
        pieces = [self._call(_mapping(call, "a tool call"), at) for at, call in enumerate(calls)]
        return "".join([thought, words, *pieces])

    def _call(self, data: Mapping[str, Any], place: int) -> str:
        index = data.get("index", place)
        if not isinstance(index, int) or not 0 <= index < 1000:
            raise MalformedReply(f"a tool call has the index {index!r}")
        call = self._calls.setdefault(index, _Call())
        call.id = _text(data.get("id"), "id") or call.id
        function = _mapping(data.get("function") or {}, "a function")
        name = _text(function.get("name"), "name")
        arguments = _text(function.get("arguments"), "arguments")
        call.name, call.arguments = call.name + name, call.arguments + arguments
        return f"{name} {arguments}" if name else arguments

    def _count(self, usage: Any) -> None:
        if usage is None:
            return
        data = _mapping(usage, "usage")
        details = data.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, Mapping) else 0
        self.usage = ServerUsage(
            _tokens(data.get("prompt_tokens")),
            _tokens(data.get("completion_tokens")),
            _tokens(cached or 0),
        )


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise MalformedReply(f"{what} is no object but {type(value).__name__}")
    return value


def _text(value: Any, what: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise MalformedReply(f"{what} is no text but {type(value).__name__}")
    return value


def _tokens(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_TOKENS:
        raise MalformedReply(f"usage is no count of tokens: {value!r}"[:200])
    return value
