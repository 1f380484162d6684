"""One evaluation thread: its own runtime and policy, one episode after another."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent import artifacts
from cadwright.agent.episode import run_episode
from cadwright.agent.episode_result import Area
from cadwright.agent.evaluation.plan import Work, long_of
from cadwright.agent.evaluation.store import Row
from cadwright.agent.evaluation.targets import draw_target
from cadwright.agent.events import Began, Decided, Ended, Event, Executed
from cadwright.agent.policies.policy import Policy
from cadwright.envs.task import Task
from cadwright.tools.errors import CadwrightError

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime

WANTED = artifacts.Wanted(formats=("stl",), thumbnail=True)

OpenRuntime = Callable[[], "Runtime"]
MakePolicy = Callable[[], Policy]


@dataclass(frozen=True, slots=True)
class Settings:
    """How an evaluation runs its episodes.

    Attributes:
        folder: Of the run.
        suite: Spec of the suite, for the trajectories.
        seed: Seed of every episode, or None for each task's own.
        time_limit_s: Wall time of one episode, or None for each task's own.
        max_attempts: Tries of an episode that breaks through our fault.
    """

    folder: Path
    suite: str = ""
    seed: int | None = None
    time_limit_s: float | None = None
    max_attempts: int = 2

    def limited(self, task: Task) -> Task:
        """Return ``task`` under the time limit of this run."""
        if self.time_limit_s is None:
            return task
        limits = replace(
            task.limits,
            wall_s=self.time_limit_s,
            step_s=min(task.limits.step_s, self.time_limit_s),
        )
        return replace(task, limits=limits)


@dataclass(frozen=True, slots=True)
class Done:
    """An episode that a worker has finished."""

    worker: Worker
    work: Work
    row: Row


@dataclass(frozen=True, slots=True)
class Stopped:
    """A worker that is gone. ``worker.current`` is what it took along, where it took something."""

    worker: Worker
    error: Exception | None = None


class Worker(threading.Thread):
    """Takes work until there is none, or until it is told to stop.

    It is a daemon: a worker that hangs in foreign code can be abandoned without holding the
    process.

    Args:
        todo: Where work comes from.
        done: Where rows go.
        settings: Of the run.
        open_runtime: Opens this thread's own runtime.
        make_policy: Makes this thread's own policy.
        stop: Set when no further work shall be taken.
    """

    def __init__(
        self,
        todo: queue.SimpleQueue[Work],
        done: queue.SimpleQueue[Done | Stopped],
        settings: Settings,
        open_runtime: OpenRuntime,
        make_policy: MakePolicy,
        stop: threading.Event,
    ) -> None:
        super().__init__(daemon=True, name="cadwright-eval")
        self._todo, self._done, self._settings = todo, done, settings
        self._open_runtime, self._make_policy = open_runtime, make_policy
        self._stop_event = stop
        self.is_abandoned = False
        self.current: Work | None = None
        self.started_s = 0.0
        self.stage: Area = "tool"

    def run(self) -> None:
        """Work until the queue is empty."""
        error: Exception | None = None
        try:
            with self._open_runtime() as runtime:
                self._work_through(runtime, self._make_policy())
        except (CadwrightError, OSError) as caught:
            error = caught
        finally:  # whatever it died of, the evaluation must hear that it is gone
            self._done.put(Stopped(self, error))

    def seconds_on_current(self) -> float:
        """Return how long the current episode has been running, 0 where there is none."""
        return time.monotonic() - self.started_s if self.current is not None else 0.0

    def _work_through(self, runtime: Runtime, policy: Policy) -> None:
        while not (self._stop_event.is_set() or self.is_abandoned):
            try:
                work = self._todo.get_nowait()
            except queue.Empty:
                return
            self.started_s, self.current = time.monotonic(), work
            row = self._episode(work, runtime, policy)
            self.current = None
            self._done.put(Done(self, work, row))

    def _episode(self, work: Work, runtime: Runtime, policy: Policy) -> Row:
        folder = self._settings.folder / "episodes" / work.folder_name
        result = run_episode(
            self._settings.limited(work.task),
            policy,
            runtime,
            folder,
            seed=self._settings.seed,
            variant=work.variant,
            suite=self._settings.suite,
            wanted=WANTED,
            on_event=self._follow,
        )
        target = draw_target(work.task, runtime, self._settings.folder)
        return row_of(work, {**result.to_json(), "target": target})

    def _follow(self, event: Event) -> None:
        """Keep in mind whose turn it is, for the case that this thread never comes back."""
        match event:
            case Began() | Executed():
                self.stage = "policy"
            case Decided():
                self.stage = "tool"
            case Ended():
                self.stage = "reward"


def row_of(work: Work, result: dict[str, Any]) -> Row:
    """Return a result as a row of the run."""
    row = {**result, "attempt": work.attempt, "episode": f"episodes/{work.folder_name}"}
    long = long_of(work.task.meta)
    return row if long is None else {**row, "long": long}
