"""Whole drawings: standard views, nothing overlapping, the same every time."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from drawn import DRAWN, PLATE, WEDGE, cq, outlines, part_of

from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.crowd import boxes_meet
from cadwright.tools.drawing.draw import draw, draw_part
from cadwright.tools.drawing.paper import Fill, Label, Path, padded
from cadwright.tools.drawing.raster import ink
from cadwright.tools.drawing.sheet import SheetSettings, scales
from cadwright.tools.drawing.svg import svg_text
from cadwright.tools.errors import GeometryError, UsageError
from cadwright.tools.geometry.client import GeometryClient
from cadwright.tools.geometry.hidden_lines import outlines_of
from cadwright.tools.geometry.jobs import JOBS
from cadwright.tools.geometry.outlines import VIEWS

INKED = 128

every_part = pytest.mark.parametrize("name", DRAWN)
both_angles = pytest.mark.parametrize("angle", ["third", "first"])


def view(drawing, name):
    return next(v for v in drawing.data.views if v.name == name)


@every_part
@both_angles
def test_text_touches_no_line(drawing_of, name, angle):
    items = drawing_of(name, angle).items
    text = ink([item for item in items if isinstance(item, Label)], 768).min(axis=2) < INKED
    lines = ink([item for item in items if not isinstance(item, Label)], 768).min(axis=2) < INKED
    assert not (text & lines).any()


@every_part
@both_angles
def test_texts_touch_no_text(drawing_of, name, angle):
    boxes = [item.box for item in drawing_of(name, angle).items if isinstance(item, Label)]
    assert not any(boxes_meet(a, b) for a, b in combinations(boxes, 2))


@pytest.mark.parametrize("words", ["80", "4x ⌀6.6 THRU", "R2.5", "45°"])
def test_a_label_is_inked_inside_its_box(words):
    label = Label((words,), (100.0, 60.0))
    rows, columns = np.nonzero(ink([label], 1188).min(axis=2) < INKED)  # four pixels a mm
    left, top, right, low = padded(label.box, 0.5)
    assert left < columns.min() / 4 < columns.max() / 4 < right
    assert top < rows.min() / 4 < rows.max() / 4 < low


@every_part
@both_angles
def test_views_lie_apart_and_inside_the_frame(drawing_of, name, angle):
    drawing = drawing_of(name, angle)
    covered = np.zeros((drawing.data.height_px, drawing.data.width_px), int)
    for seen in drawing.data.views:
        left, top, right, low = (round(v) for v in seen.box_px)
        covered[top:low, left:right] += 1
        assert 16 < left < right < 752
        assert 16 < top < low < 480
    assert covered.max() == 1


def test_third_angle_puts_the_top_view_above_and_the_right_view_to_the_right(drawing_of):
    drawing = drawing_of("wedge", "third")
    front, top, right = (view(drawing, n) for n in ("front", "top", "right"))
    assert top.origin_px[0] == front.origin_px[0]
    assert top.box_px[3] < front.box_px[1]
    assert right.origin_px[1] == front.origin_px[1]
    assert right.box_px[0] > front.box_px[2]


def test_first_angle_puts_the_top_view_below_and_the_right_view_to_the_left(drawing_of):
    drawing = drawing_of("wedge", "first")
    front, top, right = (view(drawing, n) for n in ("front", "top", "right"))
    assert top.box_px[1] > front.box_px[3]
    assert right.box_px[2] < front.box_px[0]


def test_what_is_turned_needs_no_side_view(drawing_of):
    assert [v.name for v in drawing_of("shaft").data.views] == ["front", "top", "iso"]


@every_part
def test_views_have_the_size_that_the_scale_says(drawing_of, name):
    drawing = drawing_of(name)
    front = view(drawing, "front")
    xs = [p[0] for path in outlines(name).views[0].visible.paths() for p in path]
    width_mm = max(xs) - min(xs)
    assert front.box_px[2] - front.box_px[0] == pytest.approx(
        width_mm * drawing.data.px_per_mm, abs=0.01
    )


@every_part
def test_the_same_part_gives_the_same_pixels(drawing_of, name):
    first = drawing_of(name)
    settings = SheetSettings(title=name, material="S235JR")
    assert np.array_equal(draw(outlines(name), DRAWN[name][1], settings).pixels, first.pixels)


def test_a_large_part_is_reduced_and_a_small_one_enlarged():
    boxes = [cq.Workplane().box(s, s / 2, s / 4) for s in (3, 900)]
    made = [draw(outlines_of(part_of(box), VIEWS), ()).data.scale for box in boxes]
    assert made == ["50:1", "1:5"]


def test_scales_are_standard_and_fall():
    found = list(scales())
    assert all(a.k > b.k for a, b in pairwise(found))
    assert {"1:1", "1:2", "1:5", "2:1", "5:1", "10:1"} <= {str(scale) for scale in found}


def test_a_callout_that_does_not_fit_the_part_is_named():
    wrong = replace(PLATE[0], value=81.0)
    with pytest.raises(UsageError, match=r"callout 'length': .* 80 x 0 mm .* not 81"):
        draw(outlines("plate"), (wrong,))


def test_an_angle_that_does_not_fit_the_part_is_named():
    wrong = replace(WEDGE[2], value=59.0)
    with pytest.raises(UsageError, match="its legs stand at 60 degrees"):
        draw(outlines("wedge"), (wrong,))


def test_more_callouts_than_a_sheet_holds_are_an_error():
    note = Callout("", "note", "front", ((0.0, -30.0, 5.0),), None, "ENDLESS" * 40)
    with pytest.raises(GeometryError, match="1 callouts find no room"):
        draw(outlines("plate"), (note,))


def test_a_general_note_stands_below_the_views(drawing_of):
    labels = [i for i in drawing_of("wedge").items if isinstance(i, Label)]
    assert any(label.lines == ("1. BREAK ALL EDGES 0.3",) for label in labels)


def test_a_drawing_is_as_wide_as_asked_for():
    drawing = draw(outlines("wedge"), WEDGE, SheetSettings(width_px=1000))
    assert drawing.pixels.shape == (707, 1000, 3)
    assert "/1000x707/" in drawing.render_id


def test_svg_has_every_text(drawing_of):
    text = svg_text(drawing_of("plate"))
    assert all(f">{words}</text>" in text for words in ("80", "6.6 THRU", "4x R6", "SCALE 2:1"))


def test_a_part_is_drawn_through_its_worker():
    class Worker:
        def call(self, job, header, blobs=(), *, timeout_s):
            return JOBS[job](header, list(blobs))

    drawing = draw_part(GeometryClient(Worker()), part_of(DRAWN["wedge"][0]()), WEDGE)
    assert {v.name for v in drawing.data.views} == set(VIEWS)


@pytest.mark.parametrize(
    "settings", [{"width_px": 100}, {"angle": "second"}], ids=["narrow", "angle"]
)
def test_wrong_settings_are_refused(settings):
    with pytest.raises(UsageError, match="allowed are"):
        SheetSettings(**settings)


def test_an_axis_letter_on_a_crowded_view_gets_blank_paper():
    comb = cq.Workplane().box(80, 40, 20)
    slots = comb.faces(">Z").workplane().rarray(1.6, 1, 49, 1).rect(0.8, 50).cutBlind(-10)
    items = draw(outlines_of(part_of(slots), VIEWS), ()).items
    assert any(isinstance(item, Fill) and item.pen == "paper" for item in items)


def test_centre_lines_end_with_the_part():
    half = cq.Workplane("XZ").moveTo(-20, 0).threePointArc((0, 20), (20, 0)).close().extrude(30)
    drawing = draw(outlines_of(part_of(half), VIEWS), ())
    low = view(drawing, "front").box_px[3] * 297 / 768
    centres = [i for i in drawing.items if isinstance(i, Path) and i.pen == "centre"]
    feet = [max(y for _, y in line.points) for line in centres]
    assert not any(low + 3.0 < foot < 180.0 for foot in feet)
