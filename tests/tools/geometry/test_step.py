"""STEP: units in both directions, and no setting that leaks from one task to the next."""

import pytest
from OCP.Interface import Interface_Static

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.formats import ImportFailure
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.write import write_part

LEAKS = {"write.step.unit": "INCH", "xstep.cascade.unit": "M", "write.step.schema": "AP203"}


@pytest.fixture
def leaked():
    """Another task in this process has left its own translator settings behind."""
    before = {key: Interface_Static.CVal_s(key) for key in LEAKS}
    for key, value in LEAKS.items():
        Interface_Static.SetCVal_s(key, value)
    yield
    for key, value in before.items():
        Interface_Static.SetCVal_s(key, value)


@pytest.mark.usefixtures("leaked")
def test_settings_of_another_task_do_not_change_the_export(plate_part):
    data = write_part(plate_part, "step")
    assert b"SI_UNIT(.MILLI.,.METRE.)" in data.replace(b" ", b"")
    assert inspect_part(read_part(data, "step")).measures.size_mm == pytest.approx((80, 60, 10))


def test_the_product_carries_a_safe_name(plate_part):
    from dataclasses import replace

    data = write_part(replace(plate_part, name="mein Teil'); DROP"), "step")
    assert b"mein_Teil____DROP" in data


def test_a_step_file_without_geometry_is_empty(plate_part):
    data = write_part(plate_part, "step")
    start, end = data.index(b"DATA;"), data.rindex(b"ENDSEC;")
    with pytest.raises(ImportFailure) as caught:
        read_part(data[: start + 5] + b"\n" + data[end:], "step")
    assert caught.value.outcome in (Outcome.EMPTY_GEOMETRY, Outcome.IMPORT_ERROR)
