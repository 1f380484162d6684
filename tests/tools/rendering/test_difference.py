"""The picture of surface distances: what it measures, how it paints it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from shapes import Manifold, box, mesh_of, moved, plate

from cadwright.tools.rendering.client import RenderClient
from cadwright.tools.rendering.difference import (
    RAMP,
    SHORTEST_SCALE,
    Target,
    colours,
    difference,
    points_of,
)
from cadwright.tools.rendering.frame import Renderer
from cadwright.tools.rendering.layout import Layout
from cadwright.tools.rendering.scene import Scene


def shares(caption: str) -> list[float]:
    return [float(share) for share in re.findall(r"on ([\d.]+) %", caption)]


def largest(caption: str) -> list[float]:
    return [float(gap) for gap in re.findall(r"at most ([\d.e-]+) mm", caption)]


def test_a_part_does_not_differ_from_itself(renderer: Renderer) -> None:
    block = difference(renderer, Scene(plate()), Scene(plate()), size=256)
    assert min(shares(block.caption)) >= 99.8  # a few pixels lie on the rim of a face
    assert max(largest(block.caption)) < 0.2


def test_the_largest_distance_is_the_one_that_was_made(renderer: Renderer) -> None:
    block = difference(renderer, Scene(box(40, 30, 24)), Scene(box(40, 30, 20)), size=256)
    assert largest(block.caption) == pytest.approx([2.0, 2.0], abs=0.05)


def test_a_hole_that_is_missing_shows_in_the_reference_alone(renderer: Renderer) -> None:
    drill = Manifold.cylinder(30.0, 5.0, 5.0, 48, True)
    drilled = Scene(mesh_of(Manifold.cube((40.0, 30.0, 20.0), True) - drill))
    block = difference(renderer, Scene(box(40, 30, 20)), drilled, view="front", size=128)
    assert shares(block.caption) == [100.0, 100.0]  # from the front neither shows it
    part, reference = shares(difference(renderer, Scene(box(40, 30, 20)), drilled).caption)
    assert part < 100.0  # where the hole should be
    assert reference < 100.0  # its wall, through the opening


def test_both_halves_and_the_scale_are_on_the_picture(gl: Renderer) -> None:
    block = difference(gl, Scene(box(40, 30, 24)), Scene(box(40, 30, 20)), view="top", size=128)
    height, width, _ = block.pixels.shape
    assert width == 256
    assert height > 128
    middle = block.pixels[64, 64] / 255.0  # the raised top, at the end of the ramp
    assert middle[0] > middle[1] + 0.2


def test_pixels_are_points_of_the_surface(gl: Renderer) -> None:
    scene = Scene(moved(box(40, 30, 20), (5.0, -3.0, 100.0)))
    layout = Layout.choose("iso", scene.box, scene.framed_points, 128)
    points = points_of(layout.frames(gl, scene)[0])
    assert Target(scene).distances(points).max() < 1e-3 * scene.box.radius


@pytest.mark.parametrize(("gap", "paint"), [(0.0, RAMP[0]), (3.0, RAMP[-1]), (99.0, RAMP[-1])])
def test_the_ramp_ends_where_the_scale_does(gap: float, paint: np.ndarray) -> None:
    assert colours(np.array([gap]), 3.0)[0] == pytest.approx(paint)


def test_rounding_is_not_painted_as_a_difference() -> None:
    diagonal = 50.0
    tiny = colours(np.array([1e-5 * diagonal]), SHORTEST_SCALE * diagonal)[0]
    assert tiny == pytest.approx(RAMP[0], abs=0.01)


def test_the_client_draws_it_in_its_worker() -> None:
    with_worker = RenderClient("raycast")
    try:
        block = with_worker.difference(plate(), plate(), view="iso", size=64)
    finally:
        with_worker.close()
    assert block.pixels.shape[1] == 128
    assert "difference|" in block.render_id
