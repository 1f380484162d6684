"""Choose a backend, and find out which of them work on this machine.

``auto`` takes moderngl and falls back to the ray tracer; the label of the picture says so. A
broken driver may crash the process that loads it, so probes run in processes of their own.
"""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Literal, cast, get_args

from cadwright.tools.errors import DependencyError, UsageError
from cadwright.tools.rendering.frame import Renderer, RenderFailure

Backend = Literal["auto", "moderngl", "pyrender", "raycast"]
FALLBACK_LABEL = "raycast-fallback"
PROBE_S = 60.0  # a cold driver on a loaded machine

_REMEDIES = {
    "moderngl": "install EGL and a driver: apt-get install libegl1 libgl1-mesa-dri",
    "pyrender": "pip install pyrender-maintained; apt-get install libegl1 libosmesa6",
    "raycast": "pip install embreex",
}
_PACKAGES = {"moderngl": "moderngl", "pyrender": "pyrender-maintained", "raycast": "embreex"}


@dataclass(frozen=True, slots=True)
class BackendStatus:
    """Whether a backend works here.

    Attributes:
        name: ``moderngl``, ``pyrender`` or ``raycast``.
        available: A part was drawn and is visible.
        detail: What draws, or why nothing does.
        remedy: What to install; empty where it works.
        renderer_string: The GL renderer, for example ``llvmpipe (LLVM 15.0.6, 256 bits)``.
    """

    name: str
    available: bool
    detail: str
    remedy: str
    renderer_string: str


def check_backend(name: str) -> Backend:
    """Return ``name`` as a backend.

    Raises:
        UsageError: No such backend.
    """
    known = get_args(Backend)
    if name not in known:
        near = difflib.get_close_matches(str(name), known, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise UsageError(f"there is no renderer {name!r}{hint}: use {', '.join(known)}")
    return cast(Backend, name)


def make_renderer(backend: str = "auto", *, gl_device: int | None = None) -> Renderer:
    """Make a renderer in this process.

    Args:
        backend: ``auto``, ``moderngl``, ``pyrender`` or ``raycast``.
        gl_device: Number of the EGL device, or None for the one EGL gives.

    Raises:
        RenderFailure: The named backend cannot draw here; ``auto`` falls back instead.
        DependencyError: Its package is not installed.
        UsageError: No such backend.
    """
    if backend == FALLBACK_LABEL:
        return _raycast(FALLBACK_LABEL)
    match check_backend(backend):
        case "auto":
            try:
                return _moderngl(gl_device)
            except (RenderFailure, DependencyError):
                return _raycast(FALLBACK_LABEL)
        case "moderngl":
            return _moderngl(gl_device)
        case "pyrender":
            return _pyrender(gl_device)
        case "raycast":
            return _raycast("raycast")


def probe_backends(*, gl_device: int | None = None) -> tuple[BackendStatus, ...]:
    """Try every backend, each in a process of its own."""
    return tuple(_probe(name, gl_device) for name in _REMEDIES)


def _probe(name: str, gl_device: int | None) -> BackendStatus:
    command = [sys.executable, "-P", "-m", "cadwright.tools.rendering.probe", name]
    if gl_device is not None:
        command.append(str(gl_device))
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=PROBE_S, env=gl_environment(), check=False
        )
    except subprocess.TimeoutExpired:
        return BackendStatus(name, False, f"no picture within {PROBE_S:g} s", _REMEDIES[name], "")
    lines = done.stdout.decode(errors="replace").splitlines()
    answer = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}
    if "device" in answer:
        return BackendStatus(name, True, answer["detail"], "", answer["device"])
    reason = answer.get("reason") or _last_line(done.stderr) or f"exit status {done.returncode}"
    return BackendStatus(name, False, reason, _REMEDIES[name], "")


def gl_environment() -> dict[str, str]:
    """Return the environment for a process that draws: no display, no caches, few threads."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    threads = min(4, os.cpu_count() or 1)  # llvmpipe gains nothing from more at these sizes
    return kept | {
        "MESA_SHADER_CACHE_DISABLE": "true",
        "MESA_GLSL_CACHE_DISABLE": "true",
        "__GL_SHADER_DISK_CACHE": "0",
        "LP_NUM_THREADS": str(threads if threads > 1 else 0),
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _last_line(text: bytes) -> str:
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


def _moderngl(gl_device: int | None) -> Renderer:
    from cadwright.tools.rendering.moderngl_backend import ModernglRenderer

    return ModernglRenderer(gl_device)


def _pyrender(gl_device: int | None) -> Renderer:
    from cadwright.tools.rendering.pyrender_backend import PyrenderRenderer

    return PyrenderRenderer(gl_device)


def _raycast(label: str) -> Renderer:
    from cadwright.tools.rendering.raycast_backend import RaycastRenderer

    return RaycastRenderer(label)
