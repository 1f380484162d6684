"""The audit of a domain: each of its tasks is linted, and answered naively.

A naive answer knows nothing of the task: the bounding box of the wanted part, the start handed
back. Where one of them comes near the gold answer, doing nothing wins and the domain is no use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from cadwright.envs.bench import Workbench
from cadwright.envs.domains.audit_checks import check_task
from cadwright.envs.drawings import draw_task
from cadwright.envs.findings import Finding, Level, error
from cadwright.envs.lint import lint
from cadwright.envs.lint_text import BLANK_SPREAD
from cadwright.envs.targets import drawn
from cadwright.rewards.answer import Answer, answer_score
from cadwright.tools.errors import GeometryError, Outcome, ToolError
from cadwright.tools.geometry.part import Measures, Mesh, Part, Vector

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task
    from cadwright.tools.tool import ImageBlock, ToolCall

NEAR_GOLD = 0.97  # a naive answer above it has solved the task
MOST_NAIVE = 0.8  # mean over the tasks of a domain
A_BOX = 0.001  # share of its bounding box that a box may not fill: rounding
PICTURE_PX = 256  # of a view that is only looked at for being blank


@dataclass(frozen=True, slots=True)
class TaskAudit:
    """What the audit of one task found.

    Attributes:
        features: How much there is to get right, from the task's own notes.
        gold: Score of the gold answer, or None where it could not be had.
        box: Score of the bounding box of the wanted part, None where it is no answer.
        unchanged: Score of the start handed back, None where there is none.
        faults: Codes and messages of what is wrong.
    """

    id: str
    domain: str
    difficulty: int
    features: int
    gold: float | None = None
    box: float | None = None
    unchanged: float | None = None
    faults: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return asdict(self) | {"faults": list(self.faults)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TaskAudit:
        """Read a record back."""
        return cls(**{**data, "faults": tuple(data["faults"])})


@dataclass(frozen=True, slots=True)
class DomainAudit:
    """The audits of a domain's tasks, and what is wrong with the domain as a whole."""

    domain: str
    tasks: tuple[TaskAudit, ...]
    faults: tuple[str, ...] = field(default=())

    @property
    def num_faults(self) -> int:
        """Faults of the domain and of its tasks."""
        return len(self.faults) + sum(len(task.faults) for task in self.tasks)

    def mean(self, name: str) -> float | None:
        """Return the mean ``gold``, ``box`` or ``unchanged`` score, None where there is none."""
        values = [v for task in self.tasks if (v := getattr(task, name)) is not None]
        return fmean(values) if values else None


class Auditor:
    """Audits tasks on one runtime; what tasks share is made once.

    Args:
        runtime: Sandbox, judge and renderer.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.bench = Workbench.of(runtime)
        self._drawn: set[str] = set()

    def task(self, task: Task) -> TaskAudit:
        """Return the audit of one task."""
        checks = (partial(check_task, self.bench),)
        report = lint(
            task,
            self._runtime.judge,
            self._runtime.sandbox,
            more_checks=checks,
            workbench=self.bench,
        )
        scores = self.scores(task) if report.is_clean else {}
        found = [*report.findings, *self._blank_pictures(task), *_near_gold(scores)]
        return TaskAudit(
            task.id,
            task.domain,
            task.difficulty or 0,
            int(task.meta.get("features", 0)),
            **scores,
            faults=tuple(f"{f.code}: {f.message}" for f in found if _counts(f)),
        )

    def scores(
        self, task: Task, names: Sequence[str] = ("gold", "box", "unchanged")
    ) -> dict[str, float | None]:
        """Return the scores of the gold answer and of the naive ones, by name."""
        naive = _Naive(task, self.bench)
        return {name: getattr(naive, name)() for name in names}

    def _blank_pictures(self, task: Task) -> Iterator[Finding]:
        """Draw each picture once; the renderer refuses blank frames by itself."""
        for image in task.images:
            key = f"{image.view} {task.reference and task.reference.digest} {task.env}"
            if image.view is None or task.reference is None or key in self._drawn:
                continue
            self._drawn.add(key)
            try:
                block = self._draw(task, image.view, self.bench.part(task.reference))
            except ToolError as err:
                yield error("picture_fails", f"view {image.view}: {err}")
                continue
            if int(np.ptp(block.pixels)) < BLANK_SPREAD:
                yield error("image_blank", f"view {image.view} shows one flat colour")

    def _draw(self, task: Task, view: str, part: Part) -> ImageBlock:
        if view == "drawing":
            return draw_task(task, part, self._runtime.judge).block()
        if view == "measured":
            return self._runtime.renderer.measured(self.bench.inspect(part))
        return drawn(self._runtime, self.bench.inspect(part), view, PICTURE_PX)


class _Naive:
    """The scores of one task's gold and naive answers."""

    def __init__(self, task: Task, bench: Workbench) -> None:
        self._task = task
        self._bench = bench

    def gold(self) -> float | None:
        task, gold = self._task, self._task.gold
        if task.answer is not None and gold is not None:
            return self._answered(float(gold.calls[-1].arguments["value"]))
        if gold is not None and gold.source is None:
            return self._played(gold.calls)
        source = gold.source if gold is not None else task.reference
        if source is None:
            return None
        try:
            return self._score(self._bench.part(source))
        except GeometryError:
            return None

    def _played(self, calls: Sequence[ToolCall]) -> float | None:
        """Score what calls lead to; lint has played them already and keeps the part."""
        part = self._bench.play(self._task, calls)
        return None if part is None else self._score(part)

    def box(self) -> float | None:
        """Score the bounding box of what is wanted, or of the start where that is not known."""
        source = self._task.reference or self._task.start
        measures = self._measures(source) if source is not None else None
        if measures is None:
            return None
        if self._task.answer is not None:
            guess = _guess(str(self._task.answer.get("about")), measures)
            return None if guess is None else self._answered(guess)
        if _is_box(measures):
            return None  # to make a box is the task
        return self._score(Part(mesh=box_mesh(*measures.bbox_mm), name="box"))

    def unchanged(self) -> float | None:
        """Score the start handed back."""
        if self._task.start is None or self._task.answer is not None:
            return None
        try:
            return self._score(self._bench.part(self._task.start))
        except GeometryError:
            return None

    def _measures(self, source: Any) -> Measures | None:
        try:
            inspection = self._bench.inspect(self._bench.part(source))
        except GeometryError:
            return None
        return inspection.measures if inspection.outcome is Outcome.OK else None

    def _score(self, part: Part) -> float | None:
        return self._bench.score(self._task, part).value

    def _answered(self, value: float) -> float | None:
        assert self._task.answer is not None
        return answer_score(value, Answer.from_dict(self._task.answer)).value


def _is_box(measures: Measures) -> bool:
    x, y, z = measures.size_mm
    volume = measures.volume_mm3
    return volume is not None and abs(volume - x * y * z) <= A_BOX * x * y * z


def box_mesh(low: Vector, high: Vector) -> Mesh:
    """Return a box as triangles, (8, 3) vertices and (12, 3) faces."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    vertices = np.asarray(low) + corners * (np.asarray(high) - np.asarray(low))
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    ids = np.repeat(np.arange(6, dtype=np.int32), 2)
    return Mesh(vertices, np.array(faces, np.int32), ids)


def _guess(about: str, measures: Measures) -> float | None:
    """Return what somebody answers who knows the bounding box and nothing else."""
    x, y, z = measures.size_mm
    guesses = {
        "volume": x * y * z,
        "mass": x * y * z / 1000,
        "share": 100.0,
        "holes": 0.0,
        "dimension": max(x, y, z),
        "distance": max(x, y, z),
    }
    return guesses.get(about)


def _near_gold(scores: Mapping[str, float | None]) -> Iterator[Finding]:
    unchanged = scores.get("unchanged")
    if unchanged is not None and unchanged > NEAR_GOLD:
        yield error("unchanged_wins", f"the start handed back scores {unchanged:.3f}")


def _counts(finding: Finding) -> bool:
    return finding.level is Level.ERROR


def of_domain(domain: str, tasks: tuple[TaskAudit, ...]) -> DomainAudit:
    """Return the audit of a domain from those of its tasks."""
    audit = DomainAudit(domain, tasks)
    return DomainAudit(domain, tasks, tuple(_domain_faults(audit)))


def _domain_faults(audit: DomainAudit) -> Iterator[str]:
    for name in ("box", "unchanged"):
        value = audit.mean(name)
        if value is not None and value > MOST_NAIVE:
            yield f"{name}_wins: the mean score of this naive answer is {value:.3f}"
    easy, hard = _features(audit, (1, 2)), _features(audit, (4, 5))
    if easy is not None and hard is not None and hard <= easy:
        yield f"difficulty_flat: {easy:.1f} features at difficulty 1 and 2, {hard:.1f} at 4 and 5"


def _features(audit: DomainAudit, levels: tuple[int, ...]) -> float | None:
    """Return how much there is to get right on average at some difficulties."""
    found = [task.features for task in audit.tasks if task.difficulty in levels]
    return fmean(found) if found else None
