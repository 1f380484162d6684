"""Actions of the two common computer-use schemas become our calls, at the places they mean."""

from __future__ import annotations

import pytest

from cadwright.tools.browsing.computer_use import (
    from_action_schema,
    from_type_schema,
    in_scheme,
    to_action_schema,
)
from cadwright.tools.browsing.coordinates import PixelGrid, Steps
from cadwright.tools.errors import ToolError
from cadwright.tools.tool import ToolCall

GRID = PixelGrid(1024, 768)
BY_ACTION = {
    "click": {"action": "left_click", "coordinate": [511, 383]},
    "right click": {"action": "right_click", "coordinate": [10, 20]},
    "triple click": {"action": "triple_click", "coordinate": [10, 20]},
    "click with a key held": {"action": "left_click", "coordinate": [9, 9], "text": "Shift"},
    "move": {"action": "mouse_move", "coordinate": [0, 767]},
    "drag": {
        "action": "left_click_drag",
        "start_coordinate": [100, 100],
        "coordinate": [300, 200],
    },
    "scroll": {
        "action": "scroll",
        "coordinate": [512, 384],
        "scroll_direction": "up",
        "scroll_amount": 3.0,
    },
    "key": {"action": "key", "text": "Control+z"},
    "type": {"action": "type", "text": "12.5"},
    "wait": {"action": "wait", "duration": 1.5},
    "screenshot": {"action": "screenshot"},
}


@pytest.mark.parametrize("action", BY_ACTION.values(), ids=BY_ACTION)
def test_an_action_survives_the_way_to_our_call_and_back(action):
    assert to_action_schema(from_action_schema(action, GRID), GRID) == action


def test_a_click_means_the_middle_of_its_pixel():
    call = from_action_schema(BY_ACTION["click"], GRID)
    assert call.arguments["x"] * 1024 == pytest.approx(511.5)
    assert call.arguments["y"] * 768 == pytest.approx(383.5)


BY_TYPE = {
    "click": ({"type": "click", "x": 511, "y": 383, "button": "wheel"}, "click"),
    "double click": ({"type": "double_click", "x": 1, "y": 2}, "click"),
    "drag": ({"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 30, "y": 40}]}, "drag"),
    "scroll": ({"type": "scroll", "x": 5, "y": 5, "scroll_x": 0, "scroll_y": -300}, "scroll"),
    "keypress": ({"type": "keypress", "keys": ["CTRL", "z"]}, "press"),
    "move": ({"type": "move", "x": 5, "y": 6}, "move"),
    "type": ({"type": "type", "text": "40"}, "type_text"),
    "wait": ({"type": "wait"}, "wait"),
    "screenshot": ({"type": "screenshot"}, "screenshot"),
}


@pytest.mark.parametrize(("action", "name"), BY_TYPE.values(), ids=BY_TYPE)
def test_an_action_with_a_type_becomes_the_call_of_that_meaning(action, name):
    assert from_type_schema(action, GRID).name == name


def test_details_of_actions_with_a_type_are_kept():
    calls = {
        name: from_type_schema(action, GRID).arguments for name, (action, _) in BY_TYPE.items()
    }
    assert calls["click"]["button"] == "middle"
    assert calls["double click"]["count"] == 2
    assert calls["scroll"]["down"] == -3.0
    assert calls["keypress"]["keys"] == "Control+z"
    assert len(calls["drag"]["path"]) == 2


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"action": "left_click", "coordinate": [1024, 5]}, "allowed: 0 to 1023"),
        ({"action": "left_click"}, "no 'coordinate'"),
        ({"action": "left_click", "coordinate": 5}, "not \\[x, y\\]"),
        ({"action": "open_url", "url": "file:///etc/passwd"}, "no action 'open_url'"),
        ({"action": "scroll", "coordinate": [1, 1], "scroll_direction": "in"}, "allowed: down"),
    ],
    ids=["outside", "no place", "no pair", "an address", "direction"],
)
def test_what_has_no_meaning_here_is_refused_in_words(action, said):
    with pytest.raises(ToolError, match=said):
        from_action_schema(action, GRID)


def test_our_own_calls_in_another_dialect_become_fractions():
    scheme = Steps(1000)
    click = in_scheme(ToolCall("click", {"x": 500, "y": 250}, "7"), scheme)
    assert (click.arguments["x"], click.arguments["y"], click.id) == (0.5, 0.25, "7")
    drag = in_scheme(ToolCall("drag", {"path": [[0, 0], [1000, 1000]]}), scheme)
    assert drag.arguments["path"] == [[0.0, 0.0], [1.0, 1.0]]
    zoom = in_scheme(ToolCall("zoom", {"left": 0, "top": 0, "right": 500, "bottom": 100}), scheme)
    assert zoom.arguments == {"left": 0.0, "top": 0.0, "right": 0.5, "bottom": 0.1}
