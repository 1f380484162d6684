"""Basic solids as meshes: box, cylinder, sphere, cone, torus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.solids import Manifold, frame_along
from cadwright.tools.meshing.solid import mesh_of

SIDES = 96  # of anything round: a circle of 96 sides misses 0.07 % of its area

SIZES = {
    "box": ("length x", "width y", "height z"),
    "cylinder": ("diameter", "height"),
    "sphere": ("diameter",),
    "cone": ("bottom diameter", "top diameter", "height"),
    "torus": ("ring diameter", "tube diameter"),
}


def primitive(
    shape: str, size_mm: Sequence[float], centre: FloatArray, axis: FloatArray
) -> Manifold:
    """Return a basic solid.

    Args:
        shape: One of ``SIZES``.
        size_mm: What ``SIZES`` names for it, in that order.
        centre: (3,) middle of the solid, mm.
        axis: (3,) unit direction of its own z axis.

    Raises:
        GeometryError: The sizes are not those of the shape.
    """
    check_size(shape, size_mm)
    upright = _MAKERS[shape](*map(float, size_mm))
    is_upright = np.allclose(axis, (0.0, 0.0, 1.0), atol=1e-12)
    turn = np.eye(3) if is_upright else frame_along(axis)
    return upright.transform(np.column_stack([turn, centre]))


def primitive_mesh(
    shape: str, size_mm: Sequence[float], centre: FloatArray, axis: FloatArray
) -> Mesh:
    """Return a basic solid as a mesh; the arguments are those of ``primitive``."""
    return mesh_of(primitive(shape, size_mm, centre, axis))


def check_size(shape: str, size_mm: Sequence[float]) -> None:
    """Refuse sizes that are not those of a shape.

    Raises:
        GeometryError: Too few, too many, or not positive.
    """
    names = SIZES[shape]
    if len(size_mm) != len(names):
        wanted = ", ".join(names)
        raise GeometryError(f"a {shape} takes [{wanted}]: {len(size_mm)} given", Outcome.BAD_CALL)
    for name, value in zip(names, size_mm, strict=True):
        if value < 0.0 or (value == 0.0 and name != "top diameter"):
            raise GeometryError(f"{name} is {value:g}: use a length above 0", Outcome.BAD_CALL)
    if shape == "torus" and size_mm[1] >= size_mm[0]:
        raise GeometryError(
            f"tube diameter {size_mm[1]:g} must be less than ring diameter {size_mm[0]:g}",
            Outcome.BAD_CALL,
        )


def _box(x: float, y: float, z: float) -> Manifold:
    import manifold3d

    return manifold3d.Manifold.cube((x, y, z), center=True)


def _cylinder(diameter: float, height: float) -> Manifold:
    return _cone(diameter, diameter, height)


def _cone(bottom: float, top: float, height: float) -> Manifold:
    import manifold3d

    return manifold3d.Manifold.cylinder(height, bottom / 2, top / 2, SIDES, center=True)


def _sphere(diameter: float) -> Manifold:
    import manifold3d

    return manifold3d.Manifold.sphere(diameter / 2, SIDES)


def _torus(ring: float, tube: float) -> Manifold:
    import manifold3d

    profile = manifold3d.CrossSection.circle(tube / 2, SIDES // 2).translate((ring / 2, 0.0))
    return manifold3d.Manifold.revolve(profile, SIDES)


_MAKERS: dict[str, Callable[..., Manifold]] = {
    "box": _box,
    "cylinder": _cylinder,
    "sphere": _sphere,
    "cone": _cone,
    "torus": _torus,
}
