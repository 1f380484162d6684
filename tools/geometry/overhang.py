"""How a part lies to a direction: overhangs when printed along it, draft when pulled along it.

A triangle of a curved face leans as its surface does at its corners and, where it matters, at
places in between. Only facets whose surface nobody knows, as those of a mesh, stand for themselves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.gauged import Gauged, direction_of
from cadwright.tools.geometry.gauges import Draft, Overhang
from cadwright.tools.geometry.part import FloatArray, IntArray, Vector

_EXACT_DEG = 0.01  # a face exactly at the limit is allowed, whatever its last bits say
_FACET_DEG = 0.5  # a facet of a curved face leans by less from the surface that it stands for
_BENT = 1e-6  # of its area: what a flat face lacks when its triangles are added as vectors
_BED = 1e-4  # of the diagonal: what is so near the lowest point lies on the bed
_FLAT_DEG = 1.0
_SIDE_DEG = 45.0  # faces that lean more than this are no sides
_CORNERS = np.eye(3)
_STEPS = 12  # between two corners of a triangle that is looked at closely
_LOOKED_AT = 64  # triangles: two rows round a part


def overhang(subject: Gauged, up: Vector = (0.0, 0.0, 1.0), *, limit_deg: float = 45.0) -> Overhang:
    """Return the surface that needs support when a part is printed along ``up``.

    Args:
        subject: The part.
        up: Print direction; the lowest flat faces lie on the bed.
        limit_deg: A face may lean out from the direction by this: 0 allows walls only, 90 all.

    Raises:
        GeometryError: ``up`` has no length or the limit lies outside 0..90.
    """
    if not 0.0 <= limit_deg <= 90.0:
        raise GeometryError(f"limit {limit_deg:g}: must lie in 0..90 degrees", Outcome.BAD_CALL)
    way = direction_of(up, "up")
    lean = _lean_deg(subject.normals, way)
    heights = subject.corners @ way
    on_bed = (heights < heights.min() + _BED * subject.diagonal_mm).all(axis=1)
    on_bed &= (lean > 90.0 - _FLAT_DEG) & ~subject.exact.is_curved
    shares, worst = _hanging(subject, way, limit_deg)
    shares[on_bed] = 0.0
    areas = subject.exact_areas if (shares > 0.0).any() else subject.areas
    area = float(shares @ areas)
    return Overhang(
        area_mm2=area,
        share=area / float(areas.sum()),
        worst_deg=float(worst[shares > 0.0].max(initial=0.0)),
        bed_area_mm2=float(subject.areas[on_bed].sum()),
        height_mm=float(np.ptp(heights)),
        faces=_faces(subject, shares > 0.0),
    )


def draft(subject: Gauged, pull: Vector = (0.0, 0.0, 1.0)) -> Draft:
    """Return how far the sides of a part lean away from a pull direction.

    The half of the mould that is pulled along ``pull`` frees the faces that look that way, the
    other half the rest: what counts is how far a side is from being parallel to it.

    Raises:
        GeometryError: ``pull`` has no length.
    """
    way = direction_of(pull, "pull")
    lean = np.abs(_lean_deg(subject.normals, way))
    curved = np.flatnonzero(subject.exact.is_curved).astype(np.int32)
    lean[curved] = _least(_leans(subject, curved, _CORNERS, way))
    sides = (lean < _SIDE_DEG) & (subject.areas > 0.0)
    if not sides.any():
        return Draft(None, ())
    near = curved[lean[curved] < lean[sides].min() + _FACET_DEG][:_LOOKED_AT]
    lean[near] = np.minimum(lean[near], _least(_leans(subject, near, _grid(), way)))
    least = float(lean[sides].min())
    return Draft(least, _faces(subject, sides & (lean < least + _EXACT_DEG)))


def _hanging(subject: Gauged, way: FloatArray, limit_deg: float) -> tuple[FloatArray, FloatArray]:
    """Return the share of each triangle that leans beyond the limit, and its greatest lean."""
    worst = _lean_deg(subject.normals, way)
    limits = limit_deg + _slack_deg(subject)
    shares = (worst > limits).astype(np.float64)
    curved = np.flatnonzero(subject.exact.is_curved).astype(np.int32)
    corners = _leans(subject, curved, _CORNERS, way)
    worst[curved] = corners.max(axis=1, initial=-90.0)
    hangs = corners > limit_deg + _EXACT_DEG
    shares[curved] = hangs.all(axis=1)
    mixed = hangs.any(axis=1) & ~hangs.all(axis=1)
    leans = _leans(subject, curved[mixed], _pieces(), way)
    shares[curved[mixed]] = (leans > limit_deg + _EXACT_DEG).mean(axis=1)
    return shares, worst


def _leans(subject: Gauged, triangles: IntArray, places: FloatArray, way: FloatArray) -> FloatArray:
    """Return (n, p) how far the surfaces of n triangles look down at p places in each."""
    points = np.einsum("pc,ncx->npx", places, subject.corners[triangles])
    owners = np.repeat(triangles, len(places))
    normals = subject.exact.feet(points.reshape(-1, 3), owners).normals
    return _lean_deg(normals, way).reshape(len(triangles), len(places))


def _least(leans: FloatArray) -> FloatArray:
    """Return (n,) the least angle to the direction: none where a triangle leans both ways."""
    low, high = leans.min(axis=1, initial=90.0), leans.max(axis=1, initial=-90.0)
    return np.where((low < 0.0) & (high > 0.0), 0.0, np.abs(leans).min(axis=1, initial=90.0))


def _grid() -> FloatArray:
    """Return (p, 3) places all over a triangle, its corners among them."""
    steps = [(i, j) for i in range(_STEPS + 1) for j in range(_STEPS + 1 - i)]
    return np.array([(i, j, _STEPS - i - j) for i, j in steps]) / _STEPS


def _pieces() -> FloatArray:
    """Return (p, 3) the middles of equal pieces of a triangle."""
    upright = [(i + 1 / 3, j + 1 / 3) for i in range(_STEPS) for j in range(_STEPS - i)]
    turned = [(i + 2 / 3, j + 2 / 3) for i in range(_STEPS) for j in range(_STEPS - 1 - i)]
    return np.array([(a, b, _STEPS - a - b) for a, b in (*upright, *turned)]) / _STEPS


def _lean_deg(normals: FloatArray, way: FloatArray) -> FloatArray:
    """Return how far normals look down: 0 for a wall, 90 for a ceiling, -90 for a floor."""
    lean: FloatArray = np.degrees(np.arcsin(np.clip(-(normals @ way), -1.0, 1.0)))
    return lean


def _slack_deg(subject: Gauged) -> npt.NDArray[np.float64]:
    """Return how far each triangle may lean from its surface: flat faces are exact."""
    faces, place = np.unique(subject.mesh.face_ids, return_inverse=True)
    vectors = np.zeros((len(faces), 3))
    np.add.at(vectors, place, subject.areas[:, None] * subject.normals)
    whole = np.bincount(place, weights=subject.areas, minlength=len(faces))
    is_flat = np.linalg.norm(vectors, axis=1) > (1.0 - _BENT) * whole
    return np.where(is_flat, _EXACT_DEG, _FACET_DEG)[place]


def _faces(subject: Gauged, chosen: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(np.unique(subject.mesh.face_ids[chosen]).tolist())
