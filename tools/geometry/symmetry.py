"""Symmetry: the part against its own image, as volumes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.gauged import Gauged, direction_of
from cadwright.tools.geometry.gauges import Mirror
from cadwright.tools.geometry.mass import mesh_mass
from cadwright.tools.geometry.part import FloatArray, Vector
from cadwright.tools.geometry.solids import Manifold, frame_along
from cadwright.tools.geometry.vectors import as_vector

_SAME = 1e-4  # sine: two directions are one
_ROUNDING = 1e-9  # exact solids agree to about 1e-12 of their volume; so near to 1 is 1
_DISTINCT = 1e-3  # relative: principal moments that are closer have no axes of their own


def mirrors(subject: Gauged, normals: Sequence[Vector] = ()) -> tuple[Mirror, ...]:
    """Return how symmetric a part is in planes through its centre of volume, best first.

    Args:
        subject: A closed part.
        normals: Normals of the planes; none for the frame's axes and the principal axes.

    Raises:
        GeometryError: The part has no inside, or a normal has no length.
    """
    solid = subject.manifold
    whole = mesh_mass(subject.mesh)
    if whole.volume_mm3 <= 0.0 or whole.inertia_mm5 is None:
        raise GeometryError(f"{subject.part.name}: the part has no volume")
    centre = np.array(whole.centre_mm)
    ways = [direction_of(normal, "normal") for normal in normals]
    ways = ways or _candidates(np.array(whole.inertia_mm5))
    found = [
        Mirror(as_vector(way), float(way @ centre), image_iou(solid, mirroring(way), centre))
        for way in ways
    ]
    return tuple(sorted(found, key=lambda mirror: -mirror.iou))


def image_iou(solid: Manifold, motion: FloatArray, point: FloatArray) -> float:
    """Return the volume that a solid and its image share over the volume of both.

    Args:
        solid: A solid.
        motion: (3, 3) orthogonal: a turn or a reflection.
        point: (3,) what stays in place, in the solid's frame.

    Raises:
        GeometryError: The two cannot be intersected.
    """
    centred = solid.translate((-point).tolist())
    shared = _shared_volume(centred, motion)
    iou = min(1.0, max(0.0, shared / (2.0 * float(centred.volume()) - shared)))
    return 1.0 if iou > 1.0 - _ROUNDING else iou


def _shared_volume(centred: Manifold, motion: FloatArray) -> float:
    """Return the volume that a solid shares with its image.

    What lies on either side of a mirror is the image of the other side: one half with the image
    of the other half says everything, in less than half the work.
    """
    normal = _mirror_normal(motion)
    if normal is None:
        common, times = centred ^ _moved(centred, motion), 1.0
    else:
        halves = (centred.trim_by_plane((sign * normal).tolist(), 0.0) for sign in (1.0, -1.0))
        common, times = next(halves) ^ _moved(next(halves), motion), 2.0
    if common.status().name != "NoError":
        raise GeometryError("the part and its image cannot be intersected")
    return times * float(common.volume())


def _moved(solid: Manifold, motion: FloatArray) -> Manifold:
    return solid.transform(np.column_stack([motion, np.zeros(3)]))


def _mirror_normal(motion: FloatArray) -> FloatArray | None:
    """Return the (3,) unit normal of a reflection in a plane, None for any other motion."""
    outer = (np.eye(3) - motion) / 2.0  # normal times normal, where there is one
    normal = outer[np.argmax(np.diag(outer))]
    length = float(np.linalg.norm(normal))
    if length < 0.5 or not np.allclose(mirroring(normal / length), motion, atol=_ROUNDING):
        return None
    unit: FloatArray = normal / length
    return unit


def mirroring(normal: FloatArray) -> FloatArray:
    """Return (3, 3) the reflection in the plane with a unit normal."""
    return np.eye(3) - 2.0 * np.outer(normal, normal)


def turning(axis: FloatArray, angle: float) -> FloatArray:
    """Return (3, 3) the turn about a unit axis by an angle in radians."""
    frame, cos, sin = frame_along(axis), np.cos(angle), np.sin(angle)
    turn: FloatArray = frame @ np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    return turn @ frame.T


def _candidates(inertia: FloatArray) -> list[FloatArray]:
    """Return the axes of the frame and the principal axes that differ from them."""
    ways = list(np.eye(3))
    moments, axes = np.linalg.eigh(inertia)
    for place in range(3):
        apart = np.abs(np.delete(moments, place) - moments[place]).min()
        axis = axes[:, place]
        is_new = all(np.linalg.norm(np.cross(axis, way)) > _SAME for way in ways)
        if is_new and apart > _DISTINCT * moments.max():
            ways.append(axis * np.sign(axis[int(np.argmax(np.abs(axis)))]))
    return ways
