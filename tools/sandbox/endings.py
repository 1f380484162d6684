"""The ways in which a step ends without a reply of its own, in words for the policy."""

from __future__ import annotations

import json
import signal

from cadwright.tools.errors import Outcome
from cadwright.tools.sandbox.last_words import UNKNOWN, Whereabouts
from cadwright.tools.sandbox.protocol import MAX_HEADER_BYTES, Header
from cadwright.tools.sandbox.steps import ExecutionError, StepResult

MAX_CODE_BYTES = MAX_HEADER_BYTES - (64 << 10)  # it travels in a header, with a few words around it
_LIMIT_SIGNALS = {signal.SIGXCPU: "CPU time", signal.SIGXFSZ: "file size"}


def death(status: Header, where: Whereabouts = UNKNOWN) -> StepResult:
    """Return the result of a step whose process ended without a reply."""
    number = status.get("signal")
    if number is None:
        error = ExecutionError(
            "ProcessExit",
            f"the process ended with code {status.get('exit', 'unknown')} without a result",
            hint="leave out os._exit()",
        )
        return StepResult(Outcome.NO_RESULT, error=error)
    name = signal_name(int(number))
    if number in _LIMIT_SIGNALS:
        message = f"the program used up its {_LIMIT_SIGNALS[signal.Signals(number)]}"
        return StepResult(Outcome.RESOURCE_LIMIT, error=ExecutionError(name, message), signal=name)
    error = ExecutionError(
        name,
        f"the geometry kernel crashed ({name}); the state before this step is kept",
        where.line,
        hint="build this feature another way, or with less extreme sizes",
        source=where.source,
    )
    return StepResult(Outcome.NATIVE_CRASH, error=error, signal=name)


def late(limit_s: float, where: Whereabouts = UNKNOWN) -> StepResult:
    """Return the result of a step that was killed at its deadline."""
    stage = ", after its last line, while the part was read" if where.is_over else ""
    error = ExecutionError(
        "Timeout",
        f"stopped after {limit_s:g} s{stage}; the state before this step is kept",
        where.line,
        hint="use fewer or simpler operations, or split the work into several steps",
        source=where.source,
    )
    return StepResult(Outcome.TIMEOUT, error=error, signal="SIGKILL")


def heavy(limit_bytes: int) -> StepResult:
    """Return the result of a step that was killed because its processes held too much."""
    error = ExecutionError(
        "MemoryError",
        f"the program's processes held more than {limit_bytes >> 20} MiB together",
        hint="start fewer processes, or keep less in each",
    )
    return StepResult(Outcome.RESOURCE_LIMIT, error=error, signal="SIGKILL")


def too_long(code: str) -> StepResult | None:
    """Return the result of a program that is too long to be handed over, else None."""
    size = len(json.dumps(code))
    if size <= MAX_CODE_BYTES:
        return None
    message = f"the program is {size} bytes long: at most {MAX_CODE_BYTES} are allowed"
    error = ExecutionError("ProgramTooLong", message, hint="compute what it lists")
    return StepResult(Outcome.RESOURCE_LIMIT, error=error)


def threads_left() -> StepResult:
    """Return the result of a step that would burden every later one with its threads."""
    error = ExecutionError(
        "ThreadsLeft",
        "the program ended with threads still running",
        hint="join them, or use `with ThreadPoolExecutor() as pool`",
    )
    return StepResult(Outcome.PYTHON_ERROR, error=error)


def lost(message: str) -> StepResult:
    """Return the result of a step in a session that an earlier step broke."""
    error = ExecutionError("ProcessLost", message, hint="repeat what is missing")
    return StepResult(Outcome.NATIVE_CRASH, error=error)


def broken(message: str) -> StepResult:
    """Return the result of a step that failed through a fault of ours."""
    return StepResult(Outcome.INFRA_ERROR, error=ExecutionError("InfraError", message))


def signal_name(number: int) -> str:
    """Return ``SIGSEGV`` for 11, and so on; the name of an abort is SIGABRT (see ``seccomp``)."""
    if number == signal.SIGSYS:
        return signal.SIGABRT.name
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
