"""A worker: a persistent, confined process that does our own jobs on other people's files."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from cadwright.tools.errors import InfraError, WorkerCrash, WorkerTimeout
from cadwright.tools.sandbox import jobs
from cadwright.tools.sandbox.endings import signal_name
from cadwright.tools.sandbox.host import Child
from cadwright.tools.sandbox.protocol import (
    DeadlineExceeded,
    Header,
    ProtocolError,
    recv_frame,
    send_frame,
)

MAX_REPLY_BYTES = 1 << 30


class Worker:
    """Made by ``Sandbox.worker``: starts at its first call, does one job at a time.

    A job that takes too long or kills its worker costs that job only: the next call finds a
    fresh process.

    Args:
        spawn: Forks the process.
    """

    def __init__(self, spawn: Callable[[], Child]) -> None:
        self._spawn = spawn
        self._lock = threading.Lock()
        self._holder: list[Child] = []  # shared with the finalizer, which must not hold self
        self._is_closed = False
        self._finalizer = weakref.finalize(self, _end, self._holder)

    @property
    def pid(self) -> int | None:
        """Process number, or None while none runs."""
        return self._holder[0].process.pid if self._holder else None

    def __enter__(self) -> Worker:
        """Return the worker itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def call(
        self,
        job: str,
        header: Header,
        blobs: Sequence[bytes] = (),
        *,
        timeout_s: float,
    ) -> tuple[Header, list[bytes]]:
        """Do one job and wait for its answer.

        Args:
            job: Name in the ``JOBS`` of the entry module.
            header: JSON-able input.
            blobs: Raw input.
            timeout_s: Wall clock for the job; a fresh worker starts outside it.

        Raises:
            ToolError: Whatever subclass the job raised.
            WorkerTimeout: It did not answer in time and was killed.
            WorkerCrash: It died.
            InfraError: The job failed in another way, or the worker is closed.
        """
        with self._lock:
            if self._is_closed:
                raise InfraError("the worker is closed")
            if not self._holder or not self._holder[0].process.is_alive:
                _end(self._holder)
                self._holder.append(self._spawn())
            return self._exchange(self._holder[0], job, header, blobs, timeout_s)

    def close(self) -> None:
        """End the process, also in the middle of a job of another thread; idempotent."""
        self._is_closed = True
        for child in list(self._holder):
            child.process.kill()
        with self._lock:
            self._finalizer()

    def _exchange(
        self, child: Child, job: str, header: Header, blobs: Sequence[bytes], timeout_s: float
    ) -> tuple[Header, list[bytes]]:
        deadline = time.monotonic() + timeout_s
        link = child.process.link
        try:
            send_frame(link, {"job": job, "header": header}, blobs, deadline=deadline)
            frame = recv_frame(link, deadline, MAX_REPLY_BYTES)
        except DeadlineExceeded as err:
            _end(self._holder)
            message = f"job {job!r} did not end within {timeout_s:g} s and was killed"
            raise WorkerTimeout(message) from err
        except ProtocolError as err:
            child.process.kill()
            message = f"the worker died in job {job!r} ({_how(child.status())})"
            _end(self._holder)
            raise WorkerCrash(message) from err
        if "error" in frame.header:
            jobs.raise_error(frame.header["error"])
        return frame.header["reply"], frame.blobs


class InProcessWorker:
    """The same face without a process, for tests of what is built on top of a worker.

    Args:
        entry: Module with ``JOBS``.
    """

    def __init__(self, entry: str) -> None:
        self._jobs = jobs.load(entry)

    def call(
        self,
        job: str,
        header: dict[str, Any],
        blobs: Sequence[bytes] = (),
        *,
        timeout_s: float,
    ) -> tuple[Header, list[bytes]]:
        """Do one job here; the time limit is not kept.

        Raises:
            ToolError: What the job raised.
            InfraError: The job failed in another way.
        """
        del timeout_s
        answer, reply_blobs = jobs.answer(self._jobs, job, header, list(blobs))
        if "error" in answer:
            jobs.raise_error(answer["error"])
        return answer["reply"], [bytes(blob) for blob in reply_blobs]

    def close(self) -> None:
        """Do nothing: there is no process."""


def _end(holder: list[Child]) -> None:
    while holder:
        holder.pop().end()


def _how(status: Header) -> str:
    if "signal" in status:
        return signal_name(int(status["signal"]))
    return f"exit code {status.get('exit', 'unknown')}"
