"""Areas of sections: of the round part, not of its facets."""

import math

import pytest
from constraint_parts import cq, part_of

from cadwright.rewards.constraints import checks_whole
from cadwright.rewards.constraints.job import check_part
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.tools.geometry.section import NOTHING

ACROSS = {"kind": "section_area", "normal": "z", "at": [0, 0, 5]}


def area_of(made, value):
    asked = parse_constraints([{**ACROSS, "value": value, "tolerance": 0.0}])
    return value - check_part(part_of(made), asked).results[0].residual


def rod():
    return cq.Workplane().circle(10).extrude(20)


def test_section_of_a_rod_is_a_circle():
    assert area_of(rod(), math.pi * 100) == pytest.approx(math.pi * 100, rel=1e-6)


def test_section_of_a_tube_is_a_ring():
    tube, ring = rod().faces(">Z").workplane().hole(12), math.pi * (100 - 36)
    assert area_of(tube, ring) == pytest.approx(ring, rel=1e-6)


def test_a_section_that_the_kernel_loses_is_that_of_the_triangles(monkeypatch):
    monkeypatch.setattr(checks_whole, "section_cut", lambda *_: NOTHING)
    assert area_of(rod(), math.pi * 100) == pytest.approx(math.pi * 100, rel=0.03)


def test_section_of_a_box_is_its_face():
    assert area_of(cq.Workplane().box(30, 20, 20), 600.0) == pytest.approx(600.0, rel=1e-9)
