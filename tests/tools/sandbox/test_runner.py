from __future__ import annotations

import pytest

from cadwright.tools.errors import Outcome
from cadwright.tools.sandbox import Limits, Sandbox, Session, StepResult

CQ = "import cadquery as cq\n"
PART = "result = cq.Solid.makeBox(1, 1, 1)\n"


def run(session: Session, code: str) -> StepResult:
    return session.execute(CQ + code)


def ok(step: StepResult) -> StepResult:
    assert step.outcome is Outcome.OK, str(step.error)
    return step


def codes(step: StepResult) -> list[str]:
    return [notice.code for notice in step.notices]


def test_a_program_runs_as_main(session: Session) -> None:
    code = "if __name__ == '__main__':\n    result = cq.Solid.makeBox(1, 1, 1)\n"
    code += "import __main__; assert __main__.result is result"
    ok(run(session, code))


def test_a_function_defined_in_an_earlier_step_shows_its_own_line(session: Session) -> None:
    ok(run(session, "\n\ndef half(x):\n    return x / 0\nresult = cq.Solid.makeBox(1, 1, 1)"))
    error = run(session, "half(2)").error
    assert error is not None
    assert (error.line, error.source) == (5, "return x / 0")


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("result = cq.Solid.makeBox(1, 1, 1)\nother = cq.Solid.makeBox(2, 2, 2)", "result"),
        ("show_object(cq.Solid.makeBox(1, 1, 1), name='lid', options={'color': 'red'})", "lid"),
        ("show_object(cq.Solid.makeBox(1, 1, 1))", "object 1"),
        ("box = cq.Solid.makeBox(1, 1, 1)\ncq.exporters.export(box, 'out/box.step')", "box.step"),
        (
            "box = cq.Solid.makeBox(1, 1, 1)\nbox.exportStep(fileName='deep/er/box.step')",
            "box.step",
        ),
        (
            "box = cq.Workplane().box(1, 1, 1)\nbox.export('box.stl')\nbox.export('box.step')",
            "box.stl",
        ),
        ("cq.Assembly(cq.Workplane().box(1, 1, 1)).export('all.step')", "all.step"),
        ("part = cq.Workplane().box(1, 1, 1)", "part"),
        ("part = cq.Workplane().box(1, 1, 1)\nalias = part", "part"),
        ("outline = cq.Workplane().rect(1, 1)\nsolid = outline.extrude(1)", "solid"),
    ],
    ids=[
        "result wins",
        "show_object",
        "show_object without a name",
        "export",
        "export by keyword",
        "one object exported twice",
        "assembly export",
        "only shape",
        "alias",
        "wires do not count",
    ],
)
def test_the_part_is_found(session: Session, code: str, name: str) -> None:
    part = ok(run(session, code)).part
    assert part is not None
    assert part.name == name


def test_an_export_is_really_written(session: Session) -> None:
    code = "cq.exporters.export(cq.Workplane().box(1, 1, 1), 'new/folder/a.stl')\n"
    ok(run(session, code + "print(open('new/folder/a.stl', 'rb').read(5))"))


def test_a_part_found_by_chance_comes_with_the_line_to_add(session: Session) -> None:
    step = ok(run(session, "bracket = cq.Workplane().box(1, 1, 1)"))
    assert codes(step) == ["result_not_named"]
    assert "result = bracket" in step.notices[0].message


@pytest.mark.parametrize(
    ("result", "named"),
    [
        ("cq.Sketch().rect(1, 1)", "Sketch"),
        ("plate.val().Volume()", "float"),
        ("cq.exporters.export(plate, 'plate.step')", "NoneType"),
        ("[cq.Sketch().rect(1, 1)]", "list"),
    ],
)
def test_a_result_without_a_solid_gives_way_to_the_one_exported(
    session: Session, result: str, named: str
) -> None:
    code = "plate = cq.Workplane().box(3, 2, 1)\ncq.exporters.export(plate, 'plate.step')\n"
    step = ok(run(session, f"{code}result = {result}"))
    assert step.part is not None
    assert step.part.name == "plate.step"
    assert codes(step) == ["result_not_solid"]
    assert named in step.notices[0].message


@pytest.mark.parametrize(
    "result",
    ["cq.Workplane().box(1, 1, 1)", "[cq.Solid.makeBox(1, 1, 1)]", "{'a': cq.Assembly()}"],
)
def test_a_result_with_a_solid_wins_over_what_was_exported(session: Session, result: str) -> None:
    code = "cq.exporters.export(cq.Workplane().box(3, 2, 1), 'plate.step')\n"
    part = ok(run(session, f"{code}result = {result}")).part
    assert part is not None
    assert part.name == "result"


def test_a_result_without_a_solid_is_named_where_several_could_stand_in(session: Session) -> None:
    code = "for x in (1, 2): show_object(cq.Workplane().box(x, 1, 1))\n"
    step = run(session, f"{code}result = cq.Sketch().rect(1, 1)")
    assert step.outcome is Outcome.NOT_A_SOLID


@pytest.mark.parametrize("copy", ["copy", "copy2"])
def test_a_program_can_copy_a_file_as_programs_do(session: Session, copy: str) -> None:
    code = f"import shutil\nopen('a', 'w').write('kept')\nshutil.{copy}('a', 'b')\n"
    step = run(session, PART + code + "print(open('b').read())")
    assert step.text == "kept\n", step.error


def test_a_program_can_make_an_empty_file_by_touching_it(session: Session) -> None:
    code = "import pathlib\nfor _ in 'ab': pathlib.Path('new').touch()\nprint(open('new').read())"
    step = run(session, PART + code)
    assert step.text == "\n", step.error


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("a = cq.Workplane().box(1, 1, 1)\nb = cq.Workplane().box(2, 2, 2)", ["a", "b"]),
        (
            "box = cq.Solid.makeBox(1, 1, 1)\n"
            "show_object(box, 'lid'); show_object(box.moved(x=9), 'pot')",
            ["lid", "pot"],
        ),
    ],
    ids=["names", "shown"],
)
def test_several_candidates_are_listed_never_guessed(
    session: Session, code: str, names: list[str]
) -> None:
    step = run(session, code)
    assert step.outcome is Outcome.NO_RESULT
    assert all(f"`{name}`" in str(step.error) for name in names)
    assert "result = " in str(step.error)


def test_a_step_that_only_looks_keeps_the_part(session: Session) -> None:
    before = ok(run(session, "result = cq.Workplane().box(1, 1, 1)"))
    after = ok(session.execute("print(result.val().Volume())"))
    assert before.part is not None
    assert after.part is not None
    assert (after.part.brep, after.part.name) == (before.part.brep, "result")


def test_a_step_that_binds_a_helper_keeps_result_and_says_so(session: Session) -> None:
    before = ok(run(session, "result = cq.Workplane().box(1, 1, 1)"))
    step = ok(session.execute("tool = cq.Workplane().cylinder(5, 1)"))
    assert before.part is not None
    assert step.part is not None
    assert step.part.brep == before.part.brep
    assert codes(step) == ["result_unchanged"]


@pytest.mark.parametrize(
    ("value", "volume"),
    [
        ("cq.Workplane().pushPoints([(0, 0), (5, 0)]).box(1, 1, 1, combine=False)", 2),
        ("cq.Solid.makeBox(1, 2, 3)", 6),
        ("[cq.Solid.makeBox(1, 1, 1), cq.Workplane().box(2, 2, 2)]", 9),
        ("{'a': cq.Solid.makeBox(1, 1, 1)}", 1),
        (
            "cq.Assembly().add(cq.Workplane().box(1, 1, 1)).add(cq.Workplane().box(1, 1, 1),"
            " loc=cq.Location((9, 0, 0)))",
            2,
        ),
    ],
    ids=["all objects of the stack", "shape", "list", "dict", "assembly"],
)
def test_every_kind_of_result_is_taken_whole(session: Session, value: str, volume: int) -> None:
    part = ok(run(session, f"result = {value}")).part
    assert part is not None
    session.reset()
    session.load(part)
    assert ok(session.execute("print(round(sum(s.Volume() for s in result.vals()), 6))")).text == (
        f"{float(volume)}\n"
    )


@pytest.mark.parametrize(
    ("value", "outcome", "says"),
    [
        ("None", Outcome.NO_RESULT, "None"),
        ("5.0", Outcome.NO_RESULT, "a float"),
        ("[]", Outcome.NO_RESULT, "a list"),
        ("cq.Sketch().rect(1, 1)", Outcome.NOT_A_SOLID, "placeSketch"),
        ("cq.Workplane().box(1, 1, 1).faces('>Z').workplane()", Outcome.NOT_A_SOLID, "findSolid"),
    ],
    ids=["none", "number", "empty list", "sketch", "workplane without a shape"],
)
def test_what_is_not_a_shape_is_named(
    session: Session, value: str, outcome: Outcome, says: str
) -> None:
    step = run(session, f"result = {value}")
    assert step.outcome is outcome
    assert says in str(step.error)


def test_an_exit_after_the_result_is_no_failure(session: Session) -> None:
    ok(run(session, "import sys\nresult = cq.Workplane().box(1, 1, 1)\nsys.exit(0)"))


def test_a_mate_that_holds_gives_no_notice(session: Session) -> None:
    code = """
result = cq.Assembly()
result.add(cq.Workplane().box(2, 2, 2), name="a")
result.add(cq.Workplane().box(1, 1, 1), name="b")
result.constrain("a@faces@>Z", "b@faces@<Z", "Plane").solve()
"""
    assert codes(ok(run(session, code))) == []


def test_parts_of_a_nested_assembly_that_overlap_are_named(session: Session) -> None:
    code = """
inner = cq.Assembly(name="inner").add(cq.Workplane().box(2, 2, 2), name="pin")
result = cq.Assembly().add(cq.Workplane().box(2, 2, 2), name="block")
result.add(inner, loc=cq.Location((1, 0, 0)))
"""
    step = ok(run(session, code))
    assert codes(step) == ["interference"]
    assert "4 mm³" in step.notices[0].message


def test_an_installed_font_gives_no_notice(session: Session) -> None:
    code = "from OCP.Font import Font_FontMgr\n"
    code += "fonts = Font_FontMgr.GetInstance_s().GetAvailableFonts()\n"
    code += "font = next(iter(fonts)).FontName().ToCString()\n"
    code += "result = cq.Workplane().text('A', 10, 2, font=font)"
    assert "missing_font" not in codes(ok(run(session, code)))


ERRORS = [
    ("result = cq.Workplane().box(1, 1, 1).edges().fillet(5)", 2, "fillet", "radius=5", "half"),
    (
        "w = cq.Workplane().box(9, 9, 9)\nresult = w.edges('|Z').chamfer(length=50)",
        3,
        "chamfer",
        "length=50",
        "half",
    ),
    ("result = cq.Workplane().box(1, 1, 1).faces('>Q')", 2, "faces", "selector='>Q'", "selector"),
    ("result = cq.Workplane().extrude(1)", 2, "extrude", "until=1", "closed profile"),
    ("result = cq.Workplane().bxo(1, 1, 1)", 2, "", "", "did you mean `box`?"),
    ("width = 3\nresult = cq.Workplane().box(widht, 1, 1)", 3, "", "", "did you mean `width`?"),
    ("open('/etc/cadwright', 'w')", 2, "", "", "relative path"),
    ("import no_such_package", 2, "", "", "standard library"),
    ("import subprocess; subprocess.run(['true'])", 2, "", "", "no subprocess"),
    (
        "result = cq.Workplane().box(1, 1, 1).edges('|Z and <').fillet(1)",
        2,
        "edges",
        "selector='|Z and <'",
        "selector",
    ),
]


@pytest.mark.parametrize(
    ("code", "line", "operation", "arguments", "hint"), ERRORS, ids=[row[0][-40:] for row in ERRORS]
)
def test_an_error_names_line_operation_arguments_and_a_way_out(
    session: Session, code: str, line: int, operation: str, arguments: str, hint: str
) -> None:
    step = run(session, code)
    assert step.outcome is Outcome.PYTHON_ERROR
    assert step.error is not None
    assert (step.error.line, step.error.operation) == (line, operation)
    assert arguments in step.error.arguments
    assert hint in step.error.hint


@pytest.mark.parametrize("code", [row[0] for row in ERRORS] + ["x = (1", "  x = 1", "x = 'abc"])
def test_an_error_shows_no_frame_of_ours(session: Session, code: str) -> None:
    text = str(session.execute(CQ + code).error)
    assert "/" not in text.replace("/etc/cadwright", "")
    assert "cadwright.tools" not in text
    assert len(text) < 1500


def test_an_exception_that_cannot_be_printed_is_reported(session: Session) -> None:
    code = "class Bad(Exception):\n    def __str__(self): raise ValueError\nraise Bad()"
    step = session.execute(code)
    assert step.error is not None
    assert step.error.type == "Bad"


def test_printing_reaches_the_text_whatever_its_language(session: Session) -> None:
    code = "import os, sys\nprint('Ø12 – 槽')\nprint('err', file=sys.stderr)\nos.write(1, b'raw')\n"
    assert (
        ok(run(session, code + "result = cq.Solid.makeBox(1, 1, 1)")).text == "Ø12 – 槽\nerr\nraw"
    )


def test_text_that_is_not_utf_8_is_kept(session: Session) -> None:
    step = ok(
        run(session, "import os; os.write(1, bytes([255])); result = cq.Solid.makeBox(1, 1, 1)")
    )
    assert step.text == "\N{REPLACEMENT CHARACTER}"


def test_a_flood_keeps_head_and_tail(session: Session) -> None:
    code = "print('head')\nfor _ in range(3000): print('x' * 1000)\nprint('tail')\n"
    step = ok(run(session, code + "result = cq.Solid.makeBox(1, 1, 1)"))
    assert step.text.startswith("head\n")
    assert step.text.endswith("tail\n")
    assert len(step.text) < 9000
    assert codes(step) == ["stdout_truncated"]


def test_text_before_a_crash_is_kept(session: Session) -> None:
    step = session.execute("print('last words')\nimport ctypes; ctypes.string_at(0)")
    assert (step.text, step.signal) == ("last words\n", "SIGSEGV")


def test_a_step_that_closes_standard_output_does_not_spoil_the_next(session: Session) -> None:
    ok(run(session, "import sys\nresult = cq.Solid.makeBox(1, 1, 1)\nsys.stdout.close()"))
    assert ok(session.execute("print('fine')")).text == "fine\n"


def test_an_open_file_survives_the_step(session: Session) -> None:
    ok(run(session, "log = open('log.txt', 'w')\nresult = cq.Solid.makeBox(1, 1, 1)"))
    ok(session.execute("print('line', file=log, flush=True)"))
    assert ok(session.execute("print(open('log.txt').read())")).text == "line\n\n"


def test_reading_standard_input_ends_at_once(session: Session) -> None:
    assert session.execute("input()").outcome is Outcome.PYTHON_ERROR


@pytest.mark.parametrize(
    "code",
    ["x = bytearray(8 << 30)", "x = []\nwhile True: x.append(bytearray(1 << 26))"],
    ids=["at once", "bit by bit"],
)
def test_memory_is_limited(session: Session, code: str) -> None:
    step = session.execute(code, timeout_s=60)
    assert step.outcome is Outcome.RESOURCE_LIMIT
    assert step.error is not None
    assert step.error.line in (1, 2)


def test_cpu_time_is_limited() -> None:
    with Sandbox(Limits(cpu_s=1)) as sandbox:
        step = sandbox.session().execute("while True: pass", timeout_s=30)
        assert step.outcome in (Outcome.RESOURCE_LIMIT, Outcome.NATIVE_CRASH)
        assert step.signal in ("SIGXCPU", "SIGKILL")


def test_the_answer_is_limited() -> None:
    with Sandbox(Limits(result_bytes=5000)) as sandbox:
        code = CQ + "result = cq.Workplane().box(9, 9, 9).edges().fillet(1)"
        assert sandbox.session().execute(code).outcome is not Outcome.OK


def test_a_program_alone_returns_triangles_on_request(sandbox: Sandbox) -> None:
    step = ok(sandbox.run(CQ + "result = cq.Workplane().box(1, 2, 3)", with_mesh=True))
    assert step.part is not None
    assert step.part.mesh is not None
    assert step.part.mesh.faces.shape == (12, 3)
    assert step.part.mesh.vertices.max(axis=0).tolist() == [0.5, 1.0, 1.5]
