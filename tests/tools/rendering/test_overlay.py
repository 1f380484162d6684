"""Overlays tell too much from missing, with parts and with pictures."""

from __future__ import annotations

import re

import numpy as np
import pytest
from shapes import Manifold, Mesh, box, mesh_of, moved, plate

from cadwright.tools.errors import ToolError
from cadwright.tools.rendering.frame import Renderer
from cadwright.tools.rendering.layout import Layout
from cadwright.tools.rendering.overlay import compare_frames, overlay_parts
from cadwright.tools.rendering.picture_overlay import overlay_picture, part_mask
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.views import single_view, view_sheet
from cadwright.tools.tool import ImageBlock


def pocketed(depth: float) -> Mesh:
    """Return the box with a square pocket from the top."""
    cutter = Manifold.cube((16.0, 12.0, 2.0 * depth), True).translate((0.0, 0.0, 10.0))
    return mesh_of(Manifold.cube((40.0, 30.0, 20.0), True) - cutter)


def shares(caption: str) -> dict[str, float]:
    found = re.findall(r"(agreement|too much|missing|surface) ([\d.]+) %", caption)
    return {name: float(value) for name, value in found}


def test_a_part_agrees_with_itself_fully(renderer: Renderer) -> None:
    block = overlay_parts(renderer, Scene(plate()), Scene(plate()), size=256)
    assert shares(block.caption) == {"agreement": 100.0, "too much": 0.0, "missing": 0.0}


def test_what_only_the_result_has_is_too_much(gl: Renderer) -> None:
    block = overlay_parts(gl, Scene(box(40, 30, 40)), Scene(box(40, 30, 20)), view="front")
    assert shares(block.caption)["too much"] == pytest.approx(50.0, abs=1.0)
    assert shares(block.caption)["missing"] == 0.0


def test_result_and_target_mirror_each_other(gl: Renderer) -> None:
    one, two = Scene(box(40, 30, 40)), Scene(box(60, 30, 20))
    there = shares(overlay_parts(gl, one, two, view="front").caption)
    back = shares(overlay_parts(gl, two, one, view="front").caption)
    assert there["too much"] == back["missing"]
    assert there["agreement"] == back["agreement"]


def test_a_pocket_of_another_depth_shows_though_the_outlines_agree(gl: Renderer) -> None:
    shallow, deep = Scene(pocketed(4.0)), Scene(pocketed(12.0))
    layout = Layout.choose("top", deep.box, deep.framed_points, 200)
    compared = compare_frames(layout.frames(gl, shallow)[0], layout.frames(gl, deep)[0])
    pixel = layout.cameras[0].mm_per_px((200, 200)) ** 2
    assert compared.too_much.sum() * pixel == pytest.approx(16.0 * 12.0, rel=0.08)
    assert not compared.missing.any()


@pytest.mark.parametrize("size", [128, 256, 512])
def test_a_sheet_of_the_same_part_agrees_to_the_pixel(renderer: Renderer, size: int) -> None:
    target = view_sheet(renderer, Scene(plate()), size=size)
    assert shares(overlay_picture(renderer, Scene(plate()), target).caption)["agreement"] == 100.0


def test_a_sheet_of_another_backend_agrees_nearly(gl: Renderer, tracer: Renderer) -> None:
    target = view_sheet(tracer, Scene(plate()))
    assert shares(overlay_picture(gl, Scene(plate()), target).caption)["agreement"] > 97.0


def test_a_picture_of_ours_compares_absolute_size(gl: Renderer) -> None:
    target = single_view(gl, Scene(box()), "front")
    caption = overlay_picture(gl, Scene(moved(box(), (0, 0, 0), 0.5)), target).caption
    assert shares(caption)["missing"] == pytest.approx(75.0, abs=1.0)


def test_a_result_larger_than_the_targets_frame_is_seen_from_outside(gl: Renderer) -> None:
    target = single_view(gl, Scene(box()), "front")
    tall = overlay_picture(gl, Scene(box(40.0, 300.0, 20.0)), target)
    assert shares(tall.caption)["too much"] == 0.0


def test_another_surface_within_the_outline_is_told_apart(gl: Renderer) -> None:
    target = single_view(gl, Scene(pocketed(12.0)), "iso")
    assert shares(overlay_picture(gl, Scene(box()), target).caption)["surface"] > 5.0


def test_a_foreign_picture_is_aligned_by_its_outline(gl: Renderer) -> None:
    foreign = np.full((300, 400, 3), 240, dtype=np.uint8)
    foreign[100:200, 150:350] = 90  # 2 : 1 like the front of the box, anywhere, any colour
    block = overlay_picture(gl, Scene(box()), ImageBlock(foreign, "photo.png"), view="front")
    assert shares(block.caption)["agreement"] > 96.0
    assert "absolute size was not compared" in block.caption


def test_letters_in_a_foreign_picture_are_not_part_of_it() -> None:
    picture = np.full((100, 100, 3), 255, dtype=np.uint8)
    picture[20:80, 20:80] = 100
    picture[5:8, 5:8] = 0
    assert part_mask(picture).sum() == 3600


def test_an_empty_foreign_picture_is_refused(gl: Renderer) -> None:
    white = ImageBlock(np.full((64, 64, 3), 255, dtype=np.uint8), "white.png")
    with pytest.raises(ToolError, match="no outline"):
        overlay_picture(gl, Scene(box()), white, view="iso")


def test_a_foreign_picture_needs_a_view(gl: Renderer) -> None:
    with pytest.raises(ToolError, match="name it"):
        overlay_picture(
            gl, Scene(box()), ImageBlock(np.zeros((9, 9, 3), np.uint8), "x"), view="sheet"
        )
