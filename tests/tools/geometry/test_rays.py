"""Rays: first hits, moved frames, and parts far from the origin."""

import numpy as np
import pytest

from cadwright.tools.geometry.rays import Rays

SQUARE = np.array([[[0.0, 0, 0], [10, 0, 0], [10, 10, 0]], [[0.0, 0, 0], [10, 10, 0], [0, 10, 0]]])
ABOVE, DOWN = np.array([[7.0, 2.0, 5.0], [2.0, 7.0, 5.0]]), np.array([[0.0, 0, -1]] * 2)


def test_a_ray_ends_at_the_first_triangle():
    assert Rays.at(SQUARE).cast(ABOVE, DOWN) == pytest.approx(5.0)


def test_a_ray_names_the_triangle_that_it_hits():
    assert Rays.at(SQUARE).hit(ABOVE, DOWN).tolist() == [0, 1]


def test_a_ray_that_hits_nothing_is_endless():
    distances, hits = Rays.at(SQUARE).first_hits(ABOVE, -DOWN)
    assert np.isinf(distances).all()
    assert (hits == -1).all()


def test_shifted_triangles_are_hit_where_they_are_now():
    rays = Rays.at(SQUARE).shifted(np.array([0.0, 0.0, -2.0])).shifted(np.array([100.0, 0.0, 0.0]))
    assert rays.cast(ABOVE + np.array([100.0, 0.0, 0.0]), DOWN) == pytest.approx(7.0)


def test_a_part_far_from_the_origin_loses_no_digits():
    far = np.array([1e6, -2e6, 3e6])
    assert Rays.at(SQUARE + far).cast(ABOVE + far, DOWN) == pytest.approx(5.0, abs=1e-5)


def test_a_mesh_is_met_where_its_triangles_are():
    rng = np.random.default_rng(2)
    vertices, faces = rng.random((40, 3)), rng.integers(0, 40, (60, 3)).astype(np.int32)
    origins, ways = rng.random((200, 3)) - 0.5, rng.normal(size=(200, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    mesh, triangles = Rays.of(vertices, faces), Rays.at(vertices[faces])
    np.testing.assert_array_equal(mesh.hit(origins, ways), triangles.hit(origins, ways))


def test_a_vertex_without_a_triangle_costs_no_precision():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1e9, 0, 0]], float)
    rays = Rays.of(vertices, np.array([[0, 1, 2]], np.int32))
    reach = rays.cast(np.array([[0.2, 0.2, 1.0]]), np.array([[0.0, 0.0, -1.0]]))
    assert reach == pytest.approx([1.0])
