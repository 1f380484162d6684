"""Each dialect of coordinates keeps its places, and refuses what lies outside."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.tools.browsing.coordinates import (
    Fractions,
    PixelGrid,
    Scheme,
    Spot,
    Steps,
    declared_display,
    smart_resized,
)
from cadwright.tools.errors import ToolError

VIEWPORT = (1024, 768)
SCHEMES: dict[str, tuple[Scheme, float, float]] = {  # scheme, largest x, largest y
    "fractions": (Fractions(), 1, 1),
    "pixels": (PixelGrid(*VIEWPORT), 1023, 767),
    "0-1000": (Steps(1000), 1000, 1000),
    "0-999": (Steps(999), 999, 999),
    "smart resized": (smart_resized(*VIEWPORT), 1035, 755),
    "declared, longest side": (declared_display(2560, 1600, longest_px=1280), 1279, 799),
    "declared, area": (declared_display(1920, 1080, area_px=1_150_000), 1428, 803),
}
FRACTION = st.floats(0, 1)
each_scheme = pytest.mark.parametrize(("scheme", "right", "low"), SCHEMES.values(), ids=SCHEMES)


@each_scheme
@given(x=FRACTION, y=FRACTION)
def test_a_place_survives_the_way_there_and_back_within_half_a_step(scheme, right, low, x, y):
    back = scheme.to_spot(*scheme.from_spot(Spot(x, y)))
    assert abs(back.x - x) <= 0.51 / right or scheme == Fractions()
    assert abs(back.y - y) <= 0.51 / low or scheme == Fractions()


@each_scheme
def test_what_a_model_writes_survives_exactly(scheme, right, low):
    for x, y in ((0, 0), (right, low), (right // 2, low // 3), (1, 1)):
        assert scheme.from_spot(scheme.to_spot(x, y)) == (x, y)


@each_scheme
@pytest.mark.parametrize("bad", [-1, 1e9, math.nan, math.inf])
def test_what_lies_outside_is_refused_with_what_is_allowed(scheme, right, low, bad):
    with pytest.raises(ToolError, match="allowed: 0 to"):
        scheme.to_spot(bad, 0)
    with pytest.raises(ToolError, match="allowed: 0 to"):
        scheme.to_spot(0, bad)


@pytest.mark.parametrize("scheme", [Steps(1000), Steps(999), PixelGrid(640, 480)], ids=str)
def test_a_click_through_a_dialect_lands_within_two_css_pixels(scheme):
    for x, y in ((3.0, 4.0), (511.7, 200.2), (1020.9, 765.5)):
        spot = scheme.to_spot(*scheme.from_spot(Spot(x / 1024, y / 768)))
        there = spot.css(*VIEWPORT)
        assert math.hypot(there[0] - x, there[1] - y) < 2.0


def test_the_far_corner_lies_inside_of_the_viewport():
    assert Spot(1, 1).css(1024, 768) == (1023.5, 767.5)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1024, 768), (1036, 756)),  # nearest multiples of 28
        ((28, 28), (56, 56)),  # grown to the least area
        ((4000, 3000), (1148, 840)),  # shrunk to the largest area
    ],
)
def test_smart_resize_gives_multiples_within_the_limits(size, expected):
    grid = smart_resized(*size)
    assert (grid.width, grid.height) == expected


def test_a_small_display_is_declared_as_it_is():
    assert declared_display(1024, 768, longest_px=1568) == PixelGrid(1024, 768)
