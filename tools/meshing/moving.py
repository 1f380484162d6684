"""Put meshes somewhere else: move, rotate, scale, mirror."""

from __future__ import annotations

import math

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.meshing.triangles import plain


def moved(mesh: Mesh, offset: FloatArray) -> Mesh:
    """Return the mesh moved by (3,) mm."""
    return plain(mesh.vertices + offset, mesh.faces)


def rotated(mesh: Mesh, axis: FloatArray, angle_deg: float, centre: FloatArray) -> Mesh:
    """Return the mesh turned about an axis.

    Args:
        mesh: Any mesh.
        axis: (3,) unit direction; the turn is counter-clockwise seen from its tip.
        angle_deg: How far.
        centre: (3,) a point of the axis, mm.
    """
    return placed(mesh, rotation_about(axis, angle_deg), centre=centre)


def scaled(mesh: Mesh, factors: FloatArray, centre: FloatArray) -> Mesh:
    """Return the mesh scaled along x, y and z about a point.

    Raises:
        GeometryError: A factor is not above zero.
    """
    if not (factors > 0.0).all():
        raise GeometryError(
            f"factors {factors.tolist()}: use numbers above 0, and mirror to reflect",
            Outcome.BAD_CALL,
        )
    return plain((mesh.vertices - centre) * factors + centre, mesh.faces)


def mirrored(mesh: Mesh, axis: int, offset_mm: float) -> Mesh:
    """Return the image in the plane where coordinate ``axis`` equals ``offset_mm``."""
    vertices = mesh.vertices.copy()
    vertices[:, axis] = 2.0 * offset_mm - vertices[:, axis]
    return plain(vertices, mesh.faces[:, ::-1])


def placed(
    mesh: Mesh,
    rotation: FloatArray,
    shift: FloatArray | None = None,
    *,
    centre: FloatArray | None = None,
) -> Mesh:
    """Return the mesh turned about ``centre`` (the origin where None), then shifted.

    Args:
        mesh: Any mesh.
        rotation: (3, 3).
        shift: (3,) mm.
        centre: (3,) mm.
    """
    about = np.zeros(3) if centre is None else centre
    vertices = (mesh.vertices - about) @ rotation.T + about
    return plain(vertices if shift is None else vertices + shift, mesh.faces)


def rotation_about(axis: FloatArray, angle_deg: float) -> FloatArray:
    """Return (3, 3) the turn about a unit axis; quarter turns are exact."""
    cosine, sine = _exact(angle_deg)
    x, y, z = axis.tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: FloatArray = cosine * np.eye(3) + sine * cross + (1.0 - cosine) * np.outer(axis, axis)
    return rotation


def _exact(angle_deg: float) -> tuple[float, float]:
    quarters = angle_deg / 90.0
    if quarters == round(quarters):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(quarters) % 4]
    angle = math.radians(angle_deg)
    return math.cos(angle), math.sin(angle)
