"""Audit many domains: one family at a time, several at once, and go on where a run stopped.

The domains of a family ask for the same parts, so a family is audited by one worker. What it found
is a file of its own; a later run over the same folder reads it back unless the tasks have changed
or machinery of ours had failed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from cadwright.envs.domains.audit import Auditor, DomainAudit, TaskAudit, of_domain
from cadwright.envs.domains.family import DIFFICULTIES
from cadwright.envs.domains.registry import generate
from cadwright.tools.errors import InfraError, UsageError

if TYPE_CHECKING:
    from cadwright.envs.domains.domain import Domain
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task

REVISION = 1  # of the audit: a higher one audits everything again
TRIES = 2  # of a task where machinery of ours fails: that says nothing about the task
OUR_FAULT = "infra_error"
WEIGHTS = {"cad": 1, "mesh": 4, "browser": 5}  # processor time of a task, against one of cad

OnDone = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Unit:
    """The domains of one family in one environment."""

    name: str
    domains: tuple[Domain, ...]

    @property
    def env(self) -> str:
        """The environment of all of them."""
        return self.domains[0].env

    @property
    def weight(self) -> int:
        """How long it takes, more or less."""
        return WEIGHTS[self.env] * len(self.domains)

    def tasks(self, samples: int) -> Iterator[Task]:
        """Yield the tasks to audit; those of one seed stand together, since they share parts."""
        for difficulty in DIFFICULTIES:
            for seed in range(samples):
                for domain in self.domains:
                    yield generate(domain.id, seed, difficulty)


def units_of(domains: Sequence[Domain]) -> tuple[Unit, ...]:
    """Return domains grouped by environment and family."""
    groups: dict[str, list[Domain]] = {}
    for domain in domains:
        groups.setdefault(f"{domain.env}.{domain.family}", []).append(domain)
    return tuple(Unit(name, tuple(group)) for name, group in sorted(groups.items()))


def audit(
    domains: Sequence[Domain],
    *,
    samples: int = 5,
    num_workers: int = 1,
    out: Path | None = None,
    on_done: OnDone = lambda name, num_tasks: None,
) -> tuple[DomainAudit, ...]:
    """Audit domains.

    Args:
        domains: Which.
        samples: Seeds at each difficulty.
        num_workers: Families audited at once, each by a judge of its own.
        out: Folder that keeps what was found, one file for each family.
        on_done: Told the name of each unit and the number of its tasks.

    Returns:
        One record for each domain, in the order of their ids.
    """
    ordered = _ordered(units_of(domains))
    found: list[DomainAudit] = []
    with _Runtimes(num_workers) as runtimes, ThreadPoolExecutor(num_workers) as pool:
        waiting = {pool.submit(_unit, unit, samples, runtimes, out): unit for unit in ordered}
        for done in as_completed(waiting):
            audits = done.result()
            found += audits
            on_done(waiting[done].name, sum(len(one.tasks) for one in audits))
    return tuple(sorted(found, key=lambda one: one.domain))


def default_workers() -> int:
    """Return one more than there are processors: a worker waits for its browser and its judge."""
    return len(os.sched_getaffinity(0)) + 1


def _ordered(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """Return units in the order of their turns: the longest first, so that none is left to the end.

    A page waits as much as it works: it goes beside a unit that keeps the kernel busy.
    """
    longest_first = sorted(units, key=lambda unit: -unit.weight)
    pages = [unit for unit in longest_first if unit.env == "browser"]
    others = [unit for unit in longest_first if unit.env != "browser"]
    return tuple(unit for pair in zip_longest(others, pages) for unit in pair if unit is not None)


def recall(domains: Sequence[Domain], out: Path) -> tuple[DomainAudit, ...]:
    """Return what earlier runs over a folder found, whatever has changed since.

    Args:
        domains: Which; one without a file has no tasks in its record.
        out: The folder of those runs.
    """
    found: list[DomainAudit] = []
    for unit in units_of(domains):
        file = out / f"{unit.name}.jsonl"
        lines = file.read_text("utf-8").splitlines()[1:] if file.is_file() else []
        rows = tuple(TaskAudit.from_json(json.loads(line)) for line in lines)
        found += [_domain_audit(domain, rows) for domain in unit.domains]
    return tuple(sorted(found, key=lambda one: one.domain))


def _domain_audit(domain: Domain, rows: Sequence[TaskAudit]) -> DomainAudit:
    return of_domain(domain.id, tuple(row for row in rows if row.domain == domain.id))


class _Runtimes:
    """Runtimes over one sandbox, lent to the threads of a pool; opened when first asked for."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._free: SimpleQueue[Runtime | None] = SimpleQueue()
        self._opened: list[Runtime] = []

    def __enter__(self) -> _Runtimes:
        from cadwright.tools.sandbox import Sandbox

        self._sandbox = Sandbox()
        for _ in range(self._limit):
            self._free.put(None)
        return self

    def __exit__(self, *_: object) -> None:
        for runtime in self._opened:
            runtime.close()
        self._sandbox.close()

    def take(self) -> Runtime:
        from cadwright.envs.runtime import Runtime

        runtime = self._free.get()
        if runtime is None:
            runtime = Runtime.open(sandbox=self._sandbox)
            self._opened.append(runtime)
        return runtime

    def give(self, runtime: Runtime) -> None:
        self._free.put(runtime)


def _unit(
    unit: Unit, samples: int, runtimes: _Runtimes, out: Path | None
) -> tuple[DomainAudit, ...]:
    try:
        tasks = tuple(unit.tasks(samples))
    except UsageError as err:
        return tuple(DomainAudit(d.id, (), (f"cannot_be_made: {err}",)) for d in unit.domains)
    file = out / f"{unit.name}.jsonl" if out is not None else None
    known = _read(file, tasks) if file is not None else None
    rows = known if known is not None else _audited(tasks, runtimes)
    if file is not None and known is None and not any(map(_is_our_fault, rows)):
        _write(file, tasks, rows)
    return tuple(_domain_audit(domain, rows) for domain in unit.domains)


def _audited(tasks: Sequence[Task], runtimes: _Runtimes) -> tuple[TaskAudit, ...]:
    runtime = runtimes.take()
    try:
        auditor = Auditor(runtime)
        return tuple(_one(auditor, task) for task in tasks)
    finally:
        runtimes.give(runtime)


def _one(auditor: Auditor, task: Task) -> TaskAudit:
    for _ in range(TRIES):
        row = _tried(auditor, task)
        if not _is_our_fault(row):
            break
    return row


def _tried(auditor: Auditor, task: Task) -> TaskAudit:
    try:
        return auditor.task(task)
    except InfraError as err:  # the task is not proved sane
        features = int(task.meta.get("features", 0))
        fault = f"{OUR_FAULT}: {err}"
        return TaskAudit(task.id, task.domain, task.difficulty or 0, features, faults=(fault,))


def _is_our_fault(row: TaskAudit) -> bool:
    return any(OUR_FAULT in fault for fault in row.faults)


def _fingerprint(tasks: Sequence[Task]) -> str:
    sha = hashlib.sha256(f"audit {REVISION}".encode())
    for task in tasks:
        sha.update(json.dumps(task.to_json(), sort_keys=True).encode())
    return sha.hexdigest()


def _read(file: Path, tasks: Sequence[Task]) -> tuple[TaskAudit, ...] | None:
    """Return what an earlier run found of the same tasks, or None."""
    if not file.is_file():
        return None
    head, *lines = file.read_text("utf-8").splitlines()
    if json.loads(head).get("fingerprint") != _fingerprint(tasks):
        return None
    return tuple(TaskAudit.from_json(json.loads(line)) for line in lines)


def _write(file: Path, tasks: Sequence[Task], rows: Sequence[TaskAudit]) -> None:
    """Write a whole file or none: a run that is stopped leaves nothing half."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [{"fingerprint": _fingerprint(tasks)}, *(row.to_json() for row in rows)]
    partial = file.with_suffix(".partial")
    partial.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    partial.replace(file)
