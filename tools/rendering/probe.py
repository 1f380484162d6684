"""Draw one box with one backend and say so on standard output, as one JSON line.

Run by ``probe_backends`` in a process of its own, because a broken driver may end the process.
"""

from __future__ import annotations

import json
import sys

import numpy as np

from cadwright.tools.errors import CadwrightError
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering.backends import make_renderer
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.views import view_sheet


def main(arguments: list[str]) -> int:
    """Probe the named backend; returns the exit status."""
    name, *rest = arguments
    try:
        renderer = make_renderer(name, gl_device=int(rest[0]) if rest else None)
        view_sheet(renderer, Scene(tetrahedron()), size=64)
        answer = {"device": renderer.device, "detail": _detail(renderer.device)}
        renderer.close()
    except CadwrightError as error:
        answer = {"reason": str(error)}
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


def tetrahedron() -> Mesh:
    """Return the smallest closed mesh."""
    vertices = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], dtype=np.int32)
    return Mesh(vertices, faces, np.arange(4, dtype=np.int32))


def _detail(device: str) -> str:
    is_software = any(name in device.lower() for name in ("llvmpipe", "softpipe", "swrast"))
    return f"{device}, on the CPU" if is_software else device


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
