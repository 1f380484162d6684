"""A process that attacks are launched from, as root or as an ordinary user.

It answers JSON lines on standard input with JSON lines on standard output. The tests hold one for
each identity (see ``identities.py``), so that processes, descriptors and folders left behind can
be counted around it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import io
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from cadwright.tools.sandbox import kernel, landlock, namespaces, seccomp
from cadwright.tools.sandbox.capabilities import probe
from cadwright.tools.sandbox.confinement import Confinement, apply, prepare
from cadwright.tools.sandbox.limits import Limits

UID = 2_100_000_000
SECRET = "the hidden reference"
Answer = dict[str, Any]


class Driver:
    """Holds what an attacker is after, and runs attacks."""

    def __init__(self) -> None:
        tempfile.tempdir = tempfile.mkdtemp(prefix="cadwright-driver-")
        os.chmod(tempfile.tempdir, 0o755)  # only the sandbox stands before what is in it
        self.confinement = prepare(Confinement())
        self.folder = Path(tempfile.mkdtemp(prefix="held-"))
        self.secret = self.folder / "reference.step"
        self.secret.write_text(SECRET)
        self.folder.chmod(0o755)
        self.listeners = _Listeners(self.folder)
        self.sandbox: Any = None
        self.sessions: dict[str, Any] = {}

    def answer(self, request: Answer) -> Answer:
        return getattr(self, f"do_{request.pop('op')}")(**request)

    def do_targets(self) -> Answer:
        """Name what is worth attacking."""
        return {
            "uid": os.geteuid(),
            "pid": os.getpid(),
            "folder": str(self.folder),
            "secret": str(self.secret),
            **self.listeners.names,
        }

    def do_contain(
        self,
        code: str,
        limits: Answer | None = None,
        timeout_s: float = 20.0,
        without: Sequence[str] = (),
        strict: bool = False,
    ) -> Answer:
        """Run code behind the walls alone: a fork, ``apply`` and nothing else.

        The kernel is made to lack what ``without`` names.
        """
        with tempfile.TemporaryDirectory() as scratch:
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.setsid()
                os.close(read)
                _break(without)
                confinement = Confinement() if without else self.confinement
                confinement = dataclasses.replace(confinement, strict=strict)
                _be_contained(confinement, code, Limits(**(limits or {})), Path(scratch), write)
            os.close(write)
            text, timed_out = _read_all(read, timeout_s, pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            left = os.listdir(scratch)
        signal_number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        return {"text": text, "signal": signal_number, "timed_out": timed_out, "left": left}

    def do_probe(self) -> Answer:
        """Probe the machine, and say whether that changed this process."""
        before = _self_portrait()
        records = [dataclasses.asdict(record) for record in probe()]
        return {"records": records, "is_unchanged": before == _self_portrait()}

    def do_heard(self) -> Answer:
        """Say which listeners somebody reached."""
        return {"heard": self.listeners.heard()}

    def do_start(self, limits: Answer | None = None) -> Answer:
        """Start the real sandbox."""
        from cadwright.tools.sandbox import Sandbox

        os.environ["CADWRIGHT_TEST_TOKEN"] = "for the main process only"
        self.sandbox = Sandbox(limits=Limits(**(limits or {})))
        self.sandbox.__enter__()
        return {}

    def do_open(self, name: str) -> Answer:
        """Open a session."""
        self.sessions[name] = self.sandbox.session()
        return {}

    def do_execute(self, name: str, code: str, timeout_s: float | None = None) -> Answer:
        """Execute one step."""
        started = time.monotonic()
        result = self.sessions[name].execute(code, timeout_s=timeout_s)
        error = result.error
        return {
            "outcome": str(result.outcome),
            "text": result.text,
            "error": f"{error.type}: {error.message}" if error is not None else "",
            "signal": result.signal,
            "walls": list(result.confinement),
            "seconds": time.monotonic() - started,
        }

    def do_run(self, code: str) -> Answer:
        """Run one program in a process of its own."""
        result = self.sandbox.run(code)
        return {"outcome": str(result.outcome), "text": result.text, "error": str(result.error)}

    def do_close(self, name: str) -> Answer:
        """Close one session."""
        self.sessions.pop(name).close()
        return {}

    def do_stop(self) -> Answer:
        """Close the sandbox."""
        for name in list(self.sessions):
            self.do_close(name)
        if self.sandbox is not None:
            self.sandbox.__exit__(None, None, None)
            self.sandbox = None
        return {}

    def do_counts(self) -> Answer:
        """Count what could be left behind: processes, descriptors, temporary folders."""
        return {
            "processes": len(_descendants(os.getpid())),
            "fds": len(os.listdir("/proc/self/fd")),
            "folders": len(os.listdir(tempfile.gettempdir())),
        }


def _be_contained(
    confinement: Confinement, code: str, limits: Limits, scratch: Path, write: int
) -> NoReturn:
    out = io.TextIOWrapper(io.FileIO(write, "wb"), write_through=True)  # type: ignore[type-var]
    try:
        names = apply(confinement, limits, scratch, UID if os.geteuid() == 0 else None)
        with contextlib.redirect_stdout(out):
            exec(compile(code, "<attack>", "exec"), {"WALLS": names})
    except BaseException:  # whatever an attack ends with
        out.write(traceback.format_exc())
    os._exit(0)


def _break(without: Sequence[str]) -> None:
    """Behave as on a machine that lacks something; in a child that will end.

    Root enters a mount namespace first: should confinement ever mount what it must not, the
    machine that runs the tests does not pay for it.
    """
    if without and namespaces.may_make_namespaces():
        namespaces.OwnMounts()
    if "namespaces" in without:
        kernel.unshare = _refuse
    if "landlock" in without:
        landlock.abi = lambda: 0
    if "seccomp" in without:
        seccomp.install = _refuse


def _refuse(*_: object) -> NoReturn:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


class _Listeners:
    """Sockets that nobody in a sandbox may reach."""

    def __init__(self, folder: Path) -> None:
        abstract = f"\0cadwright-{os.getpid()}"
        path = str(folder / "listener")
        self._sockets = {
            "tcp": _bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": _bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "unix": _bound(socket.AF_UNIX, socket.SOCK_STREAM, path),
            "datagram": _bound(socket.AF_UNIX, socket.SOCK_DGRAM, path + "-datagram"),
            "abstract": _bound(socket.AF_UNIX, socket.SOCK_STREAM, abstract),
        }
        os.chmod(path, 0o777)
        os.chmod(path + "-datagram", 0o777)
        self.names = {name: each.getsockname() for name, each in self._sockets.items()}
        self.names["abstract"] = abstract

    def heard(self) -> list[str]:
        ready, _, _ = select.select(list(self._sockets.values()), [], [], 0)
        return [name for name, each in self._sockets.items() if each in ready]


def _self_portrait() -> tuple[object, ...]:
    spaces = [os.readlink(f"/proc/self/ns/{name}") for name in ("mnt", "net", "user", "ipc")]
    mounts = Path("/proc/self/mounts").read_text()
    return (os.getresuid(), spaces, mounts, os.listdir(tempfile.gettempdir()))


def _bound(family: int, kind: int, address: Any) -> socket.socket:
    sock = socket.socket(family, kind)
    sock.bind(address)
    if kind == socket.SOCK_STREAM:
        sock.listen()
    return sock


def _read_all(read: int, timeout_s: float, pid: int) -> tuple[str, bool]:
    deadline = time.monotonic() + timeout_s
    data = b""
    with open(read, "rb", buffering=0) as pipe:
        while True:
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                os.kill(pid, signal.SIGKILL)
                return data.decode(errors="replace"), True
            chunk = pipe.read(1 << 16)
            if not chunk:
                return data.decode(errors="replace"), False
            data = (data + chunk)[-(1 << 20) :]


def _descendants(root: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
                parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def main() -> None:
    driver = Driver()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nothing but answers may reach the tests
    for line in sys.stdin:
        out.write(json.dumps(driver.answer(json.loads(line))) + "\n")
        out.flush()
    driver.do_stop()
    shutil.rmtree(tempfile.gettempdir())


if __name__ == "__main__":
    main()
