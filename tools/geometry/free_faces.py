"""Nearest points of free-form faces, asked of the kernel one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from OCP.BRep import BRep_Tool
from OCP.gp import gp_Pnt, gp_Vec
from OCP.ShapeAnalysis import ShapeAnalysis_Surface

from cadwright.tools.geometry.kernel import KERNEL_ERRORS, Shape
from cadwright.tools.geometry.part import FloatArray, IntArray

_PRECISION_MM = 1e-7


class FreeFaces:
    """Free-form faces by their index.

    Args:
        faces: The kernel's faces.
    """

    def __init__(self, faces: Mapping[int, Shape]) -> None:
        self.faces = faces
        self._surfaces: dict[int, Any] = {}
        self._places: dict[int, Any] = {}  # the last foot on each: the next one is near

    def knows(self, faces: IntArray) -> npt.NDArray[np.bool_]:
        """Return which of (n,) faces are among these."""
        if not self.faces:
            return np.zeros(len(faces), np.bool_)
        known: npt.NDArray[np.bool_] = np.isin(faces, list(self.faces))
        return known

    def fill(
        self, feet: FloatArray, normals: FloatArray, points: FloatArray, faces: IntArray
    ) -> None:
        """Set feet and normals of the points on these faces; either way out counts as normal."""
        for row in np.flatnonzero(self.knows(faces)).tolist() if self.faces else ():
            self._fill_one(feet[row], normals[row], points[row], int(faces[row]))

    def _fill_one(self, foot: FloatArray, normal: FloatArray, point: FloatArray, face: int) -> None:
        analysis = self._surface(face)
        try:
            place = self._place(analysis, face, gp_Pnt(*point.tolist()))
            found, along_u, along_v = gp_Pnt(), gp_Vec(), gp_Vec()
            analysis.Surface().D1(place.X(), place.Y(), found, along_u, along_v)
        except KERNEL_ERRORS:
            return  # the triangle stays what it is
        out = along_u.Crossed(along_v)
        length = out.Magnitude()
        foot[:] = (found.X(), found.Y(), found.Z())
        if length > 0.0:  # a pole has none
            normal[:] = (out.X() / length, out.Y() / length, out.Z() / length)

    def _place(self, analysis: Any, face: int, point: Any) -> Any:
        last = self._places.get(face)
        if last is None:
            place = analysis.ValueOfUV(point, _PRECISION_MM)
        else:
            place = analysis.NextValueOfUV(last, point, _PRECISION_MM)
        self._places[face] = place
        return place

    def _surface(self, face: int) -> Any:
        if face not in self._surfaces:
            surface = BRep_Tool.Surface_s(self.faces[face])
            self._surfaces[face] = ShapeAnalysis_Surface(surface)
        return self._surfaces[face]
