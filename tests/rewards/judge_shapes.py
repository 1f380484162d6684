"""Meshes with known answers, and a shortcut from two meshes to a score."""

import math

import numpy as np

from cadwright.rewards.measurement import Candidate, Reference
from cadwright.rewards.normalise import normalise
from cadwright.rewards.score import Score
from cadwright.rewards.scorer import score_shapes
from cadwright.rewards.scoring import Scoring
from cadwright.rewards.surface import Surface
from cadwright.tools.geometry.part import FloatArray, Mesh

# For the protocol that asks for 50,000: still dense on shapes of this size, and much faster.
FEWER_POINTS = 8192
_QUADS = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
BOX_FACES = np.array([t for a, b, c, d in _QUADS for t in ((a, b, c), (a, c, d))], dtype=np.int32)


def mesh(vertices: FloatArray, faces: FloatArray) -> Mesh:
    faces = np.asarray(faces, dtype=np.int32)
    return Mesh(np.asarray(vertices, dtype=float), faces, np.zeros(len(faces), np.int32))


def box(size=(10.0, 10.0, 10.0), at=(0.0, 0.0, 0.0)) -> Mesh:
    """A box of this size around ``at``."""
    corners = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
    return mesh((corners - 0.5) * np.array(size) + np.array(at), BOX_FACES)


def prism(radius=5.0, height=10.0, sides=48) -> Mesh:
    """A regular prism along z, its volume known in closed form."""
    angles = 2 * np.pi * np.arange(sides) / sides
    ring = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    low = np.column_stack([ring, np.full(sides, -height / 2)])
    high = np.column_stack([ring, np.full(sides, height / 2)])
    ends = np.array([[0, 0, -height / 2], [0, 0, height / 2]])
    i, j = np.arange(sides), (np.arange(sides) + 1) % sides
    bottom, top = np.full(sides, 2 * sides), np.full(sides, 2 * sides + 1)
    faces = np.concatenate(
        [
            np.column_stack([i, j, j + sides]),
            np.column_stack([i, j + sides, i + sides]),
            np.column_stack([bottom, j, i]),
            np.column_stack([top, i + sides, j + sides]),
        ]
    )
    return mesh(np.concatenate([low, high, ends]), faces)


def prism_volume(radius=5.0, height=10.0, sides=48) -> float:
    return sides / 2 * radius**2 * math.sin(2 * math.pi / sides) * height


def figure_of_eight(half_width: float, *, lift=0.0, steps=96) -> Mesh:
    """A square tube along an eight: through itself, or over itself where ``lift`` parts it."""
    turn = 2 * np.pi * np.arange(steps) / steps
    path = np.column_stack([20 * np.sin(turn), 10 * np.sin(2 * turn), lift * np.cos(turn)])
    along = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0)
    side = np.cross(along, (0.0, 0.0, 1.0))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    rings = path[:, None] + half_width * corners[:, :1] * side[:, None]
    rings[:, :, 2] += half_width * corners[:, 1]
    i, k = np.divmod(np.arange(4 * steps), 4)
    here, next_ = 4 * i, 4 * ((i + 1) % steps)
    a, b, c, d = here + k, here + (k + 1) % 4, next_ + (k + 1) % 4, next_ + k
    faces = np.concatenate([np.column_stack([a, c, b]), np.column_stack([a, d, c])])
    return mesh(rings.reshape(-1, 3), faces)


def bracket() -> Mesh:
    """An L with a boss off its middle: no rotation and no mirror maps it onto itself."""
    wall, boss = box((5, 20, 30), at=(-17.5, 0, 12.5)), box((6, 4, 9), at=(9, 5, 5))
    return united(box((40, 20, 5)), wall, boss)


def united(*meshes: Mesh) -> Mesh:
    """One body made of overlapping ones."""
    solid = normalise(together(*meshes))
    return mesh(solid.vertices + solid.centre, solid.faces)


def together(*meshes: Mesh) -> Mesh:
    """All triangles in one mesh, nothing joined."""
    offsets = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    return mesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.faces + o for m, o in zip(meshes, offsets, strict=False)]),
    )


def inside_out(m: Mesh) -> Mesh:
    return mesh(m.vertices, m.faces[:, ::-1])


def opened(m: Mesh, missing=1) -> Mesh:
    """The mesh without its last triangles."""
    return mesh(m.vertices, m.faces[:-missing])


def moved(m: Mesh, shift=(0.0, 0.0, 0.0), rotation=None, scale=1.0) -> Mesh:
    turned = m.vertices if rotation is None else m.vertices @ np.asarray(rotation).T
    return mesh(scale * turned + np.array(shift), m.faces)


def mirrored(m: Mesh) -> Mesh:
    return mesh(m.vertices * np.array([-1.0, 1.0, 1.0]), m.faces[:, ::-1])


def rotation(axis, degrees: float) -> FloatArray:
    """Rotation matrix about an axis."""
    x, y, z = np.array(axis, dtype=float) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = math.radians(degrees)
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def surface(m: Mesh, *, num_points=4096, seed=0, stream=0) -> Surface:
    return Surface(m.vertices[m.faces], num_points=num_points, seed=seed, stream=stream)


def reference(m: Mesh, scoring: Scoring, *, is_exact=False) -> Reference:
    return Reference(
        normalise(m),
        is_exact=is_exact,
        num_points=scoring.num_points,
        seed=scoring.seed,
        facet_deg=17.0,
    )


def score(part: Mesh, wanted: Mesh, **changes) -> Score:
    """The score of a valid part mesh, by the absolute preset unless changed."""
    if changes.get("protocol") == "cadqueryeval":
        changes.setdefault("num_points", FEWER_POINTS)
    scoring = Scoring.from_dict(changes)
    return score_shapes(Candidate(normalise(part)), reference(wanted, scoring), scoring)
