"""Voxel grids of published scorers on shapes whose cells can be counted."""

import numpy as np
import pytest
import trimesh
from judge_shapes import box, bracket, prism, together

from cadwright.rewards.protocols.voxels import UNIT_FRAME, solid_grid, unit_grid


def triangles(mesh):
    return mesh.vertices[mesh.faces]


def test_voxels_of_a_box_that_ends_between_middles_are_its_own_cells_with_a_skin():
    grid = solid_grid(triangles(box((4.0, 4.0, 4.0), at=(10.5, 0.5, 0.5))), 1.0)
    assert grid.cells.shape == (5, 5, 5) or grid.cells.sum() == grid.cells.size
    assert grid.cells.all()
    assert abs(grid.first[0] - 8) <= 1


def test_sealed_cavity_is_filled():
    hollow = together(box((10, 10, 10)), box((6, 6, 6)))
    assert solid_grid(triangles(hollow), 1.0).cells.all()


def test_window_cuts_a_grid_and_pads_it():
    grid = solid_grid(triangles(box((4.0, 4.0, 4.0))), 1.0)
    whole = grid.within(grid.first - 2, grid.first + grid.cells.shape + 2)
    assert whole.sum() == grid.cells.sum()
    assert grid.within(grid.first + 100, grid.first + 103).sum() == 0


def test_shape_with_too_many_cells_has_no_grid():
    assert solid_grid(triangles(box((600.0, 1.0, 1.0))), 1.0) is None


def test_unit_grid_does_not_depend_on_size_or_place():
    small = unit_grid(triangles(box((3, 2, 1))))
    large = unit_grid(triangles(box((30, 20, 10), at=(500, 0, 0))))
    assert small.shape == (UNIT_FRAME,) * 3
    assert (small == large).mean() > 0.99


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_unit_grid_is_in_the_middle(axis):
    cells = np.flatnonzero(unit_grid(triangles(prism())).any(axis=tuple({0, 1, 2} - {axis})))
    assert abs((cells.min() + cells.max()) / 2 - (UNIT_FRAME - 1) / 2) <= 0.5


@pytest.mark.parametrize("shape", [box((30, 20, 10.3), at=(0.2, 0.3, 0.1)), bracket()])
def test_cells_are_those_that_trimesh_finds(shape):
    ours = solid_grid(triangles(shape), 1.0)
    theirs = trimesh.Trimesh(shape.vertices, shape.faces).voxelized(1.0)
    shell = np.asarray(theirs.matrix)
    assert ours.cells.shape == shell.shape
    assert (ours.first == np.rint(theirs.transform[:3, 3])).all()
    assert ours.cells[shell].all()
