"""One thread for the libraries that would take one for each core.

Embree and manifold spread their work by TBB. What a judge asks of them takes milliseconds, and the
threads that wait for more spin meanwhile: a tenth of the processor time of a worker, taken from the
workers beside it.
"""

from __future__ import annotations

import os
from functools import cache


@cache
def keep_to_one() -> None:
    """Let TBB start no threads; to be called before its first use.

    It counts the cores that the process may use once, at its first use by each library; they are
    all given back. Where the system knows no such thing, or forbids it, nothing changes.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    cores = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(cores)})
    except OSError:
        return
    try:
        _use_both()
    finally:
        os.sched_setaffinity(0, cores)


def _use_both() -> None:
    """Ask embree for a ray and manifold for a boolean, of the size that makes them look."""
    import manifold3d
    import numpy as np
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    scene = EmbreeScene()
    TriangleMesh(scene, np.eye(3, dtype=np.float32)[None])
    scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))
    ball = manifold3d.Manifold.sphere(1.0, 64)
    (ball ^ ball.translate((0.1, 0.2, 0.3))).volume()
