"""Run the driver as root and as an ordinary user, whichever the tests themselves run as."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
ORDINARY_UID = 31_415
IDENTITIES = ("root", "ordinary user")


class Box:
    """The tests' end of a driver."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.targets: dict[str, Any] = self.ask("targets")

    def ask(self, op: str, **arguments: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"op": op, **arguments}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the driver died at {op!r}"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()


def start(identity: str) -> Box:
    """Start a driver as root or as an ordinary user; skip where that or a wall is missing."""
    box = _start(identity)
    lacking = [each for each in box.ask("probe")["records"] if not each["available"]]
    if lacking:
        box.close()
        reasons = "; ".join(f"{each['name']}: {each['detail']}" for each in lacking)
        pytest.skip(f"as {identity}, this machine lacks {reasons}")
    return box


def _start(identity: str) -> Box:
    if identity == "root" and os.geteuid() != 0:
        pytest.skip("these tests do not run as root, and cannot become root")
    command = [sys.executable, str(HERE / "driver.py")]
    if identity == "ordinary user" and os.geteuid() == 0:
        command = [sys.executable, str(HERE / "identities.py"), str(ORDINARY_UID), *command]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    if identity == "ordinary user":
        environment |= {"HOME": "/tmp", "TMPDIR": "/tmp"}
    pipe = subprocess.PIPE
    return Box(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment))


def become(uid: int) -> None:
    """Turn root into an ordinary user who can reach the interpreter wherever root keeps it.

    Raises:
        OSError: A container refuses the mount namespace that this takes.
    """
    from cadwright.tools.sandbox import namespaces
    from cadwright.tools.sandbox.readable import readable_paths

    prefixes = [Path(sys.prefix), Path(sys.base_prefix), HERE.parents[2]]
    paths = {*readable_paths("worker").outermost, *(prefix.resolve() for prefix in prefixes)}
    planned = namespaces.curtains(sorted(paths))
    closed = [curtain for curtain in planned if not os.stat(curtain.folder).st_mode & 0o001]
    if any(curtain.shown for curtain in closed):
        namespaces.OwnMounts().draw([curtain for curtain in closed if curtain.shown])
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


if __name__ == "__main__":
    become(int(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])
