"""The measured sheet: a small picture at a fixed scale, from which lengths can be read.

    +--------------------------+
    | A 56 | B 40 | C 8 |      |   dimension table, 32 px; empty where there is none
    +--------------------------+
    | top         | isometric  |   64 px, 1 px per mm, grid lines every 10 mm
    +-------------+------------+
    | front, cut  | right      |   the front view is cut open through the middle of the part
    | in half     |            |   and shows cut material dark
    +-------------+------------+

In the three flat views brightness falls with the distance from the viewer, and black lines stand
where one face ends. A part of more than 60 mm is drawn at half the scale, then a fifth, a tenth
and so on; its grid lines stay 10 mm apart. All of it is plain numpy, so that a policy which was
trained on these pictures sees the same ones on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering.figures import written
from cadwright.tools.rendering.spans import Floats, Surface, nearest_surface
from cadwright.tools.tool import ImageBlock

MEASURED_VERSION = "measured/2"
VIEW_PX, STRIP_PX = 64, 32
LARGEST_MM = 60.0  # drawn at full scale
FINE = 2  # pixels are drawn this many times finer and averaged
ISO_SCALE = 0.58  # a cube of 60 mm fits
GRID_MM = 10.0
PAPER, GRID, CUT, INK = 255.0, 225.0, 96.0, 0.0
NEAR, PER_MM, DARKEST = 240.0, 1.6, 130.0  # brightness of faces: nearest, loss, floor

Grey = npt.NDArray[np.uint8]

_ISO = np.array([[1, 1, 0], [1, -1, -2], [1, -1, 1]]) / np.sqrt([[2.0], [6.0], [3.0]])
AXES = {  # rows: right, down, towards the viewer
    "top": np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, 1]]),
    "iso": _ISO,
    "front": np.array([[1.0, 0, 0], [0, 0, -1], [0, -1, 0]]),
    "right": np.array([[0, 1.0, 0], [0, 0, -1], [1, 0, 0]]),
}
_LIGHT = np.array([0.35, -0.55, 0.75])


def measured_sheet(mesh: Mesh, table: Sequence[int] = ()) -> Grey:
    """Draw a part at a fixed scale, (160, 128) uint8.

    Args:
        mesh: Triangles in mm; the middle of their bounding box comes to the middle of each view.
        table: Dimensions for the strip at the top, at most eight, 0 to 99.
    """
    solid = Solid(mesh, Frame.of(mesh))
    top, iso, front, right = (solid.view(name) for name in AXES)
    views = np.block([[top, iso], [front, right]])
    return np.vstack([_strip(table), views]).astype(np.uint8)


def measured_block(mesh: Mesh, table: Sequence[int] = ()) -> ImageBlock:
    """Draw a part as a picture of an observation.

    Args:
        mesh: What to draw.
        table: Dimensions for the strip at the top.
    """
    words = "measured sheet: top, isometric, front cut in half, right"
    return block_of(np.stack([measured_sheet(mesh, table)] * 3, axis=-1), Frame.of(mesh), words)


def block_of(pixels: npt.NDArray[np.uint8], frame: Frame, words: str) -> ImageBlock:
    """Return a sheet (160, 128, 3) as a picture of an observation; the caption says its scale."""
    label = f"{MEASURED_VERSION}/{frame.scale:g}/{pixels.shape[1]}x{pixels.shape[0]}"
    return ImageBlock(pixels, label, f"{words}; {frame.scale:g} px per mm")


def with_table(sheet: Grey, table: Sequence[int]) -> Grey:
    """Return a sheet with another dimension table."""
    return np.vstack([_strip(table).astype(np.uint8), sheet[STRIP_PX:]])


def scale_for(extent_mm: float) -> float:
    """Return pixels per mm for a part of this largest extent: 1, 1/2, 1/5, 1/10, 1/20 ..."""
    needed = extent_mm / LARGEST_MM
    decade = 10.0 ** math.floor(math.log10(max(needed, 1.0)))
    steps = (1.0, 2.0, 5.0, 10.0)
    return 1.0 / next(decade * s for s in steps if decade * s * (1 + 1e-9) >= needed)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What a sheet shows of space.

    Attributes:
        middle: (3,) point in mm that comes to the middle of each view.
        scale: Pixels per mm.
    """

    middle: Floats
    scale: float

    @classmethod
    def of(cls, mesh: Mesh) -> Frame:
        """Return the frame that holds a mesh."""
        corners = mesh.vertices[mesh.faces]
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        return cls((low + high) / 2.0, scale_for(float((high - low).max())))


class Solid:
    """A mesh that can be seen from several sides.

    Args:
        mesh: Triangles in mm.
        frame: What is seen of space.
    """

    def __init__(self, mesh: Mesh, frame: Frame) -> None:
        self.frame = frame
        corners = mesh.vertices[mesh.faces]
        self._corners = corners - frame.middle
        self._half = (corners.max(axis=(0, 1)) - corners.min(axis=(0, 1))) / 2.0
        self._faces = mesh.face_ids.astype(np.int64)
        normals = np.cross(
            self._corners[:, 1] - self._corners[:, 0], self._corners[:, 2] - self._corners[:, 0]
        )
        self._normals = normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-12)[:, None]

    def view(self, name: str) -> Floats:
        """Draw one view, (64, 64)."""
        seen = self.seen(name)
        picture = self._shaded(seen) if name == "iso" else self._flat(seen, name)
        picture[self._lines(seen, name)] = INK
        averaged: Floats = picture.reshape(VIEW_PX, FINE, VIEW_PX, FINE).mean(axis=(1, 3))
        return averaged

    def seen(self, name: str) -> Surface:
        """Return the nearest surface, (128, 128); the front view is cut open at the middle."""
        side = VIEW_PX * FINE
        pixels = self._corners @ AXES[name].T
        scale = self.frame.scale * FINE * (ISO_SCALE if name == "iso" else 1.0)
        pixels[..., :2] = pixels[..., :2] * scale + side / 2.0
        return nearest_surface(pixels, (side, side), 0.0 if name == "front" else np.inf)

    def is_cut(self, seen: Surface, name: str) -> npt.NDArray[np.bool_]:
        """Where the nearest face is seen from behind: only a cut lets one look there."""
        facing = self._normals @ AXES[name][2]
        is_behind: npt.NDArray[np.bool_] = facing[np.maximum(seen.triangle, 0)] < 0.0
        return (seen.triangle >= 0) & is_behind

    def _flat(self, seen: Surface, name: str) -> Floats:
        """Grey by depth, on a grid; material that was cut is dark."""
        scale = self.frame.scale
        nearest = float(np.abs(AXES[name][2]) @ self._half)
        below = np.where(seen.triangle >= 0, nearest - seen.depth, 0.0) * scale
        shade = np.maximum(NEAR - PER_MM * below, DARKEST)
        shade[self.is_cut(seen, name)] = CUT
        return np.where(seen.triangle >= 0, shade, _grid(scale))

    def _shaded(self, seen: Surface) -> Floats:
        """Grey by the direction that a face looks in."""
        light = np.clip(self._normals @ _LIGHT, 0.0, 1.0)
        shade = 70.0 + 150.0 * light[np.maximum(seen.triangle, 0)]
        return np.where(seen.triangle >= 0, shade, PAPER)

    def _lines(self, seen: Surface, name: str) -> npt.NDArray[np.bool_]:
        """Where a face ends; the pixel on the nearer side is drawn."""
        is_cut = self.is_cut(seen, name)
        face = np.where(seen.triangle >= 0, self._faces[np.maximum(seen.triangle, 0)], -1)
        face[is_cut] = -2
        depth = np.where(is_cut, 0.0, seen.depth)
        lines = np.zeros(face.shape, dtype=np.bool_)
        _mark(lines, face, depth)
        _mark(lines.T, face.T, depth.T)
        return lines


def _mark(lines: npt.NDArray[np.bool_], face: npt.NDArray[np.int64], depth: Floats) -> None:
    """Mark in place where neighbours in one column belong to different faces."""
    ends = face[:-1] != face[1:]
    upper = depth[:-1] >= depth[1:]
    lines[:-1] |= ends & upper
    lines[1:] |= ends & ~upper


def _grid(scale: float) -> Floats:
    """Return paper with lines every 10 mm through the middle, (128, 128)."""
    side = VIEW_PX * FINE
    grid = np.full((side, side), PAPER)
    reach = int(VIEW_PX / 2 / scale // GRID_MM)
    steps = np.arange(-reach, reach + 1) * GRID_MM * scale * FINE + side / 2.0
    at = np.clip(np.rint(steps).astype(np.int64), 0, side - FINE)
    for line in range(FINE):
        grid[at + line, :] = GRID
        grid[:, at + line] = GRID
    return grid


def _strip(table: Sequence[int]) -> Floats:
    """Return the dimension table, (32, 128): a letter and a number in each cell of 32 x 16 px."""
    strip = np.full((STRIP_PX, 2 * VIEW_PX), PAPER)
    for number, value in enumerate(table):
        row, column = (number % 2) * 16, (number // 2) * 32
        for text, start in ((chr(ord("A") + number), 5), (f"{value:2d}", 18)):
            ink = written(text)
            rows, columns = ink.shape
            place = strip[row + 1 : row + 1 + rows, column + start : column + start + columns]
            place[ink] = INK
    return strip
