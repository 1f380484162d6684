"""The records that describe a part: what a workspace hands over and what a judge measures.

Lengths are mm, areas mm², volumes mm³, Z is up. Nothing here imports a CAD kernel, so every
process may hold these records; only confined workers parse the bytes inside them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import GeometryError, Outcome

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]

Vector = tuple[float, float, float]

_SMALLEST_DEFLECTION_MM = 1e-7  # the kernel's own resolution


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning with a stable code, for example ``suspicious_scale``."""

    code: str
    message: str


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles with the face they came from.

    Attributes:
        vertices: (n, 3) float64, mm.
        faces: (m, 3) int32 indices into ``vertices``, counter-clockwise seen from outside.
        face_ids: (m,) int32, the B-rep face (or planar facet group) of each triangle.
    """

    vertices: FloatArray
    faces: IntArray
    face_ids: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Feature edges as line segments.

    Attributes:
        segments: (k, 2, 3) float64, mm, end points of each segment.
        edge_ids: (k,) int32, the edge each segment came from.
    """

    segments: FloatArray
    edge_ids: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What leaves a workspace or a file: exact geometry, triangles, or both.

    Attributes:
        brep: BinTools bytes without a triangulation, or None for a mesh part.
        mesh: Triangles, or None when they are to be made from ``brep``.
        name: Where the part came from, for messages: ``result``, ``lid.step``.
        notices: What was noticed while it was made or read (units converted, ...).
    """

    brep: bytes | None = field(default=None, repr=False)
    mesh: Mesh | None = None
    name: str = "part"
    notices: tuple[Notice, ...] = ()

    @property
    def digest(self) -> str:
        """Hash of the geometry (never of a STEP file, whose bytes change at every export)."""
        sha = hashlib.sha256()
        if self.brep is not None:
            sha.update(b"brep" + self.brep)
        if self.mesh is not None:
            sha.update(b"mesh" + self.mesh.vertices.tobytes() + self.mesh.faces.tobytes())
        return sha.hexdigest()


@dataclass(frozen=True, slots=True)
class Tessellation:
    """How fine a tessellation is. Relative, so that 0.01 mm and 10 m parts look alike.

    Attributes:
        linear: Largest distance between triangle and surface, as a share of the diagonal of
            the part's bounding box.
        angle_deg: Largest angle between neighbouring facets of a curved face.
    """

    linear: float = 1e-3
    angle_deg: float = 17.0  # 22 facets around a hole; below FEATURE_ANGLE_DEG of meshes

    def __post_init__(self) -> None:
        """Refuse values that would hang the kernel or flatten the part."""
        if not 1e-6 <= self.linear <= 0.1 or not 1.0 <= self.angle_deg <= 45.0:
            raise GeometryError(
                f"tessellation linear {self.linear:g}, angle {self.angle_deg:g}: "
                "linear must lie in 1e-6..0.1 and angle_deg in 1..45"
            )

    def deflection_mm(self, diagonal_mm: float) -> float:
        """Return the linear deflection for a part of this diagonal."""
        return max(self.linear * diagonal_mm, _SMALLEST_DEFLECTION_MM)


@dataclass(frozen=True, slots=True)
class Hole:
    """One cylindrical hole: coaxial inner faces of one radius, taken together.

    Attributes:
        diameter_mm: Diameter.
        axis: Unit direction, signed so that its largest component is positive.
        position_mm: Middle of the axis inside the hole.
        depth_mm: Length along the axis.
        is_through: Both ends open.
    """

    diameter_mm: float
    axis: Vector
    position_mm: Vector
    depth_mm: float
    is_through: bool


@dataclass(frozen=True, slots=True)
class Measures:
    """Numbers of a part. ``volume_mm3`` is None where the part is not closed.

    Attributes:
        bodies: Connected solids (or closed shells of a mesh).
        is_watertight: Inside each body, every edge of the tessellation joins triangles that run
            along it in opposite directions: two of them, or four where it touches itself.
        is_valid: All validity layers passed (kernel check, closed, manifold).
        bbox_mm: ((min x, y, z), (max x, y, z)), tight within 0.1 % of the tessellation.
        centre_mm: Centre of volume, or of area where there is no volume.
        inertia_mm5: (3, 3) about the centre of volume for unit density, or None.
        open_edges: Edges of the tessellation with a triangle on one side only.
        num_shells: Connected surfaces: a hollow body has two, its outside and its cavity.
        faces_by_kind: ``{"plane": 6, "cylinder": 2}``; for meshes ``{"facet": n}``.
    """

    volume_mm3: float | None
    area_mm2: float
    bbox_mm: tuple[Vector, Vector]
    bodies: int
    is_watertight: bool
    is_valid: bool
    centre_mm: Vector
    inertia_mm5: tuple[Vector, Vector, Vector] | None
    num_faces: int
    num_edges: int
    num_triangles: int
    open_edges: int
    faces_by_kind: dict[str, int] = field(default_factory=dict)
    holes: tuple[Hole, ...] = ()
    num_shells: int = 1

    @property
    def size_mm(self) -> Vector:
        """Extents of the bounding box."""
        low, high = self.bbox_mm
        return (high[0] - low[0], high[1] - low[1], high[2] - low[2])


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """Everything a judge worker found out about a part.

    ``outcome`` is ``ok``, ``empty_geometry``, ``not_a_solid``, ``invalid_geometry`` or
    ``import_error``; ``message`` names the validity layer that failed and where. ``measures``,
    ``mesh`` and ``edges`` are given as far as they could be made, also for a broken part.
    """

    outcome: Outcome
    message: str
    measures: Measures | None
    mesh: Mesh | None
    edges: Edges | None
    notices: tuple[Notice, ...] = ()
