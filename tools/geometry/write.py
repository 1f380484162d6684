"""Write a part to a file format, and prove it by reading the file back.

STEP and BREP need exact geometry; the mesh formats take the tessellation. STEP bytes differ at
every export (time stamp, counter), so compare digests of parts, never of files.
"""

from __future__ import annotations

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.formats import EXACT_FORMATS, WRITABLE, format_of
from cadwright.tools.geometry.gltf import write_glb
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.kernel import brep_text, shape_of
from cadwright.tools.geometry.obj import write_obj
from cadwright.tools.geometry.part import Inspection, Measures, Part
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.step import write_step
from cadwright.tools.geometry.stl import write_stl
from cadwright.tools.geometry.threemf import write_3mf

_MESH_WRITERS = {"stl": write_stl, "obj": write_obj, "3mf": write_3mf, "glb": write_glb}
_EXACT_SHARE = 1e-6  # STEP rounds its numbers to about 15 digits
_MESH_SHARE = 1e-4  # STL and GLB hold 32-bit numbers


def write_part(part: Part, fmt: str) -> bytes:
    """Return a part as the bytes of a file.

    Args:
        part: The part.
        fmt: ``step``, ``brep``, ``stl``, ``obj``, ``3mf`` or ``glb``.

    Returns:
        A file that was read back and has the same volume and bodies.

    Raises:
        GeometryError: There is nothing to write, the format cannot hold it, or the file that
            came out is not the same part.
    """
    fmt = format_of(fmt)
    if fmt not in WRITABLE:
        raise GeometryError(f"{fmt} is read only: use one of {', '.join(WRITABLE)}")
    if fmt in EXACT_FORMATS:
        data = _exact(part, fmt)
        _compare(part.name, fmt, inspect_part(part), inspect_part(read_part(data, fmt)))
        return data
    inspection = inspect_part(part)
    if inspection.mesh is None:
        raise GeometryError(f"{part.name}: {inspection.message}", inspection.outcome)
    data = _MESH_WRITERS[fmt](inspection.mesh)
    again = inspect_part(read_part(data, fmt))
    _compare(part.name, fmt, inspect_part(Part(mesh=inspection.mesh)), again)
    return data


def _exact(part: Part, fmt: str) -> bytes:
    if part.brep is None:
        raise GeometryError(
            f"{part.name} has triangles only and {fmt} needs exact geometry: "
            "use stl, obj, 3mf or glb",
            Outcome.BAD_CALL,
        )
    shape = shape_of(part.brep, name=part.name)
    return brep_text(shape) if fmt == "brep" else write_step(shape, part.name)


def _compare(name: str, fmt: str, given: Inspection, found: Inspection) -> None:
    """Raise unless the part read back measures the same."""
    a, b = given.measures, found.measures
    share = _EXACT_SHARE if fmt in EXACT_FORMATS else _MESH_SHARE
    if a is None or b is None or not _is_same(a, b, share):
        raise GeometryError(
            f"{name}: the {fmt} file does not read back as the same part "
            f"({_words(a)} given, {_words(b)} read)"
        )


def _is_same(a: Measures, b: Measures, share: float) -> bool:
    if a.bodies != b.bodies or (a.volume_mm3 is None) != (b.volume_mm3 is None):
        return False
    return bool(np.isclose(a.volume_mm3 or a.area_mm2, b.volume_mm3 or b.area_mm2, rtol=share))


def _words(measures: Measures | None) -> str:
    if measures is None:
        return "nothing"
    return f"{measures.bodies} bodies, volume {measures.volume_mm3}, area {measures.area_mm2:.6g}"
