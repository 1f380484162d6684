"""Where the views lie on the sheet: in rows and columns, so that their features line up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cadwright.tools.drawing.paper import Box, around
from cadwright.tools.drawing.plan import Plan
from cadwright.tools.geometry.outlines import Flat

GAP_MM = 6.0  # between views with all that belongs to them

# row from the top, column from the left
CELLS: dict[str, dict[str, tuple[int, int]]] = {
    "third": {"top": (0, 0), "iso": (0, 1), "front": (1, 0), "right": (1, 1)},
    "first": {"right": (0, 0), "front": (0, 1), "iso": (1, 0), "top": (1, 1)},
}


@dataclass(frozen=True, slots=True)
class _Track:
    """A row or column: how far its views reach to both sides of the part's origin."""

    low: float
    high: float

    @property
    def size(self) -> float:
        return self.high - self.low


def arrange(plans: Mapping[str, Plan], angle: str, space: Box) -> dict[str, Flat] | None:
    """Return where the origin of the part lies in each view, or None where there is no room.

    Args:
        plans: The views by name.
        angle: ``third`` or ``first``.
        space: Where they may lie.
    """
    cells = {view: CELLS[angle][view] for view in plans}
    rows = _tracks(plans, cells, of_row=True)
    columns = _tracks(plans, cells, of_row=False)
    ys = _origins(rows, space[1], space[3])
    xs = _origins(columns, space[0], space[2])
    if ys is None or xs is None:
        return None
    places = {view: (xs[column], ys[row]) for view, (row, column) in cells.items()}
    if "iso" in plans:
        is_alone = sum(column == cells["iso"][1] for _, column in cells.values()) == 1
        places["iso"] = _iso_place(plans["iso"].box, places["iso"], columns, rows, cells["iso"])
        if is_alone:
            middle = (space[1] + space[3]) / 2
            box = plans["iso"].box
            places["iso"] = (places["iso"][0], middle - (box[1] + box[3]) / 2)
    return places


def _tracks(
    plans: Mapping[str, Plan], cells: Mapping[str, tuple[int, int]], *, of_row: bool
) -> dict[int, _Track]:
    first = 1 if of_row else 0  # y or x of boxes
    found: dict[int, _Track] = {}
    for index in sorted({cell[1 - first] for cell in cells.values()}):
        views = [view for view, cell in cells.items() if cell[1 - first] == index]
        found[index] = _track([plans[view].box for view in views if view != "iso"], first)
        if "iso" in views:
            found[index] = _with_iso(found[index], plans["iso"].box, first)
    return found


def _track(boxes: list[Box], first: int) -> _Track:
    if not boxes:
        return _Track(0.0, 0.0)
    box = around(boxes)
    return _Track(box[first], box[first + 2])


def _with_iso(track: _Track, box: Box, first: int) -> _Track:
    """Widen a track evenly for a pictorial view, which lines up with nothing."""
    lack = max(0.0, box[first + 2] - box[first] - track.size) / 2
    return _Track(track.low - lack, track.high + lack)


def _origins(tracks: Mapping[int, _Track], start: float, stop: float) -> dict[int, float] | None:
    """Return the origin of each track, the room left over spread evenly."""
    free = stop - start - sum(track.size for track in tracks.values())
    if free < GAP_MM * (len(tracks) - 1):
        return None
    share = free / (len(tracks) + 1)
    found, at = {}, start
    if share < GAP_MM and len(tracks) > 1:
        at, share = start + (free - GAP_MM * (len(tracks) - 1)) / 2 - GAP_MM, GAP_MM
    for index, track in tracks.items():
        at += share
        found[index] = at - track.low
        at += track.size
    return found


def _iso_place(
    box: Box,
    origin: Flat,
    columns: Mapping[int, _Track],
    rows: Mapping[int, _Track],
    cell: tuple[int, int],
) -> Flat:
    """Return the place that puts a pictorial view in the middle of its cell."""
    row, column = rows[cell[0]], columns[cell[1]]
    return (
        origin[0] + (column.low + column.high) / 2 - (box[0] + box[2]) / 2,
        origin[1] + (row.low + row.high) / 2 - (box[1] + box[3]) / 2,
    )
