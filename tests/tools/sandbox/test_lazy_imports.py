from __future__ import annotations

import subprocess
import sys

import pytest

from cadwright.tools.errors import Outcome
from cadwright.tools.sandbox import Sandbox, Session


def run(session: Session, code: str) -> str:
    step = session.execute("import cadquery as cq\n" + code, timeout_s=60)
    assert step.outcome is Outcome.OK, str(step.error)
    return step.text


def test_a_drawing_is_written_and_read_again(session: Session) -> None:
    code = """
cq.exporters.exportDXF(cq.Workplane().rect(20, 10), "plate.dxf")
result = cq.importers.importDXF("plate.dxf").wires().toPending().extrude(2)
print(round(result.val().Volume(), 1))
"""
    assert run(session, code) == "400.0\n"


def test_a_drawing_made_by_ezdxf_itself_is_read(session: Session) -> None:
    code = """
import ezdxf
drawing = ezdxf.new()
drawing.modelspace().add_lwpolyline([(0, 0), (4, 0), (4, 3), (0, 3)], close=True)
drawing.saveas("box.dxf")
result = cq.importers.importDXF("box.dxf").wires().toPending().extrude(1)
print(round(result.val().Volume(), 3))
"""
    assert run(session, code) == "12.0\n"


def test_an_assembly_is_solved(session: Session) -> None:
    code = """
result = cq.Assembly()
result.add(cq.Workplane().box(2, 2, 2), name="a")
result.add(cq.Workplane().box(2, 2, 2), name="b")
result.constrain("a@faces@>Z", "b@faces@<Z", "Plane")
result.solve()
print(round(result.toCompound().BoundingBox().zlen, 3))
"""
    assert run(session, code) == "4.0\n"


def test_a_sketch_is_solved(session: Session) -> None:
    code = """
sketch = (cq.Sketch().segment((0, 0), (0, 3.0), "s1").arc((0.0, 3.0), (1.5, 1.5), (0.0, 0.0), "a1")
    .constrain("s1", "Fixed", None).constrain("s1", "a1", "Coincident", None)
    .constrain("a1", "s1", "Coincident", None).constrain("s1", "a1", "Angle", 45)
    .solve().assemble())
result = cq.Workplane().placeSketch(sketch).extrude(1)
"""
    run(session, code)


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("vtkmodules.vtkCommonCore", "vtkPoints"),
        ("ezdxf.math", "Vec3"),
        ("casadi", "DM"),
        ("nlopt", "opt"),
        ("OCP.IVtkVTK", "IVtkVTK_ShapeData"),
    ],
)
def test_model_code_imports_the_real_module(session: Session, name: str, use: str) -> None:
    code = f"import {name} as module\nfrom {name} import {use}\n"
    code += (
        f"assert isinstance(module.{use}, type), module.{use}\nresult = cq.Workplane().box(1, 1, 1)"
    )
    run(session, code)


def test_meshing_for_vtk_works(session: Session) -> None:
    code = "result = cq.Solid.makeBox(1, 1, 1)\nprint(result.toVtkPolyData().GetNumberOfCells())"
    assert int(run(session, code)) > 0


def test_what_cadquery_exports_through_heavy_modules_works(session: Session) -> None:
    code = "result = cq.Workplane().box(1, 1, 1)\n"
    code += "cq.exporters.export(result, 'out/a.vtp')\ncq.exporters.export(result, 'out/a.svg')"
    run(session, code)


def test_the_zygote_loads_no_heavy_module(session: Session) -> None:
    code = "import sys\nresult = cq.Workplane().box(1, 1, 1)\n"
    code += "print([n for n, m in sys.modules.items() if type(m).__name__ == 'DeferredModule'][:1])"
    code += "\nprint('vtkmodules.vtkCommonCore' in sys.modules)"
    assert run(session, code) == "['vtkmodules']\nFalse\n"


def test_deferring_reaches_the_real_thing_in_a_plain_interpreter() -> None:
    code = """
from cadwright.tools.sandbox.lazy_imports import DeferredModule, deferring
import sys
with deferring(["json", "colorsys"]):
    for name in [n for n in sys.modules if n.split(".")[0] in ("json", "colorsys")]:
        del sys.modules[name]
    from json import JSONDecodeError, loads
    from json.decoder import JSONDecoder
    import json
assert isinstance(sys.modules["json"], DeferredModule)
assert loads("[1]") == [1]
assert not isinstance(sys.modules["json"], DeferredModule)
class Mine(JSONDecodeError): pass
assert isinstance(Mine("x", "y", 0), JSONDecodeError)
assert json.dumps({}) == "{}" and JSONDecoder().decode("2") == 2
import json.encoder
assert json.encoder.JSONEncoder().encode(1) == "1"
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_child_that_runs_a_boolean_does_not_hang(sandbox: Sandbox) -> None:
    """OCCT's thread pool of one has to be its first call, or every fork hangs right here."""
    code = (
        "import cadquery as cq\nresult = cq.Workplane().box(3, 3, 3).cut(cq.Workplane().sphere(1))"
    )
    assert sandbox.run(code, timeout_s=30).outcome is Outcome.OK
