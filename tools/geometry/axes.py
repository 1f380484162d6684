"""The axes of round faces: where a drawing puts its centre lines.

A rounded corner is a quarter of a turn and gets none; the round end of a slot or an arm is half of
one and does, as every hole, boss and turned body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from OCP.GeomAbs import GeomAbs_SurfaceType

from cadwright.tools.geometry.holes import Surfaces
from cadwright.tools.geometry.outlines import Axis
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.topology import Topology
from cadwright.tools.geometry.vectors import as_vector

_HALF_TURN = 0.98 * math.pi  # rad: cut by a flat or a keyway it is a little less
_SAME_MM = 1e-4


@dataclass(slots=True, eq=False)
class _Wheel:
    """Round faces of one radius on one axis."""

    way: FloatArray  # (3,) unit
    foot: FloatArray  # (3,) the point of the axis nearest to the origin
    radius: float
    faces: list[tuple[float, float, float]] = field(default_factory=list)  # low, high, turn

    @property
    def is_round(self) -> bool:
        """Whether faces at one height go half way round together."""
        return any(
            sum(t for a, b, t in self.faces if a < high - _SAME_MM and b > low + _SAME_MM)
            > _HALF_TURN
            for low, high, _ in self.faces
        )


def axes_of(topology: Topology, surfaces: Surfaces) -> tuple[Axis, ...]:
    """Return each axis that round faces share, once.

    Args:
        topology: The explored shape.
        surfaces: Its surfaces.
    """
    wheels: list[_Wheel] = []
    for index in sorted({use.index for use in topology.face_uses}):
        wheel = _wheel(surfaces.adaptors[index])
        if wheel is not None:
            _add(wheel, wheels)
    return _by_axis([wheel for wheel in wheels if wheel.is_round])


def _wheel(adaptor: Any) -> _Wheel | None:
    """Return a cylindrical or conical face as a wheel."""
    kind = adaptor.GetType()
    turn = adaptor.LastUParameter() - adaptor.FirstUParameter()
    ends = np.array([adaptor.FirstVParameter(), adaptor.LastVParameter()])
    if kind == GeomAbs_SurfaceType.GeomAbs_Cylinder:
        axis, radius = adaptor.Cylinder().Axis(), adaptor.Cylinder().Radius()
    elif kind == GeomAbs_SurfaceType.GeomAbs_Cone:
        cone = adaptor.Cone()
        axis, slope = cone.Axis(), cone.SemiAngle()
        radius = float(np.abs(cone.RefRadius() + ends * math.sin(slope)).max())
        ends = ends * math.cos(slope)
    else:
        return None
    raw = np.array([axis.Direction().X(), axis.Direction().Y(), axis.Direction().Z()])
    way = raw if raw[np.argmax(np.abs(raw))] > 0 else -raw
    place = np.array([axis.Location().X(), axis.Location().Y(), axis.Location().Z()])
    start = float(place @ way)
    low, high = sorted(start + float(v) * float(raw @ way) for v in ends)
    return _Wheel(way, place - start * way, radius, [(low, high, turn)])


def _add(wheel: _Wheel, wheels: list[_Wheel]) -> None:
    for other in wheels:
        if _is_one_axis(wheel, other) and abs(wheel.radius - other.radius) < _SAME_MM:
            other.faces += wheel.faces
            return
    wheels.append(wheel)


def _is_one_axis(a: _Wheel, b: _Wheel) -> bool:
    is_parallel = abs(float(a.way @ b.way)) > 1.0 - 1e-9
    return is_parallel and float(np.linalg.norm(a.foot - b.foot)) < _SAME_MM


def _by_axis(wheels: list[_Wheel]) -> tuple[Axis, ...]:
    groups: list[list[_Wheel]] = []
    for wheel in wheels:
        group = next((g for g in groups if _is_one_axis(g[0], wheel)), None)
        if group is None:
            groups.append([wheel])
        else:
            group.append(wheel)
    return tuple(_axis(group) for group in groups)


def _axis(group: list[_Wheel]) -> Axis:
    reach = [value for wheel in group for face in wheel.faces for value in face[:2]]
    way, foot = group[0].way, group[0].foot
    return Axis(
        start=as_vector(foot + min(reach) * way),
        end=as_vector(foot + max(reach) * way),
        radius_mm=max(wheel.radius for wheel in group),
    )
