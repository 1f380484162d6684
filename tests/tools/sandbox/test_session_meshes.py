"""Triangle meshes into model code and out of it."""

import numpy as np
import pytest

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.meshing.primitives import primitive_mesh
from cadwright.tools.meshing.triangles import signed_volumes
from cadwright.tools.sandbox import Session, StepResult

UP = np.array([0.0, 0.0, 1.0])
BOX = primitive_mesh("box", (10.0, 20.0, 30.0), np.zeros(3), UP)
BALL = primitive_mesh("sphere", (10.0,), np.zeros(3), UP)


def mesh_of(step: StepResult) -> Mesh:
    assert step.outcome is Outcome.OK, step.error
    assert step.part is not None
    assert step.part.brep is None
    assert step.part.mesh is not None
    return step.part.mesh


def test_the_first_mesh_is_the_one_to_work_on(session: Session) -> None:
    step = session.execute("print(mesh.volume, list(meshes))", meshes={"box": BOX, "ball": BALL})
    assert step.text == "6000.0 ['box', 'ball']\n"
    assert len(mesh_of(step).faces) == 12


@pytest.mark.parametrize(
    "code",
    [
        "result = mesh.copy().apply_scale(2)",
        "mesh.apply_scale(2)",
        "result = manifold3d.Manifold.cube((20, 40, 60))",
        "result = trimesh.Scene([mesh.copy().apply_scale(2)])",
        "import cadquery as cq; result = cq.Workplane().box(20, 40, 60)",
    ],
    ids=["trimesh", "changed in place", "manifold", "scene", "cadquery"],
)
def test_whatever_holds_triangles_comes_back(session: Session, code: str) -> None:
    made = mesh_of(session.execute(code, meshes={"box": BOX}))
    assert signed_volumes(made)[0] == pytest.approx(48_000.0)


def test_booleans_leave_no_threads_behind(session: Session) -> None:
    code = "result = trimesh.boolean.union([mesh, trimesh.creation.icosphere(radius=12)])"
    for _ in range(2):  # the second one runs in a fork of a process that has done one
        mesh_of(session.execute(code, meshes={"box": BOX}))


@pytest.mark.parametrize(
    ("code", "outcome", "message"),
    [
        ("result = 5", Outcome.NO_RESULT, "a Trimesh or Manifold is wanted"),
        ("mesh = None", Outcome.NO_RESULT, "`result` is not bound"),
        ("result = trimesh.Trimesh()", Outcome.EMPTY_GEOMETRY, "no triangles"),
        ("mesh.vertices[0] = np.nan", Outcome.PYTHON_ERROR, "NaN"),
        ("mesh.faces[0] = 99", Outcome.PYTHON_ERROR, "names a vertex"),
        ("mesh.nonsense()", Outcome.PYTHON_ERROR, "line 1"),
    ],
    ids=["a number", "nothing", "empty", "NaN", "bad index", "an error"],
)
def test_what_is_no_mesh_says_so(
    session: Session, code: str, outcome: Outcome, message: str
) -> None:
    step = session.execute(code, meshes={"box": BOX})
    assert step.outcome is outcome
    assert message in str(step.error)


def test_names_persist_and_a_failed_step_changes_none(session: Session) -> None:
    session.execute("kept = mesh.volume", meshes={"box": BOX})
    session.execute("kept = 0; 1 / 0", meshes={"box": BOX})
    assert session.execute("print(kept)", meshes={"ball": BALL}).text == "6000.0\n"


def test_a_mesh_in_a_cad_session_is_something_to_look_at(session: Session) -> None:
    assert session.load(Part(mesh=BOX), "scan").part is None
    code = "import cadquery as cq\nresult = cq.Workplane().box(*scan.extents)"
    made = session.execute(code).part
    assert made is not None
    assert made.brep is not None


def test_a_cad_session_takes_no_mesh_for_a_part(session: Session) -> None:
    session.load(Part(mesh=BOX), "scan")
    assert session.execute("result = scan").outcome is Outcome.NO_RESULT
