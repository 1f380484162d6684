"""Gold calls that name what they press, turned into numbers or places of the screen.

A gold sequence for an application says ``{"ref": {"role": "button", "name": "Extrude"}}``: the
number behind the name belongs to one run and one version of the page. An expert does what a person
does, and reads the newest list of elements that it was told.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cadwright.envs.names import nearest
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ToolCall

_LINE = re.compile(
    r"^\[(?P<ref>\d+)\] (?P<role>\S+) (?P<name>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r".* at (?P<x>[\d.]+), (?P<y>[\d.]+)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Seen:
    """One line of an element list."""

    ref: int
    role: str
    name: str
    x: float
    y: float


def elements_in(text: str) -> tuple[Seen, ...]:
    """Return the elements that a result lists."""
    return tuple(
        Seen(
            int(m["ref"]), m["role"], str(ast.literal_eval(m["name"])), float(m["x"]), float(m["y"])
        )
        for m in _LINE.finditer(text)
    )


def pointed(call: ToolCall, told: Iterable[str], *, by_place: bool = False) -> tuple[ToolCall, ...]:
    """Return what a gold call means on the screen that was described last.

    Args:
        call: A call whose ``ref`` may be a mapping with ``name`` and, where needed, ``role`` and
            ``nth`` (0 for the first of several).
        told: Texts of an episode, newest first; the screen is looked up in the first that
            lists any elements.
        by_place: Click and type at places instead of naming elements, as a policy does that has
            pixels only.

    Raises:
        UsageError: Nothing on the screen has that name.
    """
    wanted = call.arguments.get("ref")
    if not isinstance(wanted, Mapping):
        return (call,)
    found = _find(wanted, _newest(told))
    if not by_place:
        return (replace(call, arguments={**call.arguments, "ref": found.ref}),)
    place = {"x": found.x, "y": found.y}
    if call.name == "click_ref":
        return (ToolCall("click", {**place, "count": call.arguments.get("count", 1)}, call.id),)
    steps: tuple[tuple[str, dict[str, Any]], ...] = (
        ("click", place),
        ("press", {"keys": "Control+a"}),
        ("type_text", {"text": call.arguments["text"]}),
        ("press", {"keys": "Tab"}),
    )
    return tuple(
        ToolCall(name, arguments, f"{call.id}.{number}")
        for number, (name, arguments) in enumerate(steps)
    )


def _newest(told: Iterable[str]) -> tuple[Seen, ...]:
    return next((listed for text in told if (listed := elements_in(text))), ())


def _find(wanted: Mapping[str, Any], listed: tuple[Seen, ...]) -> Seen:
    role, name = wanted.get("role"), str(wanted["name"])
    fitting = [e for e in listed if e.name == name and role in (None, e.role)]
    place = int(wanted.get("nth", 0))
    if place >= len(fitting):
        names = [element.name for element in listed]
        raise UsageError(f"nothing on the screen is called {name!r}{nearest(name, names)}")
    return fitting[place]
