"""A session: a Python namespace that persists from step to step, as a chain of forked processes.

Each step runs in a fork of the chain's tip. If it succeeds, it becomes the tip and its parent
stays as a checkpoint; if it fails, it dies and nothing has happened. Files are not part of a
checkpoint: what a failed or undone step wrote in the scratch folder stays there.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from cadwright.tools.errors import InfraError, ToolError
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.wire import encode_mesh
from cadwright.tools.sandbox import descriptors, endings, last_words, steps, sweep
from cadwright.tools.sandbox.chain import Chain
from cadwright.tools.sandbox.family import Step, StepLost
from cadwright.tools.sandbox.footprint import MemoryWatch
from cadwright.tools.sandbox.process import DYING_S
from cadwright.tools.sandbox.protocol import Header
from cadwright.tools.sandbox.steps import Output, Reply, StepResult

if TYPE_CHECKING:
    from cadwright.tools.sandbox.sandbox import Sandbox

_ZYGOTE_DIED = "the zygote died and the session with it: reset() starts again"


class Session:
    """Made by ``Sandbox.session``; may be closed from another thread while a step runs.

    Args:
        sandbox: Gives limits and fresh families.
        chain: Where the session stands.
        seed: Seed of the random generators in model code.
    """

    def __init__(self, sandbox: Sandbox, chain: Chain, seed: int) -> None:
        self._sandbox = sandbox
        self._chain = chain
        self._seed = seed
        self._lock = threading.RLock()
        self._running: Step | None = None
        self._is_closed = False
        self._finalizer = weakref.finalize(self, chain.close)

    @property
    def depth(self) -> int:
        """Steps that ``undo`` can take back."""
        return self._chain.depth

    @property
    def confinement(self) -> tuple[str, ...]:
        """Walls that stand around the model code."""
        return self._chain.family.confinement

    @property
    def pids(self) -> tuple[int, ...]:
        """Processes of the session and of its branches."""
        return self._chain.family.pids

    def __enter__(self) -> Session:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def execute(
        self,
        code: str,
        timeout_s: float | None = None,
        *,
        meshes: Mapping[str, Mesh] | None = None,
    ) -> StepResult:
        """Run one step of model code.

        Args:
            code: Python source; names persist to the next step.
            timeout_s: Wall clock for this step; None takes the sandbox's limit.
            meshes: Where given, the code works on meshes: it finds them as trimesh objects in
                ``meshes`` and the first one as ``mesh``, and what it makes comes back as
                triangles.

        Returns:
            How it ended. Nothing that the code does makes this raise.

        Raises:
            ToolError: The session is closed.
            UsageError: The code is no string, or the time is no number of seconds.
        """
        steps.check_asked(code, timeout_s)
        if (refused := endings.too_long(code)) is not None:
            return replace(refused, confinement=self.confinement)
        request: Header = {"op": "run", "code": code}
        blobs: list[bytes] = []
        if meshes is not None:
            request["meshes"] = {}
            for name, mesh in meshes.items():
                request["meshes"][name], more = encode_mesh(mesh, first_blob=len(blobs))
                blobs += more
        return self._run(request, tuple(blobs), timeout_s)

    def load(self, part: Part, name: str = "result") -> StepResult:
        """Bind a given part to a name, as a step of its own.

        Exact geometry becomes the part of the session. Triangles are bound as a trimesh object to
        look at and are no part.

        Raises:
            ToolError: There is nothing in the part, or it cannot be read.
        """
        request: Header = {"op": "load", "name": name}
        if part.brep is not None:
            result = self._run(request, (part.brep,), None)
        elif part.mesh is not None:
            described, blobs = encode_mesh(part.mesh)
            result = self._run(request | {"mesh": described}, tuple(blobs), None)
        else:
            raise ToolError(f"{part.name}: there is no geometry in it")
        if not result.is_ok:
            raise ToolError(f"cannot load {part.name}: {result.error}", result.outcome)
        return result

    def undo(self, steps: int = 1) -> None:
        """Go back to the state before the last steps that succeeded.

        Raises:
            ToolError: More than ``depth``.
        """
        with self._lock:
            self._check_open()
            if not 0 <= steps <= self.depth:
                raise ToolError(f"cannot undo {steps} steps: {self.depth} can be taken back")
            for _ in range(steps):
                self._chain.drop_tip()

    def branch(self) -> Session:
        """Return a new session that stands where this one does and goes its own way.

        Both share the checkpoints behind them, and each can undo them for itself. The branch works
        in a folder of its own, made at its first step as a copy. Together they may not exceed
        ``Limits.processes``.
        """
        with self._lock:
            self._check_open()
            return Session(self._sandbox, self._chain.twin(), self._seed)

    def reset(self) -> None:
        """Start again with an empty namespace and an empty folder."""
        with self._lock:
            self._check_open()
            self._chain.restart(self._sandbox.new_family(self._seed))

    def close(self) -> None:
        """End the processes of the session, a running step included; idempotent."""
        self._is_closed = True
        running = self._running
        if running is not None:
            running.process.kill()
        with self._lock:
            self._finalizer()

    def _check_open(self) -> None:
        if self._is_closed:
            raise ToolError("the session is closed")

    def _run(
        self, request: Header, blobs: tuple[bytes, ...], timeout_s: float | None
    ) -> StepResult:
        limit_s = self._sandbox.limits.wall_s if timeout_s is None else timeout_s
        with self._lock:
            self._check_open()
            begin = time.monotonic()
            try:
                result = self._attempt(request, blobs, limit_s)
            except (InfraError, OSError) as err:
                result = endings.broken(descriptors.told(err))
            seconds = time.monotonic() - begin
            return replace(result, seconds=seconds, confinement=self.confinement)

    def _attempt(self, request: Header, blobs: tuple[bytes, ...], limit_s: float) -> StepResult:
        """Fork, start and settle one step."""
        chain = self._chain
        if not chain.family.zygote.is_alive:
            raise InfraError(_ZYGOTE_DIED)
        try:
            step = chain.family.fork(chain.tip)
        except StepLost as err:
            return self._fall_back(str(err))
        self._running = step
        try:
            chain.family.start(step, request | chain.place(), blobs)
            return self._settle(step, limit_s, str(request.get("code", "")))
        except StepLost as err:
            chain.family.end(step)
            return self._fall_back(str(err))
        finally:
            self._running = None

    def _settle(self, step: Step, limit_s: float, code: str) -> StepResult:
        """Wait for a step; keep it when it succeeded, else end it."""
        limits = self._sandbox.limits
        output = Output(limits.stdout_bytes)
        deadline = time.monotonic() + limit_s
        memory = MemoryWatch(lambda: self._chain.family.processes_of(step), limits.memory_bytes)
        try:
            reply = steps.await_reply(
                step.process, step.pipe, output, deadline, limits.result_bytes, memory=memory
            )
        except BaseException:  # Ctrl-C, or no descriptor left to look at its memory with
            self._chain.family.end(step)
            raise
        output.drain(step.pipe)
        result = self._judge(step, reply, limit_s, code)
        if not self._chain.family.sweep():
            self._chain.restart(self._sandbox.new_family(self._seed))
            result = endings.lost("its processes bred faster than they died: the session is empty")
        notices = (*result.notices, *output.notices())
        return replace(result, text=output.text(), notices=notices)

    def _judge(self, step: Step, reply: Reply, limit_s: float, code: str) -> StepResult:
        """Return the result of a reply, with the step kept or ended accordingly."""
        family = self._chain.family
        result = None if reply.frame is None else steps.result_of(reply.frame)
        if result is not None and result.is_ok and sweep.num_threads(step.process.pid) > 1:
            result = endings.threads_left()
        if result is not None and result.is_ok and not self._is_closed:
            self._chain.push(family.keep(step))
            return result
        status = family.end(step)
        if self._is_closed:
            return endings.broken("the session was closed while the step ran")
        if reply.is_heavy:
            return endings.heavy(self._sandbox.limits.memory_bytes)
        where = last_words.whereabouts(reply.words, code)
        if reply.is_late:
            return endings.late(limit_s, where)
        if result is None and not status:
            self._check_zygote()
        return result if result is not None else endings.death(status, where)

    def _check_zygote(self) -> None:
        """Blame the zygote, not the step, where its end took the session's root along."""
        family = self._chain.family
        if not family.answers() and family.zygote.has_ended(DYING_S):
            raise InfraError(_ZYGOTE_DIED)

    def _fall_back(self, reason: str) -> StepResult:
        """Return to the last checkpoint that lives: code of an earlier step broke the tip."""
        chain = self._chain
        self._check_zygote()
        num_lost = 0
        while chain.checkpoints and (num_lost == 0 or not chain.tip.is_alive):
            chain.drop_tip()
            num_lost += 1
        if num_lost and chain.tip.is_alive:
            return endings.lost(f"an earlier step broke the session: {num_lost} lost ({reason})")
        if not num_lost and chain.family.answers():
            raise InfraError(f"a session that ran nothing does not answer: {reason}")
        chain.restart(self._sandbox.new_family(self._seed))
        return endings.lost(f"the session broke and starts again, empty ({reason})")
