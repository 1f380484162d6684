"""Which Chromium, and with which switches.

WebGL has to be asked for: since Chromium no longer falls back to software by itself, a browser
without these switches shows a blank canvas and no error. Everything but loopback is refused by the
name resolver, as the second wall behind the routing of each page.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from cadwright.tools.errors import DependencyError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
VARIABLE = "CADWRIGHT_CHROMIUM"

GL = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
QUIET = (
    "--disable-gpu-compositing",  # a third quicker with software GL
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--no-first-run",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--hide-scrollbars",
)
ONLY_LOOPBACK = (
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--proxy-server=direct://",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)


def executable() -> str | None:
    """Return the Chromium to start, or None for the one that Playwright brought itself.

    Raises:
        DependencyError: The variable names a file that is not there.
    """
    given = os.environ.get(VARIABLE)
    if given:
        if not Path(given).is_file():
            raise DependencyError(f"{VARIABLE} is {given!r}: there is no such file")
        return given
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def switches() -> list[str]:
    """Return the command-line switches."""
    # Chromium refuses to sandbox itself for root; the walls around the page stay.
    root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    return [*GL, *QUIET, *ONLY_LOOPBACK, *root]
