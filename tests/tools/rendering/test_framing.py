"""The framing rule: exact for ordinary parts, and no speck can game it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import Mesh, box, cylinder, joined, moved, plate, sphere

from cadwright.tools.rendering.framing import FramedBox
from cadwright.tools.rendering.scene import Scene


def framed(mesh: Mesh) -> FramedBox:
    return Scene(mesh).box


@pytest.mark.parametrize("mesh", [box(), cylinder(), plate(), sphere()], ids=str)
def test_an_ordinary_part_keeps_its_exact_box(mesh: Mesh) -> None:
    seen = framed(mesh)
    assert np.array_equal(seen.low, mesh.vertices.min(axis=0))
    assert np.array_equal(seen.high, mesh.vertices.max(axis=0))


@settings(deadline=None, max_examples=40)
@given(
    direction=st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda d: max(map(abs, d)) > 0.1),
    distance=st.floats(100.0, 1e8),
    size=st.floats(1e-3, 1.0),
)
def test_a_far_speck_never_enlarges_the_frame_beyond_half(
    direction: tuple[float, float, float], distance: float, size: float
) -> None:
    part = box()
    unit = np.asarray(direction) / np.linalg.norm(direction)
    speck = moved(box(size, size, size), unit * distance)
    seen, alone = framed(joined(part, speck)), framed(part)
    assert (seen.size <= alone.size + 2.0 * alone.radius).all()
    assert (seen.low <= alone.low).all()
    assert (seen.high >= alone.high).all()


def test_a_far_speck_is_reported_where_it_is() -> None:
    speck = moved(box(0.1, 0.1, 0.1), (5000.0, 0.0, 0.0))
    assert framed(joined(box(), speck)).outside.mean(axis=0) == pytest.approx([5000, 0, 0], abs=1)


def test_a_small_far_body_enlarges_the_frame_at_most_nine_times() -> None:
    body = moved(box(6.0, 6.0, 6.0), (1e6, 0.0, 0.0))  # 4 % of the area
    assert framed(joined(box(), body)).size.max() < 9.0 * framed(box()).radius * 2.0


def test_two_bodies_of_equal_size_are_both_framed() -> None:
    pair = joined(box(), moved(box(), (10_000.0, 0.0, 0.0)))
    assert not len(framed(pair).outside)


def test_an_antenna_of_half_the_parts_size_is_framed_whole() -> None:
    wire = moved(box(0.1, 0.1, 20.0), (0.0, 0.0, 20.0))
    assert framed(joined(box(), wire)).high[2] == 30.0


@settings(deadline=None, max_examples=30)
@given(scale=st.floats(1e-5, 1e4), shift=st.tuples(*[st.floats(-1e5, 1e5)] * 3))
def test_framing_follows_scale_and_position(
    scale: float, shift: tuple[float, float, float]
) -> None:
    mesh = joined(box(), moved(box(0.1, 0.1, 0.1), (1000.0, 0.0, 0.0)))
    there, here = framed(moved(mesh, shift, scale)), framed(mesh)
    assert len(there.outside) == len(here.outside)
    assert there.size == pytest.approx(here.size * scale, rel=1e-6, abs=1e-9)


def test_a_mesh_without_area_is_framed_whole() -> None:
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [9.0, 0.0, 0.0]])
    line = Mesh(points, np.array([[0, 1, 2]], dtype=np.int32), np.zeros(1, dtype=np.int32))
    assert framed(line).high[0] == 9.0
