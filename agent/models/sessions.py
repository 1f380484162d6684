"""Conversations that the cache remembers, so that a turn costs its new tokens.

A ``Session`` is a cache and the keys of the tokens in it. A prompt finds the session that shares
its longest beginning, pictures compared by their pixels. Where a history was changed or undone the
cache is cut to what still holds; where another conversation shares a beginning (a branch, the same
task again) that beginning is copied. Sessions that are used least are dropped first.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cadwright.agent.models.family import Runner
from cadwright.agent.models.growing import copy_of
from cadwright.agent.models.prompts import Ids, Prompt

if TYPE_CHECKING:
    from transformers import Cache

WORTH_COPYING = 16  # tokens: a shorter common beginning is read again sooner than it is copied


@dataclass(slots=True, eq=False)
class Session:
    """A cache and what it holds.

    Attributes:
        cache: Keys and values of ``keys``.
        keys: (n,) comparable keys of the cached tokens, see ``Prompt.keys``.
        owner: Whose conversation it is.
        used: When, as a count.
        is_busy: A turn is being generated on it.
    """

    cache: Cache
    keys: Ids
    owner: object
    used: int = 0
    is_busy: bool = False

    def __len__(self) -> int:
        return len(self.keys)

    def append(self, tokens: Sequence[int]) -> None:
        """Note that the cache has taken up ``tokens``."""
        self.keys = np.concatenate([self.keys, np.asarray(tokens, dtype=np.int64)])

    def cut(self, length: int) -> None:
        """Forget everything behind the first ``length`` tokens."""
        if length < len(self.keys):
            self.cache.crop(length - len(self.keys))
            self.keys = self.keys[:length]


class SessionStore:
    """All sessions of one model. Not thread-safe: the engine lets one thread in at a time.

    Args:
        runner: Makes caches.
        max_tokens: Cached tokens that may stay in memory; 0 remembers nothing between turns.
    """

    def __init__(self, runner: Runner, max_tokens: int) -> None:
        self._runner, self._max_tokens = runner, max_tokens
        self.is_forgetful = False  # set where caches of this model cannot be continued
        self._sessions: list[Session] = []
        self._clock = itertools.count(1)

    @property
    def num_tokens(self) -> int:
        """Cached tokens of all sessions."""
        return sum(map(len, self._sessions))

    def __len__(self) -> int:
        return len(self._sessions)

    def lease(self, prompt: Prompt, owner: object) -> Session:
        """Return a session that holds a beginning of ``prompt`` and nothing else, marked busy."""
        session = self._fitting(prompt, owner)
        session.owner, session.is_busy, session.used = owner, True, next(self._clock)
        if session not in self._sessions:
            self._sessions.append(session)
        return session

    def give_back(self, session: Session) -> None:
        """Keep a session for the next turn, and drop the oldest ones that are too many."""
        session.is_busy, session.used = False, next(self._clock)
        idle = sorted((one for one in self._sessions if not one.is_busy), key=lambda one: one.used)
        for oldest in idle:
            if self.num_tokens <= self._max_tokens:
                return
            self._sessions.remove(oldest)

    def drop(self, session: Session) -> None:
        """Forget a session whose cache can no longer be trusted."""
        if session in self._sessions:
            self._sessions.remove(session)

    def forget(self, owner: object) -> None:
        """Forget the conversations of ``owner``."""
        self._sessions = [one for one in self._sessions if one.owner is not owner or one.is_busy]

    def _fitting(self, prompt: Prompt, owner: object) -> Session:
        if self.is_forgetful:
            return self._fresh()
        shared = {id(one): self._shared(one, prompt) for one in self._sessions}
        idle = [one for one in self._sessions if not one.is_busy]
        own = max(
            (one for one in idle if one.owner is owner),
            key=lambda one: shared[id(one)],
            default=None,
        )
        if not self._runner.family.can_cut:
            grown = (one for one in idle if shared[id(one)] == len(one))
            return max(grown, key=len, default=None) or self._fresh()
        best = max(self._sessions, key=lambda one: shared[id(one)], default=None)
        gain = shared[id(best)] - (shared[id(own)] if own is not None else 0) if best else 0
        if best is not None and gain >= WORTH_COPYING:
            length = shared[id(best)]
            return Session(copy_of(best.cache, length), best.keys[:length], owner)
        if own is None:
            return self._fresh()
        own.cut(shared[id(own)])
        return own

    def _fresh(self) -> Session:
        return Session(self._runner.empty_cache(), np.zeros(0, dtype=np.int64), None)

    def _shared(self, session: Session, prompt: Prompt) -> int:
        """Return how many tokens can be taken over; the last of a prompt is always read."""
        length = min(len(session), len(prompt) - 1)
        differing = np.flatnonzero(session.keys[:length] != prompt.keys[:length])
        return int(differing[0]) if len(differing) else _outside(length, prompt)


def _outside(length: int, prompt: Prompt) -> int:
    """Return ``length``, or the start of the picture that it would cut in two."""
    return next((start for start, end in prompt.spans if start < length < end), length)
