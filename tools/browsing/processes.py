"""The process tree behind a browser, read from /proc: to end it for sure, and to prove that."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """Return the living processes below ``pid``, parents before children."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (parent := _parent(entry)) is not None:
            children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    front = [pid]
    while front:
        front = [child for parent in front for child in children.get(parent, [])]
        found += front
    return found


def is_running(pid: int) -> bool:
    """Return whether a process lives; a zombie does not."""
    return _parent(Path(f"/proc/{pid}")) is not None


def kill_all(pids: list[int]) -> None:
    """Kill processes, children first; one that is gone already is no fault."""
    for pid in reversed(pids):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def memory_mb(pids: list[int]) -> float:
    """Return the proportional memory of processes in MB; 0 for those that are gone."""
    total_kb = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total_kb += int(line.split()[1])
    return total_kb / 1024


def _parent(entry: Path) -> int | None:
    try:
        # the name in brackets may hold spaces and brackets of its own
        after = (entry / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    state, parent = after[0], int(after[1])
    return None if state == "Z" else parent
