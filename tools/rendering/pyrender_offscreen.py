"""pyrender's offscreen renderer with our cures. Import it only after the platform is chosen.

- A pass that writes triangle numbers takes the place of pyrender's segmentation shader.
- Freeing a renderer ends its own context only: pyrender ends the EGL display, and with it every
  other context of the process (pyrender#223).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyrender
from OpenGL import GL
from pyrender.shader_program import ShaderProgram, ShaderProgramCache

# The uniform must stay in use: pyrender refuses to set one that the compiler dropped.
_ID_FRAGMENT = """#version 330 core
uniform vec3 color;
out vec4 frag_color;
void main() {
    ivec3 digits = ivec3(gl_PrimitiveID, gl_PrimitiveID >> 8, gl_PrimitiveID >> 16) & 255;
    frag_color = vec4(vec3(digits) / 255.0 + min(color, 0.0), 1.0);
}
"""


class _Program(ShaderProgram):  # type: ignore[misc, unused-ignore]
    def _load(self, shader_filename: str) -> str:
        if shader_filename.endswith("segmentation.frag"):
            return _ID_FRAGMENT
        return str(super()._load(shader_filename))


class _Programs(ShaderProgramCache):  # type: ignore[misc, unused-ignore]
    def get_program(self, *args: Any, **kwargs: Any) -> Any:
        program = super().get_program(*args, **kwargs)
        program.__class__ = _Program  # its source is read at its first use, later than this
        return program


class Offscreen(pyrender.OffscreenRenderer):  # type: ignore[misc, unused-ignore]
    """An offscreen renderer of 16 pixels, which follows the size of each picture."""

    _platform: Any
    _renderer: Any

    def __init__(self) -> None:
        super().__init__(16, 16)

    def _create(self) -> None:
        super()._create()
        self._renderer._program_cache = _Programs()

    def device(self) -> str:
        """Return the GL renderer string."""
        self._platform.make_current()
        return str(GL.glGetString(GL.GL_RENDERER).decode())

    def delete(self) -> None:
        """Free the context; idempotent."""
        if self._platform is None:
            return
        self._platform.make_current()
        self._renderer.delete()
        display = getattr(self._platform, "_egl_display", None)
        if display is None:
            self._platform.delete_context()
        else:
            from OpenGL.EGL import eglDestroyContext  # fails to import on OSMesa

            eglDestroyContext(display, self._platform._egl_context)
        self._platform = self._renderer = None


def window_depth(
    distance: npt.NDArray[np.float32], near: float, far: float
) -> npt.NDArray[np.float32]:
    """Undo pyrender's perspective formula, which it applies to orthographic cameras as well.

    Args:
        distance: (H, W) as pyrender returns it, 0 for background.
        near: The camera's ``znear``; well above 0, or nothing is left of the precision.
        far: The camera's ``zfar``.

    Returns:
        (H, W) float32 from 0 at ``near`` to 1 at ``far``, 1 for background.
    """
    is_hit = distance > 0.0
    safe = np.where(is_hit, distance, np.float32(far)).astype(np.float64)
    clip = (far + near - 2.0 * near * far / safe) / (far - near)
    depth = np.clip((clip + 1.0) / 2.0, 0.0, np.nextafter(np.float32(1.0), np.float32(0.0)))
    return np.where(is_hit, depth, 1.0).astype(np.float32)
