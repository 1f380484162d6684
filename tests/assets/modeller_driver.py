"""A person at the modeller: clicks, keys and fields in a real Chromium, for the tests."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page

MODELLER = Path(__file__).parents[2] / "assets" / "modeller"
HOOK = "window.__cadwright"
ROUND = 2e-3  # what the triangles of a round face lack


@dataclass
class Modeller:
    """The page and what went wrong on it."""

    page: Page
    faults: list[str] = field(default_factory=list)

    def reset(self, *features: Mapping[str, Any]) -> None:
        """Start over, with these features or none."""
        self.page.evaluate(f"d => {HOOK}.reset(d)", {"version": 1, "features": list(features)})

    def idle(self) -> int:
        """Wait until nothing is left to draw; return the number of drawings."""
        count: int = self.page.evaluate(f"{HOOK}.idle()")
        return count

    def state(self) -> dict[str, Any]:
        """The document and everything around it."""
        found: dict[str, Any] = self.page.evaluate(f"{HOOK}.state()")
        return found

    def volume(self) -> float:
        """mm³ of all bodies."""
        return sum(float(body["volume"]) for body in self.state()["bodies"])

    def stl(self) -> bytes:
        """Binary STL of all visible bodies."""
        return base64.b64decode(self.page.evaluate(f"{HOOK}.stl()"))

    def press(self, *buttons: str) -> None:
        """Press buttons by their ids."""
        for button in buttons:
            self.page.click(f"#{button}")

    def put(self, name: str, text: str) -> None:
        """Type into a field of the properties."""
        self.page.fill(f"#field-{name}", text)
        self.page.keyboard.press("Enter")

    def choose(self, name: str, label: str) -> None:
        """Choose from a list of the properties."""
        self.page.click(f"#field-{name}")
        self.page.get_by_role("option", name=label, exact=True).click()

    def pixel(self, *point: float) -> tuple[float, float]:
        """CSS pixel of a point in mm."""
        x, y = self.page.evaluate(f"p => {HOOK}.project(p)", list(point))
        return x, y

    def click(self, *point: float, modifiers: Sequence[Any] = ()) -> None:
        """Click on a point in mm."""
        x, y = self.pixel(*point)
        for key in modifiers:
            self.page.keyboard.down(key)
        self.page.mouse.click(x, y)
        for key in modifiers:
            self.page.keyboard.up(key)

    def drag(self, start: Sequence[float], end: Sequence[float]) -> None:
        """Press on a point in mm, move to another, let go."""
        (x0, y0), (x1, y1) = self.pixel(*start), self.pixel(*end)
        self.page.mouse.move(x0, y0)
        self.page.mouse.down()
        self.page.mouse.move(x1, y1, steps=8)
        self.page.mouse.up()

    def selected(self) -> list[str]:
        """Keys of what is picked."""
        return [pick["id"] for pick in self.state()["selection"]]

    def error(self) -> str:
        """What the error line says."""
        return self.page.inner_text("#error")

    def names(self) -> list[str]:
        """Names in the feature tree."""
        return self.page.locator("#features > li > span").all_inner_texts()


@contextmanager
def open_modeller(browser: Browser, url: str, *, scale: float = 1.0) -> Iterator[Modeller]:
    """A page of its own, ready."""
    context = browser.new_context(
        viewport={"width": 1024, "height": 768}, device_scale_factor=scale, accept_downloads=True
    )
    page = context.new_page()
    page.set_default_timeout(60_000)  # other jobs may need the processor
    modeller = Modeller(page)
    page.on("console", lambda message: _note(modeller, message))
    page.on("pageerror", lambda error: modeller.faults.append(str(error)))
    page.on("requestfailed", lambda request: modeller.faults.append(f"failed: {request.url}"))
    page.goto(url)
    page.wait_for_selector("html[data-ready]", state="attached")
    modeller.idle()
    try:
        yield modeller
    finally:
        context.close()


def _note(modeller: Modeller, message: ConsoleMessage) -> None:
    if "GL Driver Message" not in message.text:  # software rendering says that reading is slow
        modeller.faults.append(f"{message.type}: {message.text}")


def feature(kind: str, number: int, /, **params: Any) -> dict[str, Any]:
    """A feature of a document."""
    return {"id": f"f{number}", "type": kind, "name": f"{kind} {number}", "params": params}


PLATE = feature("box", 1, width=60, depth=40, height=10)


def picture(modeller: Modeller) -> str:
    """Return a hash of the pixels of the whole page."""
    from PIL import Image

    modeller.idle()
    image = Image.open(io.BytesIO(modeller.page.screenshot()))
    return hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()
