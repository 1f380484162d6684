"""IoU of many pairs of closed surfaces along columns, with torch.

Vertical lines are cut by the triangles of both shapes: exactly along the line, so that only the
places of the lines are a sample. There is one line in each cell of a square grid, shifted inside
its cell by an irrational share of the other coordinate. Model faces stand along the axes: on a
regular grid every one of them would be rounded the same way all along, here the error averages
out. No volume grid is ever made, so memory grows with the surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from cadwright.tools.geometry.part import FloatArray

Tensor: TypeAlias = Any  # torch.Tensor: torch is optional and is not looked into by the type check

# Shares of a cell by which the line moves from row to row and from column to column.
SHIFT_X, SHIFT_Y = 0.6180339887498949, 0.4142135623730950
# Where the first line of a row stands: not on the border of the box.
START = 0.137
# Room around both shapes, as a share of the box; heights end just below 1.
ROOM, BELOW_ONE = 1e-3, 1.0 - 1e-9
BYTES_PER_CANDIDATE = 200  # what one triangle over one cell takes while it is looked at


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Overlap of n pairs.

    Attributes:
        iou: (n,) NaN where both shapes are missed by every line.
        leaks: (n,) share of the lines through a shape that enter and leave it unequally often.
    """

    iou: FloatArray
    leaks: FloatArray


class Columns:
    """Lines over a square grid.

    Args:
        torch: The module.
        device: A ``torch.device``.
        count: Lines along each of x and y.
        memory_bytes: Roughly what may be used while triangles are matched with lines.
    """

    def __init__(self, torch: Any, device: Any, *, count: int, memory_bytes: int) -> None:
        self._torch = torch
        self._device = device
        self._count = count
        self._step = max(1, memory_bytes // BYTES_PER_CANDIDATE)

    def overlaps(self, ours: Sequence[FloatArray], theirs: Sequence[FloatArray]) -> Overlaps:
        """Return the overlap of each shape with its partner.

        Args:
            ours: (m, 3, 3) triangles of closed surfaces, facing outwards.
            theirs: As many, in the same frames.
        """
        torch, num = self._torch, len(ours)
        boxes = [_common_box(a, b) for a, b in zip(ours, theirs, strict=True)]
        one, two = (self._crossings(shapes, boxes) for shapes in (ours, theirs))
        line = torch.cat([one.line, two.line])
        height = torch.cat([one.height, two.height])
        zeros = (torch.zeros_like(found.turn) for found in (two, one))
        turns = torch.stack(
            [torch.cat([one.turn, next(zeros)]), torch.cat([next(zeros), two.turn])]
        )
        is_leaky = self._leaky_lines(line, turns, num)
        order = torch.argsort(line + height)  # 0 <= height < 1: within each line from below
        line, height, turns = line[order], height[order], turns[:, order]
        turns = turns * ~is_leaky[line]
        inside = turns.cumsum(dim=1)[:, :-1] > 0
        length = torch.where(line[1:] == line[:-1], height[1:] - height[:-1], 0.0)
        pair = torch.div(line[:-1], self._count**2, rounding_mode="floor")
        common, union = (
            torch.zeros(num, dtype=length.dtype, device=self._device).index_add_(
                0, pair, length * where
            )
            for where in (inside.all(dim=0), inside.any(dim=0))
        )
        return Overlaps(_array(common / union), self._leak_shares(line, is_leaky, num))

    def _leaky_lines(self, line: Tensor, turns: Tensor, num: int) -> Tensor:
        """Return which lines do not leave each shape as often as they enter it."""
        total = self._torch.zeros((2, num * self._count**2), dtype=turns.dtype, device=self._device)
        return (total.index_add_(1, line, turns) != 0).any(dim=0)

    def _leak_shares(self, line: Tensor, is_leaky: Tensor, num: int) -> FloatArray:
        is_hit = self._torch.zeros_like(is_leaky)
        is_hit[line] = True
        hits, leaks = (
            where.view(num, -1).sum(dim=1).double() for where in (is_hit, is_leaky & is_hit)
        )
        return _array(leaks / hits.clamp(min=1))

    def _crossings(
        self, shapes: Sequence[FloatArray], boxes: Sequence[tuple[FloatArray, FloatArray]]
    ) -> _Crossings:
        """Return where the surfaces of shapes cross the lines of their boxes."""
        torch = self._torch
        scale = np.array([self._count, self._count, 1.0])
        scaled = [
            (shape - low) / (high - low) * scale
            for shape, (low, high) in zip(shapes, boxes, strict=True)
        ]
        owners = np.repeat(np.arange(len(shapes)), [len(shape) for shape in shapes])
        triangles = torch.from_numpy(np.concatenate(scaled)).to(self._device)
        owners = torch.from_numpy(owners).to(self._device)
        first = triangles[:, :, :2].amin(dim=1).floor().clamp(0, self._count - 1).long()
        last = triangles[:, :, :2].amax(dim=1).floor().clamp(0, self._count - 1).long()
        size = last - first + 1
        ends = size.prod(dim=1).cumsum(dim=0)
        borders = torch.tensor([*range(self._step, int(ends[-1]), self._step)]).long()
        cuts = torch.searchsorted(ends, borders.to(self._device)).tolist()
        found = [
            self._cross(triangles[a:b], owners[a:b], first[a:b], size[a:b])
            for a, b in pairwise([0, *cuts, len(triangles)])
            if b > a
        ]
        return _Crossings(*(torch.cat(column) for column in zip(*found, strict=True)))

    def _cross(
        self, triangles: Tensor, owners: Tensor, first: Tensor, size: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return line, height and direction of every crossing of some triangles."""
        torch, count = self._torch, self._count
        number = size.prod(dim=1)
        owner = torch.repeat_interleave(number)
        index = torch.arange(len(owner), device=self._device)
        index = index - (number.cumsum(dim=0) - number)[owner]
        column = first[owner, 0] + torch.div(index, size[owner, 1], rounding_mode="floor")
        row = first[owner, 1] + index % size[owner, 1]
        x = column + (START + row * SHIFT_X) % 1.0
        y = row + (START + column * SHIFT_Y) % 1.0
        a, b, c = (triangles[owner, k] for k in range(3))
        ab, bc, ca = (_turn(p, q, x, y) for p, q in ((a, b), (b, c), (c, a)))
        area = ab + bc + ca
        is_left = (ab >= 0) & (bc >= 0) & (ca >= 0)
        is_right = (ab <= 0) & (bc <= 0) & (ca <= 0)
        hit = ((is_left | is_right) & (area != 0)).nonzero()[:, 0]
        height = (bc * a[:, 2] + ca * b[:, 2] + ab * c[:, 2])[hit] / area[hit]
        line = (owners[owner] * count + column) * count + row
        # a triangle that faces down is where a line from below enters
        turn = torch.where(area[hit] < 0, 1, -1).to(torch.int32)
        return line[hit], height.clamp(0.0, BELOW_ONE), turn


@dataclass(frozen=True, slots=True)
class _Crossings:
    """Where lines cross surfaces.

    Attributes:
        line: (k,) int64.
        height: (k,) float64 from 0 to just below 1 along the line.
        turn: (k,) int32, 1 where the line enters, -1 where it leaves.
    """

    line: Tensor
    height: Tensor
    turn: Tensor


def _turn(p: Tensor, q: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return (q[:, 0] - p[:, 0]) * (y - p[:, 1]) - (q[:, 1] - p[:, 1]) * (x - p[:, 0])


def _common_box(one: FloatArray, two: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the box of two shapes, with room so that no face lies on its border."""
    points = np.concatenate([one.reshape(-1, 3), two.reshape(-1, 3)])
    low, high = points.min(axis=0), points.max(axis=0)
    room = ROOM * np.maximum(high - low, ROOM * (high - low).max())
    return low - room, high + room


def _array(values: Tensor) -> FloatArray:
    return np.asarray(values.cpu().numpy(), dtype=np.float64)
