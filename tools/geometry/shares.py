"""How much of a body lies in a region, by the surfaces of both and not by their facets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadwright.tools.geometry.bulges import bulges
from cadwright.tools.geometry.clearance import fraction, shared_solid
from cadwright.tools.geometry.gauged import Gauged, gauged
from cadwright.tools.geometry.gauges import BoxRegion, CylinderRegion, Fraction
from cadwright.tools.geometry.kernel import brep_bytes
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.regions import region_shape, region_solid
from cadwright.tools.geometry.solids import arrays_of

# Of what facets leave out along the boundary: by so much what is found of it may be wrong.
_BLUR = 0.03


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a body lies in a region.

    Attributes:
        fraction: The volumes.
        blur_mm3: By how much these may be wrong where the two touch along curved surfaces.
    """

    fraction: Fraction
    blur_mm3: float


def region_body(region: BoxRegion | CylinderRegion | Part) -> Gauged:
    """Return a region as a body with its surfaces."""
    if isinstance(region, Part):
        return gauged(region)
    if isinstance(region, BoxRegion):  # its triangles are all there is to it
        vertices, faces = arrays_of(region_solid(region))
        mesh = Mesh(vertices, faces, np.zeros(len(faces), np.int32))
        return Gauged(Part(mesh=mesh, name="region"), mesh, is_closed=True)
    return gauged(Part(brep=brep_bytes(region_shape(region)), name="region"))


def share(body: Gauged, region: Gauged) -> Share:
    """Return how much of a closed body lies in a region, and how much of the region it fills.

    Raises:
        GeometryError: One of them has no volume, or they cannot be intersected.
    """
    facets = fraction(body.manifold, region.manifold)
    left_out = bulges(body, region, shared_solid(body.manifold, region.manifold))
    inside = max(0.0, facets.inside_mm3 + left_out.shared_mm3)
    outside = max(0.0, facets.outside_mm3 + left_out.first_mm3 - left_out.shared_mm3)
    vacant = max(0.0, facets.vacant_mm3 + left_out.second_mm3 - left_out.shared_mm3)
    return Share(
        Fraction(
            part_share=inside / (inside + outside),
            region_share=inside / (inside + vacant),
            inside_mm3=inside,
            outside_mm3=outside,
            vacant_mm3=vacant,
        ),
        _BLUR * left_out.size_mm3,
    )
