"""Tasks without a reference: the gates hold a part against what it was made from."""

import numpy as np
import pytest
from judge_shapes import box, together

from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.judge import Judge
from cadwright.rewards.scoring import Scoring
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.sandbox import InProcessWorker

START = box((20, 20, 20))
ASKED = (
    {"kind": "bounding_box", "size": [20, 20, 20]},
    {"kind": "volume", "value": 7000.0, "tolerance": 0.01},
)
DEPTH = (7000.0 - 20 * (400 - 256)) / 256  # mm of the floor that leaves that volume
GATES = {"cavities": 0.3, "inside_out": 0.05, "stray_bodies": 0.05, "inside": 0.8}


def notched(depth):
    """The start, hollowed from above."""
    walls = [box((20, 2, 20), at=(0, y, 0)) for y in (-9, 9)]
    walls += [box((2, 16, 20), at=(x, 0, 0)) for x in (-9, 9)]
    return together(*walls, box((16, 16, depth), at=(0, 0, depth / 2 - 10)))


def inverted(mesh):
    return Mesh(mesh.vertices, mesh.faces[:, ::-1].copy(), mesh.face_ids)


def voided():
    """The start with a closed void of 1000 mm3."""
    return together(START, inverted(box((10, 10, 10))))


def earned(mesh, *, start=START, gates=GATES):
    scoring = Scoring.from_dict({"protocol": "constraints", "gates": gates})
    judge = Judge(InProcessWorker("cadwright.rewards.jobs"))
    asked = parse_constraints(ASKED)
    given = Part(mesh=start)
    return judge.score(Part(mesh=mesh), None, scoring, constraints=asked, start=given)


def test_what_is_cut_away_from_outside_earns_all():
    assert earned(notched(DEPTH)).value == 1.0


def test_void_that_no_tool_can_reach_earns_nothing():
    assert earned(voided()).value == 0.0


def test_without_gates_the_void_is_taken():
    assert earned(voided(), gates={}).value == 1.0


def test_void_of_the_start_is_not_held_against_a_part():
    start = together(box((20, 20, 21)), inverted(box((10, 10, 10))))
    assert earned(voided(), start=start).term("cavities").value == 1.0


def test_part_turned_inside_out_earns_nothing_by_the_preset():
    preset = Scoring.preset("constraints").gates
    assert earned(inverted(notched(DEPTH)), gates=preset).value == 0.0


@pytest.mark.parametrize(("shift", "share"), [(0.0, 1.0), (10.0, 0.5), (15.0, 0.25)])
def test_share_inside_the_start_is_that_of_the_volume(shift, share):
    moved = Mesh(START.vertices + np.array([shift, 0, 0]), START.faces, START.face_ids)
    gate = earned(moved).term("inside")
    assert gate.raw == pytest.approx(share)
    assert gate.value == pytest.approx(min(1.0, share / 0.8))
