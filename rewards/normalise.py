"""From triangles to one well-defined solid: what every metric measures.

Models hand in bodies that overlap, lie inside each other, are duplicated or turned inside out,
and files come with loose vertices and flipped triangles. Each of these changes a volume or a
boolean silently, so they are put right here once, by name, and reported as notices. A surface
that does not close is left alone: it has no volume, and nothing here invents one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cadwright.rewards.census import ALONE, Census, take_census
from cadwright.rewards.crossings import crosses_itself, untangled
from cadwright.rewards.nesting import Nest
from cadwright.rewards.winding import rewind
from cadwright.tools.geometry.part import FloatArray, IntArray, Mesh, Notice
from cadwright.tools.geometry.rays import Rays
from cadwright.tools.geometry.solids import Manifold, arrays_of, manifold_of
from cadwright.tools.geometry.surface import EdgeTable, edge_table, shells
from cadwright.tools.geometry.triangles import bounds_of
from cadwright.tools.geometry.weld import drop_degenerate, weld

# Fractions of the largest extent at which loose vertices are joined, tried in turn only while the
# surface is open: float32 files round at 6e-8, text files at about 1e-6.
WELD_STEPS = (0.0, 1e-7, 1e-6, 1e-5)
# Points closer than this fraction of the extent are one point to any reader of single precision.
TOUCHING = 1e-7
# A body below this fraction of the cube of the extent is a sheet that encloses nothing.
FLAT_VOLUME = 1e-12
# A surface that encloses less than this share of its volume twice only touches itself.
TOUCHED = 1e-6
# A part farther from the origin than this many of its own extents was built somewhere else.
FAR = 1e3

# Every code that a normalised shape may carry.
NOTICES = {
    "empty": "there is no triangle",
    "not_finite": "a coordinate is NaN or infinite",
    "open_surface": "the surface is not closed",
    "not_orientable": "the surface is closed but has no inside",
    "no_volume": "the surface is closed and encloses nothing",
    "flipped_triangles": "triangles of one surface faced both ways: turned",
    "inside_out": "whole surfaces faced inwards: turned",
    "duplicated_bodies": "a body is there twice",
    "nested_bodies": "a body lies inside another",
    "overlapping_bodies": "bodies overlap: united",
    "crosses_itself": "a surface runs through itself: what it encloses twice is counted once",
    "unfused_bodies": "bodies touch without being joined: joined",
    "several_bodies": "more than one piece of material is left",
    "far_from_origin": "the part is small beside its distance from the origin",
}


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A normalised shape, or as much of one as the triangles allow.

    Attributes:
        vertices: (n, 3) float64 mm, relative to ``centre``; small numbers keep booleans exact.
        faces: (m, 3) int32, counter-clockwise seen from outside where the surface is closed.
        centre: (3,) float64 mm, middle of the bounding box of the input.
        manifold: The closed solid for exact booleans, in the frame of ``vertices``; or None.
        shells: Closed surfaces in the input, cavities included (0 when it is open).
        num_open: Edges without a partner triangle.
        num_tangled: Edges shared by more than two triangles.
        notices: What was found and put right, by the codes in ``NOTICES``.
        problem: Why there is no ``manifold``, in plain words; empty when there is one.
        census: What its bodies were to each other before they were united.
        rays: Rays against its triangles, where normalising needed some.
    """

    vertices: FloatArray
    faces: IntArray
    centre: FloatArray
    manifold: Manifold | None
    shells: int
    num_open: int
    num_tangled: int
    notices: tuple[Notice, ...] = ()
    problem: str = ""
    census: Census = ALONE
    rays: Rays | None = None

    @property
    def is_empty(self) -> bool:
        """No triangle is left."""
        return len(self.faces) == 0

    def has(self, code: str) -> bool:
        """Whether a notice was given."""
        return any(notice.code == code for notice in self.notices)

    @property
    def volume_mm3(self) -> float | None:
        """Volume of the closed solid, or None."""
        return None if self.manifold is None else float(self.manifold.volume())

    @property
    def extents_mm(self) -> FloatArray:
        """(3,) size of the bounding box."""
        if self.is_empty:
            return np.zeros(3)
        low, high = _bounds(self.vertices, self.faces)
        extents: FloatArray = high - low
        return extents

    def count_surfaces(self) -> int:
        """Return the connected surfaces, be they closed or not."""
        return shells(edge_table(self.faces, len(self.vertices)))[0] if len(self.faces) else 0


def normalise(mesh: Mesh) -> Solid:
    """Return the solid that a mesh describes.

    Args:
        mesh: Triangles in mm, of any quality.

    Returns:
        A solid with a manifold when the surface closes; otherwise one without, whose
        ``problem`` says why and whose triangles can still be sampled.
    """
    faces = mesh.faces[drop_degenerate(mesh.faces)]
    if not np.isfinite(mesh.vertices).all():
        return _unusable("not_finite", "a coordinate is not a finite number")
    if len(faces) == 0:
        return _unusable("empty", "the shape has no triangles")
    shape = _joined_up(mesh.vertices, faces)
    notices = _far(shape.centre, shape.extent)
    if shape.is_turned:
        notices.append(Notice("flipped_triangles", "triangles of one surface faced both ways"))
    if not shape.edges.is_closed:
        return _open_solid(shape.vertices, shape.faces, shape.centre, shape.edges, notices)
    return _closed_solid(shape.vertices, shape.faces, shape.centre, notices, shape.num_tangled)


def count_tangled(mesh: Mesh) -> int:
    """Return the ``num_tangled`` of the solid that a mesh describes, without building it."""
    faces = mesh.faces[drop_degenerate(mesh.faces)]
    if len(faces) == 0 or not np.isfinite(mesh.vertices).all():
        return 0
    return _joined_up(mesh.vertices, faces).num_tangled


@dataclass(frozen=True, slots=True, eq=False)
class _JoinedUp:
    """Triangles about the middle of their box, joined and turned as far as that closes them."""

    vertices: FloatArray
    faces: IntArray
    centre: FloatArray
    extent: float
    edges: EdgeTable
    is_turned: bool

    @property
    def num_tangled(self) -> int:
        """Edges shared by more than two triangles."""
        if not self.edges.is_closed:
            return len(self.edges.crowded_edges)
        return _count_tangled(self.vertices, self.faces, self.edges, TOUCHING * self.extent)


def _joined_up(vertices: FloatArray, faces: IntArray) -> _JoinedUp:
    low, high = _bounds(vertices, faces)
    centre, extent = (low + high) / 2, float((high - low).max())
    local = vertices - centre
    faces, edges = _close(local, faces, extent)
    if len(edges.open_edges) or edges.is_closed:
        return _JoinedUp(local, faces, centre, extent, edges, is_turned=False)
    turned = rewind(faces, edges)
    table = edge_table(turned, int(turned.max()) + 1)
    if not table.is_closed:
        return _JoinedUp(local, faces, centre, extent, edges, is_turned=False)
    return _JoinedUp(local, turned, centre, extent, table, is_turned=True)


def _bounds(vertices: FloatArray, faces: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the (3,) lowest and highest coordinates that triangles use."""
    is_used = np.zeros(len(vertices), bool)
    is_used[faces] = True
    low, high = bounds_of(vertices[is_used])
    return low, high


def _close(vertices: FloatArray, faces: IntArray, extent: float) -> tuple[IntArray, EdgeTable]:
    """Join loose vertices, no further apart than is needed for the surface to close."""
    best, edges = faces, edge_table(faces, len(vertices))
    for step in WELD_STEPS:
        if not len(edges.open_edges):
            break
        joined = _joined(vertices, faces, step * extent)
        trial = edge_table(joined, len(vertices))
        if len(trial.open_edges) < len(edges.open_edges):
            best, edges = joined, trial
    return best, edges


def _joined(vertices: FloatArray, faces: IntArray, grid_mm: float) -> IntArray:
    keys = vertices if grid_mm == 0.0 else np.round(vertices / grid_mm)
    kept, place = weld(keys)
    joined: IntArray = kept[place][faces]
    return joined[drop_degenerate(joined)]


def _far(centre: FloatArray, extent: float) -> list[Notice]:
    distance = float(np.linalg.norm(centre))
    if distance <= FAR * extent:
        return []
    return [Notice("far_from_origin", f"{extent:.4g} mm large, {distance:.4g} mm from the origin")]


def _open_solid(
    vertices: FloatArray,
    faces: IntArray,
    centre: FloatArray,
    edges: EdgeTable,
    notices: list[Notice],
) -> Solid:
    num_open, num_tangled = len(edges.open_edges), len(edges.crowded_edges)
    code, problem = "open_surface", f"the surface is not closed: {num_open} open edges"
    if num_open == 0:
        code, problem = "not_orientable", "the surface cannot be oriented: it has no inside"
    told = (*notices, Notice(code, problem))
    return Solid(vertices, faces, centre, None, 0, num_open, num_tangled, told, problem)


def _closed_solid(
    vertices: FloatArray,
    faces: IntArray,
    centre: FloatArray,
    notices: list[Notice],
    num_tangled: int,
) -> Solid:
    whole = manifold_of(vertices, faces)
    problem = f"no solid can be built from the triangles ({whole.status().name})"
    surfaces: Sequence[Manifold] = ()
    solid, census, rays = None, ALONE, None
    if whole.status().name == "NoError":
        surfaces = whole.decompose()
        solid, census = _resolve(whole, surfaces, notices)
        if solid is whole and len(surfaces) == 1:
            rays = Rays.of(vertices, faces)
            solid, census = _once(whole, vertices[faces], rays, notices)
        problem = "" if solid is not None else "the surface is closed but encloses no volume"
    if solid is None:
        notices.append(Notice("no_volume", problem))
    elif solid is not whole:
        vertices, faces = arrays_of(solid)
        rays = None
    told, count = tuple(notices), len(surfaces)
    return Solid(vertices, faces, centre, solid, count, 0, num_tangled, told, problem, census, rays)


def _once(
    whole: Manifold, triangles: FloatArray, rays: Rays, notices: list[Notice]
) -> tuple[Manifold, Census]:
    """Return the solid that one surface means, where it runs through itself or not."""
    if not crosses_itself(triangles, rays, float(whole.volume())):
        return whole, ALONE
    solid = untangled(whole)
    lost = float(whole.volume() - solid.volume())
    if lost <= TOUCHED * whole.volume():
        return whole, ALONE
    words = f"the surface runs through itself: {lost:.6g} mm3 were enclosed twice"
    notices.append(Notice("crosses_itself", words))
    census = take_census([solid], solid, flat_mm3=FLAT_VOLUME * _extent(whole) ** 3)
    return solid, replace(census, overlap_mm3=lost)


def _count_tangled(vertices: FloatArray, faces: IntArray, edges: EdgeTable, grid_mm: float) -> int:
    """Count the crowded edges as a reader sees them that joins nearly equal points."""
    kept, place = weld(np.round(vertices / grid_mm))
    if len(kept) == len(vertices):  # nothing to join: the edges are those that are known
        return len(edges.crowded_edges)
    joined = kept[place][faces]
    joined = joined[drop_degenerate(joined)]
    return len(edge_table(joined, len(vertices)).crowded_edges)


def _resolve(
    whole: Manifold, surfaces: Sequence[Manifold], notices: list[Notice]
) -> tuple[Manifold | None, Census]:
    """Turn bodies right side out, keep cavities, and unite what overlaps."""
    flat = FLAT_VOLUME * _extent(whole) ** 3
    volumes = [surface.volume() for surface in surfaces]
    real = [i for i, volume in enumerate(volumes) if abs(volume) > flat]
    if not real:
        return None, ALONE
    if len(real) == len(surfaces) == 1 and volumes[0] > 0:
        return whole, ALONE
    nest = Nest([surfaces[i] for i in real], [volumes[i] for i in real])
    bodies = nest.bodies()
    is_clean = len(real) == len(surfaces) and not nest.num_flipped and not nest.bodies_may_touch()
    solid = whole if is_clean else _united(bodies)
    census = take_census(bodies, solid, flat_mm3=flat)
    notices += _told(nest, census)
    return solid, census


def _united(bodies: Sequence[Manifold]) -> Manifold:
    import manifold3d

    return manifold3d.Manifold.batch_boolean(bodies, manifold3d.OpType.Add)


def _told(nest: Nest, census: Census) -> list[Notice]:
    told = []
    if nest.num_flipped:
        told.append(Notice("inside_out", f"{nest.num_flipped} surfaces faced inwards"))
    return [*told, *census.notices()]


def _extent(solid: Manifold) -> float:
    box = np.array(solid.bounding_box())
    return float((box[3:] - box[:3]).max())


def _unusable(code: str, problem: str) -> Solid:
    no_vertices, no_faces = np.zeros((0, 3)), np.zeros((0, 3), np.int32)
    told = (Notice(code, problem),)
    return Solid(no_vertices, no_faces, np.zeros(3), None, 0, 0, 0, told, problem)
