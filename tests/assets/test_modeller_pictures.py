"""The same document is the same picture, and nothing foreign runs on the page."""

from __future__ import annotations

import pytest
from modeller_driver import PLATE, Modeller, feature, open_modeller, picture
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_the_same_document_is_the_same_picture_in_every_context(
    browser: Browser, modeller_url: str
) -> None:
    seen = set()
    for _ in range(2):
        with open_modeller(browser, modeller_url) as page:
            page.reset(PLATE, feature("hole", 2, plane="f1:top", x=30, y=20))
            seen.add(picture(page))
    assert len(seen) == 1


def test_a_reset_brings_back_the_first_picture(modeller: Modeller) -> None:
    first = picture(modeller)
    modeller.press("box", "view-top", "measure")
    modeller.click(20, 15, 10)
    modeller.press("units")
    modeller.reset()
    modeller.page.mouse.move(1, 1)
    assert picture(modeller) == first


def test_nothing_is_drawn_while_nothing_changes(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    drawings = modeller.idle()
    modeller.page.wait_for_timeout(300)
    assert modeller.page.evaluate("__cadwright.seq") == drawings


def test_what_changed_while_nobody_looked_is_on_the_next_picture(modeller: Modeller) -> None:
    hole = feature("hole", 2, plane="f1:top", x=30, y=20)
    modeller.reset(PLATE, hole)
    wanted = picture(modeller)
    modeller.reset(PLATE)
    modeller.page.evaluate("__cadwright.idle(false)")
    modeller.reset(PLATE, hole)
    assert picture(modeller) == wanted


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0, 3.0])
def test_clicks_land_alike_at_every_pixel_ratio(
    browser: Browser, modeller_url: str, scale: float
) -> None:
    with open_modeller(browser, modeller_url, scale=scale) as page:
        page.reset(PLATE)
        page.click(30, 0, 10)
        assert page.selected() == ["f1:front|f1:top"]
        assert page.faults == []


def test_scripts_of_others_are_refused(modeller: Modeller) -> None:
    modeller.page.evaluate(
        """() => new Promise((resolve) => {
            document.addEventListener('securitypolicyviolation', resolve, { once: true });
            const script = document.createElement('script');
            script.textContent = 'window.injected = true';
            document.body.append(script);
        })"""
    )
    assert modeller.page.evaluate("window.injected") is None
    assert modeller.faults
    modeller.faults.clear()
