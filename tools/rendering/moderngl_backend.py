"""The default backend: OpenGL through EGL, on a GPU where there is one, else on software Mesa.

One context per renderer; framebuffers and uploaded parts are kept in small bounded caches. All
cameras of a call share one wide framebuffer and one read-back per channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cadwright.tools.rendering import shaders
from cadwright.tools.rendering.camera import Camera
from cadwright.tools.rendering.driver import driver_calls
from cadwright.tools.rendering.frame import Frame, RenderFailure, Size
from cadwright.tools.rendering.gl_resources import (
    Surface,
    Target,
    make_lines,
    make_surface,
    make_tags,
    make_target,
)
from cadwright.tools.rendering.lines import tolerance
from cadwright.tools.rendering.look import LOOK
from cadwright.tools.rendering.recent import Recent
from cadwright.tools.rendering.scene import Scene, Tags

if TYPE_CHECKING:
    import moderngl

MAX_TARGETS = 4  # framebuffers kept, one per picture size in use
MAX_PARTS = 4  # uploaded parts kept
MAX_WIDTH = 8192  # pixels side by side in one framebuffer; more cameras go in batches


class ModernglRenderer:
    """Draws with moderngl on an EGL context.

    Args:
        device_index: EGL device, or None for the one EGL gives.

    Raises:
        RenderFailure: No context can be made.
    """

    name = "moderngl"

    def __init__(self, device_index: int | None = None) -> None:
        self._is_open = False
        with driver_calls("no OpenGL context through EGL"):
            self._context = _create_context(device_index)
            self.device = str(self._context.info["GL_RENDERER"])
            self._plain = self._program(shaders.SURFACE_VERTEX, shaders.SURFACE_FRAGMENT)
            self._tagged = self._program(shaders.SURFACE_VERTEX, shaders.TAGGED_FRAGMENT)
            self._lines = self._program(shaders.LINE_VERTEX, shaders.LINE_FRAGMENT)
            mix = self._program(shaders.MIX_VERTEX, shaders.MIX_FRAGMENT)
            self._whole_picture = self._context.vertex_array(mix, [])
        self._targets: Recent[Target] = Recent(MAX_TARGETS)
        self._surfaces: Recent[Surface] = Recent(MAX_PARTS)
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
        batch = max(1, MAX_WIDTH // size[0])
        frames: list[Frame] = []
        with driver_calls("OpenGL failed"), self._context:  # another context may be current
            for start in range(0, len(cameras), batch):
                frames += self._batch(scene, cameras[start : start + batch], size, highlight)
        return frames

    def close(self) -> None:
        """Free the context and everything in it."""
        if self._is_open:
            self._is_open = False
            with self._context:
                self._surfaces.release()
                self._targets.release()
            self._context.release()

    def _program(self, vertex: str, fragment: str) -> moderngl.Program:
        return self._context.program(vertex_shader=vertex, fragment_shader=fragment)

    def _batch(
        self, scene: Scene, cameras: Sequence[Camera], size: Size, highlight: frozenset[int]
    ) -> list[Frame]:
        whole = (size[0] * len(cameras), size[1])
        target = self._targets.get(whole, lambda: make_target(self._context, whole))
        surface = self._surfaces.get(scene.digest, lambda: self._upload(scene))
        views = [_View(scene, camera, k * size[0], size) for k, camera in enumerate(cameras)]
        self._draw_surfaces(target, surface, views, scene.tags(highlight))
        self._draw_lines(target, surface, views)
        self._blend_lines(target)
        frames = self._read(target, views)
        if self._context.error != "GL_NO_ERROR":  # a lost context, or out of memory
            raise RenderFailure(f"OpenGL reports {self._context.error}")
        return frames

    def _upload(self, scene: Scene) -> Surface:
        lines = make_lines(self._context, self._lines, scene.local(scene.lines))
        return make_surface(self._context, scene, (self._plain, self._tagged), lines)

    def _draw_surfaces(
        self, target: Target, surface: Surface, views: Sequence[_View], tags: Tags | None
    ) -> None:
        texture = None if tags is None else make_tags(self._context, tags)
        array, program = surface.plain, self._plain
        if texture is not None:
            array, program = surface.tagged, self._tagged
            texture.use(0)
            program["tags"] = 0
        target.surface.use()
        target.surface.viewport = (0, 0, *target.surface.size)
        target.surface.clear(*LOOK.background, 0.0, depth=1.0)
        context, hidden_side = self._context, views[0].scene.hidden_side
        context.enable_only(context.DEPTH_TEST | (context.CULL_FACE if hidden_side else 0))
        context.cull_face = hidden_side or "back"
        for view in views:
            target.surface.viewport = view.viewport
            program["to_clip"] = view.to_clip
            program["to_view"] = view.to_view
            array.render()
        if texture is not None:
            texture.release()

    def _draw_lines(self, target: Target, surface: Surface, views: Sequence[_View]) -> None:
        context, program = self._context, self._lines
        target.overlay.color_mask = (False, False, False, True)  # taken over by use() only
        target.overlay.use()
        context.enable_only(context.BLEND)
        context.blend_equation = (context.MAX, context.MAX)
        target.data.use(0)
        target.slopes.use(1)
        program["data"], program["slopes"] = 0, 1
        program["half_width"] = LOOK.line_px / 2.0
        program["reach"] = LOOK.line_px / 2.0 + 0.5
        for view in views:
            target.overlay.viewport = view.viewport
            program["to_clip"] = view.to_clip
            program["viewport"] = view.viewport
            program["tolerance"] = view.tolerance
            program["is_contour"] = False
            if surface.lines is not None:
                surface.lines.draw()
            self._draw_contour(view)

    def _draw_contour(self, view: _View) -> None:
        segments = view.scene.contours(view.camera.axes[2])
        lines = make_lines(self._context, self._lines, view.scene.local(segments))
        if lines is not None:
            self._lines["is_contour"] = True
            lines.draw()
            lines.release()

    def _blend_lines(self, target: Target) -> None:
        """Lay the line colour over the picture by the coverage in its alpha channel."""
        context = self._context
        target.overlay.color_mask = (True, True, True, False)
        target.overlay.use()
        target.overlay.viewport = (0, 0, *target.overlay.size)
        context.enable_only(context.BLEND)
        context.blend_equation = (context.FUNC_ADD, context.FUNC_ADD)
        context.blend_func = context.DST_ALPHA, context.ONE_MINUS_DST_ALPHA
        self._whole_picture.render(context.TRIANGLES, vertices=3)

    def _read(self, target: Target, views: Sequence[_View]) -> list[Frame]:
        width, height = target.surface.size
        colour = np.frombuffer(target.surface.read(components=3, alignment=1), np.uint8)
        data = np.frombuffer(
            target.surface.read(components=2, attachment=1, dtype="f4"), dtype=np.float32
        )
        colour = colour.reshape(height, width, 3)[::-1]  # OpenGL's first row is the lowest
        data = data.reshape(height, width, 2)[::-1]
        return [
            Frame(
                colour=colour[:, view.columns],
                depth=data[:, view.columns, 1],
                triangle=data[:, view.columns, 0],
                camera=view.camera,
                backend=self.name,
                scene=view.scene,
            )
            for view in views
        ]


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """One camera's share of the framebuffer, and its numbers as the shaders take them."""

    scene: Scene
    camera: Camera
    left_px: int
    size: Size

    @property
    def viewport(self) -> tuple[int, int, int, int]:
        return (self.left_px, 0, *self.size)

    @property
    def columns(self) -> slice:
        return slice(self.left_px, self.left_px + self.size[0])

    @property
    def to_view(self) -> tuple[float, ...]:
        """(3, 3) numbers, column by column."""
        return tuple(self.camera.axes.T.ravel().tolist())

    @property
    def to_clip(self) -> tuple[float, ...]:
        """(4, 4) numbers, column by column: scene coordinates to clip space."""
        camera, radius = self.camera, self.scene.box.radius
        shorter = min(self.size)
        half = camera.half_mm * np.asarray(self.size) / shorter
        scale = radius / np.array([half[0], half[1], -camera.depth_half_mm])
        matrix = np.identity(4)
        matrix[:3, :3] = scale[:, None] * camera.axes
        matrix[:3, 3] = -matrix[:3, :3] @ self.scene.local(np.asarray(camera.centre_mm))
        return tuple(matrix.T.ravel().tolist())

    @property
    def tolerance(self) -> float:
        """How far behind a surface a line may lie, as a share of the depth range."""
        return tolerance(self.camera, self.scene.box.radius, self.size)


def _create_context(device_index: int | None) -> moderngl.Context:
    import moderngl

    settings: dict[str, Any] = {"standalone": True, "backend": "egl"}
    if device_index is not None:
        settings["device_index"] = device_index
    return moderngl.create_context(**settings)
