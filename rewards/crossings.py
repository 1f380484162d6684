"""A single closed surface that runs through itself, and the solid that it means.

Where a surface crosses itself, what lies inside it twice counts twice in every volume. It shows
on the surface: a point just outside of it lies inside all the same, so that a ray that leaves
there meets the surface from within. Cut in halves often enough, such a body falls into pieces
that do not cross themselves; the union of these is what was meant.

What is doubled on less than a five-hundredth of the surface, or is less than a thousandth of the
volume, may go unseen.
"""

from __future__ import annotations

import numpy as np

from cadwright.rewards.surface import spread_over
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.rays import Rays
from cadwright.tools.geometry.solids import Manifold, arrays_of
from cadwright.tools.geometry.triangles import bounds_of, triangle_areas, triangle_normals
from cadwright.tools.geometry.winding import winding_numbers

NUM_PROBES = 512
# How far outside of the surface a probe lies, as a share of the largest extent: far above the
# single precision of rays, far below any gap that a part is made with.
OUTSIDE = 1e-5
# Cosine: a ray that grazes a surface does not tell which side it meets.
FACING = 1e-3
# Probes whose place is worked out exactly before a surface is said to cross itself.
NUM_CONFIRMED = 16
# Share of the volume from which it matters that something is enclosed twice.
MATTERS = 1e-3
# Halvings of a body, and the share of its volume that is not cut any further.
MAX_DEPTH = 12
SMALLEST = 1e-4
# A plane through the middle would run along the faces that parts have there.
OFF_MIDDLE = 0.0137
START = np.zeros(3)


def crosses_itself(triangles: FloatArray, rays: Rays, volume_mm3: float) -> bool:
    """Whether a part of the inside of one closed surface that matters lies inside it twice.

    How much does is told by how deep it is below the places where it shows: a scan has thousands
    of slivers that noise has folded over, and all that these enclose twice is nothing.

    Args:
        triangles: (m, 3, 3) mm, facing outwards.
        rays: Rays against them.
        volume_mm3: What they enclose, twice counted.
    """
    normals, areas = triangle_normals(triangles), triangle_areas(triangles)
    probes = spread_over(triangles, areas, NUM_PROBES, START)
    outward = normals[probes.owners]
    step_mm = OUTSIDE * _extent(triangles)
    points = probes.points + step_mm * outward
    hits = rays.hit(points, outward)
    facing = np.einsum("ij,ij->i", normals[hits], outward)
    suspects = np.flatnonzero((hits >= 0) & (facing > FACING))
    looked_at = suspects[:NUM_CONFIRMED]
    if not len(looked_at):
        return False
    inside = looked_at[winding_numbers(points[looked_at], triangles) > 0.5]
    depth_mm = rays.cast(probes.points[inside] - step_mm * outward[inside], -outward[inside])
    share = len(suspects) / len(looked_at) / NUM_PROBES
    doubled_mm3 = areas.sum() * share * depth_mm[np.isfinite(depth_mm)].sum()
    return bool(doubled_mm3 > MATTERS * volume_mm3)


def untangled(solid: Manifold) -> Manifold:
    """Return the union of all that a surface which crosses itself encloses."""
    import manifold3d

    pieces = _pieces(solid, SMALLEST * float(solid.volume()), MAX_DEPTH)
    return manifold3d.Manifold.batch_boolean(pieces, manifold3d.OpType.Add)


def _pieces(solid: Manifold, smallest_mm3: float, depth: int) -> list[Manifold]:
    """Return parts that make up a solid, none of which crosses itself but the smallest."""
    found: list[Manifold] = []
    for piece in solid.decompose():
        if depth == 0 or piece.volume() < smallest_mm3 or not _is_tangled(piece):
            found.append(piece)
            continue
        for half in _halves(piece):
            found += _pieces(half, smallest_mm3, depth - 1)
    return found


def _is_tangled(solid: Manifold) -> bool:
    vertices, faces = arrays_of(solid)
    triangles = vertices[faces]
    return crosses_itself(triangles, Rays.at(triangles), float(solid.volume()))


def _halves(solid: Manifold) -> tuple[Manifold, Manifold]:
    box = np.array(solid.bounding_box()).reshape(2, 3)
    sizes = box[1] - box[0]
    axis = int(sizes.argmax())
    place = float(box[0, axis] + (0.5 + OFF_MIDDLE) * sizes[axis])
    one, other = solid.split_by_plane(np.eye(3)[axis].tolist(), place)
    return one, other


def _extent(triangles: FloatArray) -> float:
    low, high = bounds_of(triangles.reshape(-1, 3))
    return float((high - low).max())
