"""The loop of a worker: answer jobs one by one, in a confined process that runs our code only."""

from __future__ import annotations

import importlib
import socket
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cadwright.tools.errors import InfraError, Outcome, ToolError
from cadwright.tools.sandbox.protocol import Header, PeerClosed, recv_frame, send_frame

Job = Callable[[dict[str, Any], list[bytes]], tuple[dict[str, Any], Sequence[bytes]]]
Jobs = Mapping[str, Job]

MAX_JOB_BYTES = 1 << 30
_TRACEBACK_CHARS = 2000


def load(entry: str) -> Jobs:
    """Return the jobs of a module: its ``JOBS``, a function by name.

    The module is imported before the walls go up; what it imports inside its functions must be
    readable behind them.
    """
    jobs: Jobs = importlib.import_module(entry).JOBS
    return jobs


def serve(jobs: Jobs, link: socket.socket) -> None:
    """Answer until the main process hangs up."""
    while True:
        try:
            frame = recv_frame(link, max_bytes=MAX_JOB_BYTES)
        except PeerClosed:
            return
        header, blobs = answer(jobs, frame.header["job"], frame.header["header"], frame.blobs)
        send_frame(link, header, blobs)


def answer(
    jobs: Jobs, name: str, header: Header, blobs: list[bytes]
) -> tuple[Header, Sequence[bytes]]:
    """Do one job; an error becomes part of the answer."""
    try:
        reply, reply_blobs = jobs[name](header, blobs)
    except ToolError as err:
        return {"error": _tool_error(err)}, ()
    except BaseException as err:  # the main process raises it again, as a fault of ours
        text = "".join(traceback.format_exception(err))[-_TRACEBACK_CHARS:]
        return {"error": {"kind": "infra", "message": text}}, ()
    return {"reply": reply}, reply_blobs


def raise_error(error: Mapping[str, Any]) -> None:
    """Raise in the main process what a job raised in a worker."""
    if error.get("kind") != "tool":
        raise InfraError(f"a worker's job failed:\n{error.get('message')}")
    kind = _tool_errors().get(str(error["type"]), ToolError)
    raised = kind.__new__(kind)
    raised.args = (str(error["message"]),)
    raised.outcome = Outcome(error["outcome"])
    raise raised


def _tool_error(err: ToolError) -> Header:
    return {
        "kind": "tool",
        "type": type(err).__name__,
        "message": str(err),
        "outcome": str(err.outcome),
    }


def _tool_errors() -> dict[str, type[ToolError]]:
    """Every loaded subclass by name: a caller that catches one has loaded it."""
    found: dict[str, type[ToolError]] = {"ToolError": ToolError}
    waiting: list[type[ToolError]] = [ToolError]
    while waiting:
        children = waiting.pop().__subclasses__()
        waiting += children
        found |= {child.__name__: child for child in children}
    return found
