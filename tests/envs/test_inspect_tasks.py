"""A task that asks for a number, through the real workspace, loop and judge."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cadwright.agent.episode import run_episode
from cadwright.agent.policies import make_policy
from cadwright.envs.cad import CadWorkspace
from cadwright.envs.core import EndReason
from cadwright.envs.lint import lint
from cadwright.envs.sources import GeometrySource
from cadwright.envs.task import Task
from cadwright.envs.task_record import FieldError, task_from_json
from cadwright.tools.answering import ANSWER_TOOLS
from cadwright.tools.errors import Outcome
from cadwright.tools.tool import TextBlock, ToolCall

BLOCK = GeometrySource("import cadquery as cq\nresult = cq.Workplane().box(30, 20, 10)")
TASK = Task(
    id="test/volume",
    brief="Given is a block. What is its volume, in mm³?",
    start=BLOCK,
    reference=BLOCK,
    answer={"value": 6000.0, "unit": "mm3", "tolerance": 0.005, "about": "volume"},
    meta={"gold": {"calls": [{"name": "answer", "arguments": {"value": 6000.0}}]}},
)


@pytest.fixture
def workspace(runtime):
    opened = CadWorkspace(runtime, 128)
    opened.reset(TASK, 0)
    yield opened
    opened.close()


def test_the_part_can_be_measured_and_no_part_be_handed_in(workspace):
    assert tuple(spec.name for spec in workspace.tools()) == ANSWER_TOOLS
    result = workspace.call(ToolCall("measure", {}))
    assert "6000" in result.text.replace(",", "").replace(" ", "")


def test_the_first_observation_does_not_tell_the_answer(runtime):
    opened = CadWorkspace(runtime, 128)
    blocks = opened.reset(TASK, 0)
    opened.close()
    assert not any("6000" in block.text for block in blocks if isinstance(block, TextBlock))


def test_an_answer_ends_the_task_and_is_scored(workspace, runtime):
    result = workspace.call(ToolCall("answer", {"value": 6010.0}))
    assert result.is_final
    submission = workspace.finish()
    assert (submission.answer, submission.outcome) == (6010.0, Outcome.OK)
    assert runtime.score(TASK, submission).value == 1.0


def test_a_wrong_answer_earns_little(workspace, runtime):
    workspace.call(ToolCall("answer", {"value": 60.0}))
    assert runtime.score(TASK, workspace.finish()).value < 0.01


def test_no_answer_earns_nothing_whatever_was_modelled(workspace, runtime):
    workspace.call(ToolCall("execute", {"code": "result = result.faces('>Z').chamfer(1)"}))
    submission = workspace.finish()
    assert submission.outcome is Outcome.NO_RESULT
    assert runtime.score(TASK, submission).value == 0.0


@pytest.mark.parametrize("value", ["6000", None, True, float("nan")])
def test_what_is_no_number_is_answered_and_nothing_ends(workspace, value):
    result = workspace.call(ToolCall("answer", {"value": value}))
    assert result.outcome is Outcome.BAD_CALL
    assert not result.is_final


def test_the_expert_answers_and_earns_all(runtime, tmp_path):
    result = run_episode(TASK, make_policy("expert"), runtime, tmp_path / "episode")
    assert result.end_reason is EndReason.SUBMITTED
    assert result.score is not None
    assert result.score.value == 1.0


def test_a_task_without_a_question_has_no_such_tool(runtime):
    plain = replace(TASK, answer=None, meta={})
    workspace = CadWorkspace(runtime, 128)
    workspace.reset(plain, 0)
    assert "answer" not in {spec.name for spec in workspace.tools()}
    workspace.close()


def test_lint_finds_nothing_wrong_with_it(runtime):
    assert lint(TASK, runtime.judge, runtime.sandbox).findings == ()


def test_lint_finds_a_gold_answer_that_is_wrong(runtime):
    gold = {"calls": [{"name": "answer", "arguments": {"value": 1.0}}]}
    wrong = replace(TASK, meta={"gold": gold})
    codes = [finding.code for finding in lint(wrong, runtime.judge, runtime.sandbox).errors]
    assert codes == ["gold_score"]


def test_the_right_number_is_hidden():
    assert "6000" not in repr(TASK)
    assert not hasattr(TASK.public(), "answer")


def test_a_bare_number_in_a_task_file_is_a_count():
    task = task_from_json({"id": "t", "brief": "How many holes?", "answer": 6})
    assert task.answer == {"value": 6}


@pytest.mark.parametrize("answer", ["six", {"value": "6"}, {"value": 6, "untis": "mm"}, True])
def test_an_answer_that_cannot_be_used_is_refused(answer):
    with pytest.raises(FieldError, match="answer"):
        task_from_json({"id": "t", "brief": "How many holes?", "answer": answer})
