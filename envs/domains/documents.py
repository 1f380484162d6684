"""Long specifications: the few sentences that matter, deep inside a document that does not.

A document reads like the specification of a machine: chapters for its assemblies, each with other
parts, their materials, finishing, inspection and changes. Every length in them belongs to a part
with a number of its own, so nothing ever contradicts what is asked; what is asked stands in one
chapter of its own, at the chosen depth. The same generator state gives the same document.

Lengths are counted in tokens of about four characters, which is what English text with numbers
takes with the tokenizers of present language models, give or take a quarter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cadwright.envs.domains.filler import assemblies, general_chapters, padding
from cadwright.envs.domains.filler_parts import Dice, parts
from cadwright.tools.errors import UsageError

CHARS_PER_TOKEN = 4
MIN_TOKENS, MAX_TOKENS = 500, 1_000_000
_SLACK = 60  # characters: no sentence of padding is shorter

_INTRO = (
    "{project} - ENGINEERING SPECIFICATION {number}, revision {revision}\n\n"
    "To the reader: the part to be made is {part}. A requirement belongs to the part in whose "
    "section it stands, or which it names."
)
_REVISIONS = (
    "Revision history",
    "A: first issue. {before}: editorial. {revision}: chapters reordered, no change to any part.",
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fact stands in a document.

    Attributes:
        fact: The fact.
        start: Its first character.
        stop: The one after its last.
        depth: 0 at the top, 1 at the end of what stands before and after the facts.
    """

    fact: str
    start: int
    stop: int
    depth: float


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a document: chapters have level 1, their sections level 2."""

    level: int
    title: str
    body: str

    def length(self, chapter: int) -> int:
        """Return the characters that it takes, its number and the free lines included."""
        around = len(str(chapter)) + (4 if self.level == 1 and not self.body else 6)
        return len(self.title) + len(self.body) + around


def bury(facts: Sequence[str], rng: np.random.Generator, *, num_tokens: int, depth: float) -> str:
    """Return a specification with some facts in it.

    Args:
        facts: What matters, in this order, each kept to the letter; no line breaks at the ends.
        rng: Draws everything else.
        num_tokens: Length, estimated at four characters each; facts longer than that are kept.
        depth: Where the facts stand: 0 right after the introduction, 1 right before the end.

    Raises:
        UsageError: There is no fact, or the length or the depth is out of range.
    """
    _check(facts, num_tokens, depth)
    dice = Dice(rng)
    names = {
        "project": dice.of(_PROJECTS),
        "number": f"ES-{dice.whole(1000, 9999)}",
        "revision": dice.of("DEFGH"),
        "before": "B to C",
        "part": f"PN-{dice.whole(70000, 79999)}",  # other parts have numbers below
    }
    intro = _INTRO.format(**names)
    wanted = Section(1, f"Part {names['part']}", "\n\n".join(facts))
    last = Section(1, _REVISIONS[0], _REVISIONS[1].format(**names))
    room = num_tokens * CHARS_PER_TOKEN - len(intro) - wanted.length(1) - last.length(1)
    filler = _Filler(dice, names["part"])
    before = filler.take(room * depth)
    filler.chapter += 1  # the wanted part's
    after = filler.take(room - filler.taken)
    return "\n\n".join([intro, *_numbered((*before, wanted, *after, last))]) + "\n"


def places(document: str, facts: Sequence[str]) -> tuple[Place, ...]:
    """Return where each fact stands.

    Args:
        document: What ``bury`` wrote.
        facts: What it was given.

    Raises:
        UsageError: A fact is missing, or stands there more than once.
    """
    total = max(len(document) - sum(map(len, facts)), 1)
    found, passed = [], 0
    for fact in facts:
        if document.count(fact) != 1:
            raise UsageError(f"{fact[:60]!r} stands {document.count(fact)} times in the document")
        start = document.index(fact)
        found.append(Place(fact, start, start + len(fact), (start - passed) / total))
        passed += len(fact)
    return tuple(found)


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has: a quarter of its characters."""
    return len(text) // CHARS_PER_TOKEN


_PROJECTS = (
    "TRANSFER LINE 4",
    "PACKAGING CELL NORTH",
    "TEST BENCH HYDRAULICS",
    "FILLING STATION MK II",
    "PALLET LIFT 800",
    "INSPECTION GANTRY",
    "CUTTER HEAD REBUILD",
    "CONVEYOR DRIVE UNIT",
)


def _check(facts: Sequence[str], num_tokens: int, depth: float) -> None:
    if not facts or not all(facts):
        raise UsageError("a specification needs a fact to hold")
    if not MIN_TOKENS <= num_tokens <= MAX_TOKENS:
        raise UsageError(f"{num_tokens} tokens: allowed are {MIN_TOKENS} to {MAX_TOKENS}")
    if not 0.0 <= depth <= 1.0:
        raise UsageError(f"depth {depth}: allowed are 0 (top) to 1 (end)")


class _Filler:
    """An endless document about other parts, handed out in pieces of a wanted length."""

    def __init__(self, dice: Dice, wanted: str) -> None:
        self._dice, self._parts = dice, parts(dice)
        self.chapter = 0  # the last one's number
        self.taken = 0  # characters so far
        self._chapters: Iterator[tuple[str, tuple[tuple[str, str], ...]]] = _chained(
            general_chapters(dice, wanted), assemblies(dice, self._parts, wanted)
        )

    def take(self, length: float) -> list[Section]:
        """Return whole chapters, the last one cut where the length is reached."""
        taken: list[Section] = []
        end = self.taken + length
        while end - self.taken > _SLACK:
            title, sections = next(self._chapters)
            self.chapter += 1
            pieces = (Section(1, title, ""), *(Section(2, *section) for section in sections))
            for piece in pieces:
                if self.taken + piece.length(self.chapter) > end:
                    return [*taken, *self._rest(end, is_first=not taken)]
                taken.append(piece)
                self.taken += piece.length(self.chapter)
        return taken

    def _rest(self, end: float, *, is_first: bool) -> list[Section]:
        """Return a section that is as long as what is left, to a sentence."""
        level, title = (1, "General") if is_first else (2, "Remarks")
        words: list[str] = []
        left = end - self.taken - Section(level, title, " ").length(self.chapter)
        for sentence in padding(self._dice, self._parts):
            if len(sentence) + 1 > left:
                break
            words.append(sentence)
            left -= len(sentence) + 1
        if not words:
            return []
        section = Section(level, title, " ".join(words))
        self.taken += section.length(self.chapter)
        return [section]


def _chained(
    *parts: Iterable[tuple[str, tuple[tuple[str, str], ...]]],
) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    for part in parts:
        yield from part


def _numbered(sections: Iterable[Section]) -> Iterator[str]:
    """Yield sections with their numbers: 3, 3.1, 3.2, 4, ..."""
    chapter = number = 0
    for section in sections:
        if section.level == 1:
            chapter, number = chapter + 1, 0
            heading = f"{chapter}. {section.title}"
        else:
            number += 1
            heading = f"{chapter}.{number} {section.title}"
        yield f"{heading}\n{section.body}" if section.body else heading
