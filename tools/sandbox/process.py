"""A handle on one forked process: its link and a pidfd, which can never name another process."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass

KILL_WAIT_S = 10.0  # SIGKILL acts within milliseconds unless the machine is thrashing

DYING_S = 2.0  # a process that closed its link is dead within milliseconds, or stays to cheat


@dataclass(slots=True, eq=False)
class Process:
    """A process that the zygote or a session forked.

    Attributes:
        link: Socket to it.
        pidfd: Descriptor that becomes readable when it ends.
        pid: Its number as the main process sees it.
        uid: Its user as the kernel told, or None when nobody asked.
    """

    link: socket.socket
    pidfd: int
    pid: int
    uid: int | None = None

    @property
    def is_alive(self) -> bool:
        """It has not ended, or is not known to have."""
        return self.pidfd >= 0 and not _is_readable(self.pidfd, 0.0)

    def wait(self, timeout_s: float = DYING_S) -> bool:
        """Give it time to die of its own accord; True when it has."""
        return self.pidfd < 0 or _is_readable(self.pidfd, timeout_s)

    def kill(self) -> None:
        """Kill it and wait until it is dead (a zombie, until its parent collects it)."""
        self.doom()
        self.wait(KILL_WAIT_S)

    def doom(self) -> None:
        """Kill it without waiting: giving back its memory takes it some milliseconds."""
        if self.pidfd >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Let go of it; idempotent. A checkpoint ends by itself when its link is closed."""
        self.link.close()
        pidfd, self.pidfd = self.pidfd, -1
        if pidfd >= 0:
            os.close(pidfd)


def link_pair() -> tuple[socket.socket, socket.socket]:
    """Return (ours, theirs) of a fresh link."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)


def _is_readable(fd: int, timeout_s: float) -> bool:
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    end = time.monotonic() + timeout_s
    while True:
        left = max(0.0, end - time.monotonic())
        if poller.poll(left * 1000):
            return True
        if left <= 0:
            return False
