"""A part laid over the wanted one on its measured sheet: what is too much, what is missing.

Both parts are drawn in the same place and at the same scale, as they stand. In each flat view the
surface that is nearest to the viewer is compared pixel by pixel: where the part lies below the
wanted surface, or is not there, material is missing (blue); where it lies above, it is too much
(red). Lines and shading play no part in it, so that the colour next to an edge is never the colour
of the wrong side. The part itself is grey below the colours; the isometric view shows, faint, what
is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering.measured import (
    FINE,
    PAPER,
    STRIP_PX,
    VIEW_PX,
    Frame,
    Grey,
    Solid,
    block_of,
    measured_sheet,
)
from cadwright.tools.rendering.offset import Amount, Offset, Side
from cadwright.tools.rendering.spans import Floats
from cadwright.tools.tool import ImageBlock

FLAT_VIEWS = {"top": (0, 0), "front": (1, 0), "right": (1, 1)}  # row and column on the sheet
FULL_PX = 1.0  # difference in height that gets its full colour
STEPS, MIDDLE, NOTHING = 2, 128, 0  # of a relief: steps per pixel, the frame's middle, no material
NOISE_PX, TIP = 0.25, 0.4  # what is left of a view, and what a place is off, that do not count
FAINT, OWN = 0.25, 225.0  # strength of the wanted view; grey of the part at the frame's middle
# Dark and light as well as red and blue: who sees no colours, or learned on grey, reads the sign.
TOO_MUCH, MISSING = np.array([170.0, 0.0, 0.0]), np.array([90.0, 160.0, 255.0])


def relief(mesh: Mesh, frame: Frame | None = None) -> Grey:
    """Return how high the nearest material stands in each flat view, (3, 128, 128) uint8.

    Args:
        mesh: Triangles in mm.
        frame: Where the sheet is centred, and its scale; the mesh's own where it is None.

    Returns:
        Top, front (cut in half) and right at twice the sheet's resolution, in half pixels above the
        frame's middle, plus 128; 0 where there is no material.
    """
    solid = Solid(mesh, frame or Frame.of(mesh))
    return np.stack([_heights(solid, name) for name in FLAT_VIEWS])


def compared(mesh: Mesh, wanted: Mesh, table: Sequence[int] = ()) -> tuple[ImageBlock, Offset]:
    """Lay a part over what is wanted: a picture of an observation, and how far it is off.

    Args:
        mesh: The part.
        wanted: What is wanted; it gives the place and the scale.
        table: Dimensions for the strip at the top.
    """
    frame = Frame.of(wanted)
    sheet = measured_sheet(wanted, table)
    own, right = relief(mesh, frame), relief(wanted, frame)
    words = "measured sheet, laid over the wanted part: red is too much, blue is missing"
    return block_of(laid_over(sheet, own, right), frame, words), offset(own, right, frame.scale)


def laid_over(sheet: Grey, own: Grey, wanted: Grey) -> npt.NDArray[np.uint8]:
    """Return a part laid over what is wanted, (160, 128, 3): red is too much, blue is missing.

    Args:
        sheet: Measured sheet of what is wanted, (160, 128); its table and its isometric view stay.
        own: Relief of the part, in the frame of what is wanted.
        wanted: Relief of what is wanted.
    """
    share = _averaged(difference(own, wanted))
    height = (own.astype(np.float64) - MIDDLE) / STEPS  # px
    grey = _averaged(np.where(own == NOTHING, PAPER, OWN + np.clip(height / 2.0, -25.0, 15.0)))
    picture = np.repeat((PAPER - FAINT * (PAPER - sheet.astype(np.float64)))[..., None], 3, axis=2)
    picture[:STRIP_PX] = sheet[:STRIP_PX, :, None]
    for (row, column), amount, below in zip(FLAT_VIEWS.values(), share, grey, strict=True):
        weight = np.abs(amount)[..., None]
        colour = np.where(amount[..., None] > 0, TOO_MUCH, MISSING)
        top, left = STRIP_PX + row * VIEW_PX, column * VIEW_PX
        view = picture[top : top + VIEW_PX, left : left + VIEW_PX]
        view[:] = below[..., None] * (1.0 - weight) + colour * weight
    coloured: npt.NDArray[np.uint8] = np.rint(picture).astype(np.uint8)
    return coloured


def difference(own: Grey, wanted: Grey) -> Floats:
    """Return what is too much (up to 1) or missing (down to -1) in each place, (3, 128, 128)."""
    higher = own.astype(np.float64) - wanted
    higher[(own == NOTHING) | (wanted == NOTHING)] *= MIDDLE  # nothing is lower than anything
    return np.clip(higher / (STEPS * FULL_PX), -1.0, 1.0)


def offset(own: Grey, wanted: Grey, scale: float = 1.0) -> Offset:
    """Return how far a part is from the wanted one.

    Args:
        own: Relief of the part, in the frame of what is wanted.
        wanted: Relief of what is wanted.
        scale: Pixels per mm of the sheet.
    """
    apart = difference(own, wanted)
    open_to = (own == NOTHING) | (wanted == NOTHING)
    high = np.where(open_to, np.inf, np.abs(own.astype(np.float64) - wanted)) / (STEPS * scale)
    sides = [
        Side(*(_amount(sign * a > TIP, h, scale) for sign in (1.0, -1.0)))
        for a, h in zip(apart, high, strict=True)
    ]
    return Offset(math.ceil(np.abs(apart).sum() / FINE**2 - NOISE_PX), *sides)


def _amount(places: npt.NDArray[np.bool_], high: Floats, scale: float) -> Amount | None:
    """Return how wide and how high the places of one view are; None where there are none."""
    if np.count_nonzero(places) <= NOISE_PX * FINE**2:
        return None
    rows, columns = (np.flatnonzero(places.any(axis=axis)) for axis in (1, 0))
    part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    places, high = places[part], high[part]
    wide = np.minimum(_runs(places), _runs(places.T).T)[places]
    depth = float(np.median(high[places]))
    return Amount(float(np.median(wide)) / (FINE * scale), None if math.isinf(depth) else depth)


def _runs(places: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return for each place how many in its row belong together, and 0 elsewhere."""
    columns = np.arange(places.shape[1])
    before = np.maximum.accumulate(np.where(places, -1, columns), axis=1)
    after = np.where(places, places.shape[1], columns)[:, ::-1]
    after = np.minimum.accumulate(after, axis=1)[:, ::-1]
    return np.where(places, after - before - 1, 0)


def _averaged(fine: Floats) -> Floats:
    """Return views (n, 128, 128) at the resolution of the sheet."""
    averaged = np.zeros_like(fine[:, ::FINE, ::FINE])
    for row, column in np.ndindex(FINE, FINE):
        averaged += fine[:, row::FINE, column::FINE] / FINE**2
    return averaged


def _heights(solid: Solid, name: str) -> Grey:
    seen = solid.seen(name)
    level = np.where(solid.is_cut(seen, name), 0.0, seen.depth)  # cut material ends at the plane
    steps = np.where(seen.triangle >= 0, level, 0.0) * solid.frame.scale * STEPS
    coded = np.clip(np.rint(steps) + MIDDLE, 1, 255)
    return np.where(seen.triangle >= 0, coded, NOTHING).astype(np.uint8)
