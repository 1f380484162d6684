"""Triangles grouped into planes and curved pieces, and the surfaces of the curved ones.

Triangles that lie in one plane are a flat. Two flats that bend gently into each other are taken
as strips of a cylinder, which then takes in every flat beside them whose corners all lie on it:
corners lie on the true surface, so this is exact up to the precision of the file. What remains
is a plane where it is much larger than the flats that it bends into; else it is fitted as a
cone or sphere, or stays free-form.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.mesh_fits import Fitted, fit_curved, fit_cylinder, widest_gap_deg
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh
from cadwright.tools.geometry.surface import (
    FEATURE_ANGLE_DEG,
    EdgeTable,
    components,
    neighbours,
)
from cadwright.tools.geometry.triangles import triangle_areas, triangle_normals
from cadwright.tools.geometry.vectors import as_vector, cross

_PRECISION = 2e-6  # of the diagonal: what single precision moves a corner by
_PLANE_SHARE = 3.0  # a plane is larger than the strips beside it by at least this
_MIN_STRIPS = 3
_LEAN = 0.005  # strips of a cylinder are parallel to its axis; those of a cone are not
_MIN_SWEEP_DEG = 25.0  # over less, three flats of anything round look like strips
_ROUGH = 10.0  # times the precision, for an axis from two strips
_MAX_GAP_DEG = 60.0  # between strips that go all the way round
_MAX_SEEDS = 1000  # pairs of strips tried in one mesh
_ALIKE = 4.0  # two strips of one cylinder differ in area by less


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Pieces of a mesh.

    Attributes:
        piece: (m,) int32, the piece of each triangle.
        kinds: Of each piece: ``plane``, ``freeform``, or that of its surface.
        fitted: The surfaces of the round pieces.
        normals: (m, 3) unit normals of the triangles.
        areas: (m,) areas of the triangles.
    """

    piece: IntArray
    kinds: list[str]
    fitted: dict[int, Fitted]
    normals: FloatArray
    areas: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Flats:
    """The flats of a mesh.

    Attributes:
        of_triangle: (m,) int32.
        sizes: (k,) areas.
        ways: (k, 3) unit normals.
        gentle: (p, 2) int32 flats that bend gently into each other.
        slack: How far in mm the corners of a true surface may lie off it.
    """

    of_triangle: IntArray
    sizes: FloatArray
    ways: FloatArray
    gentle: IntArray
    slack: float


def segment(mesh: Mesh, table: EdgeTable) -> Segments:
    """Return the planes and curved pieces of a mesh."""
    corners = mesh.vertices[mesh.faces]
    unit, areas = triangle_normals(corners), triangle_areas(corners)
    flats = _flats(mesh, table, unit, areas)
    is_plane = _are_planes(flats)
    owner, found = _cylinders(mesh, flats, is_plane)
    rest = owner < 0
    is_plane &= rest
    strips = flats.gentle[(rest & ~is_plane)[flats.gentle].all(axis=1)]
    same = flats.gentle[(owner[flats.gentle[:, 0]] == owner[flats.gentle[:, 1]])]
    joined = np.concatenate([strips, same[~rest[same].any(axis=1)]])
    count, piece_of_flat = components(len(owner), joined)
    kinds, fitted = ["freeform"] * count, {}
    for flat, place in enumerate(piece_of_flat.tolist()):
        if owner[flat] >= 0:
            kinds[place], fitted[place] = "cylinder", found[int(owner[flat])]
        elif is_plane[flat]:
            kinds[place] = "plane"
    segments = Segments(piece_of_flat[flats.of_triangle], kinds, fitted, unit, areas)
    _fit_rest(mesh, segments)
    return segments


def _flats(mesh: Mesh, table: EdgeTable, unit: FloatArray, areas: FloatArray) -> _Flats:
    pairs = neighbours(table, np.flatnonzero(table.uses == 2))
    coplanar = _are_coplanar(mesh, unit, areas, pairs)
    count, flat = components(len(mesh.faces), pairs[coplanar])
    sizes: FloatArray = np.bincount(flat, weights=areas, minlength=count).astype(np.float64)
    sums = [np.bincount(flat, areas * unit[:, k], count) for k in range(3)]
    ways = np.stack(sums, axis=1)
    ways = ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-300)
    ends = flat[pairs[~coplanar]]
    cosines = np.einsum("ij,ij->i", ways[ends[:, 0]], ways[ends[:, 1]])
    gentle = np.unique(np.sort(ends[cosines > np.cos(np.radians(FEATURE_ANGLE_DEG))]), axis=0)
    return _Flats(flat, sizes, ways, gentle[gentle[:, 0] != gentle[:, 1]], _slack(mesh))


def _are_planes(flats: _Flats) -> npt.NDArray[np.bool_]:
    beside = np.zeros(len(flats.sizes))
    for near, far in (flats.gentle.T, flats.gentle.T[::-1]):
        np.maximum.at(beside, near, flats.sizes[far])
    large: npt.NDArray[np.bool_] = flats.sizes > _PLANE_SHARE * beside
    return large


def _cylinders(
    mesh: Mesh, flats: _Flats, is_plane: npt.NDArray[np.bool_]
) -> tuple[IntArray, list[Fitted]]:
    """Return the cylinder that each flat belongs to, -1 for none, and the cylinders."""
    owner = np.full(len(flats.sizes), -1, np.int32)
    found: list[Fitted] = []
    corners = _corners_of(mesh, flats.of_triangle)
    beside: dict[int, list[int]] = defaultdict(list)
    for a, b in flats.gentle.tolist():
        beside[a].append(b)
        beside[b].append(a)
    order = np.argsort(-flats.sizes[flats.gentle].min(axis=1), kind="stable")
    tried = 0
    for a, b in flats.gentle[order].tolist():
        sizes = flats.sizes[[a, b]]
        if owner[a] >= 0 or owner[b] >= 0 or sizes.max() > _ALIKE * sizes.min():
            continue
        tried += 1
        if tried > _MAX_SEEDS:
            break
        grown = _grow(mesh, flats, corners, beside, (a, b))
        if grown is not None and _is_bounded(flats, grown, beside, is_plane):
            owner[grown.members] = len(found)
            found.append(grown.surface)
    return owner, found


@dataclass(frozen=True, slots=True, eq=False)
class _Grown:
    """A cylinder and its flats."""

    members: list[int]
    surface: Fitted


def _grow(
    mesh: Mesh,
    flats: _Flats,
    corners: list[IntArray],
    beside: dict[int, list[int]],
    seed: tuple[int, int],
) -> _Grown | None:
    """Return the cylinder through two strips with everything beside them that lies on it."""
    axis = np.array(cross(as_vector(flats.ways[seed[0]]), as_vector(flats.ways[seed[1]])))
    length = math.sqrt(axis.dot(axis))
    members, surface = [*seed], None
    for slack in (_ROUGH * flats.slack, flats.slack):  # two strips alone give a rough axis
        if length > 0.0 and len(members) > _MIN_STRIPS:
            axis, length = _common_axis(flats, members, axis / length), 1.0
        points = mesh.vertices[np.unique(np.concatenate([corners[flat] for flat in members]))]
        surface = fit_cylinder(points, axis / length, slack) if length > 0.0 else None
        if surface is None:
            return None
        members = _on(mesh, surface, corners, beside, seed, slack)
        if len(members) < _MIN_STRIPS:
            return None
    if surface is None or not _are_strips(flats, members, surface.axis):
        return None
    return _Grown(members, surface)


def _on(
    mesh: Mesh,
    surface: Fitted,
    corners: list[IntArray],
    beside: dict[int, list[int]],
    seed: tuple[int, int],
    slack: float,
) -> list[int]:
    """Return the flats that lie on a cylinder and hang together with the seed."""
    members, queue = {*seed}, [*seed]
    while queue:
        for flat in beside[queue.pop()]:
            if flat not in members and surface.off(mesh.vertices[corners[flat]]).max() < slack:
                members.add(flat)
                queue.append(flat)
    return sorted(members)


def _are_strips(flats: _Flats, members: list[int], axis: FloatArray) -> bool:
    """Return whether enough flats run along an axis: those of a cone or torus turn away."""
    along = np.abs(flats.ways[members] @ axis) < _LEAN
    sizes = flats.sizes[members]
    if int(along.sum()) < _MIN_STRIPS or not sizes[along].sum() > 0.5 * sizes.sum():
        return False
    ways = flats.ways[members][along]
    return bool((ways @ ways.T).min() < np.cos(np.radians(_MIN_SWEEP_DEG)))


def _is_bounded(
    flats: _Flats,
    grown: _Grown,
    beside: dict[int, list[int]],
    is_plane: npt.NDArray[np.bool_],
) -> bool:
    """Return whether a cylinder goes all the way round, or bends into nothing but planes.

    A short stretch of a torus is nearly a cylinder too, but the torus goes on beside it.
    """
    members = set(grown.members)
    around = {flat for member in members for flat in beside[member]} - members
    if all(is_plane[flat] for flat in around):
        return True
    return widest_gap_deg(flats.ways[grown.members], grown.surface.axis) < _MAX_GAP_DEG


def _common_axis(flats: _Flats, members: list[int], axis: FloatArray) -> FloatArray:
    """Return the direction that is most perpendicular to all strips."""
    ways = flats.ways[members][np.abs(flats.ways[members] @ axis) < _LEAN]
    common: FloatArray = np.linalg.eigh(ways.T @ ways)[1][:, 0]
    return common


def _corners_of(mesh: Mesh, of_triangle: IntArray) -> list[IntArray]:
    """Return the vertices of each flat, in order, each once."""
    count = len(mesh.vertices)
    uses = np.repeat(of_triangle.astype(np.int64), 3) * count + mesh.faces.reshape(-1)
    flat, corner = np.divmod(np.unique(uses), count)
    corners = corner.astype(mesh.faces.dtype)
    ends = np.searchsorted(flat, np.arange(int(of_triangle.max()) + 1), side="right").tolist()
    return [corners[start:end] for start, end in pairwise([0, *ends])]


def _fit_rest(mesh: Mesh, segments: Segments) -> None:
    """Fit cones and spheres to the curved pieces that are no cylinders."""
    for place, kind in enumerate(segments.kinds):
        if kind != "freeform":
            continue
        triangles = np.flatnonzero(segments.piece == place)
        points = mesh.vertices[np.unique(mesh.faces[triangles])]
        weights = np.maximum(segments.areas[triangles], 1e-300)
        found = fit_curved(points, segments.normals[triangles], weights, _slack(mesh))
        if found is not None:
            segments.kinds[place], segments.fitted[place] = found.kind, found


def _slack(mesh: Mesh) -> float:
    return _PRECISION * float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))


def _are_coplanar(
    mesh: Mesh, unit: FloatArray, areas: FloatArray, pairs: IntArray
) -> npt.NDArray[np.bool_]:
    """Return which neighbours lie in one plane, by the distance of corners: slivers count too."""
    is_first = (areas[pairs[:, 0]] >= areas[pairs[:, 1]])[:, None]
    large = np.where(is_first, pairs, pairs[:, ::-1])
    base = mesh.vertices[mesh.faces[large[:, 0], 0]]
    corners = mesh.vertices[mesh.faces[large[:, 1]]]  # (k, 3, 3)
    off = np.abs(np.einsum("kij,kj->ki", corners - base[:, None], unit[large[:, 0]])).max(axis=1)
    is_folded = np.einsum("ij,ij->i", unit[pairs[:, 0]], unit[pairs[:, 1]]) < 0.0
    flat: npt.NDArray[np.bool_] = (off < _slack(mesh)) & ~is_folded
    return flat
