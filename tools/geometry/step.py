"""STEP: in and out, with every setting of the kernel's translator set each time.

The translator keeps its settings in process-wide statics, and its files carry a time stamp and a
counter: never hash a STEP file, hash the part it holds.
"""

from __future__ import annotations

import io
import re

from OCP.IFSelect import IFSelect_ReturnStatus
from OCP.Interface import Interface_Static
from OCP.STEPControl import (
    STEPControl_Controller,
    STEPControl_Reader,
    STEPControl_StepModelType,
    STEPControl_Writer,
)
from OCP.TColStd import TColStd_SequenceOfAsciiString

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.formats import ImportFailure
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, Shape, reason
from cadwright.tools.geometry.part import Notice

_MAGIC = b"ISO-10303-21"
_MILLIMETRES = {"MILLIMETRE", "MILLIMETER", "MM"}
_TEXT_STATICS = {
    "xstep.cascade.unit": "MM",
    "write.step.unit": "MM",
    "write.step.schema": "AP214IS",
}
_NUMBER_STATICS = {
    "read.precision.mode": 0,
    "write.precision.mode": 0,
    "write.surfacecurve.mode": 1,
}

STEPControl_Controller.Init_s()  # the statics do not exist before


def read_step(data: bytes, name: str) -> tuple[Shape, tuple[Notice, ...]]:
    """Return everything in a STEP file as one shape in mm, and a notice on converted units.

    Raises:
        ImportFailure: Not STEP, cut off, or without geometry.
    """
    if _MAGIC not in data[:1024]:
        raise ImportFailure(f"{name}: not a STEP file (it starts with {bytes(data[:16])!r})")
    if b"END-ISO-10303-21" not in data[-4096:]:
        raise ImportFailure(f"{name}: truncated: the closing END-ISO-10303-21 is missing")
    _set_statics(name)
    reader = STEPControl_Reader()
    try:
        if reader.ReadStream(name, io.BytesIO(data)) != IFSelect_ReturnStatus.IFSelect_RetDone:
            raise ImportFailure(f"{name}: the STEP data is damaged: export it again")
        units = _units(reader)
        reader.TransferRoots()
        shape = reader.OneShape()
    except KERNEL_ERRORS as err:
        raise ImportFailure(f"{name}: the STEP data is damaged ({reason(err)})") from err
    if shape.IsNull():
        raise ImportFailure(f"{name}: the STEP file holds no shape", Outcome.EMPTY_GEOMETRY)
    foreign = sorted(units - _MILLIMETRES)
    if not foreign:
        return shape, ()
    return shape, (Notice("units_converted", f"{name}: {', '.join(foreign)} converted to mm"),)


def write_step(shape: Shape, name: str) -> bytes:
    """Return a shape as a STEP file in mm.

    Raises:
        GeometryError: The kernel cannot write it.
    """
    _set_statics(name)
    writer = STEPControl_Writer()
    stream = io.BytesIO()
    try:
        writer.Transfer(shape, STEPControl_StepModelType.STEPControl_AsIs)
        status = writer.WriteStream(stream)
    except KERNEL_ERRORS as err:
        raise GeometryError(f"{name}: cannot be written as STEP ({reason(err)})") from err
    if status != IFSelect_ReturnStatus.IFSelect_RetDone:
        raise GeometryError(f"{name}: cannot be written as STEP")
    return stream.getvalue()


def _set_statics(name: str) -> None:
    for key, text in _TEXT_STATICS.items():
        Interface_Static.SetCVal_s(key, text)
    for key, number in _NUMBER_STATICS.items():
        Interface_Static.SetIVal_s(key, number)
    product = re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:64] or "part"
    Interface_Static.SetCVal_s("write.step.product.name", product)


def _units(reader: STEPControl_Reader) -> set[str]:
    lengths, angles, solid_angles = (TColStd_SequenceOfAsciiString() for _ in range(3))
    reader.FileUnits(lengths, angles, solid_angles)
    return {lengths.Value(k).ToCString().upper() for k in range(1, lengths.Length() + 1)}
