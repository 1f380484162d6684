"""What a forked child does once it is confined: wait for steps, run one program, or serve jobs."""

from __future__ import annotations

import socket
from dataclasses import replace

from cadwright.tools.sandbox import checkpoint, confinement, forking, jobs
from cadwright.tools.sandbox.confinement import Confinement, ConfinementError
from cadwright.tools.sandbox.hooks import Recorder, install
from cadwright.tools.sandbox.protocol import send_frame
from cadwright.tools.sandbox.runner import Workspace
from cadwright.tools.sandbox.spawn import Spawn

_recorder: Recorder | None = None


def warm_up(program: str) -> None:
    """Install the hooks and run one model through everything that a step does."""
    workspace = Workspace(_hooks(), seed=0)
    reply = workspace.run(program, with_mesh=True)
    if reply.header["outcome"] != "ok":
        raise RuntimeError(f"the warm-up program failed: {reply.header}")


def serve(spawn: Spawn, walls: Confinement, standing: tuple[str, ...], link: socket.socket) -> None:
    """Confine this process, report the walls that stand, and do its work until the link ends."""
    answer = jobs.load(spawn.entry) if spawn.kind == "worker" else {}
    walls = replace(walls, role="worker" if spawn.kind == "worker" else "session")
    walls = replace(walls, standing=(*walls.standing, *standing))
    try:
        names = confinement.apply(walls, spawn.limits, spawn.scratch, spawn.uid)
    except ConfinementError as err:
        send_frame(link, {"op": "refused", "message": str(err)})
        return
    forking.die_with_parent()
    forking.adopt_orphans()
    send_frame(link, {"op": "ready", "confinement": list(names)})
    if spawn.kind == "worker":
        jobs.serve(answer, link)
    elif spawn.kind == "session":
        checkpoint.serve(link, Workspace(_hooks(), seed=spawn.seed))
    else:
        checkpoint.run_program(link, Workspace(_hooks(), seed=spawn.seed))


def _hooks() -> Recorder:
    """Hook CadQuery once, in the zygote; every child inherits the hooks."""
    global _recorder
    if _recorder is None:
        _recorder = install()
    return _recorder
