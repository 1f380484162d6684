"""An alignment that forgives size forgives it in every term and gate."""

import pytest
from judge_shapes import box, bracket, moved, rotation, score

from cadwright.rewards.scoring import SIZE_TERMS, Scoring
from cadwright.tools.errors import UsageError

ERRORS = {"volume_error": 0.02, "box_error_mm": 1.0}
TURN = rotation((1, 2, 3), 50)


@pytest.mark.parametrize("scale", [1e-3, 0.4, 2.5, 1e3])
def test_scaled_twin_is_perfect_by_similarity(scale):
    twin = moved(bracket(), (7, -20, 100), TURN, scale)
    assert score(twin, bracket(), alignment="similarity").value == 1.0


@pytest.mark.parametrize("scale", [0.4, 2.5])
def test_scaled_twin_is_perfect_by_translate_scale(scale):
    assert score(moved(bracket(), scale=scale), bracket(), alignment="translate_scale").value == 1.0


@pytest.mark.parametrize("alignment", ["none", "translate", "rigid"])
def test_other_alignments_do_not_forgive_it(alignment):
    assert score(moved(bracket(), scale=2.5), bracket(), alignment=alignment).value < 0.5


@pytest.mark.parametrize("name", sorted(SIZE_TERMS))
@pytest.mark.parametrize("alignment", ["translate_scale", "similarity"])
def test_term_of_size_is_told_without_credit_and_named(name, alignment):
    weights = {"iou": 1.0, name: 1.0}
    result = score(
        moved(bracket(), scale=2.0),
        bracket(),
        alignment=alignment,
        weights=weights,
        tolerances=ERRORS,
    )
    term = result.term(name)
    assert (term.value, term.weight) == (None, 0.0)
    assert term.raw is not None
    assert term.note.startswith("not applicable: the alignment forgives size")


def test_pass_or_fail_leaves_forgiven_terms_out():
    twin = moved(bracket(), scale=2.0)
    wanted = {"combine": "all", "weights": {"iou": 1.0, "size": 1.0}, "iou_target": 0.999}
    assert score(twin, bracket(), alignment="similarity", **wanted).value == 1.0
    assert score(twin, bracket(), alignment="rigid", **wanted).value == 0.0


def test_gate_of_extents_does_not_apply_and_says_so():
    gate = score(moved(bracket(), scale=3.0), bracket(), alignment="similarity").term("extents")
    assert gate.value == 1.0
    assert gate.note == "not applicable: the alignment forgives size"


def test_another_shape_is_not_forgiven_with_its_size():
    assert score(box((9, 20, 30)), bracket(), alignment="similarity").value < 0.6


def test_scoring_that_counts_size_alone_is_refused():
    with pytest.raises(UsageError, match="counts size alone"):
        Scoring.from_dict({"alignment": "similarity", "weights": {"validity": 0.5, "size": 0.5}})
