"""Run one program in one forked process: nothing will be undone, so one fork is enough."""

from __future__ import annotations

import os
import time
from dataclasses import replace

from cadwright.tools.errors import InfraError
from cadwright.tools.sandbox import endings, last_words, steps, sweep
from cadwright.tools.sandbox.footprint import MemoryWatch
from cadwright.tools.sandbox.host import Child
from cadwright.tools.sandbox.limits import Limits
from cadwright.tools.sandbox.protocol import Header, ProtocolError, recv_frame, send_frame
from cadwright.tools.sandbox.steps import Output, StepResult

_START_S = 30.0


def run_program(
    child: Child, code: str, limits: Limits, limit_s: float, *, with_mesh: bool
) -> StepResult:
    """Run ``code`` in a fresh child of kind ``program``, and end the child.

    Raises:
        InfraError: The child does not start.
    """
    try:
        pipe, print_fd = os.pipe2(os.O_CLOEXEC)
    except OSError:
        child.end()
        raise
    os.set_blocking(pipe, False)
    try:
        work = {"code": code, "with_mesh": with_mesh}
        _start(child, work, print_fd)
        result = _settle(child, pipe, limits, limit_s, code)
    finally:
        if not child.has_namespace:
            sweep.kill_strays(child.process.pid, frozenset())
        child.end()
        os.close(pipe)
    return replace(result, confinement=child.confinement)


def _start(child: Child, work: Header, print_fd: int) -> None:
    deadline = time.monotonic() + _START_S
    link = child.process.link
    request = {"op": "run", "folder": str(child.scratch), "copy_of": None, **work}
    try:
        send_frame(link, {"op": "print"}, fds=[print_fd], deadline=deadline)
        send_frame(link, request, deadline=deadline)
        recv_frame(link, deadline, 0)  # hello
        recv_frame(link, deadline, 0)  # started
    except ProtocolError as err:
        raise InfraError(f"a fresh process does not start: {err}") from err
    finally:
        os.close(print_fd)


def _settle(child: Child, pipe: int, limits: Limits, limit_s: float, code: str) -> StepResult:
    output = Output(limits.stdout_bytes)
    deadline = time.monotonic() + limit_s
    memory = MemoryWatch(lambda: sweep.tree(child.process.pid), limits.memory_bytes)
    reply = steps.await_reply(
        child.process, pipe, output, deadline, limits.result_bytes, memory=memory
    )
    output.drain(pipe)
    result = None if reply.frame is None else steps.result_of(reply.frame)
    where = last_words.whereabouts(reply.words, code)
    if reply.is_late:
        result = endings.late(limit_s, where)
    if reply.is_heavy:
        result = endings.heavy(limits.memory_bytes)
    if result is None:
        child.process.kill()
        result = endings.death(child.status(), where)
    notices = (*result.notices, *output.notices())
    return replace(result, text=output.text(), notices=notices)
