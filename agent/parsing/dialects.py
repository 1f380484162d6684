"""How models write calls: where in a text a call stands, and in which dialect.

A call stands between tags, in a fence, or is the whole text. Its body is JSON, XML-like, or a
Python-style call; the last only between marks that say "this is a call", since prose is full of
parentheses. Bodies are read in ``bodies``; whether a call may run is decided in ``check``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from cadwright.agent.parsing.bodies import (
    FUNCTION,
    NAME,
    PYTHON,
    RawCall,
    json_calls,
    python_calls,
    raw_call,
    xml_calls,
)
from cadwright.agent.parsing.reader import Reader, Unreadable

MAX_CALLS = 64  # of one reply; a model that writes more is in a loop

_OPENING = re.compile(
    rf"<tool_call>|<\|tool_call_start\|>|<function={NAME}>|<invoke name=\"{NAME}\">"
)
_CLOSINGS = {"<tool_call>": "</tool_call>", "<|tool_call_start|>": "<|tool_call_end|>"}
_FENCE = re.compile(r"^```([\w-]*)[ \t]*\n(.*?)(?:^```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_JSON_FENCES = ("", "json")
_CALL_FENCES = ("tool_call", "tool_calls", "tool_code")
_CALL_KEYS = re.compile(r"""["'“](?:name|function)["'”]\s*:""")


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
        segments = list(_within_limit(find(text, way), len(text)))
        if segments:
            return segments
    return []


def _within_limit(segments: Iterator[Segment], length: int) -> Iterator[Segment]:
    """Yield segments up to ``MAX_CALLS`` calls or errors, then one error for all the rest."""
    number, end = 0, 0
    for segment in segments:
        number += max(1, len(segment.calls))
        if number > MAX_CALLS:
            error = Unreadable(f"more than {MAX_CALLS} calls in one reply, the rest is not read")
            yield Segment(end, length, segment.dialect, error=error)
            return
        end = segment.end
        yield segment


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
    if way.reads("xml") and FUNCTION.match(body.lstrip()):
        return _read("xml", partial(xml_calls, body))
    if way.reads("python") and PYTHON.match(body.lstrip()):
        return _read("python", partial(python_calls, body, way.is_lenient))
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
    segment = _read("xml", partial(xml_calls, text[start:stop]))
    return Segment(start, stop, "xml", segment.calls, segment.error)


def _fenced(text: str, way: Way) -> Iterator[Segment]:
    if way.dialect not in ("auto", "fenced", "python"):
        return
    for fence in _FENCE.finditer(text):
        language, body = fence.group(1).lower(), fence.group(2)
        is_declared = language in _CALL_FENCES
        if not is_declared and not (language in _JSON_FENCES and _CALL_KEYS.search(body)):
            continue
        if is_declared and way.dialect != "fenced" and PYTHON.match(body.lstrip()):
            segment = _read("python", partial(python_calls, body, way.is_lenient))
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
