"""Fillets and chamfers are counted edge by edge: each has one direction and one place."""

import pytest
from constraint_parts import cq, one, part_of

KINDS = {"fillet": "radius", "chamfer": "size"}
SIDES = [[30, 0, 5], [-30, 0, 5], [0, 20, 5], [0, -20, 5]]


def box():
    return cq.Workplane().box(60, 40, 10)


def topped(kind):
    """Every edge of the top is rounded or bevelled by 2 mm: one chain that turns four corners."""
    return part_of(getattr(box().faces(">Z").edges(), kind)(2))


def asked(kind, part, **fields):
    return one(part, kind, **{KINDS[kind]: 2}, **fields)


@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_around_the_top_has_no_upright_edge(kind):
    result = asked(kind, topped(kind), along="z")
    assert (result.verdict, result.credit) == ("residual", 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_chain_as_many_count_as_run_that_way(kind):
    part = topped(kind)
    assert asked(kind, part, along="x", count=2).verdict == "met"
    assert asked(kind, part, along="y", count=2).verdict == "met"
    assert asked(kind, part, along="x", count=4).credit == pytest.approx(0.5)
    assert asked(kind, part, count=4).verdict == "met"


@pytest.mark.parametrize("kind", KINDS)
def test_every_edge_of_a_chain_has_its_own_place(kind):
    part = topped(kind)
    assert asked(kind, part, at=SIDES).verdict == "met"
    assert asked(kind, part, at=[SIDES[0], SIDES[0]]).verdict == "residual"


def test_a_box_rounded_all_over_has_four_edges_each_way():
    part = part_of(box().edges().fillet(2))
    for way in "xyz":
        assert asked("fillet", part, along=way, count=4).verdict == "met"
        assert asked("fillet", part, along=way, count=5).verdict == "residual"


def test_a_bevelled_rim_runs_around_its_axis():
    part = part_of(cq.Workplane().circle(20).extrude(10).faces(">Z").edges().chamfer(2))
    assert asked("chamfer", part, along="z", count=1).verdict == "met"
    assert asked("chamfer", part, along="x").verdict == "residual"
