"""Neighbours, creases, contours and shading normals of known meshes."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import box, cylinder, inside_out, joined, moved, opened, plate, sphere

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.topology import weld


def soup(mesh: Mesh) -> Mesh:
    """Return the mesh with corners of its own for every triangle, as from an STL file."""
    faces = np.arange(3 * len(mesh.faces), dtype=np.int32).reshape(-1, 3)
    return Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), faces, mesh.face_ids)


def test_a_box_has_twelve_creases() -> None:
    assert len(Scene(box()).lines) == 12


def test_a_soup_has_the_lines_of_its_mesh() -> None:
    assert len(Scene(soup(plate())).lines) == len(Scene(plate()).lines)


def test_welding_joins_negative_zero_with_zero() -> None:
    assert np.array_equal(weld(np.array([[0.0, 1.0, 2.0], [-0.0, 1.0, 2.0]])), [0, 0])


def test_a_cylinder_seen_from_its_side_has_two_contour_lines() -> None:
    segments = Scene(cylinder()).contours(np.array([0.0, -1.0, 0.0]))
    assert len(segments) == 2
    assert abs(segments[:, :, 0]) == pytest.approx(10.0)


def test_the_contour_of_a_sphere_lies_on_its_great_circle() -> None:
    scene = Scene(sphere())
    toward = np.array([0.6, 0.0, 0.8])
    assert abs(scene.contours(toward) @ toward).max() < 10.0 * np.sin(np.radians(360 / 48))


def test_a_closed_bore_shows_no_contour() -> None:
    assert not len(Scene(plate()).contours(np.array([0.5, -0.5, 0.7])))


@pytest.mark.parametrize("turn", [lambda m: m, inside_out], ids=["outside", "inside_out"])
def test_the_contour_does_not_depend_on_the_winding(turn: object) -> None:
    mesh = turn(cylinder())  # type: ignore[operator]
    assert len(Scene(mesh).contours(np.array([0.0, -1.0, 0.0]))) == 2


def test_only_an_open_mesh_is_called_open() -> None:
    assert Scene(box()).is_closed
    assert not Scene(opened(box(), 0)).is_closed


def test_an_inside_out_mesh_is_noticed_far_from_the_origin() -> None:
    far = box()
    far = Mesh(far.vertices + 1e5, far.faces, far.face_ids)
    assert Scene(inside_out(far)).is_inside_out
    assert not Scene(far).is_inside_out


def test_shading_normals_of_a_box_are_its_face_normals() -> None:
    scene = Scene(box())
    smooth = scene.smooth
    for corner in range(3):
        assert smooth.normals[smooth.faces[:, corner]] == pytest.approx(scene.normals)


def test_shading_normals_of_a_wall_point_away_from_its_axis() -> None:
    scene = Scene(cylinder())
    smooth = scene.smooth
    wall = smooth.faces[scene.face_ids == 0].ravel()
    outward = scene.vertices[smooth.source[wall]] * [1.0, 1.0, 0.0] / 10.0
    assert smooth.normals[wall] == pytest.approx(outward, abs=0.05)


def test_the_hidden_side_is_known_only_where_all_bodies_are_wound_alike() -> None:
    assert Scene(plate()).hidden_side == "back"
    assert Scene(inside_out(plate())).hidden_side == "front"
    apart = moved(box(), (100.0, 0.0, 0.0))
    assert Scene(joined(box(), apart)).hidden_side == "back"
    assert Scene(joined(box(), inside_out(apart))).hidden_side is None
    assert Scene(opened(box(), 0)).hidden_side is None
