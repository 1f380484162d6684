"""What an application has to offer to be worked with, and which ones there are.

An adapter is small: serve the app on loopback, open it with a document, say when it is at rest,
put it back to a document, and take the geometry out through the app's own export. Nothing of it is
reachable for the policy, which has eyes and hands only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, cast

from cadwright.tools.browsing.page import AppPage, Viewport
from cadwright.tools.errors import UsageError

Document = Mapping[str, Any]
EMPTY: Document = {}

APPS = {  # loaded when a task asks for one
    "modeller": "cadwright.tools.browsing.app_modeller:Modeller",
    "jupytercad": "cadwright.tools.browsing.app_jupytercad:JupyterCad",
    "jscad": "cadwright.tools.browsing.app_jscad:Jscad",
}


@dataclass(frozen=True, slots=True)
class Exported:
    """What came out of an app: the bytes of a part file and its format."""

    data: bytes = field(repr=False)
    format: str


class App(Protocol):
    """An application behind the browser environment."""

    @property
    def name(self) -> str:
        """Word in ``APPS``."""

    @property
    def viewport(self) -> Viewport:
        """The size that the app is laid out for."""

    @property
    def idle(self) -> str:
        """JavaScript function that gives a promise of rest, empty where the app has no such hook.

        It is told whether a picture follows.
        """

    @property
    def is_resettable(self) -> bool:
        """Whether an open app can be put back to a document, as if it had been opened with it."""

    def serve(self) -> str:
        """Start the app's server where it does not run yet and return its origin.

        Raises:
            DependencyError: The app is not installed; with the command that installs it.
        """

    def open(self, page: AppPage, document: Document) -> None:
        """Load the app with a document and wait until it can be used."""

    def reset(self, page: AppPage, document: Document) -> bool:
        """Put an open app back to a document; False where it has to be opened anew."""

    def digest(self, page: AppPage) -> str:
        """Return a hash of all that a reset has to restore; empty where the app cannot tell."""

    def export(self, page: AppPage) -> Exported | None:
        """Return the geometry by the app's own export, or None where there is none.

        It may change the interface, so it is called when the episode is over.
        """

    def close(self) -> None:
        """Stop the server. Idempotent."""


def make_app(name: str) -> App:
    """Return an adapter by name.

    Raises:
        UsageError: There is none of that name.
    """
    if name not in APPS:
        raise UsageError(f"app is {name!r}, allowed: {', '.join(APPS)}")
    module, _, kind = APPS[name].partition(":")
    return cast(App, getattr(import_module(module), kind)())
