"""Who is blamed when a worker dies: workers are scripted, no process is started."""

import pytest
from judge_shapes import box, bracket, moved, opened, prism

from cadwright.rewards.judge import TRIES, Judge
from cadwright.rewards.score import Verdict
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import InfraError, WorkerCrash, WorkerTimeout
from cadwright.tools.geometry.part import Part
from cadwright.tools.sandbox import InProcessWorker

ABSOLUTE = Scoring.from_dict("absolute")
PART, REFERENCE = Part(mesh=prism(), name="part"), Part(mesh=box(), name="reference")


class ScriptedWorker:
    """A real judge in this process, but some calls end as the script says."""

    def __init__(self, fails) -> None:
        self._inner = InProcessWorker("cadwright.rewards.jobs")
        self._fails = fails
        self.calls: list[tuple[str, bool]] = []

    def call(self, job, header, blobs=(), *, timeout_s):
        name, is_exact = header["part"]["name"], header["is_exact_allowed"]
        self.calls.append((name, is_exact))
        error = self._fails(len(self.calls), name, is_exact)
        if error is not None:
            raise error
        return self._inner.call(job, header, blobs, timeout_s=timeout_s)


def judged(fails):
    worker = ScriptedWorker(fails)
    return Judge(worker).score(PART, REFERENCE, ABSOLUTE), worker.calls


def test_healthy_worker_is_asked_once():
    score, calls = judged(lambda *_: None)
    assert score.verdict is Verdict.SCORED
    assert calls == [("part", True)]


@pytest.mark.parametrize(
    "error", [WorkerTimeout("slow"), WorkerCrash("died")], ids=["hang", "crash"]
)
def test_worker_that_died_by_chance_costs_a_retry_and_no_difference(error):
    score, calls = judged(lambda n, *_: error if n == 1 else None)
    assert score == judged(lambda *_: None)[0]
    assert calls == [("part", True), ("part", True)]


@pytest.mark.parametrize(
    "error", [WorkerTimeout("slow"), WorkerCrash("died")], ids=["hang", "crash"]
)
def test_boolean_that_always_dies_gives_a_labelled_approximation(error):
    score, _ = judged(lambda _n, _name, is_exact: error if is_exact else None)
    assert score.verdict is Verdict.SCORED
    assert score.card.iou_method == "raster 96"
    assert score.value == pytest.approx(judged(lambda *_: None)[0].value, abs=0.02)


@pytest.mark.parametrize(
    "error", [WorkerTimeout("slow"), WorkerCrash("died")], ids=["hang", "crash"]
)
def test_part_that_kills_every_judge_is_invalid_not_masked(error):
    score, calls = judged(lambda _n, name, _e: error if name == "part" else None)
    assert score.verdict is Verdict.INVALID
    assert score.value == 0.0
    assert "part cannot be measured within limits" in score.reason
    assert calls == [*(("part", exact) for exact in TRIES), ("reference", True)]


@pytest.mark.parametrize(
    "error", [WorkerTimeout("slow"), WorkerCrash("died")], ids=["hang", "crash"]
)
def test_judge_that_dies_on_the_reference_too_is_masked(error):
    score, _ = judged(lambda *_: error)
    assert score.verdict is Verdict.INFRA_ERROR
    assert score.value is None


def test_job_of_ours_that_raises_is_never_blamed_on_the_part():
    score, _ = judged(lambda *_: InfraError("job failed: KeyError"))
    assert score.verdict is Verdict.INFRA_ERROR
    assert score.value is None
    assert "KeyError" in score.reason


def test_no_part_is_invalid():
    judge = Judge(InProcessWorker("cadwright.rewards.jobs"))
    assert judge.score(None, REFERENCE, ABSOLUTE).verdict is Verdict.INVALID


def test_no_reference_is_unscorable():
    judge = Judge(InProcessWorker("cadwright.rewards.jobs"))
    score = judge.score(PART, None, ABSOLUTE)
    assert score.value is None
    assert score.verdict is Verdict.UNSCORABLE


@pytest.mark.parametrize("name", ["reference", "part"])
def test_order_of_jobs_does_not_change_a_score(name):
    judge = Judge(InProcessWorker("cadwright.rewards.jobs"))
    first = judge.score(PART, REFERENCE, ABSOLUTE)
    judge.score(Part(mesh=bracket(), name=name), PART, Scoring.from_dict("cadprompt"))
    judge.score(REFERENCE, Part(mesh=moved(box(), (1, 2, 3))), ABSOLUTE)
    assert judge.score(PART, REFERENCE, ABSOLUTE) == first


def test_open_part_is_invalid_and_open_reference_is_not_its_fault():
    judge = Judge(InProcessWorker("cadwright.rewards.jobs"))
    leaky = Part(mesh=opened(box()))
    assert judge.score(leaky, REFERENCE, ABSOLUTE).verdict is Verdict.INVALID
    assert judge.score(PART, leaky, ABSOLUTE).verdict is Verdict.UNSCORABLE


def test_part_with_a_nan_is_invalid():
    broken = box()
    broken.vertices[0, 0] = float("nan")
    judge = Judge(InProcessWorker("cadwright.rewards.jobs"))
    assert judge.score(Part(mesh=broken), REFERENCE, ABSOLUTE).verdict is Verdict.INVALID
