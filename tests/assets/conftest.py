"""A Chromium and the modeller in it, for the tests marked ``browser``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from cadwright.tools.browsing.chromium import executable, switches
from cadwright.tools.browsing.serve import StaticServer

if TYPE_CHECKING:
    from modeller_driver import Modeller
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def modeller_url() -> Iterator[str]:
    from modeller_driver import MODELLER

    with StaticServer(MODELLER) as server:
        yield server.url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = executable()
    if chromium is None:
        pytest.skip("no chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=switches())
        yield found
        found.close()


@pytest.fixture(scope="module")
def opened(browser: Browser, modeller_url: str) -> Iterator[Modeller]:
    from modeller_driver import open_modeller

    with open_modeller(browser, modeller_url) as page:
        yield page


@pytest.fixture
def modeller(opened: Modeller) -> Iterator[Modeller]:
    """The modeller as it starts; nothing may go wrong on the page."""
    opened.faults.clear()
    opened.page.mouse.move(1, 1)
    opened.reset()
    yield opened
    assert opened.faults == []
