"""Reads the body of a call: JSON, XML-like elements, Python-style calls.

What comes out is a ``RawCall``: what was written, before anything is known about its tool.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cadwright.agent.parsing.reader import Reader, Unreadable

NAME = r"[A-Za-z_][\w.-]*"
FUNCTION = re.compile(rf"<function=({NAME})>|<invoke name=\"({NAME})\">")
_PARAMETER = re.compile(
    rf"\s*(?:<parameter=({NAME})>|<parameter name=\"({NAME})\">)(.*?)</parameter>", re.DOTALL
)
PYTHON = re.compile(rf"\[?\s*({NAME})\s*\(")


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


def xml_calls(body: str) -> list[RawCall]:
    """Read function elements.

    Raises:
        Unreadable: Something in ``body`` is none, or a parameter is given twice.
    """
    calls: list[RawCall] = []
    at = 0
    while body[at:].strip():
        opening = FUNCTION.match(body, at + len(body[at:]) - len(body[at:].lstrip()))
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


def python_calls(body: str, is_lenient: bool) -> list[RawCall]:
    """Read ``name(key=value, ...)``, alone, in lines, or in a list.

    Raises:
        Unreadable: Something in ``body`` is no such call, or has a positional argument.
    """
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
    name = _identifier(reader, NAME)
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
