"""One step seen from the main process: send the code, drain what it prints, judge its reply.

Everything that arrives here was written by a process that ran model code. It is size-bounded,
has a deadline, and every field is checked before it is believed to have its type.
"""

from __future__ import annotations

import math
import os
import select
import time
from dataclasses import dataclass

from cadwright.tools.errors import GeometryError, Outcome, UsageError
from cadwright.tools.geometry.part import Notice, Part
from cadwright.tools.geometry.wire import decode_mesh
from cadwright.tools.sandbox import last_words
from cadwright.tools.sandbox.footprint import INTERVAL_S, MemoryWatch
from cadwright.tools.sandbox.process import Process
from cadwright.tools.sandbox.protocol import (
    Frame,
    Header,
    ProtocolError,
    recv_frame,
)

_READ_BYTES = 64 << 10
_MAX_TEXT = 2000
_MAX_NOTICES = 32
_MAX_NAMES = 200
_PROGRAM_OUTCOMES = frozenset(
    {
        Outcome.OK,
        Outcome.PYTHON_ERROR,
        Outcome.RESOURCE_LIMIT,
        Outcome.NO_RESULT,
        Outcome.NOT_A_SOLID,
        Outcome.EMPTY_GEOMETRY,
    }
)


@dataclass(frozen=True, slots=True)
class ExecutionError:
    """What went wrong, for the policy.

    Attributes:
        type: Exception, ``Timeout`` or ``SIGSEGV``.
        message: One line.
        line: Line of the model's code, or None.
        operation: CadQuery operation, or "".
        arguments: Its arguments, or "".
        hint: What to try, or "".
        source: The line of code, or "".
    """

    type: str
    message: str
    line: int | None = None
    operation: str = ""
    arguments: str = ""
    hint: str = ""
    source: str = ""

    def __str__(self) -> str:
        """The whole story in a few lines, as a policy should read it."""
        where = f"line {self.line}: {self.source}\n" if self.line is not None else ""
        what = f"{self.operation}({self.arguments}) failed: " if self.operation else ""
        hint = f"\nhint: {self.hint}" if self.hint else ""
        kind = "" if self.message.startswith(self.type) else f"{self.type}: "
        return f"{where}{what}{kind}{self.message}{hint}"


@dataclass(frozen=True, slots=True)
class StepResult:
    """How one step ended.

    Attributes:
        outcome: ``ok`` when the step counts and there is a part.
        part: The part after the step; None unless ``ok``.
        text: What the step printed, bounded.
        error: Why not, or None.
        notices: What to know even when all went well.
        seconds: Wall clock of the step.
        signal: Name of the signal that ended the process, or None.
        confinement: Walls that stood around the process.
        names: Names that the step bound or changed.
    """

    outcome: Outcome
    part: Part | None = None
    text: str = ""
    error: ExecutionError | None = None
    notices: tuple[Notice, ...] = ()
    seconds: float = 0.0
    signal: str | None = None
    confinement: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def is_ok(self) -> bool:
        """The step counts."""
        return self.outcome is Outcome.OK


def check_asked(code: object, timeout_s: object) -> None:
    """Refuse what no program could be run from.

    Raises:
        UsageError: The code is no string, or the time is none to wait for.
    """
    if not isinstance(code, str):
        kind = type(code).__name__
        raise UsageError(f"code must be a string of Python source, not {kind}: {code!r:.60}")
    if timeout_s is None:
        return
    is_number = isinstance(timeout_s, (int, float)) and not isinstance(timeout_s, bool)
    if not is_number or not 0 < float(timeout_s) < math.inf:  # type: ignore[arg-type]
        raise UsageError(f"timeout_s must be a positive number of seconds, not {timeout_s!r}")


class Output:
    """Keep the head and the tail of what a process prints and count the rest.

    Args:
        limit: Bytes to keep.
    """

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def drain(self, pipe: int) -> bool:
        """Read what is there now; False once all writers are gone."""
        while True:
            try:
                data = os.read(pipe, _READ_BYTES)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._keep(data)
            if len(data) < _READ_BYTES:
                return True

    def text(self) -> str:
        """Return the kept text, with a mark where some was dropped."""
        head, tail = (bytes(part).decode(errors="replace") for part in (self._head, self._tail))
        if not self._dropped:
            return head + tail
        return f"{head}\n[... {self._dropped} bytes dropped ...]\n{tail}"

    def notices(self) -> tuple[Notice, ...]:
        """Return a notice when text was dropped."""
        if not self._dropped:
            return ()
        kept = len(self._head) + len(self._tail)
        message = f"printed {kept + self._dropped} bytes: {self._dropped} in the middle dropped"
        return (Notice("stdout_truncated", message),)

    def _keep(self, data: bytes) -> None:
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[max(room, 0) :]
        excess = len(self._tail) - self._half
        if excess > 0:
            self._dropped += excess
            del self._tail[:excess]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of waiting: a frame, or the reason why there is none.

    Attributes:
        frame: The reply.
        is_late: It was not there in time.
        is_heavy: The step held too much memory.
        words: What the step said of where it was, for `last_words.whereabouts`.
    """

    frame: Frame | None
    is_late: bool = False
    is_heavy: bool = False
    words: bytes = b""


def await_reply(
    process: Process,
    pipe: int,
    output: Output,
    deadline: float,
    limit: int,
    *,
    memory: MemoryWatch,
) -> Reply:
    """Wait for the reply while draining what the step prints.

    Args:
        process: The step.
        pipe: Non-blocking read end of its output.
        output: Where the text goes.
        deadline: ``time.monotonic()`` to give up at.
        limit: Largest reply in bytes.
        memory: Tells when the step and its children hold too much.
    """
    link = process.link.fileno()
    poller = select.poll()
    for fd in (link, pipe, process.pidfd):
        poller.register(fd, select.POLLIN)
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return Reply(None, is_late=True, words=last_words.ask(process))
        if memory.is_over():
            return Reply(None, is_heavy=True)
        ready = {fd for fd, _ in poller.poll(min(left, INTERVAL_S) * 1000 + 1)}
        if pipe in ready and not output.drain(pipe):
            poller.unregister(pipe)
        if link in ready:
            return _receive(process, deadline, limit)
        if process.pidfd in ready:
            return Reply(None, words=last_words.left_by(process))


def result_of(frame: Frame) -> StepResult | None:
    """Return the checked content of a reply, or None when it is not a reply."""
    header = frame.header
    try:
        outcome = Outcome(header["outcome"])
        raw_notices = header["notices"][:_MAX_NOTICES]
        notices = tuple(Notice(_text(code), _text(message)) for code, message in raw_notices)
        names = tuple(_text(name) for name in header["names"][:_MAX_NAMES])
        if outcome not in _PROGRAM_OUTCOMES:
            return None
        if outcome is Outcome.OK:
            part = _part(frame, notices)
            return StepResult(outcome, part, notices=notices, names=names)
        error = _error(header["error"])
    except (LookupError, TypeError, ValueError, GeometryError):
        return None
    return StepResult(outcome, error=error, notices=notices, names=names)


def _receive(process: Process, deadline: float, limit: int) -> Reply:
    try:
        return Reply(recv_frame(process.link, deadline, limit))
    except ProtocolError:
        process.wait()  # its link closes a moment before it is dead, and the status tells why
        is_late = time.monotonic() >= deadline
        return Reply(None, is_late=is_late, words=last_words.left_by(process))


def _part(frame: Frame, notices: tuple[Notice, ...]) -> Part | None:
    if "name" not in frame.header:
        return None
    raw = frame.header.get("mesh")
    mesh = None if raw is None else decode_mesh(raw, frame.blobs)
    brep = frame.blobs[0] if frame.header.get("is_exact", True) else None
    if brep is None and mesh is None:
        raise ValueError("a part is exact geometry or a mesh")
    return Part(brep, mesh, _text(frame.header["name"]), notices)


def _error(raw: Header) -> ExecutionError:
    line = raw["line"]
    if line is not None and (not isinstance(line, int) or isinstance(line, bool)):
        raise TypeError("line is not a number")
    keys = ("type", "message", "operation", "arguments", "hint", "source")
    return ExecutionError(line=line, **{key: _text(raw[key]) for key in keys})


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value[:_MAX_TEXT]
