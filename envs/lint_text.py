"""The half of lint that needs no worker: texts, pictures, limits, tools, scoring.

Also the comparison of the brief's numbers with the measured reference: a text rounded by hand and
a truth quantised by a program disagree often enough to be looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from cadwright.envs.findings import Finding, error, warning
from cadwright.envs.observation import decode_image
from cadwright.envs.sources import GeometrySource, ImageSource
from cadwright.envs.task import Task
from cadwright.tools.errors import TaskError, ToolError, UsageError
from cadwright.tools.geometry.part import Measures, Vector

SHORT_BRIEF = 12  # characters; "10 mm cube" says it all, less does not
BLANK_SPREAD = 8  # grey levels between the darkest and the lightest pixel of a blank picture
LEAK_LINE = 24  # characters from which a line of a program found in a brief is no coincidence
SIZE_TOLERANCE = 0.005  # relative: tessellated truths lie this much inside the exact part
NEAR_MISS = 0.06  # relative: 0.0165 in a text against 0.0156 in its truth
SMALLEST_MM, LARGEST_MM = 0.1, 10_000.0

_WORD = re.compile(r"[A-Za-z_]{3}")  # a line of coordinates alone may well stand in a brief
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")


def check_text(task: Task) -> Iterator[Finding]:
    """Yield what is wrong with the task before any geometry is looked at."""
    return chain(
        _check_brief(task),
        _check_leaks(task),
        chain.from_iterable(_check_image(image) for image in task.images),
        _check_limits(task),
        _check_tools(task),
        _check_scoring(task),
    )


def check_answer(task: Task) -> Iterator[Finding]:
    """Yield where the gold answer of a task that asks for a number is not that number."""
    from cadwright.rewards.answer import Answer, answer_score

    if task.answer is None or task.gold is None:
        return
    given = [call.arguments.get("value") for call in task.gold.calls if call.name == "answer"]
    score = answer_score(given[-1] if given else None, Answer.from_dict(task.answer))
    if score.value != 1.0:
        yield error("gold_score", f"the gold answer scores {score.value}: {score.reason}")


def check_numbers(task: Task, measures: Measures) -> Iterator[Finding]:
    """Yield where the measured reference and what the task says about it disagree."""
    return chain(
        _check_scale(measures.size_mm),
        _check_expected(task.meta.get("expect") or {}, measures),
        _check_near_misses(task.brief, measures.size_mm),
    )


def _check_brief(task: Task) -> Iterator[Finding]:
    text = task.brief.strip()
    if not text:
        yield error("brief_empty", "the brief is empty: nobody can know what to make")
    elif len(text) < SHORT_BRIEF and not task.images:
        yield warning("brief_short", f"the brief has {len(text)} characters and no picture")


def _check_leaks(task: Task) -> Iterator[Finding]:
    """The answer must not stand in the brief; a file's name or a line of its program is enough.

    Lines of a program that the task gives to be worked on (``meta.given``) are meant to be there.
    """
    gold, given = task.gold, str(task.meta.get("given", ""))
    answers = (task.reference, gold.source if gold is not None else None)
    for source in dict.fromkeys(answer for answer in answers if answer is not None):
        for secret in _secrets(source):
            if secret in task.brief and secret not in given:
                yield error("brief_leaks", f"the brief gives the answer away: {secret!r}")
                break


def _secrets(source: GeometrySource) -> Iterator[str]:
    if isinstance(source.origin, Path):
        yield str(source.origin)
        yield source.origin.name
    if source.is_program:
        lines = (line.strip() for line in source.text().splitlines())
        yield from (line for line in lines if len(line) >= LEAK_LINE and _WORD.search(line))


def _check_image(image: ImageSource) -> Iterator[Finding]:
    if image.view is not None:
        return  # drawn at reset by the renderer, which checks for blank frames itself
    try:
        pixels = decode_image(image).pixels
    except TaskError as err:
        yield error("image_unreadable", str(err))
        return
    if int(pixels.max()) - int(pixels.min()) < BLANK_SPREAD:
        yield error("image_blank", f"picture {image.caption!r} shows one flat colour")


def _check_limits(task: Task) -> Iterator[Finding]:
    limits = task.limits
    if limits.step_s > limits.wall_s:
        message = f"step_s {limits.step_s:g} is longer than the whole episode, {limits.wall_s:g} s"
        yield error("limits_conflict", message)
    if limits.turns < 2:
        yield warning("limits_tight", "one turn leaves no room to look and to correct")
    if limits.images < len(task.images):
        message = f"{len(task.images)} pictures in the task, {limits.images} allowed a turn"
        yield warning("limits_images", message)


def _check_tools(task: Task) -> Iterator[Finding]:
    if task.tools is None or task.env != "cad":
        return
    from cadwright.tools.answering import AnswerTools
    from cadwright.tools.cad import CadTools
    from cadwright.tools.tool import Toolset

    try:
        Toolset(CadTools if task.answer is None else AnswerTools, task.tools)
    except ToolError as err:
        yield error("tool_unknown", str(err))
    last = "submit" if task.answer is None else "answer"
    if last not in task.tools:
        yield warning(f"no_{last}", f"without the tool {last} only a limit can end the episode")


def _check_scoring(task: Task) -> Iterator[Finding]:
    from cadwright.rewards.constraints.parse import parse_constraints
    from cadwright.rewards.scoring import Scoring

    if task.reference is None and not task.constraints and task.answer is None:
        yield error("nothing_to_judge", "the task has neither a reference nor constraints")
    try:
        Scoring.from_dict(task.scoring)
    except UsageError as err:
        yield error("scoring_unknown", str(err))
    try:
        parse_constraints(task.constraints)
    except UsageError as err:
        yield error("constraint_unknown", f"constraints: {err}")


def _check_scale(size_mm: Vector) -> Iterator[Finding]:
    largest = max(size_mm)
    if not SMALLEST_MM <= largest <= LARGEST_MM:
        message = f"the reference measures {_by(size_mm)} mm: are the units right?"
        yield warning("size_suspicious", message)


def _check_expected(expected: Mapping[str, object], measures: Measures) -> Iterator[Finding]:
    size = expected.get("size_mm")
    if isinstance(size, list) and not all(map(_agree, size, measures.size_mm)):
        message = f"the task says {_by(size)} mm, the reference measures {_by(measures.size_mm)} mm"
        yield warning("size_disagrees", message)
    bodies = expected.get("bodies")
    if bodies is not None and bodies != measures.bodies:
        message = f"the task says {bodies} bodies, the reference has {measures.bodies}"
        yield warning("bodies_disagree", message)
    volume, measured = expected.get("volume_mm3"), measures.volume_mm3
    if isinstance(volume, int | float) and (measured is None or not _agree(volume, measured)):
        message = f"the task says {volume:g} mm3, the reference has {measured or 0:g} mm3"
        yield warning("volume_disagrees", message)


def _check_near_misses(brief: str, size_mm: Vector) -> Iterator[Finding]:
    numbers = {float(text) for text in _NUMBER.findall(brief)}
    for axis, extent in zip("xyz", size_mm, strict=True):
        if any(_agree(number, extent) for number in numbers):
            continue
        for number in sorted(n for n in numbers if _agree(n, extent, NEAR_MISS)):
            message = f"the brief says {number:g}, the reference measures {extent:.5g} along {axis}"
            yield warning("rounded_text", f"{message}: set a tolerance in scoring")


def _agree(said: float, measured: float, tolerance: float = SIZE_TOLERANCE) -> bool:
    return abs(said - measured) <= tolerance * max(abs(said), abs(measured))


def _by(size: Vector | list[float]) -> str:
    return " x ".join(f"{extent:.5g}" for extent in size)
