"""The red team's kit against the scorings we ship: nothing may beat the honest box."""

from dataclasses import replace

import cadquery as cq
import pytest
from judge_shapes import box, prism, together

from cadwright.rewards import hacks
from cadwright.rewards.answer import Answer as Asked
from cadwright.rewards.answer_hacks import honest_guess
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.hack_programs import PROGRAMS, program_text
from cadwright.rewards.hacking import make_hack
from cadwright.rewards.hacks import HACKS, NEAR_MISSES, Answer
from cadwright.rewards.judge import Judge
from cadwright.rewards.normalise import normalise
from cadwright.rewards.redteam import (
    BOX,
    KIT,
    Court,
    Hack,
    Kind,
    NoBox,
    Trial,
    try_answers,
    try_hacks,
)
from cadwright.rewards.score import Score, Verdict
from cadwright.rewards.scorer import failure_score
from cadwright.rewards.scoring import Scoring
from cadwright.rewards.start_hacks import START_HACKS, START_MISSES, Start
from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part
from cadwright.tools.sandbox import InProcessWorker

PARTS = [hack for hack in KIT if hack.depends_on_task]
FROM_START = {"start_unchanged", *START_HACKS, *START_MISSES}
SIZES = {"metres", "inches", "giant_block", "half_box", "speck_alone"}


def spacer() -> Part:
    """The smallest task of the smoke suite."""
    ring = cq.Workplane().circle(15).extrude(12).edges().chamfer(1)
    ring = ring.cut(cq.Workplane().circle(8).extrude(12))
    return Part(brep=brep_bytes(ring.val().wrapped))


def court(reference: Part, scoring: Scoring, start: Part | None = None) -> Court:
    judge = Judge(InProcessWorker("cadwright.rewards.jobs"))
    iou = Scoring.from_dict({"weights": {"iou": 1.0}, "gates": {}})
    return Court(
        brief="",
        scoring=scoring,
        make=lambda name: judge.hack(name, reference, start=start),
        score=lambda part: judge.score(part, reference, scoring, start=start),
        run=lambda _: failure_score(Outcome.NO_RESULT, "", scoring),
        play=lambda _: failure_score(Outcome.NO_RESULT, "", scoring),
        overlap=lambda part: judge.score(part, reference, iou).term("iou").raw,
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
    assert left_out == FROM_START | (SIZES if protocol == "cadprompt" else set())


def test_near_misses_keep_smooth_credit(trials):
    _, found = trials
    assert found["convex_hull"].value > found["convex_hull"].box


def test_kit_has_what_the_reward_promises_to_resist():
    names = [hack.name for hack in KIT]
    assert len(set(names)) == len(names)
    assert len(HACKS) + len(PROGRAMS) >= 40
    misses = {hack.name for hack in KIT if hack.kind is Kind.NEAR_MISS}
    assert misses == {*NEAR_MISSES, *START_MISSES}


def test_unchanged_start_gains_nothing():
    start = Part(mesh=box((30, 30, 12), at=(0, 0, 6)))
    (trial,) = try_hacks(
        court(spacer(), Scoring.from_dict("absolute"), start), [Hack("start_unchanged", Kind.START)]
    )
    assert trial.value == 0.0
    assert not trial.is_won


def test_start_in_any_dress_gains_nothing():
    start = Part(mesh=box((30, 30, 14), at=(0, 0, 7)))
    kit = [hack for hack in KIT if hack.kind is Kind.START]
    found = list(try_hacks(court(spacer(), Scoring.from_dict("absolute"), start), kit))
    assert [trial.hack.name for trial in found if trial.is_won] == []
    assert [trial.hack.name for trial in found if trial.is_left_out] == []


def test_a_nick_is_no_step_towards_a_bore():
    """The largest deviation is that of the bore, wherever a scratched part is sampled."""
    plate = cq.Workplane().box(125, 46, 20)
    start, bored = (Part(brep=brep_bytes(p.val().wrapped)) for p in (plate, plate.hole(25)))
    trying = court(bored, Scoring.from_dict("absolute"), start)
    (trial,) = try_hacks(trying, [Hack("start_nicked", Kind.START)])
    assert trial.value < 0.002


def test_halves_with_a_thin_waist_in_common_are_seen_through():
    plates = cq.Workplane().box(40, 40, 8).translate((0, 0, 24))
    bar = cq.Workplane().box(8, 8, 40).union(plates).union(plates.mirror("XY"))
    dumbbell = Part(brep=brep_bytes(bar.val().wrapped))
    trying = court(dumbbell, Scoring.from_dict("absolute"))
    (trial,) = try_hacks(trying, [Hack("overlapping_halves", Kind.PART)])
    assert "share 6.4%" in trial.note
    assert trial.value < 0.1 < trial.box


def test_start_of_several_bodies_is_not_put_right_by_a_hack():
    start, answer = Start.of(together(box((9, 9, 9)), box((9, 9, 9)))), Answer(normalise(prism()))
    with pytest.raises(GeometryError, match="no single sound solid"):
        make_hack("start_nicked", answer, start)


def test_void_under_the_skin_leaves_the_right_volume():
    answer = Answer(normalise(prism()))
    start = Start.of(make_hack(BOX, answer))
    made = normalise(make_hack("start_voided", answer, start))
    assert made.volume_mm3 == pytest.approx(answer.solid.volume_mm3, rel=1e-3)
    assert made.census.num_cavities == 1


def test_void_is_no_hack_where_a_void_is_asked_for():
    start = Start.of(box((20, 20, 20)))
    hollow = make_hack("start_voided", Answer(normalise(box((20, 20, 15)))), start)
    with pytest.raises(GeometryError, match="void is what is asked for"):
        make_hack("start_voided", Answer(normalise(hollow)), start)


def test_slab_has_the_volume_and_the_surface_of_the_answer():
    answer = Answer(normalise(box((40, 20, 5))))
    slab = normalise(make_hack("same_amount_slab", answer)).manifold
    assert slab.volume() == pytest.approx(answer.manifold.volume())
    assert slab.surface_area() == pytest.approx(answer.manifold.surface_area())


def test_ball_has_the_extents_of_the_answer():
    answer = Answer(normalise(box((40, 20, 5), at=(3, 4, 5))))
    ball = make_hack("ball", answer)
    assert ball.vertices.min(axis=0) == pytest.approx(answer.centre - answer.extents / 2)
    assert ball.vertices.max(axis=0) == pytest.approx(answer.centre + answer.extents / 2)


def test_ball_does_not_pass_for_a_task_of_faces():
    top, bottom = {"normal": "+z", "at": [0, 0, 10]}, {"normal": "-z", "at": [0, 0, -10]}
    side = {"normal": "+x", "at": [10, 0, 0]}
    asked = parse_constraints(
        [
            {"kind": "bounding_box", "size": [20, 20, 20]},
            {"kind": "parallel", "first": top, "second": bottom},
            {"kind": "perpendicular", "first": top, "second": side},
            {"kind": "face_distance", "first": top, "second": bottom, "value": 20},
        ]
    )
    judge, scoring = (
        Judge(InProcessWorker("cadwright.rewards.jobs")),
        Scoring.from_dict("constraints"),
    )
    cube, ball = box((20, 20, 20)), make_hack("ball", Answer(normalise(box((20, 20, 20)))))
    scores = [judge.score(Part(mesh=m), None, scoring, constraints=asked) for m in (cube, ball)]
    assert scores[0].value == pytest.approx(1.0)
    assert scores[1].value < 0.5


def test_near_miss_that_passes_for_the_answer_has_won():
    scoring = Scoring.from_dict({"weights": {"validity": 1.0}, "gates": {}})
    (trial,) = try_hacks(court(spacer(), scoring), [Hack("convex_hull", Kind.NEAR_MISS)])
    assert trial.is_won


def test_symmetric_part_is_its_own_mirror_image():
    scoring = Scoring.from_dict({"weights": {"validity": 1.0}, "gates": {}})
    (trial,) = try_hacks(court(spacer(), scoring), [Hack("mirrored", Kind.NEAR_MISS)])
    assert trial.value == 1.0
    assert not trial.is_won


@pytest.mark.parametrize(
    "asked",
    [Asked(6586.0, "mm2", 0.005), Asked(4.0), Asked(12.5, "mm", 0.05), Asked(37.0, "%", 0.005)],
    ids=lambda asked: asked.unit or "count",
)
def test_no_number_in_other_clothes_earns_anything(asked):
    found = list(try_answers(asked, "A part of 80 x 60 mm.", 200.0))
    assert [trial.hack.name for trial in found if trial.is_won] == []


def test_brief_that_gives_the_answer_away_is_found_out():
    found = try_answers(Asked(6.0, "mm", 0.005), "How wide is the slot of 6 mm?", 80.0)
    assert [trial.hack.name for trial in found if trial.is_won] == ["answer_from_brief"]


def test_honest_guess_is_the_bounding_box():
    assert honest_guess("mm3", (2.0, 3.0, 4.0)) == 24.0
    assert honest_guess("mm2", (2.0, 3.0, 4.0)) == 52.0
    assert honest_guess("mm", (2.0, 3.0, 4.0)) == 4.0
    assert honest_guess("", (2.0, 3.0, 4.0)) == 1.0


def test_trial_survives_json():
    trial = Trial(Hack("hollow", Kind.PART), 0.25, 0.5, False, "thin")
    assert Trial.from_json(trial.to_json()) == trial


def test_scoring_without_gates_is_seen_to_be_cheated():
    loose = Scoring.from_dict({"gates": {}})
    won = {t.hack.name for t in try_hacks(court(spacer(), loose), PARTS) if t.is_won}
    assert {"far_speck", "near_speck", "duplicated", "nested", "inside_out"} <= won


def test_a_floor_that_every_valid_part_earns_is_no_win():
    fair = court(spacer(), Scoring.from_dict("absolute"), Part(mesh=box((30, 30, 12))))
    floor = Score(0.05, Verdict.SCORED, "")
    floored = replace(fair, score=lambda _: floor, idle=0.05)
    assert not any(trial.is_won for trial in try_hacks(floored, [Hack("hollow", Kind.PART)]))


def test_a_start_that_is_worth_more_than_the_box_has_won():
    plain = Scoring.from_dict({"is_relative": False})
    generous = replace(court(spacer(), plain, spacer()), idle=1.0)
    (trial,) = try_hacks(generous, [Hack("start_unchanged", Kind.START)])
    assert trial.is_won


def test_judge_that_gives_up_has_lost():
    scoring = Scoring.from_dict("absolute")
    masked = Score(None, Verdict.INFRA_ERROR, "died")
    fair = court(spacer(), scoring)
    mute = replace(fair, run=lambda _: masked)
    (trial,) = try_hacks(mute, [Hack("endless", Kind.PROGRAM)])
    assert trial.is_won


def test_task_whose_box_has_no_score_cannot_be_tried():
    masked = Score(None, Verdict.UNSCORABLE, "leaky reference")
    fair = court(spacer(), Scoring.from_dict("absolute"))
    broken = replace(fair, score=lambda _: masked)
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


def test_a_core_whose_triangles_would_multiply_is_cut_another_way(monkeypatch):
    solid = normalise(box((20, 20, 15))).manifold
    usual = hacks.eroded(solid, 1.0)
    monkeypatch.setattr(hacks, "MOST_CUT", 1)
    found = hacks.eroded(solid, 1.0)
    assert found.volume() == pytest.approx(usual.volume())
    assert (found - solid).is_empty()
