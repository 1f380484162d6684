"""The adapter of JupyterCAD, a real third-party application with a B-rep kernel in the page.

It is not part of cadwright: ``pip install jupytercad`` (BSD-3) brings it, or the variable
``CADWRIGHT_JUPYTER`` names the ``jupyter`` of another environment. Its server lies on loopback,
without a token, in a scratch folder that is all it can see. It draws all the time, so it takes a
core while it is open, and it names its user at random: the corner with the name is masked.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from cadwright.tools.browsing.app import Document, Exported
from cadwright.tools.browsing.page import AppPage, Viewport
from cadwright.tools.errors import DependencyError, InfraError

if TYPE_CHECKING:
    from playwright.sync_api import Page

VARIABLE = "CADWRIGHT_JUPYTER"
START_S = 60.0
STOP_S = 5.0
EXPORT_S = 20.0
NAME = "part.jcad"
EMPTY_DOCUMENT: Document = {
    "schemaVersion": "3.0.0",
    "objects": [],
    "options": {},
    "metadata": {},
    "outputs": {},
}
# No news, no update checks: both ask the network and put a toast over the part.
_SETTINGS = {
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
}


class JupyterCad:
    """Runs a JupyterLab with JupyterCAD over one document."""

    name = "jupytercad"
    viewport = Viewport(1280, 800)
    idle = ""
    is_resettable = False

    def __init__(self) -> None:
        self._server: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._url = ""

    def serve(self) -> str:
        """Start the server and return its origin.

        Raises:
            DependencyError: JupyterCAD is not installed.
            InfraError: The server does not come up.
        """
        if self._server is None or self._server.poll() is not None:
            self.close()
            self._start()
        return self._url

    def open(self, page: AppPage, document: Document) -> None:
        """Write the document and load the lab with it."""
        assert self._folder is not None
        content = json.dumps(dict(document) or EMPTY_DOCUMENT)
        (Path(self._folder.name) / "files" / NAME).write_text(content, "utf-8")
        page.open(f"/lab/tree/{NAME}?reset")
        page.page.locator("canvas").first.wait_for(timeout=START_S * 1e3)
        page.page.locator("#jupyterlab-splash").wait_for(state="detached")
        _wait_until_loaded(page.page)

    def reset(self, page: AppPage, document: Document) -> bool:
        """Say that it has to be opened anew: its shared document outlives any hook."""
        del page, document
        return False

    def digest(self, page: AppPage) -> str:
        """Return nothing: there is no hook that tells."""
        del page
        return ""

    def export(self, page: AppPage) -> Exported | None:
        """Export as STL through the command palette and the dialog, as a person would."""
        view = page.page
        known = len(page.events.downloads)
        view.keyboard.press("Escape")
        view.keyboard.press("Control+Shift+c")
        palette = view.locator(".lm-CommandPalette-input, .jp-modal-command-palette input").last
        palette.fill("Export as STL")
        view.keyboard.press("Enter")
        # one more such button, never shown, belongs to the palette
        submit = view.locator(".jp-Dialog button.jp-mod-accept:visible").last
        submit.click(timeout=EXPORT_S * 1e3)
        data = page.downloaded(known, timeout_s=EXPORT_S)
        return None if data is None else Exported(data, "stl")

    def close(self) -> None:
        """Stop the server and remove its folder. Idempotent."""
        server, self._server = self._server, None
        if server is not None:
            server.terminate()
            try:
                server.wait(STOP_S)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.cleanup()

    def _start(self) -> None:
        program = jupyter()
        self._folder = tempfile.TemporaryDirectory(prefix="cadwright-jupytercad-")
        root, port = Path(self._folder.name), _free_port()
        (root / "files").mkdir()
        settings = root / "settings"
        for name, content in _SETTINGS.items():
            target = settings / name
            target.parent.mkdir(parents=True)
            target.write_text(json.dumps(content), "utf-8")
        self._url = f"http://127.0.0.1:{port}"
        self._server = subprocess.Popen(
            [
                *program,
                "lab",
                "--no-browser",
                "--allow-root",
                "--ServerApp.ip=127.0.0.1",
                f"--ServerApp.port={port}",
                "--ServerApp.port_retries=0",
                f"--ServerApp.root_dir={root / 'files'}",
                "--IdentityProvider.token=",
                "--ServerApp.terminals_enabled=False",
                "--LabApp.news_url=",
                f"--LabApp.user_settings_dir={settings}",
            ],
            env=_environment(root),
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_for_server()

    def _wait_for_server(self) -> None:
        assert self._server is not None
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self._server.poll() is not None:
                raise InfraError(f"JupyterLab ended with code {self._server.returncode}")
            try:
                with urllib.request.urlopen(f"{self._url}/api", timeout=1):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise InfraError(f"JupyterLab did not answer in {START_S:g} s")


def jupyter() -> list[str]:
    """Return the command of a Jupyter that has JupyterCAD.

    Raises:
        DependencyError: There is none.
    """
    import importlib.util

    if given := os.environ.get(VARIABLE):
        if shutil.which(given) is None:
            raise DependencyError(f"{VARIABLE} is {given!r}: there is no such program")
        return [given]
    if importlib.util.find_spec("jupytercad_core") is not None:
        return [sys.executable, "-m", "jupyter"]
    raise DependencyError(
        f"JupyterCAD is not installed; run: pip install jupytercad, or set {VARIABLE} to the "
        "jupyter of an environment that has it"
    )


def _environment(root: Path) -> dict[str, str]:
    """Keep the server away from the user's own settings and from the package index."""
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
    own = {name: str(root / name.lower()) for name in folders}
    return {**os.environ, **own, "HOME": str(root), "JUPYTERLAB_DISABLE_NEWS": "1"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_loaded(view: Page) -> None:
    """Wait for the toolbar of the document; the canvas is there before the kernel is."""
    view.get_by_role("button", name="New Box").or_(
        view.locator("[data-command*='newBox'], [title*='Box']")
    ).first.wait_for(timeout=START_S * 1e3)
