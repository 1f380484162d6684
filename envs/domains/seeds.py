"""Which members of a family belong to which split, and how they are drawn.

Chance comes from a hash of words (family, version, split, seed, difficulty), so the same words
give the same members in every process. A member belongs to the split that a hash of its own
program names: train, validation and test share no part because no part is in two of them.
"""

from __future__ import annotations

import hashlib
from typing import Literal, get_args

from cadwright.envs.domains.family import DIFFICULTIES, Design, Family
from cadwright.envs.domains.randomness import generator
from cadwright.envs.domains.sizing import is_graded, size_of
from cadwright.envs.names import nearest
from cadwright.tools.errors import UsageError

Split = Literal["train", "validation", "test", "out_of_family"]

SPLITS: tuple[Split, ...] = get_args(Split)
_BUCKETS = 20
_FIRST_VALIDATION, _FIRST_TEST = 16, 18  # 80 %, 10 % and 10 % of all members
MOST_DRAWS = 2_000  # a split of one tenth that is still empty after these has no member


def split_of(family: Family, design: Design) -> Split:
    """Return the one split that a member belongs to."""
    if family.split == "held_out":
        return "out_of_family"
    return split_by_hash(f"{family.name}\n{family.inline_program(design)}".encode())


def split_by_hash(content: bytes) -> Split:
    """Return the one split that a part belongs to, by the bytes that say what it is."""
    bucket = int.from_bytes(hashlib.sha256(content).digest()[:8], "big") % _BUCKETS
    if bucket < _FIRST_VALIDATION:
        return "train"
    return "validation" if bucket < _FIRST_TEST else "test"


def splits_for(family: Family) -> tuple[Split, ...]:
    """Return the splits in which a family has members; the first is the default."""
    return ("out_of_family",) if family.split == "held_out" else SPLITS[:3]


def check_split(split: str | None, allowed: tuple[Split, ...]) -> Split:
    """Return a split by its name, or the first where none is given.

    Raises:
        UsageError: There is no such split, or it has no tasks here.
    """
    for known in allowed:
        if split in (None, known):
            return known
    raise UsageError(f"split is {split!r}{nearest(split, allowed)}")


class Members:
    """Draws members of a family, all of one split.

    Args:
        family: Whose members.
        version: Of the family: another version draws other members.
        split: The split that they belong to.
        seed: Which ones.
        difficulty: 1 to 5.
        finest: The difficulty beyond which their numbers get no finer.
    """

    def __init__(
        self,
        family: Family,
        *,
        version: int,
        split: Split,
        seed: int,
        difficulty: int,
        finest: int = DIFFICULTIES[-1],
    ) -> None:
        self.family = family
        self.split = split
        self._finest = finest
        self.difficulty = difficulty
        self._rng = generator(family.name, version, split, seed, difficulty)

    def draw(self, *, num_steps: int = 1) -> Design:
        """Return a member with at least so many modelling steps.

        A family whose easy members have fewer gives a harder one. Of a family that makes no
        difference between the easier ones, several are drawn and taken in the order of their size.

        Raises:
            UsageError: The split has no such member.
        """
        if is_graded(self.family):
            return self._one(num_steps)
        several = sorted(
            (self._one(num_steps) for _ in DIFFICULTIES), key=lambda d: size_of(self.family, d)
        )
        return several[self.difficulty - 1]

    def _one(self, num_steps: int) -> Design:
        for difficulty in range(self.difficulty, 6):
            for _ in range(MOST_DRAWS):
                design = self.family.sample(self._rng, min(difficulty, self._finest))
                if not self.is_mine(design):
                    continue
                if len(self.family.steps_of(design)) >= num_steps:
                    return design
                break
        raise UsageError(
            f"family {self.family.name} has no member of difficulty {self.difficulty} with "
            f"{num_steps} steps in split {self.split}"
        )

    def is_mine(self, design: Design) -> bool:
        """Return whether a design is possible and belongs to this split."""
        return self.family.is_possible(design) and split_of(self.family, design) == self.split
