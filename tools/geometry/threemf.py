"""3MF: a zip of XML, read with bounds on both, so that no bomb in either goes off.

Document types and entities are refused outright. Units, build items and nested components are
honoured; materials, slices and textures are not geometry and are left out.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from array import array
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

import numpy as np

from cadwright.tools.geometry.formats import MAX_FILE_BYTES, ImportFailure
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh, Notice
from cadwright.tools.geometry.placing import Placer

Key = tuple[str, str]  # path of a model part inside the zip, object id

_UNITS_MM = {
    "micron": 1e-3,
    "millimeter": 1.0,
    "centimeter": 10.0,
    "inch": 25.4,
    "foot": 304.8,
    "meter": 1000.0,
}
_MAX_ENTRIES = 10_000
_CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_ROOT_PATH = "3D/3dmodel.model"
_STAMP = (1980, 1, 1, 0, 0, 0)  # the same part gives the same bytes
_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="model" '
    'ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>'
)
_RELATIONS = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Target="/{_ROOT_PATH}" Id="rel0" '
    'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'
)


def read_3mf(data: bytes, name: str) -> tuple[Mesh, tuple[Notice, ...]]:
    """Return the triangles of everything that a 3MF file builds; raises ImportFailure."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            package = _Package(archive, name)
            return package.load()
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as err:
        raise ImportFailure(f"{name}: not a 3MF file, or cut off ({err})") from err
    except expat.ExpatError as err:
        raise ImportFailure(f"{name}: the XML in the 3MF file is damaged ({err})") from err
    except (ValueError, KeyError, OverflowError) as err:
        raise ImportFailure(f"{name}: the 3MF data is damaged ({err})") from err


def write_3mf(mesh: Mesh) -> bytes:
    """Return a 3MF file in mm whose numbers read back exactly."""
    vertices = "".join(
        f'<vertex x="{x!r}" y="{y!r}" z="{z!r}"/>' for x, y, z in mesh.vertices.tolist()
    )
    triangles = "".join(
        f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in mesh.faces.tolist()
    )
    model = (
        f'<?xml version="1.0" encoding="UTF-8"?><model unit="millimeter" xmlns="{_CORE}">'
        f'<resources><object id="1" type="model"><mesh><vertices>{vertices}</vertices>'
        f"<triangles>{triangles}</triangles></mesh></object></resources>"
        '<build><item objectid="1"/></build></model>'
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        entries = (("[Content_Types].xml", _TYPES), ("_rels/.rels", _RELATIONS))
        for path, text in (*entries, (_ROOT_PATH, model)):
            archive.writestr(zipfile.ZipInfo(path, _STAMP), text, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


@dataclass(slots=True, eq=False)
class _Object:
    """One object of a model: its own triangles, and the objects it is composed of."""

    points: array[float] = field(default_factory=lambda: array("d"))
    faces: array[int] = field(default_factory=lambda: array("q"))
    components: list[tuple[Key, FloatArray]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Model:
    """One model part: its unit, objects and build items."""

    unit_mm: float = 1.0
    unit: str = "millimeter"
    objects: dict[str, _Object] = field(default_factory=dict)
    items: list[tuple[Key, FloatArray]] = field(default_factory=list)


class _Package:
    """An open 3MF archive."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._archive = archive
        self._name = name
        self._budget = MAX_FILE_BYTES
        self._models: dict[str, _Model] = {}
        self._placer = Placer(name)
        if len(archive.infolist()) > _MAX_ENTRIES:
            raise ImportFailure(f"{name}: more than {_MAX_ENTRIES} files inside")

    def load(self) -> tuple[Mesh, tuple[Notice, ...]]:
        model = self._model(self._root())
        scale = np.diag([model.unit_mm] * 3 + [1.0])
        for key, matrix in model.items:
            self._place(key, scale @ matrix, 0)
        notices: tuple[Notice, ...] = ()
        if model.unit_mm != 1.0:
            notices = (Notice("units_converted", f"{self._name}: {model.unit} converted to mm"),)
        return self._placer.mesh(), notices

    def _root(self) -> str:
        names = self._archive.namelist()
        for path in (_ROOT_PATH, *(n for n in names if n.lower().endswith(".model"))):
            if path in names:
                return path
        raise ImportFailure(f"{self._name}: no 3D model inside the 3MF file")

    def _model(self, path: str) -> _Model:
        path = path.lstrip("/")
        if path not in self._models:
            self._models[path] = _parse(self._entry(path), path, self._name)
        return self._models[path]

    def _entry(self, path: str) -> bytes:
        """Return one entry, read with a bound whatever size the archive claims for it."""
        if path not in self._archive.namelist():
            raise ImportFailure(f"{self._name}: {path} is not inside the 3MF file")
        with self._archive.open(path) as entry:
            data = entry.read(self._budget + 1)
        self._budget -= len(data)
        if self._budget < 0:
            limit = MAX_FILE_BYTES // 2**20
            raise ImportFailure(f"{self._name}: unpacks to more than {limit} MB")
        return data

    def _place(self, key: Key, frame: FloatArray, depth: int) -> None:
        self._placer.enter(depth)
        path, number = key
        found = self._model(path).objects.get(number)
        if found is None:
            raise ImportFailure(f"{self._name}: object {number} is used but not defined")
        if found.faces:
            points = np.array(found.points).reshape(-1, 3)
            self._placer.add(points, _indices(found.faces), frame)
        for child, matrix in found.components:
            self._place(child, frame @ matrix, depth + 1)


def _indices(faces: array[int]) -> IntArray:
    return np.array(faces).reshape(-1, 3).clip(-1, 2**31 - 1).astype(np.int32)


def _parse(data: bytes, path: str, name: str) -> _Model:
    """Return one model part, streamed through expat with document types refused."""
    reader = _Reader(path, name)
    parser = expat.ParserCreate(namespace_separator="|")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    parser.Parse(data, True)
    return reader.model


class _Reader:
    """Handlers that fill a model from XML elements."""

    def __init__(self, path: str, name: str) -> None:
        self.model = _Model()
        self._path = path
        self._name = name
        self._object = _Object()

    def refuse(self, *_: Any) -> None:
        raise ImportFailure(f"{self._name}: document types and entities are not allowed in 3MF")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        word = tag.rsplit("|", 1)[-1]
        if word == "vertex":
            self._object.points.extend(float(attributes[axis]) for axis in "xyz")
        elif word == "triangle":
            self._object.faces.extend(int(attributes[corner]) for corner in ("v1", "v2", "v3"))
        elif word in ("model", "object", "component", "item"):
            self._structure(word, attributes)

    def _structure(self, word: str, attributes: dict[str, str]) -> None:
        if word == "model":
            self.model.unit = attributes.get("unit", "millimeter")
            if self.model.unit not in _UNITS_MM:
                known = ", ".join(_UNITS_MM)
                raise ImportFailure(f"{self._name}: unit {self.model.unit!r}: use one of {known}")
            self.model.unit_mm = _UNITS_MM[self.model.unit]
        elif word == "object":
            self._object = self.model.objects[attributes["id"]] = _Object()
        elif word == "component":
            self._object.components.append(self._use(attributes))
        else:
            self.model.items.append(self._use(attributes))

    def _use(self, attributes: dict[str, str]) -> tuple[Key, FloatArray]:
        paths = [value for key, value in attributes.items() if key.rsplit("|", 1)[-1] == "path"]
        path = paths[0].lstrip("/") if paths else self._path
        return (path, attributes["objectid"]), _matrix(attributes.get("transform"))


def _matrix(text: str | None) -> FloatArray:
    """Return the (4, 4) matrix of a transform, acting on columns; the file has rows of four."""
    matrix = np.eye(4)
    if text is not None:
        matrix[:3, :] = np.array(text.split(), np.float64).reshape(4, 3).T
    return matrix
