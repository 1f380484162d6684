"""A browser for the tests of this folder, and a server of its pages and of the shared cases."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cadwright.tools.browsing.host import BrowserHost
from cadwright.tools.browsing.page import AppPage, Viewport

HERE = Path(__file__).parent
CASES = HERE.parents[1] / "cases" / "ui"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass

    def translate_path(self, path: str) -> str:
        name = path.lstrip("/").split("?")[0]
        folder = CASES if (CASES / name).is_file() else HERE / "pages"
        return str(folder / name)


@pytest.fixture(scope="session")
def origin() -> Iterator[str]:
    """The address of a server of test pages."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def host() -> Iterator[BrowserHost]:
    """A browser that is closed in the end."""
    host = BrowserHost()
    yield host
    host.close()


Open = Callable[..., AppPage]


@pytest.fixture
def open_page(host: BrowserHost, origin: str, tmp_path: Path) -> Iterator[Open]:
    """Opens a test page; closed after the test."""
    pages: list[AppPage] = []

    def open_it(path: str, viewport: Viewport | None = None) -> AppPage:
        def job() -> AppPage:
            page = AppPage(host, origin, viewport or Viewport(), tmp_path)
            page.open(f"/{path}")
            page.settle()
            return page

        pages.append(host.run(job))
        return pages[-1]

    yield open_it
    for page in pages:
        host.run(page.close)
