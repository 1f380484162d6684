"""How finely somebody else tessellated a curved shape.

A cylinder with 22 facets has 1.4 % less volume than one with 200, so a perfect part loses to a
reference whose facets are finer or coarser than its own. Exact geometry is therefore tessellated
at the angle that is found in a mesh reference.
"""

from __future__ import annotations

import numpy as np

from cadwright.tools.geometry.part import FloatArray, IntArray
from cadwright.tools.geometry.surface import FEATURE_ANGLE_DEG, edge_table, neighbours
from cadwright.tools.geometry.tessellate import Tessellation

# Neighbours closer than this are two triangles of one flat facet.
FLAT_DEG = 0.5


def facet_angle_deg(vertices: FloatArray, faces: IntArray, *, finest: float) -> float:
    """Return the angle between neighbouring facets of the curved parts of a mesh.

    Args:
        vertices: (n, 3) mm.
        faces: (m, 3).
        finest: Least angle to return.

    Returns:
        The median over all edges that are neither flat nor sharp, in degrees, between ``finest``
        and the default of a tessellation; that default for a mesh without curved parts.
    """
    table = edge_table(faces, len(vertices))
    pairs = neighbours(table, np.flatnonzero(table.uses == 2))
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    cosines = np.einsum("ij,ij->i", normals[pairs[:, 0]], normals[pairs[:, 1]])
    angles = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    curved = angles[(angles > FLAT_DEG) & (angles < FEATURE_ANGLE_DEG)]
    default = Tessellation().angle_deg
    if not len(curved):
        return default
    # a hair above the angle found: the kernel rounds the number of facets up
    return float(np.clip(np.median(curved) * 1.001, finest, default))
