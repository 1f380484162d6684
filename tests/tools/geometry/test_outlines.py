"""Hidden-line removal against parts whose lines are known."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solids import cq, part_from

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.merge_strokes import fitted_arc, merged, union, without
from cadwright.tools.geometry.outlines import FULL_TURN, Strokes, arc_points, flatten
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.write import write_part

SPANS = st.lists(
    st.tuples(st.floats(-50, 50), st.floats(0.01, 30)).map(lambda s: (s[0], s[0] + s[1])),
    max_size=8,
)


def outline(client, made, view):
    return client.outlines(part_from(made), (view,)).views[0]


def drilled():
    return cq.Workplane().box(40, 30, 10).faces(">Z").workplane().hole(8)


def lengths(strokes):
    return sorted(round(math.hypot(x1 - x0, y1 - y0), 6) for x0, y0, x1, y1 in strokes.lines)


@pytest.mark.parametrize(
    ("view", "size"),
    [("front", (40, 10)), ("top", (40, 30)), ("right", (30, 10))],
    ids=["front", "top", "right"],
)
def test_a_box_is_its_four_outer_edges(client, view, size):
    seen = outline(client, cq.Workplane().box(40, 30, 10), view)
    assert lengths(seen.visible) == sorted([size[0], size[0], size[1], size[1]])
    assert not any(seen.hidden.paths())


def test_a_through_hole_is_one_circle_from_above_and_two_dashed_lines_from_the_front(client):
    top, front = (outline(client, drilled(), view) for view in ("top", "front"))
    assert [(arc[2], arc[4]) for arc in top.visible.arcs] == [(4.0, pytest.approx(FULL_TURN))]
    assert not any(top.hidden.paths())
    assert lengths(front.hidden) == [10, 10]


def test_smooth_edges_are_no_lines(client):
    rounded = cq.Workplane().box(40, 30, 10).edges("|Z").fillet(5)
    assert lengths(outline(client, rounded, "front").visible) == [10, 10, 40, 40]


def test_a_round_silhouette_is_an_arc(client):
    ball = outline(client, cq.Workplane().sphere(7), "front")
    assert sum(arc[4] for arc in ball.visible.arcs) == pytest.approx(FULL_TURN, abs=1e-3)
    assert {round(arc[2], 4) for arc in ball.visible.arcs} == {7.0}


def test_holes_bosses_and_round_ends_have_axes_and_corners_none(client):
    plate = cq.Workplane().box(60, 30, 10).edges("|Z").fillet(4)
    part = part_from(plate.faces(">Z").workplane().slot2D(30, 8).cutThruAll())
    axes = client.outlines(part, ("top",)).axes
    assert sorted((round(a.start[0], 6), a.radius_mm) for a in axes) == [(-11.0, 4.0), (11.0, 4.0)]


def test_an_axis_reaches_over_all_round_faces_on_it(client):
    shaft = cq.Workplane().circle(10).extrude(20).faces(">Z").workplane().circle(6).extrude(30)
    (axis,) = client.outlines(part_from(shaft), ("front",)).axes
    assert (axis.start[2], axis.end[2], axis.radius_mm) == (0.0, 50.0, 10.0)


def test_the_same_part_gives_the_same_lines(client):
    views = ("front", "top", "right", "iso")
    part = part_from(drilled())
    assert client.outlines(part, views) == client.outlines(part, views)


def test_rich_surfaces_are_drawn_from_facets(client):
    profile = cq.Workplane("XZ").center(10, 0).circle(1.5)
    spring = profile.sweep(cq.Workplane(cq.Wire.makeHelix(6, 36, 10)), isFrenet=True)
    found = client.outlines(part_from(spring), ("front",))
    assert found.method == "facets"
    assert any(found.views[0].visible.paths())


def test_a_mesh_cannot_be_drawn_and_says_so(client):
    mesh = read_part(write_part(part_from(drilled()), "stl"), "stl")
    with pytest.raises(GeometryError, match="a mesh has no edges to draw"):
        client.outlines(mesh, ("front",))


def test_an_unknown_view_is_named(client):
    with pytest.raises(GeometryError, match="'left'; allowed are front"):
        client.outlines(part_from(drilled()), ("left",))


def test_nothing_to_draw_is_an_error(client):
    with pytest.raises(GeometryError):
        client.outlines(Part(brep=b"nothing"), ("front",))


@pytest.mark.parametrize(
    ("view", "place"), [("front", (1, 3)), ("top", (1, 2)), ("right", (2, 3))], ids=str
)
def test_views_look_along_the_axes(view, place):
    assert flatten((1.0, 2.0, 3.0), view) == place


@given(SPANS)
def test_a_union_is_disjoint_and_in_order(spans):
    found = union(spans, 0.0)
    assert all(a[1] < b[0] for a, b in pairwise(found))


@given(SPANS, SPANS)
def test_what_is_covered_and_what_is_left_add_up(spans, cover):
    left = without(spans, cover, 0.0)
    total = union([*left, *union(cover, 0.0)], 1e-9)
    assert sum(b - a for a, b in total) == pytest.approx(
        sum(b - a for a, b in union([*spans, *cover], 1e-9)), abs=1e-6
    )


@given(st.floats(0.5, 50), st.floats(0, 6.2), st.floats(0.5, FULL_TURN))
def test_points_of_an_arc_give_the_arc_back(radius, start, sweep):
    found = fitted_arc(arc_points((3.0, -2.0, radius, start, sweep)), 1e-6)
    assert found is not None
    assert (found[2], found[4]) == (pytest.approx(radius), pytest.approx(sweep))


def test_a_hidden_line_below_a_visible_one_is_cut_off():
    visible = Strokes(lines=((0.0, 0.0, 10.0, 0.0),))
    hidden = Strokes(lines=((5.0, 0.0, 15.0, 0.0), (12.0, 0.0, 20.0, 0.0)))
    solid, dashed = merged(visible, hidden, 20.0)
    assert solid == visible
    assert dashed.lines == ((10.0, 0.0, 20.0, 0.0),)
