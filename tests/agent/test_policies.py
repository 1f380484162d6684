from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_fakes import FakeTools, make_task
from hypothesis import given
from hypothesis import strategies as st

from cadwright.agent.evaluation.plan import plan
from cadwright.agent.messages import AssistantTurn, Conversation, Message
from cadwright.agent.policies import make_policy
from cadwright.agent.policies.policy import Policy
from cadwright.agent.policies.random import RandomPolicy
from cadwright.agent.policies.replay import ReplayPolicy, read_programs
from cadwright.agent.policies.scripted import ScriptedPolicy, parse_turns, read_script
from cadwright.envs.task import Task
from cadwright.tools.errors import TaskError, UsageError
from cadwright.tools.tool import TextBlock, ToolCall, Toolset


def turns_of(policy: Policy, number: int = 3) -> list[AssistantTurn]:
    conversation = Conversation([Message("user", (TextBlock("go"),))])
    turns = []
    for _ in range(number):
        turns.append(policy.act(conversation, Toolset(FakeTools()).specs))
        conversation.append(turns[-1].as_message())
    return turns


def test_unknown_policy_names_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="did you mean 'expert'"):
        make_policy("experrt")


@pytest.mark.parametrize("spec", ["expert:x", "random:3", "replay", "replay:", "replay:nowhere"])
def test_wrong_argument_is_a_usage_error(spec: str) -> None:
    with pytest.raises(UsageError):
        make_policy(spec)


def test_a_name_after_tiny_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(UsageError, match=r"as in tiny:\?tier=fast: tiny:x"):
        make_policy("tiny:x")


def test_expert_runs_the_gold_program_and_submits() -> None:
    policy = make_policy("expert")
    policy.reset(make_task("box"), 0)
    execute, submit, end = turns_of(policy)
    assert execute.tool_calls[0].arguments == {"code": "good box"}
    assert submit.tool_calls[0].name == "submit"
    assert end.is_stop


def test_expert_hands_in_a_gold_part_on_the_privileged_path(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(b"solid")
    task = make_task(meta={"gold": {"file": str(tmp_path / "part.stl")}})
    policy = make_policy("expert")
    policy.reset(task, 0)
    (turn,) = turns_of(policy, 1)
    assert turn.gold is not None
    assert turn.gold.format == "stl"
    assert policy.is_privileged


def test_expert_of_a_task_without_gold_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no gold"):
        make_policy("expert").reset(make_task(meta={}), 0)


def test_expert_learns_nothing_from_the_public_half() -> None:
    with pytest.raises(UsageError, match="no gold"):
        make_policy("expert").reset(make_task().public(), 0)


def test_replay_reads_the_variants_of_a_jsonl_file(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "prompt_kind": "abstract", "program": "1"},
        {"id": "a", "prompt_kind": "detailed", "program": "2"},
        {"id": 7, "code": "3"},
    ]
    path = tmp_path / "programs.jsonl"
    path.write_text("\n\n".join(map(json.dumps, rows)), encoding="utf-8")
    policy = make_policy(f"replay:{path}")
    assert policy.variants(Task(id="a", brief="b")) == ("abstract", "detailed")
    assert policy.variants(Task(id="7", brief="b")) == ("",)
    assert policy.variants(Task(id="unknown", brief="b")) == ()


def test_expert_has_nothing_for_a_task_without_a_gold_answer() -> None:
    golden = Task(id="a", brief="b", meta={"gold": {"program": "result = 1"}})
    works = plan([golden, Task(id="c", brief="d")], make_policy("expert"))
    assert [work.task.id for work in works] == ["a"]


def test_replay_numbers_rows_without_a_variant(tmp_path: Path) -> None:
    path = tmp_path / "programs.jsonl"
    path.write_text('{"id": "a", "code": "1"}\n{"id": "a", "code": "2"}\n', encoding="utf-8")
    assert read_programs(path) == {"a": {"": "1", "2": "2"}}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        ('{"program": "x"}', "no `id`"),
        ('{"id": "a"}', "no text in any of program"),
        ('{"id": "b", "variant": "x", "code": "1"}', "has variant 'x' already"),
    ],
    ids=["broken", "list", "no-id", "no-program", "duplicate"],
)
def test_unusable_line_is_named_by_its_number(tmp_path: Path, line: str, fault: str) -> None:
    path = tmp_path / "programs.jsonl"
    path.write_text('{"id": "b", "variant": "x", "code": "0"}\n' + line, encoding="utf-8")
    with pytest.raises(UsageError, match=f"programs.jsonl:2: .*{fault}"):
        read_programs(path)


def test_replay_reads_a_folder_of_both_layouts(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("1", encoding="utf-8")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "program.py").write_text("# Ø\n2", encoding="utf-8")
    assert read_programs(tmp_path) == {"one": {"": "1"}, "two": {"": "# Ø\n2"}}


def test_digest_of_replay_follows_the_programs() -> None:
    first, same = ReplayPolicy({"a": {"": "1"}}), ReplayPolicy({"a": {"": "1"}})
    other = ReplayPolicy({"a": {"": "2"}})
    assert first.digest == same.digest != other.digest


def test_replay_of_an_unknown_variant_says_which_there_are() -> None:
    policy = ReplayPolicy({"box": {"abstract": "1"}})
    with pytest.raises(UsageError, match="it has 'abstract'"):
        policy.reset(make_task("box"), 0, "detailed")


def test_script_of_the_task_is_played_in_order() -> None:
    demo = [
        {"text": "first", "calls": [{"name": "execute", "arguments": {"code": "x"}}]},
        {"calls": [{"name": "submit"}]},
    ]
    policy = make_policy("scripted")
    policy.reset(make_task(meta={"demo": demo}), 0)
    first, second, end = turns_of(policy)
    assert first.text == "first"
    assert first.tool_calls == (ToolCall("execute", {"code": "x"}, "1.1"),)
    assert second.tool_calls[0].name == "submit"
    assert end.is_stop


def test_only_a_script_from_the_task_is_privileged() -> None:
    assert ScriptedPolicy().is_privileged
    assert not ScriptedPolicy([AssistantTurn("")]).is_privileged


def test_script_file_may_be_yaml(tmp_path: Path) -> None:
    path = tmp_path / "script.yaml"
    path.write_text("- text: hello\n- calls:\n  - {name: submit}\n", encoding="utf-8")
    assert [turn.text for turn in read_script(path)] == ["hello", ""]


@pytest.mark.parametrize("data", [3, "text", [3], [{"calls": 3}], [{"calls": [{"nom": "x"}]}]])
def test_misshapen_script_says_where(data: object) -> None:
    with pytest.raises(UsageError, match="here"):
        parse_turns(data, where="here")


@given(seed=st.integers(0, 1000))
def test_random_policy_repeats_for_a_seed(seed: int) -> None:
    first, second = RandomPolicy(), RandomPolicy()
    first.reset(make_task(), seed)
    second.reset(make_task(), seed)
    assert repr(turns_of(first, 5)) == repr(turns_of(second, 5))


def test_random_policy_makes_good_and_bad_calls() -> None:
    policy = RandomPolicy()
    policy.reset(make_task(), 0)
    calls = [call for turn in turns_of(policy, 60) for call in turn.tool_calls]
    tools = Toolset(FakeTools())
    outcomes = {tools.call(call).outcome.value for call in calls}
    assert {"ok", "bad_call", "python_error"} <= outcomes


def test_missing_gold_file_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone.py"
    policy = make_policy("expert")
    with pytest.raises(TaskError, match=r"gone\.py"):
        policy.reset(make_task(meta={"gold": {"file": str(gone)}}), 0)
