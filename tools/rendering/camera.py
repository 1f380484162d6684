"""Orthographic cameras: where they look from, what they show, how a render id names them.

Conventions: Z is up. The front view looks along +Y with X to the right, the right view looks
from +X, the top view looks from +Z with Y up on the picture (third-angle projection).
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from cadwright.tools.errors import ToolError
from cadwright.tools.geometry.part import Vector
from cadwright.tools.rendering.framing import FramedBox
from cadwright.tools.rendering.topology import Floats

MARGIN = 1.16  # picture edge to part edge, so that labels find room
DEPTH_MARGIN = 1.02  # keeps the nearest and farthest point clear of the clip planes
MAX_ZOOM = 10_000.0

_ISO_DEG = math.degrees(math.atan(1.0 / math.sqrt(2.0)))
VIEWS: dict[str, tuple[float, float]] = {  # azimuth and elevation of the camera, degrees
    "front": (-90.0, 0.0),
    "back": (90.0, 0.0),
    "left": (180.0, 0.0),
    "right": (0.0, 0.0),
    "top": (-90.0, 90.0),
    "bottom": (-90.0, -90.0),
    "iso": (-45.0, _ISO_DEG),
    "iso_left": (-135.0, _ISO_DEG),
    "iso_back": (45.0, _ISO_DEG),
    "iso_back_left": (135.0, _ISO_DEG),
}


@dataclass(frozen=True, slots=True)
class Camera:
    """An orthographic camera.

    Attributes:
        name: A name of ``VIEWS``, or ``free``.
        azimuth_deg: From +X towards +Y, of the direction from the part to the camera.
        elevation_deg: Above the XY plane, of the same direction.
        centre_mm: The point in the middle of the picture.
        half_mm: Half of what the shorter side of the picture shows.
        depth_half_mm: Half the depth range; the camera plane lies this far before the centre.
    """

    name: str
    azimuth_deg: float
    elevation_deg: float
    centre_mm: Vector
    half_mm: float
    depth_half_mm: float

    @property
    def axes(self) -> Floats:
        """(3, 3): rows are right, up and towards the viewer, unit vectors of the part's space."""
        return view_axes(self.azimuth_deg, self.elevation_deg)

    def mm_per_px(self, size: tuple[int, int]) -> float:
        """Return the size of a pixel of a (width, height) picture."""
        return 2.0 * self.half_mm / min(size)

    def zoomed(self, zoom: float, pan_mm: tuple[float, float] = (0.0, 0.0)) -> Camera:
        """Return a camera that magnifies ``zoom`` times and looks ``pan_mm`` (right, up) aside."""
        if not (math.isfinite(zoom) and 1.0 / MAX_ZOOM <= zoom <= MAX_ZOOM):
            raise ToolError(f"zoom is {zoom!r}, allowed: {1.0 / MAX_ZOOM:g} to {MAX_ZOOM:g}")
        if not all(math.isfinite(p) for p in pan_mm):
            raise ToolError(f"pan must be two finite numbers in mm, not {pan_mm!r}")
        aside = pan_mm[0] * self.axes[0] + pan_mm[1] * self.axes[1]
        centre = np.asarray(self.centre_mm) + aside
        return replace(self, centre_mm=vector(centre), half_mm=self.half_mm / zoom)

    def project(self, points: Floats, size: tuple[int, int]) -> Floats:
        """Return (n, 3): column and row in pixels of a (width, height) picture, depth in mm."""
        local = (points - np.asarray(self.centre_mm)) @ self.axes.T
        scale = 1.0 / self.mm_per_px(size)
        column = size[0] / 2.0 + local[:, 0] * scale
        row = size[1] / 2.0 - local[:, 1] * scale
        return np.stack([column, row, self.depth_half_mm - local[:, 2]], axis=1)


@dataclass(frozen=True, slots=True)
class SheetCameras:
    """The four cameras of a view sheet; the first three share one scale and one centre."""

    top: Camera
    iso: Camera
    front: Camera
    right: Camera

    @property
    def ordered(self) -> tuple[Camera, Camera, Camera, Camera]:
        """Row by row."""
        return (self.top, self.iso, self.front, self.right)

    @classmethod
    def around(cls, box: FramedBox, points: Floats) -> SheetCameras:
        """Frame ``points`` (n, 3) of ``box``."""
        iso = camera_at(box, points, *VIEWS["iso"], name="iso")
        top, front, right = (aligned_camera(box, view) for view in ("top", "front", "right"))
        return cls(top, iso, front, right)


@lru_cache(maxsize=256)
def view_axes(azimuth_deg: float, elevation_deg: float) -> Floats:
    """Return (3, 3) rows right, up, toward for a viewing direction; read-only."""
    a, e = math.radians(azimuth_deg), math.radians(elevation_deg)
    toward = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    right = np.array([-math.sin(a), math.cos(a), 0.0])
    axes = np.stack([right, np.cross(toward, right), toward])
    axes = np.round(axes, 12) + 0.0  # exact zeros: an axis view must see flat faces edge-on
    axes.setflags(write=False)
    return axes


def direction_of(view: str) -> tuple[float, float]:
    """Return azimuth and elevation of a named view.

    Raises:
        ToolError: No such view; the message lists them.
    """
    if view not in VIEWS:
        near = difflib.get_close_matches(str(view), VIEWS, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise ToolError(f"there is no view {view!r}{hint}: use {', '.join(VIEWS)}")
    return VIEWS[view]


def camera_at(
    box: FramedBox, points: Floats, azimuth_deg: float, elevation_deg: float, name: str = "free"
) -> Camera:
    """Frame ``points`` (n, 3) of ``box`` from any direction."""
    if not (math.isfinite(azimuth_deg) and -90.0 <= elevation_deg <= 90.0):
        raise ToolError(
            f"azimuth {azimuth_deg!r}, elevation {elevation_deg!r}: give degrees, with the "
            "elevation from -90 to 90"
        )
    axes = view_axes(azimuth_deg, elevation_deg)
    local = (points - box.centre) @ axes[:2].T
    low, high = local.min(axis=0), local.max(axis=0)
    centre = box.centre + (low + high) / 2.0 @ axes[:2]
    half = max(float((high - low).max()) / 2.0, box.radius * 1e-3)  # a needle seen from its end
    return Camera(
        name, azimuth_deg, elevation_deg, vector(centre), half * MARGIN, box.radius * DEPTH_MARGIN
    )


def aligned_camera(box: FramedBox, view: str) -> Camera:
    """Return a named view centred on the box, at the scale that all axis views share."""
    half = float(box.size.max()) / 2.0 * MARGIN
    return Camera(
        view,
        *direction_of(view),
        centre_mm=vector(box.centre),
        half_mm=max(half, box.radius * 1e-3),
        depth_half_mm=box.radius * DEPTH_MARGIN,
    )


def vector(values: Floats) -> Vector:
    """Return three plain floats."""
    x, y, z = (float(v) for v in values)
    return (x, y, z)
