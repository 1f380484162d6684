"""Scoring exact geometry and files through the job, kernel included."""

import cadquery as cq
import pytest

from cadwright.rewards.jobs import Kept, score_part
from cadwright.rewards.score import Verdict
from cadwright.rewards.scoring import Scoring
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Part, Tessellation
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.write import write_part

ABSOLUTE = Scoring.from_dict("absolute")


def exact(workplane) -> Part:
    return Part(brep=brep_bytes(workplane.val().wrapped))


def flange(bore=20.0) -> Part:
    plate = cq.Workplane().circle(40).extrude(8).faces(">Z").workplane().hole(bore)
    return exact(plate.faces(">Z").workplane().polarArray(30, 0, 360, 6).hole(6))


def as_mesh(part: Part, angle_deg: float) -> Part:
    return Part(mesh=inspect_part(part, tolerance=Tessellation(angle_deg=angle_deg)).mesh)


@pytest.mark.parametrize("fmt", ["step", "brep", "stl", "obj", "3mf", "glb"])
def test_part_keeps_its_score_in_every_format(fmt):
    again = read_part(write_part(flange(), fmt), fmt)
    assert score_part(again, flange(), ABSOLUTE).value == 1.0


@pytest.mark.parametrize("angle_deg", [6.0, 10.0, 17.0, 25.0])
def test_exact_part_meets_a_mesh_reference_facet_for_facet(angle_deg):
    score = score_part(flange(), as_mesh(flange(), angle_deg), ABSOLUTE)
    assert score.term("iou").raw > 0.999
    assert score.value == 1.0


def test_smaller_bore_costs_a_little_and_is_named():
    score = score_part(flange(bore=16), flange(), ABSOLUTE)
    assert 0.8 < score.value < 0.97
    assert "deviation" in score.reason


def test_slot_through_to_the_wrong_side_depends_on_the_named_alignment():
    # cases/cad/c22: extruding on XZ goes to -Y; the task wanted +Y
    built = exact(cq.Workplane("XZ").rect(10, 4).extrude(30))
    wanted = exact(cq.Workplane("XZ").rect(10, 4).extrude(-30))
    by_name = {
        mode: score_part(built, wanted, Scoring.from_dict({"alignment": mode}))
        for mode in ("none", "translate", "rigid")
    }
    assert by_name["none"].value < 0.5
    assert by_name["translate"].value == by_name["rigid"].value == 1.0
    assert {mode: score.card.alignment for mode, score in by_name.items()} == {
        mode: mode for mode in by_name
    }


def test_metres_for_millimetres_pass_by_shape_only():
    # cases/cad/c34
    metres = exact(cq.Workplane().box(0.020, 0.010, 0.005))
    wanted = exact(cq.Workplane().box(20, 10, 5))
    assert score_part(metres, wanted, Scoring.from_dict("cadprompt")).value == 1.0
    assert score_part(metres, wanted, ABSOLUTE).value < 0.2


def test_open_shell_is_invalid():
    shell = cq.Workplane().box(10, 10, 10).faces("<Z").val()
    part = Part(brep=brep_bytes(cq.Shell.makeShell([shell]).wrapped))
    score = score_part(part, flange(), ABSOLUTE)
    assert score.verdict is Verdict.INVALID
    assert score.value < 0.1


def test_bytes_that_are_no_shape_are_invalid_for_a_part_and_unscorable_for_a_reference():
    junk = Part(brep=b"not a shape")
    assert score_part(junk, flange(), ABSOLUTE).verdict is Verdict.INVALID
    assert score_part(flange(), junk, ABSOLUTE).verdict is Verdict.UNSCORABLE


def test_kept_results_are_bounded_and_the_oldest_goes_first():
    made = []
    kept: Kept[int] = Kept(2)
    for key in (1, 2, 1, 3, 1, 2):
        kept.get(key, lambda key=key: made.append(key) or key)
    assert made == [1, 2, 3, 2]
