"""The judge on parts that nobody here made: published truths, references and candidates.

The real data is not in this repository: set CADWRIGHT_DATA to the folder that holds it.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from cadwright.rewards.constraints.derive import derive
from cadwright.rewards.constraints.job import check_part, subject_of
from cadwright.rewards.jobs import score_part
from cadwright.rewards.score import Verdict
from cadwright.rewards.scoring import Scoring
from cadwright.tools.geometry.read import read_part

pytestmark = pytest.mark.slow

LEAKY_TRUTHS = {"00522865", "00980412"}
CADGENBENCH = {
    "test_1": ["broken_1_small_hole", "broken_2_offset_hole", "broken_3_no_hole"],
    "test_2": ["broken_1_wrong_spacing", "broken_2_missing_hole", "broken_3_wrong_diameter"],
}
TWINS = {
    "box_10_10_10": "box_10_10_10_cube_rot73",
    "box_10_20_30": "box_10_20_30_rot37_t10",
    "l_bracket": "l_bracket_l_rot45",
}


@pytest.fixture(scope="module")
def data():
    root = os.environ.get("CADWRIGHT_DATA")
    if root is None:
        pytest.skip("CADWRIGHT_DATA does not name a folder with the data sets")
    return Path(root)


def read(path: Path):
    return read_part(path.read_bytes(), path.suffix[1:], name=path.name)


def test_published_truths_score_one_against_themselves_but_for_the_leaky_two(data):
    scoring = Scoring.from_dict("cadprompt")
    scores = {}
    for path in sorted(data.glob("cadprompt/*/part.stl")):
        truth = read(path)
        scores[path.parent.name] = score_part(truth, truth, scoring)
    unscorable = {k for k, s in scores.items() if s.verdict is Verdict.UNSCORABLE}
    assert len(scores) == 200
    assert unscorable == LEAKY_TRUTHS
    assert {s.value for k, s in scores.items() if k not in LEAKY_TRUTHS} == {1.0}
    floor = [s.term("chamfer_sq_unit_x1000").raw for s in scores.values()]
    assert np.median(floor) == pytest.approx(0.132, rel=0.03)  # measured with another program


def test_benchmark_references_pass_their_own_checks(data):
    scoring = Scoring.from_dict("cadqueryeval")
    parts = [read(path) for path in sorted(data.glob("cadqueryeval/*.stl"))]
    assert [score_part(part, part, scoring).value for part in parts] == [1.0] * 25


@pytest.mark.parametrize("mode", ["none", "rigid"])
@pytest.mark.parametrize("name", CADGENBENCH)
def test_broken_candidates_fall_clearly_below_the_correct_one(data, name, mode):
    folder = data / "cadgenbench" / name
    truth = read(folder / "gt.step")
    scoring = Scoring.from_dict({"alignment": mode})
    correct = score_part(read(folder / "candidates" / "correct.step"), truth, scoring)
    assert correct.value == 1.0
    for broken in CADGENBENCH[name]:
        part = read(folder / "candidates" / f"{broken}.step")
        assert score_part(part, truth, scoring).value < 0.98


@pytest.mark.parametrize("name", TWINS)
def test_rotated_twin_is_forgiven_by_rigid_only(data, name):
    folder = data / "cadgenbench" / "geometry"
    twin, truth = (read(folder / f"{stem}.step") for stem in (TWINS[name], name))
    rigid = score_part(twin, truth, Scoring.from_dict({"alignment": "rigid"}))
    assert rigid.value == 1.0
    assert score_part(twin, truth, Scoring.from_dict("absolute")).value < 0.5


BROKEN_KINDS = {
    "broken_1_small_hole": "hole",
    "broken_2_offset_hole": "hole",
    "broken_3_no_hole": "hole",
    "broken_1_wrong_spacing": "hole_grid",
    "broken_2_missing_hole": "hole_grid",
    "broken_3_wrong_diameter": "hole_grid",
}


@pytest.mark.parametrize("case", CADGENBENCH)
def test_constraints_derived_from_the_truth_name_what_is_broken(data, case):
    folder = data / "cadgenbench" / case
    constraints = derive(subject_of(read(folder / "gt.step")))
    assert check_part(read(folder / "candidates" / "correct.step"), constraints).all_met
    for name in CADGENBENCH[case]:
        report = check_part(read(folder / "candidates" / f"{name}.step"), constraints)
        assert BROKEN_KINDS[name] in {result.kind for result in report.unmet}, name
