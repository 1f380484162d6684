"""Bounding boxes: a quick one to choose a tessellation, and a tight one to report."""

from __future__ import annotations

from functools import partial

import numpy as np
from OCP.Bnd import Bnd_Box
from OCP.BRepBndLib import BRepBndLib

from cadwright.tools.geometry.extremes import face_bounds, joined
from cadwright.tools.geometry.holes import Surfaces
from cadwright.tools.geometry.kernel import Shape
from cadwright.tools.geometry.part import FloatArray, Mesh, Vector
from cadwright.tools.geometry.topology import Topology
from cadwright.tools.geometry.triangles import bounds_of

Box = tuple[Vector, Vector]


def quick_box(shape: Shape) -> FloatArray | None:
    """Return (2, 3) bounds that contain the shape, perhaps loosely; None for nothing.

    A part with a NaN or infinite dimension has a NaN or infinite box.
    """
    box = Bnd_Box()
    BRepBndLib.Add_s(shape, box, False)
    if box.IsVoid():
        return None
    if box.IsOpen():
        return np.full((2, 3), np.inf)
    return np.array(box.Get(), np.float64).reshape(2, 3)


def mesh_box(mesh: Mesh) -> FloatArray:
    """Return the (2, 3) bounds of the vertices that triangles use."""
    is_used = np.zeros(len(mesh.vertices), bool)
    is_used[mesh.faces] = True
    return bounds_of(mesh.vertices[is_used])


def tight_box(
    topology: Topology, mesh: Mesh, deflection_mm: float, surfaces: Surfaces
) -> FloatArray:
    """Return (2, 3) bounds of the exact surfaces.

    Triangles give the bounds of flat faces exactly and miss those of curved ones by at most
    the deflection, so only curved faces that come that near to the box are measured exactly.

    Args:
        topology: The explored shape.
        mesh: Its tessellation.
        deflection_mm: How far the triangles may lie from the surface.
        surfaces: The surface of every face.
    """
    box = mesh_box(mesh)
    slack = 2.0 * deflection_mm
    faces = {use.index: use.face for use in topology.face_uses}
    outer = box
    for index in sorted(surfaces.curved & _faces_near(mesh, box, slack)):
        face, adaptor, kind = faces[index], surfaces.adaptors[index], surfaces.kinds[index]
        corners = partial(_corners, mesh, index)
        outer = joined(outer, face_bounds(face, adaptor, kind, outer, corners))
    return np.stack([np.maximum(outer[0], box[0] - slack), np.minimum(outer[1], box[1] + slack)])


def as_box(bounds: FloatArray) -> Box:
    """Return (2, 3) bounds as plain numbers."""
    low, high = ((float(x), float(y), float(z)) for x, y, z in bounds + 0.0)
    return low, high


def extent(bounds: FloatArray) -> float:
    """Return the longest side of (2, 3) bounds."""
    return float((bounds[1] - bounds[0]).max())


def _corners(mesh: Mesh, index: int) -> FloatArray:
    """Return the (n, 3) corners of the triangles of a face."""
    corners: FloatArray = mesh.vertices[mesh.faces[mesh.face_ids == index].reshape(-1)]
    return corners


def _faces_near(mesh: Mesh, box: FloatArray, slack: float) -> set[int]:
    """Return the faces with a vertex within ``slack`` of a side of ``box``."""
    points = mesh.vertices
    at_side = ((points <= box[0] + slack) | (points >= box[1] - slack)).any(axis=1)
    return set(np.unique(mesh.face_ids[at_side[mesh.faces].any(axis=1)]).tolist())
