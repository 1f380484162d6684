"""Surfaces at a distance: hollow a solid, give a sheet a thickness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.solids import Manifold
from cadwright.tools.geometry.surface import edge_table
from cadwright.tools.geometry.triangles import triangle_areas, triangle_normals
from cadwright.tools.meshing.distance import Target, probes
from cadwright.tools.meshing.primitives import SIDES
from cadwright.tools.meshing.solid import is_solid, mesh_of, solid_of
from cadwright.tools.meshing.triangles import bounds, corners, joined, plain, welded

SIDES_OF_OFFSET = {"out": (0.0, 1.0), "in": (-1.0, 0.0), "both": (-0.5, 0.5)}

_SAME_PLANE = 1e-4  # cosine below 1: facets nearer in direction are one plane at a corner
_THIN = 0.98  # of the wall asked for: what an offset surface may lose to facets
_BALL_SIDES = 8  # of the ball that is rolled along the inside, where offsetting fails
_ROUGH = 0.05  # of the wall: how far the surface is simplified before a ball is rolled along it
_MOST_ROLLED = 1_500  # triangles of that surface: the time is theirs
_LOOKED_AT = 256  # narrowest places of an offset surface that are measured exactly
_FARTHEST = 4.0  # times the distance: how far a corner may move, however sharp it is
_DRILL_MM = 1.0  # how far a drill starts outside


def offset_vertices(mesh: Mesh) -> FloatArray:
    """Return (n, 3) how each vertex moves when its facets move outwards by 1 mm.

    Where planes meet in a corner the corner stays on all of them, which keeps walls even; that
    is the solution of a small system for each vertex, of least length where it is not unique.
    """
    normals = triangle_normals(corners(mesh))
    areas = triangle_areas(corners(mesh))
    order = np.argsort(mesh.faces.reshape(-1), kind="stable")
    owners = order // 3
    starts = np.searchsorted(mesh.faces.reshape(-1)[order], np.arange(len(mesh.vertices) + 1))
    moves = np.zeros_like(mesh.vertices)
    for vertex in range(len(mesh.vertices)):
        around = owners[starts[vertex] : starts[vertex + 1]]
        moves[vertex] = _corner_move(normals[around], areas[around])
    return moves


def _corner_move(normals: FloatArray, areas: FloatArray) -> FloatArray:
    """Return (3,) the move of a corner between facets of given unit normals (k, 3)."""
    planes: list[Any] = []  # rows of the system
    for index in np.argsort(-areas, kind="stable"):
        normal = normals[index]
        if normal.any() and all(normal @ other < 1.0 - _SAME_PLANE for other in planes):
            planes.append(normal)
    if not planes:
        return np.zeros(3)
    system = np.array(planes)
    move = np.linalg.lstsq(system, np.ones(len(system)), rcond=1e-2)[0]
    length = float(np.linalg.norm(move))
    limited: FloatArray = move * min(1.0, _FARTHEST / max(length, 1.0))
    return limited


def inner_surface(mesh: Mesh, wall_mm: float) -> Mesh:
    """Return the solid that is left when ``wall_mm`` is taken off all around.

    Raises:
        GeometryError: The mesh is no solid, or too thin for the wall.
    """
    mesh = welded(mesh)
    solid = solid_of(mesh)
    shrunk = plain(mesh.vertices - wall_mm * offset_vertices(mesh), mesh.faces)
    if is_solid(shrunk) and _keeps_off(shrunk, mesh, wall_mm):
        return shrunk
    rolled = _rolled(solid, wall_mm)
    if rolled.is_empty():
        raise GeometryError(
            f"the part is nowhere thicker than twice the wall of {wall_mm:g} mm: use less",
            Outcome.EMPTY_GEOMETRY,
        )
    return mesh_of(rolled)


def _keeps_off(inner: Mesh, outer: Mesh, wall_mm: float) -> bool:
    """Return whether an offset surface has crossed neither itself nor the other side."""
    box = bounds(outer)
    if (bounds(inner)[0] <= box[0]).any() or (bounds(inner)[1] >= box[1]).any():
        return False
    target, points = Target(outer), probes(inner)
    gaps = target.bounds(points)
    narrow = np.argsort(gaps, kind="stable")[:_LOOKED_AT]
    return float(target.distances(points[narrow], gaps[narrow]).min()) >= _THIN * wall_mm


def _rolled(solid: Manifold, wall_mm: float) -> Manifold:
    """Return what a ball rolled along the inside leaves; exact on faces along the axes."""
    import manifold3d

    tolerance = _ROUGH * wall_mm
    coarse = solid.simplify(tolerance)
    while coarse.num_tri() > _MOST_ROLLED and tolerance < wall_mm:
        tolerance *= 2.0
        coarse = solid.simplify(tolerance)
    ball = manifold3d.Manifold.sphere(wall_mm, _BALL_SIDES)
    return coarse.minkowski_difference(ball)


def hollowed(
    mesh: Mesh, wall_mm: float, *, drain_mm: float = 0.0, drains: Sequence[Sequence[float]] = ()
) -> Mesh:
    """Return the part with a cavity, and with drain holes from below into it.

    Args:
        mesh: A solid.
        wall_mm: Thickness of the wall.
        drain_mm: Diameter of the drain holes.
        drains: (x, y) of each hole in mm; it is drilled upwards from the bottom.

    Raises:
        GeometryError: No cavity fits, or a drain does not meet it.
    """
    if wall_mm <= 0.0:
        raise GeometryError(f"wall {wall_mm:g} mm: use a thickness above 0", Outcome.BAD_CALL)
    if drains and drain_mm <= 0.0:
        raise GeometryError("drain_mm must be above 0 where drains are given", Outcome.BAD_CALL)
    cavity = inner_surface(mesh, wall_mm)
    if not drains:
        return joined([welded(mesh), plain(cavity.vertices, cavity.faces[:, ::-1])])
    hollow, inside = solid_of(mesh), solid_of(cavity)
    hollow = hollow - inside
    bottom = float(bounds(mesh)[0, 2])
    for place in drains:
        hollow = hollow - _drill(inside, place, drain_mm, bottom)
    return mesh_of(hollow)


def _drill(cavity: Manifold, place: Sequence[float], drain_mm: float, bottom_mm: float) -> Manifold:
    """Return the cylinder from below the part up into the cavity above (x, y)."""
    import manifold3d

    if len(place) != 2:
        raise GeometryError(f"drain {list(place)}: give [x, y]", Outcome.BAD_CALL)
    x, y = map(float, place)
    low, high = cavity.bounding_box()[2], cavity.bounding_box()[5]
    probe = manifold3d.Manifold.cylinder(high - low, drain_mm / 2, drain_mm / 2, SIDES)
    met = probe.translate((x, y, low)) ^ cavity
    if met.is_empty():
        raise GeometryError(f"drain at ({x:g}, {y:g}) does not meet the cavity: move it")
    start = bottom_mm - _DRILL_MM
    height = min(met.bounding_box()[2] + 0.25 * drain_mm, met.bounding_box()[5]) - start
    drill = manifold3d.Manifold.cylinder(height, drain_mm / 2, drain_mm / 2, SIDES)
    return drill.translate((x, y, start))


def thickened(mesh: Mesh, thickness_mm: float, side: str) -> Mesh:
    """Return the solid that an open surface becomes when it gets a thickness.

    Args:
        mesh: An open surface; its triangles face ``out``.
        thickness_mm: How thick.
        side: One of ``SIDES_OF_OFFSET``.

    Raises:
        GeometryError: The surface is closed, or the thickness folds it up.
    """
    if thickness_mm <= 0.0:
        raise GeometryError(f"thickness {thickness_mm:g} mm: use one above 0", Outcome.BAD_CALL)
    mesh = welded(mesh)
    table = edge_table(mesh.faces, len(mesh.vertices))
    if not len(table.open_edges):
        raise GeometryError("the surface is closed: use hollow to give it a wall")
    moves = offset_vertices(mesh)
    low, high = (share * thickness_mm for share in SIDES_OF_OFFSET[side])
    layers = np.concatenate([mesh.vertices + low * moves, mesh.vertices + high * moves])
    count = len(mesh.vertices)
    is_open = (table.uses == 1)[table.of_triangle]
    tails, heads = mesh.faces[is_open], mesh.faces[:, (1, 2, 0)][is_open]
    walls = [
        np.column_stack([tails, tails + count, heads + count])[:, ::-1],
        np.column_stack([tails, heads + count, heads])[:, ::-1],
    ]
    faces = np.concatenate([mesh.faces[:, ::-1], mesh.faces + count, *walls])
    solid = plain(layers, faces.astype(np.int32))
    if not is_solid(solid):
        raise GeometryError(
            f"{thickness_mm:g} mm folds this surface up: use less, or smooth it first"
        )
    return solid
