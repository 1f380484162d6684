import io
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from cadwright.envs.findings import Level, warning
from cadwright.envs.lint import lint
from cadwright.envs.lint_text import check_numbers
from cadwright.envs.sources import GeometrySource, ImageSource
from cadwright.envs.task import EpisodeLimits, Task
from cadwright.rewards.constraints.evaluate import evaluate
from cadwright.rewards.constraints.subject import Subject
from cadwright.rewards.score import Score, Verdict
from cadwright.tools.errors import GeometryError, Outcome, WorkerCrash
from cadwright.tools.geometry.features import Features
from cadwright.tools.geometry.part import Inspection, Measures, Mesh, Notice, Part

NO_TRIANGLES = (np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.int32))

CUBE = Measures(
    volume_mm3=1000.0,
    area_mm2=600.0,
    bbox_mm=((0.0, 0.0, 0.0), (10.0, 10.0, 10.0)),
    bodies=1,
    is_watertight=True,
    is_valid=True,
    centre_mm=(5.0, 5.0, 5.0),
    inertia_mm5=None,
    num_faces=6,
    num_edges=12,
    num_triangles=12,
    open_edges=0,
)


@dataclass
class FakeJudge:
    """Knows parts by their bytes: ``broken`` ones are invalid, equal ones score 1.0."""

    broken: frozenset[bytes] = frozenset()
    unreadable: frozenset[bytes] = frozenset()
    notices: tuple[Notice, ...] = ()
    self_score: float | None = 1.0
    scores: dict[bytes, float] = field(default_factory=dict)

    def read(self, data, fmt, *, name):
        if data in self.unreadable:
            raise GeometryError(f"{name}: no solid in it")
        return Part(brep=data, name=name)

    def inspect(self, part):
        is_ok = part.brep not in self.broken
        outcome = Outcome.OK if is_ok else Outcome.INVALID_GEOMETRY
        message = "" if is_ok else "3 open edges"
        return Inspection(outcome, message, CUBE, None, None, self.notices)

    def score(self, part, reference, scoring, **_):
        same = part.brep == reference.brep
        value = self.self_score if same else self.scores.get(part.brep, 0.3)
        verdict = Verdict.UNSCORABLE if value is None else Verdict.SCORED
        return Score(value, verdict, "the reference is not closed")


class FakeSandbox:
    """A program's part is its text; ``raise`` in it fails."""

    def run(self, code):
        failed = "raise" in code
        part = None if failed else Part(brep=code.encode())
        error = SimpleNamespace(message="ValueError: boom") if failed else None
        outcome = Outcome.PYTHON_ERROR if failed else Outcome.OK
        notices = (Notice("font_replaced", "no such font"),) if "text" in code else ()
        return SimpleNamespace(outcome=outcome, part=part, error=error, notices=notices)

    @contextmanager
    def session(self):
        yield SimpleNamespace(execute=self.run)


def good_task(**changes) -> Task:
    task = Task(
        id="t",
        brief="A cube with an edge of 10 mm.",
        reference=GeometrySource(b"gold", "step"),
        meta={"gold": "reference"},
    )
    return replace(task, **changes)


def codes(task, judge=None, sandbox=None, **settings):
    report = lint(task, judge or FakeJudge(), sandbox or FakeSandbox(), **settings)
    return [finding.code for finding in report.findings]


def picture(shade_to: int) -> ImageSource:
    pixels = np.linspace(0, shade_to, 64 * 64 * 3).reshape(64, 64, 3).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return ImageSource(file.getvalue(), caption="front")


def test_a_good_task_is_clean():
    report = lint(good_task(), FakeJudge(), FakeSandbox())
    assert report.findings == ()
    assert report.is_clean


def test_a_report_is_json():
    report = lint(good_task(brief=""), FakeJudge())
    assert report.to_json()["id"] == "t"
    assert report.to_json()["findings"][0]["level"] == "error"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"brief": " \n"}, "brief_empty"),
        ({"brief": "a part"}, "brief_short"),
        ({"limits": EpisodeLimits(wall_s=5, step_s=30)}, "limits_conflict"),
        ({"limits": EpisodeLimits(turns=1)}, "limits_tight"),
        ({"images": (picture(200),), "limits": EpisodeLimits(images=0)}, "limits_images"),
        ({"images": (picture(3),)}, "image_blank"),
        ({"images": (ImageSource(b"<html>"),)}, "image_unreadable"),
        ({"tools": ("execute", "sumbit")}, "tool_unknown"),
        ({"tools": ("execute",)}, "no_submit"),
        ({"scoring": {"protocol": "absolut"}}, "scoring_unknown"),
        ({"reference": None}, "nothing_to_judge"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_outside_the_geometry_is_found(changes, code):
    assert code in codes(good_task(**changes))


def test_a_constraint_that_cannot_be_read_is_an_error_and_nothing_is_scored():
    assert codes(good_task(constraints=({"kind": "bodies"},))) == ["constraint_unknown"]


def test_lines_of_a_program_that_is_given_are_no_leak():
    program = "import cadquery as cq\nresult = cq.Workplane().box(10, 10, 10)"
    task = good_task(brief=f"Mend this: {program}", reference=GeometrySource(program))
    assert "brief_leaks" in codes(task)
    assert "brief_leaks" not in codes(replace(task, meta={**task.meta, "given": program}))


def test_a_picture_with_something_on_it_is_fine():
    assert codes(good_task(images=(picture(200),))) == []


def test_a_task_with_constraints_alone_can_be_judged():
    task = good_task(reference=None, constraints=({"kind": "bodies", "count": 1},), meta={})
    assert codes(task) == []


@pytest.mark.parametrize(
    "brief",
    [
        "Rebuild what is in truth_17.step, please.",
        "Type result = cq.Workplane().box(10, 10, 10) and submit.",
    ],
    ids=["file name", "program line"],
)
def test_a_brief_that_gives_the_answer_away_is_found(brief, tmp_path):
    file = tmp_path / "truth_17.step"
    file.write_bytes(b"gold")
    program = "import cadquery as cq\nresult = cq.Workplane().box(10, 10, 10)"
    task = good_task(
        brief=brief, reference=GeometrySource(file), meta={"gold": {"program": program}}
    )
    assert "brief_leaks" in codes(task)


def test_an_import_line_is_no_leak():
    program = "import cadquery as cq\nresult = cq.Workplane().box(10, 10, 10)"
    brief = "Model a 10 mm cube; begin with: import cadquery as cq"
    assert "brief_leaks" not in codes(good_task(brief=brief, reference=GeometrySource(program)))


def test_coordinates_that_brief_and_program_share_are_no_leak():
    program = "points = [\n(-0.05430806, 0.05735744),\n]"
    brief = "A polygon through (-0.05430806, 0.05735744), (0, 0) and (1, 0)."
    assert "brief_leaks" not in codes(good_task(brief=brief, reference=GeometrySource(program)))


def test_a_reference_that_does_not_read_is_an_error_and_names_itself():
    report = lint(good_task(), FakeJudge(unreadable=frozenset({b"gold"})))
    (finding,) = report.errors
    assert finding.code == "reference_unreadable"
    assert "step data: no solid in it" in finding.message


def test_a_missing_reference_file_is_an_error():
    task = good_task(reference=GeometrySource(Path("/no/such/part.step")))
    assert "reference_unreadable" in codes(task)


def test_an_open_reference_is_an_error_with_the_judge_s_reason():
    report = lint(good_task(), FakeJudge(broken=frozenset({b"gold"})))
    assert report.errors[0].code == "reference_invalid"
    assert "3 open edges" in report.errors[0].message


def test_a_reference_below_one_against_itself_is_an_error():
    assert "reference_self_score" in codes(good_task(), FakeJudge(self_score=0.98))


def test_a_reference_that_cannot_carry_a_score_is_an_error():
    assert "reference_unscorable" in codes(good_task(), FakeJudge(self_score=None))


def test_what_the_judge_noticed_about_the_reference_is_passed_on():
    judge = FakeJudge(notices=(Notice("non_manifold_contact", "bodies touch along 4 edges"),))
    report = lint(good_task(), judge)
    assert [f.code for f in report.findings] == ["reference_non_manifold_contact"]
    assert report.is_clean


def test_a_reference_program_that_depends_on_the_machine_is_a_warning():
    task = good_task(reference=GeometrySource("text"))
    assert codes(task) == ["reference_font_replaced"]


def test_nothing_is_said_of_gold_where_the_reference_is_broken():
    task = good_task(meta={"gold": {"program": "raise"}})
    assert codes(task, FakeJudge(broken=frozenset({b"gold"}))) == ["reference_invalid"]


def test_a_start_that_is_broken_is_an_error():
    task = good_task(start=GeometrySource(b"start", "step"))
    assert codes(task, FakeJudge(broken=frozenset({b"start"}))) == ["start_invalid"]


def test_a_start_may_be_broken_on_purpose():
    task = good_task(
        start=GeometrySource(b"start", "step"), meta={"gold": "reference", "start_is_broken": True}
    )
    assert codes(task, FakeJudge(broken=frozenset({b"start"}))) == []


def test_a_start_that_is_the_answer_already_is_an_error():
    assert codes(good_task(start=GeometrySource(b"gold", "step"))) == ["start_wins"]


def test_a_gold_program_that_fails_is_an_error_with_its_message():
    report = lint(good_task(meta={"gold": {"program": "raise"}}), FakeJudge(), FakeSandbox())
    (finding,) = report.errors
    assert finding.code == "gold_fails"
    assert "python_error: ValueError: boom" in finding.message


def test_a_gold_program_that_misses_the_reference_is_an_error():
    assert codes(good_task(meta={"gold": {"program": "other"}})) == ["gold_score"]


def test_a_gold_program_may_miss_by_a_tessellation():
    judge = FakeJudge(scores={b"other": 0.995})
    assert codes(good_task(meta={"gold": {"program": "other"}}), judge) == []


def test_gold_calls_are_replayed():
    calls = [
        {"name": "execute", "arguments": {"code": "half"}},
        {"name": "execute", "arguments": {"code": "gold"}},
        {"name": "submit", "arguments": {}},
    ]
    assert codes(good_task(meta={"gold": {"calls": calls}})) == []
    assert codes(good_task(meta={"gold": {"calls": calls[:1]}})) == ["gold_score"]
    assert codes(good_task(meta={"gold": {"calls": calls[2:]}})) == ["gold_fails"]


def test_a_demo_has_to_end_in_the_answer_and_hand_it_in():
    first = {"calls": [{"name": "execute", "arguments": {"code": "gold"}}]}
    last = {"calls": [{"name": "submit", "arguments": {}}]}
    assert codes(good_task(meta={"demo": [first, last]})) == []
    assert codes(good_task(meta={"demo": [first]})) == ["demo_fails"]


def test_without_a_sandbox_a_program_is_reported_as_unchecked():
    report = lint(good_task(meta={"gold": {"program": "gold"}}), FakeJudge())
    (finding,) = report.findings
    assert (finding.level, finding.code) == (Level.WARNING, "gold_unchecked")


def test_more_checks_get_the_measured_reference():
    def check(task, inspection):
        yield warning("constraints", f"{task.id}: {inspection.measures.bodies}")

    assert codes(good_task(), more_checks=[check]) == ["constraints"]


class CheckingJudge(FakeJudge):
    """Finds one body in every part."""

    def check(self, part, constraints, *, start=None, reference=None):
        return evaluate(constraints, Subject(CUBE, Mesh(*NO_TRIANGLES), Features("brep")))


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"kind": "bodies", "count": 1}, []),
        ({"kind": "bodies", "count": 2}, ["reference_constraint"]),
        ({"kind": "preserved"}, ["reference_constraint"]),
    ],
    ids=["met", "not met", "not checked"],
)
def test_the_reference_has_to_meet_the_constraints(asked, code):
    assert codes(good_task(constraints=(asked,)), CheckingJudge()) == code


def test_a_worker_that_dies_is_not_the_task_s_fault():
    class DyingJudge(FakeJudge):
        def inspect(self, part):
            raise WorkerCrash("gone")

    with pytest.raises(WorkerCrash):
        lint(good_task(), DyingJudge())


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({"expect": {"size_mm": [10, 10, 10.1]}}, "size_disagrees"),
        ({"expect": {"bodies": 2}}, "bodies_disagree"),
        ({"expect": {"volume_mm3": 990}}, "volume_disagrees"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_task_says_of_its_reference_is_held_against_it(meta, code):
    assert [f.code for f in check_numbers(good_task(meta=meta), CUBE)] == [code]


@pytest.mark.parametrize("edge", [0.001, 1e6])
def test_a_size_that_smells_of_wrong_units_is_a_warning(edge):
    measures = replace(CUBE, bbox_mm=((0.0, 0.0, 0.0), (edge, edge, edge)))
    found = [f.code for f in check_numbers(good_task(), measures)]
    assert "size_suspicious" in found


def test_a_rounded_text_beside_a_quantised_truth_is_a_warning():
    task = good_task(brief="A plate, 0.0165 thick.")
    measures = replace(CUBE, bbox_mm=((0.0, 0.0, 0.0), (10.0, 10.0, 0.0156)))
    (finding,) = check_numbers(task, measures)
    assert finding.code == "rounded_text"
    assert "0.0165" in finding.message
    assert "0.0156 along z" in finding.message


def test_a_text_that_states_the_extent_is_no_near_miss():
    task = good_task(brief="A cube of 10 mm with a hole of 9.8 mm.")
    assert list(check_numbers(task, CUBE)) == []
