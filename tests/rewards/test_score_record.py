import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.rewards.score import (
    MetricCard,
    Score,
    Term,
    Verdict,
    compare,
    require_same_card,
)
from cadwright.tools.errors import UsageError

UNIT = st.floats(0.0, 1.0)


def card(**changes) -> MetricCard:
    fields = {
        "protocol": "absolute",
        "version": 1,
        "units": "mm",
        "alignment": "none",
        "num_points": 2048,
        "seed": 0,
        "weights": {"iou": 1.0},
    }
    return MetricCard(**(fields | changes))


def scored(value: float, **changes) -> Score:
    term = Term("iou", 1.0, value, "ratio", value)
    return Score(value, Verdict.SCORED, "fine", (term,), card(**changes))


@given(value=UNIT, raw=st.none() | st.floats(allow_nan=False, allow_infinity=False), note=st.text())
def test_json_round_trip_keeps_the_score(value, raw, note):
    term = Term("iou", 0.5, raw, "ratio", value, note)
    transform = {"rotation": [[1.0, 0.0, 0.0]] * 3, "scale": 1.0, "translation_mm": [0.0] * 3}
    score = Score(value, Verdict.SCORED, note, (term,), card(transform=transform, notes=("a",)))
    text = json.dumps(score.to_json(), allow_nan=False)
    assert Score.from_json(json.loads(text)) == score


@pytest.mark.parametrize("bad", [math.nan, math.inf, True, "1.0", 1.5], ids=str)
def test_term_refuses_what_a_trainer_cannot_hold(bad):
    with pytest.raises(UsageError, match="'iou'"):
        Term("iou", 1.0, 0.5, "ratio", bad)


@pytest.mark.parametrize("bad", [math.nan, math.inf, True, "1.0"], ids=str)
def test_term_refuses_a_raw_value_that_is_no_number(bad):
    with pytest.raises(UsageError, match="'iou'"):
        Term("iou", 1.0, bad, "ratio", 0.5)


@pytest.mark.parametrize("verdict", [Verdict.UNSCORABLE, Verdict.INFRA_ERROR])
def test_masked_verdict_cannot_carry_a_value(verdict):
    with pytest.raises(UsageError, match=verdict.value):
        Score(0.0, verdict, "no")


@pytest.mark.parametrize("verdict", [Verdict.SCORED, Verdict.INVALID])
def test_verdict_on_the_part_cannot_lack_a_value(verdict):
    with pytest.raises(UsageError, match=verdict.value):
        Score(None, verdict, "no")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("protocol", "cadprompt"),
        ("version", 2),
        ("alignment", "rigid"),
        ("num_points", 8192),
        ("seed", 1),
        ("weights", {"iou": 0.5}),
        ("tolerances", {"size": 0.1}),
        ("iou_method", "raster 96"),
    ],
)
def test_unlike_cards_are_refused_by_the_differing_field(field, value):
    with pytest.raises(UsageError, match=f"'{field}'"):
        compare(scored(0.5), scored(0.5, **{field: value}))


@pytest.mark.parametrize("field", ["transform", "noise_floor"])
def test_what_differs_from_part_to_part_does_not_hinder(field):
    other = scored(0.75, **{field: {"chamfer_l2_mm": 0.1}})
    assert compare(scored(0.5), other).difference == pytest.approx(0.25)


def test_comparison_goes_term_by_term():
    assert compare(scored(0.5), scored(0.75)).terms == {"iou": pytest.approx(0.25)}


def test_masked_score_has_no_difference():
    masked = Score(None, Verdict.UNSCORABLE, "leaky", (), card())
    assert compare(scored(0.5), masked).difference is None


def test_score_without_a_card_goes_with_any():
    require_same_card([Score(None, Verdict.INFRA_ERROR, "died"), scored(0.5), scored(1.0)])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"verdict": "great"}, "great"),
        ({"extra": 1}, "extra"),
        ({"value": math.nan}, "value"),
        ({"terms": [{"name": "iou"}]}, "raw"),
    ],
    ids=["verdict", "unknown", "nan", "short-term"],
)
def test_bad_json_is_refused_by_name(change, named):
    with pytest.raises(UsageError, match=named):
        Score.from_json(scored(0.5).to_json() | change)
