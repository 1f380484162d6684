"""The jobs of a mesh worker: one operation on given meshes, in frames of a header and blobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.wire import decode_mesh
from cadwright.tools.meshing.made import Made, encode_meshes
from cadwright.tools.meshing.operations import OPERATIONS
from cadwright.tools.meshing.survey import survey
from cadwright.tools.meshing.triangles import check_count, check_reach

Reply = tuple[dict[str, Any], list[bytes]]


def apply_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Do ``header["operation"]`` with ``header["arguments"]`` on ``header["meshes"]``."""
    meshes = [_checked(one, blobs) for one in header["meshes"]]
    operation = OPERATIONS[header["operation"]]
    try:
        made = operation(meshes, header["arguments"])
    except MemoryError as err:
        raise GeometryError(
            "there is not enough memory for that: use a smaller mesh or a coarser setting",
            Outcome.RESOURCE_LIMIT,
        ) from err
    return _encoded(made)


def survey_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Count what is wrong with ``header["mesh"]``."""
    return {"survey": asdict(survey(_checked(header["mesh"], blobs)))}, []


def _checked(header: dict[str, Any], blobs: list[bytes]) -> Mesh:
    """Read a mesh that can be worked on: model code may have made it of any numbers."""
    mesh = decode_mesh(header, blobs)
    check_count(len(mesh.faces))
    check_reach(mesh.vertices)
    return mesh


def _encoded(made: Made) -> Reply:
    meshes, blobs = encode_meshes(made.meshes)
    header = {
        "facts": list(made.facts),
        "numbers": dict(made.numbers),
        "notices": [[notice.code, notice.message] for notice in made.notices],
        "meshes": meshes,
    }
    return header, blobs


JOBS: dict[str, Callable[[dict[str, Any], list[bytes]], Reply]] = {
    "apply": apply_job,
    "survey": survey_job,
}
