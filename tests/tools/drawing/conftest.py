"""Finished drawings for the tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from drawn import DRAWN, outlines

from cadwright.tools.drawing.draw import draw
from cadwright.tools.drawing.record import Drawing
from cadwright.tools.drawing.sheet import SheetSettings


@cache
def _drawing(name: str, angle: str) -> Drawing:
    settings = SheetSettings(title=name, material="S235JR", angle=angle)
    return draw(outlines(name), DRAWN[name][1], settings)


@pytest.fixture(scope="session")
def drawing_of() -> Callable[..., Drawing]:
    return lambda name, angle="third": _drawing(name, angle)
