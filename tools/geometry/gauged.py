"""A part made ready for gauges: its triangles, and the solid they enclose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.exact_faces import ExactFaces
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.part import FloatArray, Mesh, Part, Tessellation, Vector
from cadwright.tools.geometry.rays import Rays
from cadwright.tools.geometry.solids import Manifold, manifold_of
from cadwright.tools.geometry.triangles import triangle_areas, triangle_normals
from cadwright.tools.kept import Kept

# 60 facets a turn: a disc loses 0.2 % of its area
FINE = Tessellation(linear=2e-4, angle_deg=6.0)
KEPT_PARTS = 4
# Of the diagonal: facets that keep this near to a sphere are 20,000, and no finer ones are made.
_FINEST = 5e-5

_parts: Kept[Gauged] = Kept(KEPT_PARTS)


@dataclass(frozen=True, eq=False)
class Gauged:
    """A part with its triangles; whoever has them already makes one of these at no cost.

    Attributes:
        part: What was given.
        mesh: Its triangles, wound outwards.
        is_closed: They enclose a solid.
        known_rays: Rays against them, where somebody has these already.
    """

    part: Part
    mesh: Mesh
    is_closed: bool
    known_rays: Rays | None = None

    @cached_property
    def rays(self) -> Rays:
        """Rays against the triangles."""
        return self.known_rays or Rays.at(self.corners)

    @cached_property
    def corners(self) -> FloatArray:
        """(m, 3, 3) corners of the triangles."""
        return self.mesh.vertices[self.mesh.faces]

    @cached_property
    def normals(self) -> FloatArray:
        """(m, 3) unit normals of the triangles."""
        return triangle_normals(self.corners)

    @cached_property
    def areas(self) -> FloatArray:
        """(m,) areas of the triangles in mm²."""
        return triangle_areas(self.corners)

    @cached_property
    def exact_areas(self) -> FloatArray:
        """(m,) areas in mm² of the surfaces that its triangles stand for."""
        return self.areas * self.exact.stretch(self.areas)

    @cached_property
    def exact(self) -> ExactFaces:
        """The surfaces that its triangles stand for; nothing is curved without exact geometry."""
        return ExactFaces(self.part, self.mesh, self.corners, self.normals)

    @cached_property
    def diagonal_mm(self) -> float:
        """Diagonal of the bounding box."""
        return float(np.linalg.norm(np.ptp(self.mesh.vertices, axis=0)))

    @cached_property
    def manifold(self) -> Manifold:
        """The solid for booleans.

        Raises:
            GeometryError: The surface is open or crosses itself.
        """
        self.needs_inside()
        solid = manifold_of(self.mesh.vertices, self.mesh.faces)
        if solid.status().name != "NoError":
            raise GeometryError(f"{self.part.name}: no solid: {solid.status().name}")
        return solid

    def finer(self, sag_mm: float) -> Gauged | None:
        """Return the part in facets this near to its surfaces; None where none nearer are made."""
        linear = max(sag_mm / self.diagonal_mm, _FINEST)
        if self.part.brep is None or linear * self.diagonal_mm >= self.exact.sag_mm:
            return None
        found = inspect_part(self.part, tolerance=Tessellation(linear=linear))
        if found.mesh is None or found.measures is None:
            return None
        return Gauged(self.part, found.mesh, found.measures.is_watertight)

    def needs_inside(self) -> None:
        """Refuse to look into an open surface.

        Raises:
            GeometryError: It is open.
        """
        if not self.is_closed:
            raise GeometryError(f"{self.part.name}: the surface is not closed: it has no inside")


def gauged(part: Part) -> Gauged:
    """Return a part ready for gauges; several questions about one part tessellate it once.

    Raises:
        GeometryError: It has no triangles.
    """
    return _parts.get((part.digest, part.name), lambda: _gauged(part))


def _gauged(part: Part) -> Gauged:
    inspection = inspect_part(part, tolerance=FINE)
    if inspection.mesh is None or inspection.measures is None:
        raise GeometryError(inspection.message, inspection.outcome)
    return Gauged(part, inspection.mesh, inspection.measures.is_watertight)


def direction_of(value: Vector, name: str) -> FloatArray:
    """Return a direction as a unit vector (3,).

    Raises:
        GeometryError: It has no length.
    """
    raw = np.array(value, np.float64)
    length = float(np.linalg.norm(raw))
    if not np.isfinite(length) or length == 0.0:
        raise GeometryError(f"{name} {value}: a direction needs a length", Outcome.BAD_CALL)
    return raw / length
