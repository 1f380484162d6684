"""The rows of the evaluation: which tasks, changed how, and what is asked of the policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cadwright.agent.training import talk, wording
from cadwright.agent.training.evaluate_tiny import EXACT, Exam, Examiner, Sitting, interval, mean
from cadwright.agent.training.records import PAPER, Unknown, table_of
from cadwright.agent.training.sheets import Sheet
from cadwright.agent.training.vlm import Pixels
from cadwright.envs.domains.compact import BY_NAME
from cadwright.tools.rendering.measured import with_table

Rng = np.random.Generator
Figures = dict[str, float]

REQUEST = "Model the part in the picture."
SHIFT = 3  # px
BLANK: Pixels = np.full((160, 128), PAPER, dtype=np.uint8)
MAIN, VIEWS, PROBE = 384, 768, 256  # tasks of a row


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        name: What was tried.
        count: Tasks.
        figures: By name, 0 to 1.
        asked: The least (or for ``false_decline`` the most) that is asked, by name.
    """

    name: str
    count: int
    figures: Figures
    asked: Figures


def report(examiner: Examiner, sheets: Sequence[Sheet], unknown: Sequence[Unknown]) -> list[Row]:
    """Put every exam and return the rows.

    Args:
        examiner: With the policy.
        sheets: Held-out parts, families in turn.
        unknown: Parts of families that the policy never saw, declined or not.
    """
    rows = _main_rows(examiner, sheets)
    for name, change, asked in _PROBES:
        exams = [change(exam, number) for number, exam in enumerate(_mixed(sheets))]
        rows.append(Row(name, len(exams), _figures(examiner.hold(exams, turns=1)), asked))
    for name, picture in (("text, no picture", None), ("text, blank picture", BLANK)):
        exams = [replace(exam, picture=picture) for exam in text_exams(sheets[:MAIN], 1)]
        rows.append(Row(name, len(exams), _figures(examiner.hold(exams, turns=1)), {"exact": 0.95}))
    blank = [replace(exam, picture=BLANK) for exam in view_exams(sheets[:PROBE])]
    rows.append(Row("views, picture blanked", PROBE, _figures(examiner.hold(blank, turns=1)), {}))
    return [*rows, *_unknown_rows(examiner, unknown)]


def text_exams(sheets: Sequence[Sheet], seed: int, place: int | None = None) -> list[Exam]:
    """Return tasks that say the dimensions and show the part."""
    rng = np.random.default_rng(seed)
    exams = []
    for sheet in sheets:
        wordings = BY_NAME[sheet.family].wordings
        chosen = wordings[int(rng.integers(len(wordings) - 1)) if place is None else place]
        exams.append(Exam(chosen.format(**sheet.values), sheet.picture, sheet))
    return exams


def table_exams(sheets: Sequence[Sheet]) -> list[Exam]:
    """Return tasks whose sheet has a dimension table."""
    return [Exam(REQUEST, with_table(s.picture, table_of(s)), s) for s in sheets]


def view_exams(sheets: Sequence[Sheet]) -> list[Exam]:
    """Return tasks in which every dimension must be measured."""
    return [Exam(REQUEST, sheet.picture, sheet) for sheet in sheets]


def _mixed(sheets: Sequence[Sheet]) -> list[Exam]:
    """Return tasks of all three kinds, as many of each."""
    third = PROBE // 3
    return [
        *text_exams(sheets[:third], 2),
        *table_exams(sheets[third : 2 * third]),
        *view_exams(sheets[2 * third : 3 * third]),
    ]


def _main_rows(examiner: Examiner, sheets: Sequence[Sheet]) -> list[Row]:
    given, measured = {"iou": 0.98, "exact": 0.95}, {"iou": 0.93, "exact": 0.45, "gain": 0.0}
    text = examiner.hold(text_exams(sheets[:MAIN], 0))
    table = examiner.hold(table_exams(sheets[-MAIN:]))
    views = examiner.hold(view_exams(sheets[:VIEWS]))
    silent = examiner.hold(view_exams(sheets[:VIEWS]), has_numbers=False)
    everything = [*text, *table, *views]
    overall = {**_figures(everything), "false_decline": _declined(everything)}
    return [
        Row("dimensions in the text", len(text), _figures(text), given),
        Row("dimensions in the picture", len(table), _figures(table), given),
        Row("dimensions measured from views", len(views), _figures(views), measured),
        Row("the same, results without numbers", len(silent), _figures(silent), {}),
        Row("all of these", len(everything), overall, {"valid": 0.99, "false_decline": 0.01}),
    ]


def _unknown_rows(examiner: Examiner, unknown: Sequence[Unknown]) -> list[Row]:
    """Return how often the policy says that it does not know."""
    asked = {"declined": 0.90}
    rng = np.random.default_rng(4)
    named = [u for u in unknown if u.briefs]
    drawn = [u for u in unknown if u.picture is not None]
    things = [Exam(wording.unknown_thing(rng), None, None) for _ in range(PROBE)]
    words = [Exam(str(rng.choice(u.briefs)), None, None) for u in named]
    pictures = [Exam(REQUEST, u.picture, None) for u in drawn]
    return [
        Row(name, len(exams), {"declined": _declined(examiner.hold(exams, turns=1))}, asked)
        for name, exams in (
            ("other things, in words", things),
            ("unseen families, in words", words),
            ("unseen families, in a picture", pictures),
        )
    ]


def _figures(sittings: Sequence[Sitting]) -> Figures:
    """Return what a row says about attempts: the first, the last, and what came between."""
    gains = [s.last - s.first for s in sittings]
    first, last = [s.first for s in sittings], [s.last for s in sittings]
    figures = {
        "valid": mean([bool(s.made) and s.made[0].is_valid for s in sittings]),
        "iou": mean(first),
        "exact": mean([value > EXACT for value in first]),
    }
    if any(len(s.made) > 1 for s in sittings):
        low, high = interval(gains)
        figures |= {
            "last_iou": mean(last),
            "last_exact": mean([value > EXACT for value in last]),
            "gain": mean(gains),
            "gain_low": low,
            "gain_high": high,
            "submitted": mean([s.is_submitted for s in sittings]),
            "attempts": mean([len(s.made) for s in sittings]),
        }
    return figures


def _declined(sittings: Sequence[Sitting]) -> float:
    return mean([s.is_declined for s in sittings])


def _other_words(exam: Exam, number: int) -> Exam:
    requests = wording.UNSEEN_REQUESTS
    words = requests[number % len(requests)]
    if exam.sheet is not None and exam.words != REQUEST:
        template = BY_NAME[exam.sheet.family].wordings[wording.UNSEEN_WORDING]
        words = template.format(**exam.sheet.values)
    return replace(exam, words=words)


def _other_docstring(exam: Exam, number: int) -> Exam:
    del number
    execute, *others = talk.TOOLS
    changed = replace(execute, description="Execute CadQuery and look at what comes out.")
    return replace(exam, opening=talk.opening("", (changed, *others)))


def _other_system(exam: Exam, number: int) -> Exam:
    del number
    return replace(exam, opening=talk.opening(wording.UNSEEN_SYSTEM))


def _lower(exam: Exam, number: int) -> Exam:
    del number
    return replace(exam, words=exam.words.lower())


def _moved(exam: Exam, number: int) -> Exam:
    by = ((SHIFT, 0), (0, SHIFT), (-SHIFT, 0), (0, -SHIFT))[number % 4]
    assert exam.picture is not None
    return replace(exam, picture=np.roll(exam.picture, by, (0, 1)))


_ROBUST: Mapping[str, float] = {"iou": 0.92}
_PROBES: Sequence[tuple[str, Callable[[Exam, int], Exam], Any]] = (
    ("as trained, for comparison", lambda exam, number: exam, {}),
    ("unseen wording", _other_words, _ROBUST),
    ("unseen tool docstring", _other_docstring, _ROBUST),
    ("unseen system prompt", _other_system, _ROBUST),
    ("lower case", _lower, _ROBUST),
    (f"picture moved by {SHIFT} px", _moved, _ROBUST),
)
