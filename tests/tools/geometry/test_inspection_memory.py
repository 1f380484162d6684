"""A part is inspected once for all that is asked of it, and never mixed up with another."""

import cadquery as cq

from cadwright.rewards.shape import inspected
from cadwright.tools.geometry.inspect import KEPT_INSPECTIONS, inspection_of
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Notice, Part, Tessellation


def block(size=10.0, **changes):
    return Part(brep=brep_bytes(cq.Workplane().box(size, size, size).val().wrapped), **changes)


def test_same_part_is_inspected_once():
    assert inspection_of(block(11.0)) is inspection_of(block(11.0))


def test_default_facets_are_the_same_as_those_by_name():
    assert inspection_of(block(12.0)) is inspection_of(block(12.0), tolerance=Tessellation())


def test_facets_name_and_notices_tell_parts_apart():
    first = inspection_of(block(13.0))
    fine = inspection_of(block(13.0), tolerance=Tessellation(angle_deg=5.0))
    other = inspection_of(block(13.0, name="lid"))
    noted = inspection_of(block(13.0, notices=(Notice("units_converted", "inches"),)))
    assert len({id(one) for one in (first, fine, other, noted)}) == 4
    assert noted.notices[0].code == "units_converted"


def test_triangles_are_as_fine_as_they_are_and_inspected_once():
    part = Part(mesh=inspection_of(block(15.5)).mesh, name="facets")
    coarse, fine = Tessellation(angle_deg=30.0), Tessellation(angle_deg=5.0)
    assert inspection_of(part, tolerance=coarse) is inspection_of(part, tolerance=fine)
    assert inspected(part, coarse) is inspected(part, fine)


def test_memory_is_bounded():
    first = inspection_of(block(14.0))
    for number in range(KEPT_INSPECTIONS):
        inspection_of(block(15.0 + number))
    assert inspection_of(block(14.0)) is not first
