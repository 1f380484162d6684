"""Edit tasks: what counts is what was gained over the unedited input."""

import math
from typing import ClassVar

import cadquery as cq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_shapes import box, bracket, opened, prism, together, united

from cadwright.rewards.baseline import gained, nothing_gained
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.judge import Judge
from cadwright.rewards.score import Score, Verdict
from cadwright.rewards.scorer import failure_score, infra_score
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part
from cadwright.tools.sandbox import InProcessWorker

ABSOLUTE = Scoring.from_dict("absolute")
START = Part(mesh=box((40, 20, 10)), name="start")
WANTED = Part(mesh=united(box((40, 20, 10)), box((10, 20, 8), at=(15, 0, 4))), name="reference")
UNIT = st.floats(0.0, 1.0)


def scored(value: float) -> Score:
    return Score(value, Verdict.SCORED, "")


def edit(part: Part, start: Part = START, scoring: Scoring = ABSOLUTE) -> Score:
    return Judge(InProcessWorker("cadwright.rewards.jobs")).score(
        part, WANTED, scoring, start=start
    )


def test_no_edit_is_worth_nothing_and_a_right_one_everything():
    assert edit(START).value == 0.0
    assert edit(WANTED).value == 1.0


def test_half_an_edit_is_worth_a_part_of_it():
    half = Part(mesh=united(box((40, 20, 10)), box((10, 20, 4), at=(15, 0, 4.5))))
    assert 0.1 < edit(half).value < 0.95


def test_harmful_edit_is_worth_nothing_and_says_so():
    result = edit(Part(mesh=box((20, 20, 10))))
    assert result.value == 0.0
    assert result.reason.startswith("no better than the part it began with")


def test_both_values_stay_on_the_score():
    term = edit(START).term("start")
    assert term.raw == term.value > 0.5
    assert term.weight == 0.0


def test_scoring_can_ask_for_the_plain_score():
    plain = Scoring.from_dict({"is_relative": False})
    assert edit(START, scoring=plain).value > 0.5
    assert edit(START, scoring=plain).card.baseline == ""


@pytest.mark.parametrize("outcome", [Outcome.INVALID_GEOMETRY, Outcome.PYTHON_ERROR])
def test_edit_without_a_part_gains_nothing(outcome):
    assert nothing_gained(failure_score(outcome, "", ABSOLUTE)).value == 0.0


def test_repair_is_measured_from_the_broken_part():
    broken = Part(mesh=opened(WANTED.mesh))
    assert edit(broken, start=broken).value == 0.0
    assert edit(WANTED, start=broken).value == 1.0


def test_speck_beside_the_unedited_part_gains_nothing():
    assert edit(Part(mesh=together(START.mesh, box((1, 1, 1), at=(0, 0, 11))))).value == 0.0


def test_start_that_cannot_be_scored_masks():
    assert gained(scored(0.9), infra_score("died", ABSOLUTE)).verdict is Verdict.INFRA_ERROR


def test_start_that_is_the_answer_leaves_the_score_alone():
    assert gained(scored(0.9), scored(1.0)).value == 0.9


@given(worse=UNIT, better=UNIT, start=st.floats(0.0, 0.99))
def test_order_of_scores_is_kept(worse, better, start):
    worse, better = sorted((worse, better))
    assert gained(scored(worse), scored(start)).value <= gained(scored(better), scored(start)).value


def test_task_without_a_start_is_scored_as_it_is():
    judge = Judge(InProcessWorker("cadwright.rewards.jobs"))
    score = judge.score(Part(mesh=prism()), Part(mesh=bracket()), ABSOLUTE)
    assert score.term("start") is None


def test_a_start_that_is_handed_back_as_triangles_is_no_edit():
    """Facets take one percent off a cylinder: lighter, and nobody did anything."""
    judge = Judge(InProcessWorker("cadwright.rewards.jobs"))
    start = Part(brep=brep_bytes(cq.Workplane().circle(10).extrude(30).val().wrapped))
    volume = math.pi * 10**2 * 30
    lighter = parse_constraints([{"kind": "volume", "value": 0.9 * volume}])
    exported = Part(mesh=judge.inspect(start).mesh)
    scoring = Scoring.from_dict("constraints")
    result = judge.score(exported, None, scoring, constraints=lighter, start=start)
    assert judge.score(exported, None, scoring, constraints=lighter).value < 1.0
    assert result.value == 0.0


def test_start_handed_back_is_measured_once():
    class Counting(InProcessWorker):
        jobs: ClassVar[list[str]] = []

        def call(self, job, *request, **limits):
            self.jobs.append(job)
            return super().call(job, *request, **limits)

    judge = Judge(Counting("cadwright.rewards.jobs"))
    assert judge.score(START, WANTED, ABSOLUTE, start=START).value == 0.0
    assert Counting.jobs == ["score"]


def test_triangles_of_the_start_are_not_measured_for_a_part_that_falls_short_of_it():
    class Counting(InProcessWorker):
        scored = 0

        def call(self, job, *request, **limits):
            Counting.scored += job == "score"
            return super().call(job, *request, **limits)

    judge = Judge(Counting("cadwright.rewards.jobs"))
    start = Part(brep=brep_bytes(cq.Workplane().box(40, 20, 10).val().wrapped))
    wanted = Part(brep=brep_bytes(cq.Workplane().box(40, 20, 11).val().wrapped))
    speck = Part(
        mesh=judge.inspect(Part(brep=brep_bytes(cq.Workplane().box(4, 2, 1).val().wrapped))).mesh
    )
    assert judge.score(speck, wanted, ABSOLUTE, start=start).value == 0.0
    assert Counting.scored == 2
