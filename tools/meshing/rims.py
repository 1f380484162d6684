"""The rims of holes, as loops of vertices, and the triangles that close them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh
from cadwright.tools.geometry.surface import edge_table

_FLAT = 1e-4  # of the loop's size: a rim nearer to its plane than this is flat
_SAME_PLANE = 1e-4  # of the loop's size: two rims in one plane may bound one ring
MAX_PATCH = 60  # corners of a bent rim that is closed by the smallest area: the time is cubic

Loop = list[int]


def rims(mesh: Mesh) -> list[Loop]:
    """Return the rim of every hole as vertex indices, in the direction a patch runs along it.

    Raises:
        GeometryError: Triangles at a rim face both ways, so that it has no direction.
    """
    ends = _open_ends(mesh)
    follow: dict[int, list[int]] = defaultdict(list)
    for tail, head in ends.tolist():
        follow[head].append(tail)  # a patch runs against the triangles that are there
    arrivals = np.bincount(ends[:, 0], minlength=len(mesh.vertices))
    departures = np.bincount(ends[:, 1], minlength=len(mesh.vertices))
    if (arrivals != departures).any():
        raise GeometryError("triangles beside a hole face both ways: use fix_winding first")
    return _loops(follow)


def _open_ends(mesh: Mesh) -> IntArray:
    """Return (k, 2) tail and head of every half edge without a partner."""
    table = edge_table(mesh.faces, len(mesh.vertices))
    is_open = (table.uses == 1)[table.of_triangle]  # (m, 3)
    tails, heads = mesh.faces, mesh.faces[:, (1, 2, 0)]
    return np.column_stack([tails[is_open], heads[is_open]])


def _loops(follow: dict[int, list[int]]) -> list[Loop]:
    """Return simple loops: where a path meets itself, the loop is cut off."""
    loops: list[Loop] = []
    for start in sorted(follow):
        while follow[start]:
            path: Loop = [start]
            while follow[path[-1]]:
                head = follow[path[-1]].pop()
                if head in path:
                    at = path.index(head)
                    loops.append(path[at:])
                    del path[at + 1 :]
                else:
                    path.append(head)
    return loops


def patches(mesh: Mesh, loops: Sequence[Loop]) -> tuple[FloatArray, IntArray]:
    """Return the vertices with those of patches added, and the triangles of the patches.

    Flat rims in one plane are closed together, so that a ring stays a ring.
    """
    vertices, faces = mesh.vertices, []
    flat, bent = _sorted_out(vertices, loops)
    for group in flat:
        faces.append(_flat_patch(vertices, group))
    for loop in bent:
        if len(loop) <= MAX_PATCH:
            faces.append(_smallest_patch(vertices, loop))
            continue
        tip = len(vertices)
        vertices = np.vstack([vertices, vertices[loop].mean(axis=0)])
        faces.append(_fan(loop, tip))
    return vertices, np.concatenate(faces).astype(np.int32)


def _sorted_out(vertices: FloatArray, loops: Sequence[Loop]) -> tuple[list[list[Loop]], list[Loop]]:
    """Return the flat rims in groups of one plane, and the bent ones."""
    groups: list[tuple[FloatArray, float, list[Loop]]] = []
    bent: list[Loop] = []
    for loop in loops:
        points = vertices[loop]
        normal, size = _normal(points)
        height = float(points.mean(axis=0) @ normal)
        if size == 0.0 or np.abs(points @ normal - height).max() > _FLAT * size:
            bent.append(loop)
            continue
        for other, level, members in groups:
            is_same = abs(abs(other @ normal) - 1.0) < _FLAT
            if is_same and abs((points @ other).mean() - level) < _SAME_PLANE * size:
                members.append(loop)
                break
        else:
            groups.append((normal, height, [loop]))
    return [members for _, _, members in groups], bent


def _normal(points: FloatArray) -> tuple[FloatArray, float]:
    """Return the unit normal of a loop (n, 3) and its size; size 0 for one without area."""
    local = points - points.mean(axis=0)
    vector = 0.5 * np.cross(local, np.roll(local, -1, axis=0)).sum(axis=0)
    length, size = float(np.linalg.norm(vector)), float(np.linalg.norm(np.ptp(local, axis=0)))
    if length <= 1e-9 * size**2:
        return np.zeros(3), 0.0
    return vector / length, size


def _flat_patch(vertices: FloatArray, loops: Sequence[Loop]) -> IntArray:
    """Return triangles that fill loops of one plane: the largest is an outline."""
    import manifold3d

    largest = max(loops, key=lambda loop: np.linalg.norm(np.ptp(vertices[loop], axis=0)))
    normal, _ = _normal(vertices[largest])
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    u = np.cross(helper, normal)
    u /= np.linalg.norm(u)
    plane = np.column_stack([u, np.cross(normal, u)])
    outlines = [vertices[loop] @ plane for loop in loops]
    flat = np.asarray(manifold3d.triangulate(outlines), np.int32).reshape(-1, 3)
    return np.concatenate([np.asarray(loop, np.int32) for loop in loops])[flat]


def _smallest_patch(vertices: FloatArray, loop: Loop) -> IntArray:
    """Return the triangles of least total area over a bent loop, by dynamic programming."""
    points, count = vertices[loop], len(loop)
    cost = np.zeros((count, count))
    middle = np.zeros((count, count), np.int32)
    for gap in range(2, count):
        for low in range(count - gap):
            high = low + gap
            inner = np.arange(low + 1, high)
            sides = points[inner] - points[low]
            areas = 0.5 * np.linalg.norm(np.cross(sides, points[high] - points[low]), axis=1)
            totals = cost[low, inner] + cost[inner, high] + areas
            best = int(np.argmin(totals))
            cost[low, high], middle[low, high] = totals[best], inner[best]
    return np.asarray(loop, np.int32)[_unrolled(middle, count)]


def _unrolled(middle: IntArray, count: int) -> IntArray:
    """Return (count - 2, 3) the triangles that the table of middles stands for."""
    faces, waiting = [], [(0, count - 1)]
    while waiting:
        low, high = waiting.pop()
        if high - low < 2:
            continue
        between = int(middle[low, high])
        faces.append((low, between, high))
        waiting += [(low, between), (between, high)]
    return np.array(faces, np.int32).reshape(-1, 3)


def _fan(loop: Loop, tip: int) -> IntArray:
    return np.array([(a, b, tip) for a, b in zip(loop, loop[1:] + loop[:1], strict=True)], np.int32)
