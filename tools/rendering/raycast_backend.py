"""The backend without OpenGL: one ray per pixel, traced by Embree, shaded in numpy.

It needs no driver and no display, so it is what every other backend falls back to. Colours,
lights, lines and data are those of the moderngl backend.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import DependencyError
from cadwright.tools.rendering.camera import Camera
from cadwright.tools.rendering.frame import Frame, Pixels, RenderFailure, Size
from cadwright.tools.rendering.lines import ink_lines
from cadwright.tools.rendering.look import LOOK, brightness
from cadwright.tools.rendering.recent import Recent
from cadwright.tools.rendering.scene import CAP, HIGHLIGHT, Scene, Tags

MAX_PARTS = 4  # ray-tracing structures kept

Floats32 = npt.NDArray[np.float32]


class _Tracer:
    """Embree's structure for one scene."""

    def __init__(self, scene: Scene) -> None:
        try:
            from embreex.mesh_construction import TriangleMesh
            from embreex.rtcore_scene import EmbreeScene
        except ImportError as err:
            raise DependencyError("embreex is not installed; run: pip install embreex") from err
        self._scene = EmbreeScene(robust=True)  # without it rays slip between triangles
        corners = scene.local(scene.vertices[scene.faces]).astype(np.float32)
        TriangleMesh(self._scene, np.ascontiguousarray(corners))

    def run(self, origins: Floats32, direction: Floats32) -> dict[str, Any]:
        directions = np.ascontiguousarray(np.broadcast_to(direction, origins.shape))
        hits: dict[str, Any] = self._scene.run(origins, directions, output=True)
        return hits

    def release(self) -> None:
        """Embree frees the structure with the object."""


class RaycastRenderer:
    """Traces parts with Embree.

    Args:
        name: Label of the pictures; the render worker says ``raycast-fallback`` where another
            backend was wanted.
    """

    device = "Embree, no OpenGL"

    def __init__(self, name: str = "raycast") -> None:
        self.name = name
        self._tracers: Recent[_Tracer] = Recent(MAX_PARTS)
        self._is_open = True

    def render(
        self,
        scene: Scene,
        cameras: Sequence[Camera],
        size: Size,
        *,
        highlight: frozenset[int] = frozenset(),
    ) -> list[Frame]:
        """Draw ``scene`` once per camera; see ``Renderer``."""
        if not self._is_open:
            raise RenderFailure("the renderer is closed")
        tracer = self._tracers.get(scene.digest, lambda: _Tracer(scene))
        tags = scene.tags(highlight)
        return [self._frame(tracer, scene, camera, size, tags) for camera in cameras]

    def close(self) -> None:
        """Free the ray-tracing structures."""
        self._is_open = False
        self._tracers.release()

    def _frame(
        self, tracer: _Tracer, scene: Scene, camera: Camera, size: Size, tags: Tags | None
    ) -> Frame:
        width, height = size
        origins, direction = _rays(scene, camera, size)
        hits = tracer.run(origins, direction)
        reach = 2.0 * camera.depth_half_mm / scene.box.radius
        depth = np.where(hits["primID"] >= 0, hits["tfar"] / reach, 1.0).astype(np.float32)
        depth = np.minimum(depth, np.float32(1.0))
        colour = _shade(scene, camera, hits, depth, tags, width)
        frame = Frame(
            colour=colour.reshape(height, width, 3),
            depth=depth.reshape(height, width),
            triangle=hits["primID"].reshape(height, width),
            camera=camera,
            backend=self.name,
            scene=scene,
        )
        return Frame(ink_lines(frame), frame.depth, frame.triangle, camera, self.name, scene)


def _rays(scene: Scene, camera: Camera, size: Size) -> tuple[Floats32, Floats32]:
    """Return origins (W * H, 3) on the camera plane, row by row from the top, and a direction."""
    width, height = size
    step = camera.mm_per_px(size)
    columns = (np.arange(width) + 0.5 - width / 2.0) * step
    rows = (height / 2.0 - np.arange(height) - 0.5) * step
    right, up, toward = camera.axes
    middle = np.asarray(camera.centre_mm) + toward * camera.depth_half_mm
    points = middle + columns[None, :, None] * right + rows[:, None, None] * up
    origins = np.ascontiguousarray(scene.local(points).reshape(-1, 3), dtype=np.float32)
    return origins, (-toward).astype(np.float32)


def _shade(
    scene: Scene,
    camera: Camera,
    hits: dict[str, Any],
    depth: Floats32,
    tags: Tags | None,
    width: int,
) -> Pixels:
    """Return (W * H, 3) uint8 colours of the surfaces."""
    picture = np.zeros((len(depth), 3), dtype=np.float32)
    picture[:] = LOOK.background
    hit = np.flatnonzero(depth < 1.0)
    triangle = hits["primID"][hit]
    axes = camera.axes.astype(np.float32)
    normals = _smooth_normals(scene, triangle, hits["u"][hit], hits["v"][hit]) @ axes.T
    is_back = scene.normals[triangle] @ camera.axes[2] < 0.0
    normals = np.where(is_back[:, None], -normals, normals)
    body = np.where(is_back[:, None], LOOK.inside, LOOK.body)
    if tags is not None:
        body = _paint(body, tags[triangle], hit, width)
    light = brightness(normals) * (1.0 - LOOK.depth_fade * depth[hit])
    picture[hit] = np.minimum(body * light[:, None], 1.0)
    pixels: Pixels = np.rint(picture * 255.0).astype(np.uint8)
    return pixels


def _smooth_normals(
    scene: Scene, triangle: npt.NDArray[np.int32], u: Floats32, v: Floats32
) -> Floats32:
    mesh = scene.smooth
    a, b, c = (mesh.normals[mesh.faces[triangle, k]] for k in range(3))
    mixed = a * (1.0 - u - v)[:, None] + b * u[:, None] + c * v[:, None]
    length = np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9)
    unit: Floats32 = (mixed / length).astype(np.float32)
    return unit


def _paint(
    body: npt.NDArray[np.float64], tags: Tags, pixel: npt.NDArray[np.int64], width: int
) -> npt.NDArray[np.float64]:
    """Return the body colours with highlights and hatched caps."""
    place = (pixel % width - pixel // width) % LOOK.hatch_px
    stripe = np.clip(np.abs(place - LOOK.hatch_px / 2.0) - 0.2, 0.0, 1.0)[:, None]
    cap = np.array(LOOK.hatch) * (1.0 - stripe) + np.array(LOOK.cap) * stripe
    body = np.where((tags == CAP)[:, None], cap, body)
    return np.where((tags == HIGHLIGHT)[:, None], LOOK.highlight, body)
