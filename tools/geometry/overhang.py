"""How a part lies to a direction: overhangs when printed along it, draft when pulled along it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.gauged import Gauged, direction_of
from cadwright.tools.geometry.gauges import Draft, Overhang
from cadwright.tools.geometry.part import Vector

_EXACT_DEG = 0.01  # a face exactly at the limit is allowed, whatever its last bits say
_FACET_DEG = 0.5  # a facet of a curved face leans by less from the surface that it stands for
_BENT = 1e-6  # of its area: what a flat face lacks when its triangles are added as vectors
_BED = 1e-4  # of the diagonal: what is so near the lowest point lies on the bed
_FLAT_DEG = 1.0
_SIDE_DEG = 45.0  # faces that lean more than this are no sides


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
    lean = _lean_deg(subject, way)
    heights = subject.corners @ way
    on_bed = (heights < heights.min() + _BED * subject.diagonal_mm).all(axis=1)
    on_bed &= lean > 90.0 - _FLAT_DEG
    hangs = (lean > limit_deg + _slack_deg(subject)) & ~on_bed
    area = float(subject.areas[hangs].sum())
    return Overhang(
        area_mm2=area,
        share=area / float(subject.areas.sum()),
        worst_deg=float(lean[hangs].max(initial=0.0)),
        bed_area_mm2=float(subject.areas[on_bed].sum()),
        height_mm=float(np.ptp(heights)),
        faces=_faces(subject, hangs),
    )


def draft(subject: Gauged, pull: Vector = (0.0, 0.0, 1.0)) -> Draft:
    """Return how far the sides of a part lean away from a pull direction.

    The half of the mould that is pulled along ``pull`` frees the faces that look that way, the
    other half the rest: what counts is how far a side is from being parallel to it.

    Raises:
        GeometryError: ``pull`` has no length.
    """
    lean = np.abs(_lean_deg(subject, direction_of(pull, "pull")))
    sides = (lean < _SIDE_DEG) & (subject.areas > 0.0)
    if not sides.any():
        return Draft(None, ())
    least = float(lean[sides].min())
    return Draft(least, _faces(subject, sides & (lean < least + _EXACT_DEG)))


def _lean_deg(subject: Gauged, way: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how far each triangle looks down: 0 for a wall, 90 for a ceiling, -90 for a floor."""
    lean: npt.NDArray[np.float64] = np.degrees(
        np.arcsin(np.clip(-(subject.normals @ way), -1.0, 1.0))
    )
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
