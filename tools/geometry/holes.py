"""Faces by kind, and cylindrical holes with diameter, axis, depth and whether they go through."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.ElCLib import ElCLib
from OCP.GeomAbs import GeomAbs_SurfaceType
from OCP.gp import gp_Ax2, gp_Circ, gp_Dir, gp_Lin, gp_Pnt
from OCP.IntCurvesFace import IntCurvesFace_ShapeIntersector
from OCP.TopAbs import TopAbs_Orientation

from cadwright.tools.geometry.part import FloatArray, Hole
from cadwright.tools.geometry.topology import FaceUse, Topology
from cadwright.tools.geometry.vectors import as_vector

_FULL_TURN = 2.0 * math.pi - 1e-3  # rad: faces that together go all the way round
_SAME = 1e-5  # relative to the radius: two faces lie on one cylinder
_MIN_COVER = 0.6  # two half faces at different heights are not a hole
_RIM = 0.98  # share of the radius at which a bottom is looked for: inside chords, outside cones
_BOTTOM_REACH = 0.25  # radii past the end within which a bottom begins, whatever its form
_TURNS = (0.3, 2.4, 4.5)  # rad around the axis, off the seams and symmetry planes of a part

_PREFIX = "GeomAbs_"
_RENAMED = {
    "surfaceofrevolution": "revolution",
    "surfaceofextrusion": "extrusion",
    "beziersurface": "bezier",
    "bsplinesurface": "bspline",
    "offsetsurface": "offset",
    "othersurface": "other",
}


@dataclass(frozen=True, slots=True, eq=False)
class Surfaces:
    """The surface of every distinct face.

    Attributes:
        kinds: Kind of each face by its index: ``plane``, ``cylinder``, ...
        adaptors: The kernel's surface of each face by its index.
    """

    kinds: dict[int, str]
    adaptors: dict[int, Any]

    @property
    def by_kind(self) -> dict[str, int]:
        """How many faces of each kind, sorted by name."""
        return dict(sorted(Counter(self.kinds.values()).items()))

    @property
    def curved(self) -> set[int]:
        """Indices of the faces that are not planes."""
        return {index for index, kind in self.kinds.items() if kind != "plane"}


def surfaces_of(topology: Topology) -> Surfaces:
    """Return the surface of every distinct face, looked at once."""
    adaptors = {use.index: BRepAdaptor_Surface(use.face) for use in topology.face_uses}
    kinds = {index: _kind(adaptor.GetType()) for index, adaptor in adaptors.items()}
    return Surfaces(kinds, adaptors)


def _kind(surface_type: GeomAbs_SurfaceType) -> str:
    name = str(surface_type.name).removeprefix(_PREFIX).lower()
    return _RENAMED.get(name, name)


@dataclass(slots=True, eq=False)
class _Bore:
    """Inner cylinder faces of one body on one axis with one radius."""

    axis: FloatArray  # (3,) unit
    foot: FloatArray  # (3,) point of the axis nearest to the origin
    radius: float
    spans: list[tuple[float, float, float]] = field(default_factory=list)  # low, high, turn


def find_holes(topology: Topology, surfaces: Surfaces) -> tuple[Hole, ...]:
    """Return the cylindrical holes, largest first.

    A face counts when material lies outside its cylinder; faces of one cylinder are taken
    together, and only those that go all the way round are a hole. So fillets, slots and
    half-round notches are none, and a counterbored hole is two.

    Args:
        topology: The explored shape.
        surfaces: Its surfaces.
    """
    bores: list[_Bore] = []
    for use in topology.face_uses:
        if surfaces.kinds[use.index] == "cylinder":
            _gather(use, surfaces.adaptors[use.index], bores)
    tubes = [(bore, low, high) for bore in bores for low, high in _full_spans(bore)]
    if not tubes:
        return ()
    probe = IntCurvesFace_ShapeIntersector()
    probe.Load(topology.shape, 1e-7)
    holes = [_hole(bore, low, high, probe) for bore, low, high in tubes]
    return tuple(sorted(holes, key=lambda h: (-h.diameter_mm, h.position_mm)))


def _gather(use: FaceUse, adaptor: Any, bores: list[_Bore]) -> None:
    cylinder = adaptor.Cylinder()
    is_reversed = use.face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED
    if is_reversed != cylinder.Direct():
        return  # material inside: a boss
    direction, place = cylinder.Axis().Direction(), cylinder.Axis().Location()
    raw = np.array([direction.X(), direction.Y(), direction.Z()])
    axis = raw * _sign(raw)
    point = np.array([place.X(), place.Y(), place.Z()])
    start = float(point @ axis)
    ends = sorted(
        start + _sign(raw) * v for v in (adaptor.FirstVParameter(), adaptor.LastVParameter())
    )
    turn = adaptor.LastUParameter() - adaptor.FirstUParameter()
    bore = _Bore(axis, point - axis * start, float(cylinder.Radius()))
    for known in bores:
        if _is_same(known, bore):
            bore = known
            break
    else:
        bores.append(bore)
    bore.spans.append((ends[0], ends[1], turn))


def _sign(direction: FloatArray) -> float:
    """Return the sign that makes the largest component positive, the first of equals."""
    sizes = np.abs(direction)
    return math.copysign(1.0, direction[int(np.argmax(sizes > sizes.max() - 1e-9))])


def _is_same(a: _Bore, b: _Bore) -> bool:
    reach = _SAME * max(a.radius, b.radius)
    return bool(
        abs(a.radius - b.radius) < reach
        and np.linalg.norm(a.foot - b.foot) < 10.0 * reach
        and a.axis @ b.axis > 1.0 - 1e-9
    )


def _full_spans(bore: _Bore) -> list[tuple[float, float]]:
    """Return the stretches of the axis around which the faces close, gaps keeping them apart."""
    stretches: list[list[tuple[float, float, float]]] = []
    end = -math.inf
    for span in sorted(bore.spans):
        if span[0] > end + _SAME * bore.radius:
            stretches.append([])
        stretches[-1].append(span)
        end = max(end, span[1])
    return [
        (min(s[0] for s in stretch), max(s[1] for s in stretch))
        for stretch in stretches
        if _closes(stretch)
    ]


def _closes(stretch: list[tuple[float, float, float]]) -> bool:
    length = max(s[1] for s in stretch) - min(s[0] for s in stretch)
    covered = sum((high - low) * turn for low, high, turn in stretch)
    turns = sum(turn for _, _, turn in stretch)
    return turns > _FULL_TURN and covered > _MIN_COVER * 2.0 * math.pi * length


def _hole(bore: _Bore, low: float, high: float, probe: Any) -> Hole:
    middle = bore.foot + bore.axis * (0.5 * (low + high))
    half = 0.5 * (high - low)
    is_through = not any(
        _is_closed(bore, middle, direction, half, probe) for direction in (bore.axis, -bore.axis)
    )
    return Hole(
        diameter_mm=2.0 * bore.radius,
        axis=as_vector(bore.axis),
        position_mm=as_vector(middle),
        depth_mm=high - low,
        is_through=is_through,
    )


def _is_closed(
    bore: _Bore, middle: FloatArray, direction: FloatArray, half: float, probe: Any
) -> bool:
    """Return whether a bottom begins where the hole ends; one ray is enough to find it."""
    reach = half + _BOTTOM_REACH * bore.radius
    way = gp_Dir(*direction.tolist())
    frame = gp_Ax2(gp_Pnt(*middle.tolist()), way)
    circle = gp_Circ(frame, _RIM * bore.radius)
    for turn in _TURNS:
        probe.PerformNearest(gp_Lin(ElCLib.Value_s(turn, circle), way), 0.0, reach)
        if probe.NbPnt() == 0:
            return False
    return True
