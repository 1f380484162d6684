"""The main process's handle on one render worker: start it, ask it, end it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any, BinaryIO

from cadwright.tools.errors import WorkerCrash, WorkerTimeout
from cadwright.tools.rendering.backends import gl_environment
from cadwright.tools.rendering.frame import RenderFailure
from cadwright.tools.sandbox.protocol import (
    DeadlineExceeded,
    Frame,
    ProtocolError,
    recv_frame,
    send_frame,
)

START_S = 60.0  # a cold driver from a slow disk on a loaded machine
MAX_ANSWER_BYTES = 512 << 20
STDERR_TAIL_BYTES = 2000


class WorkerProcess:
    """One worker, started now.

    Args:
        backend: ``moderngl``, ``pyrender``, ``raycast`` or the fallback's label.
        gl_device: EGL device, or None.

    Raises:
        RenderFailure: The worker says that its backend cannot draw.
        WorkerCrash: It died while starting.
        WorkerTimeout: It did not get ready.
    """

    def __init__(self, backend: str, gl_device: int | None) -> None:
        self._owner = os.getpid()
        self._link, theirs = socket.socketpair()
        main_pidfd = os.pidfd_open(os.getpid())
        self._errors: BinaryIO = tempfile.TemporaryFile()
        command = [sys.executable, "-P", "-m", "cadwright.tools.rendering.worker"]
        command += [str(theirs.fileno()), str(main_pidfd), backend]
        command += [] if gl_device is None else [str(gl_device)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=gl_environment(),
                pass_fds=(theirs.fileno(), main_pidfd),
                start_new_session=True,  # Ctrl-C in the terminal is for the main process
            )
        except BaseException:
            self._link.close()
            self._errors.close()
            raise
        finally:
            theirs.close()
            os.close(main_pidfd)
        self._greet()

    def _greet(self) -> None:
        try:
            ready = self._receive(START_S).header
            if "failure" in ready:
                raise RenderFailure(str(ready["failure"]))
        except BaseException:
            self.close()
            raise
        self.backend = str(ready["backend"])
        self.device = str(ready["device"])
        self.walls = tuple(str(wall) for wall in ready["walls"])

    @property
    def pid(self) -> int:
        """Process number."""
        return self._process.pid

    @property
    def is_ours(self) -> bool:
        """Whether this process started it; a fork of that process must not use it."""
        return self._owner == os.getpid()

    def ask(
        self, header: dict[str, Any], blobs: Sequence[bytes | memoryview], timeout_s: float
    ) -> Frame:
        """Send one request and wait for its answer.

        Raises:
            WorkerTimeout: No answer in time; the worker must be closed.
            WorkerCrash: The worker died.
        """
        deadline = time.monotonic() + timeout_s
        try:
            send_frame(self._link, header, blobs, deadline=deadline)
        except DeadlineExceeded as err:
            raise WorkerTimeout(f"the render worker did not read within {timeout_s:g} s") from err
        except ProtocolError as err:
            raise WorkerCrash(f"the render worker is gone{self._last_words()}") from err
        return self._receive(timeout_s)

    def _receive(self, timeout_s: float) -> Frame:
        try:
            return recv_frame(self._link, time.monotonic() + timeout_s, MAX_ANSWER_BYTES)
        except DeadlineExceeded as err:
            raise WorkerTimeout(f"the render worker gave no picture in {timeout_s:g} s") from err
        except ProtocolError as err:
            raise WorkerCrash(f"the render worker died{self._last_words()}") from err

    def _last_words(self) -> str:
        size = os.fstat(self._errors.fileno()).st_size
        start = max(0, size - STDERR_TAIL_BYTES)
        text = os.pread(self._errors.fileno(), STDERR_TAIL_BYTES, start)
        lines = text.decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def close(self) -> None:
        """End the worker and free its descriptors; idempotent."""
        self._link.close()
        if self.is_ours:
            self._process.kill()
            self._process.wait()
        self._errors.close()
