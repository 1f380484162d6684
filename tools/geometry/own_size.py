"""How large a part is, whichever way it is turned: what decides how fine its facets are.

The bounding box grows when a part is turned, and with it the facets would grow: a turned copy
would be another solid. So the box is taken along the directions that most of the flat and round
surface keeps to, which turn with the part. Where these are the axes, it is the bounding box.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from OCP.gp import gp_Trsf
from OCP.TopLoc import TopLoc_Location

from cadwright.tools.geometry import bounds
from cadwright.tools.geometry.explored import Explored
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, Shape
from cadwright.tools.geometry.part import FloatArray

_SAME = 1.0 - 1e-9  # cosine of directions that count as one
_ACROSS = 1e-6  # cosine of directions at right angles
_EQUAL = 1.0 - 1e-6  # of the largest area: the first of equals wins, in the order of the faces
_MOST = 512  # faces that are looked at, the largest
_DIRECTED = ("plane", "cylinder", "cone")


def own_diagonal_mm(explored: Explored, box: FloatArray) -> float:
    """Return the diagonal of a box around a shape that turns with it.

    Args:
        explored: The shape.
        box: (2, 3) its bounding box.
    """
    plain = float(np.linalg.norm(box[1] - box[0]))
    frame = _frame(*_directions(explored))
    if frame is None or _keeps_to_axes(frame):
        return plain
    try:
        turned = bounds.quick_box(_turned(explored.shape, frame))
    except KERNEL_ERRORS:
        return plain
    return plain if turned is None else float(np.linalg.norm(turned[1] - turned[0]))


def _directions(explored: Explored) -> tuple[FloatArray, FloatArray]:
    """Return (n, 3) unit normals of planes and axes of round faces, and (n,) the areas."""
    surfaces, rows, areas = explored.surfaces, [], []
    for use, face in zip(explored.topology.face_uses, explored.face_areas, strict=True):
        kind = surfaces.kinds[use.index]
        if kind in _DIRECTED:
            rows.append(_axis(surfaces.adaptors[use.index], kind))
            areas.append(face.area_mm2)
    largest = np.sort(np.argsort(-np.array(areas), kind="stable")[:_MOST])
    return np.array(rows).reshape(-1, 3)[largest], np.array(areas)[largest]


def _axis(adaptor: Any, kind: str) -> tuple[float, float, float]:
    way = getattr(adaptor, kind.capitalize())().Axis().Direction()
    return way.X(), way.Y(), way.Z()


def _frame(directions: FloatArray, areas: FloatArray) -> FloatArray | None:
    """Return (1 or 2, 3) the direction with most area, and the one across it with most."""
    if not len(areas):
        return None
    cosines = np.abs(directions @ directions.T)
    shares = (cosines > _SAME) @ areas
    first = _first_of_largest(shares)
    is_across = cosines[first] < _ACROSS
    if not is_across.any():
        return directions[[first]]
    return directions[[first, _first_of_largest(np.where(is_across, shares, 0.0))]]


def _first_of_largest(shares: FloatArray) -> int:
    return int(np.argmax(shares >= _EQUAL * shares.max()))


def _keeps_to_axes(frame: FloatArray) -> bool:
    return bool((np.abs(frame).max(axis=1) > _SAME).all())


def _turned(shape: Shape, frame: FloatArray) -> Shape:
    """Return a shape seen along a frame; where that has one direction, any other two will do."""
    first = frame[0]
    second = frame[1] if len(frame) > 1 else np.eye(3)[np.argmin(np.abs(first))]
    third = np.cross(first, second)
    third /= np.linalg.norm(third)
    rows = np.array([np.cross(third, first), third, first])
    turn = gp_Trsf()
    turn.SetValues(*np.column_stack([rows, np.zeros(3)]).reshape(-1).tolist())
    return shape.Moved(TopLoc_Location(turn))
