from __future__ import annotations

from collections.abc import Iterator

import pytest

from cadwright.tools.sandbox import Sandbox, Session


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as shared:
        yield shared


@pytest.fixture
def session(sandbox: Sandbox) -> Iterator[Session]:
    with sandbox.session() as fresh:
        yield fresh
