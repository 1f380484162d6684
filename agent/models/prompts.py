"""From messages to token ids: what a model said is put back token by token, never re-encoded.

A chat template renders a whole conversation to text. Encoding that text again would change what the
model itself wrote (another split of the same letters, a separator dropped), and with it both the
cache and the record that training uses. So every turn that this model generated is cut out of the
rendered text and its recorded ids stand in its place; the pieces between them are encoded once
each. Where a template re-writes its own past so that the cut cannot be found, the turn is rendered
as text, and ``Prompt.reencoded`` says so.

Text that comes from tools or people cannot act as a control token: any that it contains is broken
with a zero-width space and counted.
"""

from __future__ import annotations

import functools
import json
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.agent.messages import Message, Reencoded
from cadwright.agent.models.pictures import Picture, PictureReader
from cadwright.agent.models.rendering import Rendering, Turn, turns_of
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import Block, TextBlock, ToolSpec

Ids = npt.NDArray[np.int64]

KEPT_SEGMENTS = 512  # encoded pieces of text in memory, oldest out
_BREAK = "​"  # zero-width space


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model reads.

    Attributes:
        ids: (n,) token ids.
        keys: (n,) the same with each picture's tokens replaced by its digest: two prompts share
            what their keys share.
        pictures: Pictures in order.
        spans: First and last-plus-one place of each picture's tokens.
        spliced: Turns put back as recorded tokens.
        reencoded: Recorded turns that had to be rendered as text and encoded again.
        broken: Control tokens in foreign text that were made harmless.
    """

    ids: Ids
    keys: Ids
    pictures: tuple[Picture, ...] = field(default=(), repr=False)
    spans: tuple[tuple[int, int], ...] = ()
    spliced: int = 0
    reencoded: tuple[Reencoded, ...] = ()
    broken: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    def head(self, length: int) -> Prompt:
        """Return the first ``length`` tokens, with the pictures that end in them."""
        whole = sum(end <= length for _, end in self.spans)
        return Prompt(
            self.ids[:length], self.keys[:length], self.pictures[:whole], self.spans[:whole]
        )

    def followed_by(self, written: Sequence[int]) -> Prompt:
        """Return the prompt with text tokens behind it."""
        more = np.asarray(written, dtype=np.int64)
        ids, keys = (np.concatenate([part, more]) for part in (self.ids, self.keys))
        return Prompt(ids, keys, self.pictures, self.spans)


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where one recorded turn stands in the rendered text, and what led to it."""

    start: int
    end: int
    opening: str  # the generation prompt that the turn was an answer to
    ids: tuple[int, ...]  # ends with a stop, also where the turn was cut off before it


class PromptBuilder:
    """Renders, splices and encodes.

    Args:
        owner: Processor or tokenizer that holds the chat template.
        tokenizer: Encodes.
        reader: Processes pictures; None for a model that cannot see.
        rendering: How this family's template wants its messages.
        image_token_id: Of the tokens that the vision tower fills; -1 for none.
        stops: Ids of the tokens that end a turn, by their text.
    """

    def __init__(
        self,
        owner: Any,
        tokenizer: Any,
        reader: PictureReader | None,
        rendering: Rendering,
        *,
        image_token_id: int,
        stops: Mapping[str, int],
    ) -> None:
        self._owner, self._tokenizer, self._reader = owner, tokenizer, reader
        self._image_token_id, self.stops = image_token_id, dict(stops)
        self.rendering = rendering
        self._segments: OrderedDict[str, Ids] = OrderedDict()
        self._openings: dict[int, tuple[list[Turn], str, str]] = {}
        self._control = _control_tokens(tokenizer, self._placeholder)

    @property
    def _placeholder(self) -> str:
        return self._reader.placeholder if self._reader is not None else ""

    def build(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        spoken: Mapping[int, tuple[int, ...]] | None = None,
    ) -> Prompt:
        """Return the prompt for the next turn.

        Args:
            messages: The conversation, the system message included where there is one.
            tools: What may be called.
            spoken: Recorded ids of assistant messages, by their place in ``messages``.

        Raises:
            UsageError: The template lost or invented a picture.
        """
        spoken = spoken or {}
        clean, broken = self._disarmed(messages)
        turns = turns_of(clean, tools, self.rendering)
        text = self.render(turns, tools, is_open=True)
        places = [number for number, turn in enumerate(turns) if turn["role"] == "assistant"]
        asked = [n for n, message in enumerate(messages) if message.role == "assistant"]
        wanted = {place: spoken[n] for place, n in zip(places, asked, strict=True) if n in spoken}
        cuts, lost = self._cuts(text, turns, tools, wanted)
        pictures = self._pictures(messages)
        ids = self._spliced(text, cuts, pictures)
        keys, spans = self._keyed(ids, pictures)
        reencoded = tuple(Reencoded(places.index(at) + 1, why) for at, why in lost.items())
        return Prompt(ids, keys, pictures, spans, len(cuts), reencoded, broken)

    def render(self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, is_open: bool) -> str:
        """Return the text of ``turns``; ``is_open`` adds the opening of the next answer."""
        has_schemas = bool(tools) and self.rendering.calls == "native"
        schemas = [spec.to_openai() for spec in tools] if has_schemas else None
        rendered: str = self._owner.apply_chat_template(
            list(turns), tools=schemas, tokenize=False, add_generation_prompt=is_open
        )
        return rendered

    def encode(self, text: str) -> Ids:
        """Return the ids of a piece of text; control tokens in it count as such."""
        if text in self._segments:
            self._segments.move_to_end(text)
        else:
            whole = text.encode(errors="replace").decode()  # no token stands for half a pair
            made = self._tokenizer(whole, add_special_tokens=False, verbose=False)  # we cut, not it
            ids = made["input_ids"]
            self._segments[text] = np.asarray(ids, dtype=np.int64)
            while len(self._segments) > KEPT_SEGMENTS:
                self._segments.popitem(last=False)
        return self._segments[text]

    def count(self, message: Message) -> int:
        """Return about how many tokens a message costs; exact for its words and pictures."""
        (clean,), _ = self._disarmed([message])
        shown = [block.text for block in clean.blocks if isinstance(block, TextBlock)]
        shown += [json.dumps(call.to_json(), default=str) for call in clean.tool_calls]
        pictures = sum(len(self.encode(picture.text)) for picture in self._pictures([message]))
        return sum(len(self.encode(text)) for text in shown) + pictures + self._frame

    @functools.cached_property
    def _frame(self) -> int:
        """Tokens of role, marks and separators around one message of this template."""
        said = [Message("user", (TextBlock("x"),)), Message("assistant", (TextBlock("x"),))]
        one, two = (
            self.render(turns_of(said[:count], (), self.rendering), (), is_open=False)
            for count in (1, 2)
        )
        return len(self.encode(two)) - len(self.encode(one)) - len(self.encode("x"))

    def _pictures(self, messages: Sequence[Message]) -> tuple[Picture, ...]:
        if self._reader is None:
            return ()
        return tuple(self._reader.read(image) for m in messages for image in m.images)

    def _disarmed(self, messages: Sequence[Message]) -> tuple[list[Message], int]:
        """Break control tokens in what tools and people wrote."""
        broken, clean = 0, []
        for message in messages:
            blocks: list[Block] = []
            for block in message.blocks:
                if isinstance(block, TextBlock) and message.role in ("user", "tool"):
                    text, count = self._control.subn(_broken_token, block.text)
                    broken += count
                    blocks.append(TextBlock(text))
                else:
                    blocks.append(block)
            clean.append(Message(message.role, tuple(blocks), message.tool_calls, message.call_id))
        return clean, broken

    def _cuts(
        self,
        text: str,
        turns: list[Turn],
        tools: Sequence[ToolSpec],
        wanted: Mapping[int, tuple[int, ...]],
    ) -> tuple[list[_Cut], dict[int, str]]:
        """Find each recorded turn in the rendered text; say why for those that are not there."""
        cuts: list[_Cut] = []
        lost: dict[int, str] = {}
        for place, ids in wanted.items():
            before, opening = self._opening(turns[:place], tools)
            if not text.startswith(before) or (cuts and len(before) < cuts[-1].end):
                lost[place] = "the template writes otherwise what came before it"
                continue
            ends = [(at, stop) for stop in self.stops if (at := text.find(stop, len(before))) >= 0]
            if not ends:
                lost[place] = "the template writes no end behind it"
                continue
            at, stop = min(ends)
            closed = ids if ids and ids[-1] in self.stops.values() else (*ids, self.stops[stop])
            cuts.append(_Cut(len(before), at + len(stop), opening, closed))
        return cuts, lost

    def _opening(self, turns: list[Turn], tools: Sequence[ToolSpec]) -> tuple[str, str]:
        """Return the text of ``turns`` and what opens the answer to them."""
        known = self._openings.get(len(turns))
        if known is not None and known[0] == turns:
            return known[1], known[2]
        before = self.render(turns, tools, is_open=False)
        opened = self.render(turns, tools, is_open=True)
        opening = opened.removeprefix(before) if opened.startswith(before) else ""
        self._openings[len(turns)] = (turns, before, opening)
        return before, opening

    def _spliced(self, text: str, cuts: Sequence[_Cut], pictures: Sequence[Picture]) -> Ids:
        """Encode the text with recorded ids in place of the cuts."""
        queue = list(pictures)
        pieces: list[Ids] = []
        start = 0
        for cut in cuts:
            segment = self._expanded(text[start : cut.start], queue) + cut.opening
            pieces += [self.encode(segment), np.asarray(cut.ids, dtype=np.int64)]
            start = cut.end
        pieces.append(self.encode(self._expanded(text[start:], queue)))
        if queue:
            raise UsageError(f"the chat template lost {len(queue)} of {len(pictures)} pictures")
        return np.concatenate(pieces)

    def _expanded(self, text: str, queue: list[Picture]) -> str:
        """Write each picture's tokens where the template left a place for it."""
        if not self._placeholder:
            return text
        parts = text.split(self._placeholder)
        if len(parts) - 1 > len(queue):
            raise UsageError("the chat template has places for more pictures than there are")
        filled = [parts[0]]
        for part in parts[1:]:
            filled += [queue.pop(0).text, part]
        return "".join(filled)

    def _keyed(
        self, ids: Ids, pictures: Sequence[Picture]
    ) -> tuple[Ids, tuple[tuple[int, int], ...]]:
        """Return comparable keys, and where each picture stands."""
        places = np.flatnonzero(ids == self._image_token_id)
        expected = sum(picture.num_tokens for picture in pictures)
        if len(places) != expected:
            raise UsageError(f"{len(places)} image tokens for {expected} image features")
        keys, spans, used = ids.copy(), [], 0
        for picture in pictures:
            own = places[used : used + picture.num_tokens]
            keys[own] = picture.key
            spans.append((int(own[0]), int(own[-1]) + 1))
            used += picture.num_tokens
        return keys, tuple(spans)


def _control_tokens(tokenizer: Any, placeholder: str) -> re.Pattern[str]:
    """Return what matches any control token of a tokenizer."""
    names = {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab(), placeholder}
    names = {name for name in names if len(name) > 1}
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile("|".join(map(re.escape, longest_first)) or "(?!)")


def _broken_token(match: re.Match[str]) -> str:
    return match.group()[0] + _BREAK + match.group()[1:]
