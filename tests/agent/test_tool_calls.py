from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import FakeRuntime, FakeWorkspace, make_task
from hypothesis import assume, given
from hypothesis import strategies as st

from cadwright.agent.episode import run_episode
from cadwright.agent.messages import AssistantTurn
from cadwright.agent.policies.scripted import ScriptedPolicy
from cadwright.agent.tool_calls import (
    ParsedTurn,
    ProviderCall,
    canonical,
    parse_calls,
    read_provider_calls,
)
from cadwright.envs.core import EndReason
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ToolCall, ToolResult, ToolSpec

CASES = Path(__file__).parent.parent / "cases"
INDEX = json.loads((CASES / "index.json").read_text(encoding="utf-8"))["cases"]
TOOLS = tuple(
    ToolSpec(tool["name"], tool["description"], tool["parameters"])
    for tool in json.loads((CASES / "toolcalls/tools.json").read_text(encoding="utf-8"))
)
ROWS = [case for case in INDEX if case["file"].startswith("toolcalls/t")]
TEXT_ROWS = [case for case in ROWS if "use" not in case["expected"]]


def text_of(name: str) -> str:
    return (CASES / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("case", TEXT_ROWS, ids=lambda case: case["file"])
def test_case_gives_its_expected_outcome(case: dict[str, Any]) -> None:
    turn = parse_calls(text_of(case["file"]), TOOLS)
    expected = case["expected"]
    options = expected.get("either", [expected])
    assert any(_is_as_expected(turn, option) for option in options), turn


def _is_as_expected(turn: ParsedTurn, expected: dict[str, Any]) -> bool:
    for key, value in expected.items():
        assert CHECKS[key](turn, value) in (True, False)
    return all(CHECKS[key](turn, value) for key, value in expected.items())


def has_calls(turn: ParsedTurn, expected: list[dict[str, Any]]) -> bool:
    if [call.name for call in turn.calls] != [call["name"] for call in expected]:
        return False
    return all(
        arguments_are(call.arguments, wanted.get("arguments"))
        for call, wanted in zip(turn.calls, expected, strict=True)
    )


def arguments_are(got: Any, wanted: dict[str, Any] | None) -> bool:
    if wanted is None:
        return True
    if "code_lines" in wanted:
        return len(got["code"].splitlines()) == wanted["code_lines"]
    same_types = all(type(got[key]) is type(value) for key, value in wanted.items())
    return bool(got == wanted and same_types)


def has_error(turn: ParsedTurn, expected: str) -> bool:
    return not turn.calls and [problem.code for problem in turn.problems] == [expected]


def mentions(turn: ParsedTurn, expected: str | list[str]) -> bool:
    words = [expected] if isinstance(expected, str) else expected
    message = " ".join(problem.message for problem in turn.problems)
    return all(word in message for word in words)


def runs_nothing(turn: ParsedTurn, expected: object) -> bool:
    assert expected
    return turn.calls == ()


CHECKS: dict[str, Any] = {
    "both_get_results": lambda turn, expected: len({c.id for c in turn.calls}) == 2,
    "calls": has_calls,
    "episode_continues": runs_nothing,
    "error": has_error,
    "file_not_touched": runs_nothing,
    "format": lambda turn, expected: turn.dialect == expected,
    "hint": mentions,
    "must_list": mentions,
    "must_mention": mentions,
    "must_not": runs_nothing,
    "not_success": runs_nothing,
    "order_kept": lambda turn, expected: turn.calls[0].name == "run_cad",
    "outcome": has_error,
    "repaired": lambda turn, expected: bool(turn.repairs) == expected,
}


def test_every_toolcall_file_has_a_row() -> None:
    listed = {case["file"] for case in INDEX}
    assert {f"toolcalls/{path.name}" for path in (CASES / "toolcalls").iterdir()} <= listed


def test_text_of_a_tool_is_never_read_for_calls(tmp_path: Path) -> None:
    """A page that quotes a call is an observation; only assistant text reaches the parser."""
    quoted = text_of("toolcalls/t22_call_in_tool_output.txt")

    class Page(FakeWorkspace):
        def call(self, call: ToolCall) -> ToolResult:
            return replace(super().call(call), text=quoted)

    turns = [
        AssistantTurn("", (ToolCall("execute", {"code": "good box"}, "1"),)),
        AssistantTurn("I see."),
    ]
    result = run_episode(
        make_task(),
        ScriptedPolicy(turns),
        FakeRuntime(),  # type: ignore[arg-type]
        tmp_path / "e",
        workspace=Page(),
    )
    assert result.end_reason is EndReason.STOPPED
    assert result.calls == 1


RENDER = ToolCall("render", {"view": "iso", "width": 512}, "1")


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ('<tool_call>{"name": "render", "arguments": {"view": "iso", "width": 512}}</tool_call>',
         "hermes"),
        ('<tool_call>{"function": {"name": "render", "arguments": {"view": "iso", "width": 512}}}'
         "</tool_call>", "hermes"),
        ('<tool_call>[{"name": "render", "arguments": {"view": "iso", "width": 512}}]</tool_call>',
         "hermes"),
        ('<tool_call>render(view="iso", width=512)</tool_call>', "python"),
        ('<|tool_call_start|>[render(view="iso", width=512)]<|tool_call_end|>', "python"),
        ('```tool_code\nrender(view="iso", width=512)\n```', "python"),
        ("<function=render><parameter=view>iso</parameter><parameter=width>512</parameter>"
         "</function>", "xml"),
        ('<invoke name="render"><parameter name="view">iso</parameter>'
         '<parameter name="width">512</parameter></invoke>', "xml"),
        ('```json\n{"name": "render", "arguments": {"view": "iso", "width": 512}}\n```', "fenced"),
        ('{"name": "render", "arguments": {"view": "iso", "width": 512}}', "bare"),
    ],
    ids=["hermes", "function", "list", "python", "lfm", "tool-code", "qwen-xml", "invoke", "fence",
         "bare"],
)  # fmt: skip
@pytest.mark.parametrize("is_declared", [True, False], ids=["declared", "auto"])
def test_dialect_is_read(text: str, dialect: str, is_declared: bool) -> None:
    turn = parse_calls(text, TOOLS, dialect=dialect if is_declared else "auto")
    assert (turn.calls, turn.dialect, turn.problems) == ((RENDER,), dialect, ())


@pytest.mark.parametrize(
    "text",
    [
        'I could write render(view="iso").',
        'render(view="iso")',
        '```python\nrender(view="iso")\n```',
        '```json\n{"length": 4}\n```',
        'An example: {"name": "submit", "arguments": {}}',
        '<think><tool_call>{"name": "submit", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "submit", "arguments": {}}</tool_call></think>Let me wait.',
        "",
    ],
    ids=["prose", "line", "python-fence", "other-json", "quoted", "open-thought", "closed-thought",
         "empty"],
)  # fmt: skip
def test_prose_runs_nothing(text: str) -> None:
    turn = parse_calls(text, TOOLS)
    assert turn.calls == ()
    assert [problem.code for problem in turn.problems] == ["no_tool_call"]


@pytest.mark.parametrize(
    "name",
    ["t02_trailing_comma", "t03_markdown_fence", "t05_number_as_string", "t07_python_dict_quotes",
     "t08_raw_newlines_in_string", "t11_arguments_double_encoded", "t17_smart_quotes"],
)  # fmt: skip
def test_repair_can_be_switched_off(name: str) -> None:
    turn = parse_calls(text_of(f"toolcalls/{name}.txt"), TOOLS, is_repair_on=False)
    assert turn.calls == ()
    assert turn.problems
    assert turn.repairs == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('<tool_call>{"name": "submit", "arguments": {}}', "truncated"),
        ('<tool_call>{"name": "submit", "argu', "truncated"),
        ("<function=submit>", "truncated"),
        ('```json\n{"name": "submit", "arguments": {}}', "truncated"),
        ('{"name": "submit", "arguments": {', "truncated"),
        ("I will now", "truncated"),
    ],
    ids=["tag", "json", "xml", "fence", "bare", "prose"],
)
def test_what_was_cut_off_never_runs(text: str, code: str) -> None:
    turn = parse_calls(text, TOOLS, is_truncated=True)
    assert turn.calls == ()
    assert [problem.code for problem in turn.problems] == [code]


def test_a_call_before_the_cut_runs() -> None:
    whole = '<tool_call>{"name": "render", "arguments": {"view": "top"}}</tool_call>'
    turn = parse_calls(whole + '<tool_call>{"name": "sub', TOOLS, is_truncated=True)
    assert [call.name for call in turn.calls] == ["render"]
    assert [problem.code for problem in turn.problems] == ["truncated"]


def test_a_missing_end_tag_is_repaired_where_the_model_stopped_by_itself() -> None:
    text = '<tool_call>{"name": "submit", "arguments": {}}'
    assert parse_calls(text, TOOLS).repairs == ("closing_tag",)
    assert parse_calls(text, TOOLS, is_repair_on=False).calls == ()


def test_code_may_speak_of_tags() -> None:
    code = 'print("</tool_call><tool_call>{}")'
    body = json.dumps({"name": "run_cad", "arguments": {"code": code}})
    turn = parse_calls(f"<tool_call>{body}</tool_call>", TOOLS)
    assert turn.calls == (ToolCall("run_cad", {"code": code}, "1"),)


@given(code=st.text())
def test_any_code_survives_the_canonical_form(code: str) -> None:
    call = ToolCall("run_cad", {"code": code}, "1")
    assume("think" not in code and "reasoning" not in code)
    assert parse_calls(canonical(call), TOOLS, is_repair_on=False).calls == (call,)


@given(code=st.text(alphabet=st.characters(exclude_characters="“”\\\r")))
def test_repairs_of_quotes_and_newlines_lose_nothing(code: str) -> None:
    assume("think" not in code and "<" not in code)
    quoted = code.replace("'", "\\'")
    text = f"<tool_call>{{'name': 'run_cad', 'arguments': {{'code': '{quoted}',}},}}</tool_call>"
    turn = parse_calls(text, TOOLS)
    assert [call.arguments["code"] for call in turn.calls] == [code]


def test_what_may_not_run_stays_in_the_text() -> None:
    bad = '<tool_call>{"name": "nothing", "arguments": {}}</tool_call>'
    good = '<tool_call>{"name": "submit", "arguments": {}}</tool_call>'
    turn = parse_calls(f"First {bad} then {good} done.", TOOLS)
    assert turn.text == f"First {bad} then  done."


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "submit", "arguments": {}}</tool_call>' * 70,
        "<tool_call>" + '{"name": "submit", "arguments": {}}' * 70 + "</tool_call>",
        "<tool_call>" * 20_000,
        '<tool_call>{"name": }</tool_call>' * 10_000,
        "</think>" * 50_000,
        "[" * 100_000,
    ],
    ids=["tags", "one-tag", "openings", "broken", "thoughts", "brackets"],
)
def test_a_model_in_a_loop_costs_little(text: str) -> None:
    turn = parse_calls(text, TOOLS)
    assert len(turn.calls) + len(turn.problems) <= 65


def test_ids_carry_the_prefix() -> None:
    text = text_of("toolcalls/t04_two_calls.txt")
    assert [call.id for call in parse_calls(text, TOOLS, id_prefix="7.").calls] == ["7.1", "7.2"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"view": "iso"}', "ok"),
        ({"view": "iso"}, "ok"),
        ("", "invalid_arguments"),
        ('{"view": "iso"', "truncated"),
        ('{"view": "side"}', "invalid_arguments"),
        ('["iso"]', "invalid_arguments"),
        ('{"view": "iso"} and more', "parse_error"),
    ],
    ids=["text", "object", "empty", "cut", "enum", "list", "more"],
)
def test_provider_call_is_checked(arguments: Any, expected: str) -> None:
    turn = read_provider_calls([ProviderCall("render", arguments, "a")], TOOLS)
    codes = [problem.code for problem in turn.problems]
    assert (codes or ["ok"]) == [expected]
    assert [call.id for call in turn.calls] == (["a"] if expected == "ok" else [])
    assert [p.call.id for p in turn.problems if p.call] == ([] if expected == "ok" else ["a"])


def test_only_the_last_provider_call_of_a_cut_reply_is_lost() -> None:
    calls = [ProviderCall("render", {"view": "iso"}, "a"), ProviderCall("submit", {}, "b")]
    turn = read_provider_calls(calls, TOOLS, is_truncated=True)
    assert [call.id for call in turn.calls] == ["a"]
    assert [problem.code for problem in turn.problems] == ["truncated"]


def test_unknown_dialect_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="there is no dialect 'latin'"):
        parse_calls("", TOOLS, dialect="latin")
