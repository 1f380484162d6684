import json

import pytest

from cadwright.rewards.alignment import Alignment
from cadwright.rewards.scoring import PRESETS, TERMS, Combine, Scoring
from cadwright.rewards.terms import MEASURES
from cadwright.tools.errors import UsageError


@pytest.mark.parametrize("name", PRESETS)
def test_preset_survives_json(name):
    preset = Scoring.from_dict(name)
    assert Scoring.from_dict(json.loads(json.dumps(preset.to_dict()))) == preset


def test_default_is_absolute():
    assert Scoring.from_dict({}) == Scoring.from_dict("absolute") == Scoring.from_dict("default")


def test_every_known_term_can_be_measured():
    assert set(MEASURES) == set(TERMS)


def test_fields_change_the_preset_they_name():
    scoring = Scoring.from_dict({"protocol": "cadqueryeval", "alignment": "none", "seed": 7})
    assert scoring.alignment is Alignment.NONE
    assert scoring.combine is Combine.ALL
    assert scoring.seed == 7


def test_tolerances_add_to_those_of_the_preset():
    scoring = Scoring.from_dict({"tolerances": {"size": 0.1}})
    assert scoring.tolerances["size"] == 0.1
    assert scoring.tolerances["volume"] == 0.005


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"protocoll": "absolute"}, "did you mean 'protocol'"),
        ({"protocol": "cadprompts"}, "did you mean 'cadprompt'"),
        ("no-such-preset", "no-such-preset"),
        ({"protocol": 3}, "protocol"),
        ({"alignment": "rigit"}, "'alignment'.*rigid"),
        ({"combine": "sum"}, "'combine'"),
        ({"weights": {"iuo": 1.0}}, "did you mean 'iou'"),
        ({"weights": {"iou": -1.0}}, r"weights\.iou"),
        ({"weights": {"iou": True}}, r"weights\.iou"),
        ({"weights": {"iou": 0.0}}, "at least one weight"),
        ({"weights": ["iou"]}, "'weights'"),
        ({"weights": {"hausdorff95_mm": 1.0}}, "hausdorff95_mm"),
        ({"iou_target": 1.5}, "'iou_target'"),
        ({"iou_target": float("nan")}, "'iou_target'"),
        ({"num_points": 0}, "'num_points'"),
        ({"num_points": 100.0}, "'num_points'"),
        ({"num_points": 10**9}, "'num_points'"),
        ({"seed": -1}, "'seed'"),
        ({"seed": True}, "'seed'"),
        ({"tolerances": {"sizes": 0.1}}, "did you mean 'size'"),
        ({"tolerances": {"size": -0.1}}, r"tolerances\.size"),
        ({"tolerances": {"surface_half": 0.0}}, r"tolerances\.surface_half"),
        ({"facet_deg": 0.1}, "'facet_deg'"),
    ],
    ids=str,
)
def test_wrong_field_is_named(data, words):
    with pytest.raises(UsageError, match=words):
        Scoring.from_dict(data)
