"""Lint: proof that a task is sane before anybody spends an episode on it.

A task whose reference is broken gives the honest answer 0 and its whole suite a wrong mean. So the
reference has to read, be valid and score 1.0 against itself under the task's own scoring; the start
geometry has to be valid and not the answer already; the gold answer has to pass. What needs no
worker (texts, pictures, limits) is in ``lint_text``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from cadwright.envs.bench import Workbench
from cadwright.envs.findings import Finding, Level, LintReport, error, warning
from cadwright.envs.lint_text import check_answer, check_numbers, check_text
from cadwright.tools.errors import Outcome, TaskError, ToolError, UsageError

if TYPE_CHECKING:
    from cadwright.envs.sources import GeometrySource
    from cadwright.envs.task import Gold, Task
    from cadwright.rewards.judge import Judge
    from cadwright.tools.geometry.part import Inspection, Part
    from cadwright.tools.sandbox import Sandbox
    from cadwright.tools.tool import ToolCall

SELF_SCORE = 1.0 - 1e-6  # a part against itself; the slack is the rounding of a weighted sum
GOLD_SCORE = 0.99  # a published truth is tessellated while its program is exact

_UNUSABLE = ("scoring_unknown", "constraint_unknown")  # nothing can be scored with them

Check = Callable[["Task", "Inspection"], Iterator[Finding]]


def lint(
    task: Task,
    judge: Judge,
    sandbox: Sandbox | None = None,
    *,
    more_checks: Sequence[Check] = (),
    workbench: Workbench | None = None,
) -> LintReport:
    """Check a task.

    Args:
        task: The task, hidden half included.
        judge: Reads, measures and scores in a clean process.
        sandbox: Runs programs; without one, what comes from a program is not checked and the
            report says so.
        more_checks: Called with the task and its measured reference.
        workbench: Keeps parts and scores for other tasks; its own judge and sandbox are used.

    Raises:
        InfraError: A worker of ours failed; that says nothing about the task.
    """
    found: list[Finding] = []
    bench = _Bench(task, workbench or Workbench(judge, sandbox))
    _gather(found, check_text(task))
    if not any(finding.code in _UNUSABLE for finding in found):
        _gather(found, _check_reference(bench, more_checks))
    if not any(finding.level is Level.ERROR for finding in found):
        _gather(found, _check_start(bench))
        _gather(found, _check_gold(bench) if task.answer is None else check_answer(task))
        _gather(found, _check_demo(bench))
    return LintReport(task.id, tuple(found))


class _Stop(Exception):
    """Ends one check with its last finding."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def _gather(found: list[Finding], check: Iterator[Finding]) -> None:
    try:
        found.extend(check)  # keeps what came before a stop
    except _Stop as stop:
        found.append(stop.finding)


class _Bench:
    """The parts and scores of one task; what cannot be had stops the check with a finding."""

    def __init__(self, task: Task, workbench: Workbench) -> None:
        self.task = task
        self._workbench = workbench

    def part(self, source: GeometrySource, role: str = "geometry") -> Part:
        """Return the part of ``source``."""
        if source.is_program:
            self.sandbox(role)
        try:
            return self._workbench.part(source)
        except (ToolError, TaskError) as err:
            fault = "fails" if source.is_program else "unreadable"
            raise _Stop(error(f"{role}_{fault}", f"{role}: {err}")) from err

    def inspect(self, part: Part) -> Inspection:
        """Return what is measured of a part."""
        return self._workbench.inspect(part)

    def sandbox(self, role: str) -> Sandbox:
        """Return the sandbox; without one the check stops."""
        if self._workbench.sandbox is None:
            message = f"{role} is a program and no sandbox was given: it was not checked"
            raise _Stop(warning(f"{role}_unchecked", message))
        return self._workbench.sandbox

    def score(self, part: Part, role: str) -> float:
        """Return the score against the reference; one without a value stops the check."""
        score = self._workbench.score(self.task, part)
        if score.value is None:
            raise _Stop(error(f"{role}_unscorable", f"{role}: {score.verdict}: {score.reason}"))
        return score.value

    def constraints(self, part: Part, role: str) -> Iterator[Finding]:
        """Hold the task's constraints against an answer that is known to be right."""
        if not self.task.constraints or self._has_met_all(part):
            return
        report = self._workbench.check(self.task, part)
        for result in report.unmet:
            told = f"asked {result.asked}, got {result.got}: {result.reason}"
            yield error(f"{role}_constraint", f"{role}: constraint {result.id}: {told}")
        for result in report.could_not_check:
            told = f"could not be checked: {result.reason}"
            yield warning(f"{role}_constraint", f"{role}: constraint {result.id} {told}")

    def _has_met_all(self, part: Part) -> bool:
        """Whether the score that was taken already says that every constraint is met."""
        if self.task.answer is not None or "constraints" not in self.task.scoring.get(
            "weights", {}
        ):
            return False
        term = self._workbench.score(self.task, part).term("constraints")
        return term is not None and term.raw == len(self.task.constraints)

    def calls(self, calls: Sequence[ToolCall], role: str) -> Part:
        """Return the part that calls lead to, played in the task's own environment if possible."""
        if self._workbench.replay is not None:
            part = self._played(calls, role)
        elif self.task.env == "cad":
            part = self._modelled(calls, role)
        else:
            message = f"{role} is a list of calls and there is no workspace to play it in"
            raise _Stop(warning(f"{role}_unchecked", message))
        if part is None:
            raise _Stop(error(f"{role}_fails", f"{role}: no call makes a part"))
        return part

    def _played(self, calls: Sequence[ToolCall], role: str) -> Part | None:
        try:
            return self._workbench.play(self.task, calls)
        except UsageError as err:
            raise _Stop(error(f"{role}_fails", f"{role}: {err}")) from err

    def _modelled(self, calls: Sequence[ToolCall], role: str) -> Part | None:
        """Run the modelling calls alone: a sandbox is enough for them."""
        part: Part | None = None
        with self.sandbox(role).session() as session:
            for call in calls:
                if call.name == "execute":
                    step = session.execute(call.arguments["code"])
                    part = step.part if step.outcome is Outcome.OK else part
        return part


def _check_reference(bench: _Bench, more_checks: Sequence[Check]) -> Iterator[Finding]:
    task = bench.task
    if task.reference is None:
        return
    part = bench.part(task.reference, "reference")
    inspection = bench.inspect(part)
    if inspection.outcome is not Outcome.OK:
        yield error("reference_invalid", f"reference: {inspection.outcome}: {inspection.message}")
        return
    for notice in (*part.notices, *inspection.notices):
        yield warning(f"reference_{notice.code}", f"reference: {notice.message}")
    if inspection.measures is not None:
        yield from check_numbers(task, inspection.measures)
    if task.answer is None and task.start != task.reference:
        yield from _check_self_score(bench, part)
        yield from bench.constraints(part, "reference")
    for check in more_checks:
        yield from check(task, inspection)


def _check_self_score(bench: _Bench, part: Part) -> Iterator[Finding]:
    """A reference that is the start as well is a yardstick (keep the shape), not the answer."""
    value = bench.score(part, "reference")
    if value < SELF_SCORE:
        yield error("reference_self_score", f"the reference scores {value:.4f} against itself")


def _check_start(bench: _Bench) -> Iterator[Finding]:
    task = bench.task
    if task.start is None:
        return
    part = bench.part(task.start, "start")
    inspection = bench.inspect(part)
    if inspection.outcome is not Outcome.OK and not task.meta.get("start_is_broken"):
        yield error("start_invalid", f"start: {inspection.outcome}: {inspection.message}")
    elif task.answer is not None:
        return  # a number is asked for: there is nothing to hand back
    elif inspection.outcome is Outcome.OK and bench.score(part, "start") >= SELF_SCORE:
        yield error("start_wins", "the start geometry scores 1.0: doing nothing is the answer")


def _check_gold(bench: _Bench) -> Iterator[Finding]:
    gold = bench.task.gold
    if gold is not None and gold.source != bench.task.reference:  # scored already, if the same
        yield from _check_answer(bench, _gold_part(bench, gold), "gold")


def _gold_part(bench: _Bench, gold: Gold) -> Part:
    return (
        bench.calls(gold.calls, "gold") if gold.source is None else bench.part(gold.source, "gold")
    )


def _check_demo(bench: _Bench) -> Iterator[Finding]:
    """A demo may err on its way, but it has to end in the answer and hand it in."""
    calls = bench.task.demo
    if calls and calls[-1].name != "submit":
        yield error("demo_fails", f"the demo ends with {calls[-1].name!r}, not with submit")
    elif calls:
        yield from _check_answer(bench, bench.calls(calls, "demo"), "demo")


def _check_answer(bench: _Bench, part: Part, role: str) -> Iterator[Finding]:
    inspection = bench.inspect(part)
    if inspection.outcome is not Outcome.OK:
        yield error(f"{role}_fails", f"{role}: {inspection.outcome}: {inspection.message}")
        return
    value = bench.score(part, role)
    if value < GOLD_SCORE:
        message = f"{role} scores {value:.4f}, expected {GOLD_SCORE} or more"
        yield error(f"{role}_score", message)
    yield from bench.constraints(part, role)
