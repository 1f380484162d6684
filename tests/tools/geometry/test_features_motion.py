"""Laws of recognition: a motion moves what is found, a scale scales it."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from functools import cache

import numpy as np
import pytest
from featured import FEATURED, features, moved
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import part_from

from cadwright.tools.geometry.features import Features, HoleFeature, Pocket, Slot

gp = pytest.importorskip("OCP.gp")

COMPOUND = (
    "holes", "slots", "pockets", "bosses", "fillets", "chamfers", "shafts", "walls", "patterns"
)  # fmt: skip
TURNS = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1)


@cache
def part(name):
    return part_from(FEATURED[name](), name)


@cache
def still(name):
    return features(part(name))


def motion(axis, angle, shift):
    turn, way = gp.gp_Trsf(), gp.gp_Trsf()
    turn.SetRotation(gp.gp_Ax1(gp.gp_Pnt(0, 0, 0), gp.gp_Dir(*axis)), angle)
    way.SetTranslation(gp.gp_Vec(*shift))
    return way.Multiplied(turn)


def matrix(transformation):
    rows = [[transformation.Value(r, c) for c in range(1, 5)] for r in range(1, 4)]
    return np.array(rows)


def numbers(record, factor=1.0):
    """Return every number of a record but places and directions, lengths divided by factor."""
    found = []
    for field in fields(record):
        value = getattr(record, field.name)
        if field.name in ("faces", "holes", "steps", "edges") or field.name.endswith("position_mm"):
            continue
        if field.name in ("centre_mm", "end_mm", "axis", "direction", "normal", "residual_mm"):
            continue
        scale = factor if field.name.endswith("_mm") else 1.0
        if isinstance(value, tuple):
            found.append(tuple(round(v / scale, 5) for v in value))
        elif isinstance(value, float):
            found.append(round(value / scale, 5) + 0.0)
        elif hasattr(value, "diameter_mm"):
            found.append(numbers(value, factor))
        else:
            found.append(value)
    return tuple(found)


def summary(found: Features, factor=1.0):
    return {kind: Counter(numbers(r, factor) for r in getattr(found, kind)) for kind in COMPOUND}


def middle(record):
    """Return a point of a feature that does not depend on which end is called its entry."""
    if isinstance(record, HoleFeature):
        return 0.5 * (np.array(record.position_mm) + np.array(record.end_mm))
    if isinstance(record, Slot | Pocket):
        return np.array(record.position_mm) + 0.5 * record.depth_mm * np.array(record.axis)
    return np.array(getattr(record, "position_mm", getattr(record, "centre_mm", None)))


@pytest.mark.parametrize("name", FEATURED)
@settings(max_examples=3, deadline=None)
@given(axis=TURNS, angle=st.floats(0, 6.3), shift=st.tuples(*[st.floats(-500, 500)] * 3))
def test_a_motion_keeps_every_size(name, axis, angle, shift):
    found = features(moved(part(name), motion(axis, angle, shift)))
    assert summary(found) == summary(still(name))


@pytest.mark.parametrize("name", FEATURED)
@settings(max_examples=3, deadline=None)
@given(axis=TURNS, angle=st.floats(0, 6.3), shift=st.tuples(*[st.floats(-500, 500)] * 3))
def test_a_motion_moves_every_feature(name, axis, angle, shift):
    transformation = motion(axis, angle, shift)
    turn = matrix(transformation)
    found = features(moved(part(name), transformation))
    for kind in COMPOUND[:-1]:
        places = [middle(record) for record in getattr(found, kind)]
        for record in getattr(still(name), kind):
            wanted = turn[:, :3] @ middle(record) + turn[:, 3]
            assert min(np.linalg.norm(wanted - place) for place in places) < 1e-4


@pytest.mark.parametrize("name", FEATURED)
@pytest.mark.parametrize("factor", [0.025, 12.5], ids=["1 mm", "500 mm"])
def test_a_scale_scales_every_size(name, factor):
    scale = gp.gp_Trsf()
    scale.SetScaleFactor(factor)
    found = features(moved(part(name), scale))
    assert summary(found, factor) == summary(still(name))


@pytest.mark.parametrize("name", FEATURED)
def test_a_mirror_image_has_the_same_features(name):
    mirror = gp.gp_Trsf()
    mirror.SetMirror(gp.gp_Ax2(gp.gp_Pnt(1, 2, 3), gp.gp_Dir(1, 2, 2)))
    assert summary(features(moved(part(name), mirror))) == summary(still(name))
