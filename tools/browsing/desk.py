"""The desk of one runtime: a browser, the apps that were opened in it, and quick clean starts.

A page is used for many episodes. Between two of them the app is put back by its own hook, and the
hash of its state is held against the one that a freshly opened page had with the same document, or
with none where the document was never opened before; where they differ, and after a number of
episodes in any case, the context is thrown away.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from cadwright.tools.browsing.app import EMPTY, App, Document, Exported, make_app
from cadwright.tools.browsing.host import BrowserHost
from cadwright.tools.browsing.page import AppPage
from cadwright.tools.errors import InfraError

RECYCLED_AFTER = 50  # episodes in one context
OPEN_S = 90.0  # a third-party app may take its time


@dataclass(slots=True)
class _Open:
    """A page that stays open between episodes."""

    app: App
    page: AppPage
    scale: float
    episodes: int = 0


class Desk:
    """Opens apps for episodes, one at a time. Everything starts at its first use."""

    def __init__(self) -> None:
        self.host = BrowserHost()
        self.resets: dict[str, int] = {"soft": 0, "context": 0}
        self._apps: dict[str, App] = {}
        self._open: _Open | None = None
        self._digests: dict[str, str] = {}
        self._scratch = tempfile.TemporaryDirectory(prefix="cadwright-browser-")

    def begin(self, name: str, document: Document = EMPTY, *, scale: float = 1.0) -> AppPage:
        """Return a page with an app that shows a document and nothing of the episode before.

        Args:
            name: Of the app.
            document: What it shows; the app's own format, empty for a new one.
            scale: Device pixels per CSS pixel.

        Raises:
            InfraError: The browser or the app failed.
            DependencyError: The app is not installed.
        """
        app = self._app(name)
        origin = app.serve()
        return self.host.run(lambda: self._begin(app, origin, document, scale), timeout_s=OPEN_S)

    def app(self, name: str) -> App:
        """Return the adapter of an app that was begun."""
        return self._apps[name]

    def export(self, app: App) -> Exported | None:
        """Return the geometry that the open page shows. Only inside of ``host.run``."""
        assert self._open is not None
        return app.export(self._open.page)

    def close(self) -> None:
        """Close browser, servers and scratch folder. Idempotent."""
        self.host.close()
        self._open = None
        for app in self._apps.values():
            app.close()
        self._apps.clear()
        self._scratch.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _app(self, name: str) -> App:
        if name not in self._apps:
            self._apps[name] = make_app(name)
        return self._apps[name]

    def _begin(self, app: App, origin: str, document: Document, scale: float) -> AppPage:
        key = _key(app.name, document)
        if not self._is_reset(app, document, scale, key):
            self._replace(app, origin, document, scale, key)
        assert self._open is not None
        self._open.episodes += 1
        self._open.page.events.take()
        self._open.page.events.blocked.clear()
        self._open.page.renumber()
        self._open.page.move(0, 0)
        self._open.page.settle()
        return self._open.page

    def _is_reset(self, app: App, document: Document, scale: float, key: str) -> bool:
        """Put the open page back, and say whether it is as good as a new one."""
        kept = self._open
        if kept is None or kept.app is not app or kept.scale != scale:
            return False
        if kept.episodes >= RECYCLED_AFTER or not self.host.is_alive:
            return False
        try:
            is_back = self._put_back(app, kept.page, document, key)
        except _page_errors():
            return False
        self.resets["soft"] += int(is_back)
        return is_back

    def _put_back(self, app: App, page: AppPage, document: Document, key: str) -> bool:
        """Reset a page and say whether it is as good as new."""
        if key in self._digests:
            return app.reset(page, document) and app.digest(page) == self._digests[key]
        # As good as new without a document, it opens one that was never opened before like new.
        blank = self._digests.get(_key(app.name, EMPTY))
        if not (blank and app.reset(page, EMPTY) and app.digest(page) == blank):
            return False
        app.reset(page, document)
        self._check_fresh(app, key)
        return True

    def _replace(self, app: App, origin: str, document: Document, scale: float, key: str) -> None:
        if self._open is not None:
            _close_quietly(self._open.page)
            self._open = None
        viewport = replace(app.viewport, scale=scale)
        scratch = Path(tempfile.mkdtemp(dir=self._scratch.name))
        page = AppPage(self.host, origin, viewport, scratch, idle=app.idle)
        self._open = _Open(app, page, scale)
        self.resets["context"] += 1
        if app.is_resettable:
            app.open(page, EMPTY)
            self._check_fresh(app, _key(app.name, EMPTY))
            app.reset(page, document)
        else:
            app.open(page, document)
        self._check_fresh(app, key)

    def _check_fresh(self, app: App, key: str) -> None:
        """Remember what a fresh page looks like; two that differ cannot be told from a leak."""
        assert self._open is not None
        digest = app.digest(self._open.page)
        if digest and self._digests.setdefault(key, digest) != digest:
            raise InfraError(f"{app.name} opens the same document in two different states")


def _key(name: str, document: Mapping[str, Any]) -> str:
    text = json.dumps([name, document], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _close_quietly(page: AppPage) -> None:
    try:
        page.close()
    except _page_errors():
        return  # it went with its browser


def _page_errors() -> tuple[type[Exception], ...]:
    from playwright.sync_api import Error

    return (Error,)
