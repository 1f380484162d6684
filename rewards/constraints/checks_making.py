"""Checks of how the part will be made, on its triangles."""

from __future__ import annotations

import numpy as np

from cadwright.rewards.constraints import kinds_making as kinds
from cadwright.rewards.constraints.places import shown
from cadwright.rewards.constraints.registry import checks
from cadwright.rewards.constraints.result import CannotCheck, Finding, plain_aspect
from cadwright.rewards.constraints.subject import BoolArray, Subject
from cadwright.rewards.surface import Surface
from cadwright.tools.geometry.part import FloatArray, Vector

# Fractions of the largest extent: a wall below it is a touching surface, and rays start so far in.
THINNEST, START_IN = 1e-5, 1e-6
FACING = 0.75  # cosine: walls up to 41 degrees out of parallel; the tip of a wedge is no wall
SIDE_DEG = 45.0  # faces that lean more than this from the pull are not sides of a mould
ON_PLATE = 1e-4  # of the largest extent: what is so near the lowest point rests on the plate
FLAT = 0.9998  # cosine of 1.1 degrees: facets that lie flat on the plate
FACET_DEG = 0.5  # a facet's normal is this far from that of the surface it stands for


@checks(kinds.WallThickness)
def wall_thickness(asked: kinds.WallThickness, subject: Subject) -> Finding:
    """Measure the thinnest wall."""
    _ = subject.manifold  # an open surface has no inside to measure through
    thinnest, place = thinnest_wall(subject.surface)
    aspect = plain_aspect(asked, max(0.0, asked.min - thinnest), "wall too thin,")
    return Finding(f"{thinnest:.4g} mm at {shown(place)}", (aspect,))


def thinnest_wall(surface: Surface) -> tuple[float, Vector]:
    """Return the thickness in mm and the place of the thinnest wall.

    Raises:
        CannotCheck: No two sides of a wall face each other.
    """
    extent = float(surface.extents.max())
    probes, inward = surface.probes, -surface.normals[surface.probes.owners]
    origins = probes.points + START_IN * extent * inward
    reach, hit = first_hits(surface, origins, inward)
    facing = np.einsum("ij,ij->i", inward, surface.normals[hit]) > FACING
    usable = np.isfinite(reach) & facing & (reach > THINNEST * extent)
    if not usable.any():
        raise CannotCheck("no two sides of a wall face each other")
    best = int(np.argmin(np.where(usable, reach, np.inf)))
    x, y, z = probes.points[best].tolist()
    return float(reach[best]) + START_IN * extent, (x, y, z)


def first_hits(
    surface: Surface, origins: FloatArray, directions: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the distance to the first triangle along each ray, and which one it is."""
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    scene = EmbreeScene()
    TriangleMesh(scene, surface.triangles.astype(np.float32))
    found = scene.run(origins.astype(np.float32), directions.astype(np.float32), output=True)
    index = np.asarray(found["primID"])
    reach = np.where(index >= 0, np.asarray(found["tfar"], dtype=np.float64), np.inf)
    return reach, np.maximum(index, 0)


@checks(kinds.Draft)
def draft(asked: kinds.Draft, subject: Subject) -> Finding:
    """Find the side face that leans least."""
    surface = subject.surface
    lean = np.degrees(np.arcsin(np.clip(surface.normals @ np.array(asked.pull), -1.0, 1.0)))
    sides = np.abs(lean)[(np.abs(lean) < SIDE_DEG) & (surface.areas > 0.0)]
    if not len(sides):
        return Finding("no side faces", (plain_aspect(asked, 0.0),))
    least = float(sides.min())
    aspect = plain_aspect(asked, max(0.0, asked.min - least), "draft too small,")
    return Finding(f"{least:.3g} deg", (aspect,))


@checks(kinds.Overhang)
def overhang(asked: kinds.Overhang, subject: Subject) -> Finding:
    """Add up the area that leans over too far and does not rest on the plate."""
    got = overhanging_mm2(subject.surface, np.array(asked.up), asked.angle)
    aspect = plain_aspect(asked, max(0.0, got - asked.max_area), "overhang")
    return Finding(f"{got:.4g} mm2", (aspect,))


def overhanging_mm2(surface: Surface, up: FloatArray, angle_deg: float) -> float:
    """Return the area that looks down more than ``angle_deg`` from the vertical."""
    steepest = np.sin(np.radians(angle_deg + FACET_DEG))
    hangs = surface.normals @ up < -steepest
    return float(surface.areas[hangs & ~_on_plate(surface, up)].sum())


@checks(kinds.BaseArea)
def base_area(asked: kinds.BaseArea, subject: Subject) -> Finding:
    """Add up the area that rests on the plate."""
    got = resting_mm2(subject.surface, np.array(asked.up))
    return Finding(f"{got:.5g} mm2", (plain_aspect(asked, max(0.0, asked.min_area - got), "base"),))


def resting_mm2(surface: Surface, up: FloatArray) -> float:
    """Return the flat area at the lowest point."""
    flat = surface.normals @ up < -FLAT
    return float(surface.areas[flat & _on_plate(surface, up)].sum())


def _on_plate(surface: Surface, up: FloatArray) -> BoolArray:
    heights = surface.triangles @ up
    limit = heights.min() + ON_PLATE * float(surface.extents.max())
    result: BoolArray = (heights < limit).all(axis=1)
    return result
