"""How often a closed surface goes around a point."""

import numpy as np
import pytest
from solids import cq, part_from

from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.winding import winding_numbers


@pytest.fixture(scope="module")
def hollow():
    """Triangles (m, 3, 3) of a box of 20 with a cavity of 10."""
    mesh = inspect_part(
        part_from(cq.Workplane().box(20, 20, 20).cut(cq.Workplane().box(10, 10, 10)))
    ).mesh
    return mesh.vertices[mesh.faces]


def test_points_in_the_material_are_enclosed_once_and_others_not_at_all(hollow):
    points = np.array([[8, 0, 0], [0, 0, 0], [30, 1, 2]], dtype=float)
    assert winding_numbers(points, hollow) == pytest.approx([1, 0, 0], abs=1e-9)


def test_a_surface_inside_out_encloses_minus_once(hollow):
    assert winding_numbers(np.array([[8.0, 0, 0]]), hollow[:, ::-1]) == pytest.approx([-1])


def test_many_points_are_worked_off_in_pieces(hollow, monkeypatch):
    points = np.random.default_rng(0).uniform(-12, 12, (50, 3))
    whole = winding_numbers(points, hollow)
    monkeypatch.setattr("cadwright.tools.geometry.winding._CHUNK", 3 * len(hollow))
    assert winding_numbers(points, hollow) == pytest.approx(whole)


def test_no_points_have_no_numbers(hollow):
    assert winding_numbers(np.zeros((0, 3)), hollow).shape == (0,)
