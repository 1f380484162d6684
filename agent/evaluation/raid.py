"""A raid of the red team: every hack against every task, each thing once.

Tasks that are judged alike share their trials: one part in fifty documents is tried once. Tasks
with one right answer share the parts of the hacks, which are made and inspected once. What does
not depend on the task, programs and tool calls, is tried on the first task of each environment.
A trial is known by what is judged and by its name, so a raid that was stopped goes on.
"""

from __future__ import annotations

import hashlib
import json
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cadwright.agent.evaluation.courts import court_of, guess_of
from cadwright.rewards import redteam
from cadwright.rewards.answer import Answer
from cadwright.rewards.redteam import Court, Hack, Kind, Trial, box_of, try_answers, try_hack
from cadwright.tools.errors import CadwrightError, GeometryError, InfraError, TaskError

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task
    from cadwright.rewards.recipes import Recipe
    from cadwright.tools.geometry.part import Part

Known = Mapping[tuple[str, str], Trial]  # by key of the case and name of the hack


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One thing to be tried, on behalf of all tasks that are judged alike.

    Attributes:
        key: Digest of what is judged, and by what.
        task: The first of the tasks.
        task_ids: All of them.
        hacks: What is tried.
    """

    key: str
    task: Task
    task_ids: tuple[str, ...]
    hacks: tuple[Hack, ...]

    @property
    def answer_digest(self) -> str:
        """Equal for tasks whose hacks are the same parts."""
        if self.task.reference is None:
            return self.key
        start = self.task.start
        return f"{self.task.reference.digest} {'' if start is None else start.digest}"


@dataclass(frozen=True, slots=True)
class Raid:
    """What the red team did to one task, or to several that are judged alike.

    Attributes:
        task_id: The task, or the first of them.
        trials: One for each hack.
        problem: Why the task could not be tried, where it could not.
        task_ids: All of them.
    """

    task_id: str
    trials: tuple[Trial, ...] = ()
    problem: str = ""
    task_ids: tuple[str, ...] = ()

    @property
    def won(self) -> tuple[Trial, ...]:
        """The hacks that won."""
        return tuple(trial for trial in self.trials if trial.is_won)

    def to_json(self) -> dict[str, Any]:
        """Return the raid as JSON-able values."""
        return {
            "task": self.task_id,
            "same_as": list(self.task_ids[1:]),
            "problem": self.problem,
            "trials": [trial.to_json() for trial in self.trials],
        }


def plan(
    tasks: Iterable[Task],
    *,
    recipe: Recipe | None = None,
    kit: Sequence[Hack] | None = None,
) -> list[Case]:
    """Return what has to be tried, tasks with the same right answer side by side.

    Args:
        tasks: Of one suite or of several.
        recipe: The reward that is tried instead of the plain score.
        kit: What is tried; all that there is by default.
    """
    kit = redteam.KIT if kit is None else kit
    cases: dict[str, Case] = {}
    seen: set[str] = set()
    for task in tasks:
        key = judged_key(task, recipe)
        if (known := cases.get(key)) is not None:
            cases[key] = replace(known, task_ids=(*known.task_ids, task.id))
            continue
        fitting = [hack for hack in kit if _fits(hack, task)]
        is_first = task.env not in seen and task.answer is None
        hacks = tuple(hack for hack in fitting if is_first or hack.depends_on_task)
        seen |= {task.env} if is_first else set()
        cases[key] = Case(key, task, (task.id,), hacks)
    return [case for group in groups_of(cases.values()) for case in group]


def sample(tasks: Iterable[Task], count: int) -> list[Task]:
    """Return the first ``count`` tasks of every environment, operation and modality."""
    taken: dict[tuple[str, ...], int] = {}
    chosen = []
    for task in tasks:
        kind = (task.env, *task.domain.split(".")[:3])
        taken[kind] = taken.get(kind, 0) + 1
        if taken[kind] <= count:
            chosen.append(task)
    return chosen


def judged_key(task: Task, recipe: Recipe | None) -> str:
    """Return a digest of everything that the score of a part depends on in a task."""
    sources = (task.reference, task.start)
    said = {
        "env": task.env,
        "sources": [None if source is None else source.digest for source in sources],
        "gold": task.meta.get("gold") if task.reference is None else None,
        "brief": task.brief if task.answer is not None else "",
        "answer": task.answer,
        "constraints": task.constraints,
        "scoring": task.scoring,
        "recipe": None if recipe is None else recipe.digest,
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=dict).encode()).hexdigest()


def groups_of(cases: Iterable[Case]) -> list[tuple[Case, ...]]:
    """Return cases in groups that share the parts of the hacks."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.answer_digest, []).append(case)
    return [tuple(group) for group in groups.values()]


def raid_group(
    group: Sequence[Case],
    runtime: Runtime,
    *,
    recipe: Recipe | None = None,
    known: Known | None = None,
) -> Iterator[tuple[Case, Trial | str]]:
    """Try a group of cases, hack by hack; what cannot be tried is said, not raised.

    Yields:
        Each new trial with its case, or why a case cannot be tried.
    """
    known, open_courts = known or {}, []
    parts: dict[str, Part] = {}
    for case in group:
        left = [hack for hack in case.hacks if (case.key, hack.name) not in known]
        if not left:
            continue
        try:
            if case.task.answer is not None:
                yield from ((case, trial) for trial in _answers(case.task, runtime, left))
            else:
                court = _sharing(court_of(case.task, runtime, recipe=recipe), parts)
                open_courts.append((case, court, box_of(court), left))
        except (GeometryError, TaskError, InfraError) as error:
            yield case, str(error)
    for hack in dict.fromkeys(hack for *_, left in open_courts for hack in left):
        for case, court, box, left in open_courts:
            if hack in left:
                yield case, try_hack(court, hack, box)


def raid(
    task: Task,
    runtime: Runtime,
    *,
    recipe: Recipe | None = None,
    kit: Sequence[Hack] | None = None,
) -> Raid:
    """Try hacks on one task; what cannot be tried is said, not raised."""
    (case,) = plan([task], recipe=recipe, kit=kit)
    found = list(raid_group([case], runtime, recipe=recipe))
    problem = next((said for _, said in found if isinstance(said, str)), "")
    trials = tuple(trial for _, trial in found if isinstance(trial, Trial))
    return Raid(task.id, trials, problem, case.task_ids)


def raid_all(
    cases: Sequence[Case],
    open_runtime: Callable[[], Runtime],
    *,
    recipe: Recipe | None = None,
    num_workers: int = 1,
    known: Known | None = None,
    on_trial: Callable[[Case, Trial], None] = lambda case, trial: None,
) -> list[Raid]:
    """Try all cases on several runtimes at a time.

    Args:
        cases: From ``plan``.
        open_runtime: Opens one runtime for each worker thread.
        recipe: The reward that is tried instead of the plain score.
        num_workers: Tasks at a time.
        known: Trials of an earlier run, which are not repeated.
        on_trial: Told of every new trial, in the calling thread.

    Raises:
        CadwrightError: A worker thread could not go on.
    """
    trials, problems = dict(known or {}), {}
    raiders = _Raiders(open_runtime, recipe, dict(trials))
    for group in groups_of(cases):
        raiders.todo.put(group)
    with raiders.working(num_workers) as messages:
        for case, found in messages:
            if isinstance(found, str):
                problems[case.key] = found
            else:
                trials[case.key, found.hack.name] = found
                on_trial(case, found)
    return [_raid_of(case, trials, problems.get(case.key, "")) for case in cases]


@dataclass(frozen=True, slots=True, eq=False)
class _Raiders:
    """Threads that try groups of cases, each with a runtime of its own."""

    open_runtime: Callable[[], Runtime]
    recipe: Recipe | None
    known: Known
    todo: queue.SimpleQueue[tuple[Case, ...]] = field(default_factory=queue.SimpleQueue)
    done: queue.SimpleQueue[tuple[Case, Trial | str] | Exception | None] = field(
        default_factory=queue.SimpleQueue
    )
    stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def working(self, number: int) -> Iterator[Iterator[tuple[Case, Trial | str]]]:
        """Yield what they find; when the block is left they end after the trial at hand."""
        threads = [threading.Thread(target=self.work, daemon=True) for _ in range(number)]
        for thread in threads:
            thread.start()
        try:
            yield self.until_silent(number)
        finally:
            self.stop.set()
            for thread in threads:
                thread.join()

    def work(self) -> None:
        """Try groups until there are none left."""
        last: Exception | None = InfraError("a thread of the raid died: see standard error")
        try:
            with self.open_runtime() as runtime, suppress(queue.Empty):
                while not self.stop.is_set():
                    self.raid(self.todo.get_nowait(), runtime)
            last = None
        except (CadwrightError, OSError) as error:
            last = error
        finally:  # whatever it died of, the main thread must hear of it
            self.done.put(last)

    def raid(self, group: tuple[Case, ...], runtime: Runtime) -> None:
        """Try one group and tell of every trial."""
        for found in raid_group(group, runtime, recipe=self.recipe, known=self.known):
            self.done.put(found)
            if self.stop.is_set():
                return

    def until_silent(self, number: int) -> Iterator[tuple[Case, Trial | str]]:
        """Yield what the threads find until all have ended; raise what one died of."""
        while number:
            message = self.done.get()
            if message is None:
                number -= 1
            elif isinstance(message, Exception):
                raise message
            else:
                yield message


def _fits(hack: Hack, task: Task) -> bool:
    return task.env in hack.envs and (hack.kind is Kind.ANSWER) == (task.answer is not None)


def _answers(task: Task, runtime: Runtime, left: Sequence[Hack]) -> Iterator[Trial]:
    assert task.answer is not None
    guess = guess_of(task, runtime)
    return try_answers(Answer.from_dict(task.answer), task.brief, guess, left)


def _sharing(court: Court, parts: dict[str, Part]) -> Court:
    """Return a court that makes each part once, for all courts of its group."""

    def make(name: str) -> Part:
        if name not in parts:
            parts[name] = court.make(name)
        return parts[name]

    return replace(court, make=make)


def _raid_of(case: Case, trials: Known, problem: str) -> Raid:
    found = (trials.get((case.key, hack.name)) for hack in case.hacks)
    tried = tuple(trial for trial in found if trial is not None)
    return Raid(case.task_ids[0], tried, problem, case.task_ids)
