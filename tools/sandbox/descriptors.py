"""Descriptors of the main process: each live session holds two, and two more per checkpoint.

The usual soft limit of 1,024 is there for programs that call ``select``; nothing here does. A
process may raise it as far as the hard one by itself.
"""

from __future__ import annotations

import errno
import resource
from contextlib import suppress

from cadwright.tools.errors import InfraError

_WANTED = 1 << 16  # far more sessions than a machine runs; a few programs walk up to the limit


def raise_limit() -> None:
    """Let this process open as many files as it may, up to 65,536."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with suppress(OSError, ValueError):  # as few as before will do, for fewer sessions
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def is_spent(error: OSError) -> bool:
    """Whether the error says that no further file can be opened."""
    return error.errno in (errno.EMFILE, errno.ENFILE)


def spent() -> InfraError:
    """Return what to tell who has opened all the files there may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return InfraError(
        f"all {soft} files that this process may open are in use, and each live session holds two"
        f" and two more for each step that it can undo: close sessions, keep fewer checkpoints, or"
        f" raise `ulimit -n` (its hard limit is {hard})"
    )


def told(error: Exception) -> str:
    """Return an error of the machinery in words."""
    return str(spent() if isinstance(error, OSError) and is_spent(error) else error)
