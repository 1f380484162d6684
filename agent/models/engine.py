"""Many conversations, one model: whoever waits for an answer may run the batch for all.

There is no thread of its own. Callers of ``generate`` read their own prompts, then one of them
leads: it runs the model for every answer that is being written, one token at a time, and hands
over when its own is complete or when somebody new wants in. An error is raised where it belongs:
at the caller whose prompt or pass it was.

One row decodes on its own session, with speculation where the tier has it. Several rows decode in
one pass: their caches are padded on the left to one length, positions and masks say so, and each
row's new tokens go back to its own session when the company changes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cadwright.agent.models.family import Family, Runner, family_of
from cadwright.agent.models.generation import (
    Answer,
    OnTokens,
    Row,
    Sampling,
    stop_ids,
    suppressed_ids,
)
from cadwright.agent.models.growing import merged, move_row
from cadwright.agent.models.prompts import Prompt
from cadwright.agent.models.sessions import Session, SessionStore
from cadwright.agent.models.speculation import Pace, Speculator
from cadwright.tools.errors import InfraError

if TYPE_CHECKING:
    import torch
    from transformers import Cache

CACHE_BYTES = 2 * 2**30  # of past conversations, where nothing else is asked for
SMALL_MODEL = 64 * 10**6  # weights: below, a second thread costs more in waiting than it computes


@dataclass(slots=True, eq=False)
class _Job:
    """One answer, its conversation, and where its next token stands."""

    prompt: Prompt
    row: Row
    session: Session
    place: torch.Tensor  # position of the next token, on every axis
    cached: int  # tokens of the prompt that the session held
    pace: Pace = field(default_factory=Pace)
    is_lost: bool = False

    @property
    def is_over(self) -> bool:
        """Whether its caller need not wait any longer."""
        return self.row.is_done or self.is_lost


@dataclass(slots=True)
class _Batch:
    """Jobs that decode in one pass, and their padded cache."""

    jobs: list[_Job]
    cache: Cache
    mask: torch.Tensor  # (B, length) of cached places, 0 is padding
    written: int = 0  # tokens a row that are in ``cache`` and not yet in its session


class Engine:
    """Answers prompts, from any number of threads.

    Args:
        model: A transformers model in evaluation mode.
        tokenizer: Its tokenizer.
        cache_tokens: Tokens of past conversations that stay in memory; as many as fit into
            ``CACHE_BYTES`` where it is None.
        speculator: Guesses ahead, or None for one token a pass.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        cache_tokens: int | None = None,
        speculator: Speculator | None = None,
    ) -> None:
        import torch

        self.runner = Runner(model, family_of(model))
        self.stops = stop_ids(model, tokenizer)
        self._stop_set = frozenset(self.stops.values())
        suppressed = suppressed_ids(model, tokenizer, self._stop_set)
        self.suppressed = suppressed
        self._suppressed = torch.tensor(suppressed, dtype=torch.long, device=model.device)
        if cache_tokens is None:
            cache_tokens = CACHE_BYTES // self.runner.bytes_per_token
        self.store = SessionStore(self.runner, cache_tokens)
        self._speculator = speculator if self.runner.family.can_cut else None
        is_small = model.device.type == "cpu" and model.num_parameters() < SMALL_MODEL
        self._num_threads = 1 if is_small else torch.get_num_threads()
        self._monitor = threading.Condition()
        self._is_led, self._arriving = False, 0
        self._leaving: list[object] = []
        self._jobs: list[_Job] = []
        self._batch: _Batch | None = None

    @property
    def family(self) -> Family:
        """How the model is called."""
        return self.runner.family

    def generate(
        self,
        prompt: Prompt,
        sampling: Sampling,
        *,
        owner: object,
        on_tokens: OnTokens | None = None,
        cancel: threading.Event | None = None,
    ) -> Answer:
        """Write the answer to ``prompt``; blocks until it is complete.

        Args:
            prompt: What to read.
            sampling: How to choose tokens.
            owner: Whose conversation it is: its session is kept for the next turn.
            on_tokens: Told of new tokens as they come.
            cancel: Set it from another thread to end the answer early.

        Raises:
            InfraError: A pass for several conversations failed at another caller.
        """
        row = Row(sampling, self._suppressed, self._stop_set, on_tokens, cancel)
        with self._leading(is_new=True):
            job = self._admit(prompt, row, owner)
        while not job.is_over:
            with self._leading(job):
                while not (job.is_over or self._arriving):
                    self._advance()
        if job.is_lost:
            raise InfraError("the pass that wrote this answer failed in another conversation")
        return row.answer(len(prompt), job.cached)

    def forget(self, owner: object) -> None:
        """Drop what is cached for ``owner``, as soon as the model is free."""
        with self._monitor:
            self._leaving.append(owner)
            if not self._is_led:
                self._forget_leaving()

    def _forget_leaving(self) -> None:
        while self._leaving:
            self.store.forget(self._leaving.pop())

    @contextmanager
    def _leading(self, job: _Job | None = None, *, is_new: bool = False) -> Iterator[None]:
        """Be the one who runs the model; newcomers go first, and who is finished only passes by."""
        import torch

        with self._monitor:
            self._arriving += is_new
            self._monitor.wait_for(lambda: self._may_lead(job))
            self._arriving -= is_new
            if job is not None and job.is_over:
                yield
                return
            self._is_led = True
        is_whole, num_threads = False, torch.get_num_threads()
        torch.set_num_threads(self._num_threads)
        try:
            yield
            is_whole = True
        finally:
            torch.set_num_threads(num_threads)
            with self._monitor:
                if not (is_whole or is_new):
                    self._abandon()
                self._forget_leaving()
                self._is_led = False
                self._monitor.notify_all()

    def _may_lead(self, job: _Job | None) -> bool:
        """Return whether a caller need not wait; ``job`` is None for a newcomer."""
        if job is None:
            return not self._is_led
        return job.is_over or not (self._is_led or self._arriving)

    def _admit(self, prompt: Prompt, row: Row, owner: object) -> _Job:
        """Read the prompt and write the first token."""
        session = self.store.lease(prompt, owner)
        cached, is_read = len(session), False
        try:
            positions = self.runner.positions(prompt)
            logits = self.runner.read(prompt, cached, session.cache, positions)
            session.keys, is_read = prompt.keys.copy(), True
        finally:
            if not is_read:  # half a prompt is in the cache
                self.store.drop(session)
        job = _Job(prompt, row, session, positions.max() + 1, cached)
        row.take(logits[-1:])
        if row.is_done:
            self.store.give_back(session)
        else:
            self._jobs.append(job)
        return job

    def _advance(self) -> None:
        """Write at least one token of every answer."""
        for job in self._jobs:
            job.row.check_cancel()
        self._retire()
        if not self._jobs:
            return
        if len(self._jobs) == 1 or not self.family.can_cut:
            self._split()
            for job in self._jobs:
                self._advance_one(job)
        else:
            if self._batch is None or self._batch.jobs != self._jobs:
                self._split()
                self._batch = self._merge()
            self._advance_batch(self._batch)
        self._retire()

    def _advance_one(self, job: _Job) -> None:
        """Decode one row on its own session, guesses included."""
        import torch

        guesses = self._guesses(job)
        tokens = [job.row.ids[-1], *guesses]
        at = job.place + torch.arange(len(tokens), device=job.place.device)
        at = at.expand(*self._axes, 1, len(tokens))
        logits = self.runner.forward([tokens], job.session.cache, at, keep=len(tokens))[0]
        job.session.append(tokens)
        right = job.row.take(logits, guesses)
        job.session.cut(len(job.session) - (len(guesses) - right))
        job.place = job.place + 1 + right
        job.row.passes += 1
        job.pace.learn(len(guesses), right)

    def _guesses(self, job: _Job) -> list[int]:
        most = min(job.pace.most, job.row.room - 1)
        if self._speculator is None or most < 1:
            return []
        return self._speculator.propose(job.prompt, job.row.ids, most)

    def _advance_batch(self, batch: _Batch) -> None:
        """Decode all rows in one pass."""
        import torch

        last = [[job.row.ids[-1]] for job in batch.jobs]
        at = torch.stack([job.place for job in batch.jobs])[:, None]
        batch.mask = torch.nn.functional.pad(batch.mask, (0, 1), value=1)
        logits = self.runner.forward(
            last, batch.cache, at.expand(*self._axes, *at.shape), attention_mask=batch.mask
        )
        batch.written += 1
        for job, own in zip(batch.jobs, logits, strict=True):
            job.place = job.place + 1
            job.row.passes += 1
            job.row.take(own)

    @property
    def _axes(self) -> tuple[int, ...]:
        """Leading sizes of position ids."""
        return (3,) if self.family.has_grid_positions else ()

    def _merge(self) -> _Batch:
        """Put the sessions of all jobs into one padded cache."""
        import torch

        lengths = [len(job.session) for job in self._jobs]
        mask = np.arange(max(lengths))[None] >= max(lengths) - np.asarray(lengths)[:, None]
        tensor = torch.from_numpy(mask.astype(np.int64)).to(self.runner.model.device)
        return _Batch(list(self._jobs), merged([job.session.cache for job in self._jobs]), tensor)

    def _split(self) -> None:
        """Give each row its new tokens back: all that it wrote in the batch but the last."""
        batch, self._batch = self._batch, None
        if batch is None or not batch.written:
            return
        for number, job in enumerate(batch.jobs):
            move_row(batch.cache, number, batch.written, job.session.cache)
            job.session.append(job.row.ids[-1 - batch.written : -1])

    def _retire(self) -> None:
        """Let finished jobs go."""
        done = [job for job in self._jobs if job.row.is_done]
        if not done:
            return
        self._split()
        self._jobs = [job for job in self._jobs if not job.row.is_done]
        for job in done:
            self.store.give_back(job.session)
        with self._monitor:
            self._monitor.notify_all()

    def _abandon(self) -> None:
        """After an error nobody knows what the caches hold: all running answers are lost."""
        for job in self._jobs:
            job.is_lost = True
            self.store.drop(job.session)
        self._jobs, self._batch = [], None
