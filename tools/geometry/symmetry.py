"""Mirror symmetry: the part against its own mirror image, as volumes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.gauged import Gauged, as_vector, direction_of
from cadwright.tools.geometry.gauges import Mirror
from cadwright.tools.geometry.mass import mesh_mass
from cadwright.tools.geometry.part import FloatArray, Vector

_SAME = 1e-4  # sine: two directions are one
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
    centred = solid.translate((-centre).tolist())
    volume = float(centred.volume())
    found = []
    for way in ways:
        shared = float((centred ^ centred.mirror(way.tolist())).volume())
        iou = min(1.0, max(0.0, shared / (2.0 * volume - shared)))
        found.append(Mirror(as_vector(way), float(way @ centre), iou))
    return tuple(sorted(found, key=lambda mirror: -mirror.iou))


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
