"""The processes behind one session and its branches: a root, and checkpoints forked from it."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cadwright.tools.sandbox import descriptors, sweep
from cadwright.tools.sandbox.host import Child
from cadwright.tools.sandbox.process import Process, link_pair
from cadwright.tools.sandbox.protocol import (
    Header,
    ProtocolError,
    ask_for_credentials,
    recv_frame,
    send_frame,
)

HELLO_S = 30.0  # a fork takes milliseconds unless the machine is thrashing
CROWDED_S, PAUSE_S = 2.0, 0.02  # while the dead of a step before still count as processes


class StepLost(Exception):
    """The process that should fork the step is gone, stuck or lying."""


class _CannotFork(ProtocolError):
    """The tip is well, but the kernel gives it no further process now."""


@dataclass(slots=True, eq=False)
class Checkpoint:
    """A process that holds the state after a step, and how many sessions stand on it."""

    process: Process
    holders: int = 1


@dataclass(slots=True, eq=False)
class Step:
    """A forked step that waits for its code.

    Attributes:
        process: The step.
        pipe: Non-blocking read end of what it prints.
    """

    process: Process
    pipe: int

    def close_pipe(self) -> None:
        """Stop listening to what it prints."""
        pipe, self.pipe = self.pipe, -1
        if pipe >= 0:
            os.close(pipe)


class Family:
    """One session root and every checkpoint below it. Branches of a session share a family.

    Args:
        child: The root. It never runs model code.
    """

    def __init__(self, child: Child) -> None:
        self.root = child.process
        self.zygote = child.zygote
        self.confinement = child.confinement
        self._child = child
        self._lock = threading.RLock()  # a finalizer may run where the lock is held
        self._known: set[int] = set()
        self._busy: set[int] = set()
        self._held: dict[int, Process] = {}
        self._doomed: list[Process] = []  # killed, perhaps not dead yet
        self._joined = 0
        self._members = 0

    def answers(self) -> bool:
        """Say whether the root, which runs no model code, is there to answer."""
        return self._ask({"op": "ping"}) is not None

    @property
    def pids(self) -> tuple[int, ...]:
        """The root and all checkpoints, as the main process numbers them."""
        doomed = {process.pid for process in self._doomed}
        return (self.root.pid, *sorted(self._known - doomed))

    def join(self) -> Path:
        """Count one more session in; returns a scratch folder that no other has."""
        with self._lock:
            self._joined += 1
            self._members += 1
            return self._child.scratch / str(self._joined)

    def leave(self) -> bool:
        """Count a session out; closes the family and returns True when it was the last."""
        with self._lock:
            self._members -= 1
            if self._members:
                return False
        self.close()
        return True

    def share(self, checkpoints: list[Checkpoint]) -> None:
        """Let one more session stand on checkpoints."""
        with self._lock:
            for checkpoint in checkpoints:
                checkpoint.holders += 1

    def fork(self, tip: Process) -> Step:
        """Fork a step from ``tip`` and make sure who it is, before model code runs in it.

        Raises:
            StepLost: ``tip`` does not fork, or what answers is not a process of this family.
            InfraError: This process may open no further file; nothing is lost.
        """
        until = time.monotonic() + CROWDED_S
        while True:
            try:
                return self._fork(tip)
            except StepLost as lost:
                if not isinstance(lost.__cause__, _CannotFork) or time.monotonic() > until:
                    raise
            self._reap()
            time.sleep(PAUSE_S)

    def _fork(self, tip: Process) -> Step:
        ours, theirs = link_pair()
        ask_for_credentials(ours)
        try:
            pipe, print_fd = os.pipe2(os.O_CLOEXEC)
        except OSError:
            ours.close()
            theirs.close()
            raise
        os.set_blocking(pipe, False)
        deadline = time.monotonic() + HELLO_S
        try:
            with self._lock:  # a sweep must not meet a step that it does not know yet
                with theirs, os.fdopen(print_fd, "wb", buffering=0) as output:
                    fds = (theirs.fileno(), output.fileno())
                    send_frame(tip.link, {"op": "step"}, fds=fds, deadline=deadline)
                # Our copies are closed: if the tip is dead now, nobody holds the other ends.
                return self._meet(ours, pipe, deadline)
        except (ProtocolError, OSError) as err:
            ours.close()
            os.close(pipe)
            if isinstance(err, OSError) and descriptors.is_spent(err):
                raise descriptors.spent() from err
            raise StepLost(str(err)) from err

    def start(self, step: Step, request: Header, blobs: tuple[bytes, ...] = ()) -> None:
        """Hand a step its work.

        The kernel says that the answer comes from the process behind the pidfd, opened before:
        had that died and its number gone to another, nobody could answer under it.

        Raises:
            StepLost: It is not who it was.
        """
        deadline = time.monotonic() + HELLO_S
        try:
            send_frame(step.process.link, request, blobs, deadline=deadline)
            started = recv_frame(step.process.link, deadline, 0)
        except ProtocolError as err:
            raise StepLost(str(err)) from err
        if started.pid != step.process.pid:
            raise StepLost("another process answered")

    def keep(self, step: Step) -> Checkpoint:
        """Make a finished step a checkpoint."""
        with self._lock:
            self._busy.discard(step.process.pid)
            self._held[step.process.pid] = step.process
        step.close_pipe()
        return Checkpoint(step.process)

    def end(self, step: Step) -> Header:
        """End a step; returns how it ended, as its root saw it."""
        step.process.kill()
        status = self._ask({"op": "wait"}, [step.process.pidfd]) or {}
        step.close_pipe()
        self._forget(step.process)
        return status

    def release(self, checkpoint: Checkpoint) -> None:
        """Let go of a checkpoint; it dies when no session stands on it."""
        with self._lock:
            checkpoint.holders -= 1
            if checkpoint.holders:
                return
            checkpoint.process.doom()
            self._doomed.append(checkpoint.process)
        self._bury()

    def processes_of(self, step: Step) -> list[int]:
        """Return a step, all below it, and what it may have disowned."""
        with self._lock:
            astray = sweep.strays(self.root.pid, self._known, self._busy)
        return [*sweep.tree(step.process.pid), *(pid for pid, _ in astray)]

    def sweep(self) -> bool:
        """Kill whatever runs in this family and is neither checkpoint nor step."""
        with self._lock:
            is_clean = sweep.kill_strays(self.root.pid, self._known, self._busy)
        self._bury()
        return is_clean

    def close(self) -> None:
        """Kill everything; idempotent."""
        with self._lock:
            if self.root.pidfd >= 0 and not self._child.has_namespace:
                sweep.kill_strays(self.root.pid, frozenset())
            self._child.end()
            while self._held:
                self._held.popitem()[1].close()

    def _meet(self, ours: socket.socket, pipe: int, deadline: float) -> Step:
        """Wait for the step to say hello, and take the kernel's word for who it is."""
        hello = recv_frame(ours, deadline, 0)
        if hello.header.get("op") == "cannot_fork":
            raise _CannotFork(str(hello.header.get("message")))
        if hello.header.get("op") != "hello" or hello.pid is None or hello.uid != self.root.uid:
            raise ProtocolError(str(hello.header.get("message", "not a step of this session")))
        process = Process(ours, os.pidfd_open(hello.pid), hello.pid)
        self._known.add(process.pid)
        self._busy.add(process.pid)
        return Step(process, pipe)

    def _ask(self, request: Header, fds: Sequence[int] = ()) -> Header | None:
        """Return the root's answer, or None when it is gone."""
        deadline = time.monotonic() + HELLO_S
        with self._lock:
            try:
                send_frame(self.root.link, request, fds=fds, deadline=deadline)
                return recv_frame(self.root.link, deadline, 0).header
            except (ProtocolError, OSError):
                return None

    def _reap(self) -> None:
        with self._lock:
            try:
                send_frame(self.root.link, {"op": "reap"}, deadline=time.monotonic() + HELLO_S)
            except (ProtocolError, OSError):
                return

    def _bury(self) -> None:
        """Forget the doomed that are dead by now, and have the root collect what is left."""
        with self._lock:
            dead = [process for process in self._doomed if not process.is_alive]
            self._doomed = [process for process in self._doomed if process not in dead]
            for process in dead:
                self._forget(process)
        self._reap()

    def _forget(self, process: Process) -> None:
        with self._lock:
            self._known.discard(process.pid)
            self._busy.discard(process.pid)
            self._held.pop(process.pid, None)
        process.close()
