"""The layers a part must pass to count as a solid, each with a verdict that says where it fails.

    finite      every coordinate is a number
    solid       there is at least one solid
    closed      every shell is closed
    kernel      the CAD kernel's own check
    volume      the solids enclose something
    manifold    the tessellation is closed as well

The first layer that fails names the outcome; the words of a message start with its name.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from OCP.BRep import BRep_Tool
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS
from OCP.TopTools import TopTools_IndexedDataMapOfShapeListOfShape

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.bounds import quick_box
from cadwright.tools.geometry.kernel import Shape, subshapes
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.surface import EdgeTable
from cadwright.tools.geometry.topology import Topology

_MAX_COORDINATE_MM = 1e9  # a thousand kilometres: past this volumes overflow or mean nothing
_FLAT_SHARE = 1e-9  # thickness over diagonal below which a mesh is a sheet

_KINDS = (
    (TopAbs_ShapeEnum.TopAbs_FACE, "face"),
    (TopAbs_ShapeEnum.TopAbs_EDGE, "edge"),
    (TopAbs_ShapeEnum.TopAbs_VERTEX, "vertex"),
    (TopAbs_ShapeEnum.TopAbs_SHELL, "shell"),
    (TopAbs_ShapeEnum.TopAbs_SOLID, "solid"),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the layers ended: an outcome and one line naming the layer and the place."""

    outcome: Outcome = Outcome.OK
    message: str = "valid"

    @property
    def is_ok(self) -> bool:
        """Every layer looked at so far has passed."""
        return self.outcome is Outcome.OK


def check_finite(box: FloatArray | None, name: str) -> Verdict:
    """Layer one: the part has an extent, and it is a number."""
    if box is None:
        return Verdict(Outcome.EMPTY_GEOMETRY, f"{name}: there is no geometry in it")
    if not np.isfinite(box).all():
        return Verdict(
            Outcome.INVALID_GEOMETRY,
            "finite: a coordinate is NaN or infinite: check the arithmetic of the dimensions",
        )
    if np.abs(box).max() > _MAX_COORDINATE_MM:
        return Verdict(
            Outcome.INVALID_GEOMETRY,
            f"finite: a coordinate is {np.abs(box).max():.3g} mm: "
            f"at most {_MAX_COORDINATE_MM:g} allowed",
        )
    return Verdict()


def check_solids(topology: Topology) -> Verdict:
    """Layer two: something in the shape is a solid."""
    if topology.solids:
        return Verdict()
    counts = {word: len(subshapes(topology.shape, kind)) for kind, word in _KINDS}
    for word in ("shell", "face", "edge", "vertex"):
        if counts[word]:
            plural = "vertices" if word == "vertex" else f"{word}s"
            given = f"{counts[word]} {word if counts[word] == 1 else plural}"
            return Verdict(
                Outcome.NOT_A_SOLID,
                f"solid: {given} and no solid: extrude, revolve, sew or fill it into one",
            )
    return Verdict(Outcome.EMPTY_GEOMETRY, "solid: the shape holds nothing")


def check_closed(topology: Topology) -> Verdict:
    """Layer three: no shell of any solid has a free edge."""
    for number, solid in enumerate(topology.solids, start=1):
        shells = subshapes(solid, TopAbs_ShapeEnum.TopAbs_SHELL)
        if shells and all(BRep_Tool.IsClosed_s(shell) for shell in shells):
            continue
        free = _free_edges(solid)
        where = f", one near {_place(free[0])}" if free else ""
        return Verdict(
            Outcome.INVALID_GEOMETRY,
            f"closed: solid {number} is open along {len(free)} edges{where}: "
            "every edge must join two faces",
        )
    return Verdict()


def check_kernel(topology: Topology) -> Verdict:
    """Layer four: the kernel's check, with the first sub-shape that fails it."""
    analyzer = BRepCheck_Analyzer(topology.shape)
    if analyzer.IsValid():
        return Verdict()
    for kind, word in _KINDS:
        for number, part in enumerate(subshapes(topology.shape, kind), start=1):
            if not analyzer.IsValid(part):
                fault = _status(analyzer, part)
                return Verdict(
                    Outcome.INVALID_GEOMETRY,
                    f"kernel: {word} {number} near {_place(part)} is not valid ({fault}): "
                    "look for crossing or overlapping profiles and walls",
                )
    return Verdict(Outcome.INVALID_GEOMETRY, "kernel: the shape as a whole is not valid")


def check_volume(volume_mm3: float, diagonal_mm: float) -> Verdict:
    """Layer five: the solids enclose a volume that is more than rounding."""
    if volume_mm3 > 1e-12 * diagonal_mm**3:
        return Verdict()
    return Verdict(
        Outcome.INVALID_GEOMETRY, "volume: the solids enclose no volume: a profile crosses itself"
    )


def check_manifold(mesh: Mesh, table: EdgeTable, bare_faces: tuple[int, ...]) -> Verdict:
    """Layer six: the tessellation is closed."""
    if bare_faces:
        return Verdict(
            Outcome.INVALID_GEOMETRY, f"manifold: face {bare_faces[0] + 1} cannot be tessellated"
        )
    if table.is_closed:
        return Verdict()
    return Verdict(Outcome.INVALID_GEOMETRY, f"manifold: the tessellation has {rim(mesh, table)}")


def check_mesh(mesh: Mesh, table: EdgeTable) -> Verdict:
    """All layers that a triangle mesh can be asked for, but its volume."""
    if is_flat(mesh):
        return Verdict(
            Outcome.NOT_A_SOLID, "solid: all triangles lie in one plane: it has no thickness"
        )
    if len(table.open_edges):
        return Verdict(Outcome.NOT_A_SOLID, f"closed: the surface has {rim(mesh, table)}")
    if not table.is_closed:
        count = int((table.balance != 0).sum())
        return Verdict(
            Outcome.INVALID_GEOMETRY,
            f"manifold: neighbouring triangles face opposite ways at {count} edges",
        )
    return Verdict()


def rim(mesh: Mesh, table: EdgeTable) -> str:
    """Return the open edges in words, with the place of one."""
    rims = table.open_edges if len(table.open_edges) else np.flatnonzero(table.balance)
    middle = mesh.vertices[table.ends[rims[0]]].mean(axis=0)
    return f"{len(rims)} open edges, one near {_vector(middle)}"


def is_flat(mesh: Mesh) -> bool:
    """Return whether every vertex lies in one plane."""
    points = mesh.vertices[np.unique(mesh.faces)]
    centred = points - points.mean(axis=0)
    scale = np.abs(centred).max()
    if scale == 0.0:
        return True
    moments = centred.T @ centred / scale**2
    normal = np.linalg.eigh(moments)[1][:, 0]
    return bool(np.abs(centred @ normal).max() <= _FLAT_SHARE * scale)


def _free_edges(solid: Shape) -> list[Shape]:
    owners = TopTools_IndexedDataMapOfShapeListOfShape()
    TopExp.MapShapesAndAncestors_s(
        solid, TopAbs_ShapeEnum.TopAbs_EDGE, TopAbs_ShapeEnum.TopAbs_FACE, owners
    )
    lonely = [
        (TopoDS.Edge_s(owners.FindKey(k)), TopoDS.Face_s(owners.FindFromIndex(k).First()))
        for k in range(1, owners.Extent() + 1)
        if owners.FindFromIndex(k).Size() == 1
    ]
    return [
        edge
        for edge, face in lonely
        if not BRep_Tool.Degenerated_s(edge) and not BRep_Tool.IsClosed_s(edge, face)
    ]


def _status(analyzer: BRepCheck_Analyzer, part: Shape) -> str:
    names = [status.name.removeprefix("BRepCheck_") for status in analyzer.Result(part).Status()]
    faults = Counter(name for name in names if name != "NoError")
    return ", ".join(faults) or "in the context of its neighbours"


def _place(shape: Shape) -> str:
    box = quick_box(shape)
    return "nowhere" if box is None else _vector(box.mean(axis=0))


def _vector(point: FloatArray) -> str:
    return "(" + ", ".join(f"{round(v, 6) + 0.0:.4g}" for v in point.tolist()) + ")"
