"""Cuts show what is inside, closed where the part is closed."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import box, cylinder, inside_out, moved, opened, plate

from cadwright.tools.errors import ToolError
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering.clip import Plane, cut_lines
from cadwright.tools.rendering.frame import Renderer
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.section import cut_scene, section_view


def cap_area(scene: Scene) -> float:
    return float(scene.areas[np.isin(scene.face_ids, list(scene.caps))].sum())


@pytest.mark.parametrize(
    ("mesh", "plane", "area_mm2"),
    [
        (box(), Plane(0, 5.0, 1.0), 30.0 * 20.0),
        (box(), Plane(2, -4.0, 1.0), 40.0 * 30.0),
        (cylinder(), Plane(1, 0.0, -1.0), 20.0 * 40.0),
        (plate(), Plane(1, 0.0, -1.0), (80.0 - 24.0) * 10.0),
        (inside_out(box()), Plane(0, 0.0, 1.0), 30.0 * 20.0),
        (moved(box(), (1e5, -1e5, 1e5)), Plane(0, 1e5, 1.0), 30.0 * 20.0),
    ],
    ids=["box x", "box z", "cylinder", "plate", "inside-out", "far away"],
)
def test_the_cap_has_the_area_of_the_cut(mesh: Mesh, plane: Plane, area_mm2: float) -> None:
    cut, is_capped = cut_scene(Scene(mesh), plane)
    assert is_capped
    assert cap_area(cut) == pytest.approx(area_mm2, rel=1e-6)


def test_a_cut_part_is_closed_again() -> None:
    cut, _ = cut_scene(Scene(plate()), Plane(1, 20.0, -1.0))
    assert cut.is_closed


def test_nothing_is_left_on_the_side_that_is_cut_away() -> None:
    cut, _ = cut_scene(Scene(plate()), Plane(0, 7.0, 1.0))
    assert cut.vertices[cut.faces][..., 0].max() == pytest.approx(7.0)


def test_an_open_part_is_clipped_without_caps() -> None:
    mesh = opened(plate(), 0)
    whole = Scene(mesh)
    near, is_capped = cut_scene(whole, Plane(0, 3.0, 1.0))
    far, _ = cut_scene(whole, Plane(0, 3.0, -1.0))
    assert not is_capped
    assert near.areas.sum() + far.areas.sum() == pytest.approx(whole.areas.sum())
    assert near.vertices[:, 0].max() == pytest.approx(3.0)


def test_the_lines_of_a_cut_lie_on_its_plane_and_go_round_the_part() -> None:
    lines = cut_lines(Scene(box()), Plane(0, 5.0, 1.0))
    assert lines[..., 0] == pytest.approx(5.0)
    length = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1).sum()
    assert length == pytest.approx(2.0 * (30.0 + 20.0))


def test_an_open_part_says_that_the_cut_has_no_caps(renderer: Renderer) -> None:
    block = section_view(renderer, Scene(opened(box(), 0)), axis="x", size=128)
    assert "no caps" in block.caption


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("look", ["flat", "iso"])
def test_the_cut_is_seen_in_the_cap_colour(gl: Renderer, axis: str, look: str) -> None:
    pixels = section_view(gl, Scene(box()), axis=axis, look=look, size=256).pixels.astype(int)
    is_cap = (pixels[..., 0] > pixels[..., 2] + 25) & (pixels[..., 1] > pixels[..., 2] + 10)
    assert is_cap.sum() > 2000


def test_a_section_that_misses_the_part_gives_the_range() -> None:
    with pytest.raises(ToolError, match="between -20 and 20"):
        section_view(_never(), Scene(box()), axis="x", offset_mm=20.0)


def test_an_unknown_axis_is_refused() -> None:
    with pytest.raises(ToolError, match="x, y or z"):
        section_view(_never(), Scene(box()), axis="w")


def _never() -> Renderer:
    """Stand in for a renderer that must not be reached."""
    return object()  # type: ignore[return-value]
