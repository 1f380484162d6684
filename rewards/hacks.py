"""Parts that look better than they are: each aims at one way of measuring.

A hack is a function from the right answer to triangles. None of them is an honest attempt: the
measure of all is the bounding box of the right answer, which takes one line of code and no trick.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from cadwright.rewards.hack_shapes import box_mesh, cubes, plain_mesh, solid_from, together
from cadwright.rewards.normalise import Solid
from cadwright.rewards.surface import Surface
from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.solids import Manifold, arrays_of

# Lengths as shares of the diagonal of the right answer.
SPECK, FAR, THINNED = 0.01, 5.0, 0.05
# Share of the right volume in a skin: with as much material as the part, a shell is a fair guess.
SKIN = 0.2
# Each so many-th triangle is deleted; by this share a torn one is smaller than its place.
GONE, PULLED = 10, 1e-3
MOST_CUT = 50_000  # triangles of a core: one cut takes seconds
MOST_REMESHED = 20_000  # triangles: more only cost time
BALL_SIDES = 64
MANY = 2_000  # triangles: what is hidden inside need not follow each of them
# More bodies than the judge looks at one by one. Finding features takes the square of their number.
NUM_CUBES, NUM_STEPS = 150, 5


@dataclass(frozen=True, eq=False)
class Answer:
    """The right answer, as hacks see it.

    Attributes:
        solid: Its normalised shape; closed.
    """

    solid: Solid

    def __post_init__(self) -> None:
        """Refuse an answer without an inside."""
        if self.solid.manifold is None:
            message = f"no hack can be made from the reference: {self.solid.problem}"
            raise GeometryError(message, Outcome.INVALID_GEOMETRY)

    @property
    def manifold(self) -> Manifold:
        """The solid in mm where the reference stands."""
        solid: Manifold = self.solid.manifold
        return solid.translate(self.solid.centre)

    @property
    def mesh(self) -> Mesh:
        """Its triangles where the reference stands."""
        return plain_mesh(self.solid.vertices + self.solid.centre, self.solid.faces)

    @property
    def centre(self) -> FloatArray:
        """(3,) middle of its bounding box."""
        box = np.array(self.manifold.bounding_box())
        middle: FloatArray = (box[:3] + box[3:]) / 2
        return middle

    @property
    def extents(self) -> FloatArray:
        """(3,) size of its bounding box."""
        return self.solid.extents_mm

    @property
    def diagonal(self) -> float:
        """Length of the diagonal of its bounding box, mm."""
        return float(np.linalg.norm(self.extents))

    @cached_property
    def core(self) -> Manifold:
        """What is left under a thin skin."""
        depth = SPECK * self.diagonal
        for _ in range(12):
            core = eroded(self.manifold, depth)
            if core.volume() > (1 - SKIN) * self.manifold.volume():
                return core
            depth /= 2
        raise GeometryError("the reference is too thin to be hollowed", Outcome.INVALID_GEOMETRY)


def _bounding_box(a: Answer) -> Mesh:
    return box_mesh(a.extents, a.centre)


def _giant_block(a: Answer) -> Mesh:
    return box_mesh(4 * a.extents, a.centre)


def _half_box(a: Answer) -> Mesh:
    return box_mesh(a.extents / 2, a.centre)


def _speck_alone(a: Answer) -> Mesh:
    return box_mesh(SPECK * a.extents, a.centre)


def _far_speck(a: Answer) -> Mesh:
    return together(a.mesh, _speck(a, a.centre + FAR * a.diagonal))


def _near_speck(a: Answer) -> Mesh:
    return together(a.mesh, _speck(a, a.centre + (0.5 + 2 * SPECK) * a.extents))


def _floating_extenders(a: Answer) -> Mesh:
    corners = [
        _speck(a, a.centre + side * (a.extents - SPECK * a.diagonal)) for side in (-0.5, 0.5)
    ]
    return together(box_mesh(a.extents / 2, a.centre), *corners)


def _whiskers(a: Answer) -> Manifold:
    """A small block with rods out to the bounding box, in one piece."""
    return _with_rods(a, SKIN * a.manifold.volume())


def _whiskered_block(a: Answer) -> Manifold:
    """The same with a block of the right volume: a fair guess that also knows the box."""
    return _with_rods(a, a.manifold.volume())


def _with_rods(a: Answer, volume_mm3: float) -> Manifold:
    side = (volume_mm3 / a.extents.prod()) ** (1 / 3)
    solid = solid_from(box_mesh(a.extents * side, a.centre))
    for axis in range(3):
        size = np.full(3, SPECK * a.diagonal)
        size[axis] = a.extents[axis]
        solid = solid + solid_from(box_mesh(size, a.centre))
    return solid


def _silhouette_box(a: Answer) -> Manifold:
    """The walls of the bounding box without a floor: every view from the side is right."""
    x, y, z = a.extents
    wall = SKIN * a.manifold.volume() / (2 * z * (x + y) + x * y)
    inner = box_mesh(a.extents - [2 * wall, 2 * wall, wall], a.centre - [0, 0, wall])
    return solid_from(box_mesh(a.extents, a.centre)) - solid_from(inner)


def _volume_box(a: Answer) -> Manifold:
    """The bounding box with a void that leaves exactly the right volume."""
    void = 1 - a.manifold.volume() / a.extents.prod()
    return solid_from(box_mesh(a.extents, a.centre)) - solid_from(
        box_mesh(a.extents * max(void, 1e-3) ** (1 / 3), a.centre)
    )


def _crossed_sheets(a: Answer) -> Manifold:
    """Three thin plates through the middle: right box, hardly any material."""
    import manifold3d

    solid = manifold3d.Manifold()
    for axis in range(3):
        size = a.extents.copy()
        size[axis] *= SKIN / 3 * a.manifold.volume() / a.extents.prod()
        solid = solid + solid_from(box_mesh(size, a.centre))
    return solid


def _hollow(a: Answer) -> Manifold:
    return a.manifold - a.core


def _surface_cubes(a: Answer) -> Mesh:
    """Small cubes all over the surface: a chamfer distance of nearly nothing."""
    triangles = a.mesh.vertices[a.mesh.faces]
    points = Surface(triangles, num_points=NUM_CUBES, seed=0, stream=0).sample.points
    return cubes(points, SPECK * a.diagonal / 2)


def _dust(a: Answer) -> Mesh:
    """A grid of separate cubes: they fill the box without being one part."""
    steps = (np.arange(NUM_STEPS) + 0.5) / NUM_STEPS - 0.5
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    return cubes(a.centre + grid * a.extents, 0.1 * float(a.extents.min()))


def _duplicated(a: Answer) -> Mesh:
    return together(a.mesh, a.mesh)


def _nearly_duplicated(a: Answer) -> Mesh:
    shifted = plain_mesh(a.mesh.vertices + 1e-4 * a.diagonal, a.mesh.faces)
    return together(a.mesh, shifted)


def _nested(a: Answer) -> Mesh:
    inner = max(a.core.decompose(), key=lambda shell: shell.volume())
    return together(a.mesh, plain_mesh(*arrays_of(inner)))


def _nested_in_box(a: Answer) -> Mesh:
    return together(_bounding_box(a), a.mesh)


def _overlapping_halves(a: Answer) -> Mesh:
    """Two bodies that share half of the part: a sum of volumes shows one and a half of it."""
    axis = int(np.argmax(a.extents))
    normal = np.eye(3)[axis]
    reach, middle = 0.25 * a.extents[axis], a.centre[axis]
    one = a.manifold.trim_by_plane(tuple(normal), middle - reach)
    two = a.manifold.trim_by_plane(tuple(-normal), -(middle + reach))
    return together(plain_mesh(*arrays_of(one)), plain_mesh(*arrays_of(two)))


def _inside_out(a: Answer) -> Mesh:
    return plain_mesh(a.mesh.vertices, a.mesh.faces[:, ::-1])


def _negative_body(a: Answer) -> Mesh:
    """A body of negative volume far away: a sum of volumes can be made to say anything."""
    far = box_mesh(a.extents / 3, a.centre + FAR * a.diagonal)
    return together(a.mesh, plain_mesh(far.vertices, far.faces[:, ::-1]))


def _metres(a: Answer) -> Mesh:
    return plain_mesh(a.mesh.vertices / 1000, a.mesh.faces)


def _inches(a: Answer) -> Mesh:
    return plain_mesh(a.mesh.vertices / 25.4, a.mesh.faces)


def _flat_sheet(a: Answer) -> Mesh:
    return box_mesh(a.extents * [1, 1, 0], a.centre)


def _open_shell(a: Answer) -> Mesh:
    return plain_mesh(a.mesh.vertices, a.mesh.faces[:-1])


def _infinite(a: Answer) -> Mesh:
    vertices = a.mesh.vertices.copy()
    vertices[0] = 1e300
    return plain_mesh(vertices, a.mesh.faces)


def _convex_hull(a: Answer) -> Manifold:
    return a.manifold.hull()


def _mirrored(a: Answer) -> Mesh:
    return plain_mesh(
        2 * a.centre * [1, 0, 0] + a.mesh.vertices * [-1, 1, 1], a.mesh.faces[:, ::-1]
    )


def _scaled(a: Answer) -> Mesh:
    return plain_mesh(a.centre + 1.1 * (a.mesh.vertices - a.centre), a.mesh.faces)


def _double_sided(a: Answer) -> Mesh:
    """Every triangle twice, once each way: a skin that is closed and holds nothing."""
    return plain_mesh(a.mesh.vertices, np.concatenate([a.mesh.faces, a.mesh.faces[:, ::-1]]))


def _deleted_faces(a: Answer) -> Mesh:
    """Each tenth triangle is gone: fewer triangles, hardly any deviation."""
    return plain_mesh(a.mesh.vertices, np.delete(a.mesh.faces, np.s_[::GONE], axis=0))


def _torn_faces(a: Answer) -> Mesh:
    """Every triangle for itself, a hair smaller than its place: no surface, but all its points."""
    corners = a.mesh.vertices[a.mesh.faces]  # (m, 3, 3)
    corners = corners + PULLED * (corners.mean(axis=1, keepdims=True) - corners)
    return plain_mesh(corners.reshape(-1, 3), np.arange(corners.size // 3).reshape(-1, 3))


def _remeshed_hull(a: Answer) -> Manifold:
    """The convex hull with as many triangles as the answer has."""
    hull = a.manifold.hull()
    ratio = min(a.manifold.num_tri(), MOST_REMESHED) / hull.num_tri()
    return hull.refine(max(1, math.ceil(math.sqrt(ratio))))


def _thinned(a: Answer) -> Manifold:
    """Few triangles at the price of the shape."""
    return a.manifold.simplify(THINNED * a.diagonal)


def _same_amount_slab(a: Answer) -> Mesh:
    """A square slab with the volume and the surface of the answer, flat on the same floor."""
    volume, area = a.manifold.volume(), a.manifold.surface_area()
    sides = np.roots([2.0, 0.0, -area, 4.0 * volume])  # 2 s^2 + 4 V / s = A
    real = sides.real[(abs(sides.imag) < 1e-9) & (sides.real > 0)]
    if not len(real):
        raise GeometryError("no slab has so little surface", Outcome.INVALID_GEOMETRY)
    side = float(real.max())
    size = np.array([side, side, volume / side**2])
    floor = a.centre[2] - a.extents[2] / 2
    return box_mesh(size, np.array([*a.centre[:2], floor + size[2] / 2]))


def _ball(a: Answer) -> Manifold:
    """A ball stretched to the right extents: no face, edge or hole that could be wrong."""
    import manifold3d

    return manifold3d.Manifold.sphere(0.5, BALL_SIDES).scale(a.extents).translate(a.centre)


Make = Callable[[Answer], "Mesh | Manifold"]

BASELINES: Mapping[str, Make] = {"bounding_box": _bounding_box}
HACKS: Mapping[str, Make] = {
    "giant_block": _giant_block,
    "half_box": _half_box,
    "speck_alone": _speck_alone,
    "far_speck": _far_speck,
    "near_speck": _near_speck,
    "floating_extenders": _floating_extenders,
    "whiskers": _whiskers,
    "silhouette_box": _silhouette_box,
    "volume_box": _volume_box,
    "crossed_sheets": _crossed_sheets,
    "hollow": _hollow,
    "surface_cubes": _surface_cubes,
    "dust": _dust,
    "duplicated": _duplicated,
    "nearly_duplicated": _nearly_duplicated,
    "nested": _nested,
    "nested_in_box": _nested_in_box,
    "overlapping_halves": _overlapping_halves,
    "inside_out": _inside_out,
    "negative_body": _negative_body,
    "metres": _metres,
    "inches": _inches,
    "flat_sheet": _flat_sheet,
    "open_shell": _open_shell,
    "infinite": _infinite,
    "double_sided": _double_sided,
    "deleted_faces": _deleted_faces,
    "torn_faces": _torn_faces,
}
# Honest attempts that are wrong: they may beat the box by right, but never the right answer.
NEAR_MISSES: Mapping[str, Make] = {
    "convex_hull": _convex_hull,
    "mirrored": _mirrored,
    "scaled": _scaled,
    "whiskered_block": _whiskered_block,
    "remeshed_hull": _remeshed_hull,
    "thinned": _thinned,
    "same_amount_slab": _same_amount_slab,
    "ball": _ball,
}


def eroded(solid: Manifold, depth: float) -> Manifold:
    """Return what is left of a solid under a skin of a depth, mm, taken along the axes."""
    whole = solid if solid.num_tri() < MANY else solid.simplify(depth / 4)
    shifts = (*(depth * np.eye(3)), *(-depth * np.eye(3)))
    core = whole
    for shift in shifts:
        core = core ^ core.translate(shift)
        if core.num_tri() > MOST_CUT:  # thinner in corners, but its triangles do not multiply
            return reduce(lambda left, shift: left ^ whole.translate(shift), shifts, whole)
    return core


def _speck(a: Answer, at: FloatArray) -> Mesh:
    return box_mesh(np.full(3, SPECK * a.diagonal), at)
