"""Free-form parts stay light where round ones are asked to be fine."""

import cadquery as cq
import pytest

from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.mass import mesh_mass
from cadwright.tools.geometry.part import Part, Tessellation

FINE = Tessellation(angle_deg=6.0)  # what regions are compared with


def part(made):
    return Part(brep=brep_bytes(made.val().wrapped))


@pytest.fixture(scope="module")
def spring():
    path = cq.Workplane(cq.Wire.makeHelix(6, 12, 12))
    return part(cq.Workplane("XZ").center(12, 0).circle(1.5).sweep(path, isFrenet=True))


def test_a_spring_is_hardly_heavier_for_a_finer_angle(spring):
    usual, fine = inspect_part(spring), inspect_part(spring, tolerance=FINE)
    assert fine.measures.num_triangles < 2 * usual.measures.num_triangles


def test_a_finer_angle_brings_a_bore_nearer_to_its_volume():
    bored = part(cq.Workplane().box(20, 20, 10).faces(">Z").workplane().hole(12))
    wanted = inspect_part(bored).measures.volume_mm3
    usual, fine = (
        abs(mesh_mass(inspect_part(bored, tolerance=facets).mesh).volume_mm3 / wanted - 1.0)
        for facets in (None, FINE)
    )
    assert fine < usual / 4
