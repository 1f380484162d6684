"""``openai:MODEL@URL``: a policy behind any OpenAI-compatible server (vLLM, SGLang, llama.cpp)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.context import EstimatedTokens, Fitted, fit
from cadwright.agent.messages import AssistantTurn, Conversation, Usage
from cadwright.agent.policies.policy import ONE_VARIANT, declines
from cadwright.agent.policies.served_client import Request, ServedClient
from cadwright.agent.policies.served_options import ServedOptions, ServedSpec, parse_served
from cadwright.agent.policies.served_reply import Reply
from cadwright.agent.policies.served_wire import SYSTEM, PictureUrls, Wire, system_text
from cadwright.agent.tool_calls import ParsedTurn, ProviderCall, parse_calls, read_provider_calls
from cadwright.tools.files import read_text
from cadwright.tools.tool import ToolSpec

if TYPE_CHECKING:
    from cadwright.envs.task import PublicTask, Task


def make_served_policy(spec: str, argument: str) -> ServedPolicy:
    """Make the policy of ``openai:ARGUMENT``.

    Raises:
        UsageError: The argument is unusable.
        DependencyError: The client library is missing.
    """
    return ServedPolicy(spec, parse_served(argument))


class ServedPolicy:
    """Sends the conversation within its budget and reads the reply.

    Args:
        name: The spec that made it.
        served: Model, URL and options.
        sleep: Waits between attempts; a test passes its own.
    """

    is_privileged = False
    digest = ""

    def __init__(
        self, name: str, served: ServedSpec, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = name
        self._served = served
        self._system = _system(served.options)
        self._client = ServedClient(served, sleep=sleep)
        self._count = EstimatedTokens()
        self._episode = _Episode(0, PictureUrls())

    @property
    def on_text(self) -> Callable[[str], None] | None:
        """Who is told of a reply while it comes."""
        return self._client.on_text

    @on_text.setter
    def on_text(self, tell: Callable[[str], None] | None) -> None:
        self._client.on_text = tell

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything besides the conversation that decides what is sent."""
        return {
            "model": self._served.model,
            "url": self._served.url,
            **self._served.options.to_json(),
            "system": self._system,
            "token_counter": self._count.name,
        }

    def variants(self, task: Task | PublicTask) -> tuple[str, ...]:
        """Return the one unnamed attempt."""
        del task
        return ONE_VARIANT

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin an episode."""
        del variant
        self._client.reseed(seed, *task.id.encode("utf-8", "surrogatepass"))
        self._episode = _Episode(seed, PictureUrls())

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        """Ask the server for the next turn."""
        fitted = self._fit(conversation, tools)
        reply, usage = self._client.ask(self._request(fitted, tools))
        turn = self._read(reply, tools, conversation)
        is_stop = declines(turn.text, self._served.options.decline)
        return replace(_assistant_turn(turn, reply, fitted, usage), is_stop=is_stop)

    def close(self) -> None:
        """Close the connection. Idempotent."""
        self._client.close()

    def _fit(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> Fitted:
        schemas = json.dumps([spec.to_openai() for spec in tools])
        fixed = self._count.of_text(self._system) + self._count.of_text(schemas)
        budget = self._served.options.budget()
        return fit(conversation.messages, budget, self._count, fixed_tokens=fixed)

    def _request(self, fitted: Fitted, tools: Sequence[ToolSpec]) -> Request:
        options = self._served.options
        wire = Wire(options.tools, options.tool_images, self._episode.urls)
        system = system_text(self._system, tools, options.tools)
        opening = [{"role": "system", "content": system}] if system else []
        data: dict[str, Any] = {
            "model": self._served.model,
            "messages": [*opening, *wire.messages(fitted.messages)],
            "max_tokens": options.max_tokens,
            "seed": self._episode.seed if options.seed is None else options.seed,
        }
        if options.tools == "native":
            data["tools"] = [spec.to_openai() for spec in tools]
        for name in ("temperature", "top_p"):
            if getattr(options, name) is not None:
                data[name] = getattr(options, name)
        return Request(data, fitted.report.tokens_sent, fitted.report)

    def _read(
        self, reply: Reply, tools: Sequence[ToolSpec], conversation: Conversation
    ) -> ParsedTurn:
        options = self._served.options
        turn = f"{conversation.num_turns + 1}."
        if reply.calls:
            return read_provider_calls(
                _with_own_ids(reply.calls, turn),
                tools,
                text=reply.text,
                is_repair_on=options.repair,
                is_truncated=reply.is_truncated,
            )
        return parse_calls(
            reply.text,
            tools,
            dialect=options.dialect,
            is_repair_on=options.repair,
            is_truncated=reply.is_truncated,
            id_prefix=turn,
        )


@dataclass(frozen=True, slots=True)
class _Episode:
    """What belongs to the episode that is running."""

    seed: int
    urls: PictureUrls


def _with_own_ids(calls: Sequence[ProviderCall], turn: str) -> list[ProviderCall]:
    """Number the calls: servers give an id twice, or none, and then a result has no address."""
    return [replace(call, id=f"{turn}{number}") for number, call in enumerate(calls, start=1)]


def _assistant_turn(
    parsed: ParsedTurn, reply: Reply, fitted: Fitted, usage: Usage
) -> AssistantTurn:
    return AssistantTurn(
        text=parsed.text,
        tool_calls=parsed.calls,
        problems=parsed.problems,
        repairs=parsed.repairs,
        thinking="\n".join(filter(None, (reply.thinking, parsed.thinking))),
        context=fitted.report,
        usage=usage,
    )


def _system(options: ServedOptions) -> str:
    if not options.system:
        return SYSTEM
    return read_text(Path(options.system)).strip()
