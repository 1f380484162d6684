"""Three backends, one picture: outlines, depth, ids and lines agree with each other and truth."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import (
    Mesh,
    box,
    cylinder,
    inside_out,
    joined,
    moved,
    opened,
    plate,
    sphere,
    tray,
)

from cadwright.tools.errors import GeometryError, Outcome, UsageError
from cadwright.tools.geometry.part import Edges
from cadwright.tools.rendering.backends import FALLBACK_LABEL, make_renderer, probe_backends
from cadwright.tools.rendering.camera import Camera
from cadwright.tools.rendering.frame import Frame, Renderer, RenderFailure
from cadwright.tools.rendering.layout import choose_camera
from cadwright.tools.rendering.look import LOOK
from cadwright.tools.rendering.scene import Scene

SIZE = (240, 200)


def camera_of(scene: Scene, view: str) -> Camera:
    return choose_camera(scene.box, scene.framed_points, view)


def draw(renderer: Renderer, scene: Scene, view: str = "iso", **options: frozenset[int]) -> Frame:
    return renderer.render(scene, [camera_of(scene, view)], SIZE, **options)[0]


def seen_mm2(frame: Frame) -> float:
    return float(frame.mask.sum()) * frame.camera.mm_per_px(SIZE) ** 2


def is_dark(frame: Frame) -> np.ndarray:
    return frame.colour.max(axis=2) < 90


@pytest.mark.parametrize(
    ("mesh", "view", "area_mm2"),
    [
        (box(), "front", 40.0 * 20.0),
        (box(), "top", 40.0 * 30.0),
        (box(), "right", 30.0 * 20.0),
        (box(20, 20, 20), "iso", 400.0 * np.sqrt(3.0)),
        (cylinder(), "front", 20.0 * 40.0),
        (cylinder(), "top", np.pi * 100.0),
        (sphere(), "iso", np.pi * 100.0),
        (plate(), "top", 80 * 60 - np.pi * (144 + 4 * 9)),
    ],
    ids=str,
)
def test_silhouettes_have_their_true_area(
    renderer: Renderer, mesh: Mesh, view: str, area_mm2: float
) -> None:
    assert seen_mm2(draw(renderer, Scene(mesh), view)) == pytest.approx(area_mm2, rel=0.015)


@pytest.mark.parametrize("view", ["top", "right", "iso", "iso_back_left"])
def test_backends_see_what_the_ray_tracer_sees(
    renderer: Renderer, tracer: Renderer, view: str
) -> None:
    scene = Scene(plate())
    one, two = draw(renderer, scene, view), draw(tracer, scene, view)
    both = one.mask & two.mask
    assert (one.mask != two.mask).mean() < 0.002
    assert (one.face_ids != two.face_ids).mean() < 0.005
    gap = np.abs(one.depth_mm[both] - two.depth_mm[both])
    assert np.quantile(gap, 0.995) < 0.01
    assert np.array_equal(
        one.normals[one.triangles == two.triangles], two.normals[one.triangles == two.triangles]
    )


def test_depth_is_measured_from_the_camera_plane(renderer: Renderer) -> None:
    scene = Scene(box())
    frame = draw(renderer, scene, "front")
    expected = frame.camera.depth_half_mm - 15.0
    assert frame.depth_mm[frame.mask] == pytest.approx(expected, abs=1e-3)
    assert np.isinf(frame.depth_mm[~frame.mask]).all()


def test_normals_face_the_camera_on_a_front_face(renderer: Renderer) -> None:
    frame = draw(renderer, Scene(box()), "front")
    assert frame.normals[frame.mask] == pytest.approx(
        np.broadcast_to([0.0, -1.0, 0.0], (int(frame.mask.sum()), 3)), abs=1e-6
    )


def test_face_ids_are_never_blended(renderer: Renderer) -> None:
    scene = Scene(plate())
    assert set(np.unique(draw(renderer, scene).face_ids)) <= {-1, *scene.face_ids.tolist()}


@pytest.mark.parametrize("scale", [1e-4, 1.0, 250.0], ids=["4 µm", "40 mm", "10 m"])
@pytest.mark.parametrize("shift", [0.0, 1e5], ids=["at the origin", "far away"])
def test_the_picture_does_not_depend_on_size_or_place(
    renderer: Renderer, scale: float, shift: float
) -> None:
    here = draw(renderer, Scene(box()))
    there = draw(renderer, Scene(moved(box(), (shift, -shift, shift), scale)))
    assert (here.mask != there.mask).mean() < 0.002
    changed = np.abs(here.colour.astype(int) - there.colour).max(axis=2) > 40
    assert changed.mean() < (0.002 if scale >= 1.0 or not shift else 0.03)  # 1e-11 mm of rounding


def test_an_inside_out_part_keeps_its_outline_and_turns_red(renderer: Renderer) -> None:
    right, wrong = draw(renderer, Scene(box())), draw(renderer, Scene(inside_out(box())))
    assert (right.mask == wrong.mask).all()
    body = right.mask & ~is_dark(right) & ~is_dark(wrong)
    red, blue = wrong.colour[body].astype(int)[:, 0], wrong.colour[body].astype(int)[:, 2]
    assert (red > blue + 30).mean() > 0.97


def test_one_inside_out_body_among_others_turns_red_alone(renderer: Renderer) -> None:
    pair = joined(box(), moved(inside_out(box()), (60.0, 0.0, 0.0)))
    frame = draw(renderer, Scene(pair), "front")
    left, right = (frame.colour[100, column].astype(int) for column in (70, 170))
    assert left[2] > left[0]
    assert right[0] > right[2] + 30


def test_the_inside_of_an_open_part_is_red(renderer: Renderer) -> None:
    mesh = box()
    top = int(mesh.face_ids[np.argmax(mesh.vertices[mesh.faces][..., 2].min(axis=1))])
    frame = draw(renderer, Scene(opened(mesh, top)), "top")
    red, _, blue = frame.colour[100, 120].astype(int)
    assert red > blue + 30


def test_highlighted_faces_alone_are_orange(renderer: Renderer) -> None:
    scene = Scene(box())
    front = int(
        np.bincount(draw(renderer, scene, "front").face_ids[90:110, 110:130].ravel()).argmax()
    )
    frame = draw(renderer, scene, highlight=frozenset([front]))
    colour = frame.colour.astype(int)
    is_orange = (colour[..., 0] > colour[..., 2] + 60) & ~is_dark(frame)
    assert is_orange[frame.face_ids == front].mean() > 0.9
    assert is_orange[frame.face_ids != front].mean() < 0.01


@pytest.mark.parametrize("view", ["front", "top", "iso"])
def test_edges_are_drawn_dark_on_the_outline(renderer: Renderer, view: str) -> None:
    frame = draw(renderer, Scene(box()), view)
    inside = frame.mask
    border = inside & ~(
        np.roll(inside, 1, 0)
        & np.roll(inside, -1, 0)
        & np.roll(inside, 1, 1)
        & np.roll(inside, -1, 1)
    )
    assert (frame.colour.max(axis=2) < 170)[border].mean() > 0.9


def test_a_curved_outline_is_drawn_dark_without_edges(renderer: Renderer) -> None:
    frame = draw(renderer, Scene(sphere(), Edges(np.zeros((0, 2, 3)), np.zeros(0, np.int32))))
    assert is_dark(frame).sum() > 0.5 * np.sqrt(4.0 * np.pi * frame.mask.sum())


@pytest.mark.parametrize("wall", [1.0, 0.4], ids=lambda w: f"{w} mm")
def test_hidden_edges_stay_hidden_behind_a_thin_wall(renderer: Renderer, wall: float) -> None:
    frame = draw(renderer, Scene(tray(wall)), "top")
    assert not is_dark(frame)[60:140, 80:160].any()


def test_an_edge_is_as_wide_as_asked(renderer: Renderer) -> None:
    line = np.array(LOOK.line) * 255.0
    scene = Scene(
        box(), Edges(np.array([[[-15.0, -15.0, 0.0], [15.0, -15.0, 0.0]]]), np.zeros(1, np.int32))
    )
    bare = draw(renderer, Scene(box(), Edges(np.zeros((0, 2, 3)), np.zeros(0, np.int32))), "front")
    column = draw(renderer, scene, "front").colour[:, 120].astype(float)
    plain = bare.colour[:, 120].astype(float)
    coverage = ((plain - column) / np.maximum(plain - line, 1.0)).mean(axis=1)
    assert coverage[85:115].sum() == pytest.approx(LOOK.line_px, abs=0.25)


def test_two_pictures_of_one_part_are_equal_to_the_byte(renderer: Renderer) -> None:
    one, two = draw(renderer, Scene(plate())), draw(renderer, Scene(plate()))
    assert np.array_equal(one.colour, two.colour)
    assert np.array_equal(one.depth_mm, two.depth_mm)


def test_many_cameras_in_one_call_give_what_single_calls_give(renderer: Renderer) -> None:
    scene = Scene(plate())
    cameras = [camera_of(scene, view) for view in ("front", "top", "iso")]
    together = renderer.render(scene, cameras, SIZE)
    alone = [renderer.render(scene, [camera], SIZE)[0] for camera in cameras]
    for one, two in zip(together, alone, strict=True):
        assert np.abs(one.colour.astype(int) - two.colour).max() <= 1  # rounding of positions


def test_what_lies_beyond_the_frame_does_not_hide_the_part(renderer: Renderer) -> None:
    speck = moved(box(0.5, 0.5, 0.5), (0.0, -4000.0, 0.0))  # between the camera and the part
    alone, frame = (
        draw(renderer, Scene(box()), "front"),
        draw(renderer, Scene(joined(box(), speck)), "front"),
    )
    assert np.array_equal(alone.mask, frame.mask)


def test_a_closed_renderer_says_so() -> None:
    made = make_renderer("raycast")
    made.close()
    made.close()
    with pytest.raises(RenderFailure, match="closed"):
        draw(made, Scene(box()))


def test_a_mesh_without_triangles_is_refused() -> None:
    empty = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.int32))
    with pytest.raises(GeometryError, match="nothing to draw") as caught:
        Scene(empty)
    assert caught.value.outcome is Outcome.EMPTY_GEOMETRY


def test_a_triangle_that_points_at_no_vertex_is_refused() -> None:
    mesh = box()
    with pytest.raises(GeometryError, match="points at no vertex"):
        Scene(Mesh(mesh.vertices, mesh.faces + 1, mesh.face_ids))


def test_triangles_without_finite_corners_are_left_out(tracer: Renderer) -> None:
    mesh = joined(box(), moved(box(), (np.nan, 0.0, 0.0)))
    scene = Scene(mesh)
    assert not scene.is_complete
    assert np.array_equal(draw(tracer, scene).mask, draw(tracer, Scene(box())).mask)


def test_a_bad_egl_device_falls_back_to_the_ray_tracer() -> None:
    made = make_renderer("auto", gl_device=99)
    assert made.name == FALLBACK_LABEL
    made.close()


def test_a_named_backend_never_falls_back() -> None:
    with pytest.raises(RenderFailure, match="EGL"):
        make_renderer("moderngl", gl_device=99)


def test_an_unknown_backend_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'moderngl'"):
        make_renderer("moderngl2")


def test_probes_tell_what_works_and_what_to_do() -> None:
    by_name = {status.name: status for status in probe_backends(gl_device=99)}
    assert by_name["raycast"].available
    assert not by_name["moderngl"].available
    assert "99" in by_name["moderngl"].detail
    assert "apt-get install" in by_name["moderngl"].remedy


def test_two_gl_renderers_live_side_by_side(gl: Renderer) -> None:
    other = make_renderer("moderngl")
    scene = Scene(plate())
    before = draw(gl, scene)
    beside = draw(other, scene)
    other.close()
    after = draw(gl, scene)
    assert np.array_equal(before.colour, beside.colour)
    assert np.array_equal(before.colour, after.colour)
