"""STL, binary and ASCII: exact about sizes, never guessing at a damaged file."""

from __future__ import annotations

import re
import struct

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.formats import ImportFailure, check_triangles
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh
from cadwright.tools.geometry.triangles import triangle_normals
from cadwright.tools.geometry.weld import weld

_HEADER_BYTES = 80
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_TEXT_START = re.compile(rb"\s*solid\b")
_TEXT_FACET = re.compile(rb"\bfacet\b")
_VERTEX = re.compile(rb"\bvertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)")


def read_stl(data: bytes, name: str) -> Mesh:
    """Return the triangles of an STL file, equal corners joined.

    Args:
        data: The file. Its numbers are taken as mm, Z up: STL has neither.
        name: For messages.

    Raises:
        ImportFailure: Truncated, wrong triangle count, not STL, or not a number in it.
    """
    corners = _text_corners(data, name) if _is_text(data) else _binary_corners(data, name)
    return soup_mesh(corners, name)


def write_stl(mesh: Mesh) -> bytes:
    """Return a binary STL; its 32-bit numbers keep about seven digits."""
    facets = np.zeros(len(mesh.faces), _FACET)
    corners = mesh.vertices[mesh.faces]
    facets["normal"] = triangle_normals(corners)
    facets["corners"] = corners
    header = b"cadwright, mm".ljust(_HEADER_BYTES, b" ")
    return header + struct.pack("<I", len(facets)) + facets.tobytes()


def soup_mesh(corners: FloatArray, name: str) -> Mesh:
    """Return a mesh of (m, 3, 3) float64 triangle corners, equal corners joined."""
    bad = np.flatnonzero(~np.isfinite(corners).all(axis=(1, 2)))
    if len(bad):
        raise ImportFailure(
            f"{name}: triangle {bad[0] + 1} has a coordinate that is NaN or infinite",
            Outcome.INVALID_GEOMETRY,
        )
    if not len(corners):
        raise ImportFailure(f"{name}: the file holds no triangle", Outcome.EMPTY_GEOMETRY)
    points = corners.reshape(-1, 3)
    kept, place = weld(points)
    faces: IntArray = place.reshape(-1, 3)
    return Mesh(points[kept] + 0.0, faces, np.zeros(len(faces), np.int32))


def _is_text(data: bytes) -> bool:
    """Many binary files start with ``solid`` too: a size that fits the count decides."""
    if not _TEXT_START.match(data[:_HEADER_BYTES]):
        return False
    return _expected_size(data) != len(data)


def _expected_size(data: bytes) -> int | None:
    if len(data) < _HEADER_BYTES + 4:
        return None
    (count,) = struct.unpack_from("<I", data, _HEADER_BYTES)
    return int(_HEADER_BYTES + 4 + _FACET.itemsize * count)


def _binary_corners(data: bytes, name: str) -> FloatArray:
    expected = _expected_size(data)
    if expected is None or _looks_like_text(data):
        raise ImportFailure(f"{name}: not an STL file (it starts with {bytes(data[:16])!r})")
    if expected != len(data):
        (count,) = struct.unpack_from("<I", data, _HEADER_BYTES)
        held = (len(data) - _HEADER_BYTES - 4) / _FACET.itemsize
        raise ImportFailure(
            f"{name}: truncated or wrong size: its header says {count} triangles "
            f"({expected} bytes), the file has {len(data)} bytes ({held:.4g} triangles): "
            "export it again"
        )
    facets = np.frombuffer(data, _FACET, offset=_HEADER_BYTES + 4)
    check_triangles(len(facets), name)
    with np.errstate(invalid="ignore"):  # a signalling NaN warns here; soup_mesh refuses it
        corners: FloatArray = facets["corners"].astype(np.float64)
    return corners


def _looks_like_text(data: bytes) -> bool:
    head = data[:512]
    return head.lstrip()[:1] in (b"<", b"{") or all(byte >= 9 for byte in head)


def _text_corners(data: bytes, name: str) -> FloatArray:
    rows = _VERTEX.findall(data)
    count = len(_TEXT_FACET.findall(data)) - len(re.findall(rb"\bend\s+facet\b", data))
    if len(rows) % 3 or len(rows) != 3 * count:
        raise ImportFailure(
            f"{name}: truncated or damaged: {count} facets need {3 * count} vertices, "
            f"the file has {len(rows)}: export it again"
        )
    if b"endsolid" not in data:
        raise ImportFailure(f"{name}: truncated: the closing 'endsolid' is missing")
    check_triangles(count, name)
    return _numbers(rows, name).reshape(-1, 3, 3)


def _numbers(rows: list[tuple[bytes, ...]], name: str) -> FloatArray:
    try:
        values: npt.NDArray[np.float64] = np.array(rows, "S64").astype(np.float64)
    except ValueError as err:
        raise ImportFailure(f"{name}: a vertex is not three numbers ({err})") from err
    return values
