"""What the moderngl backend keeps on the device: framebuffers, uploaded parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cadwright.tools.rendering import shaders
from cadwright.tools.rendering.frame import Size
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.topology import Floats

if TYPE_CHECKING:
    import moderngl


@dataclass(frozen=True, slots=True)
class Target:
    """Framebuffers of one size: ``surface`` with all channels, ``overlay`` with colour alone."""

    surface: moderngl.Framebuffer
    overlay: moderngl.Framebuffer
    colour: moderngl.Texture
    data: moderngl.Texture
    slopes: moderngl.Texture
    depth: moderngl.Renderbuffer

    def release(self) -> None:
        """Free the framebuffers and what is attached to them."""
        attached = (self.colour, self.data, self.slopes, self.depth)
        for resource in (self.surface, self.overlay, *attached):
            resource.release()


@dataclass(frozen=True, slots=True)
class Lines:
    """Segments on the device, drawn as one quad each."""

    array: moderngl.VertexArray
    buffer: moderngl.Buffer

    def draw(self) -> None:
        """Draw every segment with the bound program."""
        self.array.render(self.array.ctx.TRIANGLE_STRIP, vertices=4)

    def release(self) -> None:
        """Free the segments."""
        self.array.release()
        self.buffer.release()


@dataclass(frozen=True, slots=True)
class Surface:
    """Triangles on the device, for the plain and for the tagged program."""

    plain: moderngl.VertexArray
    tagged: moderngl.VertexArray
    buffers: tuple[moderngl.Buffer, ...]
    lines: Lines | None

    def release(self) -> None:
        """Free the triangles and the lines."""
        for resource in (self.plain, self.tagged, *self.buffers, self.lines):
            if resource is not None:
                resource.release()


def make_target(context: moderngl.Context, size: Size) -> Target:
    """Make framebuffers of (width, height) ``size``."""
    colour = context.texture(size, 4)
    data = context.texture(size, 2, dtype="f4")
    slopes = context.texture(size, 2, dtype="f2")
    depth = context.depth_renderbuffer(size)
    surface = context.framebuffer([colour, data, slopes], depth)
    return Target(surface, context.framebuffer([colour]), colour, data, slopes, depth)


def make_lines(
    context: moderngl.Context, program: moderngl.Program, segments: Floats
) -> Lines | None:
    """Upload (k, 2, 3) segments; None where there are none."""
    if not len(segments):
        return None
    buffer = context.buffer(segments.astype(np.float32).tobytes())
    array = context.vertex_array(program, [(buffer, "3f 3f /i", "start", "end")])
    array.instances = len(segments)
    return Lines(array, buffer)


def make_surface(
    context: moderngl.Context,
    scene: Scene,
    programs: tuple[moderngl.Program, moderngl.Program],
    lines: Lines | None,
) -> Surface:
    """Upload the triangles of ``scene`` for the plain and the tagged program."""
    mesh = scene.smooth
    positions = scene.local(scene.vertices[mesh.source])
    vertices = np.concatenate([positions, mesh.normals], axis=1).astype(np.float32)
    vertex_buffer = context.buffer(vertices.tobytes())
    index_buffer = context.buffer(mesh.faces.astype(np.int32).tobytes())
    layout = [(vertex_buffer, "3f 3f", "position", "normal")]
    plain, tagged = (context.vertex_array(p, layout, index_buffer=index_buffer) for p in programs)
    return Surface(plain, tagged, (vertex_buffer, index_buffer), lines)


def make_tags(context: moderngl.Context, tags: npt.NDArray[np.uint8]) -> moderngl.Texture:
    """Upload one byte per triangle."""
    rows = -(-len(tags) // shaders.TAG_ROW)
    padded = np.zeros(rows * shaders.TAG_ROW, dtype=np.uint8)
    padded[: len(tags)] = tags
    return context.texture((shaders.TAG_ROW, rows), 1, padded.tobytes(), alignment=1)
