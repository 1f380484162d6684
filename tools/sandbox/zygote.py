"""The zygote: a process that imports CadQuery once and forks sessions and workers.

``python -m cadwright.tools.sandbox.zygote CONTROL_FD MAIN_PIDFD`` is started by ``launch.py``. It
stays single-threaded, touches no GL, never runs model code, and ends when the main process does.
The first frame carries the confinement; after that it answers one request at a time:

    {"op": "fork", ...} + link       fork a child (see ``spawn.py``) that speaks over ``link``
    {"op": "status", "pid": ...}     how a child of the zygote ended
"""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import socket
import sys
import threading
from collections import OrderedDict
from dataclasses import replace
from typing import NoReturn

from cadwright.tools.sandbox import confinement as walls
from cadwright.tools.sandbox import forking, memory
from cadwright.tools.sandbox.confinement import Confinement
from cadwright.tools.sandbox.lazy_imports import deferring
from cadwright.tools.sandbox.protocol import PeerClosed, recv_frame, send_frame
from cadwright.tools.sandbox.spawn import Spawn, confinement_from_header

_REMEMBERED = 4096  # exit statuses that nobody has asked for yet
_LINK_FD = 3

_WARM_UP = """
import cadquery as cq
plate = cq.Workplane().box(20, 20, 4).edges("|Z").fillet(1).faces(">Z").workplane()
plate = plate.rect(10, 10, forConstruction=True).vertices().cboreHole(1, 2, 1)
result = plate.union(cq.Workplane().cylinder(6, 3)).faces(">Z").edges().chamfer(0.1)
result.val().tessellate(0.1, 0.3)
result = result.val()
"""


_ADDR_NO_RANDOMIZE = 0x0040000
_ASK_PERSONALITY = ctypes.c_ulong(0xFFFFFFFF)


class Zygote:
    """The request loop.

    Args:
        control: Link to the main process.
        main_pidfd: Becomes readable when the main process dies, whichever of its threads
            started us (a parent-death signal would follow that thread instead).
        confinement: The walls of every child, as far as they stand already.
    """

    def __init__(self, control: socket.socket, main_pidfd: int, confinement: Confinement) -> None:
        self._control = control
        self._main_pidfd = main_pidfd
        self._confinement = confinement
        self._ended: OrderedDict[int, int] = OrderedDict()
        self._wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # only the wake-up below is wanted
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Answer until the main process hangs up or dies."""
        poller = select.poll()
        for fd in (self._control.fileno(), self._main_pidfd, self._wake_read):
            poller.register(fd, select.POLLIN)
        while True:
            ready = {fd for fd, _ in poller.poll()}
            if self._main_pidfd in ready:
                return
            if self._wake_read in ready:
                self._reap()
            if self._control.fileno() in ready and not self._answer():
                return

    def _answer(self) -> bool:
        try:
            frame = recv_frame(self._control, max_fds=1)
        except PeerClosed:
            return False
        if frame.header["op"] == "status":
            self._tell_status(frame.header["pid"])
        else:
            self._fork(Spawn.from_header(frame.header), frame.fds[0])
        return True

    def _tell_status(self, pid: int) -> None:
        self._reap()
        status = self._ended.pop(pid, None)
        send_frame(self._control, {} if status is None else forking.exit_status(status))

    def _reap(self) -> None:
        """Collect every dead child, orphans of a dead session among them."""
        _drain(self._wake_read)
        while (ended := forking.reap_one()) is not None:
            pid, status = ended
            self._ended[pid] = status
            if len(self._ended) > _REMEMBERED:
                self._ended.popitem(last=False)

    def _fork(self, spawn: Spawn, link_fd: int) -> None:
        """Fork the child asked for and hand its pidfd to the main process."""
        try:
            pid, is_namespace = _fork_child()
        except OSError as err:
            os.close(link_fd)
            send_frame(self._control, {"error": f"cannot fork: {err}"})
            return
        if pid == 0:
            standing = ("pid_namespace",) if is_namespace else ()
            _be_child(spawn, self._confinement, standing, link_fd)
        os.close(link_fd)
        pidfd = os.pidfd_open(pid)
        send_frame(self._control, {"pid": pid}, fds=[pidfd])
        os.close(pidfd)


def _fork_child() -> tuple[int, bool]:
    """Return the child's pid (0 in the child) and whether it has a process namespace."""
    try:
        return forking.fork_namespace(), True
    except OSError:  # neither root nor in a user namespace
        return os.fork(), False


def _be_child(
    spawn: Spawn, confinement: Confinement, standing: tuple[str, ...], link_fd: int
) -> NoReturn:
    """Do what the child is for; the stack of the zygote below is never unwound."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    forking.die_with_parent()
    forking.silence((0, 1, 2))
    os.dup2(link_fd, _LINK_FD)
    forking.close_all_but([_LINK_FD])
    os.setsid()
    from cadwright.tools.sandbox import child

    try:
        child.serve(spawn, confinement, standing, socket.socket(fileno=_LINK_FD))
    finally:
        os._exit(0)


def _drain(fd: int) -> None:
    try:
        while os.read(fd, 4096):
            pass
    except BlockingIOError:
        return


def _warm_up() -> None:
    """Import CadQuery and everything a child needs, and run the kernel once.

    The thread pool of one must be OCCT's first call: with a larger one every forked child waits
    for ever, in its first boolean, for threads that it does not have.
    """
    with deferring():
        from OCP.OSD import OSD_ThreadPool

        OSD_ThreadPool.DefaultPool_s(1)
        import cadquery  # noqa: F401
    from cadwright.tools.sandbox import child

    child.warm_up(_WARM_UP)
    if threading.active_count() != 1 or len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("the zygote has more than one thread and must not fork")
    memory.settle()


def _settle_addresses() -> None:
    """Start again without address randomisation, where the kernel allows it.

    The kernel's hash maps are ordered by address, so a few programs make faces in another order
    in each process. The walls around a session do not count on addresses being secret.
    """
    libc = ctypes.CDLL(None)
    now = libc.personality(_ASK_PERSONALITY)
    if now < 0 or now & _ADDR_NO_RANDOMIZE:
        return
    if libc.personality(now | _ADDR_NO_RANDOMIZE) >= 0:
        os.execv(sys.executable, sys.orig_argv)


def main(arguments: list[str]) -> None:
    """Run the zygote on the descriptors that the main process passed."""
    _settle_addresses()
    control_fd, main_pidfd = (int(argument) for argument in arguments)
    forking.adopt_orphans()
    with socket.socket(fileno=control_fd) as control:
        request = recv_frame(control).header
        asked = walls.prepare(confinement_from_header(request))
        asked = walls.prepare(replace(asked, role="worker"))
        _warm_up()
        send_frame(control, {"op": "ready"})
        Zygote(control, main_pidfd, asked).serve()
        # The main process is gone; it cleans up itself unless it was killed.
        shutil.rmtree(request["folder"], ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
