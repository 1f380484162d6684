"""Lay a result over its target: green where both agree, red too much, blue missing.

Both parts are drawn by the same cameras, and surfaces are compared by depth, so a pocket that is
too shallow shows although both outlines agree. For targets of which only a picture is known see
``picture_overlay``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.rendering.frame import Frame, Pixels, Renderer, render_id
from cadwright.tools.rendering.framing import FramedBox
from cadwright.tools.rendering.layout import Layout, Notes
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.tool import ImageBlock

Mask = npt.NDArray[np.bool_]

GREEN = (0.48, 0.84, 0.52)
RED = (1.00, 0.30, 0.26)
BLUE = (0.30, 0.52, 1.00)
AMBER = (1.00, 0.80, 0.28)
LIGHTEN = 1.45  # the body is mid-grey; its lightest faces take the full colour
DEPTH_SHARE = 0.01  # of the target's radius by which surfaces may differ and still agree


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Where two views agree, pixel by pixel.

    Attributes:
        agree: Both show the part alike.
        too_much: Only the result is there, or it lies before the target.
        missing: Only the target is there, or it lies before the result.
        differs: Both are there but look different; pictures only, where depth is unknown.
        shade: (H, W) brightness that lets form and edges be seen.
        around: (H, W, 3) uint8, what is seen where neither part is: the outer half of lines.
    """

    agree: Mask
    too_much: Mask
    missing: Mask
    differs: Mask
    shade: npt.NDArray[np.float64]
    around: Pixels

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Pixels that agree, are too much, are missing, differ."""
        masks = (self.agree, self.too_much, self.missing, self.differs)
        return np.array([int(mask.sum()) for mask in masks])

    def picture(self) -> Pixels:
        """Paint the four cases, (H, W, 3) uint8."""
        colour = self.around / 255.0
        for mask, paint in (
            (self.agree, GREEN),
            (self.too_much, RED),
            (self.missing, BLUE),
            (self.differs, AMBER),
        ):
            colour[mask] = np.array(paint) * self.shade[mask][:, None]
        return np.rint(np.clip(colour, 0.0, 1.0) * 255.0).astype(np.uint8)


def overlay_parts(
    renderer: Renderer, result: Scene, target: Scene, *, view: str = "sheet", size: int = 512
) -> ImageBlock:
    """Compare two parts in one frame that holds both.

    Args:
        renderer: Backend.
        result: What was made.
        target: What was wanted.
        view: ``sheet`` or the name of a view.
        size: Edge length of the picture in pixels.
    """
    points = np.concatenate([result.framed_points, target.framed_points])
    layout = Layout.choose(view, union_of(result.box, target.box), points, size)
    ours, theirs = (layout.frames(renderer, scene) for scene in (result, target))
    compared = [compare_frames(a, b) for a, b in zip(ours, theirs, strict=True)]
    return overlaid(layout, compared, renderer.name)


def compare_frames(result: Frame, target: Frame) -> Comparison:
    """Compare two frames of one camera by depth."""
    height, width = result.depth.shape
    slack = DEPTH_SHARE * target.scene.box.radius + target.camera.mm_per_px((width, height))
    both = result.mask & target.mask
    gap = np.where(both, result.depth - target.depth, np.float32(0.0))
    gap_mm = gap * (2.0 * target.camera.depth_half_mm)
    return Comparison(
        agree=both & (np.abs(gap_mm) <= slack),
        too_much=(result.mask & ~target.mask) | (gap_mm < -slack),
        missing=(target.mask & ~result.mask) | (gap_mm > slack),
        differs=np.zeros_like(both),
        shade=mixed_shade(result.colour, target.colour, result.mask, target.mask),
        around=np.minimum(result.colour, target.colour),
    )


def overlaid(
    layout: Layout, compared: list[Comparison], backend: str, *, aligned: str = ""
) -> ImageBlock:
    """Compose the comparisons of all cells and put the numbers into words."""
    counts = np.sum([c.counts for c in compared], axis=0)
    shares = 100.0 * counts / max(int(counts.sum()), 1)
    agree, too_much, missing, differs = (f"{share:.1f} %" for share in shares)
    parts = [f"agreement {agree} (green)", f"too much {too_much} (red)"]
    parts.append(f"missing {missing} (blue)")
    if any(c.differs.any() for c in compared):
        parts.append(f"same outline but another surface {differs} (amber)")
    short = f"agreement {agree}"
    notes = Notes((", ".join(parts[:3]), short) if layout.is_sheet else (short,))
    pixels = layout.compose([c.picture() for c in compared], np.zeros((0, 3)), notes)
    identity = render_id(backend, f"overlay|{layout.text}", layout.size)
    return ImageBlock(pixels, identity, ", ".join(parts) + aligned)


def mixed_shade(one: Pixels, two: Pixels, in_one: Mask, in_two: Mask) -> npt.NDArray[np.float64]:
    """Return the mean brightness of two pictures, each where it shows the part."""
    total = one.mean(axis=2) * in_one + two.mean(axis=2) * in_two
    shade = total / np.maximum(in_one.astype(np.float64) + in_two, 1.0) / 255.0
    lightened: npt.NDArray[np.float64] = np.clip(shade * LIGHTEN, 0.0, 1.0)
    return lightened


def union_of(one: FramedBox, two: FramedBox) -> FramedBox:
    """Return the box around two boxes; what lies outside either is left out."""
    low, high = np.minimum(one.low, two.low), np.maximum(one.high, two.high)
    return FramedBox(low, high, np.zeros((0, 3)))
