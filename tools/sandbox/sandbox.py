"""The sandbox: sessions for model code and workers for ours, all forked from one zygote."""

from __future__ import annotations

import math
import time
import weakref
from dataclasses import replace
from functools import partial

from cadwright.tools.errors import InfraError
from cadwright.tools.sandbox import descriptors, endings, steps
from cadwright.tools.sandbox.chain import Chain
from cadwright.tools.sandbox.confinement import Confinement
from cadwright.tools.sandbox.family import Family
from cadwright.tools.sandbox.host import Child, Host
from cadwright.tools.sandbox.limits import GIB, Limits
from cadwright.tools.sandbox.program import run_program
from cadwright.tools.sandbox.session import Session
from cadwright.tools.sandbox.steps import StepResult
from cadwright.tools.sandbox.worker import Worker

CHECKPOINTS = 8  # a fork costs more the more of its ancestors live: 10 ms at 1, 17 ms at 16

# A worker meshes and compares parts for one caller; it runs no model code.
WORKER_LIMITS = Limits(memory_bytes=8 * GIB, processes=64, open_files=256, result_bytes=GIB)

# CPU time of one process, where no limit is given: a step is killed by the clock long before,
# and a checkpoint that model code left burning in the background ends some time.
_CPU_PER_WALL = 30


class Sandbox:
    """Owner of a zygote and everything forked from it; safe to use from several threads.

    The zygote starts at the first use and takes a second or two; after that a session costs
    milliseconds. A zygote that dies is replaced for new sessions.

        with Sandbox() as sandbox:
            step = sandbox.run("import cadquery as cq; result = cq.Workplane().box(1, 2, 3)")

    Args:
        limits: What one session may use.
        confinement: Which walls to put up.
        strict: Refuse to run where a wall cannot stand.
        worker_limits: What one worker may use.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        confinement: Confinement | None = None,
        *,
        strict: bool = False,
        worker_limits: Limits = WORKER_LIMITS,
    ) -> None:
        limits = limits if limits is not None else Limits()
        if limits.cpu_s is None:
            limits = replace(limits, cpu_s=math.ceil(_CPU_PER_WALL * limits.wall_s))
        self.limits = limits
        self.worker_limits = worker_limits
        walls = confinement if confinement is not None else Confinement()
        self._host = Host(replace(walls, strict=strict or walls.strict))
        self._finalizer = weakref.finalize(self, self._host.close)

    def __enter__(self) -> Sandbox:
        """Return the sandbox itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    @property
    def zygote_pid(self) -> int | None:
        """Process number of the zygote, or None while there is none."""
        return self._host.zygote_pid

    def run(
        self, code: str, timeout_s: float | None = None, *, with_mesh: bool = False
    ) -> StepResult:
        """Run one program from nothing and forget it.

        Args:
            code: Python source.
            timeout_s: Wall clock; None takes the limit of the sandbox.
            with_mesh: Also return the triangles of the part. They come from the process that
                ran the program: for a score, let a judge make its own.

        Returns:
            How it ended. Nothing that the code does makes this raise.

        Raises:
            UsageError: The code is no string, or the time is no number of seconds.
        """
        steps.check_asked(code, timeout_s)
        limit_s = self.limits.wall_s if timeout_s is None else timeout_s
        begin = time.monotonic()
        if (refused := endings.too_long(code)) is not None:
            return refused
        try:
            child = self._host.spawn("program", self.limits)
            result = run_program(child, code, self.limits, limit_s, with_mesh=with_mesh)
        except (InfraError, OSError) as err:
            result = endings.broken(descriptors.told(err))
        return replace(result, seconds=time.monotonic() - begin)

    def session(self, *, seed: int = 0, checkpoints: int = CHECKPOINTS) -> Session:
        """Open a session.

        Args:
            seed: Seed of ``random`` and ``numpy.random`` in model code.
            checkpoints: How many steps can be undone; older states are dropped.
        """
        return Session(self, Chain(self.new_family(seed), checkpoints), seed)

    def worker(self, entry: str) -> Worker:
        """Return a worker that serves the ``JOBS`` of module ``entry``, from its first call on."""
        return Worker(partial(self._spawn_worker, entry))  # holds on to the sandbox

    def new_family(self, seed: int) -> Family:
        """Fork a session root; for ``Session``."""
        return Family(self._host.spawn("session", self.limits, seed=seed))

    def _spawn_worker(self, entry: str) -> Child:
        return self._host.spawn("worker", self.worker_limits, entry=entry)

    def close(self) -> None:
        """End every session, worker and the zygote; idempotent."""
        self._finalizer()
