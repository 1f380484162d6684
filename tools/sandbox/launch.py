"""Start the zygote, ask it for processes, and start another one when it dies."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from cadwright.tools.errors import DependencyError, InfraError
from cadwright.tools.sandbox import descriptors
from cadwright.tools.sandbox.confinement import Confinement, ConfinementError
from cadwright.tools.sandbox.process import Process, link_pair
from cadwright.tools.sandbox.protocol import (
    Header,
    PeerClosed,
    ProtocolError,
    ask_for_credentials,
    recv_frame,
    send_frame,
)
from cadwright.tools.sandbox.spawn import Spawn, confinement_to_header

START_S = 120.0  # a cold import from a slow disk on a loaded machine
ANSWER_S = 60.0

# One thread for every numeric library: the zygote must be single-threaded to fork. A fixed hash
# seed, so that the same program iterates over the same set in the same order every time.
_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONNOUSERSITE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
}
_INHERITED = ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "FONTCONFIG_PATH", "TZ")


class ZygoteDied(InfraError):
    """The zygote ended while it was asked for a process."""


class Zygote:
    """The main process's end of one zygote; safe to use from several threads.

    Args:
        confinement: Walls of every child.
        folder: Scratch of all children; the zygote removes it should this process be killed.

    Raises:
        InfraError: It does not start.
        DependencyError: CadQuery is not installed.
    """

    def __init__(self, confinement: Confinement, folder: Path) -> None:
        self._lock = threading.Lock()
        self._control, theirs = link_pair()
        main_pidfd = os.pidfd_open(os.getpid())
        with tempfile.TemporaryFile() as errors:
            command = [sys.executable, "-P", "-m", "cadwright.tools.sandbox.zygote"]
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno()), str(main_pidfd)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=_environment(),
                cwd="/",
                pass_fds=(theirs.fileno(), main_pidfd),
                start_new_session=True,  # Ctrl-C in the terminal is for the main process
            )
            theirs.close()
            os.close(main_pidfd)
            try:
                asked = confinement_to_header(confinement) | {"folder": str(folder)}
                send_frame(self._control, asked)
                recv_frame(self._control, time.monotonic() + START_S)
            except ProtocolError as err:
                self.close()
                raise _start_error(err, _tail(errors.fileno())) from err

    @property
    def pid(self) -> int:
        """Process number of the zygote."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """It has not ended."""
        return self._process.poll() is None

    def has_ended(self, timeout_s: float) -> bool:
        """Wait a moment for it to end; True when it has."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def fork(self, spawn: Spawn) -> tuple[Process, tuple[str, ...], int]:
        """Fork one child and wait until it is confined.

        Returns:
            The process, the walls that stand around it, and its number for ``status``.

        Raises:
            ZygoteDied: It ended before the child was ready.
            ConfinementError: A wall that ``strict`` asks for cannot stand.
            InfraError: The child did not get ready.
        """
        ours, theirs = link_pair()
        ask_for_credentials(ours)
        with theirs:
            try:
                answer, pidfd = self._ask_fork(spawn, theirs.fileno())
            except BaseException:
                ours.close()
                raise
        try:
            process = Process(ours, pidfd, _pid_of(pidfd))
        except BaseException:
            ours.close()
            os.close(pidfd)
            raise
        try:
            frame = recv_frame(ours, time.monotonic() + ANSWER_S)
        except ProtocolError as err:
            process.kill()
            process.close()
            kind = ZygoteDied if self.has_ended(0.0) else InfraError
            raise kind(f"a forked process did not get ready: {err}") from err
        if frame.header["op"] != "ready":
            process.kill()
            process.close()
            raise ConfinementError(str(frame.header["message"]))
        process.uid = frame.uid
        return process, tuple(frame.header["confinement"]), int(answer["pid"])

    def status(self, pid: int) -> Header:
        """Return ``{"exit": n}`` or ``{"signal": n}`` of an ended child, or {}."""
        with self._lock:
            try:
                send_frame(self._control, {"op": "status", "pid": pid})
                return recv_frame(self._control, time.monotonic() + ANSWER_S).header
            except ProtocolError:
                return {}

    def close(self) -> None:
        """End the zygote and with it all its children; idempotent."""
        self._control.close()
        self._process.kill()
        self._process.wait()

    def _ask_fork(self, spawn: Spawn, link_fd: int) -> tuple[Header, int]:
        with self._lock:
            try:
                send_frame(self._control, spawn.to_header(), fds=[link_fd])
                frame = recv_frame(self._control, time.monotonic() + ANSWER_S, max_fds=1)
            except ProtocolError as err:
                self._process.kill()  # it can not be of use any more
                self._process.wait()
                raise ZygoteDied(f"the zygote died: {err}") from err
        if "error" in frame.header:
            raise InfraError(str(frame.header["error"]))
        if not frame.fds:  # the kernel drops the descriptor that there is no room for
            raise descriptors.spent()
        return frame.header, frame.fds[0]


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return kept | _ENVIRONMENT


def _pid_of(pidfd: int) -> int:
    """Return the process number as this process sees it (the zygote's may differ)."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text(encoding="ascii").splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    raise InfraError("this kernel does not tell the process behind a pidfd")


def _tail(fd: int) -> str:
    size = os.fstat(fd).st_size
    return os.pread(fd, 2000, max(0, size - 2000)).decode(errors="replace").strip()


def _start_error(err: ProtocolError, stderr: str) -> InfraError | DependencyError:
    if "No module named 'cadquery'" in stderr or "No module named 'OCP'" in stderr:
        return DependencyError("cadquery is not installed; run: pip install cadquery")
    reason = "it ended" if isinstance(err, PeerClosed) else str(err)
    return InfraError(f"the zygote did not start: {reason}\n{stderr}")
