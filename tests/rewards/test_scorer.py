import json

import cadquery as cq
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from judge_shapes import (
    box,
    bracket,
    inside_out,
    mesh,
    moved,
    opened,
    prism,
    reference,
    rotation,
    score,
    together,
)

from cadwright.rewards.jobs import score_part
from cadwright.rewards.measurement import Candidate
from cadwright.rewards.normalise import normalise
from cadwright.rewards.score import Verdict, compare
from cadwright.rewards.scorer import failure_score, infra_score, score_shapes
from cadwright.rewards.scoring import PRESETS, Scoring
from cadwright.rewards.terms import FAILED_CREDIT
from cadwright.tools.errors import Outcome, UsageError
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part

SHAPES = {"box": box((10, 20, 30)), "prism": prism(), "bracket": bracket()}
TIGHT = box((1, 1, 1))


COMPARING = [name for name, scoring in PRESETS.items() if scoring.needs_reference]


@pytest.mark.parametrize("preset", COMPARING)
@pytest.mark.parametrize("name", SHAPES)
def test_perfect_part_scores_exactly_one(preset, name):
    result = score(SHAPES[name], SHAPES[name], protocol=preset)
    assert result.value == 1.0
    assert result.verdict is Verdict.SCORED


@pytest.mark.parametrize("preset", COMPARING)
@pytest.mark.parametrize(
    "wrong", [box((1, 20, 3)), moved(prism(), (200, 0, 0), scale=0.3)], ids=["sliver", "prism"]
)
def test_wrong_part_scores_below_a_half(preset, wrong):
    assert score(wrong, SHAPES["bracket"], protocol=preset).value < 0.5


@pytest.mark.parametrize("preset", COMPARING)
def test_score_is_strict_json_with_its_card(preset):
    result = score(box((9, 20, 30)), SHAPES["box"], protocol=preset).to_json()
    card = json.loads(json.dumps(result, allow_nan=False))["card"]
    assert card["protocol"] == PRESETS[preset].protocol
    assert card["weights"] == dict(PRESETS[preset].weights)


@pytest.mark.parametrize("preset", ["cadprompt", "cadqueryeval"])
def test_chamfer_comes_with_its_noise_floor(preset):
    floors = score(prism(), prism(), protocol=preset).card.noise_floor
    assert len(floors) == 1
    assert all(0 < floor < 1 for floor in floors.values())


def test_total_is_the_weighted_mean_of_its_terms():
    result = score(box((9, 20, 30)), SHAPES["box"])
    total = sum(term.weight * term.value for term in result.terms)
    assert result.value == pytest.approx(total / sum(term.weight for term in result.terms))


def test_same_input_gives_the_same_score():
    first, second = (score(prism(), bracket(), alignment="rigid") for _ in range(2))
    assert first == second


@settings(max_examples=15, deadline=None)
@given(near=st.floats(0, 20), step=st.floats(0.5, 20))
def test_score_never_rises_as_a_part_moves_away(near, step):
    closer, farther = (score(moved(prism(), (d, 0, 0)), prism()).value for d in (near, near + step))
    assert farther <= closer + 2e-3  # the surface terms are sampled


@settings(max_examples=15, deadline=None)
@given(small=st.floats(1.0, 3.0), factor=st.floats(1.05, 2.0))
def test_score_falls_as_a_part_grows(small, factor):
    near, far = (score(moved(prism(), scale=k), prism()).value for k in (small, small * factor))
    assert far < near


@settings(max_examples=8, deadline=None)
@given(at=st.tuples(*[st.floats(8, 300)] * 3), size=st.floats(0.01, 1.0))
@pytest.mark.parametrize("mode", ["none", "translate"])
def test_disjoint_speck_never_raises_a_score(mode, at, size):
    part = prism(height=9.0)
    with_speck = together(part, box((size, size, size), at=at))
    assert score(with_speck, prism(), alignment=mode).value < score(part, prism()).value


@settings(max_examples=8, deadline=None)
@example(height=1.0, at=(0.0, 0.0, 0.75), size=1.0)  # it mended the bounding box
@given(
    height=st.floats(1, 18),
    at=st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.floats(0.1, 0.9)),
    size=st.floats(0.05, 1.5),
)
def test_speck_where_material_is_missing_raises_nothing_either(height, at, size):
    wanted = box((20, 20, 20), at=(0, 0, 10))
    part = box((20, 20, height), at=(0, 0, height / 2))
    gap = 20 - height
    side = min(size, 0.2 * gap)
    speck = box((side, side, side), at=(*at[:2], height + side + at[2] * (gap - 2 * side)))
    assert score(together(part, speck), wanted).value < score(part, wanted).value


def test_inside_out_part_measures_as_the_same_part_and_is_gated():
    result = score(inside_out(bracket()), bracket())
    assert result.term("iou").raw == 1.0
    assert result.term("inside_out").value == 0.05
    assert score(inside_out(bracket()), inside_out(bracket())).value == 1.0


def test_closed_void_is_gated_unless_the_reference_has_it():
    hollow = together(prism(), inside_out(box((4, 4, 4))))
    assert score(hollow, prism()).term("cavities").value == 0.3
    assert score(hollow, hollow).value == 1.0


@pytest.mark.parametrize(("share", "factor"), [(0.5, 0.5 / 0.6), (0.7, 1.0)], ids=str)
def test_missing_material_scales_a_score(share, factor):
    gate = score(box((20, 20, 20 * share)), box((20, 20, 20))).term("material")
    assert gate.value == pytest.approx(factor)


def test_overlap_of_a_little_to_be_sure_is_free():
    joined = together(box((20, 20, 20)), box((20, 20, 1.2), at=(0, 0, 10.4)))
    assert score(joined, box((20, 20, 21), at=(0, 0, 0.5))).value == 1.0


def test_bodies_that_share_a_sixth_of_the_volume_keep_next_to_nothing():
    halves = together(box((20, 20, 12), at=(0, 0, -4)), box((20, 20, 11), at=(0, 0, 4.5)))
    result = score(halves, box((20, 20, 20)))
    assert result.term("overlap").raw == pytest.approx(0.15)
    assert result.value < 0.1


def test_an_overlap_by_rounding_costs_nothing():
    joined = together(box((20, 20, 10)), box((20, 20, 10.002), at=(0, 0, 9.999)))
    assert score(joined, box((20, 20, 20), at=(0, 0, 5))).value == 1.0


def test_wire_is_named():
    wire = cq.Workplane().rect(4, 4)
    part = Part(brep=brep_bytes(wire.val().wrapped))
    result = score_part(part, Part(mesh=box()), Scoring.from_dict("absolute"))
    assert "wire_only" in [notice.code for notice in result.notices]


def test_duplicated_bodies_measure_as_one_part_and_are_gated():
    result = score(together(prism(), prism()), prism())
    assert result.term("iou").raw == 1.0
    assert result.term("redundant_bodies").value == 0.05
    assert result.value < 0.1
    assert "duplicated_bodies" in [notice.code for notice in result.notices]


def test_what_the_reference_has_too_is_never_gated():
    double = together(prism(), box((2, 2, 2)), box(at=(40, 0, 0)))
    assert score(double, double).value == 1.0


def test_gates_are_terms_without_weight():
    result = score(together(prism(), box((1, 1, 1), at=(40, 0, 0))), prism())
    assert result.term("stray_bodies").weight == 0
    assert result.reason.startswith("multiplied by 0.05 for stray_bodies")


def test_body_in_two_pieces_keeps_smooth_credit():
    halves = together(box((9, 20, 10), at=(-5, 0, 0)), box((9, 20, 10), at=(5, 0, 0)))
    result = score(halves, box((20, 20, 10)))
    assert result.term("pieces").value == 0.7
    assert result.value > 0.4


def test_pieces_that_meet_but_for_their_facets_are_one():
    halves = together(box((9.999, 20, 10), at=(-5, 0, 0)), box((9.999, 20, 10), at=(5, 0, 0)))
    assert score(halves, box((20, 20, 10))).term("pieces").value == 1.0


@pytest.mark.parametrize(
    ("scale", "words"), [(1e-3, "metres"), (25.4, "inches"), (10, "centimetres")], ids=str
)
def test_wrong_unit_is_named(scale, words):
    result = score(moved(bracket(), scale=scale), bracket())
    assert [words in n.message for n in result.notices if n.code == "wrong_unit"] == [True]


@pytest.mark.parametrize(
    ("part", "code"),
    [
        (together(prism(), prism()), "duplicated_bodies"),
        (together(prism(), box((2, 2, 2))), "nested_bodies"),
        (together(prism(), box(at=(4, 0, 0))), "overlapping_bodies"),
        (together(prism(), box(at=(0, 0, 10))), "unfused_bodies"),
        (together(prism(), box(at=(40, 0, 0))), "several_bodies"),
        (inside_out(prism()), "inside_out"),
        (moved(prism(), (1e6, 0, 0)), "far_from_origin"),
        (opened(prism()), "open_surface"),
        (mesh(np.zeros((0, 3)), np.zeros((0, 3))), "empty"),
        (mesh(prism().vertices * np.nan, prism().faces), "not_finite"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_score_names_what_was_handed_in(part, code):
    assert code in [notice.code for notice in score(part, prism()).notices]


def test_thousand_times_too_small_is_perfect_by_shape_and_named_by_size():
    metres = moved(bracket(), scale=1e-3)
    by_shape = score(metres, bracket(), protocol="cadprompt")
    assert by_shape.value == 1.0
    assert by_shape.term("size").raw < 1e-8
    assert score(metres, bracket()).value < 0.2


@pytest.mark.parametrize("preset", COMPARING)
def test_leaky_reference_is_unscorable_and_named_as_the_reason(preset):
    result = score(prism(), opened(prism()), protocol=preset)
    assert result.value is None
    assert result.verdict is Verdict.UNSCORABLE
    assert "reference" in result.reason
    assert "3 open edges" in result.reason


def test_leaky_reference_still_tells_what_can_be_measured():
    result = score(prism(), opened(prism()))
    assert all(term.weight == 0 for term in result.terms)
    assert result.term("iou").raw == pytest.approx(1.0, abs=0.02)
    assert "approximate" in result.term("iou").note
    assert result.card.iou_method == "raster 96"
    assert result.term("chamfer_l2_mm").raw > 0


def test_mesh_reference_with_bodies_joined_along_an_edge_is_unscorable():
    joined = together(box(), box(at=(10, 10, 0)))
    assert "1 edges" in score(joined, joined).reason


def test_exact_reference_with_bodies_in_contact_is_fine():
    scoring = Scoring.from_dict("absolute")
    joined = together(box(), box(at=(10, 10, 0)))
    wanted = reference(joined, scoring, is_exact=True)
    assert score_shapes(Candidate(normalise(joined)), wanted, scoring).value == 1.0


def test_approximation_is_labelled_when_the_exact_boolean_is_left_out():
    scoring = Scoring.from_dict("absolute")
    part, wanted = Candidate(normalise(prism())), reference(box(), scoring)
    exact = score_shapes(part, wanted, scoring)
    rough = score_shapes(part, wanted, scoring, is_exact_allowed=False)
    assert rough.value == pytest.approx(exact.value, abs=0.02)
    assert "approximate" in rough.term("iou").note
    with pytest.raises(UsageError, match="iou_method"):
        compare(exact, rough)


def test_only_what_is_asked_for_is_measured():
    result = score(prism(), box(), weights={"iou": 1.0})
    assert [term.name for term in result.terms if term.unit != "gate"] == ["iou"]


@pytest.mark.parametrize("outcome", FAILED_CREDIT)
def test_failed_part_is_invalid_and_below_every_valid_one(outcome):
    scoring = Scoring.from_dict("absolute")
    failed = score_shapes(
        Candidate(normalise(prism()), outcome, "broken"), reference(prism(), scoring), scoring
    )
    assert failed.verdict is Verdict.INVALID
    assert "broken" in failed.reason
    assert failed.value < score(moved(TIGHT, (900, 900, 900)), prism()).value


def test_failures_are_graded_by_how_far_they_got():
    ladder = [
        Outcome.TIMEOUT,
        Outcome.PYTHON_ERROR,
        Outcome.NO_RESULT,
        Outcome.EMPTY_GEOMETRY,
        Outcome.NOT_A_SOLID,
        Outcome.INVALID_GEOMETRY,
    ]
    values = [failure_score(o, "", Scoring.from_dict("absolute")).value for o in ladder]
    assert values == sorted(set(values))


def test_pass_or_fail_protocol_gives_an_invalid_part_nothing():
    scoring = Scoring.from_dict("cadqueryeval")
    assert failure_score(Outcome.INVALID_GEOMETRY, "", scoring).value == 0.0


def test_our_own_failure_is_masked():
    for result in (
        infra_score("died", Scoring.from_dict("absolute")),
        failure_score(Outcome.INFRA_ERROR, "died", Scoring.from_dict("absolute")),
    ):
        assert result.value is None
        assert result.verdict is Verdict.INFRA_ERROR


def test_empty_part_is_invalid_even_if_nobody_said_so():
    scoring = Scoring.from_dict("absolute")
    empty = Candidate(normalise(mesh([[0, 0, 0]], [[0, 0, 0]])))
    result = score_shapes(empty, reference(prism(), scoring), scoring)
    assert result.verdict is Verdict.INVALID


@pytest.mark.parametrize(
    ("part", "is_passed"),
    [
        (box((30.5, 20, 10)), True),
        (box((31.5, 20, 10)), False),
        (moved(box((30, 20, 10)), (50, 9, 9), rotation((1, 2, 3), 70)), True),
        (together(box((30, 20, 10)), box((0.1, 0.1, 0.1), at=(0, 0, 5.5))), False),
    ],
    ids=["within-a-millimetre", "beyond", "elsewhere", "loose-speck"],
)
def test_cadqueryeval_passes_or_fails(part, is_passed):
    assert score(part, box((30, 20, 10)), protocol="cadqueryeval").value == float(is_passed)


def test_speck_beside_a_part_without_exact_booleans_is_stray_too():
    scoring = Scoring.from_dict("absolute")
    spoiled = opened(together(box((1, 1, 1), at=(40, 0, 0)), prism()))
    part = Candidate(normalise(spoiled))
    result = score_shapes(part, reference(prism(), scoring), scoring)
    assert result.term("stray_bodies").raw == 1
