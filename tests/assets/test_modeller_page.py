"""The properties, the feature tree and the measurements of the modeller."""

from __future__ import annotations

import pytest
from modeller_driver import PLATE, Modeller, feature

pytestmark = pytest.mark.browser


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
