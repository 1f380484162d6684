"""Watch the memory of many processes together, which no limit of the kernel's counts for us.

``RLIMIT_AS`` holds each process; a step that forks could still take the limit many times over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

INTERVAL_S = 0.1  # a process fills some 300 MB in this time


class MemoryWatch:
    """Compares what processes have added since they were forked with what they may add together.

    Args:
        pids: Tells the processes to count, the step itself first.
        allowance_bytes: How much they may add together.
    """

    def __init__(self, pids: Callable[[], Iterable[int]], allowance_bytes: int) -> None:
        self._pids = pids
        self._allowance = allowance_bytes
        self._inherited = written_bytes(next(iter(pids())))
        self._next = time.monotonic() + INTERVAL_S

    def is_over(self) -> bool:
        """They hold too much; looks every ``INTERVAL_S`` only, however often it is asked."""
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + INTERVAL_S
        added = (max(0, written_bytes(pid) - self._inherited) for pid in self._pids())
        return sum(added) > self._allowance


def written_bytes(pid: int) -> int:
    """Return the memory a process holds that no file backs; 0 when it is gone.

    Pages shared with a parent since the fork count for both.
    """
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    lines = (line.split() for line in text.splitlines())
    return sum(int(line[1]) << 10 for line in lines if line[0] in ("RssAnon:", "RssShmem:"))
