"""Features on the wire: what goes in comes out, and nothing else is let in."""

from __future__ import annotations

import json

import pytest
from featured import FEATURED, features, top
from solids import part_from

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.feature_wire import decode_record, encode_record
from cadwright.tools.geometry.features import Features
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.wire import WireError


def over_wire(record):
    return json.loads(json.dumps(encode_record(record), allow_nan=False))


@pytest.mark.parametrize("name", FEATURED)
def test_features_come_back_equal(name):
    found = features(FEATURED[name]())
    assert decode_record(Features, over_wire(found)) == found


def test_a_client_gets_features(client):
    part = part_from(top().hole(6))
    assert client.features(part) == features(part)


def test_a_client_is_told_that_there_is_nothing(client):
    with pytest.raises(GeometryError, match="no geometry"):
        client.features(Part(name="nothing"))


def spoiled(path, value):
    header = over_wire(features(top().cboreHole(6, 12, 4)))
    place = header
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return header


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["holes", 0, "diameter_mm"], float("nan")),
        (["holes", 0, "diameter_mm"], "6"),
        (["holes", 0, "is_through"], 1),
        (["holes", 0, "axis"], [0.0, 1.0]),
        (["holes", 0, "bottom"], "square"),
        (["holes", 0, "faces"], [1.5]),
        (["holes", 0, "counterbore"], {"diameter_mm": 1.0}),
        (["holes"], {}),
        (["source"], None),
        (["extra"], 1),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_wrong_value_is_refused(path, value):
    with pytest.raises(WireError):
        decode_record(Features, spoiled(path, value))
