"""What callouts say, and what they refuse to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.tools.drawing.callout import Callout, number_text
from cadwright.tools.drawing.lettering import runs, signs, width, writable
from cadwright.tools.errors import UsageError

ENDS = ((0.0, 0.0, 0.0), (10.0, 0.0, 0.0))


def callout(kind="linear", text="", value=10.0, points=ENDS, **others):
    return Callout("size", kind, "front", points, value, text, others)


@pytest.mark.parametrize(
    ("kind", "points", "written"),
    [
        ("linear", ENDS, "10"),
        ("diameter", ENDS, "⌀10"),
        ("radius", ENDS, "R10"),
        ("angle", (*ENDS, (0.0, 0.0, 5.0)), "10°"),
    ],
    ids=["linear", "diameter", "radius", "angle"],
)
def test_a_bare_number_has_the_sign_of_its_kind(kind, points, written):
    assert callout(kind, points=points).written()[0] == written


@given(st.floats(0.001, 9999), st.integers(1, 99))
def test_fields_point_at_the_numbers_in_the_text(value, many):
    made = callout("diameter", "{many}x ⌀{value} THROUGH ALL OF THE WALL", value, many=many)
    text, fields = made.written()
    assert {f.name: text[f.start : f.stop] for f in fields} == {
        "many": str(many),
        "size": number_text(value),
    }


def test_long_text_goes_on_in_the_next_line():
    text, _ = callout("note", "a word and another word and one more").written()
    assert all(len(line) <= 20 for line in text.split("\n"))
    assert text.replace("\n", " ") == "a word and another word and one more"


@pytest.mark.parametrize(
    ("value", "text"), [(80.0, "80"), (6.6, "6.6"), (0.125, "0.125"), (4, "4"), (1 / 3, "0.333")]
)
def test_numbers_have_three_decimals_at_most(value, text):
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"points": ENDS[:1]}, "a linear has 2 points, not 1"),
        ({"kind": "angle"}, "a angle has 3 points, not 2"),
        ({"value": None}, "neither a number nor words"),
    ],
    ids=["one point", "no leg", "nothing to say"],
)
def test_what_cannot_be_drawn_is_refused(settings, message):
    with pytest.raises(UsageError, match=message):
        callout(**settings)


def test_a_text_that_names_an_unknown_number_is_refused():
    with pytest.raises(UsageError, match="names 'depth'"):
        callout(text="{value} x {depth}").written()


def test_signs_that_the_font_lacks_are_replaced_or_refused():
    assert writable("4×Ø6 ↧12") == "4x⌀6 DEEP 12"
    with pytest.raises(UsageError, match="has no '漢'"):
        writable("漢")


def test_a_line_is_as_wide_as_its_runs_and_signs():
    words = "4x ⌀6.6 / ⌀11"
    last = runs(words)[-1]
    assert last.left + width(last.words) == pytest.approx(width(words))
    assert len(signs(words)) == 4  # a ring and a slash for each
