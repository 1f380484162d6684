"""Edges, shells, facets and feature edges of triangle meshes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from solids import part_from

from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.surface import edge_table, shells
from cadwright.tools.geometry.weld import drop_degenerate, weld

cq = pytest.importorskip("cadquery")

TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
points = hnp.arrays(np.float64, st.tuples(st.integers(1, 60), st.just(3)),
                    elements=st.sampled_from([-1.5, -0.0, 0.0, 1e-300, 2.0]))  # fmt: skip


def as_mesh(made):
    return inspect_part(Part(mesh=inspect_part(part_from(made)).mesh))


def test_a_tetrahedron_has_six_plain_edges():
    table = edge_table(TETRAHEDRON, 4)
    assert (len(table.ends), table.uses.tolist(), table.is_closed) == (6, [2] * 6, True)


@given(hnp.arrays(np.int32, st.tuples(st.integers(0, 30), st.just(3)),
                  elements=st.integers(0, 12)))  # fmt: skip
def test_edges_are_the_same_among_few_vertices_and_among_many(faces):
    few, many = edge_table(faces, 13), edge_table(faces, 1 << 20)
    for name in ("ends", "of_triangle", "uses", "balance", "directions"):
        assert np.array_equal(getattr(few, name), getattr(many, name)), name


def test_a_missing_triangle_leaves_three_open_edges():
    table = edge_table(TETRAHEDRON[1:], 4)
    assert (len(table.open_edges), table.is_closed) == (3, False)


def test_a_turned_triangle_is_not_closed_though_no_edge_is_open():
    faces = TETRAHEDRON.copy()
    faces[0] = faces[0, ::-1]
    table = edge_table(faces, 4)
    assert (len(table.open_edges), table.is_closed) == (0, False)


def test_nothing_is_not_closed():
    assert not edge_table(np.zeros((0, 3), np.int32), 0).is_closed


def test_two_tetrahedra_sharing_an_edge_are_two_shells():
    other = np.array([0, 1, 4, 5])[TETRAHEDRON]
    assert shells(edge_table(np.concatenate([TETRAHEDRON, other]), 6))[0] == 2


def test_facets_of_a_box_are_its_sides():
    found = as_mesh(cq.Workplane().box(10, 20, 30)).measures
    assert (found.num_faces, found.num_edges) == (6, 12)


def test_the_round_of_a_cylinder_is_one_facet():
    found = as_mesh(cq.Workplane().circle(5).extrude(10))
    assert found.measures.faces_by_kind == {"facet": 3}
    assert set(np.unique(found.edges.segments[:, :, 2]).tolist()) == {0.0, 10.0}


def test_the_rim_of_a_hole_is_drawn():
    mesh = inspect_part(part_from(cq.Workplane().box(10, 10, 10))).mesh
    keep = mesh.face_ids != mesh.face_ids[0]
    found = inspect_part(Part(mesh=Mesh(mesh.vertices, mesh.faces[keep], mesh.face_ids[keep])))
    assert len(found.edges.segments) == 12


@given(points)
def test_welding_joins_exactly_the_equal_points(values):
    kept, place = weld(values)
    assert np.array_equal(values[kept][place], values)
    assert len(kept) == len({tuple(row) for row in (values + 0.0).tolist()})


@given(points)
def test_welding_keeps_the_first_of_equal_points_in_order(values):
    kept, _ = weld(values)
    assert (np.diff(kept) > 0).all()


def test_points_of_different_groups_stay_apart():
    kept, _ = weld(np.zeros((4, 3)), np.array([0, 0, 1, 1], np.int32))
    assert len(kept) == 2


def test_a_grid_joins_points_that_differ_in_the_last_bits():
    values = np.array([[1.0, 0, 0], [1.0 + 1e-15, 0, 0], [1.1, 0, 0]])
    assert len(weld(values)[0]) == 3
    assert len(weld(values, grid_mm=1.05e-8)[0]) == 2


def test_collapsed_triangles_are_told():
    faces = np.array([[0, 1, 2], [0, 0, 2], [1, 2, 1]], np.int32)
    assert drop_degenerate(faces).tolist() == [True, False, False]
