"""A mirror is judged by halves: the same number as by the whole part."""

import cadquery as cq
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.solids import manifold_of
from cadwright.tools.geometry.symmetry import image_iou, mirroring, turning

UNITS = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1)


@pytest.fixture(scope="module")
def solid():
    foot = cq.Workplane().box(40, 20, 5)
    body = foot.union(cq.Workplane().box(6, 4, 20, centered=(True, True, False)).translate((9, 5)))
    mesh = inspect_part(Part(brep=brep_bytes(body.val().wrapped))).mesh
    return manifold_of(mesh.vertices, mesh.faces)


def whole_iou(solid, motion, point):
    centred = solid.translate((-point).tolist())
    shared = (centred ^ centred.transform(np.column_stack([motion, np.zeros(3)]))).volume()
    return shared / (2.0 * solid.volume() - shared)


@settings(max_examples=25, deadline=None)
@given(normal=UNITS, point=st.tuples(*[st.floats(-15.0, 15.0)] * 3))
def test_two_halves_say_what_the_whole_says(solid, normal, point):
    motion = mirroring(np.array(normal) / np.linalg.norm(normal))
    place = np.array(point)
    assert image_iou(solid, motion, place) == pytest.approx(whole_iou(solid, motion, place))


def test_plane_beside_the_part_shares_nothing(solid):
    assert image_iou(solid, mirroring(np.array([1.0, 0.0, 0.0])), np.array([100.0, 0, 0])) == 0.0


def test_half_turn_is_no_mirror(solid):
    motion, place = turning(np.array([0.0, 0.0, 1.0]), np.pi), np.zeros(3)
    assert image_iou(solid, motion, place) == pytest.approx(whole_iou(solid, motion, place))
