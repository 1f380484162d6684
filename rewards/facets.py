"""How finely somebody else tessellated a curved shape.

A cylinder with 36 facets has 0.5 % less volume than a round one, so a perfect part loses to a
reference whose facets are finer or coarser than its own. Exact geometry is therefore tessellated
as finely as a mesh reference is found to be.
"""

from __future__ import annotations

import numpy as np

from cadwright.tools.geometry.part import FloatArray, IntArray, Tessellation
from cadwright.tools.geometry.surface import (
    FEATURE_ANGLE_DEG,
    edge_table,
    neighbour_cosines,
    neighbours,
)

# Neighbours closer than this are two triangles of one flat facet.
FLAT_DEG = 0.5
# The kernel halves the angle it is asked for on cylinders, cones and fillets.
ASKED_PER_FACET = 2.0
# Keeps a count that was a whole number from being rounded up to the next one.
ROUNDING = 1.001
# Finer costs more time than it changes a score; coarser would flatten other curves of the part.
FINEST_DEG, COARSEST_DEG = 6.0, 34.0


def matching_angle_deg(vertices: FloatArray, faces: IntArray) -> float:
    """Return the angle to tessellate exact geometry with, so that it looks like this mesh.

    Args:
        vertices: (n, 3) mm.
        faces: (m, 3).

    Returns:
        From the median angle over all edges that are neither flat nor sharp; the default of a
        tessellation for a mesh without curved parts. In degrees.
    """
    table = edge_table(faces, len(vertices))
    pairs = neighbours(table, np.flatnonzero(table.uses == 2))
    cosines = neighbour_cosines(vertices[faces], pairs)
    angles = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    curved = angles[(angles > FLAT_DEG) & (angles < FEATURE_ANGLE_DEG)]
    if not len(curved):
        return Tessellation().angle_deg
    asked = float(np.median(curved)) * ASKED_PER_FACET * ROUNDING
    return min(max(asked, FINEST_DEG), COARSEST_DEG)
