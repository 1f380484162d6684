"""The measured sheet: lengths can be read off it, and it is the same wherever it is drawn."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering.client import RenderClient
from cadwright.tools.rendering.measured import (
    GRID_MM,
    STRIP_PX,
    VIEW_PX,
    measured_block,
    measured_sheet,
    scale_for,
    with_table,
)
from cadwright.tools.rendering.relief import compared
from cadwright.tools.rendering.spans import nearest_surface

_QUADS = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))

Picture = npt.NDArray[Any]


def box(length: float, width: float, height: float) -> Mesh:
    """Return a box about the origin, a face id for each side."""
    x, y, z = length / 2, width / 2, height / 2
    corners = [(-x, -y), (x, -y), (x, y), (-x, y)]
    vertices = np.array([(a, b, c) for c in (-z, z) for a, b in corners])
    faces = [t for a, b, c, d in _QUADS for t in ((a, b, c), (a, c, d))]
    return Mesh(vertices, np.array(faces, np.int32), np.repeat(np.arange(6), 2).astype(np.int32))


def view(sheet: Picture, row: int, column: int) -> Picture:
    """Return one view: 0, 0 is the top view."""
    y, x = STRIP_PX + row * VIEW_PX, column * VIEW_PX
    return sheet[y : y + VIEW_PX, x : x + VIEW_PX]


def extent(picture: Picture, axis: int) -> int:
    """Return the length of what is neither paper nor grid, px."""
    is_part = (picture < 224).any(axis=axis)
    places = np.flatnonzero(is_part)
    return int(places[-1] - places[0] + 1)


@settings(max_examples=30, deadline=None)
@given(*[st.integers(6, 60)] * 3)
def test_a_pixel_is_a_millimetre(length: int, width: int, height: int) -> None:
    sheet = measured_sheet(box(length, width, height))
    top, front, right = view(sheet, 0, 0), view(sheet, 1, 0), view(sheet, 1, 1)
    # An odd length ends in the middle of two pixels: one more is touched.
    assert extent(top, 0) - length in (0, 1)
    assert extent(top, 1) - width in (0, 1)
    assert extent(front, 1) - height in (0, 1)
    assert extent(right, 0) - width in (0, 1)


def test_a_part_anywhere_gives_the_same_sheet() -> None:
    mesh = box(40, 30, 20)
    moved = Mesh(np.add(mesh.vertices, (300.0, -50.0, 7.0)), mesh.faces, mesh.face_ids)
    assert np.array_equal(measured_sheet(mesh), measured_sheet(moved))


def test_the_front_view_shows_cut_material_dark_and_a_cavity_light() -> None:
    outer, inner = box(40, 30, 20), box(20, 20, 10)
    hollow = Mesh(
        np.vstack([outer.vertices, inner.vertices]),
        np.vstack([outer.faces, inner.faces[:, ::-1] + 8]).astype(np.int32),
        np.concatenate([outer.face_ids, inner.face_ids + 6]).astype(np.int32),
    )
    front = view(measured_sheet(hollow), 1, 0)
    middle = VIEW_PX // 2
    assert front[middle, middle - 15] < 110 < front[middle, middle]


@pytest.mark.parametrize(
    ("extent_mm", "scale"), [(5, 1), (60, 1), (61, 0.5), (121, 0.2), (301, 0.1)]
)
def test_large_parts_are_drawn_at_a_round_scale(extent_mm: float, scale: float) -> None:
    assert scale_for(extent_mm) == pytest.approx(scale)


def test_grid_lines_stay_ten_millimetres_apart_at_half_scale() -> None:
    top = view(measured_sheet(box(100, 4, 4)), 0, 0)
    first_row = np.flatnonzero(top[1] < 250)
    assert set(np.diff(first_row)) == {int(GRID_MM / 2)}


def test_a_table_changes_the_strip_alone() -> None:
    bare, mesh = measured_sheet(box(40, 30, 20)), box(40, 30, 20)
    written = measured_sheet(mesh, [40, 30, 20])
    assert np.array_equal(bare[STRIP_PX:], written[STRIP_PX:])
    assert (written[:STRIP_PX] < 255).any()
    assert np.array_equal(written, with_table(bare, [40, 30, 20]))


@given(st.lists(st.integers(0, 99), min_size=1, max_size=8), st.integers(0, 7), st.integers(1, 99))
def test_another_number_is_another_strip(values: list[int], place: int, by: int) -> None:
    sheet = measured_sheet(box(8, 8, 8))
    other = list(values)
    other[place % len(values)] = (other[place % len(values)] + by) % 100
    assert other == values or not np.array_equal(
        with_table(sheet, values), with_table(sheet, other)
    )


def test_the_worker_draws_what_this_process_draws() -> None:
    mesh, wanted = box(40, 30, 20), box(42, 30, 20)
    client = RenderClient("raycast")
    try:
        drawn = client.measured(mesh, table=(40, 30, 20))
        over = client.compared(mesh, wanted, table=(42, 30, 20))
    finally:
        client.close()
    assert drawn == measured_block(mesh, [40, 30, 20])
    assert over == compared(mesh, wanted, [42, 30, 20])


def test_the_nearest_of_two_triangles_is_seen() -> None:
    low = np.array([[0, 0, 1.0], [8, 0, 1], [0, 8, 1]])
    high = np.add(low, (0, 0, 5))
    seen = nearest_surface(np.stack([low, high]), (8, 8))
    assert set(np.unique(seen.triangle)) == {-1, 1}
    under = nearest_surface(np.stack([low, high]), (8, 8), ceiling=3.0)
    assert set(np.unique(under.triangle)) == {-1, 0}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-5, 21), min_size=6, max_size=6))
def test_neighbours_share_each_pixel_of_a_square_exactly_once(numbers: list[float]) -> None:
    """Two triangles of one quadrilateral cover what the four-sided outline covers, once."""
    a, b, c = np.array(numbers).reshape(3, 2)
    d = a + c - b
    flat = [np.column_stack([np.array(t), np.zeros(3)]) for t in ((a, b, c), (a, c, d))]
    first, second = (nearest_surface(t[None], (16, 16)).triangle >= 0 for t in flat)
    both = nearest_surface(np.stack(flat), (16, 16)).triangle >= 0
    assert np.array_equal(both, first | second)
