"""A workbench makes, measures and scores each thing once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from cadwright.envs import workspaces
from cadwright.envs.bench import Workbench
from cadwright.envs.core import Submission
from cadwright.envs.lint import lint
from cadwright.envs.sources import GeometrySource
from cadwright.envs.task import Task
from cadwright.envs.workspaces import WORKSPACES
from cadwright.rewards.score import Score, Verdict
from cadwright.tools.errors import GeometryError, Outcome, UsageError
from cadwright.tools.geometry.part import Inspection, Part
from cadwright.tools.tool import ToolCall

TASK = Task(id="t", brief="A cube of 10 mm.", reference=GeometrySource("wanted = 1"))
CALLS = {"calls": [{"name": "fill_holes", "arguments": {}}]}


class CountingJudge:
    """Knows nothing and counts what it is asked."""

    def __init__(self):
        self.asked = Counter()

    def inspect(self, part):
        self.asked["inspect"] += 1
        return Inspection(Outcome.OK, "", None, None, None)

    def score(self, part, reference, scoring, **_):
        self.asked["score"] += 1
        same = part.brep == reference.brep
        return Score(1.0 if same else 0.2, Verdict.SCORED, "")


class CountingSandbox:
    """Makes the text of a program its part, and counts what it runs."""

    def __init__(self):
        self.num_runs = 0

    def run(self, code):
        self.num_runs += 1
        if "raise" in code:
            error = SimpleNamespace(message="ValueError: boom")
            return SimpleNamespace(outcome=Outcome.PYTHON_ERROR, part=None, error=error, notices=())
        part = Part(brep=code.encode())
        return SimpleNamespace(outcome=Outcome.OK, part=part, error=None, notices=())


@pytest.fixture
def bench():
    return Workbench(CountingJudge(), CountingSandbox())


def test_a_program_runs_once(bench):
    first, second = (bench.part(GeometrySource("wanted = 1")) for _ in range(2))
    assert first is second
    assert bench.sandbox.num_runs == 1


def test_a_part_is_measured_once(bench):
    part = bench.part(TASK.reference)
    assert bench.inspect(part) is bench.inspect(part)
    assert bench.judge.asked["inspect"] == 1


def test_two_tasks_with_one_reference_share_its_score(bench):
    part = bench.part(TASK.reference)
    for name in ("text", "views"):
        bench.score(replace(TASK, id=name, brief=name), part)
    assert bench.judge.asked["score"] == 1


def test_another_scoring_is_another_score(bench):
    part = bench.part(TASK.reference)
    bench.score(TASK, part)
    bench.score(replace(TASK, scoring={"protocol": "cadprompt"}), part)
    assert bench.judge.asked["score"] == 2


def test_a_program_that_fails_says_why(bench):
    with pytest.raises(GeometryError, match="ended in python_error: ValueError: boom"):
        bench.part(GeometrySource("raise ValueError('boom')"))


def test_gold_calls_of_another_environment_are_played(bench):
    played = []

    def replay(task, calls):
        played.append([call.name for call in calls])
        return Submission(bench.part(task.reference), Outcome.OK)

    bench.replay = replay
    task = replace(TASK, env="mesh", meta={"gold": CALLS})
    assert lint(task, bench.judge, workbench=bench).findings == ()
    assert played == [["fill_holes"]]


def test_without_a_workspace_gold_calls_are_not_checked_and_lint_says_so(bench):
    task = replace(TASK, env="mesh", meta={"gold": CALLS})
    (finding,) = lint(task, bench.judge, workbench=bench).findings
    assert finding.code == "gold_unchecked"


def test_gold_calls_that_name_what_is_not_there_are_an_error(bench):
    def replay(task, calls):
        raise UsageError("nothing on the screen is called 'Extrude'")

    bench.replay = replay
    task = replace(TASK, env="browser", meta={"gold": CALLS})
    (finding,) = lint(task, bench.judge, workbench=bench).findings
    assert (finding.code, finding.level) == ("gold_fails", "error")


@pytest.mark.parametrize("env", WORKSPACES)
def test_gold_calls_are_played_with_the_pictures_that_their_environment_needs(env, monkeypatch):
    made = {}
    monkeypatch.setattr(
        workspaces, "make_workspace", lambda task, runtime, **settings: made.update(settings)
    )
    workspaces.gold_workspace(replace(TASK, env=env), runtime=None)
    assert made == ({} if env == "cad" else {"has_pictures": False})


def test_calls_are_played_once(bench):
    bench.replay = lambda task, calls: Submission(bench.part(task.reference), Outcome.OK)
    calls = (ToolCall("fill_holes", {}),)
    assert bench.play(TASK, calls) is bench.play(TASK, calls)
