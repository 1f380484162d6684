import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.envs.actions import parse_turn
from cadwright.envs.core import MAX_CALLS_PER_TURN
from cadwright.tools.errors import ToolError, UsageError


def test_one_call_and_a_list_of_calls_parse_in_order() -> None:
    one = {"name": "execute", "arguments": {"code": "x = 1\n"}}
    assert parse_turn(json.dumps(one))[0].arguments == {"code": "x = 1\n"}
    two = parse_turn(json.dumps([one, {"name": "submit"}]))
    assert [c.name for c in two] == ["execute", "submit"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no tool call"),
        ("done", "not JSON"),
        ("[]", "0 calls in one turn"),
        ("3", "not an object with a name"),
        ('{"arguments": {}}', "not an object with a name"),
        ('{"name": "a", "name": "submit"}', "'name' appears twice"),
        ('{"name": "a", "arguments": {"x": NaN}}', "NaN is not a number"),
        ('{"name": "a", "args": {}}', "unknown field 'args'"),
        ("[" * 100_000, "nested too deeply"),
        (json.dumps([{"name": "a"}] * (MAX_CALLS_PER_TURN + 1)), f"{MAX_CALLS_PER_TURN + 1} calls"),
    ],
)
def test_a_bad_action_says_what_to_write(text: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        parse_turn(text)


@given(st.text())
def test_any_text_is_calls_or_a_tool_error(text: str) -> None:
    with contextlib.suppress(ToolError):
        assert all(isinstance(call.name, str) for call in parse_turn(text))


@pytest.mark.parametrize("value", [None, 3, {"name": "submit"}, b"{}"])
def test_what_is_no_text_is_the_trainers_mistake(value: object) -> None:
    with pytest.raises(UsageError, match=f"an action is JSON text, not {type(value).__name__}"):
        parse_turn(value)  # type: ignore[arg-type]
