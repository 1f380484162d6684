"""``cadwright modeller``: the parametric modeller for a person, in their own browser."""

from __future__ import annotations

import sys
import threading
from typing import Annotated

import typer

PORT = 8765


def modeller(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")
    ] = PORT,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open it in the default browser.")
    ] = False,
) -> None:
    """Serve the modeller on this machine until Ctrl-C, and print its address."""
    from pathlib import Path

    from cadwright import assets
    from cadwright.tools.browsing.serve import StaticServer

    with StaticServer(Path(str(assets.path("modeller"))), port) as server:
        sys.stdout.write(f"The modeller is at {server.url} - stop it with Ctrl-C.\n")
        sys.stdout.flush()
        if open_browser:
            _show(server.url)
        wait()


def wait() -> None:
    """Wait for Ctrl-C."""
    threading.Event().wait()


def _show(url: str) -> None:
    import webbrowser

    if not webbrowser.open(url):
        sys.stderr.write("No browser could be opened: open the address by hand.\n")
