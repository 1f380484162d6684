"""``hf:FOLDER``: a model on this machine that sees its own renders and calls tools.

One ``LocalModel`` serves all conversations of a run: ``twin`` makes another policy on it, so that
the episodes of ``eval -j 16`` share their passes. What a turn cost, which tokens went in and came
out, and what was left out of the context is on every turn.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cadwright.agent.context import ContextBudget, ContextOverflow, ContextReport, fit
from cadwright.agent.messages import (
    AssistantTurn,
    Conversation,
    Message,
    Reencoded,
    TokenRecord,
    Usage,
)
from cadwright.agent.models.artefact import check_parts, tool_parts
from cadwright.agent.models.generation import Answer, Sampling
from cadwright.agent.models.local import LocalModel, open_model
from cadwright.agent.models.options import ModelOptions, parse_options
from cadwright.agent.models.prompts import Prompt
from cadwright.agent.policies.policy import ONE_VARIANT, declines
from cadwright.agent.tool_calls import ParsedTurn, ProviderCall, parse_calls, read_provider_calls
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ImageBlock, TextBlock, ToolSpec

if TYPE_CHECKING:
    from cadwright.envs.task import PublicTask, Task

MAX_NEW_TOKENS = 1024  # of one answer, where neither options nor card say
MAX_IMAGES = 32  # pictures of one prompt, where neither options nor card say
MAX_PIXELS = 1024 * 1024  # of one picture: 4000 px a side cost tens of GB in some vision towers
LEAST_ANSWER = 16  # tokens that must fit behind a prompt
OPENING = 256  # last tokens of a prompt, in which a template may have begun the answer


def make_hf_policy(spec: str, argument: str) -> HfPolicy:
    """Load the model that ``argument`` names and make a policy on it.

    Args:
        spec: The whole spec, which becomes the policy's name.
        argument: ``FOLDER`` or ``NAME``, then ``?option=value&...`` (see ``ModelOptions``).

    Raises:
        UsageError: An option or the model cannot be used.
        DependencyError: A package that it needs is not installed.
    """
    options = parse_options(argument)
    return HfPolicy(open_model(options), options, name=spec)


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A turn of ours: what it reads like in the conversation, and its tokens."""

    message: Message
    ids: tuple[int, ...]


class _Counter:
    """Counts tokens of a message for the context budget."""

    def __init__(self, name: str, count: Callable[[Message], int]) -> None:
        self.name, self._count = name, count

    def __call__(self, message: Message) -> int:
        """Return the tokens of one message, its pictures included."""
        return self._count(message)


class HfPolicy:
    """Decides with a local model.

    Args:
        local: The model; shared by all twins.
        options: How to generate.
        name: The spec.
        on_text: Told of new text while it is written.
    """

    is_privileged = False

    def __init__(
        self,
        local: LocalModel,
        options: ModelOptions,
        *,
        name: str,
        on_text: Callable[[str], None] | None = None,
    ) -> None:
        self.name, self.on_text = name, on_text
        self._local, self._options = local, options
        self._builder = local.prompt_builder()
        self._budget = _budget(local, options)
        self._spoken: dict[int, _Spoken] = {}
        self._seed = 0
        self._cancel = threading.Event()
        self._checked_tools: tuple[ToolSpec, ...] | None = None

    @property
    def digest(self) -> str:
        """Hash of weights, tokenizer and settings."""
        return self._local.loaded.digest

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know about this model, one line each."""
        return self._local.notes

    def twin(self) -> HfPolicy:
        """Return another policy on the same model, for another thread."""
        return HfPolicy(self._local, self._options, name=self.name, on_text=self.on_text)

    def variants(self, task: Task | PublicTask) -> tuple[str, ...]:
        """Return the one unnamed attempt."""
        del task
        return ONE_VARIANT

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin an episode; what the cache holds of a common beginning stays."""
        del task, variant
        self._spoken, self._seed = {}, seed
        self._cancel.clear()

    def cancel(self) -> None:
        """End the answer that is being written, from another thread."""
        self._cancel.set()

    def close(self) -> None:
        """Free what is cached for this conversation. Idempotent."""
        self._local.engine.forget(self)

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        """Write the next turn."""
        start = time.monotonic()
        tools = self._known_tools(tools)
        self._check_renderer(conversation)
        messages = (*self._system(), *conversation.messages)
        answer, prompt, report = self._answer(messages, tools)
        prompt_ids = tuple(int(token) for token in prompt.ids)
        turn = self._turn(answer, prompt_ids, tools, conversation.num_turns)
        reencoded = (*self._edited(messages), *prompt.reencoded)
        turn = replace(
            turn,
            tokens=TokenRecord(prompt_ids, answer.ids, answer.logprobs, reencoded),
            context=report,
            usage=Usage(
                prompt_tokens=answer.prompt_tokens,
                completion_tokens=len(answer.ids),
                seconds=time.monotonic() - start,
                cached_tokens=answer.cached_tokens,
            ),
        )
        self._spoken[len(conversation)] = _Spoken(turn.as_message(), answer.ids)
        return turn

    def _system(self) -> tuple[Message, ...]:
        system = self._local.card.system
        return (Message("system", (TextBlock(system),)),) if system else ()

    def _answer(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> tuple[Answer, Prompt, ContextReport]:
        """Fit the conversation into the budget, build its prompt and generate."""
        with self._local.encoding:
            prompt, report = self._fitted(messages, tools)
        room = self._context - len(prompt)
        answer = self._local.engine.generate(
            prompt,
            self._sampling(sum(m.role == "assistant" for m in messages), room),
            owner=self,
            on_tokens=_Streamer(self._local.loaded.tokenizer, self.on_text)
            if self.on_text
            else None,
            cancel=self._cancel,
        )
        return answer, prompt, report

    def _fitted(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> tuple[Prompt, ContextReport]:
        """Cut the conversation until its prompt fits; counting by message is an estimate."""
        count = _Counter(f"tokenizer of {self._local.loaded.name}", self._builder.count)
        fixed = len(self._builder.encode(str([spec.to_openai() for spec in tools])))
        limit, budget = self._context - LEAST_ANSWER, self._budget
        while True:
            fitted = fit(messages, budget, count, fixed_tokens=fixed)
            prompt = self._builder.build(fitted.messages, tools, self._ours(messages))
            excess = len(prompt) - limit
            if excess <= 0:
                return prompt, replace(fitted.report, tokens_sent=len(prompt))
            tokens = min(budget.tokens or limit, fitted.report.tokens_sent) - excess
            if tokens < 1:
                raise ContextOverflow(f"the context is full: {excess} too many", fitted.report)
            budget = replace(budget, tokens=tokens)

    def _ours(self, messages: Sequence[Message]) -> dict[int, tuple[int, ...]]:
        """Return the tokens of our own turns, where nobody has changed what they say."""
        standing = self._standing(messages)
        return {at: one.ids for at, one in standing.items() if messages[at] == one.message}

    def _edited(self, messages: Sequence[Message]) -> Iterator[Reencoded]:
        """Name the turns of ours that somebody has changed."""
        for at, one in self._standing(messages).items():
            if messages[at].role == "assistant" and messages[at] != one.message:
                turn = sum(message.role == "assistant" for message in messages[: at + 1])
                yield Reencoded(turn, "a person changed it")

    def _standing(self, messages: Sequence[Message]) -> dict[int, _Spoken]:
        """Return what we said by its place in ``messages``; what was undone is forgotten."""
        first = len(self._system())
        last = len(messages) - first
        self._spoken = {place: one for place, one in self._spoken.items() if place < last}
        return {first + place: one for place, one in self._spoken.items()}

    @property
    def _context(self) -> int:
        return min(self._options.context or self._local.context, self._local.context)

    def _sampling(self, turn: int, room: int) -> Sampling:
        options = self._options
        longest = options.max_new_tokens or self._local.card.max_new_tokens or MAX_NEW_TOKENS
        seed = np.random.SeedSequence([self._seed, turn]).generate_state(1)[0]
        return Sampling(
            temperature=options.temperature,
            top_p=options.top_p,
            top_k=options.top_k,
            max_new_tokens=min(longest, room),
            seed=int(seed),
        )

    def _turn(
        self,
        answer: Answer,
        prompt_ids: Sequence[int],
        tools: Sequence[ToolSpec],
        number: int,
    ) -> AssistantTurn:
        """Read the calls of an answer."""
        text = self._text(answer)
        if declines(text, self._options.decline or self._local.card.decline):
            return AssistantTurn(text.strip(), is_stop=True)
        ids_prefix, is_truncated = f"{number + 1}.", answer.finish != "stop"
        parsed = None
        if not is_truncated:
            opening = prompt_ids[-OPENING:]
            parsed = _native(self._local.loaded.tokenizer, text, opening, tools, ids_prefix)
        if parsed is None:
            parsed = self._parsed(text, tools, ids_prefix, is_truncated=is_truncated)
        return AssistantTurn(
            parsed.text,
            parsed.calls,
            problems=parsed.problems,
            repairs=parsed.repairs,
            thinking=parsed.thinking,
        )

    def _text(self, answer: Answer) -> str:
        ids = answer.ids[:-1] if answer.finish == "stop" else answer.ids
        text: str = self._local.loaded.tokenizer.decode(ids, clean_up_tokenization_spaces=False)
        return text

    def _parsed(
        self, text: str, tools: Sequence[ToolSpec], prefix: str, *, is_truncated: bool
    ) -> ParsedTurn:
        """Read calls by dialect."""
        card_dialect = self._local.card.dialect
        return parse_calls(
            text,
            tools,
            dialect=card_dialect if self._options.dialect == "auto" else self._options.dialect,
            is_repair_on=self._options.repair,
            is_truncated=is_truncated,
            id_prefix=prefix,
        )

    def _known_tools(self, tools: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
        """Return the tools that the model was trained with, in its order, and check their words."""
        card = self._local.card
        if not card.tools:
            return tuple(tools)
        offered = {spec.name: spec for spec in tools}
        missing = [name for name in card.tools if name not in offered]
        if missing:
            raise UsageError(
                f"{self.name} works with {', '.join(card.tools)}; this task does not offer "
                f"{', '.join(missing)}"
            )
        known = tuple(offered[name] for name in card.tools)
        if known != self._checked_tools:
            check_parts(card.parts, tool_parts(known), where=self.name)
            self._checked_tools = known
        return known

    def _check_renderer(self, conversation: Conversation) -> None:
        """Refuse pictures of another version of the renderer that the model was trained on."""
        expected = self._local.card.renderer
        kind = expected.partition("/")[0]
        for message in conversation.messages if expected else ():
            for image in message.images:
                if _is_other_version(image, kind, expected):
                    raise UsageError(
                        f"{self.name} was trained on pictures by {expected}; this one is by "
                        f"{image.render_id}: use the renderer of its release, or train it again"
                    )


def _is_other_version(image: ImageBlock, kind: str, expected: str) -> bool:
    """Return whether a picture is by the same renderer in another version."""
    drawn = f"{image.render_id}/"
    return drawn.startswith(f"{kind}/") and not drawn.startswith(f"{expected}/")


def _budget(local: LocalModel, options: ModelOptions) -> ContextBudget:
    """Return what a prompt may hold: the card's limits, then the options', then our own."""
    own: Mapping[str, Any] = local.card.budget
    context = min(options.context or local.context, local.context)
    most = {"tokens": context - LEAST_ANSWER, "images": MAX_IMAGES, "image_px": MAX_PIXELS}
    chosen = {"images": options.images, "image_px": options.max_pixels}
    given = {name: value for name, value in chosen.items() if value is not None}
    return ContextBudget.from_json({**most, **own, **given})


def _native(
    tokenizer: Any, text: str, opening: Sequence[int], tools: Sequence[ToolSpec], prefix: str
) -> ParsedTurn | None:
    """Parse with the tokenizer's response template; None where it has none or finds no call."""
    if getattr(tokenizer, "response_template", None) is None:
        return None
    schemas = [spec.to_openai() for spec in tools]
    try:
        found = tokenizer.parse_response(text, prefix=list(opening), tools=schemas)
    except (ValueError, KeyError, TypeError):
        return None  # the dialects say what is wrong, in words that a model can act on
    calls = [
        ProviderCall(call["function"]["name"], call["function"]["arguments"], f"{prefix}{number}")
        for number, call in enumerate(found.get("tool_calls") or (), start=1)
    ]
    if not calls:
        return None
    parsed = read_provider_calls(calls, tools, text=found.get("content") or "")
    thinking = found.get("thinking") or found.get("reasoning_content") or ""
    return replace(parsed, thinking=thinking)


class _Streamer:
    """Turns tokens into text as they come; half a character waits for its other half."""

    def __init__(self, tokenizer: Any, tell: Callable[[str], None]) -> None:
        self._tokenizer, self._tell = tokenizer, tell
        self._ids: list[int] = []
        self._told = 0

    def __call__(self, ids: Sequence[int]) -> None:
        """Take up new tokens."""
        self._ids += ids
        text = self._tokenizer.decode(self._ids, clean_up_tokenization_spaces=False)
        if not text.endswith("�"):
            self._tell(text[self._told :])
            self._told = len(text)
