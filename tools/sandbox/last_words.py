"""Where a program was when it was stopped, or when the kernel crashed under it.

A thread or a Python signal handler could not tell: the geometry kernel holds the interpreter lock
for as long as it works. ``faulthandler`` can: its handlers are C and read the frames without the
lock. It writes them to the step's own link, which has nothing else to carry any more, and costs
nothing while all goes well.

The words come out of a process that ran model code. A line number is all that is taken from them:
whatever else is said of it (its text, how long it is) comes from the code that was sent.
"""

from __future__ import annotations

import contextlib
import faulthandler
import re
import signal
import socket
import time
from dataclasses import dataclass

from cadwright.tools.sandbox.process import Process

ASK = signal.SIGUSR1
_ABORT = signal.SIGSYS  # what the system call filter makes of an abort
_WAIT_S = 0.5  # the answer takes milliseconds, unless the program does not want to give one
_MAX_BYTES = 64 << 10  # a hundred frames of the longest names there are
_MAX_SOURCE = 200

_MODEL_FRAME = re.compile(rb'File "(<model code[^"\n]*>)", line (\d{1,7}) in ')
# The runner's frames that call model code, and those that look at what it made.
_BELOW_MODEL = re.compile(rb"/runner\.py\", line \d+ in (_execute|_reply|run_on_meshes)\b")


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a program was.

    Attributes:
        line: Line of the step's code, or None when that is not known.
        source: That line, or "".
        is_over: The code had run to its end; the part that it made was being read.
    """

    line: int | None = None
    source: str = ""
    is_over: bool = False


UNKNOWN = Whereabouts()


def promise(link: socket.socket) -> None:
    """Have this process say on ``link`` where it is, when it is asked or dies of a signal."""
    fd = link.fileno()
    faulthandler.enable(fd, all_threads=False)
    faulthandler.register(ASK, fd, all_threads=False)
    faulthandler.register(_ABORT, fd, all_threads=False, chain=True)


def withdraw() -> None:
    """Take the promise back: nothing may come between a reply and its reader."""
    faulthandler.unregister(_ABORT)
    faulthandler.unregister(ASK)
    faulthandler.disable()


def ask(process: Process) -> bytes:
    """Ask a running step where it is; returns its words, none when it does not say."""
    with contextlib.suppress(OSError):
        signal.pidfd_send_signal(process.pidfd, ASK)
    return _read(process.link, time.monotonic() + _WAIT_S)


def left_by(process: Process) -> bytes:
    """Return the words of a step that has died."""
    return _read(process.link, time.monotonic())


def whereabouts(words: bytes, code: str) -> Whereabouts:
    """Find the line of ``code`` in the words of the step that ran it.

    Args:
        words: Frames as ``faulthandler`` writes them, innermost first, or anything else.
        code: What was sent to the step.
    """
    frames = _MODEL_FRAME.findall(words)
    if not frames:
        below = _BELOW_MODEL.search(words)
        return Whereabouts(is_over=below is not None and below[1] != b"_execute")
    step = frames[-1][0]  # a function of an earlier step may be running: who called it counts
    line = next(int(number) for file, number in frames if file == step)
    lines = code.splitlines()
    if not 1 <= line <= len(lines):
        return UNKNOWN
    return Whereabouts(line, lines[line - 1].strip()[:_MAX_SOURCE])


def _read(link: socket.socket, deadline: float) -> bytes:
    """Read until the frames are whole, the sender is gone, or time is up."""
    words = bytearray()
    with contextlib.suppress(OSError):  # a time-out among them
        while len(words) < _MAX_BYTES and _BELOW_MODEL.search(words) is None:
            link.settimeout(max(0.0, deadline - time.monotonic()))
            data = link.recv(_MAX_BYTES)
            if not data:
                break
            words += data
    return bytes(words)
