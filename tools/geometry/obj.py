"""Wavefront OBJ: vertices and polygons, with every index checked and its line named."""

from __future__ import annotations

import io
from array import array
from itertools import pairwise

import numpy as np

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.formats import ImportFailure, check_triangles
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.stl import soup_mesh


def read_obj(data: bytes, name: str) -> Mesh:
    """Return the triangles of an OBJ file; polygons become fans.

    Args:
        data: The file, UTF-8. Its numbers are taken as mm, Z up: OBJ has neither.
        name: For messages.

    Raises:
        ImportFailure: A line that is not OBJ, or a face that names a missing vertex.
    """
    points, faces = array("d"), array("q")  # a tenth of the memory of lists of tuples
    for number, line in enumerate(io.TextIOWrapper(io.BytesIO(data), "utf-8", "replace"), 1):
        words = line.split()
        if not words or words[0] not in ("v", "f"):
            continue
        where = f"{name}: line {number}"
        if words[0] == "v":
            points.extend(_point(words[1:], where))
        else:
            faces.extend(_fan(words[1:], len(points) // 3, where))
    if not points and not faces:
        raise ImportFailure(f"{name}: not an OBJ file: it has no 'v' and no 'f' line")
    if not faces:
        raise ImportFailure(f"{name}: the file holds no face", Outcome.EMPTY_GEOMETRY)
    check_triangles(len(faces) // 3, name)
    return soup_mesh(np.array(points).reshape(-1, 3)[np.array(faces).reshape(-1, 3)], name)


def write_obj(mesh: Mesh) -> bytes:
    """Return an OBJ file whose numbers read back exactly."""
    lines = ["# cadwright, mm, Z up"]
    lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (mesh.faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()


def _point(words: list[str], where: str) -> tuple[float, float, float]:
    try:
        x, y, z = (float(word) for word in words[:3])
    except ValueError:
        raise ImportFailure(f"{where}: a vertex needs three numbers, got {words}") from None
    return (x, y, z)


def _fan(words: list[str], num_points: int, where: str) -> list[int]:
    """Return the corners of the triangles of a polygon, one after the other."""
    corners = [_corner(word, num_points, where) for word in words]
    if len(corners) < 3:
        raise ImportFailure(f"{where}: a face needs three vertices, got {len(corners)}")
    first = corners[0]
    return [corner for b, c in pairwise(corners[1:]) for corner in (first, b, c)]


def _corner(word: str, num_points: int, where: str) -> int:
    try:
        index = int(word.split("/", 1)[0])
    except ValueError:
        raise ImportFailure(f"{where}: {word!r} is not a vertex index") from None
    place = index - 1 if index > 0 else num_points + index  # negative counts from the end
    if index == 0 or not 0 <= place < num_points:
        raise ImportFailure(
            f"{where}: face index {index} is not one of the {num_points} vertices above it"
        )
    return place
