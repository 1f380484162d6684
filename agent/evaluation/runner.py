"""Run a suite: several threads, one writer, rows that survive whatever happens.

The main thread alone writes results, so there is nothing to lock. It also watches the workers:
one that is stuck past every limit is abandoned and replaced, so a run reaches its end. Episodes
that broke through our own fault are tried again up to a cap; every attempt keeps its row.
"""

from __future__ import annotations

import queue
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from cadwright.agent.evaluation.plan import Key, Work
from cadwright.agent.evaluation.store import Row, RunFolder
from cadwright.agent.evaluation.worker import (
    Done,
    MakePolicy,
    OpenRuntime,
    Settings,
    Stopped,
    Worker,
    row_of,
)
from cadwright.envs.core import EndReason
from cadwright.tools.errors import InfraError, Interrupted, Outcome

GRACE_S = 120.0  # past an episode's own limit: one slow call and its scoring may still come back
POLL_S = 0.2

_RESUME = "the same command goes on from here"

OnRow = Callable[[Row], None]
OnStop = Callable[[int], None]


@dataclass(slots=True)
class _Run:
    """What the main thread keeps while workers are busy."""

    store: RunFolder
    settings: Settings
    spawn: Callable[[], Worker]
    stop: threading.Event
    todo: queue.SimpleQueue[Work]
    done: queue.SimpleQueue[Done | Stopped]
    on_row: OnRow
    on_stop: OnStop
    grace_s: float
    open_keys: set[Key]
    workers: list[Worker] = field(default_factory=list)
    session: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    start_s: float = field(default_factory=time.monotonic)


def evaluate(
    works: Sequence[Work],
    store: RunFolder,
    settings: Settings,
    open_runtime: OpenRuntime,
    make_policy: MakePolicy,
    *,
    num_workers: int = 1,
    on_row: OnRow = lambda row: None,
    on_stop: OnStop = lambda number: None,
    grace_s: float = GRACE_S,
) -> list[Row]:
    """Run what is still open of ``works`` and return all rows of the run.

    Args:
        works: The whole plan; what the store has a final row of is skipped.
        store: The open run folder.
        settings: How episodes run.
        open_runtime: Opens one runtime per worker thread.
        make_policy: Makes one policy per worker thread.
        num_workers: Episodes at a time.
        on_row: Told of every new row.
        on_stop: Told at the first Ctrl-C how many episodes still run.
        grace_s: How far past its limit an episode may be before its worker is abandoned.

    Raises:
        Interrupted: Ctrl-C; resume by running the same again.
        InfraError: No worker can open a runtime.
    """
    todo: queue.SimpleQueue[Work] = queue.SimpleQueue()
    done: queue.SimpleQueue[Done | Stopped] = queue.SimpleQueue()
    stop = threading.Event()
    pending = _pending(works, store.rows())
    for work in pending:
        shutil.rmtree(settings.folder / "episodes" / work.folder_name, ignore_errors=True)
        todo.put(work)
    run = _Run(
        store=store,
        settings=settings,
        spawn=lambda: Worker(todo, done, settings, open_runtime, make_policy, stop),
        stop=stop,
        todo=todo,
        done=done,
        on_row=on_row,
        on_stop=on_stop,
        grace_s=grace_s,
        open_keys={work.key for work in pending},
    )
    _start_workers(run, min(num_workers, len(pending)))
    _collect(run)
    return store.rows()


def _pending(works: Iterable[Work], rows: Iterable[Row]) -> list[Work]:
    """Return what has no final row yet, each at its next attempt."""
    finals: set[Key] = set()
    attempts: dict[Key, int] = {}
    for row in rows:
        key = (row["task"], row["variant"])
        attempts[key] = row["attempt"]
        if row["is_final"]:
            finals.add(key)
    return [
        Work(work.task, work.variant, attempts.get(work.key, 0) + 1)
        for work in works
        if work.key not in finals
    ]


def _start_workers(run: _Run, number: int) -> None:
    for _ in range(number):
        worker = run.spawn()
        run.workers.append(worker)
        worker.start()


def _collect(run: _Run) -> None:
    """Write rows until nothing is open; the first Ctrl-C lets running episodes finish."""
    try:
        while run.open_keys:
            _step(run)
    except KeyboardInterrupt:
        run.stop.set()
        try:
            run.on_stop(sum(worker.current is not None for worker in run.workers))
            while any(worker.current is not None for worker in run.workers):
                _step(run)
        except KeyboardInterrupt:
            raise Interrupted(f"stopped at once; what was running is dropped; {_RESUME}") from None
        raise Interrupted(f"stopped after the running episodes; {_RESUME}") from None
    finally:
        run.stop.set()
        _join(run.workers)


def _step(run: _Run) -> None:
    """Take one message from the workers, or look after them when there is none."""
    try:
        message = run.done.get(timeout=POLL_S)
    except queue.Empty:
        _abandon_stuck(run)
        return
    if isinstance(message, Stopped):
        _stopped(run, message)
    elif not message.worker.is_abandoned:
        _record(run, message.work, message.row)


def _stopped(run: _Run, message: Stopped) -> None:
    """Note that a worker is gone; what it took along is an attempt that we broke."""
    worker, work = message.worker, message.worker.current
    if worker in run.workers:
        run.workers.remove(worker)
    if work is not None and not worker.is_abandoned:
        reason = f"its thread died: {message.error or 'see standard error'}"
        _record(run, work, _broken_row(worker, work, run.settings, reason))
    elif message.error is not None and not run.workers:
        raise InfraError(f"no worker can run: {message.error}") from message.error
    if not run.workers and run.open_keys and not run.stop.is_set():
        _start_workers(run, 1)  # the last one left just before a retry was queued


def _record(run: _Run, work: Work, row: Row) -> None:
    """Write the row; queue the work again where we broke it and may try once more."""
    is_broken = row["outcome"] == Outcome.INFRA_ERROR.value
    if is_broken and run.stop.is_set():
        return  # the stop itself may have broken it: a resumed run starts it afresh
    is_final = not is_broken or work.attempt >= run.settings.max_attempts
    elapsed_s = round(time.monotonic() - run.start_s, 3)
    row = {**row, "is_final": is_final, "session": run.session, "elapsed_s": elapsed_s}
    run.store.append(row)
    if is_final:
        run.open_keys.discard(work.key)
    else:
        run.todo.put(work.next_attempt())
    run.on_row(row)


def _abandon_stuck(run: _Run) -> None:
    """Replace workers whose episode is past every limit, and put its row on record."""
    for worker in list(run.workers):
        work = worker.current
        if work is None or worker.seconds_on_current() < _limit_s(run, work):
            continue
        worker.is_abandoned = True
        run.workers.remove(worker)
        reason = f"no answer for {worker.seconds_on_current():.0f} s, given up"
        _record(run, work, _broken_row(worker, work, run.settings, reason))
        if not run.stop.is_set():
            _start_workers(run, 1)


def _limit_s(run: _Run, work: Work) -> float:
    return run.settings.limited(work.task).limits.wall_s + run.grace_s


def _broken_row(worker: Worker, work: Work, settings: Settings, reason: str) -> Row:
    """Return the row of an episode that never came back."""
    seconds = worker.seconds_on_current()
    message = f"{worker.stage}: {reason}"
    result: dict[str, Any] = {
        "task": work.task.id,
        "variant": work.variant,
        "policy": "",
        "seed": work.task.seed if settings.seed is None else settings.seed,
        "outcome": Outcome.INFRA_ERROR.value,
        "end_reason": EndReason.INFRA_ERROR.value,
        "message": message,
        "turns": 0,
        "calls": 0,
        "score": None,
        "part_digest": "",
        "files": {},
        "fault": {"area": worker.stage, "error": "Lost", "message": reason},
        "seconds": round(seconds, 3),
        "target": None,
    }
    return row_of(work, result)


def _join(workers: Sequence[Worker]) -> None:
    """Wait for workers to close their runtimes; one that hangs is left to die with us."""
    deadline = time.monotonic() + 10
    for worker in workers:
        if worker.current is None:
            worker.join(max(0.0, deadline - time.monotonic()))
