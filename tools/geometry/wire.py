"""Parts and inspections as JSON headers and binary blobs, for the frames between processes.

Frames come from less trusted processes, so decoding checks everything a later array operation
relies on: types, shapes, index ranges, finite values. A header names its arrays by their place
in the list of blobs; ``first_blob`` lets one frame carry several records:

    first, blobs = encode_part(part)
    second, more = encode_part(reference, first_blob=len(blobs))
    worker.call("score", {"part": first, "reference": second}, [*blobs, *more], timeout_s=20)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import (
    Edges,
    Hole,
    Inspection,
    Measures,
    Mesh,
    Notice,
    Part,
    Vector,
)

Header = dict[str, Any]
Blobs = Sequence[bytes]

MAX_NOTICES = 200
MAX_TEXT = 10_000  # characters
MAX_HOLES = 100_000

_DTYPES: dict[str, npt.DTypeLike] = {"<f8": np.float64, "<i4": np.int32}


class WireError(GeometryError):
    """A frame whose header or blobs do not describe a valid record."""


def encode_part(part: Part, *, first_blob: int = 0) -> tuple[Header, list[bytes]]:
    """Return a part as a header and the blobs it names, counted from ``first_blob``."""
    writer = _Writer(first_blob)
    header = {
        "name": part.name,
        "notices": _notices_out(part.notices),
        "brep": None if part.brep is None else writer.blob(part.brep),
        "mesh": None if part.mesh is None else _mesh_out(part.mesh, writer),
    }
    return header, writer.blobs


def decode_part(header: Mapping[str, Any], blobs: Blobs) -> Part:
    """Return the part of a frame.

    Raises:
        WireError: The header or a blob is not what ``encode_part`` writes.
    """
    header = _mapping(header)
    place, mesh = header.get("brep"), header.get("mesh")
    return Part(
        brep=None if place is None else _blob(place, blobs),
        mesh=None if mesh is None else _mesh_in(_mapping(mesh), blobs),
        name=_text(header.get("name")),
        notices=_notices_in(header.get("notices")),
    )


def encode_mesh(mesh: Mesh, *, first_blob: int = 0) -> tuple[Header, list[bytes]]:
    """Return a mesh as a header and the blobs it names, counted from ``first_blob``."""
    writer = _Writer(first_blob)
    return _mesh_out(mesh, writer), writer.blobs


def decode_mesh(header: Mapping[str, Any], blobs: Blobs) -> Mesh:
    """Return the mesh of a frame; raises WireError."""
    return _mesh_in(_mapping(header), blobs)


def encode_inspection(inspection: Inspection, *, first_blob: int = 0) -> tuple[Header, list[bytes]]:
    """Return an inspection as a header and the blobs it names, counted from ``first_blob``."""
    writer = _Writer(first_blob)
    measures, mesh, edges = inspection.measures, inspection.mesh, inspection.edges
    header = {
        "outcome": str(inspection.outcome),
        "message": inspection.message,
        "notices": _notices_out(inspection.notices),
        "measures": None if measures is None else asdict(measures),
        "mesh": None if mesh is None else _mesh_out(mesh, writer),
        "edges": None if edges is None else _edges_out(edges, writer),
    }
    return header, writer.blobs


def decode_inspection(header: Mapping[str, Any], blobs: Blobs) -> Inspection:
    """Return the inspection of a frame; raises WireError."""
    header = _mapping(header)
    measures, mesh, edges = (header.get(key) for key in ("measures", "mesh", "edges"))
    outcome = _text(header.get("outcome"))
    if outcome not in set(Outcome):
        raise WireError(f"outcome {outcome!r} is unknown")
    return Inspection(
        outcome=Outcome(outcome),
        message=_text(header.get("message")),
        measures=None if measures is None else _measures_in(_mapping(measures)),
        mesh=None if mesh is None else _mesh_in(_mapping(mesh), blobs),
        edges=None if edges is None else _edges_in(_mapping(edges), blobs),
        notices=_notices_in(header.get("notices")),
    )


class _Writer:
    """Collects blobs and hands out their places."""

    def __init__(self, first_blob: int) -> None:
        self.blobs: list[bytes] = []
        self._first = first_blob

    def blob(self, data: bytes) -> int:
        self.blobs.append(data)
        return self._first + len(self.blobs) - 1

    def array(self, values: npt.NDArray[Any], dtype: str) -> Header:
        packed = np.ascontiguousarray(values, dtype)
        return {"blob": self.blob(packed.tobytes()), "dtype": dtype, "shape": list(packed.shape)}


def _mesh_out(mesh: Mesh, writer: _Writer) -> Header:
    return {
        "vertices": writer.array(mesh.vertices, "<f8"),
        "faces": writer.array(mesh.faces, "<i4"),
        "face_ids": writer.array(mesh.face_ids, "<i4"),
    }


def _mesh_in(header: Mapping[str, Any], blobs: Blobs) -> Mesh:
    vertices = _array(header.get("vertices"), blobs, "<f8", (None, 3))
    faces = _array(header.get("faces"), blobs, "<i4", (None, 3))
    face_ids = _array(header.get("face_ids"), blobs, "<i4", (len(faces),))
    if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise WireError(f"a triangle names a vertex outside 0..{len(vertices) - 1}")
    return Mesh(vertices, faces, face_ids)


def _edges_out(edges: Edges, writer: _Writer) -> Header:
    return {
        "segments": writer.array(edges.segments, "<f8"),
        "edge_ids": writer.array(edges.edge_ids, "<i4"),
    }


def _edges_in(header: Mapping[str, Any], blobs: Blobs) -> Edges:
    segments = _array(header.get("segments"), blobs, "<f8", (None, 2, 3))
    return Edges(segments, _array(header.get("edge_ids"), blobs, "<i4", (len(segments),)))


def _array(
    header: Any, blobs: Blobs, dtype: str, shape: tuple[int | None, ...]
) -> npt.NDArray[Any]:
    """Return a checked array; None in ``shape`` allows any length."""
    header = _mapping(header)
    given = header.get("shape")
    if header.get("dtype") != dtype or not _fits(given, shape):
        raise WireError(f"array {header.get('dtype')} {given}: expected {dtype} {list(shape)}")
    data = _blob(header.get("blob"), blobs)
    if len(data) != math.prod(given) * np.dtype(dtype).itemsize:
        raise WireError(f"array of shape {given} comes with {len(data)} bytes")
    values: npt.NDArray[Any] = np.frombuffer(data, dtype).reshape(given).astype(_DTYPES[dtype])
    if dtype == "<f8" and not np.isfinite(values).all():
        raise WireError("an array holds NaN or infinity", Outcome.INVALID_GEOMETRY)
    return values


def _fits(given: Any, shape: tuple[int | None, ...]) -> bool:
    if not isinstance(given, list) or len(given) != len(shape):
        return False
    return all(
        type(size) is int and size >= 0 and (want is None or size == want)
        for size, want in zip(given, shape, strict=True)
    )


def _blob(place: Any, blobs: Blobs) -> bytes:
    if type(place) is not int or not 0 <= place < len(blobs):
        raise WireError(f"blob {place!r} is not one of the {len(blobs)} given")
    return bytes(blobs[place])


def _measures_in(header: Mapping[str, Any]) -> Measures:
    volume, inertia = header.get("volume_mm3"), header.get("inertia_mm5")
    low, high = _rows(header.get("bbox_mm"), 2)
    kinds = _mapping(header.get("faces_by_kind"))
    return Measures(
        volume_mm3=None if volume is None else _number(volume),
        area_mm2=_number(header.get("area_mm2")),
        bbox_mm=(low, high),
        bodies=_count(header.get("bodies")),
        is_watertight=_truth(header.get("is_watertight")),
        is_valid=_truth(header.get("is_valid")),
        centre_mm=_vector(header.get("centre_mm")),
        inertia_mm5=None if inertia is None else _three(_rows(inertia, 3)),
        num_faces=_count(header.get("num_faces")),
        num_edges=_count(header.get("num_edges")),
        num_triangles=_count(header.get("num_triangles")),
        open_edges=_count(header.get("open_edges")),
        faces_by_kind={_text(kind): _count(number) for kind, number in kinds.items()},
        num_shells=_count(header.get("num_shells")),
        holes=tuple(_hole_in(_mapping(hole)) for hole in _list(header.get("holes"), MAX_HOLES)),
    )


def _hole_in(header: Mapping[str, Any]) -> Hole:
    return Hole(
        diameter_mm=_number(header.get("diameter_mm")),
        axis=_vector(header.get("axis")),
        position_mm=_vector(header.get("position_mm")),
        depth_mm=_number(header.get("depth_mm")),
        is_through=_truth(header.get("is_through")),
    )


def _notices_out(notices: tuple[Notice, ...]) -> list[list[str]]:
    return [[notice.code, notice.message] for notice in notices]


def _notices_in(value: Any) -> tuple[Notice, ...]:
    pairs = [_list(pair, 2) for pair in _list(value, MAX_NOTICES)]
    if any(len(pair) != 2 for pair in pairs):
        raise WireError("a notice is a code and a message")
    return tuple(Notice(_text(code), _text(message)) for code, message in pairs)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise WireError(f"expected an object, got {type(value).__name__}")
    return value


def _list(value: Any, longest: int) -> list[Any]:
    if not isinstance(value, list | tuple) or len(value) > longest:
        raise WireError(f"expected a list of at most {longest} items")
    return list(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise WireError(f"expected text, got {type(value).__name__}")
    return value[:MAX_TEXT]


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise WireError(f"expected a finite number, got {value!r}")
    return float(value)


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise WireError(f"expected a count, got {value!r}")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise WireError(f"expected true or false, got {value!r}")
    return value


def _vector(value: Any) -> Vector:
    items = _list(value, 3)
    if len(items) != 3:
        raise WireError(f"expected three numbers, got {len(items)}")
    return (_number(items[0]), _number(items[1]), _number(items[2]))


def _rows(value: Any, count: int) -> list[Vector]:
    rows = [_vector(row) for row in _list(value, count)]
    if len(rows) != count:
        raise WireError(f"expected {count} rows, got {len(rows)}")
    return rows


def _three(rows: list[Vector]) -> tuple[Vector, Vector, Vector]:
    return (rows[0], rows[1], rows[2])
