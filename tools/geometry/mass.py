"""Volume, area, centre and inertia, from exact geometry or from triangles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from OCP.BRepGProp import BRepGProp
from OCP.gp import gp_Pnt
from OCP.GProp import GProp_GProps

from cadwright.tools.geometry.kernel import Shape
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh, Vector
from cadwright.tools.geometry.topology import Topology
from cadwright.tools.geometry.triangles import triangle_areas
from cadwright.tools.geometry.vectors import as_vector, weighted_mean

Matrix = tuple[Vector, Vector, Vector]


@dataclass(frozen=True, slots=True)
class Mass:
    """Mass properties at unit density.

    Attributes:
        volume_mm3: Signed volume; negative where the surface faces inwards.
        centre_mm: Centre of volume, or of area where the volume is zero.
        inertia_mm5: (3, 3) about ``centre_mm``, or None where the volume is zero.
    """

    volume_mm3: float
    centre_mm: Vector
    inertia_mm5: Matrix | None


@dataclass(frozen=True, slots=True)
class FaceArea:
    """Area of a face and its centre."""

    area_mm2: float
    centre_mm: Vector


def face_areas(topology: Topology) -> tuple[FaceArea, ...]:
    """Return the area of each face use, in their order."""
    return tuple(_face_area(use.face) for use in topology.face_uses)


def total_area(faces: Sequence[FaceArea]) -> FaceArea:
    """Return the area and its centre over all faces."""
    total = sum(face.area_mm2 for face in faces)
    if total <= 0.0:
        return FaceArea(total, faces[0].centre_mm if faces else (0.0, 0.0, 0.0))
    return FaceArea(total, weighted_mean([(face.centre_mm, face.area_mm2) for face in faces]))


def solid_volumes(topology: Topology) -> tuple[float, ...]:
    """Return the signed volume of each solid."""
    return tuple(float(_volume_of(solid).Mass()) for solid in topology.solids)


def solids_mass(topology: Topology) -> tuple[Mass, tuple[int, ...]]:
    """Return the mass of all solids together, and which of them are inside out."""
    total, inverted = GProp_GProps(), []
    for index, solid in enumerate(topology.solids):
        properties = _volume_of(solid)
        if properties.Mass() < 0.0:
            inverted.append(index)
            properties = _volume_of(solid.Reversed())
        total.Add(properties)
    return _mass(total), tuple(inverted)


def mesh_area(mesh: Mesh) -> tuple[float, Vector]:
    """Return the area and its centre."""
    a, b, c = _corners(mesh, np.zeros(3))
    areas = triangle_areas(mesh.vertices[mesh.faces])
    total = float(areas.sum())
    if total <= 0.0:
        return 0.0, as_vector(mesh.vertices.mean(axis=0))
    return total, as_vector(((a + b + c) * (areas / (3.0 * total))[:, None]).sum(axis=0))


def shell_volumes(mesh: Mesh, shells: IntArray, num_shells: int) -> FloatArray:
    """Return the signed volume (num_shells,) that each closed shell of a mesh encloses."""
    a, b, c = _corners(mesh, _middle(mesh))
    sixfold = np.einsum("ij,ij->i", a, np.cross(b, c))
    volumes: FloatArray = np.bincount(shells, weights=sixfold, minlength=num_shells) / 6.0
    return volumes


def mesh_mass(mesh: Mesh) -> Mass:
    """Return the mass of a closed mesh, as a sum of tetrahedra over its middle."""
    middle = _middle(mesh)
    a, b, c = _corners(mesh, middle)
    sixfold = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(sixfold.sum()) / 6.0
    if volume == 0.0:
        return Mass(0.0, mesh_area(mesh)[1], None)
    total = a + b + c
    centre = (sixfold[:, None] * total).sum(axis=0) / (24.0 * volume)
    second = sum(np.einsum("i,ij,ik->jk", sixfold, v, v) for v in (a, b, c, total)) / 120.0
    second = second - volume * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3) - second
    return Mass(volume, as_vector(centre + middle), _matrix(inertia))


def _face_area(face: Shape) -> FaceArea:
    properties = GProp_GProps()
    BRepGProp.SurfaceProperties_s(face, properties)
    return FaceArea(abs(float(properties.Mass())), _point(properties.CentreOfMass()))


def _volume_of(solid: Shape) -> GProp_GProps:
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(solid, properties)
    return properties


def _mass(properties: Any) -> Mass:
    volume = float(properties.Mass())
    if volume == 0.0:
        return Mass(0.0, (0.0, 0.0, 0.0), None)
    inertia = properties.MatrixOfInertia()
    rows = np.array([[inertia.Value(r, c) for c in (1, 2, 3)] for r in (1, 2, 3)])
    return Mass(volume, _point(properties.CentreOfMass()), _matrix(rows))


def _middle(mesh: Mesh) -> FloatArray:
    middle: FloatArray = 0.5 * (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0))
    return middle


def _corners(mesh: Mesh, origin: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    local = mesh.vertices - origin
    return local[mesh.faces[:, 0]], local[mesh.faces[:, 1]], local[mesh.faces[:, 2]]


def _point(point: gp_Pnt) -> Vector:
    return (float(point.X()), float(point.Y()), float(point.Z()))


def _matrix(rows: FloatArray) -> Matrix:
    return (as_vector(rows[0]), as_vector(rows[1]), as_vector(rows[2]))
