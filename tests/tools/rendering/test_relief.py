"""A part laid over what is wanted: the side of every colour is right, whatever is wrong."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import box, moved

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering.measured import STRIP_PX, VIEW_PX, Frame, measured_sheet
from cadwright.tools.rendering.relief import FLAT_VIEWS, difference, laid_over, relief

Signed = npt.NDArray[np.float64]


def compared(own: Mesh, wanted: Mesh) -> Signed:
    """Return what is too much and missing in each flat view, where both parts stand."""
    frame = Frame.of(wanted)
    return difference(relief(own, frame), relief(wanted))


def test_a_part_over_itself_has_no_colour() -> None:
    mesh = box(40, 30, 20)
    over = laid_over(measured_sheet(mesh), relief(mesh), relief(mesh))
    assert (over == over[..., :1]).all()


@settings(max_examples=30, deadline=None)
@given(st.tuples(*[st.integers(6, 56)] * 3), st.integers(0, 2), st.integers(1, 4))
def test_a_box_that_is_too_large_is_never_short_of_anything(
    sides: tuple[int, int, int], axis: int, by: int
) -> None:
    larger = tuple(side + by * (place == axis) for place, side in enumerate(sides))
    small, large = box(*sides), box(*larger)
    assert compared(large, small).min() == 0.0
    assert compared(large, small).max() > 0.0
    assert compared(small, large).max() == 0.0
    assert compared(small, large).min() < 0.0


@given(st.integers(1, 5))
@settings(max_examples=5, deadline=None)
def test_a_height_that_is_wrong_colours_the_whole_top_view(by: int) -> None:
    top = compared(moved(box(40, 30, 20), (0, 0, by)), box(40, 30, 20))[0]
    is_material = relief(box(40, 30, 20))[0] > 0
    assert (top[is_material] == 1.0).all()
    assert (top[~is_material] == 0.0).all()


def test_half_a_millimetre_gets_half_the_colour() -> None:
    top = compared(moved(box(40, 30, 20), (0, 0, 0.5)), box(40, 30, 20))[0]
    assert set(np.unique(top)) == {0.0, 0.5}


def test_parts_are_compared_where_they_stand() -> None:
    apart = compared(moved(box(40, 30, 20), (3, 0, 0)), box(40, 30, 20))
    front = apart[list(FLAT_VIEWS).index("front")]
    columns = np.flatnonzero((front != 0.0).any(axis=0)) / 2.0 - VIEW_PX / 2.0
    assert columns.min() == pytest.approx(-20.0)  # missing on the left
    assert columns.max() == pytest.approx(22.5)  # too much on the right
    assert front[:, :VIEW_PX].min() == -1.0
    assert front[:, VIEW_PX:].max() == 1.0


def test_a_part_far_from_its_place_is_all_missing() -> None:
    away = compared(moved(box(40, 30, 20), (500, 0, 0)), box(40, 30, 20))
    assert away[0].max() == 0.0
    assert away[0].sum() == -40 * 30 * 4  # four fine pixels a square millimetre


def test_red_is_too_much_and_blue_is_missing() -> None:
    small, large = box(30, 30, 20), box(40, 30, 20)
    middle = (STRIP_PX + VIEW_PX // 2, VIEW_PX // 2 - 18)
    extra = laid_over(measured_sheet(small), relief(large, Frame.of(small)), relief(small))[middle]
    short = laid_over(measured_sheet(large), relief(small, Frame.of(large)), relief(large))[middle]
    assert extra[0] > extra[2]
    assert short[2] > short[0]


def test_the_table_of_what_is_wanted_stays_readable() -> None:
    mesh = box(40, 30, 20)
    sheet = measured_sheet(mesh, [40, 30, 20])
    over = laid_over(sheet, relief(mesh), relief(mesh))
    assert np.array_equal(over[:STRIP_PX, :, 0], sheet[:STRIP_PX])
