"""Gold calls name what they press; the expert finds it on the screen as a person does."""

from __future__ import annotations

import pytest

from cadwright.envs.pointing import elements_in, pointed
from cadwright.tools.browsing.elements import Element, element_list
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ToolCall

SCREEN = (
    Element(3, "button", "Extrude", "", (), (0, 0, 100, 20)),
    Element(7, "textbox", "Length", "20 mm", ("focused",), (100, 40, 60, 20)),
    Element(9, "textbox", "Length", "", (), (100, 80, 60, 20)),
    Element(11, "button", 'It\'s "here" at 0.5, 0.5', "", ("disabled",), (0, 90, 10, 10)),
)


def told(*newer: str) -> list[str]:
    listed = f"clicked\n{element_list(SCREEN, 1000, 100)}"
    return [*newer, listed, "[3] button 'Old' at 0, 0"]


def call(name: str, ref: object, **more: object) -> ToolCall:
    return ToolCall(name, {"ref": ref, **more}, "5")


def test_every_line_of_a_list_is_read_back():
    found = elements_in(element_list(SCREEN, 1000, 100))
    assert [(e.ref, e.role, e.name) for e in found] == [(e.ref, e.role, e.name) for e in SCREEN]
    assert (found[0].x, found[0].y) == (0.05, 0.1)


def test_a_name_becomes_the_number_of_the_newest_list():
    (found,) = pointed(call("click_ref", {"name": "Extrude"}), told("no list here"))
    assert found == call("click_ref", 3)


def test_the_second_of_a_name_is_found():
    (found,) = pointed(call("set_ref", {"name": "Length", "nth": 1}, text="5"), told())
    assert found.arguments == {"ref": 9, "text": "5"}


def test_by_place_a_click_goes_where_the_element_is():
    (found,) = pointed(call("click_ref", {"name": "Extrude"}), told(), by_place=True)
    assert found.name == "click"
    assert (found.arguments["x"], found.arguments["y"]) == (0.05, 0.1)


def test_by_place_a_field_is_filled_by_mouse_and_keyboard():
    found = pointed(call("set_ref", {"name": "Length"}, text="5"), told(), by_place=True)
    assert [c.name for c in found] == ["click", "press", "type_text", "press"]
    assert not any("ref" in c.arguments for c in found)


def test_what_is_not_on_the_screen_is_refused_with_the_nearest_name():
    with pytest.raises(UsageError, match="did you mean 'Extrude'"):
        pointed(call("click_ref", {"name": "Extrud"}), told())


def test_other_calls_stay_as_they_are():
    plain = ToolCall("press", {"keys": "Enter"})
    assert pointed(plain, told(), by_place=True) == (plain,)
