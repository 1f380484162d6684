"""glTF 2.0, binary and JSON: metres and Y up outside, mm and Z up inside.

trimesh writes its numbers into glTF as they are, whatever their unit and axes; a file that names
it as the generator is taken as mm and Z up, with a notice.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.formats import ImportFailure
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh, Notice
from cadwright.tools.geometry.placing import Placer

Loaded = tuple[Mesh, tuple[Notice, ...]]

_MAGIC = 0x46546C67  # "glTF"
_JSON_CHUNK = 0x4E4F534A
_BINARY_CHUNK = 0x004E4942
_FLOAT = 5126
_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", _FLOAT: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_TO_MM_Z_UP = np.array(
    [[1000.0, 0, 0, 0], [0, 0, -1000.0, 0], [0, 1000.0, 0, 0], [0, 0, 0, 1]], np.float64
)
_PACKED = {"KHR_draco_mesh_compression", "EXT_meshopt_compression"}
_UNITLESS_GENERATOR = "trimesh"


def read_glb(data: bytes, name: str) -> Loaded:
    """Return the triangles of a binary glTF file; raises ImportFailure."""
    if len(data) < 20 or struct.unpack_from("<I", data)[0] != _MAGIC:
        raise ImportFailure(f"{name}: not a GLB file (it starts with {bytes(data[:16])!r})")
    _, version, length = struct.unpack_from("<III", data)
    if version != 2:
        raise ImportFailure(f"{name}: glTF version {version} given, 2 allowed")
    if length > len(data):
        raise ImportFailure(f"{name}: truncated: {length} bytes announced, {len(data)} given")
    chunks = _chunks(data, name)
    if _JSON_CHUNK not in chunks:
        raise ImportFailure(f"{name}: the GLB file has no JSON chunk")
    return _read(chunks[_JSON_CHUNK], chunks.get(_BINARY_CHUNK), name)


def read_gltf(data: bytes, name: str) -> Loaded:
    """Return the triangles of a JSON glTF file with its buffers inside; raises ImportFailure."""
    return _read(data, None, name)


def write_glb(mesh: Mesh) -> bytes:
    """Return a binary glTF file: 32-bit numbers around the middle of the part, placed by a node."""
    back = np.linalg.inv(_TO_MM_Z_UP)
    points = mesh.vertices @ back[:3, :3].T
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    local = (points - middle).astype("<f4")
    indices = mesh.faces.astype("<u4")
    document = _document(local, indices, middle)
    header: bytes = json.dumps(document, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 4)
    binary: bytes = indices.tobytes() + local.tobytes()
    body = struct.pack("<II", len(header), _JSON_CHUNK) + header
    body += struct.pack("<II", len(binary), _BINARY_CHUNK) + binary
    preamble: bytes = struct.pack("<III", _MAGIC, 2, 12 + len(body))
    return preamble + body


def _document(
    local: npt.NDArray[np.float32], indices: npt.NDArray[np.uint32], middle: FloatArray
) -> dict[str, Any]:
    split = indices.nbytes
    return {
        "asset": {"version": "2.0", "generator": "cadwright"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "translation": middle.tolist()}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 1}, "indices": 0}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5125, "type": "SCALAR", "count": indices.size},
            {
                "bufferView": 1,
                "componentType": _FLOAT,
                "type": "VEC3",
                "count": len(local),
                "min": local.min(axis=0).tolist(),
                "max": local.max(axis=0).tolist(),
            },
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": split},
            {"buffer": 0, "byteOffset": split, "byteLength": local.nbytes},
        ],
        "buffers": [{"byteLength": split + local.nbytes}],
    }


def _chunks(data: bytes, name: str) -> dict[int, bytes]:
    """Return the chunks by type; the first of a type wins, as the format says."""
    chunks: dict[int, bytes] = {}
    offset = 12
    while offset + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, offset)
        offset += 8
        if offset + length > len(data):
            raise ImportFailure(f"{name}: truncated inside a chunk of {length} bytes")
        chunks.setdefault(kind, data[offset : offset + length])
        offset += length
    return chunks


def _read(text: bytes, binary: bytes | None, name: str) -> Loaded:
    try:
        document = json.loads(text)
        return _Scene(document, binary, name).load()
    except RecursionError as err:
        raise ImportFailure(f"{name}: the glTF JSON is nested too deeply") from err
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as err:
        raise ImportFailure(f"{name}: the glTF data is damaged ({err})") from err


class _Scene:
    """One glTF document while its nodes are walked."""

    def __init__(self, document: dict[str, Any], binary: bytes | None, name: str) -> None:
        self._document = document
        self._binary = binary
        self._name = name
        self._placer = Placer(name)
        self._skipped = 0
        self._decoded: dict[int, bytes] = {}
        packed = _PACKED & set(document.get("extensionsRequired", ()))
        if packed:
            raise ImportFailure(f"{name}: {', '.join(packed)} is not supported: export it plain")

    def load(self) -> Loaded:
        generator = str(self._document.get("asset", {}).get("generator", ""))
        is_unitless = _UNITLESS_GENERATOR in generator
        frame = np.eye(4) if is_unitless else _TO_MM_Z_UP
        for root in self._roots():
            self._visit(root, frame, 0)
        notices = []
        if is_unitless:
            notices.append(
                Notice("units_assumed", f"{self._name}: written by trimesh: taken as mm, Z up")
            )
        if self._skipped:
            notices.append(
                Notice("ignored_geometry", f"{self._skipped} point or line sets were left out")
            )
        return self._placer.mesh(), tuple(notices)

    def _roots(self) -> list[int]:
        scenes = self._document.get("scenes")
        if scenes:
            return list(scenes[self._document.get("scene", 0)].get("nodes", ()))
        nodes = self._document.get("nodes", [])
        children = {child for node in nodes for child in node.get("children", ())}
        return [index for index in range(len(nodes)) if index not in children]

    def _visit(self, index: int, frame: FloatArray, depth: int) -> None:
        self._placer.enter(depth)
        node = _item(self._document.get("nodes", []), index, "node")
        with np.errstate(all="ignore"):  # what overflows is refused with the vertices
            placed = frame @ _matrix(node)
        if "mesh" in node:
            mesh = _item(self._document.get("meshes", []), node["mesh"], "mesh")
            for primitive in mesh["primitives"]:
                self._add(primitive, placed)
        for child in node.get("children", ()):
            self._visit(child, placed, depth + 1)

    def _add(self, primitive: dict[str, Any], frame: FloatArray) -> None:
        mode = primitive.get("mode", _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            self._skipped += 1
            return
        points = self._accessor(primitive["attributes"]["POSITION"], "VEC3").astype(np.float64)
        order = np.arange(len(points))
        if "indices" in primitive:
            order = self._accessor(primitive["indices"], "SCALAR").reshape(-1)
        self._placer.add(points, _triangles(order.astype(np.int64), mode), frame)

    def _accessor(self, index: int, kind: str) -> npt.NDArray[Any]:
        """Return (count, width) numbers, checked against the buffer they lie in."""
        accessor = _item(self._document.get("accessors", []), index, "accessor")
        if accessor["type"] != kind or "sparse" in accessor:
            raise ImportFailure(f"{self._name}: accessor {index} is not a plain {kind}")
        if kind == "VEC3" and accessor["componentType"] != _FLOAT:
            raise ImportFailure(f"{self._name}: accessor {index}: positions must be floats")
        dtype, width = np.dtype(_DTYPES[accessor["componentType"]]), _WIDTHS[kind]
        count = int(accessor["count"])
        data, stride = self._view(accessor["bufferView"])
        stride = stride or dtype.itemsize * width
        start = int(accessor.get("byteOffset", 0))
        end = start + stride * (count - 1) + dtype.itemsize * width
        if min(start, count - 1) < 0 or stride < dtype.itemsize * width or end > len(data):
            raise ImportFailure(
                f"{self._name}: accessor {index} needs {end} bytes, its view has {len(data)}"
            )
        rows = np.ndarray((count, width), dtype, data, start, (stride, dtype.itemsize))
        return rows.copy()

    def _view(self, index: int) -> tuple[bytes, int]:
        view = _item(self._document.get("bufferViews", []), index, "bufferView")
        number = view["buffer"]
        if number not in self._decoded:
            self._decoded[number] = self._buffer(number)
        buffer = self._decoded[number]
        start = int(view.get("byteOffset", 0))
        length = int(view["byteLength"])
        if start < 0 or length < 0 or start + length > len(buffer):
            raise ImportFailure(f"{self._name}: bufferView {index} lies outside its buffer")
        return buffer[start : start + length], int(view.get("byteStride", 0))

    def _buffer(self, index: int) -> bytes:
        buffer = _item(self._document.get("buffers", []), index, "buffer")
        uri = buffer.get("uri")
        if uri is None:
            if self._binary is None or index != 0:
                raise ImportFailure(f"{self._name}: buffer {index} has no data")
            return self._binary
        if not uri.startswith("data:") or ";base64," not in uri[:128]:
            raise ImportFailure(
                f"{self._name}: buffer {index} lies in another file: save it as one .glb file"
            )
        try:
            return base64.b64decode(uri.split(",", 1)[1], validate=True)
        except binascii.Error as err:
            raise ImportFailure(f"{self._name}: buffer {index} is not base64") from err


def _item(items: list[dict[str, Any]], index: Any, kind: str) -> dict[str, Any]:
    if type(index) is not int or not 0 <= index < len(items):
        raise IndexError(f"{kind} {index} is not one of {len(items)}")
    return items[index]


def _triangles(order: npt.NDArray[np.int64], mode: int) -> IntArray:
    """Return (m, 3) vertex indices of a triangle list, strip or fan."""
    if mode == _TRIANGLES:
        return order[: len(order) - len(order) % 3].reshape(-1, 3).astype(np.int32)
    if mode == _FAN:
        first = np.full(max(len(order) - 2, 0), order[0] if len(order) else 0)
        return np.column_stack([first, order[1:-1], order[2:]]).astype(np.int32)
    strip = np.column_stack([order[:-2], order[1:-1], order[2:]])
    strip[1::2] = strip[1::2, ::-1]  # every other triangle of a strip runs the other way
    return strip.astype(np.int32)


def _matrix(node: dict[str, Any]) -> FloatArray:
    """Return the (4, 4) matrix of a node, acting on columns."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    matrix = np.eye(4)
    rotation = _rotation(np.array(node.get("rotation", (0, 0, 0, 1)), np.float64))
    matrix[:3, :3] = rotation * np.array(node.get("scale", (1, 1, 1)), np.float64)
    matrix[:3, 3] = node.get("translation", (0, 0, 0))
    return matrix


def _rotation(quaternion: FloatArray) -> FloatArray:
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
