"""Parts made from what a task starts from: to do nothing, and have it look like work.

Scorings of edits count what was gained over the start, so the bar is the honest box and nothing at
all. What may by right be a step towards the answer, such as the start in the right place, is a
near miss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from cadwright.rewards.hack_shapes import box_mesh, plain_mesh, solid_from, together
from cadwright.rewards.hacks import SPECK, Answer, eroded
from cadwright.rewards.normalise import Solid, normalise
from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.solids import Manifold

NUM_HALVINGS = 16  # of the height that a void begins at


@dataclass(frozen=True, eq=False)
class Start:
    """What a task starts from.

    Attributes:
        mesh: Its triangles as they are; they may be broken.
        solid: What they were made into, normalised.
    """

    mesh: Mesh
    solid: Solid

    @classmethod
    def of(cls, mesh: Mesh) -> Start:
        """Return a start with these triangles."""
        return cls(mesh, normalise(mesh))

    @property
    def manifold(self) -> Manifold:
        """The start for booleans.

        Raises:
            GeometryError: It is no single sound solid: a boolean would do the work of a repair.
        """
        solid = self.solid
        if solid.manifold is None or solid.notices or solid.census.num_given > 1:
            message = "the start is no single sound solid that could be dressed up"
            raise GeometryError(message, Outcome.INVALID_GEOMETRY)
        return solid.manifold.translate(solid.centre)

    @property
    def middle(self) -> FloatArray:
        """(3,) middle of its bounding box, mm."""
        middle: FloatArray = (self.mesh.vertices.min(axis=0) + self.mesh.vertices.max(axis=0)) / 2
        return middle


def _nicked(start: Start, answer: Answer) -> Manifold:
    """One corner is off by half a hundredth: something was edited."""
    mesh = start.mesh
    corner = mesh.vertices[int(np.argmax(mesh.vertices.sum(axis=1)))]
    size = np.full(3, SPECK * float(np.linalg.norm(start.solid.extents_mm)))
    return start.manifold - solid_from(box_mesh(size, corner))


def _doubled(start: Start, answer: Answer) -> Mesh:
    return together(start.mesh, start.mesh)


def _negative(start: Start, answer: Answer) -> Manifold:
    """The mould of the start, where its counterpart is asked for."""
    block = solid_from(box_mesh(start.solid.extents_mm, start.middle))
    return block - start.manifold


def _voided(start: Start, answer: Answer) -> Manifold:
    """All of the outside, and a closed void that leaves exactly the right volume."""
    if answer.solid.census.num_cavities:
        raise GeometryError("a void is what is asked for", Outcome.INVALID_GEOMETRY)
    whole = start.manifold
    spare = whole.volume() - answer.manifold.volume()
    core = eroded(whole, SPECK * float(np.linalg.norm(start.solid.extents_mm)))
    if not 0.0 < spare < core.volume():
        raise GeometryError("no void leaves the right volume", Outcome.INVALID_GEOMETRY)
    low, high = core.bounding_box()[2::3]
    for _ in range(NUM_HALVINGS):
        floor = (low + high) / 2
        is_enough = core.trim_by_plane((0.0, 0.0, 1.0), floor).volume() > spare
        low, high = (floor, high) if is_enough else (low, floor)
    return whole - core.trim_by_plane((0.0, 0.0, 1.0), low)


def _hull(start: Start, answer: Answer) -> Manifold:
    import manifold3d

    return manifold3d.Manifold.hull_points(np.ascontiguousarray(start.mesh.vertices))


def _stretched(start: Start, answer: Answer) -> Mesh:
    """The start in the bounding box of the answer: the right size and nothing else."""
    mesh = start.mesh
    factors = answer.extents / np.maximum(start.solid.extents_mm, 1e-9)
    return plain_mesh(answer.centre + factors * (mesh.vertices - start.middle), mesh.faces)


def _centred(start: Start, answer: Answer) -> Mesh:
    mesh = start.mesh
    return plain_mesh(mesh.vertices + answer.centre - start.middle, mesh.faces)


MakeFromStart = Callable[[Start, Answer], "Mesh | Manifold"]

START_HACKS: Mapping[str, MakeFromStart] = {
    "start_nicked": _nicked,
    "start_doubled": _doubled,
    "start_voided": _voided,
}
START_MISSES: Mapping[str, MakeFromStart] = {
    "start_negative": _negative,
    "start_hull": _hull,
    "start_stretched": _stretched,
    "start_centred": _centred,
}
