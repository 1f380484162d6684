"""Renderers come and go without leaks: pyrender#223, #148 and #142 do not happen here."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from shapes import box, plate

from cadwright.tools.rendering.backends import make_renderer
from cadwright.tools.rendering.layout import choose_camera
from cadwright.tools.rendering.scene import Scene

ROUNDS = 200
ALLOWED_GROWTH_MB = 25.0  # over the second half of the rounds; a leaked context is 1 MB or more


def resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def picture(name: str, scene: Scene) -> np.ndarray:
    renderer = make_renderer(name)
    camera = choose_camera(scene.box, scene.framed_points, "iso")
    colour = np.array(renderer.render(scene, [camera], (96, 96))[0].colour)
    renderer.close()
    return colour


@pytest.mark.slow
@pytest.mark.parametrize("name", ["moderngl", "pyrender", "raycast"])
def test_two_hundred_renderers_leave_memory_and_pictures_as_they_were(name: str) -> None:
    scene = Scene(plate())
    first = picture(name, scene)
    for _ in range(ROUNDS // 2):
        assert np.array_equal(picture(name, scene), first)
    gc.collect()
    half = resident_mb()
    for _ in range(ROUNDS // 2):
        assert np.array_equal(picture(name, scene), first)
    gc.collect()
    assert resident_mb() - half < ALLOWED_GROWTH_MB


@pytest.mark.slow
@pytest.mark.parametrize("name", ["moderngl", "pyrender", "raycast"])
def test_two_hundred_parts_and_sizes_leave_memory_flat(name: str) -> None:
    renderer = make_renderer(name)

    def round_trip(k: int) -> None:
        scene = Scene(box(z=10.0 + k))
        camera = choose_camera(scene.box, scene.framed_points, "iso")
        renderer.render(scene, [camera], (64 + k % 40, 64))

    for k in range(ROUNDS // 2):
        round_trip(k)
    gc.collect()
    half = resident_mb()
    for k in range(ROUNDS // 2, ROUNDS):
        round_trip(k)
    gc.collect()
    assert resident_mb() - half < ALLOWED_GROWTH_MB
    renderer.close()


@pytest.mark.parametrize(
    "platform",
    [
        None,
        "osmesa",
        pytest.param("egl", marks=pytest.mark.slow),
        pytest.param("glx", marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_pyrender_draws_whatever_platform_is_set(platform: str | None) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYOPENGL_PLATFORM"}
    if platform is not None:
        environment["PYOPENGL_PLATFORM"] = platform
    command = [sys.executable, "-m", "cadwright.tools.rendering.probe", "pyrender"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    answer = done.stdout.decode()
    if platform == "osmesa" and "OSMesa is installed" in answer:
        pytest.skip("libosmesa6 is not installed here")
    assert '"device"' in answer
