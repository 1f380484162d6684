"""Repair: take out what does not belong, turn what faces the wrong way, close what is open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.part import IntArray, Mesh
from cadwright.tools.geometry.surface import EdgeTable, components, edge_table, neighbours, shells
from cadwright.tools.geometry.triangles import triangle_areas
from cadwright.tools.geometry.weld import drop_degenerate, weld
from cadwright.tools.meshing.combining import split
from cadwright.tools.meshing.rims import patches, rims
from cadwright.tools.meshing.triangles import (
    corners,
    diagonal_mm,
    joined,
    plain,
    signed_volumes,
    welded,
)

NO_AREA = 1e-12  # of the squared diagonal: a triangle with less is a line
_MOST_ROUNDS = 100  # of taking fins off: each takes at least one
_MAX_RIM = 2_000  # corners of a hole that is still a hole and not the missing half

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What was taken out of a mesh."""

    mesh: Mesh
    num_joined: int
    num_degenerate: int
    num_duplicate: int
    num_fins: int


def cleaned(mesh: Mesh, *, weld_mm: float = 0.0) -> Cleaned:
    """Return the mesh without collapsed, repeated and sticking-out triangles.

    Args:
        mesh: Any mesh.
        weld_mm: Vertices closer than about this are joined first; 0 joins equal ones only.
    """
    kept, place = weld(mesh.vertices)
    vertices, faces = mesh.vertices[kept], place[mesh.faces]
    num_joined = len(mesh.vertices) - len(vertices)
    if weld_mm > 0.0:
        nearest = _near(vertices, weld_mm)
        num_joined += int((nearest != np.arange(len(nearest))).sum())
        faces = nearest[faces]
    alive = faces[drop_degenerate(faces)]
    single = alive[_first_of_equals(alive)]
    clean = single[~_lines(vertices, single)]
    num_degenerate = len(faces) - len(alive) + len(single) - len(clean)
    smooth = _without_fins(clean, len(vertices))
    return Cleaned(
        mesh=plain(vertices, smooth),
        num_joined=num_joined,
        num_degenerate=num_degenerate,
        num_duplicate=len(alive) - len(single),
        num_fins=len(clean) - len(smooth),
    )


def _near(vertices: npt.NDArray[np.float64], distance_mm: float) -> IntArray:
    """Return (n,) the first vertex of the chain of near ones that each vertex belongs to."""
    from scipy.spatial import cKDTree

    pairs = cKDTree(vertices).query_pairs(distance_mm, output_type="ndarray")
    _, labels = components(len(vertices), pairs.astype(np.int32))
    first = np.unique(labels, return_index=True)[1].astype(np.int32)
    found: IntArray = first[labels]
    return found


def _first_of_equals(faces: IntArray) -> npt.NDArray[np.intp]:
    """Return the indices of the first of each set of triangles over the same three vertices."""
    _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    return np.sort(first)


def _lines(vertices: npt.NDArray[np.float64], faces: IntArray) -> BoolArray:
    """Return which triangles are lines that nothing needs: on an edge that others already share.

    A line between two plain edges holds a T-junction together and stays.
    """
    size = float(np.ptp(vertices, axis=0).max())
    thin = triangle_areas(vertices[faces]) <= NO_AREA * size**2
    table = edge_table(faces, len(vertices))
    uses = table.uses[table.of_triangle]
    found: BoolArray = thin & ((uses > 2).any(axis=1) | (uses == 1).all(axis=1))
    return found


def _without_fins(faces: IntArray, num_vertices: int) -> IntArray:
    """Drop triangles that stick out of the surface: on a crowded edge and open elsewhere."""
    for _ in range(_MOST_ROUNDS):
        table = edge_table(faces, num_vertices)
        uses = table.uses[table.of_triangle]
        loose = np.where((uses > 2).any(axis=1), (uses == 1).sum(axis=1), 0)
        if not loose.any() or loose.all():
            break
        faces = faces[loose < loose.max()]  # the loosest go first: their neighbours may be sound
    return faces


@dataclass(frozen=True, slots=True)
class Turned:
    """A mesh whose triangles agree, and how many had to be turned."""

    mesh: Mesh
    num_turned: int


def with_fixed_winding(mesh: Mesh) -> Turned:
    """Return the mesh with neighbours that agree and outsides that face outwards.

    A closed shell inside another one is a cavity and faces inwards.

    Raises:
        GeometryError: A surface has one side only, as a Moebius strip.
    """
    before = welded(mesh)
    table = edge_table(before.faces, len(before.vertices))
    agreed = _with_turned(before, _disagreeing(before.faces, table))
    after = _outwards(agreed)
    is_same = (after.faces == before.faces).all(axis=1)
    return Turned(after, int((~is_same).sum()))


def _disagreeing(faces: IntArray, table: EdgeTable) -> BoolArray:
    """Return which triangles to turn so that each surface faces one way, that of most of it.

    Every triangle is two nodes, as it is and turned; an edge links the two nodes of one triangle
    with those of the other, crosswise where they disagree. Each surface falls into two halves.
    """
    plain_edges = np.flatnonzero(table.uses == 2)
    pairs = neighbours(table, plain_edges)
    apart = table.balance[plain_edges] != 0
    count = len(faces)
    links = np.concatenate(
        [
            np.column_stack([pairs[:, 0], pairs[:, 1] + count * apart]),
            np.column_stack([pairs[:, 0] + count, pairs[:, 1] + count * ~apart]),
        ]
    ).astype(np.int32)
    num_halves, half = components(2 * count, links)
    if (half[:count] == half[count:]).any():
        raise GeometryError("a surface has one side only and cannot be wound: cut it apart first")
    sizes = np.bincount(half[:count], minlength=num_halves)
    turned: BoolArray = sizes[half[count:]] > sizes[half[:count]]
    is_tie = sizes[half[count:]] == sizes[half[:count]]
    turned |= is_tie & (half[count:] < half[:count])
    return turned


def _outwards(mesh: Mesh) -> Mesh:
    """Turn whole surfaces so that bodies face outwards and cavities inwards."""
    table = edge_table(mesh.faces, len(mesh.vertices))
    count, labels = shells(table)
    volumes = signed_volumes(mesh, labels, count)
    mesh = _with_turned(mesh, (volumes < 0.0)[labels])
    return mesh if count == 1 else _with_turned(mesh, _inner(mesh, labels, count)[labels])


def _with_turned(mesh: Mesh, chosen: BoolArray) -> Mesh:
    faces: IntArray = np.where(chosen[:, None], mesh.faces[:, ::-1], mesh.faces)
    return Mesh(mesh.vertices, faces, mesh.face_ids)


def _inner(mesh: Mesh, labels: IntArray, count: int) -> BoolArray:
    """Return which closed shells lie inside an odd number of others."""
    from cadwright.tools.geometry.winding import winding_numbers

    boxes = [_box(mesh, labels == k) for k in range(count)]
    inside = np.zeros(count, bool)
    all_corners = corners(mesh)
    for k in range(count):
        around = [
            j
            for j in range(count)
            if j != k and (boxes[j][0] <= boxes[k][0]).all() and (boxes[j][1] >= boxes[k][1]).all()
        ]
        middle = all_corners[labels == k][:1].mean(axis=1)
        turns = [winding_numbers(middle, all_corners[labels == j])[0] for j in around]
        inside[k] = sum(abs(turn) > 0.5 for turn in turns) % 2 == 1
    return inside


def _box(mesh: Mesh, chosen: BoolArray) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    points = mesh.vertices[mesh.faces[chosen]].reshape(-1, 3)
    return points.min(axis=0), points.max(axis=0)


@dataclass(frozen=True, slots=True)
class Filled:
    """A mesh with its holes closed."""

    mesh: Mesh
    num_filled: int
    num_left: int


def with_filled_holes(mesh: Mesh, *, max_edges: int = _MAX_RIM) -> Filled:
    """Return the mesh with a patch over every hole that has at most so many edges.

    A flat hole gets a flat patch, a bent one the patch of least area.

    Raises:
        GeometryError: Triangles at a rim face both ways.
    """
    mesh = welded(mesh)
    loops = rims(mesh)
    small = [loop for loop in loops if 3 <= len(loop) <= max_edges]
    if not small:
        return Filled(mesh, 0, len(loops))
    vertices, more = patches(mesh, small)
    whole = plain(vertices, np.concatenate([mesh.faces, more]))
    return Filled(whole, len(small), len(loops) - len(small))


def without_specks(mesh: Mesh, min_size_mm: float) -> tuple[Mesh, int]:
    """Return the mesh without bodies whose diagonal is below a length, and how many went."""
    bodies = split(mesh)
    kept = [body for body in bodies if diagonal_mm(body) >= min_size_mm] or bodies[:1]
    return joined(kept), len(bodies) - len(kept)
