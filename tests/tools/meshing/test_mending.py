"""Repair: each fault is counted, and taken out without touching what is sound."""

import numpy as np
import pytest
from meshes import angle, plate, solid, volume, without

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.meshing.mending import (
    cleaned,
    with_filled_holes,
    with_fixed_winding,
    without_specks,
)
from cadwright.tools.meshing.survey import survey
from cadwright.tools.meshing.triangles import joined, plain


def with_faces(mesh: Mesh, *more: tuple[int, int, int]) -> Mesh:
    return plain(mesh.vertices, np.concatenate([mesh.faces, np.array(more, np.int32)]))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_hole_is_filled_as_it_was(count: int) -> None:
    mesh = plate()
    filled = with_filled_holes(without(mesh, *range(0, 40 * count, 40)))
    assert survey(filled.mesh).is_sound
    assert volume(filled.mesh) == pytest.approx(volume(mesh), rel=1e-9)


def test_a_whole_face_with_holes_in_it_is_filled_as_a_ring() -> None:
    mesh = plate()
    heights = mesh.vertices[mesh.faces][..., 2]
    top = np.flatnonzero((heights > 4.999).all(axis=1))
    filled = with_filled_holes(without(mesh, *top.tolist()))
    assert volume(filled.mesh) == pytest.approx(volume(mesh))


def test_a_bent_rim_gets_a_patch_without_new_vertices() -> None:
    ball = solid("sphere", 20)
    tip = int(np.argmax(ball.vertices[:, 2]))
    around = np.flatnonzero((ball.faces == tip).any(axis=1))
    filled = with_filled_holes(without(ball, *around.tolist()))
    assert survey(filled.mesh).is_sound
    assert survey(filled.mesh).num_vertices == survey(ball).num_vertices - 1


def test_larger_holes_can_be_left_open() -> None:
    mesh = without(plate(), 0)
    filled = with_filled_holes(mesh, max_edges=3)
    assert (filled.num_filled, filled.num_left) == (1, 0)
    cylinder = solid("cylinder", 10, 10)
    flat = np.ptp(cylinder.vertices[cylinder.faces][..., 2], axis=1) == 0
    open_tube = without(cylinder, *np.flatnonzero(flat).tolist())
    assert with_filled_holes(open_tube, max_edges=20).num_left == 2


def test_flipped_triangles_are_turned_back() -> None:
    mesh, rng = angle(), np.random.default_rng(1)
    faces = mesh.faces.copy()
    chosen = rng.choice(len(faces), len(faces) // 3, replace=False)
    faces[chosen] = faces[chosen][:, ::-1]
    broken = Mesh(mesh.vertices, faces, mesh.face_ids)
    assert survey(broken).num_flipped_edges > 0
    turned = with_fixed_winding(broken)
    assert survey(turned.mesh).is_sound
    assert volume(turned.mesh) == pytest.approx(volume(mesh))


def test_a_body_inside_out_is_turned() -> None:
    mesh = plate()
    inverted = Mesh(mesh.vertices, mesh.faces[:, ::-1], mesh.face_ids)
    assert volume(with_fixed_winding(inverted).mesh) == pytest.approx(volume(mesh))


def test_a_cavity_faces_inwards_after_the_fix() -> None:
    hollow = joined([solid("box", 20, 20, 20), solid("box", 4, 4, 4)])
    assert volume(with_fixed_winding(hollow).mesh) == pytest.approx(8000 - 64)


def test_a_one_sided_strip_cannot_be_wound() -> None:
    count = 12
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    points = []
    for turn in angles:
        for side in (-1.0, 1.0):
            radius = 10 + side * np.cos(turn / 2)
            points.append((radius * np.cos(turn), radius * np.sin(turn), side * np.sin(turn / 2)))
    faces = []
    for k in range(count):
        a, b = 2 * k, 2 * k + 1
        c, d = (2 * (k + 1), 2 * (k + 1) + 1) if k < count - 1 else (1, 0)
        faces += [(a, b, c), (b, d, c)]
    strip = plain(np.array(points), np.array(faces, np.int32))
    with pytest.raises(GeometryError, match="one side only"):
        with_fixed_winding(strip)


def test_duplicates_fins_and_lines_go_and_nothing_else() -> None:
    mesh = plate()
    a, b, c = mesh.faces[0].tolist()
    tip = len(mesh.vertices)
    vertices = np.vstack([mesh.vertices, mesh.vertices[a] + (3.0, 4.0, 50.0)])
    faces = np.array([(a, b, c), (c, b, a), (a, a, b), (a, b, tip)], np.int32)
    broken = plain(vertices, np.concatenate([mesh.faces, faces]))
    found = cleaned(broken)
    assert (found.num_duplicate, found.num_degenerate, found.num_fins) == (2, 1, 1)
    assert len(found.mesh.faces) == len(mesh.faces)
    assert survey(found.mesh).is_sound


def test_a_crack_closes_within_the_weld_distance() -> None:
    mesh = plate()
    vertices = np.vstack([mesh.vertices, mesh.vertices[mesh.faces[0]] + 0.001])
    faces = mesh.faces.copy()
    faces[0] = len(mesh.vertices) + np.arange(3)
    cracked = plain(vertices, faces)
    assert not survey(cleaned(cracked).mesh).is_sound
    assert survey(cleaned(cracked, weld_mm=0.01).mesh).is_sound


def test_specks_go_and_the_largest_body_always_stays() -> None:
    speck = solid("box", 0.1, 0.1, 0.1, at=(99, 0, 0))
    mesh, num_gone = without_specks(joined([plate(), speck]), 1.0)
    assert num_gone == 1
    assert volume(mesh) == pytest.approx(volume(plate()))
    assert len(without_specks(plate(), 1e6)[0].faces) == len(plate().faces)


def test_a_sound_mesh_has_no_faults_and_a_broken_one_names_them() -> None:
    assert survey(plate()).faults == {}
    assert survey(without(plate(), 0)).faults == {"holes": 1, "open edges": 3}
