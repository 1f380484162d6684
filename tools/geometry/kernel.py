"""The CAD kernel as the other modules need it: one thread, its errors as one tuple, its bytes.

Only worker processes import this module. Importing it fixes the kernel's thread pool at one
thread, which must be the first kernel call of a process: a pool made earlier by a boolean
hangs every child that is forked afterwards.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any, TypeAlias

import OCP
from OCP.BinTools import BinTools, BinTools_FormatVersion
from OCP.BRep import BRep_Builder
from OCP.BRepTools import BRepTools
from OCP.Message import Message
from OCP.OSD import OSD_ThreadPool
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS_Shape
from OCP.TopTools import TopTools_FormatVersion, TopTools_IndexedMapOfShape

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.formats import ImportFailure

OSD_ThreadPool.DefaultPool_s(1)
Message.DefaultMessenger_s().ChangePrinters().Clear()  # readers chat on stdout otherwise

Shape: TypeAlias = Any  # TopoDS_Shape: the bindings carry no types

BINARY_MAGIC = b"Open CASCADE Topology V"
TEXT_MAGIC = b"CASCADE Topology V"
_TEXT_SECTIONS = (
    b"Locations",
    b"Curve2ds",
    b"Curves",
    b"Polygon3D",
    b"PolygonOnTriangulations",
    b"Surfaces",
    b"Triangulations",
    b"TShapes",
)
_TEXT_END = re.compile(rb"\*\s+[-+io]\d+ \d+\s*$")  # the last shape, then which is the root


def _kernel_errors() -> Iterator[type[Exception]]:
    """Yield the kernel's exceptions: they share no base class in Python."""
    for module in vars(OCP.OCP).values():
        if isinstance(module, ModuleType):
            for value in vars(module).values():
                if isinstance(value, type) and issubclass(value, Exception):
                    yield value
    yield RuntimeError  # what the bindings raise for a C++ exception they do not know


KERNEL_ERRORS: tuple[type[Exception], ...] = tuple(_kernel_errors())


def subshapes(shape: Shape, kind: TopAbs_ShapeEnum) -> list[Shape]:
    """Return the distinct sub-shapes of one kind, in the kernel's own stable order."""
    found = TopTools_IndexedMapOfShape()
    TopExp.MapShapes_s(shape, kind, found)
    return [found.FindKey(index) for index in range(1, found.Extent() + 1)]


def brep_bytes(shape: Shape) -> bytes:
    """Return a shape as BinTools bytes without a triangulation."""
    stream = io.BytesIO()
    version = BinTools_FormatVersion.BinTools_FormatVersion_CURRENT
    BinTools.Write_s(shape, stream, False, False, version)
    return stream.getvalue()


def brep_text(shape: Shape) -> bytes:
    """Return a shape as BREP text, without a triangulation."""
    stream = io.BytesIO()
    version = TopTools_FormatVersion.TopTools_FormatVersion_CURRENT
    BRepTools.Write_s(shape, stream, False, False, version)
    return stream.getvalue()


def shape_of(data: bytes, *, name: str = "part") -> Shape:
    """Return the shape in BREP bytes, binary or text, freed from any triangulation in them.

    Args:
        data: BinTools bytes or BREP text.
        name: Where they came from, for the message.

    Raises:
        ImportFailure: The bytes are not a BREP, or are cut off.
    """
    head = data[:256]
    shape = TopoDS_Shape()
    try:
        if BINARY_MAGIC in head:
            BinTools.Read_s(shape, io.BytesIO(data))
        elif TEXT_MAGIC in head:
            _check_text(data, name)
            BRepTools.Read_s(shape, io.BytesIO(data), BRep_Builder())
        else:
            raise ImportFailure(f"{name}: not a BREP file (it starts with {bytes(head[:16])!r})")
    except KERNEL_ERRORS as err:
        raise ImportFailure(f"{name}: the BREP data is damaged or cut off ({reason(err)})") from err
    if shape.IsNull():
        raise ImportFailure(f"{name}: the BREP file holds no shape", Outcome.EMPTY_GEOMETRY)
    BRepTools.Clean_s(shape, True)  # a triangulation from outside may show another part
    return shape


def _check_text(data: bytes, name: str) -> None:
    """Refuse BREP text that is cut off: the kernel's reader would look for the rest forever."""
    place = count = 0
    for section in _TEXT_SECTIONS:
        found = re.compile(rb"^" + section + rb" (\d+)\s*$", re.MULTILINE).search(data, place)
        if found is None:
            raise ImportFailure(f"{name}: truncated: the section {section.decode()} is missing")
        place, count = found.end(), int(found[1])
    if data.count(b"*", place) < count or not _TEXT_END.search(data[-64:]):
        raise ImportFailure(f"{name}: truncated: the list of shapes is not complete")


def reason(err: BaseException) -> str:
    """Return a kernel error as one short line."""
    lines = [line.strip() for line in str(err).splitlines() if line.strip()]
    return (lines[0] if lines else type(err).__name__)[:120]
