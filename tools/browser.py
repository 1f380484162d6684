"""The browser tools: look, point, click, drag, type and hand in.

They have the shape of a person at a screen, and of the computer-use tools that models know. A
place is two fractions of the screen, 0 to 1 from the left and from the top; what lies outside is
refused. After each action the app comes to rest and the policy sees the screen again, the things on
it under numbers that they keep, and what the page did besides. There is no way to an address, to a
script or to the file system.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from cadwright.tools.browsing.coordinates import Spot
from cadwright.tools.browsing.elements import Element, element_list
from cadwright.tools.browsing.marks import with_marks, with_pointer
from cadwright.tools.errors import ToolError
from cadwright.tools.geometry.part import Notice
from cadwright.tools.tool import ImageBlock, Pixels, Range, ToolResult, tool

if TYPE_CHECKING:
    from cadwright.tools.browsing.host import BrowserHost
    from cadwright.tools.browsing.page import AppPage

Fraction = Annotated[float, Range(0, 1)]
Button = Literal["left", "middle", "right"]
Modifier = Literal["Control", "Shift", "Alt"]
Clicks = Annotated[int, Range(1, 3)]

MAX_TYPED = 2000  # characters of one call
MAX_PATH = 64  # points of one drag
WHEEL_NOTCH_PX = 100.0
ZOOM_PX = 768  # longest side of a zoomed picture
BLANK_BELOW = 0.5  # standard deviation of the grey levels of a picture that shows nothing


@dataclass(frozen=True, slots=True)
class Sight:
    """What the policy gets to see after an action.

    Attributes:
        elements: The list of elements, in words; without it the policy has pixels only.
        marks: Their numbers on the picture.
        pointer: The mouse pointer on the picture.
    """

    elements: bool = True
    marks: bool = False
    pointer: bool = True


class BrowserTools:
    """The tools of one browser workspace.

    Args:
        host: Owns the browser's thread.
        page: Shows the app.
        sight: What the policy sees.
        has_pictures: Whether the screen comes with each result; gold calls need its words alone.
    """

    def __init__(
        self,
        host: BrowserHost,
        page: AppPage,
        sight: Sight | None = None,
        *,
        has_pictures: bool = True,
    ) -> None:
        self._host = host
        self._page = page
        self._sight = sight or Sight()
        self._has_pictures = has_pictures
        self.answer_given: float | None = None
        self.is_submitted = False

    @tool
    def screenshot(self) -> ToolResult:
        """Look at the screen without doing anything."""
        return self._after("screenshot", lambda: None, "")

    @tool
    def click(
        self,
        x: Fraction,
        y: Fraction,
        button: Button = "left",
        count: Clicks = 1,
        held: list[Modifier] | None = None,
    ) -> ToolResult:
        """Click at a place.

        Args:
            x: Fraction of the screen's width, 0 at the left.
            y: Fraction of the screen's height, 0 at the top.
            button: Mouse button.
            count: 2 for a double click.
            held: Keys that are held down meanwhile.
        """
        point = self._point(x, y)
        return self._after(
            "click",
            lambda: self._page.click(*point, button=button, count=count, held=held or ()),
            f"clicked at {x:.3f}, {y:.3f}",
        )

    @tool
    def move(self, x: Fraction, y: Fraction) -> ToolResult:
        """Move the pointer to a place, without clicking.

        Args:
            x: Fraction of the screen's width.
            y: Fraction of the screen's height.
        """
        point = self._point(x, y)
        return self._after("move", lambda: self._page.move(*point), "")

    @tool
    def drag(
        self, path: list[list[float]], button: Button = "left", held: list[Modifier] | None = None
    ) -> ToolResult:
        """Press a button at the first place, move through the others, and let go.

        Args:
            path: Places, each ``[x, y]`` in fractions of the screen; two or more.
            button: Mouse button: on the canvas of a 3D view it decides what a drag does.
            held: Keys that are held down meanwhile.
        """
        points = [self._point(*_pair(place)) for place in _path(path)]
        return self._after(
            "drag", lambda: self._page.drag(points, button=button, held=held or ()), "dragged"
        )

    @tool
    def mouse_down(self, button: Button = "left") -> ToolResult:
        """Press a mouse button where the pointer is, and keep it down.

        Args:
            button: Mouse button.
        """
        press = lambda: self._page.press_button(button, is_down=True)  # noqa: E731
        return self._after("mouse_down", press, "pressed")

    @tool
    def mouse_up(self, button: Button = "left") -> ToolResult:
        """Let go of a mouse button.

        Args:
            button: Mouse button.
        """
        release = lambda: self._page.press_button(button, is_down=False)  # noqa: E731
        return self._after("mouse_up", release, "let go")

    @tool
    def scroll(self, x: Fraction, y: Fraction, down: float = 0.0, right: float = 0.0) -> ToolResult:
        """Turn the mouse wheel over a place.

        Args:
            x: Fraction of the screen's width.
            y: Fraction of the screen's height.
            down: Notches; negative turns up. Over a 3D view up comes closer.
            right: Notches to the side.
        """
        point, notch = self._point(x, y), WHEEL_NOTCH_PX
        turn = lambda: self._page.scroll(*point, right * notch, down * notch)  # noqa: E731
        return self._after("scroll", turn, "scrolled")

    @tool
    def type_text(self, text: str) -> ToolResult:
        """Type text where the focus is.

        Args:
            text: Characters, one after the other; a line break presses Enter.
        """
        _check_length(text)
        return self._after("type_text", lambda: self._page.type(text), f"typed {text!r}")

    @tool
    def press(self, keys: str) -> ToolResult:
        """Press a key, or several together.

        Args:
            keys: For example Enter, Escape, Tab, Delete, ArrowDown, Control+z, Shift+Tab.
        """
        return self._after("press", lambda: self._page.press(keys), f"pressed {keys}")

    @tool
    def click_ref(self, ref: int, count: Clicks = 1) -> ToolResult:
        """Click on an element of the list.

        Args:
            ref: Its number.
            count: 2 for a double click.
        """
        return self._after(
            "click_ref", lambda: self._click_on(ref, count), f"clicked on element [{ref}]"
        )

    @tool
    def set_ref(self, ref: int, text: str) -> ToolResult:
        """Replace what a field of the list holds, and leave the field.

        Args:
            ref: Its number.
            text: What to put there.
        """
        _check_length(text)
        return self._after(
            "set_ref", lambda: self._fill(ref, text), f"put {text!r} into element [{ref}]"
        )

    @tool
    def zoom(self, left: Fraction, top: Fraction, right: Fraction, bottom: Fraction) -> ToolResult:
        """Look at a part of the screen more closely; nothing on it changes.

        Args:
            left: Fraction of the screen's width.
            top: Fraction of the screen's height.
            right: Fraction of the screen's width, more than ``left``.
            bottom: Fraction of the screen's height, more than ``top``.
        """
        if right - left < 0.01 or bottom - top < 0.01:
            raise ToolError("zoom needs right > left and bottom > top, by 0.01 at least")
        pixels = _cropped(self._run(self._page.screenshot), (left, top, right, bottom))
        image = ImageBlock(pixels, _render_id(pixels), "a part of the screen, enlarged")
        return ToolResult("zoom", "", (image,))

    @tool
    def wait(self, seconds: Annotated[float, Range(0, 2)] = 1.0) -> ToolResult:
        """Give the app time, for example while it loads.

        Args:
            seconds: At most 2.
        """
        return self._after("wait", lambda: time.sleep(seconds), f"waited {seconds:g} s")

    @tool
    def answer(self, value: float) -> ToolResult:
        """Answer a question with a number and end the task.

        Args:
            value: In the unit that the question asks for.
        """
        self.answer_given = value
        self.is_submitted = True
        return ToolResult("answer", f"answered {value:g}", is_final=True)

    @tool
    def submit(self) -> ToolResult:
        """Hand in what the app shows now and end the task."""
        self.is_submitted = True
        return ToolResult("submit", "submitted", is_final=True)

    def look(self) -> ToolResult:
        """Return the first sight of an episode."""
        return self._after("screenshot", lambda: None, "")

    def _point(self, x: float, y: float) -> tuple[float, float]:
        viewport = self._page.viewport
        return Spot(x, y).css(viewport.width, viewport.height)

    def _run(self, job: Callable[[], Pixels]) -> Pixels:
        return self._host.run(job)

    def _click_on(self, ref: int, count: int) -> None:
        self._page.click(*self._page.find(ref).middle, count=count)

    def _fill(self, ref: int, text: str) -> None:
        element = self._page.find(ref)
        if "disabled" in element.states:
            raise ToolError(f"element [{ref}] is disabled")
        self._page.click(*element.middle)
        self._page.press("Control+a")
        self._page.insert(text) if text else self._page.press("Delete")
        self._page.press("Tab")

    def _after(self, name: str, act: Callable[[], None], said: str) -> ToolResult:
        """Act, let the app come to rest, and return what there is to see."""
        seen = self._host.run(lambda: self._act_and_look(act))
        text = "\n".join([*_lines(said, seen), *self._listed(seen.elements)])
        notices, settled = tuple(_notices(seen)), {"is_settled": seen.is_settled}
        if seen.pixels is None:
            return ToolResult(name, text, deltas=settled, notices=notices)
        digest = hashlib.sha256(seen.pixels.tobytes()).hexdigest()
        height, width = seen.pixels.shape[:2]
        picture = self._picture(seen, seen.pixels)
        size = {"width": width, "height": height, "scale": self._page.viewport.scale}
        return ToolResult(
            name,
            text,
            (ImageBlock(picture, f"screen:{width}x{height}:{digest[:12]}", "the screen"),),
            deltas={**size, "sha256": digest, **settled},
            notices=notices,
        )

    def _act_and_look(self, act: Callable[[], None]) -> _Seen:
        act()
        is_settled = self._page.settle(is_seen=self._has_pictures)
        pixels = self._page.screenshot() if self._has_pictures else None
        elements = self._page.elements() if self._sight.elements or self._sight.marks else ()
        return _Seen(pixels, elements, self._page.events.take(), is_settled, self._page.pointer)

    def _picture(self, seen: _Seen, pixels: Pixels) -> Pixels:
        scale = self._page.viewport.scale
        if self._sight.marks:
            pixels = with_marks(pixels, seen.elements, scale=scale)
        if self._sight.pointer:
            pixels = with_pointer(pixels, *seen.pointer, scale=scale)
        return pixels

    def _listed(self, elements: tuple[Element, ...]) -> Iterable[str]:
        if not self._sight.elements:
            return ()
        viewport = self._page.viewport
        listed = element_list(elements, viewport.width, viewport.height)
        return ("On the screen (words of the app, not of your user):", listed)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """The screen after an action; without pixels where nobody looks at it."""

    pixels: Pixels | None
    elements: tuple[Element, ...]
    events: tuple[str, ...]
    is_settled: bool
    pointer: tuple[float, float]

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing on the picture."""
        return self.pixels is not None and float(self.pixels.std()) < BLANK_BELOW


def _lines(said: str, seen: _Seen) -> Iterable[str]:
    if said:
        yield said
    yield from (f"the page: {event}" for event in seen.events)
    if not seen.is_settled:
        yield "the screen still changes"
    if seen.is_blank:
        yield "the screen is blank"


def _notices(seen: _Seen) -> Iterable[Notice]:
    if seen.is_blank:
        yield Notice("blank_screen", "the screenshot shows nothing")
    if not seen.is_settled:
        yield Notice("not_settled", "the page was still changing")
    for event in seen.events:
        yield Notice("page_event", event)


def _path(path: list[list[float]]) -> list[list[float]]:
    if not 2 <= len(path) <= MAX_PATH:
        raise ToolError(f"path has {len(path)} places, allowed: 2 to {MAX_PATH}")
    return path


def _pair(place: list[float]) -> tuple[float, float]:
    if len(place) != 2:
        raise ToolError(f"a place is [x, y], not {place}")
    return place[0], place[1]


def _check_length(text: str) -> None:
    if len(text) > MAX_TYPED:
        raise ToolError(f"text has {len(text)} characters, allowed: {MAX_TYPED}")


def _cropped(pixels: Pixels, edges: tuple[float, float, float, float]) -> Pixels:
    import numpy as np
    from PIL import Image

    height, width = pixels.shape[:2]
    sizes = (width, height, width, height)
    left, top, right, bottom = (round(e * s) for e, s in zip(edges, sizes, strict=True))
    piece = Image.fromarray(pixels[top:bottom, left:right])
    factor = ZOOM_PX / max(piece.size)
    size = (max(1, round(piece.width * factor)), max(1, round(piece.height * factor)))
    return np.asarray(piece.resize(size, Image.Resampling.LANCZOS))


def _render_id(pixels: Pixels) -> str:
    digest = hashlib.sha256(pixels.tobytes()).hexdigest()[:12]
    return f"screen:{pixels.shape[1]}x{pixels.shape[0]}:{digest}"
