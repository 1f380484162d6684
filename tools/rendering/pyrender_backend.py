"""The physically based backend: pyrender, with what stops it on today's systems cured.

EGL or OSMesa is chosen before PyOpenGL is imported, since PyOpenGL never changes its mind.
Triangle numbers come from a pass of their own without multisampling, so they are never blended.
pyrender's lines are one pixel wide and shine through walls, so lines come from ``lines``, as for
the ray tracer. Its shadows do not compile on Mesa (``SHADOWS_ALL``), so there are none.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cadwright.tools.errors import DependencyError
from cadwright.tools.rendering.camera import Camera
from cadwright.tools.rendering.driver import driver_calls
from cadwright.tools.rendering.frame import Frame, RenderFailure, Size
from cadwright.tools.rendering.lines import ink_lines
from cadwright.tools.rendering.look import LOOK, Colour
from cadwright.tools.rendering.recent import Recent
from cadwright.tools.rendering.scene import CAP, HIGHLIGHT, PLAIN, Scene, Tags
from cadwright.tools.rendering.topology import Floats

if TYPE_CHECKING:
    from cadwright.tools.rendering.pyrender_offscreen import Offscreen

MAX_PARTS = 4  # scenes kept
AMBIENT = 0.34
LIGHTS = (  # azimuth and elevation from the camera in degrees, intensity
    (-34.0, 40.0, 2.7),
    (50.0, 6.0, 1.0),
    (8.0, -58.0, 0.5),
)
ROUGHNESS, METALLIC = 0.46, 0.18
NEAR = 1.0  # the eye stands this far before the camera plane, in the part's radii
EXPOSURE_GAMMA = 2.2  # pyrender's shader takes linear colours and writes sRGB


@dataclass(frozen=True, slots=True, eq=False)
class _Stage:
    """A part in pyrender's terms, with a camera and lights that follow it."""

    scene: Any
    parts: Any
    camera: Any
    lights: tuple[Any, ...]

    def release(self) -> None:
        """The scene owns no buffers: pyrender frees the buffers when it draws another one."""


class PyrenderRenderer:
    """Draws with pyrender on EGL, or on OSMesa where there is no EGL.

    Args:
        device_index: EGL device, or None for the first.

    Raises:
        RenderFailure: No context can be made.
        DependencyError: pyrender is not installed.
    """

    name = "pyrender"

    def __init__(self, device_index: int | None = None) -> None:
        self._is_open = False
        self.platform = _choose_platform(device_index)
        with driver_calls(f"no OpenGL context through {self.platform}"):
            self._offscreen = _make_offscreen()
            self.device = self._offscreen.device()
        self._stages: Recent[_Stage] = Recent(MAX_PARTS)
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
        with driver_calls("OpenGL failed"):
            tags = scene.tags(highlight)
            key = (scene.digest, None if tags is None else tags.tobytes())
            stage = self._stages.get(key, lambda: _make_stage(scene, tags))
            return [self._frame(stage, scene, camera, size) for camera in cameras]

    def close(self) -> None:
        """Free the context and everything in it."""
        if self._is_open:
            self._is_open = False
            self._stages.release()
            self._offscreen.delete()

    def _frame(self, stage: _Stage, scene: Scene, camera: Camera, size: Size) -> Frame:
        from pyrender import RenderFlags

        from cadwright.tools.rendering.pyrender_offscreen import window_depth

        _aim(stage, scene, camera, size)
        self._offscreen.viewport_width, self._offscreen.viewport_height = size
        colour, _ = self._offscreen.render(stage.scene, flags=RenderFlags.NONE)
        digits, distance = self._offscreen.render(
            stage.scene, flags=RenderFlags.SEG, seg_node_map={stage.parts: 255}
        )
        depth = window_depth(distance, NEAR, stage.camera.camera.zfar)
        frame = Frame(
            colour=np.where((depth < 1.0)[..., None], colour, np.uint8(255)),
            depth=depth,
            triangle=digits.astype(np.int32) @ np.array([1, 1 << 8, 1 << 16], dtype=np.int32),
            camera=camera,
            backend=self.name,
            scene=scene,
        )
        return Frame(ink_lines(frame), frame.depth, frame.triangle, camera, self.name, scene)


def _choose_platform(device_index: int | None) -> str:
    """Choose how PyOpenGL finds a context; returns ``egl`` or ``osmesa``."""
    platform = os.environ.get("PYOPENGL_PLATFORM", "")
    if platform not in ("egl", "osmesa"):
        platform = "egl" if _can_load("libEGL.so.1") else "osmesa"
    if platform == "osmesa" and not _can_load("libOSMesa.so.8", "libOSMesa.so.6"):
        raise RenderFailure("neither EGL nor OSMesa is installed: apt-get install libegl1")
    os.environ["PYOPENGL_PLATFORM"] = platform
    if device_index is not None:
        os.environ["EGL_DEVICE_ID"] = str(device_index)
    return platform


def _can_load(*names: str) -> bool:
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False


def _make_offscreen() -> Offscreen:
    try:
        from cadwright.tools.rendering.pyrender_offscreen import Offscreen
    except ImportError as err:
        raise DependencyError(
            "pyrender is not installed; run: pip install pyrender-maintained"
        ) from err
    return Offscreen()


def _make_stage(scene: Scene, tags: Tags | None) -> _Stage:
    import pyrender

    parts = pyrender.Mesh([_primitive(scene, tags, LOOK.body), _inside(scene)])
    stage = pyrender.Scene(bg_color=[1.0, 1.0, 1.0, 1.0], ambient_light=[AMBIENT] * 3)
    node = stage.add(parts)
    camera = stage.add(pyrender.OrthographicCamera(1.0, 1.0, znear=NEAR, zfar=2.0 * NEAR))
    lights = tuple(
        stage.add(pyrender.DirectionalLight(color=[1.0] * 3, intensity=strength))
        for _, _, strength in LIGHTS
    )
    return _Stage(stage, node, camera, lights)


def _primitive(scene: Scene, tags: Tags | None, body: Colour) -> Any:
    """The outside of the part; with tags its corners are coloured one by one."""
    import pyrender

    mesh = scene.smooth
    positions = scene.local(scene.vertices[mesh.source])
    if tags is None:
        return pyrender.Primitive(
            positions=positions,
            normals=mesh.normals,
            indices=mesh.faces,
            material=_material(body),
        )
    corners = mesh.faces.ravel()
    palette = np.ones((3, 4))
    for tag, colour in ((PLAIN, body), (HIGHLIGHT, LOOK.highlight), (CAP, LOOK.cap)):
        palette[tag, :3] = _linear(colour)
    return pyrender.Primitive(
        positions=positions[corners],
        normals=mesh.normals[corners],
        color_0=np.repeat(palette[tags], 3, axis=0),
        indices=np.arange(len(corners)).reshape(-1, 3),
        material=_material((1.0, 1.0, 1.0)),
    )


def _inside(scene: Scene) -> Any:
    """The same triangles turned over, in the colour of the inside."""
    import pyrender

    mesh = scene.smooth
    return pyrender.Primitive(
        positions=scene.local(scene.vertices[mesh.source]),
        normals=-mesh.normals,
        indices=mesh.faces[:, ::-1],
        material=_material(LOOK.inside),
    )


def _material(colour: Colour) -> Any:
    import pyrender

    return pyrender.MetallicRoughnessMaterial(
        baseColorFactor=[*_linear(colour), 1.0],  # floats: pyrender divides integers by 255
        metallicFactor=METALLIC,
        roughnessFactor=ROUGHNESS,
    )


def _linear(colour: Colour) -> list[float]:
    return [float(c**EXPOSURE_GAMMA) for c in colour]


def _aim(stage: _Stage, scene: Scene, camera: Camera, size: Size) -> None:
    """Move the camera to its plane and the lights with it."""
    radius = scene.box.radius
    half = camera.half_mm / radius * np.asarray(size) / min(size)
    stage.camera.camera.xmag, stage.camera.camera.ymag = map(float, half)
    stage.camera.camera.zfar = NEAR + 2.0 * camera.depth_half_mm / radius
    eye = scene.local(np.asarray(camera.centre_mm))
    eye = eye + camera.axes[2] * (camera.depth_half_mm / radius + NEAR)
    stage.scene.set_pose(stage.camera, _pose(camera.axes, eye))
    for node, (azimuth, elevation, _) in zip(stage.lights, LIGHTS, strict=True):
        a, e = np.radians([azimuth, elevation])
        toward = np.array([np.cos(e) * np.sin(a), np.sin(e), np.cos(e) * np.cos(a)]) @ camera.axes
        right = np.cross(camera.axes[1], toward)
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(toward, right), toward])
        stage.scene.set_pose(node, _pose(axes, np.zeros(3)))


def _pose(axes: Floats, origin: Floats) -> Floats:
    pose = np.identity(4)
    pose[:3, :3] = axes.T
    pose[:3, 3] = origin
    return pose
