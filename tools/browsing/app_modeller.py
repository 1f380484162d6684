"""The adapter of cadwright's own modeller."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING

from cadwright import assets
from cadwright.tools.browsing.app import Document, Exported
from cadwright.tools.browsing.page import AppPage, Viewport
from cadwright.tools.browsing.serve import StaticServer

if TYPE_CHECKING:
    from pathlib import Path

_READY = "html[data-ready]"
_HOOK = "window.__cadwright"


class Modeller:
    """Serves ``assets/modeller`` and talks to its harness hooks."""

    name = "modeller"
    viewport = Viewport()
    idle = f"{_HOOK}.idle"
    is_resettable = True

    def __init__(self) -> None:
        self._server: StaticServer | None = None

    def serve(self) -> str:
        """Start the static server and return its origin."""
        if self._server is None:
            self._server = StaticServer(_folder()).start()
        return self._server.url.rstrip("/")

    def open(self, page: AppPage, document: Document) -> None:
        """Load the page and the document."""
        page.open("/")
        page.page.wait_for_selector(_READY, state="attached")
        self.reset(page, document)

    def reset(self, page: AppPage, document: Document) -> bool:
        """Put document, view and selection back."""
        page.evaluate(f"document => {_HOOK}.reset(document)", dict(document) or None)
        return True

    def digest(self, page: AppPage) -> str:
        """Return a hash of document, selection, mode and history."""
        state = json.dumps(page.evaluate(f"{_HOOK}.state()"), sort_keys=True)
        return hashlib.sha256(state.encode()).hexdigest()

    def export(self, page: AppPage) -> Exported | None:
        """Return all visible bodies as binary STL."""
        text = page.evaluate(f"{_HOOK}.stl()")
        data = base64.b64decode(text) if text else b""
        return Exported(data, "stl") if len(data) > _EMPTY_STL else None

    def close(self) -> None:
        """Stop the server."""
        server, self._server = self._server, None
        if server is not None:
            server.close()


_EMPTY_STL = 84  # header and count of a file without triangles


def _folder() -> Path:
    from pathlib import Path

    return Path(str(assets.path("modeller")))
