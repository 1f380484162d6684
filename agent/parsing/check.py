"""Decides whether a call that was read may run: its tool exists and its arguments fit."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cadwright.agent.messages import CallProblem
from cadwright.agent.parsing.bodies import RawCall
from cadwright.agent.parsing.reader import Reader, Unreadable
from cadwright.tools.errors import ToolError
from cadwright.tools.tool import ToolCall, ToolSpec, check_arguments

Tools = Mapping[str, ToolSpec]


@dataclass(frozen=True, slots=True)
class Checked:
    """A call that may run, or the problem with it."""

    call: ToolCall | None
    problem: CallProblem | None
    repairs: frozenset[str] = frozenset()


def by_name(tools: Sequence[ToolSpec]) -> Tools:
    """Return the tools by name; a schema that names nothing as required says so."""
    return {
        spec.name: ToolSpec(
            spec.name,
            spec.description,
            {"properties": {}, "required": [], **spec.parameters},
        )
        for spec in tools
    }


def check(raw: RawCall, tools: Tools, *, is_repair_on: bool, call_id: str) -> Checked:
    """Return the call with arguments of the right types, or why it may not run."""
    name = raw.name
    if not isinstance(name, str):
        return _refused("parse_error", f"the name of a tool is a text, not {name!r}"[:200])
    if name not in tools:
        return _refused("unknown_tool", unknown_tool(name, tools), name)
    spec = tools[name]
    repairs = set(raw.repairs)
    try:
        arguments = _arguments(raw, spec, repairs, is_repair_on)
        check_arguments(spec, arguments)
    except Unreadable as error:
        return _refused("invalid_arguments", f"{name}: {error}", name)
    except ToolError as error:
        return _refused("invalid_arguments", str(error), name)
    return Checked(ToolCall(name, arguments, call_id), None, frozenset(repairs))


def unknown_tool(name: str, tools: Tools) -> str:
    """Return the answer to a call of a tool that there is not."""
    near = difflib.get_close_matches(name, tools, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"there is no tool {name[:60]!r}{hint}: available are {', '.join(tools)}"


def _refused(code: Any, message: str, name: str = "") -> Checked:
    return Checked(None, CallProblem(code, message, name))


def _arguments(
    raw: RawCall, spec: ToolSpec, repairs: set[str], is_repair_on: bool
) -> dict[str, Any]:
    arguments = raw.arguments
    if isinstance(arguments, str) and is_repair_on:
        arguments = _decoded(arguments, repairs)
    if not isinstance(arguments, Mapping):
        check_arguments(spec, arguments)
    schemas = spec.parameters["properties"]
    if raw.is_text:
        return {key: _typed(text, schemas.get(key, {})) for key, text in arguments.items()}
    if not is_repair_on:
        return dict(arguments)
    return {key: _coerced(value, schemas.get(key, {}), repairs) for key, value in arguments.items()}


def _decoded(text: str, repairs: set[str]) -> Any:
    """Return arguments that were encoded twice; the text itself where they were not."""
    if not text.lstrip().startswith("{"):
        return text
    reader = Reader(text.rstrip(), is_lenient=True)
    value = reader.value()
    if reader.at != len(reader.text):
        raise Unreadable(f"text beside the arguments {reader.where()}")
    repairs |= {"double_encoded", *reader.repairs}
    return value


def _typed(text: str, schema: Mapping[str, Any]) -> Any:
    """Return what a text stands for in a dialect whose values have no types of their own."""
    if schema.get("type", "string") == "string":
        return text
    value = _literal(text.strip())
    return text if value is None else value


def _coerced(value: Any, schema: Mapping[str, Any], repairs: set[str]) -> Any:
    """Return ``value`` as the schema's type where nothing is lost by it."""
    wanted = schema.get("type")
    if wanted == "integer" and isinstance(value, float) and value.is_integer():
        repairs.add("whole_number_as_float")
        return int(value)
    if not isinstance(value, str) or wanted in (None, "string"):
        return value
    read = _literal(value)
    if read is None or type(read) not in _TYPES.get(wanted, ()):
        return value
    if wanted in ("integer", "number"):
        if not _is_same_number(read, value):
            return value
        repairs.add("number_as_string")
    else:
        repairs.add("value_as_string")
    return read


_TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def _is_same_number(value: float, text: str) -> bool:
    """Whether writing ``value`` gives back a number equal to ``text`` in every digit."""
    return json.dumps(value) == text or (isinstance(value, float) and float(text) == value)


def _literal(text: str) -> Any:
    reader = Reader(text, is_lenient=False)
    try:
        value = reader.value()
    except Unreadable:
        return None
    return value if reader.at == len(text) else None
