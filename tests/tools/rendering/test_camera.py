"""Views look where drawings say they look, and render ids name cameras that can be rebuilt."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapes import box, plate

from cadwright.tools.errors import ToolError
from cadwright.tools.rendering.camera import (
    VIEWS,
    Camera,
    SheetCameras,
    direction_of,
    view_axes,
)
from cadwright.tools.rendering.frame import camera_text, parse_camera, parse_sheet, sheet_text
from cadwright.tools.rendering.layout import Layout, choose_camera
from cadwright.tools.rendering.scene import Scene

X, Y, Z = np.identity(3)


@pytest.mark.parametrize(
    ("view", "right", "up", "looking"),
    [
        ("front", X, Z, Y),
        ("back", -X, Z, -Y),
        ("right", Y, Z, -X),
        ("left", -Y, Z, X),
        ("top", X, Y, -Z),
        ("bottom", X, -Y, Z),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_axis_views_follow_third_angle_projection(
    view: str, right: np.ndarray, up: np.ndarray, looking: np.ndarray
) -> None:
    assert np.array_equal(view_axes(*VIEWS[view]), np.stack([right, up, -looking]))


@given(azimuth=st.floats(-720, 720), elevation=st.floats(-90, 90))
def test_axes_are_orthonormal_and_right_handed(azimuth: float, elevation: float) -> None:
    axes = view_axes(azimuth, elevation)
    assert axes @ axes.T == pytest.approx(np.identity(3), abs=1e-9)
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_the_isometric_view_shortens_all_axes_alike() -> None:
    axes = view_axes(*VIEWS["iso"])
    assert np.linalg.norm(axes[:2], axis=0) == pytest.approx([np.sqrt(2 / 3)] * 3)


def test_the_three_axis_views_of_a_sheet_share_scale_and_centre() -> None:
    scene = Scene(plate())
    sheet = SheetCameras.around(scene.box, scene.framed_points)
    assert sheet.front.half_mm == sheet.top.half_mm == sheet.right.half_mm
    assert sheet.front.centre_mm == sheet.top.centre_mm == sheet.right.centre_mm


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_holds_the_whole_part(view: str) -> None:
    scene = Scene(plate())
    camera = choose_camera(scene.box, scene.framed_points, view)
    seen = camera.project(scene.vertices, (300, 200))
    assert (seen[:, :2] > 0).all()
    assert (seen[:, 0] < 300).all()
    assert (seen[:, 1] < 200).all()
    assert (seen[:, 2] > 0).all()
    assert (seen[:, 2] < 2 * camera.depth_half_mm).all()


@given(
    numbers=st.tuples(*[st.floats(-1e6, 1e6)] * 5),
    reach=st.tuples(*[st.floats(1e-6, 1e6)] * 2),
)
def test_a_camera_survives_its_name(numbers: tuple[float, ...], reach: tuple[float, float]) -> None:
    azimuth, elevation, x, y, z = numbers
    camera = Camera("free", azimuth, elevation, (x, y, z), *reach)
    parsed = parse_camera(camera_text(camera))
    assert parsed is not None
    assert parsed.half_mm == pytest.approx(camera.half_mm)
    assert parsed.centre_mm == pytest.approx(camera.centre_mm)


def test_the_cameras_of_a_sheet_survive_their_name() -> None:
    scene = Scene(box())
    sheet = SheetCameras.around(scene.box, scene.framed_points)
    parsed = parse_sheet(sheet_text(sheet))
    assert parsed is not None
    assert sheet_text(parsed) == sheet_text(sheet)


@pytest.mark.parametrize("text", ["", "a/b/c", "moderngl/x/10x10/1", "file.png"])
def test_a_foreign_render_id_names_no_layout(text: str) -> None:
    assert Layout.of_render_id(text, (10, 10)) is None


def test_an_unknown_view_names_the_nearest() -> None:
    with pytest.raises(ToolError, match="did you mean 'front'"):
        direction_of("frnt")


@pytest.mark.parametrize("zoom", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_a_senseless_zoom_is_refused(zoom: float) -> None:
    scene = Scene(box())
    camera = choose_camera(scene.box, scene.framed_points, "iso")
    with pytest.raises(ToolError, match="zoom"):
        camera.zoomed(zoom)
