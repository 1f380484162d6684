"""Fork processes with a chosen parent, and tie their lives together.

A checkpoint forks its successor as its *sibling*: every process of a session is a child of the
session's root, which never runs model code. So a checkpoint in the middle can be dropped, exit
statuses come from a process that can be believed, and orphans have one place to go.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
from collections.abc import Iterable

from cadwright.tools.sandbox import kernel

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
CLONE_PARENT = 0x0000_8000
CLONE_NEWPID = 0x2000_0000

_NR_CLONE = {"x86_64": 56, "aarch64": 220}
# PyDLL keeps the interpreter lock: the child must not have to take it again.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def fork_sibling() -> int:
    """Fork, like ``os.fork``, a child whose parent is this process's own parent."""
    return _clone(CLONE_PARENT)


def fork_namespace() -> int:
    """Fork, like ``os.fork``, the first process of a new process namespace.

    The kernel kills all that descends from it, however daemonised, when it dies, and nothing in
    the namespace can signal it or anything outside.

    Raises:
        OSError: The kernel or a container refuses.
    """
    return _clone(CLONE_NEWPID)


def die_with_parent() -> None:
    """Be killed when the parent dies; a change of user forgets this, so call it after one."""
    kernel.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own."""
    kernel.prctl(PR_SET_CHILD_SUBREAPER, 1)


def close_all_but(keep: Iterable[int]) -> None:
    """Close every descriptor above standard error that is not in ``keep``."""
    low = 3
    for fd in sorted(keep):
        os.closerange(low, fd)
        low = max(low, fd + 1)
    os.closerange(low, 1 << 20)


def silence(fds: Iterable[int]) -> None:
    """Point descriptors at nothing: reads end, writes vanish."""
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for fd in fds:
        os.dup2(nothing, fd)
    os.close(nothing)


def reap_one() -> tuple[int, int] | None:
    """Collect one dead child: its pid and wait status, or None when there is none."""
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return (pid, status) if pid else None


def exit_status(status: int) -> dict[str, int]:
    """Return a wait status as ``{"exit": code}`` or ``{"signal": number}``."""
    if os.WIFSIGNALED(status):
        return {"signal": os.WTERMSIG(status)}
    return {"exit": os.WEXITSTATUS(status)}


def _clone(flags: int) -> int:
    """Fork with clone flags that ``os.fork`` cannot pass.

    The C library's own fork also resets locks of other threads: there are none, for the callers
    are single-threaded. It caches the thread id as well, which it uses in recursive locks only.
    """
    number = _NR_CLONE.get(platform.machine())
    if number is None:
        raise OSError(errno.ENOSYS, f"no clone number known for {platform.machine()}")
    ctypes.pythonapi.PyOS_BeforeFork()
    arguments = (number, flags | signal.SIGCHLD, 0, 0, 0, 0)
    pid = int(_libc.syscall(*(ctypes.c_long(argument) for argument in arguments)))
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return 0
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    if pid < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return pid
