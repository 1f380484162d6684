"""A part against its own image: seen on its surface, or decided by a boolean."""

import numpy as np
import pytest
from constraint_parts import cq, drilled, part_of

from cadwright.rewards.constraints.own_image import HIDDEN, TRUSTED, own_image
from cadwright.rewards.shape import inspected
from cadwright.tools.geometry.part import Tessellation
from cadwright.tools.geometry.symmetry import image_iou, mirroring, turning

X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
USUAL = Tessellation()


def shape_of(made):
    return inspected(part_of(made), USUAL).shape


def exact(shape, motion, point):
    return 100.0 * (1.0 - image_iou(shape.solid.manifold, motion, point))


def centred(shape, place=(0.0, 0.0, 0.0)):
    return np.array(place) - shape.solid.centre


def lofted():
    return cq.Workplane().rect(40, 30).workplane(offset=40).circle(12).loft(combine=True)


@pytest.mark.parametrize("motion", [mirroring(X), turning(Z, np.pi)], ids=["mirror", "half-turn"])
def test_a_symmetric_part_needs_no_boolean(motion):
    shape = shape_of(drilled())
    found = own_image(shape, motion, centred(shape), 1.0)
    assert not found.is_exact
    assert found.differs < 0.05


@pytest.mark.parametrize("made", [drilled(), lofted()], ids=["plate", "loft"])
def test_an_estimate_that_decides_lies_as_near_to_the_boolean_as_it_says(made):
    shape = shape_of(made)
    found = own_image(shape, mirroring(X), centred(shape), 1.0)
    assert not found.is_exact
    wanted = exact(shape, mirroring(X), centred(shape))
    assert wanted <= TRUSTED * found.differs + HIDDEN


@pytest.mark.parametrize(
    "made",
    [
        drilled(corners=[(20.0, 0.0)], diameter=12.0),
        drilled().translate((1.0, 0.0, 0.0)),
        drilled().union(cq.Workplane().box(6, 6, 30).translate((15, 0, 10))),
    ],
    ids=["one-hole", "beside-the-plane", "post"],
)
def test_what_is_not_symmetric_gets_the_number_of_the_boolean(made):
    shape = shape_of(made)
    found = own_image(shape, mirroring(X), centred(shape), 1.0)
    assert found.is_exact
    assert found.differs == pytest.approx(exact(shape, mirroring(X), centred(shape)))


def test_a_tolerance_below_what_points_can_hide_is_left_to_the_boolean():
    shape = shape_of(drilled())
    assert own_image(shape, mirroring(X), centred(shape), HIDDEN / 2).is_exact


def test_a_small_hole_that_breaks_the_symmetry_shows_where_it_may_not_be():
    shape = shape_of(drilled().faces(">Z").workplane(origin=(10, 0, 10)).hole(3.0))
    asked = own_image(shape, mirroring(X), centred(shape), 0.2)
    assert asked.is_exact
    assert asked.differs > 0.2
