"""The modeller by mouse: sketches, picks, the camera."""

from __future__ import annotations

import math

import pytest
from modeller_driver import PLATE, ROUND, Modeller, picture

pytestmark = pytest.mark.browser


def test_a_sketch_is_drawn_by_mouse_and_extruded(modeller: Modeller) -> None:
    modeller.press("sketch")
    modeller.click(0, 0, 0)
    modeller.click(40, 30, 0)
    modeller.press("tool-circle")
    modeller.drag((20, 15, 0), (25, 15, 0))
    modeller.press("finish-sketch", "extrude")
    modeller.put("length", "1 cm")
    assert modeller.volume() == pytest.approx((1200 - 25 * math.pi) * 10, rel=ROUND)


def test_a_closed_chain_of_lines_is_an_outline(modeller: Modeller) -> None:
    modeller.press("sketch", "tool-line")
    for point in [(0, 0), (30, 0), (30, 20), (0, 0)]:
        modeller.click(*point, 0)
    modeller.press("finish-sketch", "extrude")
    assert modeller.volume() == pytest.approx(3000)


def test_an_arc_goes_through_its_third_point(modeller: Modeller) -> None:
    modeller.press("sketch", "tool-arc")
    for point in [(-10, 0), (10, 0), (0, 10)]:
        modeller.click(*point, 0)
    modeller.press("tool-line")
    modeller.click(-10, 0, 0)
    modeller.click(10, 0, 0)
    modeller.press("finish-sketch", "extrude")
    assert modeller.volume() == pytest.approx(50 * math.pi * 10, rel=ROUND)


def test_nearly_level_lines_become_level(modeller: Modeller) -> None:
    modeller.press("sketch", "tool-line")
    modeller.click(0, 0, 0)
    modeller.click(40, 1, 0)
    params = modeller.state()["document"]["features"][0]["params"]
    assert params["entities"][0]["constraint"] == "horizontal"
    assert params["points"][0]["y"] == params["points"][1]["y"]


def test_a_shape_of_a_sketch_is_dragged(modeller: Modeller) -> None:
    modeller.press("sketch")
    modeller.click(0, 0, 0)
    modeller.click(20, 10, 0)
    modeller.press("tool-select")
    modeller.drag((10, 0, 0), (15, 5, 0))
    entity = modeller.state()["document"]["features"][0]["params"]["entities"][0]
    assert (entity["x"], entity["y"]) == (5, 5)


def test_a_sketch_that_is_seen_from_its_edge_is_turned_first(modeller: Modeller) -> None:
    modeller.press("sketch", "view-front")
    modeller.click(0, 0, 0)
    assert "seen from its edge" in modeller.error()
    modeller.click(0, 0, 0)
    modeller.click(20, 10, 0)
    entity = modeller.state()["document"]["features"][0]["params"]["entities"][0]
    assert (entity["width"], entity["height"]) == (20, 10)


def test_a_sketch_lies_on_the_picked_face(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.click(30, 20, 10)
    modeller.press("sketch")
    modeller.click(10, 10, 10)
    modeller.click(20, 20, 10)
    modeller.press("finish-sketch", "extrude")
    modeller.put("length", "5")
    assert modeller.volume() == pytest.approx(24500)
    modeller.choose("operation", "Cut")
    modeller.choose("direction", "Backward")
    assert modeller.volume() == pytest.approx(23500)


def test_a_hole_goes_where_the_face_was_picked(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.click(45, 25, 10)
    modeller.press("hole")
    params = modeller.state()["document"]["features"][1]["params"]
    assert (params["plane"], params["x"], params["y"]) == ("f1:top", 45, 25)


def test_picked_edges_are_rounded(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.click(60, 0, 5)
    modeller.click(60, 40, 5, modifiers=["Control"])
    assert modeller.selected() == ["f1:front|f1:right", "f1:back|f1:right"]
    modeller.press("round")
    modeller.put("size", "4")
    assert modeller.volume() == pytest.approx(24000 - (4 - math.pi) * 80, rel=1e-4)


def test_the_upright_edges_of_the_open_box_are_rounded_at_once(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.press("feature-f1", "chamfer")
    assert len(modeller.state()["document"]["features"][1]["params"]["edges"]) == 4


def test_two_bodies_are_combined(modeller: Modeller) -> None:
    modeller.press("box", "box")
    modeller.choose("operation", "New body")
    modeller.put("z", "5")
    modeller.press("intersect")
    assert modeller.volume() == pytest.approx(40 * 30 * 5)


def test_faces_and_edges_are_picked_on_the_canvas(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.click(30, 20, 10)
    assert modeller.selected() == ["f1:top"]
    modeller.click(30, 0, 5)
    assert modeller.selected() == ["f1:front"]
    modeller.click(30, 0, 10)
    assert modeller.selected() == ["f1:front|f1:top"]


def test_a_click_beside_the_part_picks_nothing(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.click(30, 20, 10)
    modeller.click(80, -30, 0)
    assert modeller.selected() == []


def test_what_is_under_the_pointer_is_coloured(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    before = picture(modeller)
    modeller.page.mouse.move(*modeller.pixel(30, 20, 10))
    assert picture(modeller) != before
    modeller.page.mouse.move(1, 1)
    assert picture(modeller) == before


def test_a_left_drag_turns_and_picks_nothing(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    before = modeller.pixel(60, 0, 0)
    modeller.drag((30, 20, 10), (40, 20, 10))
    assert modeller.pixel(60, 0, 0) != pytest.approx(before)
    assert modeller.selected() == []


def test_the_wheel_zooms_about_the_pointer(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    corner = (60, 0, 10)
    x, y = modeller.pixel(*corner)
    far = modeller.pixel(0, 0, 0)
    modeller.page.mouse.move(x, y)
    modeller.page.mouse.wheel(0, -300)
    modeller.page.wait_for_function(
        "x => Math.abs(__cadwright.project([0, 0, 0])[0] - x) > 5", arg=far[0]
    )
    assert modeller.pixel(*corner) == pytest.approx((x, y), abs=1)  # whole pixels in a wheel event


def test_a_right_drag_pans_by_the_way_of_the_pointer(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    x, y = modeller.pixel(0, 0, 0)
    mouse = modeller.page.mouse
    mouse.move(500, 600)
    mouse.down(button="right")
    mouse.move(530, 580, steps=5)
    mouse.up(button="right")
    assert modeller.pixel(0, 0, 0) == pytest.approx((x + 30, y - 20))


@pytest.mark.parametrize(
    ("view", "hidden", "shown"),
    [("top", "z", "xy"), ("front", "y", "xz"), ("right", "x", "yz")],
    ids=["top", "front", "right"],
)
def test_standard_views_are_square_to_their_axis(
    modeller: Modeller, view: str, hidden: str, shown: str
) -> None:
    modeller.reset(PLATE)
    modeller.press(f"view-{view}")
    origin = modeller.pixel(0, 0, 0)
    unit = {"x": (10, 0, 0), "y": (0, 10, 0), "z": (0, 0, 10)}
    assert modeller.pixel(*unit[hidden]) == pytest.approx(origin)
    right, up = (modeller.pixel(*unit[axis]) for axis in shown)
    assert right[0] > origin[0]
    assert up[1] < origin[1]
