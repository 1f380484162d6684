"""Facets do not depend on the way a part is turned."""

import cadquery as cq
import numpy as np
import pytest

from cadwright.tools.geometry.explored import Explored
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.own_size import own_diagonal_mm
from cadwright.tools.geometry.part import Part


def plate():
    return cq.Workplane().box(60, 40, 8).faces(">Z").workplane().hole(12)


def flange():
    return cq.Workplane().circle(30).extrude(6).faces(">Z").circle(12).extrude(20)


def prism():
    return cq.Workplane().polygon(6, 30).extrude(50).faces(">Z").workplane().hole(9)


def wedge():
    return cq.Workplane("XZ").polyline([(0, 0), (50, 0), (0, 20)]).close().extrude(30)


PARTS = [plate, flange, prism, wedge]


def turned(shape, degrees):
    about_x = shape.val().rotate(cq.Vector(), cq.Vector(1, 0, 0), degrees)
    return about_x.rotate(cq.Vector(), cq.Vector(0.3, 1, 0.2), 0.7 * degrees)


def mesh_of(shape):
    return inspect_part(Part(brep=brep_bytes(shape.wrapped))).mesh


def diagonal(shape):
    box = shape.BoundingBox()
    bounds = np.array([[box.xmin, box.ymin, box.zmin], [box.xmax, box.ymax, box.zmax]])
    return own_diagonal_mm(Explored(shape.wrapped), bounds)


@pytest.mark.parametrize("made", PARTS)
@pytest.mark.parametrize("degrees", [17.0, 45.0, 131.0])
def test_a_turned_part_has_the_same_facets(made, degrees):
    first, second = mesh_of(made().val()), mesh_of(turned(made(), degrees))
    assert len(first.faces) == len(second.faces)
    assert len(first.vertices) == len(second.vertices)


@pytest.mark.parametrize("made", PARTS)
@pytest.mark.parametrize("degrees", [17.0, 45.0, 131.0])
def test_the_size_of_a_part_does_not_depend_on_its_pose(made, degrees):
    assert diagonal(turned(made(), degrees)) == pytest.approx(diagonal(made().val()), rel=1e-6)


def test_a_part_along_the_axes_is_as_large_as_its_box():
    shape = plate().val()
    assert diagonal(shape) == shape.BoundingBox().DiagonalLength


def test_a_free_form_part_is_as_large_as_its_box():
    ball = cq.Workplane().sphere(10).val()
    assert diagonal(ball) == ball.BoundingBox().DiagonalLength
