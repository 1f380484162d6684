"""One part, looked at once by everything that measures it."""

import numpy as np
import pytest

from cadwright.rewards import shape as shapes
from cadwright.rewards.constraints.job import check_part
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.jobs import score_part
from cadwright.rewards.scoring import Scoring
from cadwright.rewards.shape import Shape, inspected
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part, Tessellation
from cadwright.tools.geometry.recognise import find_features

cq = pytest.importorskip("cadquery")
SYMMETRY = parse_constraints([{"kind": "symmetry", "mirror": "x"}, {"kind": "genus", "count": 1}])


def plate(width=30.0):
    made = cq.Workplane().box(width, 20, 5).faces(">Z").workplane().hole(6)
    return Part(brep=brep_bytes(made.val().wrapped))


def test_a_score_after_its_constraints_normalises_nothing_again(monkeypatch):
    part, wanted, count = plate(31.7), plate(30.0), []
    plain = shapes.normalise
    monkeypatch.setattr(shapes, "normalise", lambda mesh: count.append(mesh) or plain(mesh))
    check_part(part, SYMMETRY)
    score_part(part, wanted, Scoring.preset("default"))
    assert len(count) == 2  # the part and its reference


def test_a_score_is_the_same_before_and_after_the_constraints():
    part, wanted = plate(32.9), plate(30.0)
    before = score_part(part, wanted, Scoring.preset("default"))
    check_part(part, SYMMETRY)
    assert score_part(part, wanted, Scoring.preset("default")) == before


def test_rays_against_the_mesh_are_those_of_the_part_where_it_stands():
    made = cq.Workplane().box(10, 10, 10).translate((100, 0, 0)).val()
    shape = inspected(Part(brep=brep_bytes(made.wrapped)), Tessellation()).shape
    assert isinstance(shape, Shape)
    found = shape.mesh_rays.cast(np.array([[101.0, 2.0, 50.0]]), np.array([[0.0, 0.0, -1.0]]))
    assert found == pytest.approx([45.0], abs=1e-5)


def test_features_are_the_same_before_and_after_an_inspection():
    part = plate(33.3)
    before = find_features(part)
    inspect_part(part)
    assert find_features(part) == before


def test_a_finer_look_at_a_known_part_is_as_fine_as_the_first_look_at_one():
    part, again = plate(34.1), plate(34.1)
    fine = Tessellation(angle_deg=6.0)
    inspect_part(part)
    coarse_then_fine, at_once = (
        inspect_part(part, tolerance=fine),
        inspect_part(again, tolerance=fine),
    )
    assert np.array_equal(coarse_then_fine.mesh.vertices, at_once.mesh.vertices)
