"""The modeller as a person uses it: mouse, keyboard, fields, files."""

from __future__ import annotations

import hashlib
import io
import json
import math
from pathlib import Path

import pytest
from modeller_driver import Modeller, feature, open_modeller
from playwright.sync_api import Browser

from cadwright.tools.geometry.client import GeometryClient
from cadwright.tools.sandbox import InProcessWorker

pytestmark = pytest.mark.browser

PLATE = feature("box", 1, width=60, depth=40, height=10)
ROUND = 2e-3


@pytest.fixture(scope="module")
def judge() -> GeometryClient:
    return GeometryClient(InProcessWorker("cadwright.tools.geometry.jobs"))


def picture(modeller: Modeller) -> str:
    """Hash of the pixels of the whole page."""
    from PIL import Image

    modeller.idle()
    image = Image.open(io.BytesIO(modeller.page.screenshot()))
    return hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()


# Building by mouse


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


# Picking and the camera


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


# Properties and errors


def test_an_edited_dimension_changes_the_part(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.press("feature-f1")
    modeller.put("width", "10+5")
    assert modeller.volume() == pytest.approx(6000)
    modeller.put("width", "1/2 in")
    assert modeller.volume() == pytest.approx(12.7 * 400)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("abc", "Width (X): “abc” was given: enter a length such as 12.5, 2 cm, 1/2 in or 10+5."),
        ("", "Width (X): nothing was given"),
        ("-5", "Width (X): -5 mm was given: enter more than 0 mm."),
        ("5 kg", "Width (X): “kg” is not a unit that fits here: use mm, cm, in."),
        ("1e9", "Width (X): 1000000000 mm was given: enter 0 mm to 100000 mm."),
    ],
    ids=["word", "empty", "negative", "unit", "huge"],
)
def test_a_bad_number_is_told_and_changes_nothing(modeller: Modeller, text: str, said: str) -> None:
    modeller.reset(PLATE)
    modeller.press("feature-f1")
    modeller.put("width", text)
    assert said in modeller.error()
    assert modeller.page.get_attribute("#field-width", "aria-invalid") == "true"
    assert modeller.volume() == pytest.approx(24000)
    modeller.page.keyboard.press("Escape")
    assert modeller.page.input_value("#field-width") == "60 mm"


def test_undo_works_in_a_field_that_was_set(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.press("feature-f1")
    modeller.put("width", "20")
    modeller.page.keyboard.press("Control+z")
    assert modeller.volume() == pytest.approx(24000)
    assert modeller.page.input_value("#field-width") == "60 mm"


def test_units_change_what_fields_show_and_not_the_part(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.press("feature-f1", "units")
    modeller.page.get_by_role("option", name="Inches (in)").click()
    assert modeller.page.input_value("#field-width") == "2.3622 in"
    assert modeller.volume() == pytest.approx(24000)
    modeller.put("width", "2")
    assert modeller.volume() == pytest.approx(50.8 * 400)


def test_a_feature_is_renamed(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.press("feature-f1")
    modeller.page.fill("#feature-name", "Base")
    modeller.page.keyboard.press("Enter")
    assert modeller.names() == ["Base"]


# The tree


def test_undo_and_redo_walk_over_every_step(modeller: Modeller) -> None:
    modeller.press("box")
    modeller.put("width", "60")
    modeller.press("cylinder", "undo", "undo")
    assert modeller.volume() == pytest.approx(12000)
    modeller.press("undo")
    assert modeller.state()["bodies"] == []
    modeller.press("redo", "redo")
    assert modeller.volume() == pytest.approx(18000)


def test_a_suppressed_feature_does_not_count(modeller: Modeller) -> None:
    modeller.reset(PLATE, feature("box", 2, width=60, depth=40, height=5, z=10, operation="add"))
    modeller.press("feature-f2", "suppress")
    assert modeller.volume() == pytest.approx(24000)
    modeller.press("suppress")
    assert modeller.volume() == pytest.approx(36000)


def test_order_matters_and_can_be_changed(modeller: Modeller) -> None:
    cut = feature("box", 2, width=10, depth=40, height=30, operation="cut")
    more = feature("box", 3, width=60, depth=40, height=10, z=10, operation="add")
    modeller.reset(PLATE, cut, more)
    assert modeller.volume() == pytest.approx(44000)
    modeller.press("feature-f2", "move-down")
    assert modeller.volume() == pytest.approx(40000)


def test_a_feature_is_dragged_to_another_place(modeller: Modeller) -> None:
    modeller.reset(
        PLATE, feature("sphere", 2, operation="new"), feature("cone", 3, operation="new")
    )
    modeller.page.drag_and_drop("#feature-f3", "#feature-f1")
    assert modeller.names() == ["cone 3", "box 1", "sphere 2"]


def test_a_feature_stays_below_what_it_uses(modeller: Modeller) -> None:
    modeller.reset(PLATE, feature("hole", 2, plane="f1:top", x=20, y=20))
    modeller.press("feature-f2", "move-up")
    assert modeller.error() == "hole 2 uses box 1: it must stay below it."
    modeller.press("feature-f1", "delete")
    assert modeller.error() == "box 1 is used by hole 2: delete that first."


def test_a_feature_stays_below_the_copies_it_stands_on(modeller: Modeller) -> None:
    row = feature("linear", 2, source="f1", count=2, spacing=80)
    modeller.reset(PLATE, row, feature("hole", 3, plane="f1:top~f2.1", x=100, y=20))
    modeller.press("feature-f2", "delete")
    assert modeller.error() == "linear 2 is used by hole 3: delete that first."


def test_a_failing_feature_is_marked_and_the_rest_stays(modeller: Modeller) -> None:
    modeller.reset(PLATE, feature("box", 2, width=5, depth=5, height=20, operation="cut"))
    modeller.press("feature-f2")
    modeller.put("x", "500")
    assert "does not meet a body" in modeller.error()
    assert modeller.page.get_attribute("#feature-f2", "aria-label") == "box 2, error"
    assert modeller.volume() == pytest.approx(24000)


def test_a_hidden_body_is_not_exported(modeller: Modeller) -> None:
    modeller.reset(PLATE, feature("box", 2, x=100, width=10, depth=10, height=10))
    both = len(modeller.stl())
    modeller.press("show-f2")
    assert len(modeller.stl()) == 84 + (both - 84) // 2


# Measuring


def test_the_gap_between_two_faces_is_measured(modeller: Modeller) -> None:
    modeller.reset(PLATE, feature("box", 2, width=10, depth=40, height=25, x=50, operation="add"))
    modeller.press("measure")
    modeller.click(25, 20, 10)
    modeller.click(55, 20, 25)
    rows = modeller.page.inner_text("#between")
    assert "Between faces\n15 mm" in rows


def test_a_hole_shows_its_diameter(modeller: Modeller) -> None:
    modeller.reset(PLATE, feature("hole", 2, plane="f1:top", x=30, y=20, diameter=12))
    modeller.press("measure")
    modeller.click(36, 20, 10)
    assert "Diameter\n12 mm" in modeller.page.inner_text("#picks")


def test_the_figures_of_the_part_are_shown(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    modeller.press("measure")
    text = modeller.page.inner_text("#mass")
    assert "Volume\n24000 mm³" in text
    assert "Size\n60, 40, 10" in text


# Files


@pytest.mark.parametrize("kind", ["stl", "3mf"])
def test_the_judge_measures_the_exported_file_alike(
    modeller: Modeller, judge: GeometryClient, tmp_path: Path, kind: str
) -> None:
    modeller.reset(PLATE, feature("hole", 2, plane="f1:top", x=30, y=20, diameter=12))
    with modeller.page.expect_download() as waiting:
        modeller.press(f"export-{kind}")
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    measures = judge.inspect(judge.read(file)).measures
    assert measures.volume_mm3 == pytest.approx(modeller.volume(), rel=1e-5)
    assert measures.is_watertight


def test_the_same_part_is_the_same_file(modeller: Modeller) -> None:
    hole = feature("hole", 2, plane="f1:top", x=30, y=20)
    modeller.reset(PLATE, hole)
    first = modeller.stl()
    modeller.reset(feature("sphere", 1))
    modeller.reset(PLATE, hole)
    assert modeller.stl() == first


def test_an_exported_file_is_imported_again(modeller: Modeller, tmp_path: Path) -> None:
    modeller.reset(PLATE, feature("hole", 2, plane="f1:top", x=30, y=20))
    volume = modeller.volume()
    file = tmp_path / "plate.stl"
    file.write_bytes(modeller.stl())
    modeller.reset()
    with modeller.page.expect_file_chooser() as waiting:
        modeller.press("import")
    waiting.value.set_files(file)
    modeller.page.wait_for_selector("#feature-f1")
    assert modeller.volume() == pytest.approx(volume, rel=1e-5)


def test_a_file_that_is_no_mesh_is_refused(modeller: Modeller, tmp_path: Path) -> None:
    file = tmp_path / "notes.stl"
    file.write_text("not a mesh")
    with modeller.page.expect_file_chooser() as waiting:
        modeller.press("import")
    waiting.value.set_files(file)
    modeller.page.wait_for_selector("#error:not(:empty)")
    assert "not an STL mesh" in modeller.error()


def test_a_saved_document_opens_again(modeller: Modeller, tmp_path: Path) -> None:
    modeller.reset(PLATE)
    with modeller.page.expect_download() as waiting:
        modeller.press("save")
    file = tmp_path / "part.json"
    waiting.value.save_as(file)
    saved = modeller.state()["hash"]
    modeller.reset()
    with modeller.page.expect_file_chooser() as choosing:
        modeller.press("open")
    choosing.value.set_files(file)
    modeller.page.wait_for_selector("#feature-f1")
    assert modeller.state()["hash"] == saved
    assert json.loads(file.read_text())["features"][0]["params"]["width"] == 60


# The keyboard


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


# Determinism, safety


def test_the_same_document_is_the_same_picture_in_every_context(
    browser: Browser, modeller_url: str
) -> None:
    seen = set()
    for _ in range(2):
        with open_modeller(browser, modeller_url) as page:
            page.reset(PLATE, feature("hole", 2, plane="f1:top", x=30, y=20))
            seen.add(picture(page))
    assert len(seen) == 1


def test_a_reset_brings_back_the_first_picture(modeller: Modeller) -> None:
    first = picture(modeller)
    modeller.press("box", "view-top", "measure")
    modeller.click(20, 15, 10)
    modeller.press("units")
    modeller.reset()
    modeller.page.mouse.move(1, 1)
    assert picture(modeller) == first


def test_nothing_is_drawn_while_nothing_changes(modeller: Modeller) -> None:
    modeller.reset(PLATE)
    drawings = modeller.idle()
    modeller.page.wait_for_timeout(300)
    assert modeller.page.evaluate("__cadwright.seq") == drawings


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0, 3.0])
def test_clicks_land_alike_at_every_pixel_ratio(
    browser: Browser, modeller_url: str, scale: float
) -> None:
    with open_modeller(browser, modeller_url, scale=scale) as page:
        page.reset(PLATE)
        page.click(30, 0, 10)
        assert page.selected() == ["f1:front|f1:top"]
        assert page.faults == []


def test_scripts_of_others_are_refused(modeller: Modeller) -> None:
    modeller.page.evaluate(
        """() => new Promise((resolve) => {
            document.addEventListener('securitypolicyviolation', resolve, { once: true });
            const script = document.createElement('script');
            script.textContent = 'window.injected = true';
            document.body.append(script);
        })"""
    )
    assert modeller.page.evaluate("window.injected") is None
    assert modeller.faults
    modeller.faults.clear()
