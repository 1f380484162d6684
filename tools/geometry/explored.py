"""Exact geometry looked at once: what an inspection and the recognition of features share.

Only worker processes import this module. A shape is never triangulated twice: what was found out
about it is kept after its inspection, and a finer one reads the bytes again.
"""

from __future__ import annotations

from functools import cached_property

from cadwright.tools.geometry import bounds
from cadwright.tools.geometry.holes import Surfaces, surfaces_of
from cadwright.tools.geometry.kernel import Shape, shape_of
from cadwright.tools.geometry.mass import FaceArea, face_areas
from cadwright.tools.geometry.part import FloatArray, Part
from cadwright.tools.geometry.topology import Topology, explore
from cadwright.tools.kept import Kept

KEPT_SHAPES = 2


class Explored:
    """A shape, each look at it taken at first use.

    Args:
        shape: Without a triangulation.
    """

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    @cached_property
    def box(self) -> FloatArray | None:
        """(2, 3) bounds that contain it, perhaps loosely; None for nothing."""
        return bounds.quick_box(self.shape)

    @cached_property
    def topology(self) -> Topology:
        """Its solids, faces and edges."""
        return explore(self.shape)

    @cached_property
    def surfaces(self) -> Surfaces:
        """The surface of every face."""
        return surfaces_of(self.topology)

    @cached_property
    def face_areas(self) -> tuple[FaceArea, ...]:
        """Area and centre of every face use, in their order."""
        return face_areas(self.topology)


_kept: Kept[Explored] = Kept(KEPT_SHAPES)


def explored(part: Part, data: bytes) -> Explored:
    """Return the shape in the bytes of a part, from memory where it was seen last.

    Raises:
        ImportFailure: The bytes are not a BREP.
    """
    return _kept.get(part.digest, lambda: Explored(shape_of(data, name=part.name)))


def explored_anew(part: Part, data: bytes) -> Explored:
    """Return the shape in the bytes of a part without a triangulation, and remember it.

    Raises:
        ImportFailure: The bytes are not a BREP.
    """
    _kept.drop(part.digest)
    return explored(part, data)
