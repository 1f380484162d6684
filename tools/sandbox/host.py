"""What a sandbox owns on this machine: one zygote, a scratch folder, users for its children."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import threading
import time
import weakref
from dataclasses import dataclass
from pathlib import Path

from cadwright.tools.errors import InfraError
from cadwright.tools.sandbox import descriptors
from cadwright.tools.sandbox.confinement import Confinement
from cadwright.tools.sandbox.launch import Zygote, ZygoteDied
from cadwright.tools.sandbox.limits import Limits
from cadwright.tools.sandbox.process import Process
from cadwright.tools.sandbox.protocol import Header
from cadwright.tools.sandbox.spawn import Kind, Spawn

# Users that no machine gives out. A block for each main process: two sandboxes must not share
# a user, or their sessions could signal each other and would share one process count.
_FIRST_UID = 0x2000_0000
_NUM_UIDS = 0x5000_0000
_BLOCK = 4096
_slots = itertools.count()

# A mount of a session that has just died can hold its folder for a moment.
_REMOVALS = 50
_REMOVAL_PAUSE_S = 0.02


@dataclass(slots=True, eq=False, weakref_slot=True)
class Child:
    """A confined child of the zygote, with its scratch folder.

    Attributes:
        process: Handle on it.
        confinement: Walls that stand around it.
        scratch: Its private folder.
        zygote: Its parent.
        number: Its process number as the zygote knows it.
    """

    process: Process
    confinement: tuple[str, ...]
    scratch: Path
    zygote: Zygote
    number: int

    @property
    def has_namespace(self) -> bool:
        """All that descends from it dies with it."""
        return "pid_namespace" in self.confinement

    def status(self) -> Header:
        """Return how it ended: ``{"exit": n}``, ``{"signal": n}``, or {} when unknown."""
        return self.zygote.status(self.number)

    def end(self) -> None:
        """Kill it and remove its folder; idempotent."""
        self.process.kill()
        self.process.close()
        _remove(self.scratch)


class Host:
    """Starts the zygote when it is needed and again when it died; safe in several threads.

    Args:
        confinement: Walls of all children.
    """

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement
        self._lock = threading.RLock()  # a finalizer may run where the lock is held
        self._zygote: Zygote | None = None
        self._folder: Path | None = None
        self._children: weakref.WeakSet[Child] = weakref.WeakSet()
        self._owner = os.getpid()
        self._is_closed = False

    @property
    def zygote_pid(self) -> int | None:
        """Process number of the zygote, or None while there is none."""
        return None if self._zygote is None else self._zygote.pid

    def spawn(self, kind: Kind, limits: Limits, *, seed: int = 0, entry: str = "") -> Child:
        """Fork a confined child.

        Raises:
            InfraError: The sandbox is closed, or the machinery fails.
        """
        try:
            try:
                return self._fork(kind, limits, seed, entry)
            except ZygoteDied:  # since it was last looked at
                return self._fork(kind, limits, seed, entry)
        except OSError as err:  # out of descriptors, out of disk
            raise InfraError(descriptors.told(err)) from err

    def close(self) -> None:
        """End all children and the zygote, and remove the folder; idempotent."""
        with self._lock:
            self._is_closed = True
            zygote, self._zygote = self._zygote, None
            folder, self._folder = self._folder, None
        if os.getpid() != self._owner:  # a fork of the main process owns nothing
            return
        if zygote is not None:
            zygote.close()
        for child in list(self._children):
            child.end()
        if folder is not None:
            _remove(folder)

    def _fork(self, kind: Kind, limits: Limits, seed: int, entry: str) -> Child:
        zygote, scratch = self._prepare()
        spawn = Spawn(
            kind=kind, limits=limits, scratch=scratch, uid=_next_uid(), seed=seed, entry=entry
        )
        try:
            process, confinement, number = zygote.fork(spawn)
        except BaseException:
            _remove(scratch)
            raise
        child = Child(process, confinement, scratch, zygote, number)
        self._children.add(child)
        return child

    def _prepare(self) -> tuple[Zygote, Path]:
        """Return a living zygote and a fresh scratch folder."""
        with self._lock:
            if self._is_closed:
                raise InfraError("the sandbox is closed")
            if os.getpid() != self._owner:
                raise InfraError("a sandbox does not survive a fork: make one in each process")
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="cadwright-"))
                self._folder.chmod(0o711)  # a session's own user must get through, not look
            if self._zygote is None or not self._zygote.is_alive:
                if self._zygote is not None:
                    self._zygote.close()
                descriptors.raise_limit()
                self._zygote = Zygote(self._confinement, self._folder)
            return self._zygote, Path(tempfile.mkdtemp(dir=self._folder))


def _next_uid() -> int | None:
    """Return a user for a child when we are root."""
    if os.geteuid() != 0:
        return None
    slot = os.getpid() * _BLOCK + next(_slots) % _BLOCK
    return _FIRST_UID + slot % _NUM_UIDS


def _remove(folder: Path) -> None:
    """Remove a folder in which model code may have made anything; idempotent."""
    for _ in range(_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        _unlock(folder)
        time.sleep(_REMOVAL_PAUSE_S)


def _unlock(folder: Path) -> None:
    """Give ourselves the right to remove what is below ``folder``, without following links."""
    for parent, folders, _ in os.walk(folder):
        for name in folders:
            path = os.path.join(parent, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)
