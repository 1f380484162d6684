"""Features of triangles: what flat and round pieces allow, and what is said about the rest."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from featured import FEATURED, block, features, flange, shaft, top
from solids import cq, part_from

from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.recognise import find_features
from cadwright.tools.geometry.write import write_part

# Solids without a torus: every surface of theirs can be fitted.
PLAIN = [name for name in FEATURED if name not in ("shaft", "rounded")]
KINDS = (
    "planes", "cylinders", "cones", "holes", "slots", "pockets", "bosses", "fillets", "chamfers",
    "shafts", "walls", "patterns",
)  # fmt: skip


def meshed(made, fmt="stl"):
    return read_part(write_part(part_from(made), fmt), fmt)


@cache
def pair(name):
    """Return the features of a solid and of its mesh."""
    made = FEATURED[name]()
    return features(made), features(meshed(made))


@pytest.mark.parametrize("name", PLAIN)
def test_a_mesh_has_as_many_features_as_its_solid(name):
    exact, fitted = pair(name)
    assert fitted.source == "mesh"
    counts = {kind: (len(getattr(exact, kind)), len(getattr(fitted, kind))) for kind in KINDS}
    assert all(wanted == got for wanted, got in counts.values()), counts


@pytest.mark.parametrize("name", PLAIN)
def test_holes_of_a_mesh_are_where_they_are(name):
    for wanted, got in zip(*(found.holes for found in pair(name)), strict=True):
        assert got.diameter_mm == pytest.approx(wanted.diameter_mm, rel=1e-4)
        assert got.depth_mm == pytest.approx(wanted.depth_mm, rel=1e-3)
        assert got.position_mm == pytest.approx(wanted.position_mm, abs=1e-2)
        assert got.bottom == wanted.bottom


def test_a_mesh_of_a_flange_has_its_bolt_circle():
    (circle,) = features(meshed(flange())).patterns
    assert (circle.kind, circle.counts) == ("circle", (6,))
    assert circle.diameter_mm == pytest.approx(60, rel=1e-5)


def test_a_rounding_does_not_hide_the_cylinder_beside_it():
    (found,) = features(meshed(shaft())).shafts
    assert [step.diameter_mm for step in found.steps] == pytest.approx([20, 12, 8], rel=1e-4)


def test_what_fits_nothing_is_reported():
    found = features(meshed(shaft()))
    assert {entry.feature for entry in found.unchecked} == {"fillets", "tori"}
    assert all(entry.faces for entry in found.unchecked)


def test_an_open_mesh_says_that_its_inside_is_unknown():
    mesh = meshed(block()).mesh
    torn = Part(mesh=Mesh(mesh.vertices, mesh.faces[1:], mesh.face_ids[1:]))
    assert "holes" in {entry.feature for entry in find_features(torn).unchecked}


def test_a_rough_surface_is_not_searched():
    rng = np.random.default_rng(0)
    height = rng.uniform(0, 5, (60, 60))
    x, y = np.meshgrid(np.arange(60.0), np.arange(60.0), indexing="ij")
    points = np.stack([x, y, height], axis=2).reshape(-1, 3)
    corner = (np.arange(59)[:, None] * 60 + np.arange(59)).reshape(-1)
    faces = np.concatenate(
        [
            np.column_stack([corner, corner + 60, corner + 61]),
            np.column_stack([corner, corner + 61, corner + 1]),
        ]
    ).astype(np.int32)
    found = find_features(Part(mesh=Mesh(points, faces, np.zeros(len(faces), np.int32))))
    assert found.planes == ()
    assert "planes" in {entry.feature for entry in found.unchecked}


@pytest.mark.parametrize("fmt", ["obj", "3mf", "glb"])
def test_every_mesh_format_gives_the_same_holes(fmt):
    (hole,) = features(meshed(top().cskHole(6, 12, 90), fmt)).holes
    assert hole.countersink.diameter_mm == pytest.approx(12, rel=1e-4)


def test_a_turned_mesh_has_the_same_features():
    turned = block().faces(">Z").workplane().hole(8).rotate((0, 0, 0), (1, 2, 3), 40)
    (hole,) = features(meshed(turned)).holes
    direction = cq.Vector(0, 0, 1)
    axis = cq.Workplane(cq.Edge.makeLine(cq.Vector(0, 0, 0), direction))
    way = axis.rotate((0, 0, 0), (1, 2, 3), 40).val().endPoint().toTuple()
    assert abs(np.dot(hole.axis, way)) == pytest.approx(1)


def test_a_shallow_arc_is_a_cylinder_and_no_sphere():
    made = cq.Workplane().moveTo(0, 0).threePointArc((20, 1), (40, 0))
    found = features(meshed(made.lineTo(40, -10).lineTo(0, -10).close().extrude(5)))
    assert found.spheres == ()
    assert [cylinder.diameter_mm for cylinder in found.cylinders] == [pytest.approx(401, rel=1e-3)]
