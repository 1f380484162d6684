"""The render worker: one process with one renderer, which answers requests until its client goes.

Run as ``python -m cadwright.tools.rendering.worker SOCKET_FD MAIN_PIDFD BACKEND [GL_DEVICE]``. It
parses geometry that a model made, so once its renderer stands it gives up what it does not need:
files, the network, signals to others, new privileges. It dies with the main process.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import threading
from pathlib import Path

from cadwright.tools.errors import CadwrightError, ToolError
from cadwright.tools.rendering.backends import make_renderer
from cadwright.tools.rendering.frame import Renderer, RenderFailure
from cadwright.tools.rendering.jobs import Studio
from cadwright.tools.rendering.wire import Message
from cadwright.tools.sandbox import landlock, privileges
from cadwright.tools.sandbox.protocol import Frame, PeerClosed, recv_frame, send_frame
from cadwright.tools.sandbox.readable import readable_paths

MAX_REQUEST_BYTES = 512 << 20
NOWHERE = Path("/nonexistent")  # a worker writes no file


def main(arguments: list[str]) -> int:
    """Serve one client; returns the exit status."""
    link_fd, main_pidfd, backend, *rest = arguments
    threading.Thread(target=_die_with, args=(int(main_pidfd),), daemon=True).start()
    link = socket.socket(fileno=int(link_fd))
    with link:
        try:
            renderer = make_renderer(backend, gl_device=int(rest[0]) if rest else None)
        except CadwrightError as error:
            send_frame(link, {"failure": str(error)})
            return 1
        walls = confine(renderer)
        send_frame(
            link, {"backend": renderer.name, "device": renderer.device, "walls": list(walls)}
        )
        _serve(link, Studio(renderer))
        renderer.close()
    return 0


def confine(renderer: Renderer) -> tuple[str, ...]:
    """Put up the walls that a process with a renderer can stand; returns their names.

    Threads of the driver exist already and namespaces refuse a process with threads. A hardware
    driver opens devices whenever it likes, so Landlock is for software rendering only.
    """
    walls: list[str] = []
    try:
        walls += privileges.forbid_new_privileges()
        if _is_software(renderer.device):
            walls += landlock.restrict(readable_paths("worker"), NOWHERE)
    except OSError:
        return tuple(walls)  # an old kernel: doctor tells about it
    return tuple(walls)


def _is_software(device: str) -> bool:
    return any(name in device.lower() for name in ("llvmpipe", "softpipe", "embree", "swrast"))


def _serve(link: socket.socket, studio: Studio) -> None:
    while True:
        try:
            request = recv_frame(link, None, MAX_REQUEST_BYTES)
            header, blobs = _answer(studio, request)
            send_frame(link, header, blobs)
        except PeerClosed:
            return


def _answer(studio: Studio, request: Frame) -> Message:
    try:
        return studio.answer(request.header, request.blobs)
    except ToolError as error:
        return {"error": str(error), "outcome": str(error.outcome)}, []
    except RenderFailure as error:
        return {"failure": str(error)}, []


def _die_with(main_pidfd: int) -> None:
    """End this process when the main process ends, whatever the driver is doing."""
    poll = select.poll()
    poll.register(main_pidfd, select.POLLIN)
    poll.poll()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
