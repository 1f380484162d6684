"""What one answer is made of: the settings, the choice of each token, the record.

A choice draws one random number per token from the row's own generator. So an answer depends on its
seed and its prompt, never on what else is in the batch, and speculation draws the same tokens.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    import torch

Finish = Literal["", "stop", "length", "cancelled"]
OnTokens = Callable[[Sequence[int]], None]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are chosen.

    Attributes:
        temperature: 0 takes the likeliest token.
        top_p: Share of the probability mass that is sampled from.
        top_k: How many tokens are sampled from; 0 for all.
        max_new_tokens: Longest answer.
        seed: Of the row's random numbers.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    max_new_tokens: int = 1024
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model wrote.

    Attributes:
        ids: Its tokens, the stop included.
        logprobs: Of each token, under the distribution that was sampled from before any cut by
            ``top_p`` and ``top_k``; at temperature 0 under the model's own.
        finish: Why it ended.
        prompt_tokens: Length of the prompt.
        cached_tokens: Of these, what the cache held already.
        passes: Times that the model ran to write it, reading the prompt not counted.
        guessed: Tokens that speculation proposed.
        accepted: Of these, those that were right.
    """

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish: Finish
    prompt_tokens: int
    cached_tokens: int
    passes: int = 0
    guessed: int = 0
    accepted: int = 0


class Chooser:
    """Chooses tokens for one row.

    Args:
        sampling: How.
        suppressed: (k,) ids that must never be written: a sampled image mark breaks the next turn.
    """

    def __init__(self, sampling: Sampling, suppressed: torch.Tensor) -> None:
        import torch

        self._sampling, self._suppressed = sampling, suppressed
        self._generator = torch.Generator().manual_seed(sampling.seed)

    def choose(self, logits: torch.Tensor) -> tuple[int, float]:
        """Return a token and its log-probability, from (vocabulary,) float32 logits."""
        import torch

        logits = logits.index_fill(0, self._suppressed, float("-inf"))
        temperature = self._sampling.temperature
        if temperature == 0:
            token = int(logits.argmax())
            return token, float(torch.log_softmax(logits, 0)[token])
        logprobs = torch.log_softmax(logits / temperature, 0)
        weights = self._cut(logprobs.exp()).cpu()
        token = int(torch.multinomial(weights, 1, generator=self._generator))
        return token, float(logprobs[token])

    def _cut(self, weights: torch.Tensor) -> torch.Tensor:
        """Set to zero what ``top_k`` and ``top_p`` leave out."""
        import torch

        top_k, top_p = self._sampling.top_k, self._sampling.top_p
        if not top_k and top_p >= 1:
            return weights
        order = weights.sort(descending=True)
        kept = order.values.cumsum(0) - order.values < top_p  # the first one always stays
        if top_k:
            kept[top_k:] = False
        return torch.zeros_like(weights).index_put_((order.indices[kept],), order.values[kept])


class Row:
    """One answer while it is written.

    Args:
        sampling: How tokens are chosen.
        suppressed: Ids that are never written.
        stops: Ids that end the answer.
        on_tokens: Told of new tokens as they come, by whichever thread runs the batch.
        cancel: Set to end it early.
    """

    def __init__(
        self,
        sampling: Sampling,
        suppressed: torch.Tensor,
        stops: frozenset[int],
        on_tokens: OnTokens | None = None,
        cancel: threading.Event | None = None,
    ) -> None:
        self._chooser = Chooser(sampling, suppressed)
        self._limit, self._stops = sampling.max_new_tokens, stops
        self._on_tokens, self._cancel = on_tokens, cancel
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.finish: Finish = ""
        self.passes = self.guessed = self.accepted = 0

    @property
    def is_done(self) -> bool:
        """Whether nothing more is to be written."""
        return bool(self.finish)

    @property
    def room(self) -> int:
        """How many tokens may still be written."""
        return self._limit - len(self.ids)

    def take(self, logits: torch.Tensor, guesses: Sequence[int] = ()) -> int:
        """Write tokens from (1 + guesses, vocabulary) logits for as long as guesses hold.

        Returns:
            How many guesses were right.
        """
        before, right = len(self.ids), 0
        self.guessed += len(guesses)
        for number in range(len(guesses) + 1):
            self._write(*self._chooser.choose(logits[number]))
            if self.is_done or number == len(guesses) or self.ids[-1] != guesses[number]:
                break
            right += 1
        self.accepted += right
        if self._on_tokens is not None:
            self._on_tokens(self.ids[before:])
        return right

    def check_cancel(self) -> None:
        """End the row where somebody asked for it."""
        if self._cancel is not None and self._cancel.is_set() and not self.is_done:
            self.finish = "cancelled"

    def answer(self, prompt_tokens: int, cached_tokens: int) -> Answer:
        """Return what was written."""
        return Answer(
            ids=tuple(self.ids),
            logprobs=tuple(self.logprobs),
            finish=self.finish,
            prompt_tokens=prompt_tokens,
            cached_tokens=cached_tokens,
            passes=self.passes,
            guessed=self.guessed,
            accepted=self.accepted,
        )

    def _write(self, token: int, logprob: float) -> None:
        self.ids.append(token)
        self.logprobs.append(logprob)
        if token in self._stops:
            self.finish = "stop"
        elif self.room <= 0:
            self.finish = "length"


def suppressed_ids(model: Any, tokenizer: Any, stops: frozenset[int]) -> list[int]:
    """Return the ids that only a prompt may hold: marks of pictures, video and sound, padding.

    A policy that samples an image mark has more image tokens than pictures in its next prompt.
    """
    config = model.config
    marks = ("image", "video", "vision", "audio", "boi", "eoi", "boa", "eoa")
    found = set(model.generation_config.suppress_tokens or ())
    for name, value in config.to_dict().items():
        is_mark = name.endswith(("_token_id", "_token_index")) and name.startswith(marks)
        if is_mark and isinstance(value, int):
            found.add(value)
    if tokenizer.pad_token_id is not None:
        found.add(tokenizer.pad_token_id)
    vocabulary = config.get_text_config().vocab_size
    return sorted(token for token in found - stops if 0 <= token < vocabulary)


def stop_ids(model: Any, tokenizer: Any) -> dict[str, int]:
    """Return what ends a turn, by its text.

    Raises:
        UsageError: The model does not say.
    """
    own = model.generation_config.eos_token_id
    ids = {tokenizer.eos_token_id, *(own if isinstance(own, list) else [own])} - {None}
    if not ids:
        raise UsageError("neither tokenizer nor generation_config.json says what ends a turn")
    return {tokenizer.decode([token]): int(token) for token in sorted(ids)}
