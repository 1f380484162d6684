from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cadwright.agent.tool_calls import ParsedTurn, parse_calls
from cadwright.tools.tool import ToolSpec

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
