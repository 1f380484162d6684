"""Jobs of a worker that exists for the tests only."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cadwright.tools.errors import GeometryError, Outcome

Header = dict[str, Any]
Answer = tuple[Header, Sequence[bytes]]


class OddShape(GeometryError):
    """A subclass with another signature than its parents."""

    def __init__(self, message: str, *, sides: int) -> None:
        super().__init__(f"{message}: {sides} sides", Outcome.NOT_A_SOLID)


def echo(header: Header, blobs: list[bytes]) -> Answer:
    return header, blobs


def pid(header: Header, blobs: list[bytes]) -> Answer:
    return {"pid": os.getpid()}, ()


def hang(header: Header, blobs: list[bytes]) -> Answer:
    while True:
        time.sleep(1)


def crash(header: Header, blobs: list[bytes]) -> Answer:
    ctypes.string_at(0)
    return {}, ()


def refuse(header: Header, blobs: list[bytes]) -> Answer:
    raise OddShape("cannot measure", sides=5)


def fail(header: Header, blobs: list[bytes]) -> Answer:
    raise ZeroDivisionError("a fault of ours")


def write(header: Header, blobs: list[bytes]) -> Answer:
    Path(header["path"]).write_text("escaped", encoding="utf-8")
    return {}, ()


def leave_child(header: Header, blobs: list[bytes]) -> Answer:
    child = os.fork()
    if child == 0:
        time.sleep(600)
        os._exit(0)
    return {"pid": child}, ()


JOBS = {
    function.__name__: function
    for function in (echo, pid, hang, crash, refuse, fail, write, leave_child)
}
