"""Normals, edges, outlines and topology against answers worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_shapes import (
    box,
    bracket,
    inside_out,
    mesh,
    moved,
    prism,
    rotation,
    score,
    surface,
    together,
)

from cadwright.rewards import agreement
from cadwright.rewards.agreement import Topology
from cadwright.rewards.normalise import normalise
from cadwright.rewards.surface import PART_STREAM
from cadwright.tools.geometry.solids import arrays_of

ALL = {"weights": {"iou": 1.0, "normals": 0, "edges": 0, "silhouette": 0, "topology": 0}}
BOX = box((10, 10, 10))


def ring(sides=32):
    """A disc of radius 6 with a bore of radius 2."""
    outer, inner = (normalise(prism(r, 4, sides)).manifold for r in (6, 2))
    return mesh(*arrays_of(outer - inner.scale((1, 1, 2))))


def edges_of(m):
    return agreement.feature_edges(m.vertices, m.faces)


def silhouettes(a, b):
    shapes = [normalise(m) for m in (a, b)]
    return agreement.silhouette_agreement(
        *(agreement.outlines(s.manifold.translate(s.centre)) for s in shapes)
    )


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (BOX, Topology(1, 0, 0)),
        (ring(), Topology(1, 1, 0)),
        (together(BOX, box(at=(30, 0, 0))), Topology(2, 0, 0)),
        (together(ring(), moved(ring(), (40, 0, 0))), Topology(2, 2, 0)),
        (together(box((20, 20, 20)), inside_out(BOX)), Topology(1, 0, 1)),
        (together(box((20, 20, 20)), inside_out(ring())), Topology(1, 1, 1)),
        (together(BOX, BOX), Topology(1, 0, 0)),
        (together(BOX, box(at=(10, 0, 0))), Topology(1, 0, 0)),
    ],
    ids=[
        "box",
        "ring",
        "two-boxes",
        "two-rings",
        "cavity",
        "cavity-shaped-as-a-ring",
        "duplicated",
        "touching",
    ],
)
def test_topology_is_the_one_counted_by_hand(shape, expected):
    assert agreement.topology_of(normalise(shape)) == expected


def test_protocol_counts_what_the_term_counts():
    weights = {"iou": 1.0, "topology": 0, "topology_product": 0}
    part = together(box((20, 20, 20)), inside_out(ring()))
    result = score(part, ring(), weights=weights)
    assert "b0 1, b1 1, b2 1 against b0 1, b1 1, b2 0" in result.term("topology").note
    assert "(1, 1, 1) against (1, 1, 0)" in result.term("topology_product").note


def test_missing_hole_halves_the_credit_of_topology():
    term = score(prism(6, 4, 32), ring(), **ALL).term("topology")
    assert term.raw == 1
    assert term.value == 0.5
    assert term.note == "b0 1, b1 0, b2 0 against b0 1, b1 1, b2 0"


@pytest.mark.parametrize("shape", [BOX, prism(), bracket(), ring()], ids=range(4))
def test_copy_agrees_entirely(shape):
    result = score(shape, shape, **ALL)
    for name in ("normals", "edges", "silhouette", "topology"):
        assert result.term(name).value == 1.0


def test_normals_of_an_inside_out_copy_agree_nowhere():
    turned = surface(inside_out(BOX), stream=PART_STREAM)
    assert agreement.normal_consistency(surface(BOX), turned) == 0.0


def test_normals_of_a_plate_turned_by_30_degrees_have_its_cosine():
    sheet = mesh(BOX.vertices * [4, 4, 0], BOX.faces[2:4])  # one side only
    tilted = moved(sheet, rotation=rotation((1, 0, 0), 30))
    found = agreement.normal_consistency(surface(sheet), surface(tilted, stream=PART_STREAM))
    assert found == pytest.approx(np.cos(np.radians(30)), abs=0.02)


def test_box_has_twelve_sharp_edges():
    edges = edges_of(BOX)
    assert len(edges) == 12
    assert np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1) == pytest.approx([10.0] * 12)


def test_facets_of_a_cylinder_are_no_edges():
    assert len(edges_of(prism(sides=48))) == 96  # two rims of 48, and no line along the side


def test_half_of_the_edges_give_two_thirds():
    # all of four edges are found in eight, four of eight are found back: 2 * 1 * 0.5 / 1.5
    both = np.concatenate([edges_of(BOX), edges_of(BOX) + 100.0])
    assert agreement.edge_agreement(edges_of(BOX), both, 0.1) == pytest.approx(2 / 3)


def test_edges_beyond_the_tolerance_agree_nowhere():
    shifted = edges_of(BOX) + np.array([0.6, 0.6, 0.6])
    assert agreement.edge_agreement(edges_of(BOX), shifted, 0.5) < 0.1


def test_shapes_without_edges_have_nothing_to_agree_on():
    nothing = np.zeros((0, 2, 3))
    assert agreement.edge_agreement(nothing, nothing, 1.0) is None
    assert agreement.edge_agreement(edges_of(BOX), nothing, 1.0) == 0.0


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (BOX, 1.0),
        (box((5, 10, 10)), (0.5 + 0.5 + 1.0) / 3),
        (box(at=(5, 0, 0)), (1 / 3 + 1 / 3 + 1.0) / 3),
        (box(at=(30, 0, 0)), 1 / 3),
    ],
    ids=["same", "half", "half-shifted", "apart"],
)
def test_silhouette_agreement_is_the_hand_computed_one(other, expected):
    assert silhouettes(BOX, other) == pytest.approx(expected, abs=1e-6)


def test_outlines_do_not_show_what_they_hide():
    hollow = together(box((20, 20, 20)), inside_out(BOX))
    assert silhouettes(hollow, box((20, 20, 20))) == 1.0


@settings(max_examples=8, deadline=None)
@given(shift=st.tuples(*[st.floats(-50, 50)] * 3), quarter=st.integers(0, 3))
def test_one_motion_of_both_keeps_every_agreement(shift, quarter):
    turn = rotation((0, 0, 1), 90 * quarter)
    plain = score(box((9, 8, 10)), bracket(), **ALL)
    both = [moved(m, shift, turn) for m in (box((9, 8, 10)), bracket())]
    again = score(*both, **ALL)
    assert again.term("topology").value == plain.term("topology").value
    assert again.term("silhouette").value == pytest.approx(plain.term("silhouette").value, abs=1e-6)
    assert again.term("edges").value == pytest.approx(plain.term("edges").value, abs=0.02)
