"""A part as constraints see it: measures, features and a solid, each made at first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cadwright.rewards.constraints.kinds_space import Region
from cadwright.rewards.constraints.places import place_distance
from cadwright.rewards.constraints.result import CannotCheck, Hidden
from cadwright.rewards.constraints.values import Place
from cadwright.rewards.normalise import Solid, normalise
from cadwright.rewards.shape import SEED, Shape
from cadwright.rewards.surface import PART_STREAM, Surface
from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.closest import distance_to_triangles
from cadwright.tools.geometry.features import Features
from cadwright.tools.geometry.gauged import Gauged
from cadwright.tools.geometry.gauges import BoxRegion, CylinderRegion
from cadwright.tools.geometry.part import FloatArray, Measures, Mesh, Part
from cadwright.tools.geometry.regions import region_solid
from cadwright.tools.geometry.solids import Manifold

BoolArray = npt.NDArray[np.bool_]

NUM_POINTS = 4096


@dataclass(frozen=True, eq=False)
class Subject:
    """One part under test.

    Attributes:
        measures: What was measured of it.
        mesh: Its triangles, with the face each came from.
        recognised: What was recognised in it, or what recognises it where a check asks.
        start: What it was made from, for edits, or what makes its triangles where a check asks.
        bodies: Other bodies by the file that a region names.
        exact_start: The part that ``start`` is the triangles of, where that is known.
        exact_bodies: The parts that ``bodies`` are the triangles of, where they are known.
        known: Its shape, where somebody has it already.
        part: What ``known`` was made from.
    """

    measures: Measures
    mesh: Mesh
    recognised: Features | Callable[[], Features]
    start: Mesh | Callable[[], Mesh] | None = None
    bodies: Mapping[str, Mesh] = field(default_factory=dict)
    known: Shape | None = None
    part: Part | None = None
    exact_start: Part | None = None
    exact_bodies: Mapping[str, Part] = field(default_factory=dict)

    @cached_property
    def shape(self) -> Shape:
        """Its triangles, ready to be measured."""
        known = self.known
        return known if known is not None and known.mesh is self.mesh else Shape(self.mesh)

    @property
    def part_in_place(self) -> Part | None:
        """The part itself where it stands where its triangles do: a pose moves these alone."""
        return None if self.known is None or self.known.mesh is not self.mesh else self.part

    @property
    def features(self) -> Features:
        """What was recognised in it."""
        known = self.recognised
        return known if isinstance(known, Features) else known()

    @property
    def solid(self) -> Solid:
        """The normalised solid, in a frame of its own around ``solid.centre``."""
        return self.shape.solid

    @property
    def manifold(self) -> Manifold:
        """The solid for exact booleans, in the frame of ``solid``."""
        if self.solid.manifold is None:
            raise Hidden(f"the part is no closed solid: {self.solid.problem}")
        return self.solid.manifold

    @property
    def num_handles(self) -> int:
        """Ways through the part (b1), from the Euler number of its surface."""
        solid, census = self.manifold, self.solid.census
        half_euler = (solid.num_vert() - solid.num_edge() + solid.num_tri()) // 2
        return int(census.num_pieces + census.num_cavities - half_euler)

    @cached_property
    def gauged(self) -> Gauged:
        """The part for gauges, in the coordinates of the part; one under a pose is its facets."""
        return Gauged(
            self.part_in_place or Part(mesh=self.mesh),
            self.mesh,
            self.measures.is_watertight,
            known_rays=self.shape.mesh_rays,
        )

    @cached_property
    def surface(self) -> Surface:
        """The surface of the part, in the coordinates of the part."""
        return surface_of(self.mesh)

    @cached_property
    def start_gauged(self) -> Gauged:
        """What it was made from."""
        if self.start is None:
            raise CannotCheck("there is no start geometry to compare with")
        try:
            mesh = self.start() if callable(self.start) else self.start
        except GeometryError as err:  # the fault of the task, not of the part
            raise CannotCheck(f"the start geometry cannot be measured: {err}") from err
        return Gauged(self.exact_start or Part(mesh=mesh), mesh, is_closed=True)

    @cached_property
    def start_surface(self) -> Surface:
        """The surface it was made from."""
        return surface_of(self.start_gauged.mesh)

    def distance_to_faces(self, point: FloatArray, faces: tuple[int, ...]) -> float:
        """Return the distance in mm of a point to some faces of the part."""
        triangles = self._triangles(faces)
        repeated = np.broadcast_to(point, (len(triangles), 3))
        return float(distance_to_triangles(repeated, triangles).min())

    def face_points(self, faces: tuple[int, ...]) -> FloatArray:
        """Return (n, 3) the corners of the triangles of some faces."""
        return self._triangles(faces).reshape(-1, 3)

    @cached_property
    def _by_face(self) -> Mapping[int, npt.NDArray[np.intp]]:
        """The triangles of each face: a part of facets has thousands of faces to look at."""
        order = np.argsort(self.mesh.face_ids, kind="stable")
        faces, starts = np.unique(self.mesh.face_ids[order], return_index=True)
        return dict(zip(faces.tolist(), np.split(order, starts[1:]), strict=True))

    def _triangles(self, faces: tuple[int, ...]) -> FloatArray:
        known = [self._by_face[face] for face in dict.fromkeys(faces) if face in self._by_face]
        if not known:
            raise Hidden("the faces of a feature have no triangles")
        return self.mesh.vertices[self.mesh.faces[np.sort(np.concatenate(known))]]

    def region_solid(self, region: Region) -> Manifold:
        """Return a region as a solid in the frame of ``solid``."""
        return _solid_of(region, self.bodies).translate((-self.solid.centre).tolist())

    def region_of(self, region: Region) -> BoxRegion | CylinderRegion | Part:
        """Return a region as exact as it was given."""
        if region.min is not None and region.max is not None:
            return BoxRegion(region.min, region.max)
        if region.start is not None and region.end is not None and region.diameter is not None:
            return CylinderRegion(region.start, region.end, region.diameter)
        name = region.file or ""
        return self.exact_bodies.get(name) or Part(mesh=self.bodies.get(name))

    def needs(self, what: str, place: Place | None = None, reach: float = np.inf) -> None:
        """Refuse to say that something is absent where the search for it was not complete.

        Args:
            what: The field of ``Features``.
            place: Where it is asked, or None for anywhere.
            reach: How far its faces may be from there: what was not understood elsewhere is
                something else.

        Raises:
            Hidden: ``features.unchecked`` names ``what``, and perhaps here.
        """
        for entry in self.features.unchecked:
            is_here = place is None or not entry.faces or self._gap(place, entry.faces) <= reach
            if entry.feature == what and is_here:
                raise Hidden(f"{what}: {entry.reason}")

    def _gap(self, place: Place, faces: tuple[int, ...]) -> float:
        point = [value for value in place if value is not None]
        if len(point) == 3:
            return self.distance_to_faces(np.array(point), faces)
        return min(place_distance(place, corner) for corner in self.face_points(faces))


def surface_of(mesh: Mesh) -> Surface:
    """Return the surface of a mesh under a fixed sample."""
    triangles = mesh.vertices[mesh.faces]
    return Surface(triangles, num_points=NUM_POINTS, seed=SEED, stream=PART_STREAM)


def _solid_of(region: Region, bodies: Mapping[str, Mesh]) -> Manifold:
    if region.min is not None and region.max is not None:
        return region_solid(BoxRegion(region.min, region.max))
    if region.start is not None and region.end is not None and region.diameter is not None:
        return region_solid(CylinderRegion(region.start, region.end, region.diameter))
    if region.file is None or region.file not in bodies:
        raise CannotCheck(f"the body {region.file} was not given")
    body = normalise(bodies[region.file])
    if body.manifold is None:
        raise CannotCheck(f"{region.file} is no closed solid: {body.problem}")
    return body.manifold.translate(body.centre.tolist())
