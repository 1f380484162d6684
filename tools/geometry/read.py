"""Read a part from a file of any supported format: one loader, one unit, one axis convention.

Lengths become mm and Z points up, whatever the format says: STEP and 3MF name their unit, glTF
is metres with Y up, STL and OBJ have no unit and are taken as they are. Instances and node
transforms are applied, so a part is always one shape or one mesh.
"""

from __future__ import annotations

from collections.abc import Callable

from cadwright.tools.geometry.formats import ImportFailure, check_size, format_of
from cadwright.tools.geometry.gltf import read_glb, read_gltf
from cadwright.tools.geometry.kernel import brep_bytes, shape_of
from cadwright.tools.geometry.obj import read_obj
from cadwright.tools.geometry.part import Mesh, Notice, Part
from cadwright.tools.geometry.step import read_step
from cadwright.tools.geometry.stl import read_stl
from cadwright.tools.geometry.threemf import read_3mf

__all__ = ["ImportFailure", "read_part"]

_MESH_READERS: dict[str, Callable[[bytes, str], Mesh | tuple[Mesh, tuple[Notice, ...]]]] = {
    "stl": read_stl,
    "obj": read_obj,
    "3mf": read_3mf,
    "glb": read_glb,
    "gltf": read_gltf,
}


def read_part(data: bytes, fmt: str, *, name: str = "part") -> Part:
    """Return the part in the bytes of a file.

    Args:
        data: The whole file.
        fmt: A format or file ending: ``step``, ``.STP``, ``brep``, ``stl``, ``obj``, ``3mf``,
            ``glb``, ``gltf``.
        name: File name for messages.

    Returns:
        Exact geometry for STEP and BREP, triangles otherwise. It may still be a broken part:
        ``inspect_part`` tells.

    Raises:
        ImportFailure: The file cannot become a part; its ``outcome`` says in which way.
    """
    fmt = format_of(fmt)
    check_size(len(data), name)
    if fmt == "step":
        shape, notices = read_step(data, name)
        return Part(brep=brep_bytes(shape), name=name, notices=notices)
    if fmt == "brep":
        return Part(brep=brep_bytes(shape_of(data, name=name)), name=name)
    found = _MESH_READERS[fmt](data, name)
    mesh, notices = found if isinstance(found, tuple) else (found, ())
    return Part(mesh=mesh, name=name, notices=notices)
