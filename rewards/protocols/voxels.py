"""Voxel grids as two published scorers make them, on trimesh's surface voxels.

A voxel is filled when the surface touches it, so shapes come out up to a voxel thicker than they
are: kept, because a protocol is only comparable with its own numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import FloatArray

Cells = npt.NDArray[np.bool_]

# cadrecon gives a grid up, with an overlap of 0, above these.
MAX_AXIS_CELLS, MAX_CELLS = 512, 8_000_000
UNIT_CELLS = 64
UNIT_FRAME = UNIT_CELLS + 4


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
    first = np.rint(np.asarray(shell.transform)[:3, 3] / pitch_mm).astype(np.int64)
    return Grid(_without_air(np.asarray(shell.matrix, dtype=np.bool_)), first)


def unit_grid(triangles: FloatArray) -> Cells:
    """Return BenchCAD's (68, 68, 68) grid: 64 cells to the largest extent, then put in the middle.

    Args:
        triangles: (m, 3, 3) in any unit.
    """
    points = triangles.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    unit = (triangles - (low + high) / 2) / (high - low).max() + 0.5
    cells = np.asarray(_surface_voxels(unit, 1.0 / UNIT_CELLS).fill().matrix, dtype=np.bool_)
    frame = np.zeros((UNIT_FRAME,) * 3, dtype=np.bool_)
    shape = np.minimum(cells.shape, UNIT_FRAME)
    start = (UNIT_FRAME - shape) // 2
    frame[tuple(slice(a, a + n) for a, n in zip(start, shape, strict=True))] = cells[
        tuple(slice(0, n) for n in shape)
    ]
    return frame


def _surface_voxels(triangles: FloatArray, pitch: float) -> Any:
    """Return trimesh's grid of the cells that triangles touch."""
    import trimesh

    vertices = triangles.reshape(-1, 3)
    faces = np.arange(len(vertices)).reshape(-1, 3)
    return trimesh.Trimesh(vertices, faces, process=False).voxelized(pitch)


def _without_air(shell: Cells) -> Cells:
    """Fill everything that is not joined to the outside: a through-hole stays open."""
    from scipy.ndimage import label

    regions, _ = label(~np.pad(shell, 1))
    solid: Cells = (regions != regions[0, 0, 0])[1:-1, 1:-1, 1:-1]
    return solid
