"""What facets stand for: nearest points and normals of the surfaces that a part's faces lie on.

Cylinders, cones, spheres and tori are met in closed form, free-form surfaces by the kernel, one
point at a time, so a part with a great many of their triangles is left as it is. A flat face is
its own triangles. Where a face ends is not asked: whoever starts from a triangle is inside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.explored import Explored, explored
from cadwright.tools.geometry.free_faces import FreeFaces
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, Shape
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh, Part

ROUND = ("cylinder", "cone", "sphere", "torus")
MAX_FREE = 1500  # triangles of free-form faces that the kernel is asked about, 50 us a point
_SAG_PLACES = 256, 16  # triangles of round and of free-form faces whose middle is looked at
_APPROACHES = 3  # tangent planes that a ray is cut with: each doubles the digits that are right
_THERE = 1e-13  # of its length: a ray that changes by less has arrived
_GRAZING = 0.1  # a ray that is flatter than this to the surface has no place where it goes in

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Feet:
    """The nearest points of some surfaces: (n, 3) mm, and (n, 3) unit normals out of the part."""

    points: FloatArray
    normals: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Round surfaces by the index of their face: what kind, where, how large.

    Attributes:
        kinds: (f,) place in ``ROUND``, -1 for any other surface.
        points: (f, 3) a point of the axis, the apex of a cone, a centre.
        axes: (f, 3) unit; of a cone from the apex to the wide end.
        radii: (f,) of a cylinder, a sphere, the ring of a torus.
        tubes: (f,) of a torus; of a cone half its opening angle in radians.
    """

    kinds: IntArray
    points: FloatArray
    axes: FloatArray
    radii: FloatArray
    tubes: FloatArray


class ExactFaces:
    """The surfaces under the triangles of a part.

    Args:
        part: With exact geometry, or nothing is curved.
        mesh: Its triangles; ``face_ids`` count its faces.
        corners: (m, 3, 3) of them.
        normals: (m, 3) of them.
    """

    def __init__(self, part: Part, mesh: Mesh, corners: FloatArray, normals: FloatArray) -> None:
        self._part, self._faces = part, mesh.face_ids
        self._corners, self._normals = corners, normals

    @cached_property
    def is_curved(self) -> BoolArray:
        """(m,) whether a triangle stands for a surface that is known and not flat."""
        curved: BoolArray = self._is_round[self._faces] | self._is_free
        return curved

    @cached_property
    def sag_mm(self) -> float:
        """How far the middle of a triangle is from its surface, at most, as a sample tells."""
        groups = self._is_round[self._faces], self._is_free
        which = np.concatenate(
            [_some(group, count) for group, count in zip(groups, _SAG_PLACES, strict=True)]
        )
        middles = self._corners[which].mean(axis=1)
        gaps = np.linalg.norm(self.feet(middles, which).points - middles, axis=1)
        return float(gaps.max(initial=0.0))

    @property
    def is_free(self) -> bool:
        """Some surfaces are known to the kernel alone."""
        return bool(self._free.faces)

    def feet(self, points: FloatArray, triangles: IntArray) -> Feet:
        """Return where points are nearest to the surfaces of triangles.

        Args:
            points: (n, 3) mm, near those.
            triangles: (n,) index of the triangle of each.
        """
        normals = self._normals[triangles]
        away = np.einsum("ij,ij->i", points - self._corners[triangles, 0], normals)
        found = Feet(points - away[:, None] * normals, normals.copy())
        faces = self._faces[triangles]
        kinds = self._table.kinds[faces]
        for kind in self._kinds:
            rows = np.flatnonzero(kinds == kind).astype(np.int32)
            self._fill(found, rows, points, faces)
        self._free.fill(found.points, found.normals, points, faces)
        turned = np.einsum("ij,ij->i", found.normals, normals) < 0.0
        found.normals[turned] *= -1.0
        return found

    def reach(self, starts: FloatArray, ways: FloatArray, triangles: IntArray) -> FloatArray:
        """Return how far rays run to the surfaces of the triangles that they meet.

        Args:
            starts: (n, 3) mm.
            ways: (n, 3) unit.
            triangles: (n,) that each ray meets.

        Returns:
            (n,) mm; infinite where a ray only grazes.
        """
        normals, places = self._normals[triangles], self._corners[triangles, 0]
        reach = _to_plane(starts, ways, places, normals)
        some = np.flatnonzero(self.is_curved[triangles] & np.isfinite(reach))
        for _ in range(_APPROACHES):
            if not len(some):
                break
            begin, way, before = starts[some], ways[some], reach[some]
            feet = self.feet(begin + before[:, None] * way, triangles[some])
            after = _to_plane(begin, way, feet.points, feet.normals)
            reach[some] = after
            some = some[np.isfinite(after) & (np.abs(after - before) > _THERE * before)]
        return reach

    def faces(self, wanted: set[int]) -> list[Shape]:
        """Return the kernel's faces of some indices."""
        found = self._explored
        uses = () if found is None else found.topology.face_uses
        return [use.face for use in uses if use.index in wanted]

    def stretch(self, areas: FloatArray) -> FloatArray:
        """Return by how much the face of each triangle is larger than its (m,) triangles."""
        found = self._explored
        if found is None:
            return np.ones(len(areas))
        size = max(int(self._faces.max(initial=-1)), *found.surfaces.kinds) + 1
        whole = np.bincount(self._faces, weights=areas, minlength=size)
        exact = np.zeros(size)
        for use, face in zip(found.topology.face_uses, found.face_areas, strict=True):
            exact[use.index] += face.area_mm2  # both sides of a wall between two solids
        shares = np.divide(exact, whole, out=np.ones(size), where=whole > 0.0)
        return np.where(self.is_curved, shares[self._faces], 1.0)

    def _fill(self, found: Feet, rows: IntArray, points: FloatArray, faces: IntArray) -> None:
        """Set the feet of the rows that lie on one kind of round surface."""
        if not len(rows):
            return
        table, some = self._table, faces[rows]
        foot = _FOOT[ROUND[table.kinds[some[0]]]]
        middles, axes = table.points[some], table.axes[some]
        places = foot(points[rows] - middles, axes, table.radii[some], table.tubes[some])
        found.points[rows], found.normals[rows] = middles + places.points, places.normals

    @cached_property
    def _explored(self) -> Explored | None:
        return None if self._part.brep is None else explored(self._part, self._part.brep)

    @cached_property
    def _is_free(self) -> BoolArray:
        return self._free.knows(self._faces)

    @cached_property
    def _is_round(self) -> BoolArray:
        return self._table.kinds >= 0

    @cached_property
    def _kinds(self) -> tuple[int, ...]:
        """The places in ``ROUND`` of the kinds that the part has."""
        kinds = self._table.kinds
        return tuple(np.unique(kinds[kinds >= 0]).tolist())

    @cached_property
    def _table(self) -> _Table:
        size = int(self._faces.max(initial=-1)) + 1
        zeros = [np.zeros(shape) for shape in ((size, 3), (size, 3), size, size)]
        table = _Table(np.full(size, -1, np.int32), *zeros)
        adaptors = {} if self._explored is None else self._explored.surfaces.adaptors
        for face, adaptor in adaptors.items():
            if face < size and self._kind(face) in ROUND:
                _enter(table, face, self._kind(face), adaptor)
        return table

    @cached_property
    def _free(self) -> FreeFaces:
        if self._explored is None:
            return FreeFaces({})
        kinds = self._explored.surfaces.kinds
        flat = [face for face, kind in kinds.items() if kind == "plane" or kind in ROUND]
        is_free = ~np.isin(self._faces, flat)
        if int(is_free.sum()) > MAX_FREE:
            return FreeFaces({})
        wanted = set(np.unique(self._faces[is_free]).tolist())
        uses = self._explored.topology.face_uses
        return FreeFaces({use.index: use.face for use in uses if use.index in wanted})

    def _kind(self, face: int) -> str:
        return "" if self._explored is None else self._explored.surfaces.kinds[face]


def _some(chosen: BoolArray, count: int) -> IntArray:
    """Return the indices of at most so many of the chosen, evenly."""
    found = np.flatnonzero(chosen).astype(np.int32)
    return found[:: -(-len(found) // count) or 1]


def _enter(table: _Table, face: int, kind: str, adaptor: Any) -> None:
    surface = getattr(adaptor, kind.capitalize())()
    try:
        place = surface.Apex() if kind == "cone" else surface.Location()
    except KERNEL_ERRORS:
        return
    way = surface.Position().Direction()
    table.kinds[face] = ROUND.index(kind)
    table.points[face] = (place.X(), place.Y(), place.Z())
    table.axes[face] = (way.X(), way.Y(), way.Z())
    if kind == "torus":
        table.radii[face], table.tubes[face] = surface.MajorRadius(), surface.MinorRadius()
    elif kind == "cone":
        _enter_cone(table, face, adaptor, surface.SemiAngle())
    else:
        table.radii[face] = surface.Radius()


def _enter_cone(table: _Table, face: int, adaptor: Any, half: float) -> None:
    """Turn the axis towards the side of the apex that the face lies on."""
    u = 0.5 * (adaptor.FirstUParameter() + adaptor.LastUParameter())
    point = adaptor.Value(u, 0.5 * (adaptor.FirstVParameter() + adaptor.LastVParameter()))
    offset = np.array([point.X(), point.Y(), point.Z()]) - table.points[face]
    table.axes[face] *= math.copysign(1.0, float(offset @ table.axes[face]))
    table.tubes[face] = abs(half)


def _to_plane(
    starts: FloatArray, ways: FloatArray, places: FloatArray, normals: FloatArray
) -> FloatArray:
    slope = np.einsum("ij,ij->i", ways, normals)
    ahead = np.einsum("ij,ij->i", places - starts, normals)
    steep = np.abs(slope) > _GRAZING
    reach: FloatArray = np.divide(ahead, slope, out=np.full(len(starts), np.inf), where=steep)
    return reach


def _on_sphere(offsets: FloatArray, _: FloatArray, radii: FloatArray, __: FloatArray) -> Feet:
    normals = _units(offsets)
    return Feet(radii[:, None] * normals, normals)


def _on_cylinder(offsets: FloatArray, axes: FloatArray, radii: FloatArray, _: FloatArray) -> Feet:
    along = _along(offsets, axes)
    normals = _units(offsets - along)
    return Feet(along + radii[:, None] * normals, normals)


def _on_cone(offsets: FloatArray, axes: FloatArray, _: FloatArray, halves: FloatArray) -> Feet:
    radial = _units(offsets - _along(offsets, axes))
    sine, cosine = np.sin(halves)[:, None], np.cos(halves)[:, None]
    return Feet(_along(offsets, cosine * axes + sine * radial), cosine * radial - sine * axes)


def _on_torus(offsets: FloatArray, axes: FloatArray, rings: FloatArray, tubes: FloatArray) -> Feet:
    middles = rings[:, None] * _units(offsets - _along(offsets, axes))
    normals = _units(offsets - middles)
    return Feet(middles + tubes[:, None] * normals, normals)


_FOOT = {
    "cylinder": _on_cylinder,
    "cone": _on_cone,
    "sphere": _on_sphere,
    "torus": _on_torus,
}


def _along(offsets: FloatArray, axes: FloatArray) -> FloatArray:
    along: FloatArray = np.einsum("ij,ij->i", offsets, axes)[:, None] * axes
    return along


def _units(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: FloatArray = vectors / np.where(lengths > 0.0, lengths, 1.0)
    return units
