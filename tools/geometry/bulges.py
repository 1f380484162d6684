"""What lies between facets and the surfaces they stand for, where two bodies meet.

A bore and the pin that fits it share no volume, but their facets do: those of one stick into the
other. Every facet is taken with what bulges out of it, or what is hollow behind it, and rays along
its normal tell how much of that belongs to both bodies. Only what lies at the boundary of the other
body is looked at, since elsewhere it changes amounts a little and verdicts not at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.gauged import Gauged
from cadwright.tools.geometry.part import FloatArray, IntArray, Part
from cadwright.tools.geometry.solids import Manifold, arrays_of
from cadwright.tools.geometry.triangles import triangle_areas, triangle_normals

MOST_POINTS = 40_000  # on all facets of a body that are looked at
_FINEST, _COARSEST = 4, 1  # pieces along the edge of a facet
_IN_A_PIECE = ((1 / 6, 1 / 6), (2 / 3, 1 / 6), (1 / 6, 2 / 3))
_MARGIN = 2.0  # times the sags of both: how far from a facet the other surface may be
_LEAST = 1e-6  # of the diagonal, added to it: the precision of rays
_BACK = 4e-6  # of the diagonal: a ray starts so far from a facet that it is to meet
_SAME = 1e-8  # of the diagonal: what lies so near to a facet lies on it
_SAME_WAY = 0.999  # cosine of its normal
_EDGES = np.array([[0, 1], [1, 2], [2, 0]])

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Bulges:
    """What facets leave out, at the boundary of the other body, in mm³; hollows count below 0.

    Attributes:
        first_mm3: Of the first body.
        second_mm3: Of the second.
        shared_mm3: What the volume that both share gains by it.
        size_mm3: Bulges and hollows together.
    """

    first_mm3: float
    second_mm3: float
    shared_mm3: float
    size_mm3: float


def bulges(first: Gauged, second: Gauged, shared: Manifold) -> Bulges:
    """Return what the facets of two closed bodies leave out where their surfaces are near.

    The volume that both truly share is that of their facets, with what bulges from the first into
    the true second, and what bulges from the second into the facets of the first.

    Args:
        first: A body.
        second: Another in the same frame.
        shared: What the facets of both enclose.
    """
    sags = first.exact.sag_mm + second.exact.sag_mm
    if sags == 0.0:
        return Bulges(0.0, 0.0, 0.0, 0.0)
    margin = _MARGIN * sags + _LEAST * max(first.diagonal_mm, second.diagonal_mm)
    one = _parted(first, second, second, shared, margin)
    other = _parted(second, first, _facets_of(first), shared, margin)
    return Bulges(one.whole, other.whole, one.inside + other.inside, one.size + other.size)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Volumes of columns at a boundary: with sign, what of it is inside, and without sign."""

    whole: float = 0.0
    inside: float = 0.0
    size: float = 0.0

    def __add__(self, other: _Parts) -> _Parts:
        return _Parts(self.whole + other.whole, self.inside + other.inside, self.size + other.size)


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """Small columns that stand on facets, as high as their surface lies above them.

    Attributes:
        feet: (n, 3) mm on the facets.
        ways: (n, 3) unit normals of these.
        heights: (n,) mm, below 0 where the surface lies behind the facet.
        areas: (n,) mm² that each stands for.
    """

    feet: FloatArray
    ways: FloatArray
    heights: FloatArray
    areas: FloatArray

    def over(self, area_mm2: float) -> _Columns:
        """Return the columns where they stand for this area together."""
        scale = max(0.0, area_mm2) / max(float(self.areas.sum()), np.finfo(float).tiny)
        return _Columns(self.feet, self.ways, self.heights, scale * self.areas)

    def at(self, rows: BoolArray) -> _Columns:
        """Return some of the columns."""
        return _Columns(self.feet[rows], self.ways[rows], self.heights[rows], self.areas[rows])


def _parted(
    body: Gauged, other: Gauged, true_other: Gauged, shared: Manifold, margin: float
) -> _Parts:
    """Return what of the columns of a body at the surface of another lies inside that one.

    Facets inside the other are taken in the pieces that it cuts them into: where an edge of it
    only just goes through a facet, a few points on the whole facet would not notice.
    """
    pieces, owners = _pieces(body, shared)
    within = _columns(body, pieces, owners)
    is_curved, is_near = body.exact.is_curved, _near(body, other, margin)
    rows, far = (np.flatnonzero(is_curved & some).astype(np.int32) for some in (is_near, ~is_near))
    beyond = _columns(body, body.corners[rows], rows)
    beyond = beyond.at(~_starts_inside(beyond, other)).over(
        float(body.areas[rows].sum() - within.areas.sum())
    )
    found = _inside(within, true_other, margin, deep=1.0)
    found += _inside(beyond, true_other, margin, deep=0.0)
    return found + _Parts(whole=float((_edge_heights(body, far).mean(axis=1)) @ body.areas[far]))


def _near(body: Gauged, other: Gauged, margin: float) -> BoolArray:
    """Return which facets of a body come near to another's box."""
    low, high = body.corners.min(axis=1), body.corners.max(axis=1)
    box = other.mesh.vertices.min(axis=0) - margin, other.mesh.vertices.max(axis=0) + margin
    is_near: BoolArray = ((low <= box[1]) & (high >= box[0])).all(axis=1)
    return is_near


def _pieces(body: Gauged, shared: Manifold) -> tuple[FloatArray, IntArray]:
    """Return the (t, 3, 3) triangles of a volume that lie on curved facets of a body, and those."""
    if shared.is_empty():
        return np.zeros((0, 3, 3)), np.zeros(0, np.int32)
    vertices, faces = arrays_of(shared)
    triangles = vertices[faces]
    normals, middles = triangle_normals(triangles), triangles.mean(axis=1)
    starts = middles + _BACK * body.diagonal_mm * normals
    owners = body.rays.hit(starts, -normals).astype(np.int32)
    away = np.einsum("ij,ij->i", middles - body.corners[owners, 0], body.normals[owners])
    is_on = (owners >= 0) & (np.abs(away) < _SAME * body.diagonal_mm) & body.exact.is_curved[owners]
    is_on &= np.einsum("ij,ij->i", normals, body.normals[owners]) > _SAME_WAY
    return triangles[is_on], owners[is_on]


def _columns(body: Gauged, triangles: FloatArray, owners: IntArray) -> _Columns:
    """Return columns that stand on (t, 3, 3) triangles, each a piece of the facet it belongs to."""
    steps = int(np.clip(np.sqrt(MOST_POINTS / (3 * max(len(owners), 1))), _COARSEST, _FINEST))
    shares = _places(steps)
    feet = np.einsum("kc,tcx->tkx", shares, triangles).reshape(-1, 3)
    rows = np.repeat(owners, len(shares))
    areas = np.repeat(triangle_areas(triangles) / len(shares), len(shares))
    return _Columns(feet, body.normals[rows], _heights(body, feet, rows), areas)


def _heights(body: Gauged, points: FloatArray, owners: IntArray) -> FloatArray:
    """Return (n,) how far the surface lies above points of facets.

    It is the parabola through the corners of the facet, which lie on the surface, and the middles
    of its edges, which are looked up: free-form surfaces are slow.
    """
    facets, place = np.unique(owners, return_inverse=True)
    above = _edge_heights(body, facets.astype(np.int32))
    shares = _shares_at(points, body.corners[owners])
    # 4ab is 1 amid the edge between the corners of shares a and b
    bends = 4.0 * shares[:, _EDGES].prod(axis=2)
    heights: FloatArray = (bends * above[place]).sum(axis=1)
    return heights


def _edge_heights(body: Gauged, facets: IntArray) -> FloatArray:
    """Return (t, 3) how far the surface lies above the middles of the edges of facets.

    A third of their sum is how far it lies above a facet in the mean.
    """
    middles = body.corners[facets][:, _EDGES].mean(axis=2).reshape(-1, 3)
    found = body.exact.feet(middles, np.repeat(facets, 3)).points
    ways = np.repeat(body.normals[facets], 3, axis=0)
    above: FloatArray = np.einsum("ij,ij->i", found - middles, ways)
    return above.reshape(-1, 3)


def _shares_at(points: FloatArray, corners: FloatArray) -> FloatArray:
    """Return (n, 3) the shares of the corners (n, 3, 3) of triangles that points in them have."""
    across, up = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = np.cross(across, up)
    double = np.maximum(np.einsum("ij,ij->i", normals, normals), np.finfo(float).tiny)
    offsets = points - corners[:, 0]
    second = np.einsum("ij,ij->i", np.cross(offsets, up), normals) / double
    third = np.einsum("ij,ij->i", np.cross(across, offsets), normals) / double
    return np.column_stack([1.0 - second - third, second, third])


def _places(steps: int) -> FloatArray:
    """Return (3 * steps², 3) three points of each equal piece of a triangle, as shares of corners.

    Their mean is that of a piece for every parabola.
    """
    corners = [(i, j) for i in range(steps) for j in range(steps - i)]
    upright = [(i + x, j + y) for i, j in corners for x, y in _IN_A_PIECE]
    turned = [
        (i + 1 - x, j + 1 - y) for i, j in corners if i + j < steps - 1 for x, y in _IN_A_PIECE
    ]
    places = np.array(upright + turned) / steps
    return np.column_stack([places, 1.0 - places.sum(axis=1)])


def _starts_inside(columns: _Columns, other: Gauged) -> BoolArray:
    """Return which feet lie inside the facets of a body; on them, which face the same way."""
    back = _BACK * other.diagonal_mm
    starts = columns.feet - back * columns.ways
    hits = other.rays.hit(starts, columns.ways).astype(np.int32)
    reach = _facets_of(other).exact.reach(starts, columns.ways, hits)  # rays are less precise
    is_leaving = np.einsum("ij,ij->i", columns.ways, other.normals[hits]) > 0.0
    is_ahead = reach >= back - _SAME * other.diagonal_mm
    inside: BoolArray = (hits >= 0) & (is_leaving == is_ahead)
    return inside


def _inside(columns: _Columns, other: Gauged, margin: float, *, deep: float) -> _Parts:
    """Return what of the columns lies inside a body.

    Args:
        columns: The columns.
        other: The body.
        margin: How far from a foot its surface may be to be looked at.
        deep: Share that is inside of columns that its surface is not near to.
    """
    if not len(columns.heights):
        return _Parts()
    low, high = np.minimum(columns.heights, 0.0), np.maximum(columns.heights, 0.0)
    starts = columns.feet + (low - margin)[:, None] * columns.ways
    hits = other.rays.hit(starts, columns.ways).astype(np.int32)
    met = np.flatnonzero(hits >= 0)
    reach = other.exact.reach(starts[met], columns.ways[met], hits[met])
    is_near = reach <= (high - low)[met] + 2.0 * margin
    met, reach = met[is_near], reach[is_near]
    end = np.clip(low[met] - margin + reach, low[met], high[met])
    is_leaving = np.einsum("ij,ij->i", columns.ways[met], other.normals[hits[met]]) > 0.0
    inside = deep * (high - low)
    inside[met] = np.where(is_leaving, end - low[met], high[met] - end)
    return _Parts(
        whole=float(columns.heights @ columns.areas),
        inside=float((np.sign(columns.heights) * inside) @ columns.areas),
        size=float((high - low)[met] @ columns.areas[met]),
    )


def _facets_of(body: Gauged) -> Gauged:
    """Return a body as if it ended at its facets."""
    return Gauged(Part(mesh=body.mesh), body.mesh, body.is_closed, known_rays=body.rays)
