"""Find and kill what a session left running.

The root of a session adopts every orphan below it and never runs model code, so whatever belongs
to the session descends from the root, however it was daemonised.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Set
from pathlib import Path

DYING_S = 10.0
_PAUSE_S = 0.002


def kill_strays(root: int, known: Set[int], busy: Set[int] = frozenset()) -> bool:
    """Kill descendants of ``root`` that nobody vouches for, until none is left.

    All are stopped before the first is killed: under the process limit, a dead one makes room for
    a child of the next. Killed processes stay as zombies until the root collects them; these do
    not count.

    Args:
        root: Process that adopts the orphans.
        known: Processes that belong: checkpoints, and running steps.
        busy: Those of them that are running a step, whose children are their own affair.

    Returns:
        False when they breed faster than they die.
    """
    stopped: set[int] = set()
    deadline = time.monotonic() + DYING_S
    while living := dict(strays(root, known, busy)):
        if time.monotonic() > deadline:
            return False
        running = living.keys() - stopped
        for pid in running or living:
            _signal(pid, signal.SIGSTOP if running else signal.SIGKILL, {living[pid], root})
        stopped |= running
        time.sleep(0 if running else _PAUSE_S)  # to die takes a moment for each page held
    return True


def strays(root: int, known: Set[int], busy: Set[int] = frozenset()) -> list[tuple[int, int]]:
    """Return (process, parent) of each living descendant nobody vouches for.

    The arguments are those of ``kill_strays``.
    """
    found: list[tuple[int, int]] = []
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        for pid in children_of(parent):
            if pid not in known and _is_living(pid):
                found.append((pid, parent))
            if pid not in busy:
                waiting.append(pid)
    return found


def tree(root: int) -> list[int]:
    """Return a process and all its descendants, itself first."""
    found = [root]
    for pid in found:
        found += children_of(pid)
    return found


def children_of(pid: int) -> list[int]:
    """Return the children of a process, zombies included; none when it is gone."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
        lists = [Path(f"/proc/{pid}/task/{thread}/children") for thread in threads]
        return [int(child) for path in lists for child in path.read_text("ascii").split()]
    except ProcessLookupError:
        return []
    except FileNotFoundError:
        return _children_by_scan(pid) if Path(f"/proc/{pid}").exists() else []


def num_threads(pid: int) -> int:
    """Return how many threads a process has, 0 when it is gone."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _signal(pid: int, number: signal.Signals, parents: Set[int]) -> None:
    """Signal through a pidfd while the parent is as expected: a recycled number is spared."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if _parent_and_state(pid)[0] in parents:
            signal.pidfd_send_signal(pidfd, number)
    except ProcessLookupError:
        return
    finally:
        os.close(pidfd)


def _children_by_scan(parent: int) -> list[int]:
    """Look through all processes: kernels without CONFIG_PROC_CHILDREN."""
    numbers = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [pid for pid in numbers if _parent_and_state(pid)[0] == parent]


def _is_living(pid: int) -> bool:
    return _parent_and_state(pid)[1] not in ("Z", "X", "")


def _parent_and_state(pid: int) -> tuple[int, str]:
    try:
        line = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return (0, "")
    state, parent = line.rpartition(")")[2].split()[:2]  # the name may hold spaces and brackets
    return (int(parent), state)
