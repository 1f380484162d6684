"""From an action string to tool calls: strict JSON, as the Gymnasium action space promises.

One call ``{"name": ..., "arguments": {...}}`` or a list of them. Model text in the many dialects
of chat templates is the agent's business; nothing is repaired here.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from cadwright.envs.core import MAX_CALLS_PER_TURN
from cadwright.tools.errors import ToolError, UsageError
from cadwright.tools.tool import ToolCall

EXAMPLE = '{"name": "execute", "arguments": {"code": "..."}}'


def parse_turn(text: str) -> tuple[ToolCall, ...]:
    """Return the calls of one assistant turn, in order.

    Raises:
        ToolError: The text is not JSON, repeats a key, holds NaN, or is not a call.
        UsageError: It is no text: the trainer's mistake, so the policy does not pay for it.
    """
    if not isinstance(text, str):
        raise UsageError(f"an action is JSON text, not {type(text).__name__}: use {EXAMPLE}")
    if not text.strip():
        raise ToolError(f"no tool call: an action is JSON such as {EXAMPLE}")
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ToolError(
            f"the action is not JSON (line {error.lineno}, column {error.colno}: {error.msg}): "
            f"use {EXAMPLE}"
        ) from error
    except RecursionError as error:
        raise ToolError(f"the action is nested too deeply: use {EXAMPLE}") from error
    calls = value if isinstance(value, list) else [value]
    if not calls or len(calls) > MAX_CALLS_PER_TURN:
        raise ToolError(f"{len(calls)} calls in one turn, allowed: 1 to {MAX_CALLS_PER_TURN}")
    return tuple(_call(item, index) for index, item in enumerate(calls))


def _call(item: Any, index: int) -> ToolCall:
    if not isinstance(item, dict) or not isinstance(item.get("name"), str):
        raise ToolError(f"call {index + 1} is not an object with a name: use {EXAMPLE}")
    unknown = sorted(set(item) - {"name", "arguments", "id"})
    if unknown:
        raise ToolError(
            f"call {index + 1} has the unknown field {unknown[0]!r}: use name and arguments"
        )
    arguments = item.get("arguments", {})
    return ToolCall(item["name"], arguments, str(item.get("id", index)))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ToolError(f"the key {key!r} appears twice: which one is meant?")
        found[key] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ToolError(f"{name} is not a number: give a finite one")
