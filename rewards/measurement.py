"""A part against a reference: the shapes as the judge holds them, every quantity once.

Terms pick what they need from here; what no term asks for is never computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cadwright.rewards import similarity
from cadwright.rewards.agreement import Segments, feature_edges, outlines
from cadwright.rewards.alignment import PoseSurface, align, pose_surface
from cadwright.rewards.constraints.result import ConstraintReport
from cadwright.rewards.distances import Gaps
from cadwright.rewards.gates import Pieces, find_pieces
from cadwright.rewards.normalise import Solid
from cadwright.rewards.peaks import largest_gap_mm
from cadwright.rewards.posing import Transform
from cadwright.rewards.scoring import Scoring
from cadwright.rewards.similarity import Overlap
from cadwright.rewards.surface import PART_STREAM, REFERENCE_STREAM, Surface
from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.part import FloatArray, Notice
from cadwright.tools.geometry.solids import Manifold

IN_PLACE = np.eye(3, 4)  # of a part that is not moved


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A part as the judge sees it.

    Attributes:
        solid: Its normalised shape.
        outcome: Result of the validity layers.
        message: What failed, where something did.
        notices: What was noticed while it was read and inspected.
        surface: Of ``solid``, in its frame, where somebody has it already.
    """

    solid: Solid
    outcome: Outcome = Outcome.OK
    message: str = ""
    notices: tuple[Notice, ...] = ()
    surface: Surface | None = None

    @property
    def all_notices(self) -> tuple[Notice, ...]:
        """Those of the inspection and of the normalised shape, one for each code."""
        return _one_each(*self.notices, *self.solid.notices)


class Reference:
    """What a part is measured against, prepared once and used for many parts.

    Args:
        solid: Its normalised shape.
        is_exact: It came from exact geometry, so surfaces that touch along an edge are bodies in
            contact. In a triangle file the same edges leave open which solid is meant.
        num_points: Points of a surface sample.
        seed: Seed of the samples.
        facet_deg: Angle between its facets: a part is tessellated alike.
        problem: Why it could not be read, where there is no shape at all.
        notices: What was noticed while it was read and inspected.
    """

    def __init__(
        self,
        solid: Solid,
        *,
        is_exact: bool,
        num_points: int,
        seed: int,
        facet_deg: float,
        problem: str = "",
        notices: tuple[Notice, ...] = (),
    ) -> None:
        self.solid = solid
        self.all_notices = _one_each(*notices, *solid.notices)
        self.is_exact = is_exact
        self.num_points = num_points
        self.seed = seed
        self.facet_deg = facet_deg
        self._problem = problem

    @property
    def problem(self) -> str:
        """Why no part can be scored against this reference; empty where one can."""
        if self._problem or self.solid.manifold is None:
            return self._problem or self.solid.problem
        if self.solid.num_tangled and not self.is_exact:
            count = self.solid.num_tangled
            return f"the mesh is not watertight: {count} edges are shared by more than 2 triangles"
        return ""

    @property
    def has_extent(self) -> bool:
        """There is something to measure distances to, be it closed or not."""
        return bool(self.solid.extents_mm.max() > 0)

    @cached_property
    def surface(self) -> Surface:
        """Its surface, relative to the middle of its bounding box."""
        return Surface(
            self.solid.vertices[self.solid.faces],
            num_points=self.num_points,
            seed=self.seed,
            stream=REFERENCE_STREAM,
        )

    @cached_property
    def pose_surface(self) -> PoseSurface:
        """The same surface under the small sample that alignment searches with."""
        return pose_surface(self.surface.triangles, seed=self.seed, stream=REFERENCE_STREAM)

    @cached_property
    def edges(self) -> Segments:
        """Its sharp edges."""
        return feature_edges(self.solid.vertices, self.solid.faces)

    @cached_property
    def outlines(self) -> tuple[Manifold, ...] | None:
        """Its outlines from three sides, or None where it is not closed."""
        return None if self.solid.manifold is None else outlines(self.solid.manifold)

    @cached_property
    def noise_floor(self) -> dict[str, float]:
        """Chamfer of this reference against a second sample of itself, by term name."""
        gaps = similarity.sample_gaps_mm(self.surface, similarity.second_sample(self.surface))
        extent = float(self.surface.extents.max())
        return {
            "chamfer_l2_mm": similarity.chamfer_l2_mm(*gaps),
            "chamfer_sq_unit_x1000": similarity.chamfer_sq_unit_x1000(*gaps, extent),
        }


class Measurement:
    """A part against a reference under one scoring: every quantity is computed at first use.

    Args:
        part: The part.
        reference: The reference; may be unusable for exact overlap.
        scoring: How to align and sample.
        is_exact_allowed: False leaves the exact boolean out, after it failed in a worker.
        constraints: How the part stands to the task's constraints, or None without any.
        start: What the part was made from, where the scoring compares with it.
    """

    def __init__(
        self,
        part: Candidate,
        reference: Reference,
        scoring: Scoring,
        *,
        is_exact_allowed: bool = True,
        constraints: ConstraintReport | None = None,
        start: Candidate | None = None,
    ) -> None:
        self.part = part
        self.constraints = constraints
        self._start = start
        self.reference = reference
        self.scoring = scoring
        self._is_exact_allowed = is_exact_allowed
        # both shapes live in the reference's own frame: small numbers, exact booleans
        self._offset: FloatArray = part.solid.centre - reference.solid.centre

    @cached_property
    def of_start(self) -> Measurement | None:
        """The unedited start in the part's place, or None where there is no such solid."""
        start = self._start
        if start is None or start.outcome is not Outcome.OK or start.solid.is_empty:
            return None
        return Measurement(
            start, self.reference, self.scoring, is_exact_allowed=self._is_exact_allowed
        )

    @cached_property
    def transform(self) -> Transform:
        """The alignment, in the reference's frame."""
        triangles = (self.part.solid.vertices + self._offset)[self.part.solid.faces]
        surface = pose_surface(triangles, seed=self.scoring.seed, stream=PART_STREAM)
        return align(surface, self.reference.pose_surface, self.scoring.alignment)

    @property
    def transform_mm(self) -> Transform:
        """The alignment, in the coordinates of the files."""
        centre = self.reference.solid.centre
        return self.transform.from_frame(-centre).then_shift(centre)

    @cached_property
    def surface(self) -> Surface:
        """The aligned part."""
        scoring, known = self.scoring, self.part.surface
        is_known = known and known.is_sampled_as(scoring.num_points, scoring.seed)
        if known and is_known and self.transform.is_shift:
            return known.shifted(self._offset + self.transform.translation)
        vertices = self.transform.apply(self.part.solid.vertices + self._offset)
        return Surface(
            vertices[self.part.solid.faces],
            num_points=scoring.num_points,
            seed=scoring.seed,
            stream=PART_STREAM,
        )

    @cached_property
    def manifold(self) -> Manifold | None:
        """The aligned part for booleans, or None."""
        return self._placed if self._is_exact_allowed else None

    @cached_property
    def _placed(self) -> Manifold | None:
        if self.part.solid.manifold is None:
            return None
        return self.part.solid.manifold.transform(self.transform.from_frame(self._offset).matrix)

    @cached_property
    def pieces(self) -> Pieces:
        """Bodies that the part has and the reference has not."""
        solid, wanted = self.part.solid, self.reference.solid
        if solid.manifold is None:
            return Pieces(num_stray=max(0, solid.count_surfaces() - wanted.count_surfaces()))
        if solid.census.num_pieces == 1 or wanted.manifold is None:
            return Pieces()
        return find_pieces(self._placed, wanted.manifold, is_exact=self._is_exact_allowed)

    @cached_property
    def extents_mm(self) -> FloatArray:
        """(3,) size of the part after rotation, before scaling."""
        extents: FloatArray = self.surface.extents / self.transform.scale
        return extents

    @cached_property
    def is_copy(self) -> bool:
        """The part has the triangles of the reference, where those are: nothing is to measure."""
        solid, wanted = self.part.solid, self.reference.solid
        return (
            np.array_equal(solid.faces, wanted.faces)
            and np.array_equal(solid.vertices, wanted.vertices)
            and np.array_equal(self.transform.from_frame(self._offset).matrix, IN_PLACE)
        )

    @cached_property
    def overlap(self) -> Overlap:
        """Volume overlap, exact where both shapes allow it."""
        is_exact = self.manifold is not None and not self.reference.problem
        if is_exact and self.is_copy:
            return Overlap(1.0, similarity.EXACT)
        if is_exact:
            overlap = similarity.exact_overlap(self.manifold, self.reference.solid.manifold)
            if overlap is not None:
                return overlap
        return similarity.raster_overlap(self.surface.triangles, self.reference.surface.triangles)

    @cached_property
    def deviation_mm(self) -> tuple[Gaps, Gaps]:
        """How far the surfaces lie from each other, part to reference and back."""
        if self.is_copy:
            nowhere = Gaps(np.zeros(self.reference.surface.num_even), 0.0)
            return nowhere, nowhere
        return similarity.surface_deviation_mm(self.surface, self.reference.surface)

    @cached_property
    def largest_gap_mm(self) -> float:
        """How far the surfaces lie from each other where that is most, either way."""
        return largest_gap_mm(self.surface, self.reference.surface, self.deviation_mm)

    @cached_property
    def edges(self) -> Segments:
        """Sharp edges of the aligned part."""
        vertices = self.transform.apply(self.part.solid.vertices + self._offset)
        return feature_edges(vertices, self.part.solid.faces)

    @cached_property
    def sample_gaps_mm(self) -> tuple[FloatArray, FloatArray]:
        """Distances between the samples, part to reference and back."""
        return similarity.sample_gaps_mm(self.surface, self.reference.surface)


def _one_each(*notices: Notice) -> tuple[Notice, ...]:
    return tuple({notice.code: notice for notice in notices}.values())
