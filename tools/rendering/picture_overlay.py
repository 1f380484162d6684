"""Compare a part with a picture of the target, which is all that a policy may see.

A picture of ours tells its cameras by its render id, so the result is drawn in the very same
frame and compared pixel by pixel. A foreign picture is moved and scaled until the outlines' boxes
meet; it can judge shape and proportion, not size.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cadwright.tools.errors import ToolError
from cadwright.tools.rendering.camera import Camera
from cadwright.tools.rendering.frame import Pixels, Renderer
from cadwright.tools.rendering.layout import Layout
from cadwright.tools.rendering.overlay import Comparison, Mask, mixed_shade, overlaid
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.tool import ImageBlock

SAME_COLOUR = 28  # of 255: what rounding and another backend's shading may change
NOT_BACKGROUND = 24  # of 255, distance from the colour of the border
SPECK_SHARE = 0.02  # of the largest blob: smaller ones are letters and dust


def overlay_picture(
    renderer: Renderer, result: Scene, target: ImageBlock, *, view: str = "iso"
) -> ImageBlock:
    """Compare ``result`` with a picture of the target.

    Args:
        renderer: Backend.
        result: What was made.
        target: The picture; one of ours is recognised by its render id.
        view: For a foreign picture: the view it shows.
    """
    height, width = target.pixels.shape[:2]
    ours = Layout.of_render_id(target.render_id, (width, height))
    if ours is not None:
        return _in_same_frame(renderer, result, target.pixels, ours)
    if view == "sheet":
        raise ToolError("a foreign picture shows one view: name it, for example iso")
    layout = Layout.choose(view, result.box, result.framed_points, min(width, height))
    return _aligned(renderer, result, target.pixels, layout)


def _in_same_frame(renderer: Renderer, result: Scene, target: Pixels, layout: Layout) -> ImageBlock:
    cameras = tuple(_deep_enough(camera, result) for camera in layout.cameras)
    layout = replace(layout, cameras=cameras)
    frames = layout.frames(renderer, result)
    annotation = _written(layout)
    compared = []
    for cell, frame in zip(layout.cells, frames, strict=True):
        rows = slice(cell.top, cell.top + cell.height)
        columns = slice(cell.left, cell.left + cell.width)
        theirs, ink = target[rows, columns], annotation[rows, columns]
        in_target = (theirs < 255 - NOT_BACKGROUND).any(axis=2) & ~ink
        in_result = (frame.colour < 255 - NOT_BACKGROUND).any(axis=2) & ~ink
        compared.append(_compare(frame.colour, theirs, in_result, in_target))
    return overlaid(layout, compared, renderer.name)


def _written(layout: Layout) -> Mask:
    """Return where labels, their halos, triads and bars cover a picture of this layout."""
    shape = (layout.cells[0].height, layout.cells[0].width, 3)
    mask = np.zeros((layout.size[1], layout.size[0]), dtype=np.bool_)
    for ground in (0, 255):  # a white halo shows on black, black ink on white
        blank = [np.full(shape, ground, dtype=np.uint8)] * len(layout.cells)
        mask |= (layout.compose(blank, np.zeros((0, 3))) != ground).any(axis=2)
    return mask


def _aligned(renderer: Renderer, result: Scene, target: Pixels, layout: Layout) -> ImageBlock:
    frame = layout.frames(renderer, result)[0]
    in_target = part_mask(target)
    if not in_target.any() or frame.is_blank:
        raise ToolError("there is no outline to compare: the picture or the view is empty")
    theirs = _moved(target, _box(in_target), _box(frame.mask), frame.colour.shape[:2], fill=255)
    moved = np.repeat(in_target[..., None].astype(np.uint8), 3, axis=2)
    moved = _moved(moved, _box(in_target), _box(frame.mask), frame.colour.shape[:2], fill=0)
    compared = _compare(frame.colour, theirs, frame.mask, moved[..., 0] > 0, by_colour=False)
    aligned = "; aligned by the outlines' boxes, so absolute size was not compared"
    return overlaid(layout, [compared], renderer.name, aligned=aligned)


def part_mask(picture: Pixels) -> Mask:
    """Return where a picture shows a part: not the border's colour, and not a letter."""
    import cv2

    border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    background = np.median(border, axis=0)
    is_part = np.abs(picture - background).max(axis=2) > NOT_BACKGROUND
    count, labels, stats, _ = cv2.connectedComponentsWithStats(is_part.astype(np.uint8))
    areas = stats[:, cv2.CC_STAT_AREA].copy()
    areas[0] = 0
    keep = areas >= SPECK_SHARE * areas.max() if count > 1 else np.zeros(1, dtype=np.bool_)
    keep[0] = False
    mask: Mask = keep[labels]
    return mask


def _compare(
    ours: Pixels, theirs: Pixels, in_result: Mask, in_target: Mask, *, by_colour: bool = True
) -> Comparison:
    both = in_result & in_target
    change = np.abs(ours.astype(np.int16) - theirs).max(axis=2)
    differs = both & (change > SAME_COLOUR) if by_colour else np.zeros_like(both)
    return Comparison(
        agree=both & ~differs,
        too_much=in_result & ~in_target,
        missing=in_target & ~in_result,
        differs=differs,
        shade=mixed_shade(ours, theirs, in_result, in_target),
        around=np.minimum(ours, theirs) if by_colour else ours,
    )


def _deep_enough(camera: Camera, scene: Scene) -> Camera:
    """Let a camera's depth range hold the scene, so that no part of it is clipped away."""
    shift = np.asarray(camera.centre_mm) - scene.box.centre
    need = float(np.abs(shift @ camera.axes[2])) + scene.box.radius
    return replace(camera, depth_half_mm=max(camera.depth_half_mm, need))


Box = tuple[int, int, int, int]  # left, top, width, height


def _box(mask: Mask) -> Box:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    left, top = int(columns[0]), int(rows[0])
    return (left, top, int(columns[-1]) - left + 1, int(rows[-1]) - top + 1)


def _moved(picture: Pixels, source: Box, goal: Box, shape: tuple[int, ...], *, fill: int) -> Pixels:
    """Move and scale (one factor) a picture so that its ``source`` box fits into ``goal``."""
    import cv2

    scale = min(goal[2] / source[2], goal[3] / source[3])
    dx = goal[0] + goal[2] / 2.0 - scale * (source[0] + source[2] / 2.0)
    dy = goal[1] + goal[3] / 2.0 - scale * (source[1] + source[3] / 2.0)
    matrix = np.array([[scale, 0.0, dx], [0.0, scale, dy]])
    moved = cv2.warpAffine(
        picture,
        matrix,
        (shape[1], shape[0]),
        flags=cv2.INTER_LINEAR if fill else cv2.INTER_NEAREST,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(fill, fill, fill),
    )
    return np.asarray(moved, dtype=np.uint8)
