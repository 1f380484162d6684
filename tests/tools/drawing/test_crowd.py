"""What touches what on paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.tools.drawing.crowd import are_ends_on, boxes_meet, crosses, meets_box, segments_of
from cadwright.tools.drawing.paper import dashed

BOX = (0.0, 0.0, 10.0, 5.0)
COORDINATE = st.floats(-20, 20)


@given(COORDINATE, COORDINATE, COORDINATE, COORDINATE)
def test_a_segment_meets_a_box_where_points_of_it_lie_inside(x0, y0, x1, y1):
    share = np.linspace(0, 1, 400)
    x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
    if ((x > 0.01) & (x < 9.99) & (y > 0.01) & (y < 4.99)).any():
        assert meets_box(np.array([[x0, y0, x1, y1]]), BOX).all()
    if not ((x > -0.2) & (x < 10.2) & (y > -0.2) & (y < 5.2)).any():
        assert not meets_box(np.array([[x0, y0, x1, y1]]), BOX).any()


@pytest.mark.parametrize(
    ("one", "is_met"),
    [((5, -1, 5, 9), True), ((12, 0, 12, 5), False), ((-3, 2, 30, 2), True), ((0, 9, 9, 9), False)],
    ids=["through", "beside", "along", "below"],
)
def test_level_and_upright_segments_meet_a_box(one, is_met):
    assert meets_box(np.array([one], float), BOX).all() == is_met


def test_boxes_that_share_an_edge_do_not_meet():
    assert not boxes_meet(BOX, (10.0, 0.0, 20.0, 5.0))
    assert boxes_meet(BOX, (9.0, 4.0, 20.0, 15.0))


def test_lines_that_end_on_each_other_do_not_cross():
    segments = segments_of([((0.0, 0.0), (10.0, 0.0))])
    assert not crosses(segments, np.array([5.0, 0.0, 5.0, 9.0])).any()
    assert crosses(segments, np.array([5.0, -1.0, 5.0, 9.0])).all()


@given(st.floats(1, 200))
def test_dashes_begin_and_end_with_the_line(length):
    pieces = dashed(((0.0, 0.0), (length, 0.0)), "hidden")
    assert pieces[0][0][0] == pytest.approx(0.0, abs=1e-6)
    assert pieces[-1][-1][0] == pytest.approx(length, abs=1e-6)


@given(st.floats(20, 200))
def test_dashes_cover_two_thirds_of_a_hidden_line(length):
    pieces = dashed(((0.0, 0.0), (length, 0.0)), "hidden")
    inked = sum(piece[-1][0] - piece[0][0] for piece in pieces)
    assert inked / length == pytest.approx(2 / 3, abs=0.02)


def test_a_segment_that_ends_near_the_middle_of_another_ends_on_it():
    level = segments_of([((0.0, 0.0), (10.0, 0.0))])
    assert are_ends_on(segments_of([((5.0, 0.9), (5.0, 8.0))]), level, 1.0)
    assert not are_ends_on(segments_of([((5.0, 1.1), (5.0, 8.0))]), level, 1.0)
    assert not are_ends_on(segments_of([((5.0, -4.0), (5.0, 4.0))]), level, 1.0)
