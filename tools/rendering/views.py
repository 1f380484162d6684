"""Pictures for people and policies: the view sheet and single views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import ToolError
from cadwright.tools.rendering.camera import SheetCameras
from cadwright.tools.rendering.frame import (
    MAX_PX,
    Frame,
    Pixels,
    Renderer,
    RenderFailure,
    render_id,
)
from cadwright.tools.rendering.layout import (
    MAX_SHEET_PX,
    Layout,
    Notes,
    check_size,
    choose_camera,
    size_text,
)
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.tool import ImageBlock

Kind = Literal["colour", "depth", "normals", "faces"]


def view_sheet(
    renderer: Renderer, scene: Scene, *, size: int = 512, highlight: Iterable[int] = ()
) -> ImageBlock:
    """Draw top, isometric, front and right views on one square sheet.

    Args:
        renderer: Backend.
        scene: What to draw.
        size: Edge length of the sheet in pixels.
        highlight: Face ids painted orange.
    """
    check_size(size, MAX_SHEET_PX)
    layout = Layout.sheet(SheetCameras.around(scene.box, scene.framed_points), size)
    frames = layout.frames(renderer, scene, frozenset(highlight))
    require_visible(renderer, frames)
    caption = f"top, isometric, front and right view; overall {size_text(scene.box)}"
    return finished(renderer, layout, scene, [frame.colour for frame in frames], caption)


def single_view(
    renderer: Renderer,
    scene: Scene,
    view: str = "iso",
    *,
    size: int = 512,
    zoom: float = 1.0,
    pan_mm: tuple[float, float] = (0.0, 0.0),
    direction: tuple[float, float] | None = None,
    kind: str = "colour",
    highlight: Iterable[int] = (),
) -> ImageBlock:
    """Draw one view.

    Args:
        renderer: Backend.
        scene: What to draw.
        view: Name of a view; ignored where ``direction`` is given.
        size: Edge length of the picture in pixels.
        zoom: Magnification about the middle of the part.
        pan_mm: How far (right, up) beside the middle to look.
        direction: (azimuth, elevation) of the camera in degrees instead of a named view.
        kind: ``colour``, or ``depth``, ``normals``, ``faces`` as pictures for people.
        highlight: Face ids painted orange.
    """
    check_size(size, MAX_PX)
    if kind not in get_args(Kind):
        raise ToolError(f"there is no kind {kind!r}: use {', '.join(get_args(Kind))}")
    whole = choose_camera(scene.box, scene.framed_points, view, direction)
    layout = Layout.single(whole.zoomed(zoom, pan_mm), (size, size))
    frame = layout.frames(renderer, scene, frozenset(highlight))[0]
    if layout.cameras[0] == whole:
        require_visible(renderer, [frame])
    label = view.replace("_", " ") if direction is None else "az {:g} el {:g}".format(*direction)
    labels = (label.upper(),)
    caption = f"{label} view, {kind}; overall {size_text(scene.box)}"
    blank = ("nothing in view",) if frame.is_blank else ()
    picture = data_picture(frame, kind)
    return finished(renderer, layout, scene, [picture], caption, warnings=blank, labels=labels)


def finished(
    renderer: Renderer,
    layout: Layout,
    scene: Scene,
    pictures: Sequence[Pixels],
    caption: str,
    *,
    warnings: tuple[str, ...] = (),
    labels: tuple[str, ...] = (),
) -> ImageBlock:
    """Write on the pictures of a layout what they need to be read, and name the result."""
    warnings = (*warnings, *remarks(scene))
    dimensions = size_text(scene.box)
    lines = (f"X x Y x Z   {dimensions}", dimensions, dimensions.replace(" ", ""))
    notes = Notes(lines if layout.is_sheet else (), warnings, labels)
    pixels = layout.compose(pictures, scene.box.outside, notes)
    identity = render_id(renderer.name, layout.text, layout.size)
    return ImageBlock(pixels, identity, "; ".join([caption, *warnings]))


def data_picture(frame: Frame, kind: str) -> Pixels:
    """Turn one channel of a frame into a picture for people, (H, W, 3) uint8."""
    picture: npt.NDArray[np.floating[Any]]
    if kind == "depth":
        picture = _depth_shades(frame)
    elif kind == "normals":
        picture = (frame.normals + 1.0) / 2.0
    elif kind == "faces":
        picture = _face_colours(frame.face_ids)
    else:
        return frame.colour
    numbers = np.clip(np.rint(picture * 255.0), 0, 255).astype(np.uint8)
    return np.where(frame.mask[..., None], numbers, np.uint8(255))


def _depth_shades(frame: Frame) -> npt.NDArray[np.float32]:
    """Near is light, far is dark, background is left to the caller."""
    seen = frame.depth[frame.mask]
    near, far = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
    shade = 0.95 - 0.8 * (frame.depth - near) / max(far - near, 1e-9)
    return np.repeat(shade[..., None], 3, axis=2).astype(np.float32)


def _face_colours(face_ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Give each id a light colour; the golden ratio keeps neighbours apart."""
    hue = (face_ids * 0.6180339887) % 1.0
    phase = (hue[..., None] + np.array([0.0, 1.0 / 3.0, 2.0 / 3.0])) * 2.0 * np.pi
    colours: npt.NDArray[np.float64] = 0.66 + 0.28 * np.cos(phase)
    return colours


def remarks(scene: Scene) -> tuple[str, ...]:
    """Return what a viewer must know beside the picture, short form before the colon."""
    notes = []
    if len(scene.box.outside):
        notes.append("more outside the frame: small geometry far away, see the arrow")
    if scene.is_inside_out:
        notes.append("inside-out: red is the inside of a surface")
    if not scene.is_complete:
        notes.append("incomplete: triangles without finite corners are not drawn")
    return tuple(notes)


def require_visible(renderer: Renderer, frames: Sequence[Frame]) -> None:
    """Refuse a picture of nothing where the part was framed: the backend must have failed.

    The ray tracer is the last resort: what it does not hit is too thin to be seen at all.
    """
    if not renderer.name.startswith("raycast") and all(frame.is_blank for frame in frames):
        raise RenderFailure(f"{renderer.name} ({renderer.device}) drew a blank frame")
