"""Rigid motions of constraints, and the motion of a part that goes with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from cadwright.rewards.constraints.field import members_of
from cadwright.rewards.constraints.kinds_space import Region
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.part import FloatArray, Mesh, Vector
from cadwright.tools.geometry.vectors import as_vector

R = TypeVar("R")
RIGHT_ANGLE = 1e-9  # how far a rotation may be from a permutation of the axes and turn a box


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A rigid motion: ``rotation @ point + translation``.

    Attributes:
        rotation: (3, 3).
        translation: (3,) mm.
    """

    rotation: FloatArray
    translation: FloatArray

    @classmethod
    def identity(cls) -> Pose:
        """Return the motion that moves nothing."""
        return cls(np.eye(3), np.zeros(3))

    @property
    def inverse(self) -> Pose:
        """The motion back."""
        return Pose(self.rotation.T, -self.rotation.T @ self.translation)

    @property
    def angle_deg(self) -> float:
        """Angle of the rotation."""
        cosine = (float(np.trace(self.rotation)) - 1.0) / 2.0
        return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))

    def point(self, values: Any) -> Vector:
        """Return a point after the motion."""
        return as_vector(self.rotation @ np.asarray(values, dtype=float) + self.translation)

    def direction(self, values: Any) -> Vector:
        """Return a direction after the motion."""
        return as_vector(self.rotation @ np.asarray(values, dtype=float))

    def mesh(self, mesh: Mesh) -> Mesh:
        """Return a mesh after the motion."""
        moved = mesh.vertices @ self.rotation.T + self.translation
        return Mesh(moved, mesh.faces, mesh.face_ids)


def moved(record: R, pose: Pose) -> R:
    """Return a constraint (or a record inside one) after a rigid motion.

    A kind without places or directions, such as a volume, stays as it is; so do extents along
    the axes, which mean the part as it will lie.

    Raises:
        UsageError: An open coordinate or a box cannot be turned this way.
    """
    if isinstance(record, Region) and record.min is not None and record.max is not None:
        low, high = _moved_box(record.min, record.max, pose)
        return replace(record, min=low, max=high)
    if isinstance(record, Region) and record.file is not None:
        raise UsageError("the body of a file cannot be moved: move the part instead")
    changes = {}
    for member in members_of(type(record)):
        value = getattr(record, member.name)
        if value is not None and member.entry.role:
            changes[member.name] = _moved_value(value, member.entry.role, pose)
    return replace(record, **changes)  # type: ignore[type-var]


def _moved_value(value: Any, role: str, pose: Pose) -> Any:
    if role == "direction":
        return pose.direction(value)
    if role == "record":
        return moved(value, pose)
    if role == "points":
        return tuple(_moved_place(place, pose) for place in value)
    return _moved_place(value, pose)


def _moved_place(place: Any, pose: Pose) -> Any:
    if None not in place:
        return pose.point(place)
    if not np.allclose(pose.rotation, np.eye(3), atol=RIGHT_ANGLE):
        raise UsageError("a place with an open coordinate cannot be turned")
    shift = pose.translation.tolist()
    return tuple(None if v is None else v + step for v, step in zip(place, shift, strict=True))


def _moved_box(low: Vector, high: Vector, pose: Pose) -> tuple[Vector, Vector]:
    sizes = np.sort(np.abs(pose.rotation), axis=1)
    if sizes[:, :2].max() > RIGHT_ANGLE:
        raise UsageError("a box can only be turned by right angles: move the part instead")
    corners = np.array([pose.point(low), pose.point(high)])
    return as_vector(corners.min(axis=0)), as_vector(corners.max(axis=0))
