"""The red team's kit against the scorings we ship: nothing may beat the honest box."""

import cadquery as cq
import pytest
from judge_shapes import box, prism

from cadwright.rewards.hack_programs import PROGRAMS, program_text
from cadwright.rewards.hacks import HACKS, NEAR_MISSES, Answer, make_hack
from cadwright.rewards.judge import Judge
from cadwright.rewards.normalise import normalise
from cadwright.rewards.redteam import BOX, KIT, Court, Hack, Kind, NoBox, try_hacks
from cadwright.rewards.score import Score, Verdict
from cadwright.rewards.scorer import failure_score
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part
from cadwright.tools.sandbox import InProcessWorker

PARTS = [hack for hack in KIT if hack.kind is not Kind.PROGRAM]
SIZES = {"metres", "inches", "giant_block", "half_box", "speck_alone"}


def spacer() -> Part:
    """The smallest task of the smoke suite."""
    ring = cq.Workplane().circle(15).extrude(12).edges().chamfer(1)
    ring = ring.cut(cq.Workplane().circle(8).extrude(12))
    return Part(brep=brep_bytes(ring.val().wrapped))


def court(reference: Part, scoring: Scoring, start: Part | None = None) -> Court:
    judge = Judge(InProcessWorker("cadwright.rewards.jobs"))
    return Court(
        brief="",
        scoring=scoring,
        make=lambda name: judge.hack(name, reference),
        score=lambda part: judge.score(part, reference, scoring, start=start),
        run=lambda _: failure_score(Outcome.NO_RESULT, "", scoring),
        start=start,
    )


@pytest.fixture(scope="module", params=["absolute", "cadprompt"])
def trials(request):
    scoring = Scoring.from_dict(request.param)
    return request.param, {t.hack.name: t for t in try_hacks(court(spacer(), scoring), PARTS)}


def test_no_hack_beats_the_honest_box(trials):
    _, found = trials
    assert [trial for trial in found.values() if trial.is_won] == []


def test_only_what_cannot_be_a_hack_is_left_out(trials):
    protocol, found = trials
    left_out = {name for name, trial in found.items() if trial.value is None}
    assert left_out == {"start_unchanged"} | (SIZES if protocol == "cadprompt" else set())


def test_near_misses_keep_smooth_credit(trials):
    _, found = trials
    assert found["convex_hull"].value > found["convex_hull"].box


def test_kit_has_what_the_reward_promises_to_resist():
    names = [hack.name for hack in KIT]
    assert len(set(names)) == len(names)
    assert len(HACKS) + len(PROGRAMS) >= 40
    assert set(NEAR_MISSES) == {hack.name for hack in KIT if hack.kind is Kind.NEAR_MISS}


def test_unchanged_start_gains_nothing():
    start = Part(mesh=box((30, 30, 12), at=(0, 0, 6)))
    (trial,) = try_hacks(
        court(spacer(), Scoring.from_dict("absolute"), start), [Hack("start_unchanged", Kind.START)]
    )
    assert trial.value == 0.0
    assert not trial.is_won


def test_scoring_without_gates_is_seen_to_be_cheated():
    loose = Scoring.from_dict({"gates": {}})
    won = {t.hack.name for t in try_hacks(court(spacer(), loose), PARTS) if t.is_won}
    assert {"far_speck", "near_speck", "duplicated", "nested", "inside_out"} <= won


def test_judge_that_gives_up_has_lost():
    scoring = Scoring.from_dict("absolute")
    masked = Score(None, Verdict.INFRA_ERROR, "died")
    fair = court(spacer(), scoring)
    mute = Court(brief="", scoring=scoring, make=fair.make, score=fair.score, run=lambda _: masked)
    (trial,) = try_hacks(mute, [Hack("endless", Kind.PROGRAM)])
    assert trial.is_won


def test_task_whose_box_has_no_score_cannot_be_tried():
    masked = Score(None, Verdict.UNSCORABLE, "leaky reference")
    fair = court(spacer(), Scoring.from_dict("absolute"))
    broken = Court(
        brief="", scoring=fair.scoring, make=fair.make, score=lambda _: masked, run=fair.run
    )
    with pytest.raises(NoBox, match="leaky reference"):
        next(try_hacks(broken))


def test_open_answer_cannot_be_hacked():
    flat = normalise(box((1, 1, 0)))
    with pytest.raises(GeometryError, match="no hack"):
        Answer(flat)


@pytest.mark.parametrize("name", ["silhouette_box", "crossed_sheets", "whiskers"])
def test_cheap_imitations_have_the_right_box_and_a_fraction_of_the_material(name):
    answer = Answer(normalise(prism()))
    made = normalise(make_hack(name, answer))
    assert made.extents_mm == pytest.approx(answer.extents, rel=1e-6)
    assert made.volume_mm3 < 0.5 * answer.solid.volume_mm3


def test_box_encloses_the_answer_exactly():
    answer = Answer(normalise(prism()))
    assert normalise(make_hack(BOX, answer)).extents_mm == pytest.approx(answer.extents)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_python_for_any_brief(name):
    compile(program_text(name, 'a "brief"\nof two lines \\'), name, "exec")
