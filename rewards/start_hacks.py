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
from cadwright.rewards.normalise import Solid
from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.solids import Manifold

NUM_HALVINGS = 16  # of the height that a void begins at


@dataclass(frozen=True, eq=False)
class Given:
    """What a task starts from, and what should become of it.

    Attributes:
        solid: The start, normalised; it may be broken.
        answer: The right answer.
    """

    solid: Solid
    answer: Answer

    @property
    def mesh(self) -> Mesh:
        """The triangles of the start, where they stand."""
        return plain_mesh(self.solid.vertices + self.solid.centre, self.solid.faces)

    @property
    def manifold(self) -> Manifold:
        """The start for booleans.

        Raises:
            GeometryError: It is not closed.
        """
        if self.solid.manifold is None:
            message = f"the start has no inside: {self.solid.problem}"
            raise GeometryError(message, Outcome.INVALID_GEOMETRY)
        return self.solid.manifold.translate(self.solid.centre)

    @property
    def middle(self) -> FloatArray:
        """(3,) middle of its bounding box, mm."""
        middle: FloatArray = (self.mesh.vertices.min(axis=0) + self.mesh.vertices.max(axis=0)) / 2
        return middle


def _nicked(given: Given) -> Manifold:
    """One corner is off by a hundredth: something was edited."""
    mesh = given.mesh
    corner = mesh.vertices[int(np.argmax(mesh.vertices.sum(axis=1)))]
    size = np.full(3, 2 * SPECK * float(np.linalg.norm(given.solid.extents_mm)))
    return given.manifold - solid_from(box_mesh(size, corner))


def _doubled(given: Given) -> Mesh:
    return together(given.mesh, given.mesh)


def _negative(given: Given) -> Manifold:
    """The mould of the start, where its counterpart is asked for."""
    block = solid_from(box_mesh(given.solid.extents_mm, given.middle))
    return block - given.manifold


def _voided(given: Given) -> Manifold:
    """All of the outside, and a closed void that leaves exactly the right volume."""
    whole = given.manifold
    spare = whole.volume() - given.answer.manifold.volume()
    core = eroded(whole, SPECK * float(np.linalg.norm(given.solid.extents_mm)))
    if not 0.0 < spare < core.volume():
        raise GeometryError("no void leaves the right volume", Outcome.INVALID_GEOMETRY)
    low, high = core.bounding_box()[2::3]
    for _ in range(NUM_HALVINGS):
        floor = (low + high) / 2
        is_enough = core.trim_by_plane((0.0, 0.0, 1.0), floor).volume() > spare
        low, high = (floor, high) if is_enough else (low, floor)
    return whole - core.trim_by_plane((0.0, 0.0, 1.0), low)


def _hull(given: Given) -> Manifold:
    import manifold3d

    return manifold3d.Manifold.hull_points(np.ascontiguousarray(given.mesh.vertices))


def _stretched(given: Given) -> Mesh:
    """The start in the bounding box of the answer: the right size and nothing else."""
    mesh, answer = given.mesh, given.answer
    factors = answer.extents / np.maximum(given.solid.extents_mm, 1e-9)
    return plain_mesh(answer.centre + factors * (mesh.vertices - given.middle), mesh.faces)


def _centred(given: Given) -> Mesh:
    mesh = given.mesh
    return plain_mesh(mesh.vertices + given.answer.centre - given.middle, mesh.faces)


MakeFromStart = Callable[[Given], "Mesh | Manifold"]

START_HACKS: Mapping[str, MakeFromStart] = {
    "start_nicked": _nicked,
    "start_doubled": _doubled,
    "start_negative": _negative,
    "start_voided": _voided,
}
START_MISSES: Mapping[str, MakeFromStart] = {
    "start_hull": _hull,
    "start_stretched": _stretched,
    "start_centred": _centred,
}
