"""Put instances of meshes into one mesh: what scene formats (3MF, glTF) have in common."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cadwright.tools.geometry.formats import ImportFailure, check_triangles
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh
from cadwright.tools.geometry.stl import soup_mesh

MAX_DEPTH = 64  # nested nodes or components: deeper is a loop or an attack
MAX_INSTANCES = 100_000


@dataclass(slots=True, eq=False)
class Placer:
    """Collects placed triangles, counting them before it makes them.

    Attributes:
        name: File name for messages.
    """

    name: str
    _soups: list[FloatArray] = field(default_factory=list)
    _num_triangles: int = 0
    _num_visits: int = 0

    def enter(self, depth: int) -> None:
        """Count one node or component, at its depth; refuse loops and floods."""
        self._num_visits += 1
        if depth > MAX_DEPTH:
            raise ImportFailure(f"{self.name}: nodes are nested more than {MAX_DEPTH} deep")
        if self._num_visits > MAX_INSTANCES:
            raise ImportFailure(f"{self.name}: more than {MAX_INSTANCES} instances")

    def add(self, points: FloatArray, faces: IntArray, matrix: FloatArray) -> None:
        """Place (n, 3) points and (m, 3) triangles by a (4, 4) matrix acting on columns."""
        self._num_triangles += len(faces)
        check_triangles(self._num_triangles, self.name)
        if len(faces) and (faces.min() < 0 or faces.max() >= len(points)):
            worst = int(faces.max()) if faces.max() >= len(points) else int(faces.min())
            raise ImportFailure(
                f"{self.name}: a triangle names vertex {worst}, but there are {len(points)} "
                "(counted from 0)"
            )
        with np.errstate(all="ignore"):  # soup_mesh refuses what overflows
            moved = points @ matrix[:3, :3].T + matrix[:3, 3]
            is_mirrored = np.linalg.det(matrix[:3, :3]) < 0.0
        self._soups.append(moved[faces[:, ::-1] if is_mirrored else faces])

    def mesh(self) -> Mesh:
        """Return everything placed as one mesh."""
        soup = np.concatenate(self._soups) if self._soups else np.zeros((0, 3, 3))
        return soup_mesh(soup, self.name)
