"""The pictures that policies and people see."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import box, inside_out, joined, moved, plate

from cadwright.tools.errors import ToolError
from cadwright.tools.rendering.frame import Frame, Renderer, RenderFailure
from cadwright.tools.rendering.ink import length_text, round_length
from cadwright.tools.rendering.layout import Layout, sheet_cells, size_text
from cadwright.tools.rendering.look import LOOK_VERSION
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.views import require_visible, single_view, view_sheet


def columns_of(pixels: np.ndarray) -> np.ndarray:
    return np.flatnonzero((pixels < 120).all(axis=2).sum(axis=0) > 5)


@pytest.mark.parametrize("size", [64, 128, 256, 512, 2048])
def test_a_sheet_has_the_size_asked_for(gl: Renderer, size: int) -> None:
    assert view_sheet(gl, Scene(plate()), size=size).pixels.shape == (size, size, 3)


def test_features_line_up_between_the_top_and_the_front_view(gl: Renderer) -> None:
    size = 512
    pixels = view_sheet(gl, Scene(box()), size=size).pixels
    top, _, front, _ = (
        pixels[c.top + 30 : c.top + c.height - 60, c.left : c.left + c.width]
        for c in sheet_cells(size)
    )
    assert abs(columns_of(top)[[0, -1]] - columns_of(front)[[0, -1]]).max() <= 1


def test_a_sheet_is_equal_to_the_byte_each_time(gl: Renderer) -> None:
    one, two = (view_sheet(gl, Scene(plate()), size=256) for _ in range(2))
    assert np.array_equal(one.pixels, two.pixels)
    assert one.render_id == two.render_id


def test_a_render_id_names_backend_camera_size_and_version(gl: Renderer) -> None:
    backend, camera, size, version = single_view(gl, Scene(box()), "top").render_id.split("/")
    assert (backend, size, version) == ("moderngl", "512x512", LOOK_VERSION)
    assert camera.startswith("top:")


def test_a_render_id_gives_the_layout_back(gl: Renderer) -> None:
    block = view_sheet(gl, Scene(plate()), size=256)
    layout = Layout.of_render_id(block.render_id, (256, 256))
    assert layout is not None
    assert layout.is_sheet


@pytest.mark.parametrize("kind", ["colour", "depth", "normals", "faces"])
def test_every_kind_of_picture_shows_the_part(gl: Renderer, kind: str) -> None:
    pixels = single_view(gl, Scene(box()), "front", size=128, kind=kind).pixels
    assert (pixels[64, 64] < 255).any()


def test_zooming_in_fills_the_picture(gl: Renderer) -> None:
    pixels = single_view(gl, Scene(box()), "front", size=128, zoom=10.0).pixels
    assert (pixels[40:90, 40:90] < 250).any(axis=2).all()


def test_panning_moves_the_part_the_other_way(gl: Renderer) -> None:
    scene = Scene(box())
    plain = single_view(gl, scene, "front", size=200).pixels
    aside = single_view(gl, scene, "front", size=200, pan_mm=(10.0, 0.0)).pixels
    shift = columns_of(plain[60:140])[-1] - columns_of(aside[60:140])[-1]
    assert shift == pytest.approx(10.0 / (40.0 * 1.16) * 200.0, abs=1.5)


def test_a_view_past_the_part_says_that_nothing_is_in_view(gl: Renderer) -> None:
    block = single_view(gl, Scene(box()), "front", pan_mm=(500.0, 0.0))
    assert "nothing in view" in block.caption


def test_a_blank_frame_of_a_framed_part_is_a_failure_of_the_backend(gl: Renderer) -> None:
    scene = Scene(box())
    layout = Layout.choose("front", scene.box, scene.framed_points, 64)
    seen = layout.frames(gl, scene)[0]
    blank = Frame(
        seen.colour, np.ones_like(seen.depth), seen.triangle, seen.camera, "moderngl", scene
    )
    with pytest.raises(RenderFailure, match="blank"):
        require_visible(gl, [blank])


def test_a_sheet_points_at_what_lies_outside(gl: Renderer) -> None:
    speck = moved(box(0.1, 0.1, 0.1), (4000.0, 0.0, 0.0))
    with_speck = view_sheet(gl, Scene(joined(box(), speck)))
    plain = view_sheet(gl, Scene(box()))
    cell = sheet_cells(512)[2]
    arrow = with_speck.pixels[cell.top : cell.top + cell.height, cell.width - 30 : cell.width - 2]
    red = arrow.astype(int)
    assert "outside the frame" in with_speck.caption
    assert ((red[..., 0] > red[..., 1] + 80) & (red[..., 0] > 150)).sum() > 20
    assert "outside" not in plain.caption


def test_a_sheet_says_that_a_part_is_inside_out(gl: Renderer) -> None:
    assert "inside-out" in view_sheet(gl, Scene(inside_out(box()))).caption


@pytest.mark.parametrize("size", [0, 63, 2049, "512", 300.5])
def test_a_sheet_of_a_senseless_size_is_refused(gl: Renderer, size: object) -> None:
    with pytest.raises(ToolError, match="size is"):
        view_sheet(gl, Scene(box()), size=size)  # type: ignore[arg-type]


def test_an_unknown_kind_is_refused(gl: Renderer) -> None:
    with pytest.raises(ToolError, match="kind"):
        single_view(gl, Scene(box()), kind="x-ray")


@pytest.mark.parametrize(
    ("most", "length"), [(24.0, 20.0), (20.0, 20.0), (0.0019, 0.001), (9.9, 5.0), (1e4, 1e4)]
)
def test_scale_bars_have_round_lengths(most: float, length: float) -> None:
    assert round_length(most) == pytest.approx(length)


@pytest.mark.parametrize(
    ("mm", "text"), [(0.002, "2 um"), (20.0, "20 mm"), (500.0, "500 mm"), (2e3, "2 m")]
)
def test_lengths_take_the_unit_that_reads_best(mm: float, text: str) -> None:
    assert length_text(mm) == text


@pytest.mark.parametrize(
    ("sides", "text"),
    [
        ((80, 60, 10), "80 x 60 x 10 mm"),
        ((1050, 20, 3), "1050 x 20 x 3 mm"),
        ((0.02, 0.01, 0.005), "20 x 10 x 5 um"),
        ((12_000, 4_000, 30), "12 x 4 x 0.03 m"),
    ],
    ids=str,
)
def test_overall_dimensions_take_one_unit(sides: tuple[float, ...], text: str) -> None:
    assert size_text(Scene(box(*sides)).box) == text
