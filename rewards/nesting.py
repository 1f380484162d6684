"""Which of several closed surfaces lies inside which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cadwright.tools.geometry.solids import Manifold, arrays_of, manifold_of
from cadwright.tools.geometry.winding import winding_numbers


class Nest:
    """Closed surfaces with the role of each, worked out from which lies inside which.

    A surface that faces inwards is a cavity where it lies in material. Anywhere else it was
    turned inside out by mistake, together with everything nested in it.
    """

    def __init__(self, shells: Sequence[Manifold], volumes: Sequence[float]) -> None:
        order = sorted(range(len(shells)), key=lambda i: -abs(volumes[i]))
        self._shells = [shells[i] for i in order]
        self._volumes = [volumes[i] for i in order]
        self._boxes = np.array([shell.bounding_box() for shell in self._shells])  # (k, 6)
        has_inward = any(volume < 0 for volume in volumes)
        self._parents = [self._parent(i) if has_inward else None for i in range(len(order))]
        self._is_flipped: list[bool] = []
        self._is_cavity: list[bool] = []
        for i in range(len(order)):
            self._assign(i)

    @property
    def num_flipped(self) -> int:
        """Surfaces that had to be turned."""
        return sum(self._is_flipped)

    def bodies_may_touch(self) -> bool:
        """Whether the boxes of two pieces of material meet."""
        boxes = self._boxes[[not cavity for cavity in self._is_cavity]]
        low, high = boxes[:, None, :3], boxes[:, None, 3:]
        meets = ((low <= boxes[None, :, 3:]) & (boxes[None, :, :3] <= high)).all(axis=2)
        return int(meets.sum()) > len(boxes)

    def bodies(self) -> list[Manifold]:
        """Return each piece of material without the cavities directly inside it."""
        return [self._body(i) for i, cavity in enumerate(self._is_cavity) if not cavity]

    def _body(self, index: int) -> Manifold:
        body = self._outward(index)
        for child, parent in enumerate(self._parents):
            if parent == index and self._is_cavity[child]:
                body = body - self._outward(child)
        return body

    def _outward(self, index: int) -> Manifold:
        shell = self._shells[index]
        if self._volumes[index] > 0:
            return shell
        vertices, faces = arrays_of(shell)
        return manifold_of(vertices, faces[:, ::-1])

    def _assign(self, index: int) -> None:
        parent = self._parents[index]
        is_flipped = parent is not None and self._is_flipped[parent]
        faces_inwards = (self._volumes[index] < 0) != is_flipped
        lies_in_material = parent is not None and not self._is_cavity[parent]
        if faces_inwards and not lies_in_material:
            is_flipped = not is_flipped
            faces_inwards = False
        self._is_flipped.append(is_flipped)
        self._is_cavity.append(faces_inwards)

    def _parent(self, index: int) -> int | None:
        """Return the smallest larger surface around this one."""
        around = [i for i in range(index) if self._box_contains(i, index)]
        vertices, faces = arrays_of(self._shells[index])
        probe = vertices[faces[:1]].mean(axis=1)  # (1, 3)
        for i in reversed(around):
            outer_vertices, outer_faces = arrays_of(self._shells[i])
            if abs(winding_numbers(probe, outer_vertices[outer_faces])[0]) > 0.5:
                return i
        return None

    def _box_contains(self, outer: int, inner: int) -> bool:
        low, high = self._boxes[outer, :3], self._boxes[outer, 3:]
        inner_low, inner_high = self._boxes[inner, :3], self._boxes[inner, 3:]
        return bool((low <= inner_low).all() and (inner_high <= high).all())
