"""One rendered picture with its data, and the interface that every backend offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import InfraError
from cadwright.tools.rendering.camera import VIEWS, Camera, SheetCameras
from cadwright.tools.rendering.look import LOOK_VERSION
from cadwright.tools.rendering.scene import Scene

Pixels = npt.NDArray[np.uint8]
Size = tuple[int, int]  # width, height in pixels

MIN_PX, MAX_PX = 16, 4096


class RenderFailure(InfraError):
    """A backend cannot start, or lost its context: another one may still draw."""


@dataclass(frozen=True, eq=False)
class Frame:
    """What one camera sees of one scene.

    Attributes:
        colour: (H, W, 3) uint8 RGB.
        depth: (H, W) float32 from 0 at the camera plane to 1 at the end of the camera's range;
            1 where nothing is hit.
        triangle: (H, W) number of the scene's triangle at the pixel's centre, any value where
            nothing is hit.
        camera: Where it was seen from.
        backend: Backend label, for example ``moderngl``.
        scene: What was drawn.
    """

    colour: Pixels
    depth: npt.NDArray[np.float32]
    triangle: npt.NDArray[np.float32] | npt.NDArray[np.int32]
    camera: Camera
    backend: str
    scene: Scene

    @cached_property
    def mask(self) -> npt.NDArray[np.bool_]:
        """(H, W) bool, where the part is."""
        return self.depth < 1.0

    @cached_property
    def depth_mm(self) -> npt.NDArray[np.float32]:
        """(H, W) float32 from the camera plane, inf where nothing is hit."""
        reach = np.float32(2.0 * self.camera.depth_half_mm)
        return np.where(self.mask, self.depth * reach, np.float32(np.inf))

    @cached_property
    def triangles(self) -> npt.NDArray[np.int32]:
        """(H, W) int32 triangle of the scene, -1 for background."""
        return np.where(self.mask, self.triangle, -1).astype(np.int32)

    @cached_property
    def face_ids(self) -> npt.NDArray[np.int32]:
        """(H, W) int32 face of the part at each pixel, -1 for background."""
        ids = self.scene.face_ids[np.maximum(self.triangles, 0)]
        return np.where(self.mask, ids, np.int32(-1))

    @cached_property
    def normals(self) -> npt.NDArray[np.float32]:
        """(H, W, 3) float32 unit normals of the part's space as wound, 0 for background."""
        normals = self.scene.normals.astype(np.float32)[np.maximum(self.triangles, 0)]
        return np.where(self.mask[..., None], normals, np.float32(0.0))

    @property
    def is_blank(self) -> bool:
        """Whether no pixel shows the part."""
        return not bool(self.mask.any())

    @property
    def render_id(self) -> str:
        """Backend, camera, size and version: equal ids and equal parts give equal pixels."""
        height, width = self.depth.shape
        return render_id(self.backend, camera_text(self.camera), (width, height))


class Renderer(Protocol):
    """A backend. One instance serves one thread; its resources are reused from call to call."""

    @property
    def name(self) -> str:
        """Backend label that goes into render ids."""

    @property
    def device(self) -> str:
        """What draws: the GL renderer string, or the ray tracer."""

    def render(
        self,
        scene: Scene,
        cameras: Sequence[Camera],
        size: Size,
        *,
        highlight: frozenset[int] = frozenset(),
    ) -> list[Frame]:
        """Draw ``scene`` once per camera at (width, height) ``size``.

        Args:
            scene: What to draw.
            cameras: One or more cameras.
            size: Width and height of each picture in pixels.
            highlight: Face ids painted in the highlight colour.

        Raises:
            RenderFailure: The backend cannot draw any more; make a new one.
        """

    def close(self) -> None:
        """Free everything. Idempotent."""


def render_id(backend: str, camera: str, size: Size) -> str:
    """Compose the id that goes with every picture."""
    return f"{backend}/{camera}/{size[0]}x{size[1]}/{LOOK_VERSION}"


def camera_text(camera: Camera) -> str:
    """Name a camera so that ``parse_camera`` can build it again."""
    x, y, z = camera.centre_mm
    reach = (camera.half_mm, camera.depth_half_mm)
    numbers = (camera.azimuth_deg, camera.elevation_deg, x, y, z, *reach)
    return camera.name + ":" + ",".join(f"{n:.9g}" for n in numbers)


def sheet_text(cameras: SheetCameras) -> str:
    """Name the cameras of a sheet so that ``parse_sheet`` can build them again."""
    return "sheet|" + "|".join(camera_text(camera) for camera in (cameras.front, cameras.iso))


def parse_sheet(text: str) -> SheetCameras | None:
    """Return the cameras that ``sheet_text`` named, or None where ``text`` is something else."""
    kind, _, tail = text.partition("|")
    front, iso = (parse_camera(part) for part in (tail.partition("|")[::2]))
    if kind != "sheet" or front is None or iso is None:
        return None
    top, right = (_turned(front, view) for view in ("top", "right"))
    return SheetCameras(top, iso, front, right)


def _turned(camera: Camera, view: str) -> Camera:
    azimuth, elevation = VIEWS[view]
    return replace(camera, name=view, azimuth_deg=azimuth, elevation_deg=elevation)


def parse_camera(text: str) -> Camera | None:
    """Return the camera that ``camera_text`` named, or None where ``text`` is something else."""
    name, _, tail = text.partition(":")
    try:
        azimuth, elevation, x, y, z, half, depth_half = (float(n) for n in tail.split(","))
    except ValueError:
        return None
    return Camera(name, azimuth, elevation, (x, y, z), half, depth_half)
