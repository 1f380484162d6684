"""Voxel grids as two published scorers make them.

Both take trimesh's surface voxels: corners of ever finer triangles, rounded to the lattice. The
points here lie no further apart, on a lattice of each triangle's own, so that a sliver costs what
its area costs. A voxel is filled when the surface touches it and shapes come out up to a voxel
thicker than they are: kept, because a protocol is only comparable with its own numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import FloatArray

Cells = npt.NDArray[np.bool_]

# cadrecon gives a grid up, with an overlap of 0, above these.
MAX_AXIS_CELLS, MAX_CELLS = 512, 8_000_000
UNIT_CELLS = 64
UNIT_FRAME = UNIT_CELLS + 4
POINT_SPACING = 0.25  # of a pitch: within 1 % of the cells that trimesh finds
ROUNDING = 1e-9  # of shares of an edge that add up to 1
CHUNK = 1 << 20  # points at once


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Occupied cells of a lattice.

    Attributes:
        cells: (x, y, z) bool.
        first: (3,) place of cell (0, 0, 0) on the lattice, in cells.
    """

    cells: Cells
    first: npt.NDArray[np.int64]

    def within(self, low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]) -> Cells:
        """Return the cells of the box from ``low`` up to ``high`` on the lattice."""
        out = np.zeros(high - low, dtype=np.bool_)
        start = np.maximum(self.first, low)
        stop = np.minimum(self.first + self.cells.shape, high)
        if (stop > start).all():
            there = tuple(slice(a, b) for a, b in zip(start - low, stop - low, strict=True))
            here = (start - self.first, stop - self.first)
            out[there] = self.cells[tuple(slice(a, b) for a, b in zip(*here, strict=True))]
        return out


def solid_grid(triangles: FloatArray, pitch_mm: float) -> Grid | None:
    """Return the voxels of a surface and of what air from outside cannot reach.

    Args:
        triangles: (m, 3, 3) mm; a cell's middle lies on a multiple of the pitch.
        pitch_mm: Edge of a voxel.

    Returns:
        The grid, or None where the shape needs more cells than are allowed.
    """
    size = np.ptp(triangles.reshape(-1, 3), axis=0) / pitch_mm + 2
    if size.max() > MAX_AXIS_CELLS or size.prod() > MAX_CELLS:
        return None
    shell = _surface_voxels(triangles, pitch_mm)
    return Grid(_without_air(shell.cells), shell.first)


def unit_grid(triangles: FloatArray) -> Cells:
    """Return BenchCAD's (68, 68, 68) grid: 64 cells to the largest extent, then put in the middle.

    Args:
        triangles: (m, 3, 3) in any unit.
    """
    from scipy.ndimage import binary_fill_holes

    points = triangles.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    unit = (triangles - (low + high) / 2) / (high - low).max() + 0.5
    cells = binary_fill_holes(_surface_voxels(unit, 1.0 / UNIT_CELLS).cells)
    frame = np.zeros((UNIT_FRAME,) * 3, dtype=np.bool_)
    shape = np.minimum(cells.shape, UNIT_FRAME)
    start = (UNIT_FRAME - shape) // 2
    frame[tuple(slice(a, a + n) for a, n in zip(start, shape, strict=True))] = cells[
        tuple(slice(0, n) for n in shape)
    ]
    return frame


def _surface_voxels(triangles: FloatArray, pitch: float) -> Grid:
    """Return the cells that hold a point of the surface."""
    found = [_places(chunk, pitch) for chunk in _chunks(triangles, pitch)]
    places = np.unique(np.concatenate(found), axis=0)
    first = places.min(axis=0)
    cells = np.zeros(places.max(axis=0) - first + 1, dtype=np.bool_)
    cells[tuple((places - first).T)] = True
    return Grid(cells, first)


def _chunks(triangles: FloatArray, pitch: float) -> list[FloatArray]:
    total = np.cumsum(_steps(_cornered(triangles), pitch).prod(axis=1))
    borders = np.searchsorted(total, np.arange(CHUNK, total[-1], CHUNK))
    return [chunk for chunk in np.split(triangles, borders) if len(chunk)]


def _places(triangles: FloatArray, pitch: float) -> npt.NDArray[np.int64]:
    """Return (k, 3) lattice places, each once, of points a quarter of a pitch apart at most."""
    corners = _cornered(triangles)
    steps = _steps(corners, pitch)
    counts = steps.prod(axis=1)
    owner = np.repeat(np.arange(len(corners)), counts)
    index = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    u = index // steps[owner, 1] / np.maximum(steps[owner, 0] - 1, 1)
    v = index % steps[owner, 1] / np.maximum(steps[owner, 1] - 1, 1)
    owner, u, v = (values[u + v <= 1.0 + ROUNDING] for values in (owner, u, v))
    a, b, c = (corners[owner, k] for k in range(3))
    points = a + u[:, None] * (b - a) + v[:, None] * (c - a)
    return np.unique(np.rint(points / pitch).astype(np.int64), axis=0)


def _cornered(triangles: FloatArray) -> FloatArray:
    """Turn each triangle so that its longest edge lies opposite its first corner."""
    opposite = np.linalg.norm(triangles[:, (2, 0, 1)] - triangles[:, (1, 2, 0)], axis=2)
    order = (opposite.argmax(axis=1)[:, None] + np.arange(3)) % 3
    turned: FloatArray = np.take_along_axis(triangles, order[:, :, None], axis=1)
    return turned


def _steps(corners: FloatArray, pitch: float) -> npt.NDArray[np.int64]:
    """Return (m, 2) points along both short edges, their ends included."""
    lengths = np.linalg.norm(corners[:, 1:] - corners[:, :1], axis=2)
    steps: npt.NDArray[np.int64] = np.ceil(lengths / (pitch * POINT_SPACING)).astype(np.int64)
    return steps + 1


def _without_air(shell: Cells) -> Cells:
    """Fill everything that is not joined to the outside: a through-hole stays open."""
    from scipy.ndimage import label

    regions, _ = label(~np.pad(shell, 1))
    solid: Cells = (regions != regions[0, 0, 0])[1:-1, 1:-1, 1:-1]
    return solid
