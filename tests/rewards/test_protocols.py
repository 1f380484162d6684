"""Published protocols end to end on meshes, through the scoring that carries each out."""

import inspect

import pytest
from judge_shapes import box, bracket, prism, surface, together, united

from cadwright.rewards.measurement import Candidate, Reference
from cadwright.rewards.normalise import normalise
from cadwright.rewards.protocols.formulas import normal_auc
from cadwright.rewards.protocols.names import PUBLISHED_TERMS
from cadwright.rewards.protocols.normals import angles_to_best
from cadwright.rewards.protocols.presets import PUBLISHED, description, published_reward
from cadwright.rewards.score import Score, Verdict
from cadwright.rewards.scorer import failure_score, score_shapes
from cadwright.rewards.scoring import Scoring
from cadwright.rewards.terms import MEASURES
from cadwright.tools.errors import Outcome

PLATE = box((40, 30, 10))
# Protocols in which a copy of the reference does not reach 1: the samples of the two differ.
NOISY = {"normal_auc": 0.3, "cad_coder": 0.999, "cadrecon": 0.95}
WITH_START = ("cadgenbench_edit",)


def score(part, reference, protocol, start=None) -> Score:
    scoring = Scoring.from_dict({"protocol": protocol})
    wanted = Reference(
        normalise(reference),
        is_exact=True,
        num_points=scoring.num_points,
        seed=scoring.seed,
        facet_deg=17.0,
    )
    begun = None if start is None else Candidate(normalise(start))
    return score_shapes(Candidate(normalise(part)), wanted, scoring, start=begun)


def raw(result, name) -> float:
    return result.term(name).raw


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_protocol_tells_formula_source_and_faults(name):
    text = description(name)
    for heading in ("Formula:", "Source:", "Known faults:"):
        assert heading in text
    assert "[P]" in text or "[S]" in text


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_protocol_is_a_scoring_by_its_name(name):
    scoring = Scoring.from_dict({"protocol": name})
    assert scoring.protocol == name
    assert Scoring.from_dict(scoring.to_dict()) == scoring


def test_every_published_term_is_measured():
    assert set(PUBLISHED_TERMS) <= set(MEASURES)


@pytest.mark.parametrize("name", [n for n in PUBLISHED if n not in WITH_START])
def test_copy_of_the_reference_reaches_what_the_protocol_can_give(name):
    value = score(bracket(), bracket(), name).value
    least = NOISY.get(name, 1.0)
    assert least <= value <= 1.0


@pytest.mark.parametrize("name", PUBLISHED)
def test_failed_part_is_worth_nothing(name):
    failed = failure_score(Outcome.INVALID_GEOMETRY, "open", Scoring.preset(name))
    assert failed.value == 0.0
    assert failed.verdict is Verdict.INVALID


def test_cadrille_iou_forgives_size_and_place_but_not_pose():
    moved = box((80, 60, 20), at=(300, 0, 7))
    turned = box((30, 40, 10))
    assert raw(score(moved, PLATE, "cadrille"), "iou") == pytest.approx(1.0)
    # in the reference's scale the turned plate is 30x40x10: 30x30x10 in common
    assert raw(score(turned, PLATE, "cadrille"), "iou") == pytest.approx(9 / 15)


def test_cadrille_chamfer_of_a_copy_is_its_noise_floor():
    result = score(PLATE, PLATE, "cadrille")
    # two independent samples: 2 A / (pi N) in the unit cube, times 1000
    area = 2 * (40 * 30 + 40 * 10 + 30 * 10) / 40**2
    expected = 2 * area / (3.141592653589793 * 8192) * 1000
    assert raw(result, "chamfer_sq_unit_x1000") == pytest.approx(expected, rel=0.08)
    assert result.card.noise_floor["chamfer_sq_unit_x1000"] == pytest.approx(expected, rel=0.08)


def test_cadrille_reward_is_ten_times_iou_or_minus_ten():
    half = score(box((40, 30, 5)), PLATE, "cadrille")
    assert published_reward(half) == pytest.approx(5.0)
    failed = failure_score(Outcome.PYTHON_ERROR, "", Scoring.preset("cadrille"))
    assert published_reward(failed) == -10.0
    assert published_reward(score(PLATE, PLATE, "benchcad")) == 1.0


def test_cad_coder_hardly_tells_a_plate_from_a_prism():
    assert score(prism(), box(), "cad_coder").value > 0.9  # the fault that its docstring names


def test_cadgenbench_takes_shape_and_topology_where_no_interface_is_known():
    frame = united(
        box((40, 10, 10), at=(0, 20, 0)),
        box((40, 10, 10), at=(0, -20, 0)),
        box((10, 50, 10), at=(15, 0, 0)),
        box((10, 50, 10), at=(-15, 0, 0)),
    )
    result = score(box((40, 50, 10)), frame, "cadgenbench")
    iou = raw(result, "iou")
    assert iou == pytest.approx(1 - 20 * 30 / (40 * 50))
    shape = (raw(result, "surface_f1_normals") + iou) / 2
    assert raw(result, "shape_mean") == pytest.approx(shape)
    assert raw(result, "topology_product") == pytest.approx(0.25)  # no handle against one
    assert result.value == pytest.approx((0.4 * shape + 0.2 * 0.25) / 0.6)


def test_cadgenbench_ignores_pose():
    turned = box((10, 40, 30), at=(5, 60, 7))
    assert score(turned, PLATE, "cadgenbench").value == pytest.approx(1.0, abs=1e-3)


def test_unchanged_start_of_an_edit_keeps_only_its_topology():
    start, wanted = PLATE, box((40, 30, 12))
    unchanged = score(start, wanted, "cadgenbench_edit", start=start)
    assert unchanged.term("shape_over_start").value == 0.0
    assert unchanged.value == pytest.approx(0.1 / 0.7)
    assert score(wanted, wanted, "cadgenbench_edit", start=start).value == 1.0


def test_cadrecon_counts_a_millimetre_as_nothing():
    thick = score(box((40, 30, 12)), PLATE, "cadrecon")
    assert raw(thick, "iou_tolerant_1mm") == pytest.approx(1.0, abs=0.02)


def test_cadrecon_gives_a_blob_inside_the_part_no_chamfer_credit():
    blob = score(box((1, 1, 1)), PLATE, "cadrecon")
    assert blob.term("chamfer_gated").value < 0.02
    assert blob.value < 0.05


def test_cadrecon_does_not_see_a_part_a_metre_away():
    away = score(box((40, 30, 10), at=(1000, 0, 0)), PLATE, "cadrecon")
    assert raw(away, "iou_tolerant_1mm") == 0.0
    assert away.value == 0.0


def test_benchcad_voxels_of_half_a_cube():
    # 20 of 40 layers of the box, with up to a voxel of skin on either
    assert score(box((40, 40, 20)), box((40, 40, 40)), "benchcad").value == pytest.approx(
        0.5, abs=0.03
    )


def test_normal_auc_hardly_sees_what_is_too_much():
    def angles(part):
        shapes = (surface(m, num_points=20_000, stream=i) for i, m in enumerate((PLATE, part)))
        return angles_to_best(*shapes, reach_mm=1.0)

    spike = together(PLATE, box((1, 1, 50), at=(0, 0, 30)))
    assert normal_auc(angles(spike)) == pytest.approx(normal_auc(angles(PLATE)), abs=0.02)


def test_protocol_functions_are_documented_as_they_are_named():
    from cadwright.rewards.protocols import presets

    for name in PUBLISHED:
        assert inspect.isfunction(getattr(presets, name))


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_house_rule_changes_a_published_score(name):
    scoring = Scoring.preset(name)
    assert not scoring.gates
    assert not scoring.is_relative


def test_edit_without_a_start_is_masked():
    result = score(PLATE, PLATE, "cadgenbench_edit")
    assert result.verdict is Verdict.UNSCORABLE
    assert result.value is None
