"""Where a session stands: the checkpoints it can go back to, newest last, and its folder."""

from __future__ import annotations

from pathlib import Path

from cadwright.tools.sandbox.family import Checkpoint, Family
from cadwright.tools.sandbox.process import Process
from cadwright.tools.sandbox.protocol import Header


class Chain:
    """The checkpoints of one session.

    Args:
        family: Processes that the session lives among.
        keep: How many checkpoints to hold; older ones are dropped, the root never.
    """

    def __init__(self, family: Family, keep: int) -> None:
        self.family = family
        self.checkpoints: list[Checkpoint] = []
        self._keep = keep
        self._folder = family.join()
        self._copy_of: Path | None = None
        self._dropped = 0

    @property
    def tip(self) -> Process:
        """The process that the next step is forked from."""
        return self.checkpoints[-1].process if self.checkpoints else self.family.root

    @property
    def depth(self) -> int:
        """Steps that can be taken back."""
        # Once the first checkpoint is gone, so is the state before the oldest one kept.
        return len(self.checkpoints) - (1 if self._dropped else 0)

    def place(self) -> Header:
        """Return where the next step works."""
        copy_of = None if self._copy_of is None else str(self._copy_of)
        return {"folder": str(self._folder), "copy_of": copy_of}

    def push(self, checkpoint: Checkpoint) -> None:
        """Stand on a new checkpoint, dropping the oldest beyond the bound."""
        self._copy_of = None
        self.checkpoints.append(checkpoint)
        while self.depth > self._keep:
            self.family.release(self.checkpoints.pop(0))
            self._dropped += 1

    def drop_tip(self) -> None:
        """Go back by one checkpoint."""
        self.family.release(self.checkpoints.pop())

    def twin(self) -> Chain:
        """Return a chain that stands on the same checkpoints, with a copy of the folder."""
        other = Chain(self.family, self._keep)
        self.family.share(self.checkpoints)
        other.checkpoints = list(self.checkpoints)
        other._copy_of = self._folder
        other._dropped = self._dropped
        return other

    def restart(self, family: Family) -> None:
        """Let go of everything and stand on the root of another family."""
        self.close()
        self.family, self._folder = family, family.join()
        self._copy_of, self._dropped = None, 0

    def close(self) -> None:
        """Let go of everything."""
        is_last = self.family.leave()
        while self.checkpoints:
            checkpoint = self.checkpoints.pop()
            if not is_last:
                self.family.release(checkpoint)
