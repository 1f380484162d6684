"""Meshes that the tests of mesh operations share."""

import numpy as np

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.meshing.combining import combined
from cadwright.tools.meshing.moving import moved
from cadwright.tools.meshing.primitives import primitive_mesh
from cadwright.tools.meshing.triangles import signed_volumes

UP = np.array([0.0, 0.0, 1.0])
ORIGIN = np.zeros(3)


def solid(shape: str, *size: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Mesh:
    return moved(primitive_mesh(shape, size, ORIGIN, UP), np.array(at))


def volume(mesh: Mesh) -> float:
    return float(signed_volumes(mesh)[0])


def plate() -> Mesh:
    """An 80 x 60 x 10 plate with two holes, not symmetric in any plane but z = 0."""
    holes = {"a": solid("cylinder", 12, 20, at=(20, 10, 0))}
    holes["b"] = solid("cylinder", 8, 20, at=(-20, -15, 0))
    return combined("difference", {"plate": solid("box", 80, 60, 10), **holes})


def angle() -> Mesh:
    """Two legs and a pin: no symmetry at all."""
    parts = {"a": solid("box", 60, 20, 6), "b": solid("box", 6, 20, 40, at=(27, 0, 20))}
    parts["c"] = solid("cylinder", 8, 12, at=(-15, 4, 6))
    return combined("union", parts)


def without(mesh: Mesh, *triangles: int) -> Mesh:
    kept = np.delete(mesh.faces, list(triangles), axis=0)
    return Mesh(mesh.vertices, kept, np.zeros(len(kept), np.int32))
