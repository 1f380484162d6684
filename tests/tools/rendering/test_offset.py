"""How far a part is off, in numbers: widths are those of edges, heights those of surfaces."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import box, moved

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering.measured import Frame
from cadwright.tools.rendering.offset import Amount, Offset, Side
from cadwright.tools.rendering.relief import offset, relief

AMOUNTS = st.builds(Amount, st.floats(0.5, 60), st.floats(0.5, 60) | st.none())
SIDES = st.builds(Side, AMOUNTS | st.none(), AMOUNTS | st.none())


def between(own: Mesh, wanted: Mesh) -> Offset:
    """Return how far one part is from another, as an episode says it."""
    frame = Frame.of(wanted)
    return offset(relief(own, frame), relief(wanted), frame.scale)


def test_a_part_is_not_off_from_itself() -> None:
    mesh = box(40, 30, 20)
    assert between(mesh, mesh) == Offset(0)
    assert between(mesh, mesh).line() == "off by 0 px: top +0 -0, front +0 -0, right +0 -0"


@settings(max_examples=20, deadline=None)
@given(st.integers(8, 50), st.integers(1, 4))
def test_a_side_that_is_too_long_is_off_by_half_of_it_at_either_end(side: int, by: int) -> None:
    found = between(box(side + by, 30, 20), box(side, 30, 20))
    assert found.top == Side(too_much=Amount(by / 2, None))
    assert found.front == Side(too_much=Amount(by / 2, None))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4))
def test_a_top_that_is_too_low_is_off_by_its_height(by: int) -> None:
    found = between(moved(box(40, 30, 20), (0, 0, -by)), box(40, 30, 20))
    assert found.top == Side(missing=Amount(30.0, by))


def test_millimetres_are_those_of_the_part_at_every_scale() -> None:
    assert between(box(408, 300, 200), box(400, 300, 200)).top.too_much == Amount(5.0, None)


def test_swapping_the_parts_swaps_what_is_too_much_and_what_is_missing() -> None:
    own, wanted = moved(box(40, 30, 20), (2, 0, 1)), box(40, 30, 20)
    for there, back in zip(
        (between(own, wanted).top, between(own, wanted).right),
        (between(wanted, own).top, between(wanted, own).right),
        strict=True,
    ):
        assert there.too_much is not None
        assert back.missing is not None
        assert there.too_much.wide_mm == pytest.approx(back.missing.wide_mm)


@given(st.integers(0, 9999), SIDES, SIDES, SIDES)
def test_an_offset_survives_the_wire(px: int, top: Side, front: Side, right: Side) -> None:
    found = Offset(px, top, front, right)
    assert Offset.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_the_nearest_attempt_is_named_where_this_one_is_no_nearer() -> None:
    far, near, last = Offset(90), Offset(20), Offset(50)
    assert last.line([far, near]).startswith("off by 50 px (attempt 2: 20 px): ")
    assert near.line([far, None, near]).startswith("off by 20 px (as attempt 3): ")
    assert near.line([far, last]).startswith("off by 20 px: ")


def test_a_view_says_width_and_height() -> None:
    assert str(Side(Amount(1.0, 5.0), Amount(0.5, None))) == "+1x5 -0.5"
