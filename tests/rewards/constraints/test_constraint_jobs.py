"""Through the frames of a judge worker: reports, proposals, scores, files of regions."""

import json

import numpy as np
import pytest
from constraint_parts import cq, drilled, part_of, plate

from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.jobs import JOBS
from cadwright.rewards.judge import Judge
from cadwright.rewards.score import Verdict
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import GeometryError, InfraError, UsageError, WorkerCrash
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.write import write_part

ALONE = Scoring.preset("constraints")
FOUR_HOLES = parse_constraints(
    [{"kind": "hole", "diameter": 6, "count": 4, "opens": "+z"}, {"kind": "bodies", "count": 1}]
)


class JsonWorker:
    """A worker in this process whose frames go through strict JSON, as on the wire."""

    def call(self, job, header, blobs=(), *, timeout_s):
        reply, out = JOBS[job](json.loads(json.dumps(header, allow_nan=False)), list(blobs))
        return json.loads(json.dumps(reply, allow_nan=False)), out


class DyingWorker(JsonWorker):
    """A worker that one part kills; any other is measured."""

    def __init__(self, name):
        self._name = name

    def call(self, job, header, blobs=(), *, timeout_s):
        if header["part"]["name"] == self._name:
            raise WorkerCrash("gone")
        return super().call(job, header, blobs, timeout_s=timeout_s)


@pytest.fixture
def judge():
    return Judge(JsonWorker())


def test_a_report_comes_back_typed(judge):
    report = judge.check(plate(), FOUR_HOLES)
    assert report.all_met
    assert [result.kind for result in report.results] == ["hole", "bodies"]


def test_a_part_that_is_no_solid_cannot_be_checked_and_earns_nothing(judge):
    sheet = Part(mesh=Mesh(np.eye(3), np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32)))
    report = judge.check(sheet, FOUR_HOLES)
    assert report.value == 0.0
    assert len(report.could_not_check) == len(FOUR_HOLES)
    assert all("not_a_solid" in result.reason for result in report.results)


def test_a_report_is_held_against_the_right_answer_where_one_is_given(judge):
    sheet = Part(mesh=Mesh(np.eye(3), np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32)))
    assert judge.check(sheet, FOUR_HOLES, reference=sheet).value is None
    told = judge.check(sheet, FOUR_HOLES, reference=plate())
    assert told.value == 0.0
    assert "the reference can be checked" in told.results[0].reason


def test_a_proposal_is_met_by_its_part(judge):
    assert judge.check(plate(), judge.derive(plate())).all_met


def test_nothing_is_proposed_from_a_broken_part(judge):
    sheet = Part(mesh=Mesh(np.eye(3), np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32)))
    with pytest.raises(GeometryError, match="no constraints from it"):
        judge.derive(sheet)


def test_a_region_may_be_a_file(judge, tmp_path):
    file = tmp_path / "pin.step"
    pin = part_of(cq.Workplane().circle(2.5).extrude(30).translate((20, 12, -5)))
    file.write_bytes(write_part(pin, "step"))
    (free,) = parse_constraints([{"kind": "keep_out", "region": {"file": str(file)}}])
    (apart,) = parse_constraints([{"kind": "clearance", "region": {"file": str(file)}, "min": 0.4}])
    assert judge.check(plate(), [free]).all_met
    assert judge.check(plate(), [apart]).all_met
    assert not judge.check(part_of(cq.Workplane().box(60, 40, 10)), [free]).all_met


def test_a_region_file_that_is_not_there_is_said(judge):
    lost = parse_constraints([{"kind": "keep_out", "region": {"file": "nowhere.step"}}])
    with pytest.raises(UsageError, match=r"nowhere\.step"):
        judge.check(plate(), lost)


def test_start_geometry_travels_along(judge):
    kept = parse_constraints([{"kind": "preserved"}])
    assert judge.check(plate(), kept, start=plate()).all_met
    assert not judge.check(part_of(drilled(7.0)), kept, start=plate()).all_met


def test_a_start_that_no_constraint_looks_at_is_left_alone(judge):
    broken = Part(brep=b"no geometry", name="start")
    assert judge.check(plate(), FOUR_HOLES[1:], start=broken).all_met


def test_a_mating_part_is_found_through_the_worker(judge):
    holes = parse_constraints(
        [{"kind": "hole", "diameter": 6, "at": [[20, 12, 10], [-20, 12, 10]], "opens": "+z"}]
    )
    assert judge.interface(plate(), holes)["is_mating"]


def test_gold_scores_one_without_a_reference(judge):
    score = judge.score(plate(), None, ALONE, constraints=FOUR_HOLES)
    assert (score.value, score.verdict) == (1.0, Verdict.SCORED)


def test_a_wrong_part_scores_below_a_half_without_a_reference(judge):
    cube = part_of(cq.Workplane().box(10, 10, 10))
    score = judge.score(cube, None, ALONE, constraints=FOUR_HOLES[:1])
    assert score.value < 0.5
    assert "missing" in score.term("constraints").note


def test_without_constraints_there_is_nothing_to_score_alone(judge):
    score = judge.score(plate(), None, ALONE)
    assert (score.value, score.verdict) == (None, Verdict.UNSCORABLE)
    assert "no constraints" in score.reason


def test_a_scoring_that_compares_still_needs_a_reference(judge):
    score = judge.score(plate(), None, Scoring(), constraints=FOUR_HOLES)
    assert score.verdict is Verdict.UNSCORABLE


def test_constraints_count_beside_the_reference(judge):
    scoring = Scoring(weights={"iou": 1.0, "constraints": 1.0})
    score = judge.score(part_of(drilled(5.0)), plate(), scoring, constraints=FOUR_HOLES)
    assert score.term("iou").value > 0.95
    assert score.term("constraints").value < 1.0
    assert judge.score(plate(), plate(), scoring, constraints=FOUR_HOLES).value == 1.0


def test_a_part_that_kills_every_worker_is_to_blame_without_a_reference_too():
    score = Judge(DyingWorker("killer")).score(
        Part(brep=plate().brep, name="killer"), None, ALONE, constraints=FOUR_HOLES
    )
    assert score.verdict is Verdict.INVALID


def test_a_worker_that_dies_says_nothing_about_the_part():
    with pytest.raises(InfraError):
        Judge(DyingWorker("plate")).check(plate(), FOUR_HOLES)


def test_a_mating_feature_without_a_place_is_the_callers_fault(judge):
    with pytest.raises(GeometryError, match="full places"):
        judge.interface(plate(), parse_constraints([{"kind": "hole", "diameter": 6}]))
