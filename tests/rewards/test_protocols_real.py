"""Published protocols on published data: the numbers that others measured with other programs.

The real data is not in this repository: set CADWRIGHT_DATA to the folder that holds it.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from cadwright.rewards.jobs import score_part
from cadwright.rewards.score import Verdict
from cadwright.rewards.scoring import Scoring
from cadwright.tools.geometry.read import read_part

pytestmark = pytest.mark.slow

BROKEN = {
    "test_1": ["broken_1_small_hole", "broken_2_offset_hole", "broken_3_no_hole"],
    "test_2": ["broken_1_wrong_spacing", "broken_2_missing_hole", "broken_3_wrong_diameter"],
}


@pytest.fixture(scope="module")
def data():
    root = os.environ.get("CADWRIGHT_DATA")
    if root is None:
        pytest.skip("CADWRIGHT_DATA does not name a folder with the data sets")
    return Path(root)


def read(path):
    return read_part(path.read_bytes(), path.suffix[1:], name=path.name)


def scores_of_truths(data, protocol):
    truths = [read(path) for path in sorted(data.glob("cadprompt/*/part.stl"))]
    found = [score_part(truth, truth, Scoring.preset(protocol)) for truth in truths]
    return [score for score in found if score.verdict is Verdict.SCORED]


def test_cadrille_noise_floor_is_what_its_medians_are_made_of(data):
    scores = scores_of_truths(data, "cadrille")
    assert len(scores) == 198  # two truths are not closed
    assert {score.value for score in scores} == {1.0}
    gaps = [score.term("chamfer_sq_unit_x1000").raw for score in scores]
    assert np.median(gaps) == pytest.approx(0.132, rel=0.03)
    floors = [score.card.noise_floor["chamfer_sq_unit_x1000"] for score in scores]
    assert np.median(floors) == pytest.approx(np.median(gaps), rel=0.03)


def test_normal_auc_of_perfect_parts_is_far_from_one(data):
    values = [score.value for score in scores_of_truths(data, "normal_auc")]
    assert 0.4 < np.median(values) < 0.9


@pytest.mark.parametrize("name", BROKEN)
def test_cadgenbench_tells_the_correct_part_from_the_broken_ones(data, name):
    folder, scoring = data / "cadgenbench" / name, Scoring.preset("cadgenbench")
    reference = read(folder / "gt.step")
    candidates = folder / "candidates"
    correct = score_part(read(candidates / "correct.step"), reference, scoring).value
    assert correct >= 0.99
    for broken in BROKEN[name]:  # without interface volumes a wrong hole costs next to nothing
        value = score_part(read(candidates / f"{broken}.step"), reference, scoring).value
        assert value < correct - 0.003
