"""The list of elements that goes with a screenshot: what is there, under which number, and where.

Numbers are sticky: an element keeps its own for as long as it lives, and none is given twice. All
text in the list was written by a page, so it is data, cut short and on one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MAX_LISTED = 200


@dataclass(frozen=True, slots=True)
class Element:
    """Something on the page that can be seen and used.

    Attributes:
        ref: Its number.
        role: ARIA role, given or implied: ``button``, ``textbox``, ``canvas``.
        name: Accessible name.
        value: What a field holds.
        states: ``disabled``, ``checked``, ``focused`` and their like.
        box: Left, top, width and height of its visible part, CSS px.
    """

    ref: int
    role: str
    name: str
    value: str
    states: tuple[str, ...]
    box: tuple[float, float, float, float]

    @property
    def middle(self) -> tuple[float, float]:
        """The point that a click on it means, CSS px."""
        left, top, width, height = self.box
        return left + width / 2, top + height / 2

    @classmethod
    def from_page(cls, data: Mapping[str, Any]) -> Element:
        """Read what ``scan.js`` found."""
        left, top, width, height = (float(v) for v in data["box"])
        return cls(
            ref=int(data["ref"]),
            role=_line(data["role"]),
            name=_line(data["name"]),
            value=_line(data["value"]),
            states=tuple(_line(state) for state in data["states"]),
            box=(left, top, width, height),
        )


def element_list(elements: Iterable[Element], width: int, height: int) -> str:
    """Return one line an element, its middle as fractions of the viewport.

    Args:
        elements: In reading order.
        width: Of the viewport, CSS px.
        height: The same.
    """
    listed = list(elements)
    lines = [_described(element, width, height) for element in listed[:MAX_LISTED]]
    if len(listed) > MAX_LISTED:
        lines.append(f"... and {len(listed) - MAX_LISTED} more")
    return "\n".join(lines)


def _described(element: Element, width: int, height: int) -> str:
    x, y = element.middle
    value = f" = {element.value!r}" if element.value else ""
    states = f" ({', '.join(element.states)})" if element.states else ""
    place = f"at {x / width:.3f}, {y / height:.3f}"
    return f"[{element.ref}] {element.role} {element.name!r}{value}{states} {place}"


def _line(text: object) -> str:
    return "".join(c if c.isprintable() else " " for c in str(text))
