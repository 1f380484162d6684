"""What of a conversation is sent: a declared budget, and a report of everything left out.

A conversation only ever grows; what a model can read does not. ``fit`` cuts a copy of it to a
``ContextBudget``. The task with its target pictures and the newest render always stay. What goes
is replaced by a line that says what was there, and every replacement is an ``Edit`` in the
``ContextReport``, so ``rebuild`` makes the messages of any turn again from the conversation on
record, to the pixel. A conversation that cannot be cut far enough raises ``ContextOverflow``,
which ends the episode as ``context_limit``: a normal end, not a fault.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NoReturn, Protocol

from cadwright.agent.context_report import (
    ContextReport,
    Edit,
    apply_edits,
    num_system,
    rebuild,
    scaled,
)
from cadwright.agent.messages import Message, pixels_digest
from cadwright.envs.names import nearest
from cadwright.tools.errors import CadwrightError, UsageError
from cadwright.tools.tool import ImageBlock, TextBlock

__all__ = [
    "ContextBudget",
    "ContextOverflow",
    "ContextReport",
    "EstimatedTokens",
    "Fitted",
    "TokenCounter",
    "fit",
    "rebuild",
]

MESSAGE_TOKENS = 4  # role and separators of one message, in the estimate


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """The most that one request may hold; None leaves a thing unlimited.

    Attributes:
        tokens: Tokens of the prompt, tool schemas and system message included.
        images: Pictures, those of the task included.
        image_px: Pixels of one picture, height times width. A larger one is scaled down.
        keep_renders: Newest pictures that are kept besides those of the task.
        tool_text_chars: Characters of text in one tool result. A longer one is cut.
    """

    tokens: int | None = None
    images: int | None = None
    image_px: int | None = None
    keep_renders: int | None = None
    tool_text_chars: int | None = None

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            least = 0 if name in ("images", "keep_renders") else 1
            if value is not None and (type(value) is not int or value < least):
                raise UsageError(f"budget: {name} must be a whole number from {least}: {value!r}")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ContextBudget:
        """Return the budget that ``data`` describes.

        Raises:
            UsageError: A name is unknown (the nearest one is named) or a value is unusable.
        """
        known = [one.name for one in fields(cls)]
        for name in data:
            if name not in known:
                raise UsageError(f"budget: there is no limit {name!r}{nearest(name, known)}")
        return cls(**data)

    def to_json(self) -> dict[str, int | None]:
        """Return plain data."""
        return asdict(self)


class TokenCounter(Protocol):
    """Counts what a message costs a model."""

    @property
    def name(self) -> str:
        """How it counts: a tokenizer's name, or the rule of an estimate."""

    def __call__(self, message: Message) -> int:
        """Return the tokens of one message, its pictures included."""


@dataclass(frozen=True, slots=True)
class EstimatedTokens:
    """Counts without a tokenizer, and says so by its name.

    Attributes:
        chars_per_token: Characters of English or code that make one token.
        px_per_token: Pixels that make one token; 32 by 32 in current vision encoders.
    """

    chars_per_token: float = 4.0
    px_per_token: int = 1024

    @property
    def name(self) -> str:
        """The rule of the estimate."""
        return f"estimate: {self.chars_per_token:g} characters or {self.px_per_token} px a token"

    def __call__(self, message: Message) -> int:
        """Return the estimated tokens of one message."""
        calls = sum(len(call.name) + len(str(call.arguments)) for call in message.tool_calls)
        text = math.ceil((len(message.text) + calls) / self.chars_per_token)
        pixels = (math.prod(image.pixels.shape[:2]) for image in message.images)
        pictures = sum(math.ceil(count / self.px_per_token) for count in pixels)
        return MESSAGE_TOKENS + text + pictures

    def of_text(self, text: str) -> int:
        """Return the estimated tokens of a text, such as tool schemas."""
        return math.ceil(len(text) / self.chars_per_token)


@dataclass(frozen=True, slots=True)
class Fitted:
    """Messages to send, and what was done to make them fit."""

    messages: tuple[Message, ...]
    report: ContextReport


class ContextOverflow(CadwrightError):
    """What has to stay is more than the budget: the episode ends as ``context_limit``."""

    def __init__(self, message: str, report: ContextReport) -> None:
        super().__init__(message)
        self.report = report


def fit(
    messages: Iterable[Message],
    budget: ContextBudget,
    count_tokens: TokenCounter,
    *,
    fixed_tokens: int = 0,
) -> Fitted:
    """Cut a conversation to ``budget``.

    Args:
        messages: The conversation so far, with or without a leading system message.
        budget: What may be sent.
        count_tokens: Counts one message.
        fixed_tokens: Tokens that are sent besides the messages, such as tool schemas.

    Raises:
        ContextOverflow: The task, its pictures, the calls so far and the newest result alone are
            more than the budget.
    """
    cutter = _Cutter(tuple(messages), budget, count_tokens, fixed_tokens)
    cutter.scale_pictures()
    cutter.cut_texts()
    cutter.drop_pictures()
    cutter.save_tokens()
    return cutter.fitted()


_Place = tuple[int, int]  # message, block


class _Cutter:
    """Collects the edits of one request; its methods run in the order of ``fit``."""

    def __init__(
        self,
        messages: tuple[Message, ...],
        budget: ContextBudget,
        count_tokens: TokenCounter,
        fixed_tokens: int,
    ) -> None:
        self._system = messages[: num_system(messages)]
        self._messages = messages[len(self._system) :]
        self._budget = budget
        self._count = count_tokens
        self._fixed = fixed_tokens + sum(map(count_tokens, self._system))
        self._edits: dict[_Place, Edit] = {}
        turns = [i for i, m in enumerate(self._messages) if m.role == "assistant"]
        self._task_end = turns[0] if turns else len(self._messages)
        self._last_turn = turns[-1] if turns else len(self._messages)

    def scale_pictures(self) -> None:
        """Scale down what is larger than one picture may be."""
        limit = self._budget.image_px
        for (at, number), image in self._pictures():
            height, width = image.pixels.shape[:2]
            if limit is None or height * width <= limit:
                continue
            size = _size_within(height, width, limit)
            digest = pixels_digest(scaled(image.pixels, size))
            self._put(Edit(at, number, "picture_scaled", size_px=size, sha256=digest))

    def cut_texts(self) -> None:
        """Shorten tool results that are longer than one may be."""
        limit = self._budget.tool_text_chars
        for (at, number), text in self._tool_texts():
            if limit is not None and len(text) > limit:
                note = f"\n[text cut: {len(text) - limit} of {len(text)} characters not shown]"
                self._put(Edit(at, number, "text_cut", note, kept_chars=limit))

    def drop_pictures(self) -> None:
        """Keep the pictures of the task and the newest renders."""
        renders = self._renders()
        kept = len(renders)
        if self._budget.keep_renders is not None:
            kept = min(kept, self._budget.keep_renders)
        if self._budget.images is not None:
            task = sum(1 for _ in self._pictures()) - len(renders)
            if task > self._budget.images:
                self._overflow(f"{task} pictures in the task, {self._budget.images} may be sent")
            kept = min(kept, self._budget.images - task)
        for place in renders[: len(renders) - kept]:
            self._drop(place)

    def save_tokens(self) -> None:
        """Drop further pictures, then old tool texts, oldest first, until the tokens fit."""
        limit = self._budget.tokens
        if limit is None:
            return
        costs = [self._count(message) for message in self._sent()]
        for edit in self._savings():
            if self._fixed + sum(costs) <= limit:
                return
            place = (edit.message, edit.block)
            before = self._edits.get(place)
            self._edits[place] = edit
            cost = self._count(self._sent_message(edit.message))
            if cost < costs[edit.message]:
                costs[edit.message] = cost
            elif before is None:  # a small picture costs less than the line in its place
                del self._edits[place]
            else:
                self._edits[place] = before
        total = self._fixed + sum(costs)
        if total > limit:
            self._overflow(f"{total} tokens have to be sent, {limit} may be")

    def fitted(self) -> Fitted:
        """Return the messages as they go out, with the report."""
        sent = self._sent()
        return Fitted((*self._system, *sent), self._report(sent))

    def _savings(self) -> Iterator[Edit]:
        """Yield what may still go: all renders but the newest, then texts of earlier turns."""
        left = [place for place in self._renders() if not self._is_dropped(place)]
        for at, number in left[:-1]:
            yield self._placeholder(at, number)
        for (at, number), text in self._tool_texts():
            if at < self._last_turn:
                note = f"[text dropped: {len(text)} characters of step {self._step(at)}]"
                if len(note) < len(text):
                    yield Edit(at, number, "text_cut", note)

    def _drop(self, place: _Place) -> None:
        self._put(self._placeholder(*place))

    def _placeholder(self, at: int, number: int) -> Edit:
        image = self._messages[at].blocks[number]
        caption = image.caption or image.render_id if isinstance(image, ImageBlock) else ""
        name = caption.partition(";")[0].partition("\n")[0]
        where = f"of step {self._step(at)}"
        return Edit(at, number, "picture_dropped", f"[picture dropped: {name} {where}]")

    def _step(self, at: int) -> int:
        return sum(message.role == "assistant" for message in self._messages[:at])

    def _pictures(self) -> Iterator[tuple[_Place, ImageBlock]]:
        for at, message in enumerate(self._messages):
            for number, block in enumerate(message.blocks):
                if isinstance(block, ImageBlock):
                    yield (at, number), block

    def _renders(self) -> list[_Place]:
        return [place for place, _ in self._pictures() if place[0] >= self._task_end]

    def _tool_texts(self) -> Iterator[tuple[_Place, str]]:
        for at, message in enumerate(self._messages):
            for number, block in enumerate(message.blocks):
                if message.role == "tool" and isinstance(block, TextBlock):
                    yield (at, number), block.text

    def _put(self, edit: Edit) -> None:
        self._edits[edit.message, edit.block] = edit

    def _is_dropped(self, place: _Place) -> bool:
        return place in self._edits and self._edits[place].kind == "picture_dropped"

    def _sent(self) -> tuple[Message, ...]:
        return apply_edits(self._messages, self._edits.values())

    def _sent_message(self, at: int) -> Message:
        edits = [replace(e, message=0) for e in self._edits.values() if e.message == at]
        return apply_edits([self._messages[at]], edits)[0]

    def _report(self, sent: Sequence[Message]) -> ContextReport:
        return ContextReport(
            tokens_sent=self._fixed + sum(map(self._count, sent)),
            tokens_full=self._fixed + sum(map(self._count, self._messages)),
            images_sent=sum(len(message.images) for message in sent),
            images_full=sum(len(message.images) for message in self._messages),
            counter=self._count.name,
            num_messages=len(self._messages),
            edits=tuple(self._edits[place] for place in sorted(self._edits)),
        )

    def _overflow(self, why: str) -> NoReturn:
        raise ContextOverflow(f"the context is full: {why}", self._report(self._sent()))


def _size_within(height: int, width: int, limit: int) -> tuple[int, int]:
    """Return the largest size of the same shape with at most ``limit`` pixels."""
    factor = math.sqrt(limit / (height * width))
    tall = max(1, math.floor(height * factor))
    return tall, max(1, min(math.floor(width * factor), limit // tall))
