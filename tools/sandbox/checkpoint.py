"""The loop of a session's process: wait as a checkpoint, fork a step, become the next checkpoint.

Runs in confined children. The session's root starts the loop without having run model code, and
never will; it alone tells how others ended. Every step is a child of the root.
"""

from __future__ import annotations

import os
import random
import socket

from cadwright.tools.sandbox import feedback, forking, last_words
from cadwright.tools.sandbox.protocol import Frame, PeerClosed, recv_frame, send_frame
from cadwright.tools.sandbox.runner import Reply, Workspace


def serve(link: socket.socket, workspace: Workspace) -> None:
    """Answer as the session's root, and as each checkpoint in the forks of it.

    Requests: ``step`` (with the step's own link and the pipe for what it prints) forks; ``wait``
    (with a pidfd) tells how a child of the root ended; ``ping`` is answered; ``reap`` collects
    the dead.
    """
    is_root = True
    while True:
        try:
            frame = recv_frame(link, max_fds=2)
        except PeerClosed:
            return
        if frame.header["op"] == "step":
            step_link = _fork_step(frame, is_root=is_root)
            if step_link is None:
                continue
            link.close()
            link, is_root = step_link, False
            if not _step(link, workspace):
                return
        elif frame.header["op"] == "wait":
            send_frame(link, _wait(frame.fds[0]))
        elif frame.header["op"] == "ping":
            send_frame(link, {})
        else:
            _reap_all()


def run_program(link: socket.socket, workspace: Workspace) -> None:
    """Run one program in this very process: nothing will be undone, so nothing is forked."""
    frame = recv_frame(link, max_fds=1)
    _print_to(frame.fds[0])
    _step(link, workspace)


def _fork_step(frame: Frame, *, is_root: bool) -> socket.socket | None:
    """Return the step's link in the forked step, None in this process."""
    if not is_root:  # what the step before left was killed, but even the dead count as processes
        _reap_all()
    step_fd, print_fd = frame.fds
    step_link = socket.socket(fileno=step_fd)
    state = random.getstate()  # `random` seeds itself anew in every fork
    try:
        pid = os.fork() if is_root else forking.fork_sibling()
    except OSError as err:
        send_frame(step_link, {"op": "cannot_fork", "message": str(err)})
        pid = -1
    if pid:
        step_link.close()
        os.close(print_fd)
        return None
    random.setstate(state)
    forking.die_with_parent()
    _print_to(print_fd)
    return step_link


def _step(link: socket.socket, workspace: Workspace) -> bool:
    """Introduce this process while it can be believed, run the step, report it."""
    send_frame(link, {"op": "hello"})
    frame = recv_frame(link, max_bytes=1 << 30)
    send_frame(link, {"op": "started"})
    last_words.promise(link)
    reply = _perform(frame, workspace)
    last_words.withdraw()
    workspace.flush()
    forking.silence((1, 2))
    send_frame(link, reply.header, reply.blobs)
    return bool(reply.is_ok)


def _perform(frame: Frame, workspace: Workspace) -> Reply:
    try:
        workspace.enter(frame.header["folder"], frame.header["copy_of"])
    except OSError as err:
        return Reply(feedback.no_scratch(err) | {"names": []})
    header = frame.header
    if header["op"] == "load" and "mesh" in header:
        return workspace.load_mesh(header["name"], header["mesh"], frame.blobs)
    if header["op"] == "load":
        return workspace.load(header["name"], frame.blobs[0])
    if "meshes" in header:
        return workspace.run_on_meshes(header["code"], header["meshes"], frame.blobs)
    return workspace.run(header["code"], with_mesh=header.get("with_mesh", False))


def _print_to(pipe: int) -> None:
    os.dup2(pipe, 1)
    os.dup2(pipe, 2)
    os.close(pipe)


def _wait(pidfd: int) -> dict[str, int]:
    """Return how the child behind ``pidfd`` ended; empty when that is not known."""
    try:
        ended = os.waitid(os.P_PIDFD, pidfd, os.WEXITED)
    except ChildProcessError:
        return {}
    finally:
        os.close(pidfd)
        _reap_all()
    if ended is None:
        return {}
    is_exit = ended.si_code == os.CLD_EXITED
    return {"exit" if is_exit else "signal": ended.si_status}


def _reap_all() -> None:
    while forking.reap_one() is not None:
        pass
