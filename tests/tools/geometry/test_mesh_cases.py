"""Every mesh file of the case collection gives the outcome its index states."""

import json
from pathlib import Path

import pytest

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.part import Inspection
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.wire import encode_inspection

CASES = Path(__file__).parents[2] / "cases"
INDEX = {
    case["file"]: case["expected"]
    for case in json.loads((CASES / "index.json").read_text("utf-8"))["cases"]
    if case["file"].startswith("mesh/")
}


def look(file: str) -> Inspection:
    """Read and inspect a case; a refusal to read it is an inspection as well."""
    path = CASES / file
    try:
        return inspect_part(read_part(path.read_bytes(), path.suffix, name=path.name))
    except GeometryError as err:
        return Inspection(err.outcome, str(err), None, None, None)


def with_key(key: str) -> list[str]:
    return [file for file, expected in INDEX.items() if key in expected]


@pytest.mark.parametrize("file", with_key("outcome"))
def test_the_outcome_is_the_expected_one(file):
    allowed = INDEX[file]["outcome"].replace("_or_repaired_with_warning", "")
    assert look(file).outcome == allowed


@pytest.mark.parametrize("file", with_key("volume"))
def test_the_volume_is_the_expected_one(file):
    assert look(file).measures.volume_mm3 == pytest.approx(INDEX[file]["volume"])


@pytest.mark.parametrize("file", with_key("watertight"))
def test_watertight_is_told_apart(file):
    assert look(file).measures.is_watertight is INDEX[file]["watertight"]


def test_instances_keep_their_transforms():
    measures = look("mesh/m14_two_instances.glb").measures
    assert (measures.bodies, measures.size_mm) == (2, (50.0, 10.0, 10.0))


def test_a_missing_triangle_is_counted_as_open_edges():
    found = look("mesh/m02_box_one_triangle_missing.stl")
    assert found.measures.open_edges == 3
    assert "3 open edges" in found.message


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("mesh/m06_truncated.stl", "truncated or wrong size"),
        ("mesh/m07_wrong_count.stl", "999999 triangles"),
        ("mesh/m09_html_error_page.stl", "not an STL file"),
        ("mesh/m11_bad_face_index.obj", "line 4: face index 9"),
        ("mesh/m15_flat_plate.obj", "one plane"),
    ],
)
def test_the_message_gives_the_plain_cause(file, words):
    assert words in look(file).message


@pytest.mark.parametrize("file", INDEX)
def test_no_report_holds_a_nan(file):
    json.dumps(encode_inspection(look(file))[0], allow_nan=False)


def test_an_inch_block_becomes_millimetres():
    path = CASES / "cad" / "inch_block.step"
    part = read_part(path.read_bytes(), "step", name=path.name)
    assert inspect_part(part).measures.size_mm == pytest.approx((25.4, 25.4, 25.4))
    assert [notice.code for notice in part.notices] == ["units_converted"]


def test_every_stated_expectation_is_looked_at():
    known = {
        "outcome", "volume", "watertight", "bodies", "extents", "message_says", "must_not", "use",
        "no_nan_in_report", "message_names_face_or_index",
    }  # fmt: skip
    assert {key for expected in INDEX.values() for key in expected} <= known
    assert Outcome.IMPORT_ERROR in {look(file).outcome for file in INDEX}
