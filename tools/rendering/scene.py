"""A part made ready to draw: checked, framed, recentred, with its lines.

Everything that does not depend on the camera is computed once, lazily, in float64; backends get
float32 coordinates in which the framed box has its centre at 0 and half its diagonal is 1, so a
0.01 mm part and a 10 m part far from the origin look alike to them.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import Edges, Mesh
from cadwright.tools.rendering import topology
from cadwright.tools.rendering.framing import FramedBox, frame_triangles
from cadwright.tools.rendering.topology import EdgeTable, Floats, Ints, SmoothMesh

Side = Literal["front", "back"]
Tags = npt.NDArray[np.uint8]
PLAIN, HIGHLIGHT, CAP = 0, 1, 2  # tags of triangles

MAX_TRIANGLES = 4_000_000  # a picture of more takes minutes and gigabytes; thin the mesh first
MAX_SEGMENTS = 4_000_000


class Scene:
    """A mesh with its lines, ready for any backend.

    Args:
        mesh: Triangles with face ids.
        edges: Feature edges, or None to draw the creases of the mesh.
        caps: Face ids of cut faces, drawn in the cap colour.

    Raises:
        GeometryError: There is no triangle to draw, or an index points at no vertex.
    """

    def __init__(
        self, mesh: Mesh, edges: Edges | None = None, *, caps: frozenset[int] = frozenset()
    ) -> None:
        _check(mesh)
        self.mesh = mesh
        self.edges = edges
        self.caps = caps
        self.vertices: Floats = np.ascontiguousarray(mesh.vertices, dtype=np.float64)
        keep = np.isfinite(self.vertices[mesh.faces]).all(axis=(1, 2))
        if not keep.any():
            raise GeometryError("every triangle has a vertex that is not a finite number")
        self.is_complete = bool(keep.all())
        self.faces: Ints = mesh.faces[keep].astype(np.int64)
        self.face_ids = np.ascontiguousarray(mesh.face_ids[keep], dtype=np.int32)

    @cached_property
    def digest(self) -> str:
        """Hash of everything that decides the picture."""
        sha = hashlib.sha256(self.vertices.tobytes())
        sha.update(self.faces.tobytes() + self.face_ids.tobytes())
        if self.edges is not None:
            sha.update(np.asarray(self.edges.segments, dtype=np.float64).tobytes())
        sha.update(repr(sorted(self.caps)).encode())
        return sha.hexdigest()

    @cached_property
    def box(self) -> FramedBox:
        """What a camera should show."""
        return frame_triangles(self.vertices, self.faces, self.areas)

    @cached_property
    def framed_points(self) -> Floats:
        """(k, 3) vertices inside the framed box."""
        is_used = np.zeros(len(self.vertices), dtype=np.bool_)
        is_used[self.faces] = True
        used = self.vertices[is_used]
        inside = ((used >= self.box.low) & (used <= self.box.high)).all(axis=1)
        return used[inside]

    @cached_property
    def areas(self) -> Floats:
        """(m,) mm²."""
        areas: Floats = np.linalg.norm(self._crosses, axis=1) / 2.0
        return areas

    @cached_property
    def normals(self) -> Floats:
        """(m, 3) unit normals as wound."""
        return topology.normalise(self._crosses)

    @cached_property
    def smooth(self) -> SmoothMesh:
        """Triangles with shading normals."""
        patch = topology.patches(self.edge_table, self.normals, self.face_ids)
        return topology.smooth(self._welded, patch, self._crosses)

    @cached_property
    def edge_table(self) -> EdgeTable:
        """Which triangles are neighbours."""
        return topology.edge_table(self._welded, self.normals)

    @cached_property
    def lines(self) -> Floats:
        """(k, 2, 3) segments that are drawn from every side, mm."""
        if self.edges is not None:
            segments = np.asarray(self.edges.segments, dtype=np.float64).reshape(-1, 2, 3)
            return segments[np.isfinite(segments).all(axis=(1, 2))][:MAX_SEGMENTS]
        return self.vertices[self.edge_table.ends[self.edge_table.is_crease]]

    @cached_property
    def is_inside_out(self) -> bool:
        """Whether the surface encloses a negative volume."""
        corners = (self.vertices - self.box.centre)[self.faces]
        signed = np.einsum("ij,ij->", corners[:, 0], self._crosses)
        return bool(signed < -1e-6 * self.box.radius * self.areas.sum())

    def contours(self, toward: Floats) -> Floats:
        """Return (k, 2, 3) silhouette segments seen along ``toward`` (3,), mm.

        A silhouette in a hollow is always hidden by the material around it, so a closed surface
        shows none there; an open surface may be seen from its hollow side.
        """
        table = self.edge_table
        chosen = topology.contour(table, self.normals, toward)
        if len(chosen) and self.is_closed:
            is_hollow = topology.hollows(table, chosen, self.normals, self._middles)
            chosen = chosen[is_hollow == self.is_inside_out]
        return self.vertices[table.ends[chosen]]

    @cached_property
    def is_closed(self) -> bool:
        """Whether every edge joins two triangles."""
        return bool((self.edge_table.right >= 0).all())

    @cached_property
    def hidden_side(self) -> Side | None:
        """The side of triangles that no camera can see, or None where both may be seen.

        Known for parts of closed bodies that are all wound outwards, or all inwards; a cavity
        counts as a body of its own. Not drawing that side saves a third of the time.
        """
        if not self.edge_table.is_sound:
            return None
        volumes = topology.body_volumes(self.edge_table, self.local(self.vertices[self.faces]))
        if (volumes > 0.0).all():
            return "back"
        return "front" if (volumes < 0.0).all() else None

    def tags(self, highlight: frozenset[int]) -> Tags | None:
        """Return how each triangle is painted, (m,) uint8, or None where all are plain."""
        tags = np.zeros(len(self.faces), dtype=np.uint8)
        tags[np.isin(self.face_ids, sorted(self.caps))] = CAP
        tags[np.isin(self.face_ids, sorted(highlight))] = HIGHLIGHT
        return tags if tags.any() else None

    def local(self, points: Floats) -> Floats:
        """Return points (..., 3) in the backends' coordinates."""
        return (points - self.box.centre) / self.box.radius

    @cached_property
    def _crosses(self) -> Floats:
        return topology.cross_products(self.vertices, self.faces)

    @cached_property
    def _middles(self) -> Floats:
        middles: Floats = self.vertices[self.faces].mean(axis=1)
        return middles

    @cached_property
    def _welded(self) -> Ints:
        return topology.weld(self.vertices)[self.faces]


def _check(mesh: Mesh) -> None:
    if len(mesh.faces) == 0 or len(mesh.vertices) == 0:
        raise GeometryError("there is nothing to draw: no triangles", Outcome.EMPTY_GEOMETRY)
    if len(mesh.faces) > MAX_TRIANGLES:
        raise GeometryError(
            f"{len(mesh.faces)} triangles are too many to draw: use at most {MAX_TRIANGLES}"
        )
    if mesh.vertices.ndim != 2 or mesh.vertices.shape[1] != 3 or mesh.faces.shape[1:] != (3,):
        raise GeometryError("a mesh needs (n, 3) vertices and (m, 3) faces")
    if len(mesh.face_ids) != len(mesh.faces):
        raise GeometryError(f"{len(mesh.face_ids)} face ids for {len(mesh.faces)} triangles")
    low, high = int(mesh.faces.min()), int(mesh.faces.max())
    if low < 0 or high >= len(mesh.vertices):
        raise GeometryError(f"triangle index {low if low < 0 else high} points at no vertex")
