"""Where views go on a picture: one view that fills it, or the four cells of a sheet.

The sheet is a third-angle drawing: the top view stands above the front view and the right view
beside it, all three at one scale, so that features line up; the fourth cell is isometric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cadwright.tools.errors import ToolError
from cadwright.tools.rendering.camera import (
    Camera,
    SheetCameras,
    aligned_camera,
    camera_at,
    direction_of,
)
from cadwright.tools.rendering.frame import (
    MAX_PX,
    MIN_PX,
    Frame,
    Pixels,
    Renderer,
    Size,
    camera_text,
    parse_camera,
    parse_sheet,
    sheet_text,
)
from cadwright.tools.rendering.framing import FramedBox
from cadwright.tools.rendering.ink import WARNING, Cell, Ink, fitting, length_text, text_px
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.topology import Floats

MIN_SHEET_PX, MAX_SHEET_PX = 64, 2048
METRES_FROM_MM = 1e4  # drawings stay in mm longer than scale bars: 1050 x 20 x 3 mm
AXIS_ALIGNED = ("front", "back", "left", "right", "top", "bottom")


@dataclass(frozen=True, slots=True)
class Notes:
    """What is written on a picture beside its views.

    Attributes:
        lines: One line for the strip below a sheet, longest form first.
        warnings: What the viewer must know, most important first.
        labels: Names of the views instead of the cameras' own.
    """

    lines: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """Cells of one picture with a camera each.

    Attributes:
        size: (width, height) of the picture in pixels.
        cells: All of one size.
        cameras: One for each cell.
        text: How a render id names the cameras.
    """

    size: Size
    cells: tuple[Cell, ...]
    cameras: tuple[Camera, ...]
    text: str

    @classmethod
    def sheet(cls, cameras: SheetCameras, px: int) -> Layout:
        """Lay out a square sheet."""
        return cls((px, px), sheet_cells(px), cameras.ordered, sheet_text(cameras))

    @classmethod
    def single(cls, camera: Camera, size: Size) -> Layout:
        """Let one view fill the picture."""
        return cls(size, (Cell(0, 0, *size),), (camera,), camera_text(camera))

    @classmethod
    def choose(cls, view: str, box: FramedBox, points: Floats, px: int) -> Layout:
        """Lay out ``sheet`` or a named view that frames ``points`` (n, 3) of ``box``."""
        if view == "sheet":
            check_size(px, MAX_SHEET_PX)
            return cls.sheet(SheetCameras.around(box, points), px)
        check_size(px, MAX_PX)
        return cls.single(choose_camera(box, points, view), (px, px))

    @classmethod
    def of_render_id(cls, render_id: str, size: Size) -> Layout | None:
        """Rebuild the layout of one of our pictures, or None for any other picture."""
        parts = render_id.split("/")
        if len(parts) != 4 or parts[2] != f"{size[0]}x{size[1]}":
            return None
        sheet, camera = parse_sheet(parts[1]), parse_camera(parts[1])
        if sheet is not None and size[0] == size[1]:
            return cls.sheet(sheet, size[0])
        return None if camera is None else cls.single(camera, size)

    @property
    def is_sheet(self) -> bool:
        """Whether there is a strip for text below the views."""
        return len(self.cells) > 1

    def frames(
        self, renderer: Renderer, scene: Scene, highlight: frozenset[int] = frozenset()
    ) -> list[Frame]:
        """Render every cell."""
        cell = self.cells[0]
        return renderer.render(scene, self.cameras, (cell.width, cell.height), highlight=highlight)

    def compose(
        self, pictures: Sequence[Pixels], outside: Floats, notes: Notes = Notes()
    ) -> Pixels:
        """Put the pictures into their cells and draw labels, triads and scale bars over them.

        Args:
            pictures: (h, w, 3) uint8 for each cell.
            outside: (k, 3) mm, what arrows point at.
            notes: What to write.
        """
        ink = Ink(self.size)
        names = (camera.name.upper().replace("_", " ") for camera in self.cameras)
        labels = notes.labels or tuple(names)
        for cell, camera, picture, label in zip(
            self.cells, self.cameras, pictures, labels, strict=True
        ):
            ink.picture(cell, picture)
            ink.label(cell, label)
            ink.triad(cell, camera)
            ink.outside_arrow(cell, camera, outside)
            if camera.name in (("front",) if self.is_sheet else AXIS_ALIGNED):
                ink.scale_bar(cell, camera)  # elsewhere lengths are foreshortened
        if self.is_sheet:
            self._finish_sheet(ink, notes)
        elif notes.lines or notes.warnings:
            self._finish_single(ink, notes)
        return ink.pixels()

    def _finish_sheet(self, ink: Ink, notes: Notes) -> None:
        side, last = self.size[0], self.cells[-1]
        low = last.top + last.height
        ink.rule((last.left, 0), (last.left, low - 1))
        ink.rule((0, last.top), (side - 1, last.top))
        ink.rule((0, low), (side - 1, low))
        px, middle = last.text_px, (low + self.size[1]) / 2.0
        if not notes.warnings:
            ink.text((side / 2.0, middle), fitting(notes.lines, px, side), px=px, anchor="mm")
            return
        warning = fitting(_shorter(notes.warnings[0]), px, side * 6 // 10)
        ink.text((side - px // 2, middle), warning, px=px, anchor="rm", ink=WARNING)
        line = fitting(notes.lines[1:], px, side * 4 // 10)
        ink.text((px // 2, middle), line, px=px, anchor="lm")

    def _finish_single(self, ink: Ink, notes: Notes) -> None:
        cell = self.cells[0]
        at = (cell.width - cell.margin, cell.margin)
        words = notes.warnings[0] if notes.warnings else notes.lines[0]
        words = fitting(_shorter(words), cell.text_px, cell.width * 6 // 10)
        colour = {"ink": WARNING} if notes.warnings else {}
        ink.text(at, words, px=cell.text_px, anchor="ra", **colour)


def choose_camera(
    box: FramedBox,
    points: Floats,
    view: str,
    direction: tuple[float, float] | None = None,
) -> Camera:
    """Return the camera of a named view or of a direction, framing ``points`` of ``box``."""
    if direction is not None:
        return camera_at(box, points, *direction)
    if view in AXIS_ALIGNED:
        return aligned_camera(box, view)
    return camera_at(box, points, *direction_of(view), name=view)


def sheet_cells(px: int) -> tuple[Cell, ...]:
    """Return the cells of a sheet row by row; a strip below them stays free for text."""
    width, height = px // 2, px // 2 - text_px(px // 2)
    corners = ((0, 0), (width, 0), (0, height), (width, height))
    return tuple(Cell(left, top, width, height) for left, top in corners)


def size_text(box: FramedBox) -> str:
    """Return the overall dimensions with one unit, as ``80 x 60 x 10 mm`` (the font has no ×)."""
    sizes = [float(s) for s in box.size]
    unit = length_text(max(sizes), metres_from_mm=METRES_FROM_MM).split()[1]
    factor = {"um": 1e3, "mm": 1.0, "m": 1e-3}[unit]
    return " x ".join(f"{s * factor:.4g}" for s in sizes) + f" {unit}"


def check_size(px: int, most: int) -> None:
    """Refuse sizes that nobody can read or that nothing can hold."""
    least = MIN_SHEET_PX if most == MAX_SHEET_PX else MIN_PX
    if not isinstance(px, int) or not least <= px <= most:
        raise ToolError(f"size is {px!r}, allowed: {least} to {most} pixels")


def _shorter(warning: str) -> tuple[str, str]:
    """Return a warning, and its part before the colon."""
    return (warning, warning.partition(":")[0])
