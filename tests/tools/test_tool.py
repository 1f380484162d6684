import math
from typing import Annotated, Literal

import pytest

from cadwright.tools.errors import Outcome, ToolError
from cadwright.tools.tool import (
    Range,
    ToolCall,
    ToolResult,
    Toolset,
    check_arguments,
    spec_of,
    tool,
)


class Bench:
    """A workspace with two tools."""

    @tool
    def drill(
        self,
        diameter: Annotated[float, Range(0.1, 50)],
        side: Literal["top", "bottom"] = "top",
        faces: list[int] | None = None,
    ) -> ToolResult:
        """Drill a hole.

        Goes right through.

        Args:
            diameter: Diameter in mm.
            side: Where to start.
            faces: Faces to go through.
        """
        return ToolResult("drill", f"{diameter} {side} {faces}")

    @tool
    def fail(self) -> ToolResult:
        """Always refuse."""
        raise ToolError("the drill is blunt: sharpen it", Outcome.NO_RESULT)

    def not_a_tool(self) -> None:
        """Stay hidden from the policy."""


def call(name: str, **arguments: object) -> ToolResult:
    return Toolset(Bench()).call(ToolCall(name, arguments, "c1"))


def test_schema_comes_from_hints_and_docstring() -> None:
    spec = Toolset(Bench()).specs[0]
    assert spec.name == "drill"
    assert spec.description == "Drill a hole.\n\nGoes right through."
    assert spec.parameters == {
        "type": "object",
        "properties": {
            "diameter": {
                "type": "number",
                "minimum": 0.1,
                "maximum": 50,
                "description": "Diameter in mm.",
            },
            "side": {
                "type": "string",
                "enum": ["top", "bottom"],
                "description": "Where to start.",
                "default": "top",
            },
            "faces": {
                "type": "array",
                "items": {"type": "integer"},
                "description": "Faces to go through.",
            },
        },
        "required": ["diameter"],
        "additionalProperties": False,
    }


def test_only_marked_methods_are_offered() -> None:
    assert [s.name for s in Toolset(Bench()).specs] == ["drill", "fail"]


def test_allowed_names_limit_the_tools() -> None:
    assert [s.name for s in Toolset(Bench(), ["fail"]).specs] == ["fail"]


def test_tools_are_offered_in_the_order_in_which_they_are_allowed() -> None:
    assert [s.name for s in Toolset(Bench(), ["fail", "drill"]).specs] == ["fail", "drill"]
    assert [s.name for s in Toolset(Bench(), {"fail", "drill"}).specs] == ["drill", "fail"]


def test_an_unknown_allowed_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(ToolError, match=r"'dril' \(did you mean 'drill'\?\)"):
        Toolset(Bench(), ["dril"])


def test_a_good_call_runs_and_carries_its_id() -> None:
    result = call("drill", diameter=3, faces=[1])
    assert (result.text, result.outcome, result.call_id) == ("3 top [1]", Outcome.OK, "c1")


def test_a_tool_error_becomes_the_result() -> None:
    result = call("fail")
    assert result.outcome is Outcome.NO_RESULT
    assert result.text == "error: the drill is blunt: sharpen it"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "missing argument 'diameter'"),
        ({"diameter": "3"}, "diameter must be of type number, not '3'"),
        ({"diameter": True}, "diameter must be of type number, not True"),
        ({"diameter": 99}, "diameter is 99, allowed: 0.1 to 50"),
        ({"diameter": math.nan}, "diameter must be a finite number, not nan"),
        ({"diameter": math.inf}, "diameter is inf, allowed: 0.1 to 50"),
        ({"diameter": 3, "side": "topp"}, "did you mean 'top'"),
        ({"diameter": 3, "sidee": "top"}, "unknown argument 'sidee' .did you mean 'side'"),
        ({"diameter": 3, "faces": ["a"]}, "faces.0 must be of type integer, not 'a'"),
        ([3], "arguments must be an object with named fields, not list"),
    ],
    ids=str,
)
def test_a_bad_call_names_field_value_and_allowed(arguments: object, message: str) -> None:
    spec = Toolset(Bench()).specs[0]
    with pytest.raises(ToolError, match=message):
        check_arguments(spec, arguments)


def test_all_faults_are_named_at_once() -> None:
    text = call("drill", side="left", depth=2).text
    assert "depth" in text
    assert "diameter" in text
    assert "left" in text


def test_an_unknown_tool_lists_the_tools() -> None:
    result = call("grill")
    assert result.outcome is Outcome.BAD_CALL
    assert result.text == (
        "error: there is no tool 'grill' (did you mean 'drill'?): available are drill, fail"
    )


def no_docstring(size: int) -> ToolResult:
    return ToolResult("x", str(size))


def undescribed(size: int) -> ToolResult:
    """Do it."""
    return ToolResult("x", str(size))


def odd_type(size: dict[str, int]) -> ToolResult:
    """Do it.

    Args:
        size: How big.
    """
    return ToolResult("x", str(size))


def too_many(a: int, b: int, c: int, d: int, e: int, f: int) -> ToolResult:
    """Do it."""
    return ToolResult("x", str(a + b + c + d + e + f))


@pytest.mark.parametrize("function", [no_docstring, undescribed, odd_type, too_many])
def test_a_tool_that_a_model_could_not_use_fails_at_import(function: object) -> None:
    with pytest.raises(TypeError, match=r"docstring|description|type|at most"):
        spec_of(function)  # type: ignore[arg-type]


def test_missing_arguments_are_named_once():
    class Loader:
        @tool
        def load(self, text: str, fmt: str) -> ToolResult:
            """Load a mesh.

            Args:
                text: What the file holds.
                fmt: Its format.
            """
            return ToolResult("load", text + fmt)

    (spec,) = Toolset(Loader()).specs
    with pytest.raises(ToolError) as caught:
        check_arguments(spec, {})
    assert str(caught.value).count("'text', 'fmt'") == 1
