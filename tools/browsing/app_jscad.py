"""The adapter of the JSCAD web application: designs as JavaScript, with fields for parameters.

It is not part of cadwright: ``npm install @jscad/web`` (MIT) brings it, below ``node_modules`` of
the folder that the variable ``CADWRIGHT_JSCAD`` names or of the current one. A document is
``{"code": "..."}``. Export is the button of the app, as STL.
"""

from __future__ import annotations

import os
from pathlib import Path

from cadwright.tools.browsing.app import Document, Exported
from cadwright.tools.browsing.page import AppPage, Viewport
from cadwright.tools.browsing.serve import StaticServer
from cadwright.tools.errors import DependencyError

VARIABLE = "CADWRIGHT_JSCAD"
PACKAGE = Path("node_modules/@jscad/web")
EXPORT_S = 20.0
RENDER_MS = 500
NOTHING = """\
const { cube } = require('@jscad/modeling').primitives
const main = () => cube({ size: 10 })
module.exports = { main }
"""

# It compiles designs in the page and in workers, which our own apps may not.
_HEADERS = {
    "Content-Security-Policy": "default-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:; "
    "connect-src 'self' blob: data:"
}
_EDITOR = "document.querySelector('.CodeMirror').CodeMirror"
_SET_CODE = f"code => {{ {_EDITOR}.setValue(code); {_EDITOR}.focus() }}"


class Jscad:
    """Serves the package as it is, with its page at the root, where its links lead."""

    name = "jscad"
    viewport = Viewport(1280, 800)
    idle = ""
    is_resettable = False

    def __init__(self) -> None:
        self._server: StaticServer | None = None

    def serve(self) -> str:
        """Start the static server and return its origin.

        Raises:
            DependencyError: The package is not there.
        """
        if self._server is None:
            server = StaticServer(package(), index="demo.html", headers=_HEADERS)
            self._server = server.start()
        return self._server.url.rstrip("/")

    def open(self, page: AppPage, document: Document) -> None:
        """Load the app, put the code into its editor and let it draw."""
        page.open("/")
        page.page.locator("canvas").first.wait_for()
        editor = page.page.locator("#toggleEditor, button[name='toggleEditor']").first
        button = editor if editor.count() else page.page.get_by_role("button", name="editor")
        button.click()
        page.page.locator(".CodeMirror").wait_for()
        page.evaluate(_SET_CODE, str(document.get("code") or NOTHING))
        page.press("Shift+Enter")
        page.page.wait_for_timeout(RENDER_MS)
        button.click()

    def reset(self, page: AppPage, document: Document) -> bool:
        """Say that it has to be opened anew: it keeps designs in the storage of its context."""
        del page, document
        return False

    def digest(self, page: AppPage) -> str:
        """Return nothing: there is no hook that tells."""
        del page
        return ""

    def export(self, page: AppPage) -> Exported | None:
        """Press the export button and take the file that is downloaded."""
        known = len(page.events.downloads)
        page.page.locator("input[value='Export'], button:has-text('Export')").first.click()
        data = page.downloaded(known, timeout_s=EXPORT_S)
        return None if data is None else Exported(data, "stl")

    def close(self) -> None:
        """Stop the server. Idempotent."""
        server, self._server = self._server, None
        if server is not None:
            server.close()


def package() -> Path:
    """Return the folder of the installed package.

    Raises:
        DependencyError: It is not there.
    """
    given = os.environ.get(VARIABLE)
    folder = Path(given or ".") / PACKAGE
    if not (folder / "demo.html").is_file():
        where = f"{VARIABLE} is {given!r}" if given else "the current folder has none"
        raise DependencyError(
            f"@jscad/web is not installed ({where}); run: npm install --ignore-scripts @jscad/web"
        )
    return folder
