"""Features and gauges as JSON: records of numbers, text and other such records.

The fields' own types say what is allowed, so decoding checks every value (finite numbers, known
words, the length of a tuple) without a line for each record.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from cadwright.tools.geometry.wire import MAX_TEXT, WireError

MAX_ITEMS = 100_000

R = TypeVar("R")
Check = Callable[[Any], Any]


def encode_record(record: Any) -> dict[str, Any]:
    """Return a frozen record as a JSON object; tuples become lists."""
    return {name: _plain(getattr(record, name)) for name in _names(cast(Hashable, type(record)))}


def decode_record(kind: type[R], value: Any) -> R:
    """Return the record in a JSON object.

    Args:
        kind: The record's class.
        value: What ``encode_record`` wrote, after a trip over the wire.

    Raises:
        WireError: A field is missing, unknown, of another type or not finite.
    """
    record: R = _record_check(cast(Hashable, kind))(value)
    return record


def decode_value(hint: Any, value: Any) -> Any:
    """Return a value of a plain type: ``float``, ``Vector``, ``tuple[Vector, ...]``, a record.

    Raises:
        WireError: It is of another type, or not finite.
    """
    return _check_of(hint)(value)


@cache
def _names(kind: Hashable) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cast(Any, kind)))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return encode_record(value)
    return value


@cache
def _record_check(hint: Hashable) -> Check:
    kind = cast(Any, hint)
    checks = {name: _check_of(hint) for name, hint in get_type_hints(kind).items()}

    def check(value: Any) -> Any:
        if not isinstance(value, Mapping) or value.keys() != checks.keys():
            raise WireError(f"{kind.__name__}: expected the fields {', '.join(checks)}")
        return kind(**{name: test(value[name]) for name, test in checks.items()})

    return check


def _check_of(hint: Any) -> Check:
    """Return the check for one type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _one_of(arguments)
    if origin in (Union, types.UnionType):
        return _optional(_check_of(next(a for a in arguments if a is not type(None))))
    if origin is tuple:
        return _tuple_check(arguments)
    if is_dataclass(hint):
        return _record_check(cast(Hashable, hint))
    plain: dict[Any, Check] = {float: _number, int: _integer, bool: _truth, str: _text}
    return plain[hint]


def _one_of(words: tuple[Any, ...]) -> Check:
    def check(value: Any) -> Any:
        if not isinstance(value, str) or value not in words:
            raise WireError(f"expected one of {', '.join(words)}, got {value!r}")
        return value

    return check


def _optional(inner: Check) -> Check:
    return lambda value: None if value is None else inner(value)


def _tuple_check(arguments: tuple[Any, ...]) -> Check:
    is_open = len(arguments) == 2 and arguments[1] is Ellipsis
    inner = [_check_of(argument) for argument in arguments if argument is not Ellipsis]

    def check(value: Any) -> tuple[Any, ...]:
        longest = MAX_ITEMS if is_open else len(inner)
        if not isinstance(value, list | tuple) or len(value) > longest:
            raise WireError(f"expected a list of at most {longest} items")
        if is_open:
            return tuple(inner[0](item) for item in value)
        if len(value) != len(inner):
            raise WireError(f"expected {len(inner)} items, got {len(value)}")
        return tuple(test(item) for test, item in zip(inner, value, strict=True))

    return check


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise WireError(f"expected a finite number, got {value!r}")
    return float(value)


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise WireError(f"expected an integer, got {value!r}")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise WireError(f"expected true or false, got {value!r}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise WireError(f"expected text, got {type(value).__name__}")
    return value
