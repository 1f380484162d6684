"""Approximate occupancy of triangles on a grid, for shapes that exact booleans cannot take.

Each cell centre is called inside by a vote of three lines, one per axis: how many surfaces the
line crosses on its way there, counted with their direction. A line that enters and leaves
unequally often ran through a leak and abstains, so a missing triangle does not flood the shape.
The result is an estimate and is labelled as one wherever it is shown.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import FloatArray

Occupancy = npt.NDArray[np.bool_]

# Triangle-column pairs looked at together: bounds the memory to about 100 MB.
CHUNK = 1 << 20
# Shifts the grid off the round coordinates where model faces lie, as a share of a cell.
OFF_GRID = (0.0123, 0.0219, 0.0317)


def occupancy(triangles: FloatArray, low: FloatArray, high: FloatArray, cells: int) -> Occupancy:
    """Return which cells of a box lie inside a surface.

    Args:
        triangles: (m, 3, 3) mm.
        low: (3,) mm, corner of the box.
        high: (3,) mm, opposite corner; above ``low`` on every axis.
        cells: Cells along each axis; they are as stretched as the box.

    Returns:
        (cells, cells, cells) bool.
    """
    scaled = (triangles - low) / (high - low) * cells - np.array(OFF_GRID)
    votes = np.zeros((cells, cells, cells), np.int8)
    for axis in range(3):
        rolled = np.roll(scaled, -axis - 1, axis=2)  # the voting axis comes last
        votes += np.moveaxis(_votes_along_z(rolled, cells), (0, 1, 2), _places(axis))
    return votes > 0


def _places(axis: int) -> tuple[int, int, int]:
    return ((axis + 1) % 3, (axis + 2) % 3, axis)


def _votes_along_z(triangles: FloatArray, cells: int) -> npt.NDArray[np.int8]:
    """Return (x, y, z) votes: 1 inside, -1 outside, 0 along a line that leaks."""
    crossings = np.zeros((cells, cells, cells + 1), np.int32)
    for chunk in _chunks(triangles, cells):
        _add_crossings(chunk, cells, crossings)
    depth = np.cumsum(crossings, axis=2)
    votes = np.where(depth[:, :, :cells] > 0, 1, -1).astype(np.int8)
    votes[depth[:, :, cells] != 0] = 0
    return votes


def _chunks(triangles: FloatArray, cells: int) -> list[FloatArray]:
    _, size = _footprints(triangles, cells)
    pairs = np.cumsum(size.prod(axis=1))
    total = int(pairs[-1]) if len(pairs) else 0
    borders = np.searchsorted(pairs, np.arange(CHUNK, total, CHUNK))
    return [chunk for chunk in np.split(triangles, borders) if len(chunk)]


def _footprints(
    triangles: FloatArray, cells: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the first column and the number of columns (x, y) under each triangle's box."""
    flat = triangles[:, :, :2]
    first = np.clip(np.ceil(flat.min(axis=1) - 0.5), 0, cells).astype(np.int64)
    last = np.clip(np.floor(flat.max(axis=1) - 0.5), -1, cells - 1).astype(np.int64)
    return first, np.maximum(last - first + 1, 0)


def _add_crossings(triangles: FloatArray, cells: int, crossings: npt.NDArray[np.int32]) -> None:
    """Count each triangle in the columns that it covers, at the first centre above it."""
    owner, x, y = _columns(triangles, cells)
    a, b, c = (triangles[owner, i] for i in range(3))
    ab, bc, ca = (_cross(p, q, x, y) for p, q in ((a, b), (b, c), (c, a)))
    area = ab + bc + ca
    is_left = (ab >= 0) & (bc >= 0) & (ca >= 0)
    is_right = (ab <= 0) & (bc <= 0) & (ca <= 0)
    covered = (is_left | is_right) & (area != 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (bc * a[:, 2] + ca * b[:, 2] + ab * c[:, 2]) / area
    level = np.clip(np.ceil(z[covered] - 0.5), 0, cells).astype(np.int64)
    columns = (np.floor(x[covered]).astype(np.int64), np.floor(y[covered]).astype(np.int64))
    # a triangle that faces down is where an upward line enters
    np.add.at(crossings, (*columns, level), np.where(area[covered] < 0, 1, -1))


def _columns(
    triangles: FloatArray, cells: int
) -> tuple[npt.NDArray[np.int64], FloatArray, FloatArray]:
    """Return all pairs of a triangle and a column centre under its box."""
    first, size = _footprints(triangles, cells)
    count = size.prod(axis=1)
    owner = np.repeat(np.arange(len(triangles)), count)
    index = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    width = np.maximum(size[owner, 1], 1)
    x = first[owner, 0] + index // width + 0.5
    y = first[owner, 1] + index % width + 0.5
    return owner, x, y


def _cross(p: FloatArray, q: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    turn: FloatArray = (q[:, 0] - p[:, 0]) * (y - p[:, 1]) - (q[:, 1] - p[:, 1]) * (x - p[:, 0])
    return turn
