"""Checks of generated tasks that lint does not know: what the makers promise of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cadwright.envs.findings import Finding, error

if TYPE_CHECKING:
    from cadwright.envs.bench import Workbench
    from cadwright.envs.task import Task
    from cadwright.tools.geometry.part import Inspection, Measures

AGREES = 0.002  # share; tessellated volumes lie this near to the exact ones
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ASKED = re.compile(r"What is the ([^?]+), in mm\?")
_SIZES = ("extent", "dimension")  # answers that are a dimension of the part
_SAME = 1e-6  # share by which two spellings of one number differ


def check_task(bench: Workbench, task: Task, inspection: Inspection) -> Iterator[Finding]:
    """Yield where a task does not hold what its domain promises."""
    yield from _check_wording(task)
    yield from _check_question(task)
    yield from _check_error(bench, task)
    if inspection.measures is not None:
        yield from _check_answer(task, inspection.measures)


def _check_wording(task: Task) -> Iterator[Finding]:
    """Every number of the part stands in a brief that has no picture: itself, half or double."""
    dimensions = task.meta.get("dimensions") or {}
    if task.images or not dimensions or ".create." not in task.domain:
        return
    said = {float(text) for text in _NUMBER.findall(task.brief)}
    related = {r["name"] for r in task.meta.get("relations", ()) if _holds(r, task)}
    for name, value in dimensions.items():
        is_said = any(_is_near(factor * value, one) for one in said for factor in (1.0, 0.5, 2.0))
        if not is_said and name not in related:
            yield error("wording_lacks", f"the brief does not say {name}, which is {value}")


def _holds(relation: Mapping[str, Any], task: Task) -> bool:
    """Whether what the brief says of a size by another is said there, and true."""
    sizes = task.meta["dimensions"]
    value = relation["factor"] * sizes[relation["of"]] + relation["more"]
    return relation["words"] in task.brief and _is_near(value, sizes[relation["name"]])


def _is_near(first: float, second: float) -> bool:
    return abs(first - second) <= _SAME * max(abs(first), abs(second), 1.0)


def _check_question(task: Task) -> Iterator[Finding]:
    """What a question asks about fits one dimension, and belongs to something."""
    asked = _ASKED.search(task.brief) if task.answer is not None else None
    if asked is None or str(task.answer and task.answer.get("about")) not in _SIZES:
        return
    name, _, whose = asked[1].rpartition(" of the ")
    words = set((name or whose).split())
    fitting = [d for d in task.meta.get("dimensions") or {} if words <= {*d.split("_")}]
    if len(fitting) > 1 or not name:
        yield error("question_unclear", f"{asked[0]!r} may mean any of {', '.join(fitting)}")


def _check_error(bench: Workbench, task: Task) -> Iterator[Finding]:
    """The error message of a debug task is the one that its program gives."""
    fault = task.meta.get("fault")
    if fault is None or bench.sandbox is None:
        return
    step = bench.sandbox.run(str(task.meta.get("given", "")))
    if step.error is None:
        yield error("program_runs", f"the faulty program runs: {fault['kind']}")
        return
    # a SyntaxError comes without its name
    told = step.error.message
    got = told if told.startswith(step.error.type) else f"{step.error.type}: {told}"
    if got != fault["error"] or step.error.line != fault["line"]:
        asked = f"line {fault['line']}: {fault['error']}"
        yield error("error_differs", f"told {asked!r}, got line {step.error.line}: {got!r}")


def _check_answer(task: Task, measures: Measures) -> Iterator[Finding]:
    """The right answer is what the judge measures."""
    if task.answer is None:
        return
    value, about = float(task.answer["value"]), str(task.answer.get("about"))
    measure = _MEASURED.get(about)
    if measure is None:
        return
    measured = measure(value, measures)
    if measured is None or abs(measured - value) > AGREES * max(abs(value), 1e-9):
        yield error("answer_differs", f"{about}: the task says {value:g}, measured {measured}")


def _nearest_extent(value: float, measures: Measures) -> float:
    return min(measures.size_mm, key=lambda extent: abs(extent - value))


def _volume(value: float, measures: Measures) -> float | None:
    return measures.volume_mm3


def _share(value: float, measures: Measures) -> float | None:
    x, y, z = measures.size_mm
    volume = measures.volume_mm3
    return None if volume is None else 100 * volume / (x * y * z)


def _holes(value: float, measures: Measures) -> float | None:
    """A count that some diameter has; which one, only the question says."""
    diameters = [round(hole.diameter_mm, 2) for hole in measures.holes]
    counts = {float(diameters.count(diameter)) for diameter in diameters}
    return value if value in counts else None


_MEASURED: dict[str, Callable[[float, Measures], float | None]] = {
    "extent": _nearest_extent,
    "volume": _volume,
    "share": _share,
    "holes": _holes,
}
