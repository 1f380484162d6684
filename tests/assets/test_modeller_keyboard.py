"""The modeller without a mouse, and what it says of itself to those who do not see it."""

from __future__ import annotations

import math

import pytest
from modeller_driver import PLATE, ROUND, Modeller, feature

pytestmark = pytest.mark.browser


def test_a_plate_with_a_hole_is_made_without_a_mouse(modeller: Modeller) -> None:
    keys = modeller.page.keyboard
    modeller.page.focus("#box")
    keys.press("Enter")
    modeller.page.focus("#feature-f1")
    keys.press("Enter")  # to the first field
    keys.type("60")
    keys.press("Enter")
    modeller.page.focus("#canvas")
    while modeller.selected() != ["f1:top"]:
        keys.press("PageDown")
    keys.press("h")
    modeller.page.focus("#field-diameter")
    keys.type("8")
    keys.press("Tab")
    assert modeller.volume() == pytest.approx(60 * 300 - math.pi * 160, rel=ROUND)
    keys.press("Escape")
    modeller.page.focus("#canvas")
    keys.press("Control+z")
    keys.press("Control+z")
    assert modeller.volume() == pytest.approx(18000)


def test_a_sketch_is_drawn_without_a_mouse(modeller: Modeller) -> None:
    keys = modeller.page.keyboard
    modeller.page.focus("#canvas")
    keys.press("s")
    keys.press("Enter")  # a rectangle at the origin; the focus goes to its fields
    modeller.page.focus("#field-width")
    keys.type("25")
    keys.press("Enter")
    modeller.page.focus("#canvas")
    for _ in range(3):
        keys.press("Escape")  # the tool, the picked shape, the sketch
    keys.press("e")
    assert modeller.volume() == pytest.approx(25 * 30 * 10)


def test_lists_are_chosen_from_by_keyboard(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.press("feature-f1")
    modeller.page.focus("#field-operation")
    for key in ["ArrowDown", "ArrowDown", "Enter"]:
        modeller.page.keyboard.press(key)
    assert modeller.state()["document"]["features"][0]["params"]["operation"] == "add"


def test_tab_reaches_the_bars_the_canvas_and_the_fields(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.press("feature-f1")
    modeller.page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(70):
        modeller.page.keyboard.press("Tab")
        reached.add(modeller.page.evaluate("document.activeElement.id"))
    assert {"new", "units", "box", "feature-f1", "delete", "canvas", "view-top"} <= reached
    assert {"feature-name", "field-width", "field-operation"} <= reached


def test_everything_that_can_be_used_has_a_role_and_a_name(modeller: Modeller) -> None:
    modeller.reset(PLATE, feature("sketch", 2, points=[], entities=[]))
    modeller.press("feature-f1")
    tree = modeller.page.locator("body").aria_snapshot()
    for line in (
        'toolbar "File"',
        'button "Export STL"',
        'treeitem "box 1"',
        'combobox "Units"',
        'textbox "Width (X)"',
        'combobox "Operation"',
        'application "3D view',
        "status",
    ):
        assert line in tree
    nameless = modeller.page.evaluate(
        """() => [...document.querySelectorAll('button, input')].filter((node) =>
            !node.getAttribute('aria-label') && !node.textContent.trim() && !node.labels?.length
        ).map((node) => node.outerHTML)"""
    )
    assert nameless == []
