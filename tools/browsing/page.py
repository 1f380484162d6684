"""One page of one episode: eyes (a picture, a list of elements) and hands (mouse, keyboard).

Every method runs in the browser's thread (``BrowserHost.run``). A page reaches its own server and
nothing else; what it tries besides is refused and put on record, like its dialogs, pop-ups and
downloads: the policy is told of them in words, and nothing waits for an answer.
"""

from __future__ import annotations

import base64
import io
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import numpy as np

from cadwright.tools.browsing.elements import Element
from cadwright.tools.errors import ToolError
from cadwright.tools.tool import Pixels

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, CDPSession, Dialog, Download, Page, Route

    from cadwright.tools.browsing.host import BrowserHost

SETTLE_S = 1.5  # an app that still moves after that is shown as it is, and said to
LOAD_S = 20.0
DRAG_STEPS = 12  # a canvas app sees a drag only where the mouse moved on the way
MAX_EVENTS = 20
MAX_EVENT_TEXT = 200
INLINE = ("data:", "blob:", "about:")

_WORLD = "cadwright"
_SCAN = files(__package__).joinpath("scan.js").read_text("utf-8")
_TWO_FRAMES = "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"


@dataclass(frozen=True, slots=True)
class Viewport:
    """The size of what the policy sees.

    Attributes:
        width: CSS px.
        height: CSS px.
        scale: Device pixels per CSS pixel.
    """

    width: int = 1024
    height: int = 768
    scale: float = 1.0


@dataclass(slots=True)
class Events:
    """What the page did besides drawing itself, in words; taken by each observation."""

    texts: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    downloads: list[Path] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Keep a line, within limits: a page may open dialogs for ever."""
        if len(self.texts) < MAX_EVENTS:
            self.texts.append(text[:MAX_EVENT_TEXT])

    def take(self) -> tuple[str, ...]:
        """Return what was noted and forget it."""
        texts, self.texts = self.texts, []
        return tuple(texts)


class AppPage:
    """A page in a context of its own.

    Args:
        host: Owns the browser.
        origin: ``http://127.0.0.1:PORT`` of the app's server, the only one that is reached.
        viewport: What the policy sees.
        scratch: Folder for downloads.
        idle: JavaScript function, told whether a picture follows, that gives a promise of the
            app's being idle; two animation frames and a look at the pictures where it is empty.
    """

    def __init__(
        self, host: BrowserHost, origin: str, viewport: Viewport, scratch: Path, *, idle: str = ""
    ) -> None:
        self.viewport = viewport
        self.events = Events()
        self.pointer = (0.0, 0.0)  # CSS px; a headless browser draws none
        self._origin = urlsplit(origin)
        self._scratch = scratch
        self._idle = idle
        self._world = 0
        self._context = _context(host, viewport)
        self._wall_in(self._context)
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(LOAD_S * 1e3)
        self.page.on("dialog", self._on_dialog)
        self.page.on("download", self._on_download)
        self._context.on("page", self._on_popup)
        self._cdp: CDPSession = self._context.new_cdp_session(self.page)

    def open(self, path: str = "/") -> None:
        """Load a page of the app's server."""
        url = f"{self._origin.scheme}://{self._origin.netloc}{path}"
        self.page.goto(url, wait_until="domcontentloaded")

    def close(self) -> None:
        """Close page and context without asking the page."""
        self._context.close()

    # eyes

    def screenshot(self) -> Pixels:
        """Return the viewport as (H, W, 3) uint8, in device pixels."""
        from PIL import Image

        # Page.screenshot waits for fonts, for ever where one never comes
        answer = self._cdp.send(
            "Page.captureScreenshot",
            {"format": "png", "optimizeForSpeed": True, **self._clip()},
        )
        with Image.open(io.BytesIO(base64.b64decode(answer["data"]))) as image:
            return np.asarray(image.convert("RGB"))

    def _clip(self) -> dict[str, Any]:
        """Ask for device pixels: without it Chromium gives CSS pixels at any scale."""
        view = self.viewport
        if view.scale == 1.0:
            return {}
        return {
            "clip": {
                "x": 0,
                "y": 0,
                "width": view.width,
                "height": view.height,
                "scale": view.scale,
            }
        }

    def elements(self) -> tuple[Element, ...]:
        """Return what can be used on the page, in the order of the document."""
        return tuple(Element.from_page(one) for one in self._aside("cadwright.scan()"))

    def has_webgl(self) -> bool:
        """Return whether the browser draws WebGL at all."""
        return bool(self._aside("cadwright.hasWebgl()"))

    def settle(self, *, is_seen: bool = True) -> bool:
        """Wait until the page is at rest and return whether it came to rest.

        Args:
            is_seen: Whether a picture follows, for which some apps paint all of the page.
        """
        if self._idle:
            return self._is_idle(is_seen)
        deadline = time.monotonic() + SETTLE_S
        self._wait_for(_TWO_FRAMES)
        before = self.screenshot()
        while time.monotonic() < deadline:
            self._wait_for(_TWO_FRAMES)
            after = self.screenshot()
            if np.array_equal(before, after):
                return True
            before = after
        return False

    # hands

    def move(self, x: float, y: float) -> None:
        """Move the mouse to a point, CSS px."""
        self.page.mouse.move(x, y)
        self.pointer = (x, y)

    def click(
        self,
        x: float,
        y: float,
        *,
        button: str = "left",
        count: int = 1,
        held: Sequence[str] = (),
    ) -> None:
        """Click at a point, CSS px, with modifier keys held down."""
        self._hold(held)
        try:
            self.page.mouse.click(x, y, button=cast(Any, button), click_count=count)
            self.pointer = (x, y)
        finally:
            self._release(held)

    def drag(
        self,
        points: Sequence[tuple[float, float]],
        *,
        button: str = "left",
        held: Sequence[str] = (),
    ) -> None:
        """Drag through points, CSS px, in small steps."""
        mouse = self.page.mouse
        self._hold(held)
        try:
            self.move(*points[0])
            mouse.down(button=cast(Any, button))
            for point in points[1:]:
                mouse.move(*point, steps=DRAG_STEPS)
                self.pointer = point
            mouse.up(button=cast(Any, button))
        finally:
            self._release(held)

    def press_button(self, button: str, *, is_down: bool) -> None:
        """Press or let go of a mouse button where the pointer is."""
        act = self.page.mouse.down if is_down else self.page.mouse.up
        act(button=cast(Any, button))

    def scroll(self, x: float, y: float, right_px: float, down_px: float) -> None:
        """Turn the wheel over a point."""
        self.move(x, y)
        self.page.mouse.wheel(right_px, down_px)

    def type(self, text: str) -> None:
        """Type text where the focus is."""
        self.page.keyboard.type(text)

    def insert(self, text: str) -> None:
        """Put text where the focus is, in place of what is selected, in one step.

        A field hears of it once; letter by letter it costs the browser several times as much.
        """
        self.page.keyboard.insert_text(text)

    def press(self, keys: str) -> None:
        """Press a key or a chord such as ``Control+z``.

        Raises:
            ToolError: There is no such key.
        """
        from playwright.sync_api import Error

        try:
            self.page.keyboard.press(keys)
        except Error as error:
            if "Unknown key" not in str(error):
                raise
            raise ToolError(
                f"key {keys!r} is unknown: use names such as Enter, Escape, Tab, ArrowLeft, "
                "Delete, F2, a, Control+z, Shift+Tab"
            ) from error

    def find(self, ref: int) -> Element:
        """Return where an element is now.

        Raises:
            ToolError: It is gone, hidden or covered by another.
        """
        found = self._aside(f"cadwright.find({int(ref)})")
        if problem := found.get("problem"):
            raise ToolError(
                f"element [{ref}] is {problem}: look at the newest list, or close what covers it"
            )
        return Element.from_page(found)

    def renumber(self) -> None:
        """Number the elements from 1 again: a new episode begins."""
        self._world = 0

    # behind the scenes

    def evaluate(self, expression: str, argument: object = None) -> Any:
        """Evaluate JavaScript in the page. For the harness only: no tool reaches it."""
        return self.page.evaluate(expression, argument)

    def downloaded(self, known: int, *, timeout_s: float) -> bytes | None:
        """Wait for a download beyond the first ``known`` and return it; None where none comes."""
        deadline = time.monotonic() + timeout_s
        while len(self.events.downloads) == known:
            if time.monotonic() > deadline:
                return None
            self.page.wait_for_timeout(100)
        return self.events.downloads[-1].read_bytes()

    def _aside(self, expression: str) -> Any:
        """Evaluate in the world beside the page's; made anew where a navigation ended it."""
        for is_last in (False, True):
            if not self._world:
                self._world = self._new_world()
            answer = self._run_in(self._world, expression)
            if answer is not None:
                return answer["value"]
            self._world = 0
            if is_last:
                raise ToolError("the page is being replaced: look again")
        return None

    def _new_world(self) -> int:
        frame = self._cdp.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        made = self._cdp.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": _WORLD})
        world = int(made["executionContextId"])
        self._run_in(world, _SCAN)
        return world

    def _run_in(self, world: int, expression: str) -> dict[str, Any] | None:
        from playwright.sync_api import Error

        question = {"expression": expression, "contextId": world, "returnByValue": True}
        try:
            answer = self._cdp.send("Runtime.evaluate", question)
        except Error as error:
            if "context" in str(error).lower():
                return None
            raise
        if "exceptionDetails" in answer:
            return None
        return {"value": answer["result"].get("value")}

    def _is_idle(self, is_seen: bool) -> bool:
        at_rest = f"({self._idle})({str(is_seen).lower()})"
        return bool(self._wait_for(f"Promise.resolve({at_rest}).then(() => true)"))

    def _wait_for(self, promise: str) -> Any:
        cap = f"new Promise(r => setTimeout(() => r(false), {SETTLE_S * 1e3:g}))"
        return self.page.evaluate(f"Promise.race([{promise}, {cap}])")

    def _hold(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.page.keyboard.down(key)

    def _release(self, keys: Sequence[str]) -> None:
        for key in reversed(keys):
            self.page.keyboard.up(key)

    def _wall_in(self, context: BrowserContext) -> None:
        context.route("**/*", self._on_request)
        context.route_web_socket(
            lambda url: not self._is_own(url), lambda socket: self._on_socket(socket)
        )

    def _is_own(self, url: str) -> bool:
        return url.startswith(INLINE) or urlsplit(url).netloc == self._origin.netloc

    def _on_request(self, route: Route) -> None:
        url = route.request.url
        if self._is_own(url):
            route.continue_()
        else:
            self._block(url)
            route.abort()

    def _on_socket(self, socket: Any) -> None:
        self._block(socket.url)
        socket.close()

    def _block(self, url: str) -> None:
        if len(self.events.blocked) < MAX_EVENTS:
            self.events.blocked.append(url[:MAX_EVENT_TEXT])
        self.events.note(f"a request to {urlsplit(url).netloc or url} was blocked")

    def _on_dialog(self, dialog: Dialog) -> None:
        self.events.note(f"a dialog ({dialog.type}) said {dialog.message!r} and was accepted")
        dialog.accept()

    def _on_popup(self, page: Page) -> None:
        if page is not self.page:
            self.events.note(f"a pop-up ({page.url}) was closed")
            page.close()

    def _on_download(self, download: Download) -> None:
        name = Path(download.suggested_filename).name or "download"
        target = self._scratch / f"{len(self.events.downloads)}-{name}"
        download.save_as(target)
        self.events.downloads.append(target)
        self.events.note(f"the app saved a file: {name}")


def _context(host: BrowserHost, viewport: Viewport) -> BrowserContext:
    return host.browser().new_context(
        viewport={"width": viewport.width, "height": viewport.height},
        device_scale_factor=viewport.scale,
        locale="en-US",
        timezone_id="UTC",
        color_scheme="light",
        reduced_motion="reduce",
        service_workers="block",
        accept_downloads=True,
    )
