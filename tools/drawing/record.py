"""A finished drawing: its pixels, and as data everything that it says and where.

``DrawingData`` is JSON-able (``to_json`` and ``from_json``); the text of each dimension is kept
character for character as it is inked, so whoever reads the data reads the drawing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.drawing.callout import Field, Kind
from cadwright.tools.drawing.paper import Box, Item
from cadwright.tools.geometry.feature_wire import decode_record, encode_record
from cadwright.tools.geometry.outlines import Flat
from cadwright.tools.tool import ImageBlock

REVISION = 1  # raise it when a change makes other pixels out of the same part

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class DrawnView:
    """A view on the picture.

    Attributes:
        name: ``front``, ``top``, ``right`` or ``iso``.
        origin_px: Where the origin of the part lies, x right and y down.
        box_px: Around the lines of the part: left, top, right, bottom.
        px_per_mm: Pixels for each mm of the part.
    """

    name: str
    origin_px: Flat
    box_px: Box
    px_per_mm: float


@dataclass(frozen=True, slots=True)
class DrawnDimension:
    """A dimension or note on the picture.

    Attributes:
        name: The dimension, or empty.
        kind: ``linear``, ``diameter``, ``radius``, ``angle`` or ``note``.
        view: The view that it belongs to.
        text: As inked, lines apart by a line feed.
        fields: Where in it numbers of dimensions stand.
        value: What was asked for, mm or degrees.
        ends_px: Linear: the ends of the dimension line. Diameter and radius on a leader: centre
            and arrow tip. Angle: apex and both ends of the arc. Note: what it points at, twice.
        is_line: Whether a diameter is drawn as a dimension line, from rim to rim.
        text_box_px: Around the text.
    """

    name: str
    kind: Kind
    view: str
    text: str
    fields: tuple[Field, ...]
    value: float | None
    ends_px: tuple[Flat, ...]
    is_line: bool
    text_box_px: Box


@dataclass(frozen=True, slots=True)
class DrawingData:
    """What a drawing says.

    Attributes:
        title: Name of the part.
        sheet: ``A4``, ``A3`` or ``A2``.
        scale: ``1:2``.
        angle: ``third`` or ``first``.
        width_px: Width of the picture.
        height_px: Height of the picture.
        px_per_mm: Pixels for each mm of the part, in all views but the pictorial one.
        views: The views.
        dimensions: The dimensions and notes.
        method: How the lines were found: ``exact`` or ``facets``.
    """

    title: str
    sheet: str
    scale: str
    angle: str
    width_px: int
    height_px: int
    px_per_mm: float
    views: tuple[DrawnView, ...]
    dimensions: tuple[DrawnDimension, ...]
    method: str

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return encode_record(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> DrawingData:
        """Read what ``to_json`` writes; raises WireError."""
        return decode_record(cls, record)


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A drawing.

    Attributes:
        data: What it says.
        items: Its ink, for other formats.
        pixels: (H, W, 3) uint8 RGB.
    """

    data: DrawingData
    items: tuple[Item, ...]
    pixels: Pixels

    @property
    def render_id(self) -> str:
        """What made the picture, in the form of the renderer's ids."""
        d = self.data
        views = "+".join(view.name for view in d.views)
        size = f"{d.width_px}x{d.height_px}"
        return f"drawing/{d.angle}-angle({views};{d.sheet};{d.scale})/{size}/r{REVISION}"

    def block(self, caption: str = "") -> ImageBlock:
        """Return it as a picture of an observation."""
        return ImageBlock(self.pixels, self.render_id, caption)
