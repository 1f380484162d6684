import os
import subprocess
import sys

import pytest

COUNT = """
import os
import numpy as np
from cadwright.tools.geometry.rays import Rays
from cadwright.tools.geometry.solids import manifold_of
cores = os.sched_getaffinity(0)
before = len(os.listdir("/proc/self/task"))
corners = np.random.default_rng(0).random((5000, 3, 3))
Rays.at(corners).cast(corners[:, 0], corners[:, 1])
import manifold3d
ball = manifold3d.Manifold.sphere(1.0, 128)
(ball ^ ball.translate((0.1, 0.2, 0.3))).volume()
assert os.sched_getaffinity(0) == cores
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(
    not os.path.isdir("/proc/self/task") or len(os.sched_getaffinity(0)) < 2,
    reason="threads are counted where there is a second core to run them on",
)
def test_rays_and_booleans_start_no_thread_for_each_core_and_leave_the_cores_as_they_were():
    run = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True)
    assert int(run.stdout) <= 1  # embree's own, which sleeps
