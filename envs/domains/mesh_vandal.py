"""A vandal with a seed: damages a sound mesh in ways that a repair can undo exactly.

Holes are cut inside flat facets, away from each other, so that a flat patch restores the surface;
everything else that is done adds what does not belong or turns what does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh
from cadwright.tools.geometry.surface import edge_table, neighbour_cosines, neighbours
from cadwright.tools.meshing.triangles import corners, diagonal_mm, plain

_FLAT = 1e-9  # cosine below 1 of triangles that lie in one facet
_CRACK_MM = 0.002  # how far the lips of a crack are apart
_FIN = 0.08  # of the diagonal: how far a fin sticks out
_SPECK = 0.006  # of the diagonal: size of a stray body
_TRIES = 40


@dataclass(frozen=True, slots=True)
class Damage:
    """How much of what.

    Attributes:
        holes: Holes to cut.
        patch: Most triangles of one hole.
        flipped: Share of the triangles to turn.
        duplicates: Triangles to repeat, half of them turned.
        degenerate: Triangles without area to add.
        fins: Triangles that stick out of an edge.
        specks: Tiny stray bodies.
        cracks: Triangles to pull off their neighbours by 2 µm.
    """

    holes: int = 0
    patch: int = 1
    flipped: float = 0.0
    duplicates: int = 0
    degenerate: int = 0
    fins: int = 0
    specks: int = 0
    cracks: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """What was done, for a brief."""
        told = {
            "holes": bool(self.holes),
            "triangles that face the wrong way": self.flipped > 0.0,
            "duplicate triangles": bool(self.duplicates),
            "degenerate triangles": bool(self.degenerate),
            "stray triangles that stick out": bool(self.fins),
            "tiny stray bodies": bool(self.specks),
            "hairline cracks (0.002 mm)": bool(self.cracks),
        }
        return tuple(name for name, is_done in told.items() if is_done)


# What each difficulty does; the next one does all of the one before it and more.
DAMAGES = {
    1: Damage(holes=1),
    2: Damage(holes=2, patch=3, flipped=0.05),
    3: Damage(holes=3, patch=4, flipped=0.15, duplicates=6, degenerate=4),
    4: Damage(holes=4, patch=6, flipped=0.25, duplicates=12, degenerate=8, fins=3, specks=2),
    5: Damage(
        holes=6, patch=8, flipped=0.4, duplicates=20, degenerate=12, fins=6, specks=4, cracks=4
    ),
}


def vandalised(mesh: Mesh, damage: Damage, rng: np.random.Generator) -> Mesh:
    """Return the mesh after the damage.

    Args:
        mesh: A sound mesh, vertices joined.
        damage: What to do.
        rng: Decides where.
    """
    holes, near = _holes(mesh, damage, rng)
    kept = np.flatnonzero(~holes)
    safe = np.flatnonzero(~holes & ~near)  # far enough from a rim to be changed unambiguously
    vertices, faces = mesh.vertices, mesh.faces.copy()
    vertices, faces = _cracked(vertices, faces, _some(safe, damage.cracks, rng))
    flipped = _some(kept, int(damage.flipped * len(kept)), rng)
    faces[flipped] = faces[flipped][:, ::-1]
    more = [
        _repeated(faces[_some(safe, damage.duplicates, rng)]),
        _collapsed(faces[_some(safe, damage.degenerate, rng)]),
    ]
    size = diagonal_mm(mesh)
    fins, tips = _fins(vertices, faces[_some(safe, damage.fins, rng)], _FIN * size, rng)
    specks, points = _specks(mesh, damage.specks, _SPECK * size, rng)
    count = len(vertices)
    fins[fins < 0] = count + np.arange(len(tips))
    more += [fins, specks + count + len(tips)]
    everything = np.concatenate([faces[kept], *more]).astype(np.int32)
    return plain(np.concatenate([vertices, tips, points]), rng.permutation(everything))


def _some(among: npt.NDArray[np.intp], count: int, rng: np.random.Generator) -> IntArray:
    chosen = rng.choice(among, min(count, len(among)), replace=False) if len(among) else among
    return np.sort(chosen).astype(np.int32)


def _holes(
    mesh: Mesh, damage: Damage, rng: np.random.Generator
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which triangles go, and which stay but touch one of those or its neighbours."""
    links = _flat_links(mesh)
    gone = np.zeros(len(mesh.faces), bool)
    touched = np.zeros(len(mesh.vertices), bool)
    num_cut = 0
    for _ in range(_TRIES * damage.holes):
        patch = _patch(links, int(rng.integers(len(mesh.faces))), damage.patch, rng)
        if touched[mesh.faces[patch]].any() or not _is_disc(mesh.faces[patch]):
            continue
        gone[patch] = True
        touched[mesh.faces[patch]] = True
        num_cut += 1
        if num_cut == damage.holes:
            break
    beside = touched[mesh.faces].any(axis=1)
    reached = np.zeros(len(mesh.vertices), bool)
    reached[mesh.faces[beside]] = True
    near = np.asarray(reached[mesh.faces].any(axis=1), bool)
    return gone, near


def _flat_links(mesh: Mesh) -> dict[int, list[int]]:
    """Return for each triangle its neighbours in the same plane."""
    table = edge_table(mesh.faces, len(mesh.vertices))
    pairs = neighbours(table, np.flatnonzero(table.uses == 2))
    flat = pairs[neighbour_cosines(corners(mesh), pairs) > 1.0 - _FLAT]
    links: dict[int, list[int]] = {}
    for one, two in flat.tolist():
        links.setdefault(one, []).append(two)
        links.setdefault(two, []).append(one)
    return links


def _patch(
    links: dict[int, list[int]], start: int, most: int, rng: np.random.Generator
) -> list[int]:
    """Return a triangle and some of those around it in its plane."""
    patch, size = [start], int(rng.integers(1, most + 1))
    while len(patch) < size:
        around = sorted({k for one in patch for k in links.get(one, ())} - set(patch))
        if not around:
            break
        patch.append(around[int(rng.integers(len(around)))])
    return patch


def _is_disc(faces: IntArray) -> bool:
    """Return whether triangles form one simple outline, no ring and no bow tie."""
    table = edge_table(faces, int(faces.max()) + 1)
    rim = table.ends[table.uses == 1]
    met = np.bincount(rim.reshape(-1))
    num_vertices, num_edges = len(np.unique(faces)), len(table.uses)
    return bool((met[met > 0] == 2).all()) and num_vertices - num_edges + len(faces) == 1


def _cracked(
    vertices: FloatArray, faces: IntArray, chosen: IntArray
) -> tuple[FloatArray, IntArray]:
    """Give triangles corners of their own, a hair off."""
    if not len(chosen):
        return vertices, faces
    loose = vertices[faces[chosen]]  # (k, 3, 3)
    inward = loose.mean(axis=1, keepdims=True) - loose
    lengths = np.linalg.norm(inward, axis=2, keepdims=True)
    moved = loose + _CRACK_MM * inward / np.maximum(lengths, 1e-9)
    faces[chosen] = len(vertices) + np.arange(3 * len(chosen)).reshape(-1, 3)
    return np.concatenate([vertices, moved.reshape(-1, 3)]), faces


def _repeated(faces: IntArray) -> IntArray:
    again = faces.copy()
    again[::2] = again[::2, ::-1]
    return again


def _collapsed(faces: IntArray) -> IntArray:
    """Return triangles over two corners each."""
    lines: IntArray = faces[:, (0, 1, 1)]
    return lines


def _fins(
    vertices: FloatArray, faces: IntArray, length_mm: float, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Return triangles on edges, their new corner marked by -1, and those corners."""
    fins = faces.copy()
    fins[:, 2] = -1
    ways = rng.normal(size=(len(faces), 3))
    ways /= np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-9)
    return fins, vertices[faces[:, :2]].mean(axis=1) + length_mm * ways


def _specks(
    mesh: Mesh, count: int, size_mm: float, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Return tiny tetrahedra beside the part."""
    shape = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], np.float64) * size_mm
    solid = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], np.int32)
    high = mesh.vertices.max(axis=0)
    places = high + diagonal_mm(mesh) * rng.uniform(0.02, 0.2, size=(count, 3))
    points = (places[:, None] + shape).reshape(-1, 3)
    faces = (4 * np.arange(count)[:, None, None] + solid).reshape(-1, 3)
    return faces.astype(np.int32), points
