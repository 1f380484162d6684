"""A stranger reads off a drawing what was put on it, and notices what is wrong."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from drawn import DRAWN

from cadwright.tools.drawing.read_back import measured, read_back
from cadwright.tools.drawing.record import DrawingData
from cadwright.tools.errors import GeometryError

every_part = pytest.mark.parametrize("name", DRAWN)
both_angles = pytest.mark.parametrize("angle", ["third", "first"])


@every_part
@both_angles
def test_every_number_is_read_back_exactly(drawing_of, name, angle):
    callouts = DRAWN[name][1]
    wanted = {c.name: c.value for c in callouts if c.value is not None}
    wanted |= {key: value for c in callouts for key, value in c.others.items()}
    assert read_back(drawing_of(name, angle).data) == wanted


@every_part
def test_lines_are_as_long_as_their_numbers_say(drawing_of, name):
    data = drawing_of(name).data
    for dimension in data.dimensions:
        seen = measured(dimension, data.px_per_mm)
        if seen is not None:
            assert seen == pytest.approx(dimension.value, rel=1e-3)


@every_part
def test_data_survives_json(drawing_of, name):
    data = drawing_of(name).data
    assert DrawingData.from_json(json.loads(json.dumps(data.to_json()))) == data


def test_a_text_that_lies_about_its_line_is_noticed(drawing_of):
    data = drawing_of("plate").data
    lying = tuple(replace(d, text="88") if d.name == "length" else d for d in data.dimensions)
    with pytest.raises(GeometryError, match=r"length: the text says 88, the line .* is 80"):
        read_back(replace(data, dimensions=lying))


def test_two_numbers_for_one_dimension_are_noticed(drawing_of):
    data = drawing_of("plate").data
    extra = replace(data.dimensions[0], kind="note", text="99")
    extra = replace(extra, fields=(replace(extra.fields[0], start=0, stop=2),))
    with pytest.raises(GeometryError, match="one text says"):
        read_back(replace(data, dimensions=(*data.dimensions, extra)))
