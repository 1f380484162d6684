"""Model the bracket of docs/modeller.md by mouse and keyboard, and take its pictures.

python docs/images/make_modeller.py (needs Playwright and Chromium)
"""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from cadwright.tools.browsing.chromium import executable, switches
from cadwright.tools.browsing.serve import StaticServer

HERE = Path(__file__).parent
MODELLER = HERE.parents[1] / "assets" / "modeller"
VIEWPORT = {"width": 1024, "height": 768}
PROFILE = [(0, 0), (60, 0), (60, 8), (8, 8), (8, 50), (0, 50), (0, 0)]  # x, z in mm


class Hand:
    """One person at the page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, *buttons: str) -> None:
        """Press buttons by their ids."""
        for button in buttons:
            self.page.click(f"#{button}")

    def put(self, **fields: str) -> None:
        """Type into fields of the properties."""
        for name, text in fields.items():
            self.page.fill(f"#field-{name}", text)
            self.page.keyboard.press("Enter")

    def choose(self, **lists: str) -> None:
        """Choose from lists of the properties."""
        for name, label in lists.items():
            self.page.click(f"#field-{name}")
            self.page.get_by_role("option", name=label, exact=True).click()

    def click(self, *points: tuple[float, float, float]) -> None:
        """Click on points in mm; with Control from the second on."""
        for number, point in enumerate(points):
            x, y = self.page.evaluate("p => __cadwright.project(p)", list(point))
            if number:
                self.page.keyboard.down("Control")
            self.page.mouse.click(x, y)
            self.page.keyboard.up("Control")

    def save(self, name: str) -> None:
        """Take a picture of the page."""
        self.page.evaluate("__cadwright.idle()")
        picture = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
            HERE / f"modeller-{name}.png", optimize=True
        )


def bracket(hand: Hand) -> None:
    """Sketch the side, extrude it, drill, round."""
    hand.press("sketch")
    hand.choose(plane="Front (XZ)")
    hand.press("tool-line")
    for x, z in PROFILE:
        hand.click((x, 0, z))
    hand.save("sketch")
    hand.press("finish-sketch", "extrude")
    hand.choose(direction="Both sides")
    hand.put(length="4 cm")
    hand.press("view-iso")
    hand.click((45, -11, 8))
    hand.press("hole")
    hand.choose(kind="Counterbore")
    hand.put(x="42", y="-11", diameter="6.6", boreDiameter="11", boreDepth="10/3")
    hand.press("mirror")
    hand.choose(plane="XZ (front)")
    hand.click((8, 0, 32))
    hand.press("hole")
    hand.put(x="0", y="30", diameter="18")
    hand.click((60, -20, 4), (60, 20, 4))
    hand.press("round")
    hand.put(size="6")
    hand.click((8, 0, 8))
    hand.press("round")
    hand.put(size="5")
    hand.save("bracket")


def measure(hand: Hand) -> None:
    """Measure from one hole to the other."""
    hand.press("measure")
    hand.click((42 - 5.5, -11, 8))
    hand.click((42 - 5.5, 11, 8))
    hand.save("measure")


def main() -> None:
    """Draw all pictures."""
    with StaticServer(MODELLER) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=switches())
        page = browser.new_page(viewport=VIEWPORT)  # type: ignore[arg-type]
        page.goto(server.url)
        page.wait_for_selector("html[data-ready]", state="attached")
        hand = Hand(page)
        bracket(hand)
        measure(hand)
        errors = page.evaluate("__cadwright.state()")["errors"]
        browser.close()
    if errors:
        raise SystemExit(f"the bracket has errors: {errors}")


if __name__ == "__main__":
    main()
