"""From assistant text to tool calls: start here.

``parse_calls`` reads text in any of the dialects, ``read_provider_calls`` what a server has
already taken apart. Both end in the same check and both give a ``ParsedTurn``: calls that may run,
and a problem, worded for the model, for each that may not. Neither ever raises, whatever a model
wrote. What must never run is decided here once:

- a call inside a thought, or in text that a tool returned (only assistant text comes here);
- a call that was cut off, and one that has more than one reading;
- a call whose tool is unknown or whose arguments do not fit the schema.

A repair is lossless: the call says the same before and after it, which ``ParsedTurn.repaired``
shows. Repairs are named, counted, and can be switched off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from cadwright.agent.messages import CallProblem, to_plain
from cadwright.agent.parsing.bodies import RawCall
from cadwright.agent.parsing.check import Checked, Tools, by_name, check
from cadwright.agent.parsing.dialects import Segment, Way, find_segments
from cadwright.agent.parsing.reader import Reader, Unreadable
from cadwright.agent.parsing.thinking import split_thinking
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ToolCall, ToolSpec

__all__ = [
    "DIALECTS",
    "CallProblem",
    "Dialect",
    "ParsedTurn",
    "ProviderCall",
    "canonical",
    "parse_calls",
    "read_provider_calls",
]

Dialect = Literal["auto", "hermes", "xml", "python", "fenced", "bare"]
DIALECTS: tuple[Dialect, ...] = ("auto", "hermes", "xml", "python", "fenced", "bare")


@dataclass(frozen=True, slots=True)
class ParsedTurn:
    """What an assistant text holds.

    Attributes:
        text: What was said, without the calls that may run; one that may not stays in it.
        thinking: What was thought.
        calls: Calls that may run, in order.
        problems: What was wrong with the others, or that there was no call at all.
        repairs: Names of the repairs made, one for each call that needed it.
        dialect: The dialect of the first call, or empty.
        repaired: What was said with every call of ``calls`` as strict JSON between
            ``<tool_call>`` tags.
    """

    text: str
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    problems: tuple[CallProblem, ...] = ()
    repairs: tuple[str, ...] = ()
    dialect: str = ""
    repaired: str = ""


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """A call that a server delivered apart from the text.

    Attributes:
        name: The tool.
        arguments: JSON text as the model wrote it, or an object.
        id: To be answered by a tool message.
    """

    name: str
    arguments: str | Mapping[str, Any]
    id: str


def parse_calls(
    text: str,
    tools: Sequence[ToolSpec],
    *,
    dialect: str = "auto",
    is_repair_on: bool = True,
    is_truncated: bool = False,
    id_prefix: str = "",
) -> ParsedTurn:
    """Read the calls of one assistant text.

    Args:
        text: Assistant text, thinking included. Never text that came from a tool.
        tools: What may be called.
        dialect: The dialect that the model was told to use, or ``auto`` for any.
        is_repair_on: Make lossless repairs.
        is_truncated: The text was cut off at a token limit.
        id_prefix: Ids are this and a number from 1, so that a conversation can keep them apart.

    Returns:
        What was found; it never raises for anything in ``text``.

    Raises:
        UsageError: There is no such dialect.
    """
    if dialect not in DIALECTS:
        raise UsageError(f"there is no dialect {dialect!r}: choose of {', '.join(DIALECTS)}")
    said, thinking = split_thinking(text)
    segments = find_segments(said, Way(dialect, is_repair_on, is_truncated))
    collected = _Collected(said, by_name(tools), is_repair_on, id_prefix)
    for segment in segments:
        collected.add(segment)
    if not segments:
        collected.problems.append(_no_call(said, tools, is_truncated))
    return collected.turn(thinking, segments[0].dialect if segments else "")


def read_provider_calls(
    calls: Sequence[ProviderCall],
    tools: Sequence[ToolSpec],
    *,
    text: str = "",
    is_repair_on: bool = True,
    is_truncated: bool = False,
) -> ParsedTurn:
    """Check calls that a server delivered; with none of them use ``parse_calls`` on the text.

    Args:
        calls: In the order of the server.
        tools: What may be called.
        text: What the assistant said besides.
        is_repair_on: Make lossless repairs.
        is_truncated: The reply was cut off, so its last call is not finished.
    """
    said, thinking = split_thinking(text)
    known = by_name(tools)
    good: list[ToolCall] = []
    problems: list[CallProblem] = []
    repairs: list[str] = []
    for number, call in enumerate(calls, start=1):
        is_cut = is_truncated and number == len(calls)
        checked = _truncated(call.name) if is_cut else _provided(call, known, is_repair_on)
        repairs.extend(sorted(checked.repairs))
        if checked.call is not None:
            good.append(replace(checked.call, id=call.id))
        elif checked.problem is not None:
            problems.append(replace(checked.problem, call=_as_written(call)))
    repaired = "\n".join([said, *map(canonical, good)])
    return ParsedTurn(
        said.strip(), thinking, tuple(good), tuple(problems), tuple(repairs), "provider", repaired
    )


def canonical(call: ToolCall) -> str:
    """Return a call as strict JSON between tags: the one form that every repair leads to."""
    body = json.dumps({"name": call.name, "arguments": to_plain(call.arguments)})
    return f"<tool_call>\n{body}\n</tool_call>"


class _Collected:
    """Gathers calls and problems while the segments of one text are gone through."""

    def __init__(self, said: str, tools: Tools, is_repair_on: bool, id_prefix: str) -> None:
        self._said = said
        self._tools = tools
        self._is_repair_on = is_repair_on
        self._id_prefix = id_prefix
        self._at = 0  # how far ``said`` is copied
        self._text: list[str] = []
        self._repaired: list[str] = []
        self.calls: list[ToolCall] = []
        self.problems: list[CallProblem] = []
        self.repairs: list[str] = []

    def add(self, segment: Segment) -> None:
        """Take one segment: each call of it, or its error."""
        before = self._said[self._at : segment.start]
        written = self._said[segment.start : segment.end]
        self._at = segment.end
        if segment.error is not None:
            self.problems.append(_unreadable(segment.error))
        good = [call for raw in segment.calls if (call := self._call(raw, segment)) is not None]
        is_whole = segment.error is None and len(good) == len(segment.calls)
        self._text.extend([before, "" if is_whole else written])
        kept = "" if is_whole else written
        self._repaired.extend([before, kept, *map(canonical, good)])

    def turn(self, thinking: str, dialect: str) -> ParsedTurn:
        """Return what was gathered."""
        rest = self._said[self._at :]
        return ParsedTurn(
            text="".join([*self._text, rest]).strip(),
            thinking=thinking,
            calls=tuple(self.calls),
            problems=tuple(self.problems),
            repairs=tuple(self.repairs),
            dialect=dialect,
            repaired="".join([*self._repaired, rest]),
        )

    def _call(self, raw: RawCall, segment: Segment) -> ToolCall | None:
        call_id = f"{self._id_prefix}{len(self.calls) + 1}"
        checked = check(raw, self._tools, is_repair_on=self._is_repair_on, call_id=call_id)
        if checked.problem is not None:
            self.problems.append(checked.problem)
        if checked.call is not None:
            self.calls.append(checked.call)
            self.repairs.extend(sorted(checked.repairs | segment.repairs))
        return checked.call


def _provided(call: ProviderCall, tools: Tools, is_repair_on: bool) -> Checked:
    repairs: frozenset[str] = frozenset()
    arguments: Any = call.arguments
    if isinstance(arguments, str):
        reader = Reader(arguments.strip() or "{}", is_lenient=is_repair_on)
        try:
            arguments = reader.value()
            if reader.at != len(reader.text):
                raise Unreadable(f"text beside the arguments {reader.where()}")
        except Unreadable as error:
            return Checked(None, replace(_unreadable(error), name=call.name))
        repairs = frozenset(reader.repairs)
    raw = RawCall(call.name, arguments, repairs)
    return check(raw, tools, is_repair_on=is_repair_on, call_id=call.id)


def _as_written(call: ProviderCall) -> ToolCall:
    """Return a refused call for the record; arguments that are no object stay text."""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else _read_back(call)
    return ToolCall(call.name, arguments, call.id)


def _read_back(call: ProviderCall) -> Mapping[str, Any]:
    try:
        value = json.loads(call.arguments) if isinstance(call.arguments, str) else None
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"_unreadable": call.arguments}


def _truncated(name: str) -> Checked:
    problem = _unreadable(Unreadable("the reply ends in the middle of a call", "truncated"))
    return Checked(None, replace(problem, name=name))


_ADVICE = {
    "truncated": "It was not run. Write it again, and shorter: the reply has a length limit.",
    "ambiguous": "It was not run, since it can be read in more than one way. Write strict JSON.",
    "invalid_arguments": "It was not run. Correct the arguments and call again.",
}
_FORM = 'It was not run. Write {"name": ..., "arguments": {...}} as strict JSON.'


def _unreadable(error: Unreadable) -> CallProblem:
    message = f"{error}. {_ADVICE.get(error.code, _FORM)}"
    return CallProblem(error.code, message)  # type: ignore[arg-type]  # codes of the reader


def _no_call(said: str, tools: Sequence[ToolSpec], is_truncated: bool) -> CallProblem:
    """Say that a text called nothing, and what it could have called."""
    names = ", ".join(spec.name for spec in tools)
    if is_truncated:
        message = f"The reply was cut off before it called a tool. Be brief and call one: {names}."
        return CallProblem("truncated", message)
    coder = next((s.name for s in tools if "code" in s.parameters.get("properties", {})), None)
    if "```" in said and coder is not None:
        advice = f"Code in a fence is not run: use {coder} and pass it as `code`."
        return CallProblem("no_tool_call", f"No tool was called. {advice} Available are {names}.")
    what = "No tool was called" if said.strip() else "The reply was empty"
    return CallProblem(
        "no_tool_call", f"{what}. Call one of: {names}. Call submit when the part is finished."
    )
