"""The two computer-use schemas that models are trained on, as calls of our tools and back.

A model that was trained on one of them answers in its own words (``left_click``, ``keypress``) and
in the pixels of the display that was declared to it. These functions translate one action; where
the two vocabularies differ, the nearest of ours is taken, and what has no equal here (opening an
address, running a script) is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cadwright.tools.browsing.coordinates import Scheme, Spot
from cadwright.tools.errors import ToolError
from cadwright.tools.tool import ToolCall

Action = Mapping[str, Any]

# Names of keys as X11 and as schemas write them, in lower case, to ours.
KEYS = {
    "return": "Enter",
    "enter": "Enter",
    "esc": "Escape",
    "escape": "Escape",
    "backspace": "Backspace",
    "del": "Delete",
    "delete": "Delete",
    "tab": "Tab",
    "space": "Space",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "arrowup": "ArrowUp",
    "arrowdown": "ArrowDown",
    "arrowleft": "ArrowLeft",
    "arrowright": "ArrowRight",
    "page_up": "PageUp",
    "pageup": "PageUp",
    "page_down": "PageDown",
    "pagedown": "PageDown",
    "home": "Home",
    "end": "End",
    "ctrl": "Control",
    "control": "Control",
    "control_l": "Control",
    "alt": "Alt",
    "shift": "Shift",
    "cmd": "Control",
    "super": "Control",
}
_MODIFIERS = ("Control", "Shift", "Alt")
_CLICKS = {  # of the schema with ``action``: button and count
    "left_click": ("left", 1),
    "right_click": ("right", 1),
    "middle_click": ("middle", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
}
_DIRECTIONS = {"down": (1, 0), "up": (-1, 0), "right": (0, 1), "left": (0, -1)}
NOTCH_PX = 100.0


def from_action_schema(action: Action, scheme: Scheme) -> ToolCall:
    """Return our call for an action of the schema with ``action`` and ``coordinate``.

    Args:
        action: For example ``{"action": "left_click", "coordinate": [512, 300]}``.
        scheme: Pixels of the declared display.

    Raises:
        ToolError: A field is missing, a place lies outside, or there is no such action here.
    """
    kind = _field(action, "action")
    if kind in _CLICKS:
        button, count = _CLICKS[kind]
        held = _chord(str(action.get("text") or ""))
        return _click(_at(action, "coordinate", scheme), button, count, held)
    if kind == "mouse_move":
        return ToolCall("move", _xy(_at(action, "coordinate", scheme)))
    if kind == "left_click_drag":
        ends = (_at(action, "start_coordinate", scheme), _at(action, "coordinate", scheme))
        return _drag(ends)
    if kind in ("left_mouse_down", "left_mouse_up"):
        return ToolCall(kind.removeprefix("left_"), {"button": "left"})
    if kind == "scroll":
        down, right = _DIRECTIONS[_one_of(action, "scroll_direction", _DIRECTIONS)]
        notches = float(action.get("scroll_amount", 1))
        at = _xy(_at(action, "coordinate", scheme))
        return ToolCall("scroll", {**at, "down": down * notches, "right": right * notches})
    if kind == "key":
        return ToolCall("press", {"keys": "+".join(_chord(_field(action, "text")))})
    if kind == "type":
        return ToolCall("type_text", {"text": _field(action, "text")})
    if kind == "zoom":
        return _zoom(action, scheme)
    return _waiting(kind, float(action.get("duration", 1)))


def from_type_schema(action: Action, scheme: Scheme) -> ToolCall:
    """Return our call for an action of the schema with ``type``, ``x`` and ``y``.

    Args:
        action: For example ``{"type": "click", "x": 512, "y": 300, "button": "left"}``.
        scheme: Pixels of the declared display.

    Raises:
        ToolError: A field is missing, a place lies outside, or there is no such action here.
    """
    kind = _field(action, "type")
    held = [_key(key) for key in action.get("keys") or ()]
    if kind in ("click", "double_click"):
        given = str(action.get("button", "left"))
        button = "middle" if given == "wheel" else given
        return _click(_there(action, scheme), button, 1 + (kind == "double_click"), held)
    if kind == "move":
        return ToolCall("move", _xy(_there(action, scheme)))
    if kind == "drag":
        return _drag([_there(place, scheme) for place in _field(action, "path")], held)
    if kind == "scroll":
        down, right = (float(action.get(f"scroll_{axis}", 0)) / NOTCH_PX for axis in "yx")
        return ToolCall("scroll", {**_xy(_there(action, scheme)), "down": down, "right": right})
    if kind == "keypress":
        return ToolCall("press", {"keys": "+".join(held)})
    if kind == "type":
        return ToolCall("type_text", {"text": _field(action, "text")})
    return _waiting(kind, 1.0)


def to_action_schema(call: ToolCall, scheme: Scheme) -> dict[str, Any]:
    """Return a call as the schema with ``action`` writes it: the inverse, for training data.

    Raises:
        ToolError: The schema has no such action.
    """
    given = call.arguments
    if call.name == "click":
        names = {pair: name for name, pair in _CLICKS.items()}
        kind = names.get((given.get("button", "left"), given.get("count", 1)))
        if kind is None:
            raise ToolError("the schema clicks twice or three times with the left button only")
        held = "+".join(given.get("held") or ())
        return {"action": kind, "coordinate": _out(given, scheme)} | (
            {"text": held} if held else {}
        )
    if call.name == "move":
        return {"action": "mouse_move", "coordinate": _out(given, scheme)}
    if call.name == "drag" and len(given["path"]) == 2 and given.get("button", "left") == "left":
        start, end = (list(scheme.from_spot(Spot(*place))) for place in given["path"])
        return {"action": "left_click_drag", "start_coordinate": start, "coordinate": end}
    if call.name == "scroll":
        return {"action": "scroll", "coordinate": _out(given, scheme)} | _scrolled(given)
    if call.name == "press":
        return {"action": "key", "text": given["keys"]}
    if call.name == "type_text":
        return {"action": "type", "text": given["text"]}
    if call.name == "wait":
        return {"action": "wait", "duration": given.get("seconds", 1.0)}
    if call.name == "screenshot":
        return {"action": "screenshot"}
    raise ToolError(f"the schema has no action for {call.name}")


def in_scheme(call: ToolCall, scheme: Scheme) -> ToolCall:
    """Return a call of our own tools whose places a model wrote in another dialect, in fractions.

    Raises:
        ToolError: A place lies outside of what the dialect allows.
    """
    given = dict(call.arguments)
    if "x" in given and "y" in given:
        given |= _xy(scheme.to_spot(given["x"], given["y"]))
    if "path" in given:
        given["path"] = [_place(scheme.to_spot(*place)) for place in given["path"]]
    if call.name == "zoom":
        corners = (("left", "top"), ("right", "bottom"))
        for x, y in corners:
            spot = scheme.to_spot(given[x], given[y])
            given |= {x: spot.x, y: spot.y}
    return ToolCall(call.name, given, call.id)


def _click(spot: Spot, button: str, count: int, held: Sequence[str]) -> ToolCall:
    arguments: dict[str, Any] = {**_xy(spot), "button": button, "count": count}
    wrong = [key for key in held if key not in _MODIFIERS]
    if wrong:
        raise ToolError(f"{wrong[0]} cannot be held, allowed: {', '.join(_MODIFIERS)}")
    return ToolCall("click", arguments | ({"held": list(held)} if held else {}))


def _drag(spots: Sequence[Spot], held: Sequence[str] = ()) -> ToolCall:
    path = [_place(spot) for spot in spots]
    return ToolCall("drag", {"path": path} | ({"held": list(held)} if held else {}))


def _zoom(action: Action, scheme: Scheme) -> ToolCall:
    left, top, right, bottom = _field(action, "region")
    first, last = scheme.to_spot(left, top), scheme.to_spot(right, bottom)
    return ToolCall("zoom", {"left": first.x, "top": first.y, "right": last.x, "bottom": last.y})


def _waiting(kind: str, seconds: float) -> ToolCall:
    if kind == "wait":
        return ToolCall("wait", {"seconds": min(seconds, 2.0)})
    if kind == "screenshot":
        return ToolCall("screenshot", {})
    raise ToolError(f"there is no action {kind!r} here: click, drag, scroll, type, key, wait ...")


def _scrolled(given: Action) -> dict[str, Any]:
    down, right = float(given.get("down", 0)), float(given.get("right", 0))
    axis, amount = (0, down) if abs(down) >= abs(right) else (1, right)
    ways = {pair[axis]: name for name, pair in _DIRECTIONS.items() if pair[axis]}
    return {"scroll_direction": ways[1 if amount >= 0 else -1], "scroll_amount": abs(amount)}


def _at(action: Action, name: str, scheme: Scheme) -> Spot:
    place = _field(action, name)
    if not isinstance(place, Sequence) or len(place) != 2:
        raise ToolError(f"{name} is {place!r}, not [x, y]")
    return scheme.to_spot(*place)


def _there(action: Action, scheme: Scheme) -> Spot:
    return scheme.to_spot(_field(action, "x"), _field(action, "y"))


def _out(given: Action, scheme: Scheme) -> list[float]:
    return list(scheme.from_spot(Spot(given["x"], given["y"])))


def _xy(spot: Spot) -> dict[str, float]:
    return {"x": spot.x, "y": spot.y}


def _place(spot: Spot) -> list[float]:
    return [spot.x, spot.y]


def _chord(text: str) -> list[str]:
    return [_key(key) for key in text.split("+") if key]


def _key(name: str) -> str:
    return KEYS.get(name.lower(), name)


def _field(action: Action, name: str) -> Any:
    if name not in action:
        raise ToolError(f"the action {dict(action)} has no {name!r}")
    return action[name]


def _one_of(action: Action, name: str, allowed: Mapping[str, Any]) -> str:
    given = _field(action, name)
    if given not in allowed:
        raise ToolError(f"{name} is {given!r}, allowed: {', '.join(allowed)}")
    return str(given)
