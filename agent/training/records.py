"""From sheets to records: one decision of the policy, with all that it has seen before.

A record is a task in words, in a picture or in both, perhaps one to three attempts with what the
environment answered, and the right next turn: the program, a corrected program, ``undo`` after a
setback, ``submit``, or the sentence that says that the part is not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cadwright.agent.training import talk, wording
from cadwright.agent.training.sheets import Sheet
from cadwright.agent.training.vlm import Pixels
from cadwright.envs.domains.compact import BY_NAME, FAMILIES
from cadwright.envs.domains.family import Design
from cadwright.tools.rendering.measured import with_table
from cadwright.tools.rendering.offset import Offset
from cadwright.tools.tool import ToolSpec

Rng = np.random.Generator

MAX_ATTEMPTS = 3  # after them, or after a setback, which it takes back, it hands in
OWN, NEAR, REPEATED = 0.8, 0.9, 0.1  # of what was made: its own, a neighbour, once more the same
TAKEN_BACK = 0.4  # of the setbacks: have been taken back
MAX_SHIFT = 4  # px
PAPER = 255

_DOCSTRINGS = {  # other words for the same tools
    "execute": (
        "Run code.",
        "Builds the model from a CadQuery script and returns its views.",
        "Evaluate python source in the CAD kernel.",
        "Create the solid.\\n\\nThe part must be called `result`.",
    ),
    "code": ("source", "The script to run.", "CadQuery program", "Python source."),
    "undo": ("Undo.", "Take back the last steps.", "Return to an earlier state of the part."),
    "steps": ("How many steps.", "Number of calls to take back."),
    "submit": ("Finish.", "Hand in the result.", "Done.", "End the task with the current part."),
}


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One decision.

    Attributes:
        opening: System turn.
        prompt: The rest of what the policy reads.
        answer: What it has to say.
        pictures: What it sees, in order.
        before: What it said last.
    """

    opening: str
    prompt: str
    answer: str
    pictures: tuple[Pixels, ...]
    before: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """Something that is none of the families: ways to ask for it, and what it looks like."""

    briefs: tuple[str, ...]
    picture: Pixels | None


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A part that the policy has made, and how it is shown.

    Attributes:
        sheet: The part.
        picture: What ``execute`` answered with.
        offset: How far it is from the wanted part; None where no measured sheet shows that.
    """

    sheet: Sheet
    picture: Pixels
    offset: Offset | None = None

    @classmethod
    def at(cls, sheet: Sheet, wanted: Sheet, target: Pixels) -> Attempt:
        """Return a part as it is shown over the wanted one, whose measured sheet is ``target``."""
        picture = sheet.drawing.over(wanted.drawing, target)
        return cls(sheet, picture, sheet.drawing.offset(wanted.drawing))


class Bank:
    """All that records are made from.

    Args:
        sheets: Parts of the families.
        unknown: Parts that are none.
        ordinary: Ordinary view sheets of some of ``sheets``, by their place.
        mistakes: What the policy made in their stead of some of ``sheets``, by their place.
    """

    def __init__(
        self,
        sheets: Sequence[Sheet],
        unknown: Sequence[Unknown],
        ordinary: Mapping[int, Pixels],
        mistakes: Mapping[int, Sequence[Sheet]] | None = None,
    ) -> None:
        self.sheets, self.unknown, self.ordinary = sheets, unknown, ordinary
        self.mistakes = mistakes or {}
        self.mistaken = list(self.mistakes)
        self.drawn = [u for u in unknown if u.picture is not None]
        self.named = [u for u in unknown if u.briefs]
        self.places = list(ordinary)
        self._clusters: dict[int, list[int]] = defaultdict(list)
        self.families: dict[str, list[int]] = defaultdict(list)
        for place, sheet in enumerate(sheets):
            self._clusters[sheet.cluster].append(place)
            self.families[sheet.family].append(place)

    def neighbours(self, place: int) -> list[int]:
        """Return the places of parts that are nearly the same."""
        return [p for p in self._clusters[self.sheets[place].cluster] if p != place]


def program_of(sheet: Sheet) -> str:
    """Return the program of a part."""
    return BY_NAME[sheet.family].inline_program(Design(sheet.values))


def table_of(sheet: Sheet) -> list[int]:
    """Return the numbers of its dimension table."""
    return [int(value) for value in sheet.values.values()]


class Writer:
    """Draws records at random.

    Args:
        bank: Parts.
        mix: Shares of the recipe: ``decline``, ``attempts`` (of 0 to 3), ``tasks``
            (of ``text``, ``table``, ``views``), ``own``, ``system``, ``docstrings``, ``shift``.
        rng: All chance.
    """

    def __init__(self, bank: Bank, mix: Mapping[str, Any], rng: Rng) -> None:
        self._bank, self._mix, self._rng = bank, mix, rng

    def draw(self) -> Record:
        """Return the next record."""
        if self._rng.random() < self._mix["decline"]:
            return self._declined()
        count = int(self._rng.choice(MAX_ATTEMPTS + 1, p=self._mix["attempts"]))
        task = str(self._rng.choice(["text", "table", "views"], p=self._mix["tasks"]))
        if task == "text" and self._rng.random() < self._mix["bare_text"]:
            return self._bare(count)
        return self._pictured(task, count)

    def _pictured(self, task: str, count: int) -> Record:
        """A task that shows a measured sheet of the part, with or without numbers.

        Some sheets with a table are not to scale: their views are those of another member. Views
        alone are so telling that reading is not learned from sheets that agree with their table.
        """
        bank, rng = self._bank, self._rng
        is_own = count > 0 and bool(bank.mistaken) and rng.random() < self._mix["own"]
        place = int(rng.choice(bank.mistaken) if is_own else rng.integers(len(bank.sheets)))
        sheet = bank.sheets[place]
        table = table_of(sheet) if task == "table" else []
        views = sheet.picture
        if task == "table" and not count and rng.random() < self._mix["not_to_scale"]:
            views = bank.sheets[int(rng.choice(bank.families[sheet.family]))].picture
        target = self._shifted(with_table(views, table))
        words = self._words(sheet) if task == "text" else self._request(sheet)
        right = with_table(sheet.picture, table)
        attempts: list[Attempt] = []
        while len(attempts) < count and not _is_over(attempts):
            made = self._made(place, is_own=is_own)
            if len(attempts) == count - 1 and rng.random() < self._mix["right"]:
                made = sheet
            elif attempts and rng.random() < REPEATED:
                made = attempts[-1].sheet
            attempts.append(Attempt.at(made, sheet, right))
        return self._decided(words, target, sheet, attempts)

    def _bare(self, count: int) -> Record:
        """A task in words whose picture is missing, blank, or of something else."""
        places = self._bank.places
        count = min(count, MAX_ATTEMPTS) if places else 0
        from_ordinary = count > 0 or (bool(places) and self._rng.random() < 0.2)
        place = int(
            self._rng.choice(places)
            if from_ordinary
            else self._rng.integers(len(self._bank.sheets))
        )
        sheet = self._bank.sheets[place]
        attempts = [
            Attempt(self._bank.sheets[p], self._bank.ordinary[p])
            for p in self._attempted(place, count)
            if p in self._bank.ordinary
        ]
        return self._decided(self._words(sheet), self._beside(place), sheet, attempts)

    def _beside(self, place: int) -> Pixels | None:
        """Return a picture that says nothing about the part."""
        kind = self._rng.random()
        if kind < 0.5:
            return None
        if kind < 0.75:
            return np.full((160, 128), PAPER, dtype=np.uint8)
        if kind < 0.85 and place in self._bank.ordinary:
            return self._bank.ordinary[place]
        return self._bank.sheets[int(self._rng.integers(len(self._bank.sheets)))].picture

    def _made(self, place: int, *, is_own: bool) -> Sheet:
        """Return what was made in place of a part: mostly what the policy made, or a neighbour."""
        bank, rng = self._bank, self._rng
        if is_own and rng.random() < OWN:
            known = bank.mistakes[place]
            return known[int(rng.integers(len(known)))]
        near = bank.neighbours(place)
        if near and rng.random() < NEAR:
            return bank.sheets[int(rng.choice(near))]
        return bank.sheets[int(rng.integers(len(bank.sheets)))]

    def _attempted(self, place: int, count: int) -> list[int]:
        """Return what was made so far: near misses, and at last often the part itself."""
        made: list[int] = []
        near = self._bank.neighbours(place)
        while len(made) < count:
            is_last = len(made) == count - 1
            if is_last and self._rng.random() < self._mix["right"]:
                made.append(place)
            elif self._rng.random() < NEAR and near:
                made.append(int(self._rng.choice(near)))
            else:
                other = self._bank.places if self._bank.places else range(len(self._bank.sheets))
                made.append(int(self._rng.choice(other)))
            if len(made) > 1 and made[-1] == made[-2]:
                made.pop()
        return made

    def _decided(
        self, words: str, target: Pixels | None, sheet: Sheet, attempts: Sequence[Attempt]
    ) -> Record:
        """Return the record of a task after some attempts."""
        prompt = talk.asked(words, has_picture=target is not None)
        told = talk.Told()
        is_silent = self._rng.random() < self._mix["silent"]
        for attempt in attempts:
            prompt += talk.turn(talk.execute(program_of(attempt.sheet)))
            said = told.after(attempt.sheet.facts, attempt.offset)
            prompt += talk.answered(talk.SILENT if is_silent else said)
        answer = _next(sheet, attempts)
        pictures = [] if target is None else [target]
        pictures += [attempt.picture for attempt in attempts]
        if answer == talk.UNDO and self._rng.random() < TAKEN_BACK:
            said = told.undone()
            prompt += talk.turn(talk.UNDO) + talk.answered(talk.SILENT if is_silent else said)
            pictures.append(attempts[-2].picture)
            answer = talk.SUBMIT
        before = talk.execute(program_of(attempts[-1].sheet)) if attempts else ""
        return Record(
            self._opening(), prompt + talk.turn(), answer + talk.STOP, tuple(pictures), before
        )

    def _declined(self) -> Record:
        """A request for something that the policy cannot make."""
        words, picture = self._impossible()
        prompt = talk.asked(words, has_picture=picture is not None) + talk.turn()
        pictures = () if picture is None else (picture,)
        return Record(self._opening(), prompt, talk.DECLINE + talk.STOP, pictures)

    def _impossible(self) -> tuple[str, Pixels | None]:
        rng, kind = self._rng, self._rng.random()
        if kind < 0.35:  # words alone
            return self._foreign_words(), None
        if kind < 0.45:  # words that say one thing, and a picture that shows nothing of it
            return self._foreign_words(), np.full((160, 128), PAPER, dtype=np.uint8)
        if kind < 0.55:  # a request that needs a picture, without one
            blank = np.full((160, 128), PAPER, dtype=np.uint8)
            return wording.request(rng), None if rng.random() < 0.5 else blank
        if kind < 0.62 and self._bank.places:  # an ordinary view sheet, which it cannot read
            return wording.request(rng), self._bank.ordinary[int(rng.choice(self._bank.places))]
        unknown = self._bank.drawn[int(rng.integers(len(self._bank.drawn)))]
        assert unknown.picture is not None
        picture = self._shifted(unknown.picture)
        if unknown.briefs and rng.random() < 0.4:
            return wording.noisy(rng, str(rng.choice(unknown.briefs))), picture
        return wording.request(rng), picture

    def _foreign_words(self) -> str:
        rng = self._rng
        if rng.random() < 0.2:
            return wording.oversized(rng, FAMILIES[int(rng.integers(len(FAMILIES)))])
        if self._bank.named and rng.random() < 0.5:
            unknown = self._bank.named[int(rng.integers(len(self._bank.named)))]
            return wording.noisy(rng, str(rng.choice(unknown.briefs)))
        return wording.unknown_thing(rng)

    def _request(self, sheet: Sheet) -> str:
        return wording.request(self._rng, BY_NAME[sheet.family].title)

    def _words(self, sheet: Sheet) -> str:
        return wording.brief(self._rng, BY_NAME[sheet.family], sheet.values)

    def _shifted(self, picture: Pixels) -> Pixels:
        if self._rng.random() >= self._mix["shift"]:
            return picture
        by = self._rng.integers(-MAX_SHIFT, MAX_SHIFT + 1, size=2)
        return np.roll(picture, (int(by[0]), int(by[1])), (0, 1))

    def _opening(self) -> str:
        rng = self._rng
        system = str(rng.choice(wording.SYSTEMS)) if rng.random() < self._mix["system"] else ""
        tools = talk.TOOLS
        if rng.random() < self._mix["docstrings"]:
            tools = tuple(_redescribed(spec, rng) for spec in tools)
        return talk.opening(system, tools)


def _next(wanted: Sheet, attempts: Sequence[Attempt]) -> str:
    """Return what to do after some attempts: make the part, take a setback back, or hand in."""
    if not attempts:
        return talk.execute(program_of(wanted))
    last = attempts[-1]
    if _same(last.sheet, wanted) or (last.offset and _is_enough(attempts)):
        return talk.SUBMIT
    return talk.UNDO if _is_setback(attempts) else talk.execute(program_of(wanted))


def _is_over(attempts: Sequence[Attempt]) -> bool:
    """Whether nothing more is tried after these attempts."""
    return bool(attempts) and (_is_enough(attempts) or _is_setback(attempts))


def _is_setback(attempts: Sequence[Attempt]) -> bool:
    """Whether the last attempt is farther from what is wanted than the one before."""
    off = [attempt.offset.px for attempt in attempts if attempt.offset]
    return len(off) > 1 and off[-1] > off[-2]


def _is_enough(attempts: Sequence[Attempt]) -> bool:
    """Whether the last attempt is handed in though it is not right: it is no news, or the last."""
    *before, last = attempts
    is_old = any(_same(attempt.sheet, last.sheet) for attempt in before)
    return is_old or (len(attempts) >= MAX_ATTEMPTS and not _is_setback(attempts))


def _same(first: Sheet, second: Sheet) -> bool:
    return first.family == second.family and dict(first.values) == dict(second.values)


def _redescribed(spec: ToolSpec, rng: Rng) -> ToolSpec:
    """Return a tool with some of its descriptions in other words."""
    description = spec.description
    if rng.random() < 0.6:
        description = str(rng.choice(_DOCSTRINGS[spec.name]))
    properties = {}
    for name, schema in spec.parameters["properties"].items():
        if name in _DOCSTRINGS and rng.random() < 0.6:
            schema = {**schema, "description": str(rng.choice(_DOCSTRINGS[name]))}
        properties[name] = schema
    return replace(
        spec, description=description, parameters={**spec.parameters, "properties": properties}
    )
