"""How models write calls: where a call stands in a text, and how its body reads.

A call stands between tags, in a fence, or is the whole text. Its body is JSON, XML-like, or a
Python-style call; the last only between marks that say "this is a call", since prose is full of
parentheses. Everything here finds and reads; whether a call may run is decided in
``cadwright.agent.parsing.check``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from cadwright.agent.parsing.reader import Reader, Unreadable

_NAME = r"[A-Za-z_][\w.-]*"
_OPENING = re.compile(
    rf"<tool_call>|<\|tool_call_start\|>|<function={_NAME}>|<invoke name=\"{_NAME}\">"
)
_CLOSINGS = {"<tool_call>": "</tool_call>", "<|tool_call_start|>": "<|tool_call_end|>"}
_FUNCTION = re.compile(rf"<function=({_NAME})>|<invoke name=\"({_NAME})\">")
_PARAMETER = re.compile(
    rf"\s*(?:<parameter=({_NAME})>|<parameter name=\"({_NAME})\">)(.*?)</parameter>", re.DOTALL
)
_FENCE = re.compile(r"^```([\w-]*)[ \t]*\n(.*?)(?:^```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_JSON_FENCES = ("", "json")
_CALL_FENCES = ("tool_call", "tool_calls", "tool_code")
_PYTHON = re.compile(rf"\[?\s*({_NAME})\s*\(")
_CALL_KEYS = re.compile(r"""["'“](?:name|function)["'”]\s*:""")


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as it was written, before anything is known about its tool.

    Attributes:
        name: Whatever stood in the place of a name.
        arguments: Whatever stood in the place of the arguments.
        repairs: What had to be read leniently.
        is_text: The values are text whose type only the schema knows, as in XML.
    """

    name: Any
    arguments: Any
    repairs: frozenset[str] = frozenset()
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text that claims to hold calls.

    Attributes:
        start: First character in the text, marks included.
        end: One past its last.
        dialect: How its body reads.
        calls: What it holds.
        error: Why it could not be read, else None.
        repairs: What of the marks had to be read leniently.
    """

    start: int
    end: int
    dialect: str
    calls: tuple[RawCall, ...] = ()
    error: Unreadable | None = None
    repairs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Way:
    """What may be read, and how.

    Attributes:
        dialect: ``auto``, or the one dialect that counts.
        is_lenient: Whether repairs are made.
        is_truncated: The model was cut off, so what is not closed was not finished.
    """

    dialect: str
    is_lenient: bool
    is_truncated: bool

    def reads(self, dialect: str) -> bool:
        """Whether ``dialect`` counts."""
        return self.dialect in ("auto", dialect)


def find_segments(text: str, way: Way) -> list[Segment]:
    """Return the segments of the strongest kind of mark that ``text`` holds, in order.

    Tags outrank fences and fences outrank bare JSON: where a model marks its calls, everything
    weaker is prose about calls.
    """
    for find in (_tagged, _fenced, _bare):
        segments = list(find(text, way))
        if segments:
            return segments
    return []


def _tagged(text: str, way: Way) -> Iterator[Segment]:
    if way.dialect in ("fenced", "bare"):
        return
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        segment = _tag_segment(text, opening, way)
        yield segment
        at = max(segment.end, opening.end())


def _tag_segment(text: str, opening: re.Match[str], way: Way) -> Segment:
    start = opening.start()
    mark = _CLOSINGS.get(opening.group())
    if mark is None:
        return _function_segment(text, opening, way)
    end = text.find(mark, opening.end())
    following = text.find(opening.group(), opening.end())
    is_closed = end >= 0 and not 0 <= following < end
    stop = end if is_closed else following if following >= 0 else len(text)
    segment = _body(text[opening.end() : stop], way)
    if segment.error is not None:
        whole = _strict_past_the_mark(text, opening.end(), mark, way)
        if whole is not None:
            return Segment(start, whole[1], "hermes", (whole[0],))
    return _closed(segment, start, stop + len(mark) * is_closed, is_closed, stop == len(text), way)


def _closed(
    body: Segment, start: int, end: int, is_closed: bool, is_last: bool, way: Way
) -> Segment:
    """Return the segment of ``body`` where its marks allow it to count."""
    error, repairs = body.error, body.repairs
    if is_closed and error is not None and error.code == "truncated":
        error = Unreadable("the call ends before its value is complete")
    elif not is_closed and error is None:
        if (is_last and way.is_truncated) or not way.is_lenient:
            error = Unreadable("the closing tag is missing", "truncated")
        repairs |= {"closing_tag"}
    calls = body.calls if error is None else ()
    return Segment(start, end, body.dialect, calls, error, repairs)


def _strict_past_the_mark(text: str, at: int, mark: str, way: Way) -> tuple[RawCall, int] | None:
    """Read a call whose own strings hold such marks: only as JSON without any repair."""
    reader = Reader(text, is_lenient=False, at=at)
    try:
        if not way.reads("hermes"):
            return None
        call = raw_call(reader.value(), frozenset(), is_lenient=way.is_lenient)
        reader.skip_space()
    except Unreadable:
        return None
    if not text.startswith(mark, reader.at):
        return None
    return call, reader.at + len(mark)


def _body(body: str, way: Way) -> Segment:
    """Read the inside of a tag; ``start`` and ``end`` are left to the caller."""
    if way.reads("xml") and _FUNCTION.match(body.lstrip()):
        return _read("xml", partial(_functions, body))
    if way.reads("python") and _PYTHON.match(body.lstrip()):
        return _read("python", partial(_python_calls, body, way.is_lenient))
    if way.reads("hermes"):
        return _read("hermes", partial(json_calls, body, way.is_lenient))
    return Segment(0, 0, way.dialect, error=Unreadable(f"this is not a call in {way.dialect}"))


def _read(dialect: str, read: Callable[[], list[RawCall]]) -> Segment:
    try:
        return Segment(0, 0, dialect, tuple(read()))
    except Unreadable as error:
        return Segment(0, 0, dialect, error=error)


def _function_segment(text: str, opening: re.Match[str], way: Way) -> Segment:
    """Read a function element that stands without a tag around it."""
    start = opening.start()
    mark = "</function>" if opening.group().startswith("<function") else "</invoke>"
    end = text.find(mark, opening.end())
    stop = end + len(mark) if end >= 0 else len(text)
    if not way.reads("xml"):
        error = Unreadable(f"this is not a call in {way.dialect}")
        return Segment(start, stop, way.dialect, error=error)
    segment = _read("xml", partial(_functions, text[start:stop]))
    return Segment(start, stop, "xml", segment.calls, segment.error)


def _functions(body: str) -> list[RawCall]:
    calls: list[RawCall] = []
    at = 0
    while body[at:].strip():
        opening = _FUNCTION.match(body, at + len(body[at:]) - len(body[at:].lstrip()))
        if opening is None:
            raise Unreadable("text beside the function")
        mark = "</function>" if opening.group().startswith("<function") else "</invoke>"
        arguments, at = _parameters(body, opening.end())
        if not body.startswith(mark, at):
            raise _unclosed(body[at:], mark)
        at += len(mark)
        calls.append(RawCall(opening.group(1) or opening.group(2), arguments, is_text=True))
    return calls


def _parameters(body: str, at: int) -> tuple[dict[str, str], int]:
    found: dict[str, str] = {}
    while (parameter := _PARAMETER.match(body, at)) is not None:
        name = parameter.group(1) or parameter.group(2)
        if name in found:
            raise Unreadable(f"the parameter {name!r} is given twice", "invalid_arguments")
        found[name] = parameter.group(3).removeprefix("\n").removesuffix("\n")
        at = parameter.end()
    return found, at + len(body[at:]) - len(body[at:].lstrip())


def _unclosed(rest: str, mark: str) -> Unreadable:
    is_cut = mark not in rest and "</function>" not in rest
    message = f"{mark} is missing" if is_cut else f"only parameters may stand before {mark}"
    return Unreadable(message, "truncated" if is_cut else "parse_error")


def _python_calls(body: str, is_lenient: bool) -> list[RawCall]:
    """Read ``name(key=value, ...)``, alone, in lines, or in a list."""
    reader = Reader(body.rstrip(), is_lenient=True)
    is_list = reader.take("[")
    calls = [_python_call(reader, is_lenient)]
    while _is_more(reader):
        if is_list and reader.take("]"):
            break
        if is_list or reader.peek() == ",":
            reader.expect(",")
        calls.append(_python_call(reader, is_lenient))
    if _is_more(reader):
        raise Unreadable(f"text beside the call {reader.where()}")
    if is_list and not body.rstrip().endswith("]"):
        raise Unreadable("the list of calls has no end", "truncated")
    return calls


def _is_more(reader: Reader) -> bool:
    reader.skip_space()
    return reader.at < len(reader.text)


def _python_call(reader: Reader, is_lenient: bool) -> RawCall:
    name = _identifier(reader, _NAME)
    reader.expect("(")
    arguments: dict[str, Any] = {}
    while not reader.take(")"):
        if arguments:
            reader.expect(",")
            if reader.take(")"):
                break
        key = _identifier(reader, r"[A-Za-z_]\w*")
        if not reader.take("="):
            raise Unreadable(f"{name}: write {key}=...", "invalid_arguments")
        if key in arguments:
            raise Unreadable(f"the argument {key!r} is given twice", "invalid_arguments")
        arguments[key] = reader.value()
    own = {"python_quotes", "python_words", "trailing_comma"}  # plain Python, not a repair
    repairs = frozenset(reader.repairs - own)
    if repairs and not is_lenient:
        raise Unreadable(f"{name}: {', '.join(sorted(repairs))} {reader.where()}")
    return RawCall(name, arguments, repairs)


def _identifier(reader: Reader, pattern: str) -> str:
    reader.skip_space()
    match = re.compile(pattern).match(reader.text, reader.at)
    if match is None:
        reader.peek()
        message = f"a positional argument or no name {reader.where()}: write name(key=value)"
        raise Unreadable(message, "invalid_arguments")
    reader.at = match.end()
    return match.group()


def _fenced(text: str, way: Way) -> Iterator[Segment]:
    if way.dialect not in ("auto", "fenced", "python"):
        return
    for fence in _FENCE.finditer(text):
        language, body = fence.group(1).lower(), fence.group(2)
        is_declared = language in _CALL_FENCES
        if not is_declared and not (language in _JSON_FENCES and _CALL_KEYS.search(body)):
            continue
        if is_declared and way.dialect != "fenced" and _PYTHON.match(body.lstrip()):
            segment = _read("python", partial(_python_calls, body, way.is_lenient))
        elif way.dialect == "python":
            continue
        else:
            segment = _read("fenced", partial(json_calls, body, way.is_lenient))
        yield _fence_segment(segment, fence, way, is_declared)


def _fence_segment(body: Segment, fence: re.Match[str], way: Way, is_declared: bool) -> Segment:
    is_closed = fence.group().rstrip().endswith("```")
    error = body.error
    if not is_closed and error is None:
        error = Unreadable("the fence has no end", "truncated")
    if is_closed and error is not None and error.code == "truncated":
        error = Unreadable("the call ends before its value is complete")
    is_own = is_declared or way.dialect == "fenced"
    if not is_own and not way.is_lenient:
        error = Unreadable("a call in a fence is not taken here: put it between <tool_call> tags")
    repairs = frozenset() if is_own else frozenset({"fence"})
    calls = body.calls if error is None else ()
    return Segment(fence.start(), fence.end(), body.dialect, calls, error, repairs)


def _bare(text: str, way: Way) -> Iterator[Segment]:
    """Read a text that is JSON from its first to its last character."""
    body = text.strip()
    if not way.reads("bare") or not body.startswith(("{", "[")) or not _CALL_KEYS.search(body):
        return
    segment = _read("bare", partial(json_calls, body, way.is_lenient))
    is_own = way.dialect == "bare"
    error = segment.error
    if error is None and not is_own and not way.is_lenient:
        error = Unreadable("a bare call is not taken here: put it between <tool_call> tags")
    repairs = frozenset() if is_own else frozenset({"no_tags"})
    calls = segment.calls if error is None else ()
    yield Segment(0, len(text), "bare", calls, error, repairs)


def json_calls(body: str, is_lenient: bool) -> list[RawCall]:
    """Read one call, several after each other, or a list of them.

    Raises:
        Unreadable: Something in ``body`` is no call.
    """
    reader = Reader(body.rstrip(), is_lenient=is_lenient)
    values: list[tuple[Any, frozenset[str]]] = []
    while not values or _is_more(reader):
        if values:
            reader.repair("several_in_one_tag")
        reader.repairs = set()
        value = reader.value()
        items = value if isinstance(value, list) else [value]
        values.extend((item, frozenset(reader.repairs)) for item in items)
    return [raw_call(value, repairs, is_lenient=is_lenient) for value, repairs in values]


def raw_call(value: Any, repairs: frozenset[str], *, is_lenient: bool) -> RawCall:
    """Return the call that a JSON value describes.

    Raises:
        Unreadable: It is no object with a name and arguments.
    """
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(value, dict) or "name" not in value:
        raise Unreadable('a call is an object: {"name": ..., "arguments": {...}}')
    extra = sorted(set(value) - {"name", "arguments", "parameters", "id", "type"})
    if extra or {"arguments", "parameters"} <= set(value):
        stray = ", ".join(map(repr, extra)) or "arguments and parameters"
        raise Unreadable(
            f"a call holds a name and arguments, not {stray}: put arguments inside `arguments`",
            "invalid_arguments",
        )
    found = [key for key in ("arguments", "parameters") if key in value]
    if found != ["arguments"]:
        repairs |= {"arguments_renamed" if found else "arguments_added"}
        if not is_lenient:
            raise Unreadable("`arguments` is missing", "invalid_arguments")
    return RawCall(value["name"], value[found[0]] if found else {}, repairs)
