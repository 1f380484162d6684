"""Renderers for the rendering tests: one of each backend for the whole run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cadwright.tools.rendering.backends import make_renderer
from cadwright.tools.rendering.client import RenderClient
from cadwright.tools.rendering.frame import Renderer

BACKENDS = ("moderngl", "pyrender", "raycast")


@pytest.fixture(scope="session", params=BACKENDS)
def renderer(request: pytest.FixtureRequest) -> Iterator[Renderer]:
    made = make_renderer(request.param)
    yield made
    made.close()


@pytest.fixture(scope="session")
def tracer() -> Iterator[Renderer]:
    made = make_renderer("raycast")
    yield made
    made.close()


@pytest.fixture(scope="session")
def gl() -> Iterator[Renderer]:
    made = make_renderer("moderngl")
    yield made
    made.close()


@pytest.fixture(scope="session")
def shared() -> Iterator[RenderClient]:
    """Return a client for tests that leave its worker as it was."""
    made = RenderClient()
    yield made
    made.close()


@pytest.fixture
def client() -> Iterator[RenderClient]:
    made = RenderClient()
    yield made
    made.close()
