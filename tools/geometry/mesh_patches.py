"""The graph of patches and borders of triangles: planes as they are, round surfaces fitted."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np

from cadwright.tools.geometry.mesh_fits import Fitted, widest_gap_deg
from cadwright.tools.geometry.mesh_segments import Segments, segment
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh, Vector
from cadwright.tools.geometry.patches import ELEMENTARY, Border, Graph, Patch, bend_of
from cadwright.tools.geometry.surface import EdgeTable, edge_table, neighbours, shells
from cadwright.tools.geometry.vectors import (
    across,
    add,
    as_vector,
    distance,
    dot,
    scaled,
    signed,
    sub,
    unit,
)

MAX_PIECES = 3000  # a scan has one for nearly every triangle
_TOLERANCE = 1e-5  # of the diagonal: single precision, and the fit
_STRAIGHT = 5.0  # tolerances that the points of a straight border may lie off its chord

Key = tuple[int, int]
Links = dict[int, list[tuple[int, int]]]  # from a vertex: to which, and beside which triangle


def mesh_graph(mesh: Mesh) -> Graph:
    """Return the patches of a welded mesh.

    Args:
        mesh: Triangles wound outwards; ``face_ids`` are those that features shall name.
    """
    table = edge_table(mesh.faces, len(mesh.vertices))
    pieces = segment(mesh, table)
    tolerance = _TOLERANCE * float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    graph = Graph([], tolerance, is_exact=False)
    if len(pieces.kinds) > MAX_PIECES:
        why = f"the mesh falls into {len(pieces.kinds)} pieces: no surfaces can be told in it"
        graph.notes += [(kind, why, ()) for kind in ("planes", "cylinders", "holes", "fillets")]
        return graph
    bodies = shells(table)[1]
    graph.patches = _patches(mesh, pieces, bodies)
    _note_unfitted(graph)
    for border in _borders(mesh, table, pieces, graph):
        for side in border.sides:
            graph.patches[side].borders.append(border)
    return graph


def _note_unfitted(graph: Graph) -> None:
    free = sorted({f for p in graph.patches if p.kind not in ELEMENTARY for f in p.faces})
    if free:
        why = "curved triangles that fit no cylinder, cone or sphere: a torus cannot be told"
        graph.notes.append(("tori", why, tuple(free)))


def _patches(mesh: Mesh, pieces: Segments, bodies: IntArray) -> list[Patch]:
    order = np.argsort(pieces.piece, kind="stable")
    starts = np.searchsorted(pieces.piece[order], np.arange(len(pieces.kinds) + 1))
    patches = []
    for index in range(len(pieces.kinds)):
        triangles = order[starts[index] : starts[index + 1]].astype(np.int32)
        patches.append(_patch(index, triangles, mesh, pieces, int(bodies[triangles[0]])))
    return patches


def _patch(index: int, triangles: IntArray, mesh: Mesh, pieces: Segments, body: int) -> Patch:
    faces = tuple(np.unique(mesh.face_ids[triangles]).tolist())
    areas, ways = pieces.areas[triangles], pieces.normals[triangles]
    corners = mesh.vertices[mesh.faces[triangles]]
    weights = np.maximum(areas, 1e-300)
    centre = np.average(corners.mean(axis=1), axis=0, weights=weights)
    patch = Patch(index, "freeform", faces, body, area=float(areas.sum()), centre=as_vector(centre))
    if pieces.kinds[index] == "plane":
        patch.kind, patch.point = "plane", patch.centre
        patch.axis = unit(as_vector((ways * areas[:, None]).sum(axis=0)))
        return patch
    points = mesh.vertices[np.unique(mesh.faces[triangles])]
    found = pieces.fitted.get(index)
    if found is not None:
        _take(patch, found, points, corners.mean(axis=1), ways, weights)
    return patch


def _take(
    patch: Patch,
    found: Fitted,
    points: FloatArray,
    middles: FloatArray,
    ways: FloatArray,
    weights: FloatArray,
) -> None:
    """Give a patch the surface fitted to it, and find out on which side the material is."""
    patch.kind, patch.radius, patch.half_deg = found.kind, found.radius, found.half_deg
    axis = as_vector(found.axis)
    patch.axis = axis if found.kind == "cone" else signed(axis)
    patch.point = as_vector(found.point)
    spokes = middles - found.point
    if found.kind != "sphere":
        spokes = spokes - np.outer(spokes @ found.axis, found.axis)
    patch.is_inner = bool(np.einsum("ij,ij,i->", spokes, ways, weights) < 0.0)
    patch.swept_deg = _swept_deg(points, found)


def _swept_deg(points: FloatArray, found: Fitted) -> float:
    """Return the angle around the axis that points cover: all but the widest gap."""
    return 360.0 - widest_gap_deg(points - found.point, found.axis)


def _borders(mesh: Mesh, table: EdgeTable, pieces: Segments, graph: Graph) -> list[Border]:
    """Return the runs of edges between patches, cut where more than two patches meet."""
    plain = np.flatnonzero(table.uses == 2)
    pairs = neighbours(table, plain)
    sides = pieces.piece[pairs]
    between = sides[:, 0] != sides[:, 1]
    links: dict[Key, Links] = defaultdict(lambda: defaultdict(list))
    touching: dict[int, set[int]] = defaultdict(set)
    turned = np.where((sides[:, 0] < sides[:, 1])[:, None], pairs, pairs[:, ::-1])
    rows = zip(table.ends[plain[between]].tolist(), turned[between].tolist(), strict=True)
    for (tail, head), (triangle, other) in rows:
        start, end = _along(mesh.faces[triangle].tolist(), tail, head)
        key = (int(pieces.piece[triangle]), int(pieces.piece[other]))
        links[key][start].append((end, triangle))
        touching[start] |= set(key)
        touching[end] |= set(key)
    corners = {vertex for vertex, patches in touching.items() if len(patches) > 2}
    borders = []
    for key, following in links.items():
        for run in _runs(following, corners):
            borders.append(_border(key, run, mesh, pieces, graph))
    return borders


def _along(triangle: list[int], tail: int, head: int) -> Key:
    """Return an edge in the direction in which a triangle runs along it."""
    place = triangle.index(tail)
    return (tail, head) if triangle[(place + 1) % 3] == head else (head, tail)


def _runs(following: Links, corners: set[int]) -> list[list[tuple[int, int]]]:
    """Return chains of (vertex, triangle beside the edge that leaves it), the last one twice."""
    starts = [v for v in following if v in corners] + list(following)
    runs = []
    for start in starts:
        while following.get(start):
            run: list[tuple[int, int]] = []
            here = start
            while following.get(here) and not (run and here in corners):
                end, triangle = following[here].pop()
                run.append((here, triangle))
                here = end
            run.append((here, run[-1][1]))
            runs.append(run)
    return runs


def _border(
    key: Key, run: list[tuple[int, int]], mesh: Mesh, pieces: Segments, graph: Graph
) -> Border:
    points = tuple(as_vector(mesh.vertices[vertex]) for vertex, _ in run)
    length = sum(distance(a, b) for a, b in pairwise(points))
    is_straight = _is_straight(points, _STRAIGHT * graph.tolerance)
    if is_straight:
        points = (points[0], scaled(add(points[0], points[-1]), 0.5), points[-1])
    border = Border(
        sides=key,
        points=points,
        ends=(run[0][0], run[-1][0]),
        length=length,
        is_straight=is_straight,
        bend_deg=0.0,
        normals=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    )
    beside = run[len(run) // 2][1]
    first, second = (_normal(graph.patches[side], border, pieces, beside) for side in key)
    border.normals = (first, second)
    border.bend_deg = bend_of(border)
    return border


def _normal(patch: Patch, border: Border, pieces: Segments, beside: int) -> Vector:
    if patch.kind in ELEMENTARY:
        return patch.normal_at(border.points[len(border.points) // 2])
    return as_vector(pieces.normals[beside])


def _is_straight(points: tuple[Vector, ...], slack: float) -> bool:
    way = sub(points[-1], points[0])
    if dot(way, way) <= slack * slack:
        return False
    axis = unit(way)
    return all(dot(off, off) < slack * slack for off in _offsets(points, axis))


def _offsets(points: tuple[Vector, ...], axis: Vector) -> list[Vector]:
    return [across(sub(point, points[0]), axis) for point in points]
