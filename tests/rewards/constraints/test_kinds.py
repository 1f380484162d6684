"""Every kind on parts whose answer is known: one that is met, one that is not."""

import pytest
from constraint_parts import block, cq, one, part_of, plate

from cadwright.rewards.constraints.evaluate import checked_kinds
from cadwright.rewards.constraints.parse import KINDS

CORNER_HOLE = {"diameter": 6, "at": [20, 12, 5], "axis": "z", "through": True}
BLIND = {"diameter": 4, "at": [2, -8, 15], "opens": "+z", "depth": 12}
TOP = {"normal": "+z", "at": [0, 0, 10]}
BOTTOM = {"normal": "-z", "at": [0, 0, 0]}
FRONT = {"normal": "-y", "at": [0, -20, 5]}
IN_FREE_AIR = {"min": [-5, -5, 11], "max": [5, 5, 20]}
IN_MATERIAL = {"min": [-5, -5, 2], "max": [5, 5, 8]}
AROUND = {"min": [-31, -21, -1], "max": [31, 21, 11]}
GRID = {"diameter": 6, "count": [2, 2], "pitch": [40, 24], "axis": "z"}

# kind, fields that the plate meets, fields that it does not
PLATE = [
    ("bounding_box", {"size": [60, 40, 10]}, {"size": [60, 42, 10]}),
    ("bounding_box", {"size": [10, 60, 40], "order": "any"}, {"size": [10, 60, 40]}),
    (
        "bounding_box",
        {"size": [60, 40, 10], "centre": [0, 0, 5]},
        {"size": [60, 40, 10], "centre": [0, 0, 0]},
    ),
    ("fits_in_box", {"size": [70, 50, 20]}, {"size": [70, 39, 20]}),
    ("fits_in_box", {"size": [20, 50, 70], "order": "any"}, {"size": [20, 50, 70]}),
    ("volume", {"value": 22869}, {"value": 24000}),
    ("area", {"value": 7328}, {"value": 6800}),
    ("mass", {"value": 61.75, "density": 2.7}, {"value": 61.75, "density": 7.85}),
    (
        "section_area",
        {"value": 400, "normal": "x", "at": [0, 0, 0]},
        {"value": 400, "normal": "x", "at": [20, 0, 0]},
    ),
    ("centre_of_mass", {"at": [0, None, 5]}, {"at": [1, None, 5]}),
    (
        "inertia",
        {"moments": [3.225e6, 6.935e6, 9.78e6], "tolerance": 5},
        {"moments": [3.225e6, 6.935e6, 19e6]},
    ),
    ("bodies", {"count": 1}, {"count": 2}),
    ("genus", {"count": 4}, {"count": 3}),
    ("symmetry", {"mirror": "x"}, {"mirror": "z", "at": [0, 0, 4]}),
    ("symmetry", {"axis": "z", "fold": 2}, {"axis": "z", "fold": 4}),
    ("wall_thickness", {"min": 4.9}, {"min": 6}),
    ("draft", {"pull": "z", "min": 0}, {"pull": "z", "min": 2}),
    ("overhang", {"up": "z"}, {"up": "x"}),
    ("base_area", {"up": "z", "min_area": 2200}, {"up": "z", "min_area": 2400}),
    ("triangle_count", {"max": 100000}, {"max": 50}),
    ("hole", CORNER_HOLE, {**CORNER_HOLE, "at": [18, 12, 5]}),
    ("hole", CORNER_HOLE, {**CORNER_HOLE, "diameter": 7}),
    ("hole", CORNER_HOLE, {**CORNER_HOLE, "axis": "x"}),
    ("hole", CORNER_HOLE, {**CORNER_HOLE, "through": False}),
    ("hole", {"diameter": 6, "count": 4, "only": True}, {"diameter": 6, "count": 3, "only": True}),
    ("hole", {"diameter": 6, "count": 4}, {"diameter": 6, "count": 5}),
    (
        "thread_hole",
        {"thread": "M5", "fit": "loose", "count": 4, "tolerance": 0.3},
        {"thread": "M8", "count": 4},
    ),
    ("hole_count", {"count": 4, "opens": "+z"}, {"count": 4, "opens": "+x"}),
    ("hole_grid", GRID, {**GRID, "pitch": [40, 22]}),
    (
        "hole_grid",
        {**GRID, "centre": [0, 0, 5], "along": "x"},
        {**GRID, "centre": [2, 0, 5], "along": "x"},
    ),
    (
        "hole_line",
        {"diameter": 6, "count": 2, "pitch": 40},
        {"diameter": 6, "count": 3, "pitch": 40},
    ),
    ("cylinder", {"diameter": 6, "inner": True, "count": 4}, {"diameter": 6, "count": 4}),
    ("face", TOP, {"normal": "+z", "at": [0, 0, 12]}),
    ("face", {**TOP, "min_area": 2000}, {**TOP, "min_area": 3000}),
    ("parallel", {"first": TOP, "second": BOTTOM}, {"first": TOP, "second": FRONT}),
    ("perpendicular", {"first": TOP, "second": FRONT}, {"first": TOP, "second": BOTTOM}),
    (
        "coplanar",
        {"first": TOP, "second": {"normal": "+z", "at": [25, 15, 10]}},
        {"first": TOP, "second": BOTTOM},
    ),
    (
        "face_distance",
        {"first": TOP, "second": BOTTOM, "value": 10},
        {"first": TOP, "second": BOTTOM, "value": 12},
    ),
    ("keep_out", {"region": IN_FREE_AIR}, {"region": IN_MATERIAL}),
    (
        "keep_out",
        {"region": {"start": [20, 12, -1], "end": [20, 12, 11], "diameter": 5.9}},
        {"region": {"start": [20, 12, -1], "end": [20, 12, 11], "diameter": 7}},
    ),
    ("keep_in", {"region": AROUND}, {"region": IN_MATERIAL}),
    ("filled", {"region": IN_MATERIAL}, {"region": AROUND}),
    ("clearance", {"region": IN_FREE_AIR, "min": 0.9}, {"region": IN_FREE_AIR, "min": 2}),
]

BLOCK = [
    ("hole", BLIND, {**BLIND, "opens": "-z"}),
    ("hole", BLIND, {**BLIND, "depth": 9}),
    (
        "hole",
        {**BLIND, "counterbore": {"diameter": 8, "depth": 3}},
        {**BLIND, "counterbore": {"diameter": 9}},
    ),
    ("hole", BLIND, {**BLIND, "countersink": {"diameter": 8}}),
    ("hole", {**BLIND, "bottom": "flat"}, {**BLIND, "bottom": "cone"}),
    (
        "slot",
        {"width": 6, "length": 20, "depth": 5, "at": [-18, 0, 20], "opens": "+z", "along": "y"},
        {"width": 6, "length": 20, "depth": 5, "at": [-18, 0, 20], "opens": "+z", "along": "x"},
    ),
    ("slot", {"width": 6, "length": 20}, {"width": 6, "length": 24}),
    (
        "pocket",
        {"size": [8, 16], "depth": 4, "corner_radius": 0, "at": [4, 10, 18]},
        {"size": [8, 16], "depth": 6, "at": [4, 10, 18]},
    ),
    (
        "boss",
        {"diameter": 10, "height": 7, "at": [20, 0, 24], "points": "+z"},
        {"diameter": 10, "height": 7, "at": [20, 0, 24], "points": "-z"},
    ),
    (
        "cylinder",
        {"diameter": 10, "axis": "z", "length": 7, "at": [20, 0, 22]},
        {"diameter": 10, "inner": True, "at": [20, 0, 22]},
    ),
    ("fillet", {"radius": 4, "count": 4, "convex": True, "along": "z"}, {"radius": 3, "count": 4}),
    ("fillet", {"radius": 4, "at": [30, 20, 10]}, {"radius": 4, "at": [0, 20, 10]}),
    ("chamfer", {"size": 1, "angle": 45}, {"size": 2, "angle": 45}),
    (
        "coaxial",
        {"first": {"at": [2, -8, 18], "diameter": 8}, "second": {"at": [2, -8, 10], "diameter": 4}},
        {
            "first": {"at": [2, -8, 18], "inner": True},
            "second": {"at": [20, 0, 24], "inner": False},
        },
    ),
]


def names(rows):
    return [f"{index}-{row[0]}" for index, row in enumerate(rows)]


@pytest.mark.parametrize(("kind", "right", "wrong"), PLATE, ids=names(PLATE))
def test_the_plate_is_told_from_another(kind, right, wrong):
    assert one(plate(), kind, **right).verdict == "met"
    assert one(plate(), kind, **wrong).verdict == "residual"


@pytest.mark.parametrize(("kind", "right", "wrong"), BLOCK, ids=names(BLOCK))
def test_the_block_is_told_from_another(kind, right, wrong):
    assert one(block(), kind, **right).verdict == "met"
    assert one(block(), kind, **wrong).verdict == "residual"


@pytest.mark.parametrize(("kind", "right", "wrong"), PLATE, ids=names(PLATE))
def test_what_is_met_has_full_credit_and_what_is_not_has_less(kind, right, wrong):
    assert one(plate(), kind, **right).credit == 1.0
    assert 0.0 <= one(plate(), kind, **wrong).credit < 1.0


def test_every_kind_has_a_check():
    assert checked_kinds() == set(KINDS)


def test_an_edit_outside_its_region_is_seen():
    drilled = cq.Workplane().box(20, 20, 10).faces(">Z").workplane().hole(4)
    before = part_of(cq.Workplane().box(20, 20, 10))
    region = {"min": [-3, -3, -6], "max": [3, 3, 6]}
    elsewhere = {"min": [5, 5, -6], "max": [9, 9, 6]}
    assert one(part_of(drilled), "preserved", region=region, start=before).verdict == "met"
    assert one(part_of(drilled), "preserved", region=elsewhere, start=before).verdict == "residual"


def test_circle_of_holes_is_found_wherever_it_is():
    made = cq.Workplane().circle(40).extrude(8).translate((7, -3, 2))
    made = made.faces(">Z").workplane().polarArray(25, 15, 360, 6).hole(5)
    part = part_of(made)
    assert one(part, "hole_circle", diameter=5, count=6, circle=50).verdict == "met"
    assert one(part, "hole_circle", diameter=5, count=6, circle=48).verdict == "residual"
    assert one(part, "hole_circle", diameter=5, count=5, circle=50).verdict == "residual"


def test_an_open_surface_is_not_watertight():
    result = one(plate(), "watertight")
    assert (result.verdict, result.residual) == ("met", 0.0)
