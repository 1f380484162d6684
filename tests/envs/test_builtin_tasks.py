"""The built-in tasks, and the published sets where they are at hand, through the real workers."""

import os
from dataclasses import replace

import pytest

from cadwright.envs.lint import lint
from cadwright.envs.sources import GeometrySource
from cadwright.envs.suites import load_tasks, written_suites
from cadwright.rewards.judge import Judge
from cadwright.tools.sandbox import Sandbox

TASKS = [t for name in written_suites() for t in load_tasks(name) if t.env == "cad"]


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


@pytest.fixture(scope="module")
def judge(sandbox):
    return Judge(sandbox.worker("cadwright.rewards.jobs"))


def published(spec):
    root = os.environ.get("CADWRIGHT_DATA")
    if not root:
        pytest.skip("CADWRIGHT_DATA does not name a folder with the data sets")
    return load_tasks(spec.format(root))


def error_codes(report):
    return {finding.code for finding in report.errors}


@pytest.mark.parametrize("task", TASKS, ids=[task.id for task in TASKS])
def test_a_built_in_task_is_clean_and_its_gold_scores_one(task, judge, sandbox):
    assert lint(task, judge, sandbox).findings == ()


@pytest.mark.parametrize("task", TASKS, ids=[task.id for task in TASKS])
def test_the_bounding_box_of_a_built_in_task_is_no_answer(task, judge, sandbox):
    x, y, z = task.meta["expect"]["size_mm"]
    box = f"""import cadquery as cq
result = cq.Workplane().box({x}, {y}, {z}, centered=(True, True, False))"""
    report = lint(replace(task, meta={"gold": {"program": box}}), judge, sandbox)
    assert error_codes(report) == {"gold_score"}


def test_the_demo_without_its_correction_is_no_answer(judge, sandbox):
    (task,) = load_tasks("demo")
    mistake = GeometrySource(task.demo[0].arguments["code"])
    report = lint(replace(task, meta={"gold": mistake.to_json()}), judge, sandbox)
    assert error_codes(report) == {"gold_score"}


def test_cadgenbench_is_clean_but_for_the_open_shell(judge, sandbox):
    suite = published("cadgenbench:{}/cadgenbench?kind=all")
    bad = [task.id for task in suite if not lint(task, judge, sandbox).is_clean]
    assert bad == ["open_shell"]


@pytest.mark.slow
def test_two_truths_of_cadprompt_cannot_carry_a_score(judge):
    suite = published("cadprompt:{}/cadprompt")
    bad = [task.id for task in suite if "reference_unscorable" in error_codes(lint(task, judge))]
    assert bad == ["00522865", "00980412"]


@pytest.mark.slow
def test_every_truth_of_cadqueryeval_scores_one_against_itself(judge):
    suite = published("cadqueryeval:{}/cadqueryeval")
    assert all(lint(task, judge).is_clean for task in suite)
