"""Guessing ahead: several tokens per pass, each checked, so the answer stays the same.

A guess costs nothing to make and one place in the pass that checks it. Programs and tool calls
repeat what stands in the prompt (names, numbers, the last version of the same code), so the
simplest guess, what followed the same few tokens before, is right often enough. A draft model
guesses where nothing repeats.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from cadwright.agent.models.family import Runner
from cadwright.agent.models.prompts import Ids, Prompt
from cadwright.agent.models.sessions import SessionStore

LONGEST, SHORTEST = 4, 2  # tokens that must repeat before what followed them is proposed
FIRST_GUESS, MOST_GUESSES = 6, 16


class Speculator(Protocol):
    """Proposes what comes next."""

    def propose(self, prompt: Prompt, written: list[int], most: int) -> list[int]:
        """Return up to ``most`` tokens that may follow ``written``."""


class Lookup:
    """Proposes what followed the last few tokens where they stood before."""

    def propose(self, prompt: Prompt, written: list[int], most: int) -> list[int]:
        """Return the tokens behind the latest earlier occurrence of the longest ending."""
        text = np.concatenate([prompt.ids, np.asarray(written, dtype=np.int64)])
        for size in range(LONGEST, SHORTEST - 1, -1):
            at = last_occurrence(text, size)
            if at >= 0:
                return [int(token) for token in text[at + size : at + size + most]]
        return []


def last_occurrence(text: Ids, size: int) -> int:
    """Return where the last ``size`` tokens stood before, the latest such place; -1 for nowhere."""
    if len(text) <= size:
        return -1
    places = np.flatnonzero(text[: len(text) - size] == text[-size])
    for offset in range(1, size):
        places = places[text[places + offset] == text[offset - size]]
    return int(places[-1]) if len(places) else -1


class Draft:
    """A smaller model of the same tokenizer and picture format that writes the guess.

    Args:
        runner: Runs it.
        max_tokens: Cached tokens that its own sessions may hold.
    """

    def __init__(self, runner: Runner, max_tokens: int) -> None:
        self._runner = runner
        self._store = SessionStore(runner, max_tokens)

    def propose(self, prompt: Prompt, written: list[int], most: int) -> list[int]:
        """Return what the draft model would write."""
        import torch

        whole = prompt.followed_by(written)
        session = self._store.lease(whole, self)
        positions = self._runner.positions(whole)
        logits = self._runner.read(whole, len(session), session.cache, positions)
        session.keys = whole.keys.copy()
        place, guesses = positions.max() + 1, [int(logits[-1].argmax())]
        while len(guesses) < most:
            at = (place + len(guesses) - 1).expand(*positions.shape[:-1], 1)
            step = torch.tensor([[guesses[-1]]])
            logits = self._runner.forward(step, session.cache, at)[0]
            session.append(guesses[-1:])
            guesses.append(int(logits[-1].argmax()))
        self._store.give_back(session)
        return guesses


class Pace:
    """How many tokens to guess: more while guesses hold, fewer when they fail."""

    def __init__(self) -> None:
        self.most = FIRST_GUESS

    def learn(self, guessed: int, right: int) -> None:
        """Note how the last guess went."""
        if guessed and right == guessed:
            self.most = min(MOST_GUESSES, self.most * 2)
        elif guessed:
            self.most = max(2, min(self.most, right + 2))
