"""The judge in its real, confined worker process: booleans that crash and hang (UC-26)."""

from pathlib import Path

import pytest
from judge_shapes import bracket, moved

from cadwright.rewards.judge import Judge
from cadwright.rewards.score import Verdict
from cadwright.rewards.scoring import Scoring
from cadwright.tools.geometry.part import Part
from cadwright.tools.sandbox import InProcessWorker, Sandbox

pytestmark = pytest.mark.slow

LIMIT_S = 5.0  # many times what a score takes, loaded machine included
ABSOLUTE = Scoring.from_dict("absolute")
REFERENCE = Part(mesh=bracket(), name="reference")
SHIFTED = moved(bracket(), (1, 0, 0))


@pytest.fixture(scope="module")
def judge():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))
        with Sandbox() as sandbox:
            yield Judge(sandbox.worker("dying_jobs"))


def scored(judge, name):
    return judge.score(Part(mesh=SHIFTED, name=name), REFERENCE, ABSOLUTE, timeout_s=LIMIT_S)


@pytest.mark.parametrize("death", ["crash", "hang"])
def test_boolean_that_dies_is_approximated_and_labelled(judge, death):
    healthy, rescued = scored(judge, "fine"), scored(judge, death)
    assert rescued.verdict is Verdict.SCORED
    assert rescued.card.iou_method == "raster 96"
    assert rescued.value == pytest.approx(healthy.value, abs=0.02)


@pytest.mark.parametrize("death", ["always-crash", "always-hang"])
def test_part_that_kills_every_worker_is_invalid_and_the_next_is_scored(judge, death):
    assert scored(judge, death).verdict is Verdict.INVALID
    assert scored(judge, "fine").verdict is Verdict.SCORED


def test_score_is_the_same_in_another_process(judge):
    here = Judge(InProcessWorker("cadwright.rewards.jobs"))
    assert scored(here, "fine").to_json() == scored(judge, "fine").to_json()
