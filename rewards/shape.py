"""A part as everything that measures it shares it: inspected, normalised and searchable once.

A score and the constraints beside it look at the same part one after the other, and a part that
was just drawn for an observation is scored next. What one of them made, the other finds here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cadwright.rewards.normalise import Solid, normalise
from cadwright.rewards.surface import PART_STREAM, Surface
from cadwright.tools.geometry.inspect import facets_of, inspection_of
from cadwright.tools.geometry.part import Inspection, Mesh, Part, Tessellation
from cadwright.tools.geometry.rays import Rays
from cadwright.tools.kept import Kept

NOTHING = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.int32))
NUM_POINTS = 1024
SEED = 0
KEPT_SHAPES = 8


@dataclass(frozen=True, eq=False)
class Shape:
    """Triangles with what measuring needs, each made at first use.

    Attributes:
        mesh: Triangles in mm, of any quality.
    """

    mesh: Mesh

    @cached_property
    def solid(self) -> Solid:
        """The normalised solid, in a frame of its own around ``solid.centre``."""
        return normalise(self.mesh)

    @cached_property
    def rays(self) -> Rays:
        """Rays against the triangles of the solid, in its frame."""
        return self.solid.rays or Rays.of(self.solid.vertices, self.solid.faces)

    @cached_property
    def surface(self) -> Surface:
        """The surface of the solid under a fixed sample, in its frame."""
        return Surface(
            self.solid.vertices[self.solid.faces],
            num_points=NUM_POINTS,
            seed=SEED,
            stream=PART_STREAM,
            rays=self.rays,
        )

    @cached_property
    def mesh_rays(self) -> Rays:
        """Rays against the triangles of the mesh, in its coordinates and by its indices."""
        if np.array_equal(self.mesh.faces, self.solid.faces):
            return self.rays.shifted(self.solid.centre)
        return Rays.of(self.mesh.vertices, self.mesh.faces)


@dataclass(frozen=True, slots=True, eq=False)
class Inspected:
    """What was found out about a part, and its shape; without triangles the empty one."""

    inspection: Inspection
    shape: Shape


_kept: Kept[Inspected] = Kept(KEPT_SHAPES)


def inspected(part: Part, facets: Tessellation) -> Inspected:
    """Return a part ready to be measured; the arrays are shared and must not be written to.

    Args:
        part: The part.
        facets: How fine to tessellate it.
    """
    key = (part.digest, part.name, part.notices, facets_of(part, facets))
    return _kept.get(key, lambda: _inspected(part, facets))


def _inspected(part: Part, facets: Tessellation) -> Inspected:
    inspection = inspection_of(part, tolerance=facets)
    mesh = NOTHING if inspection.mesh is None else inspection.mesh
    return Inspected(inspection, Shape(mesh))
