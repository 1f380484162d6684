"""The terms of a score: each measures one thing, once, and only where a scoring asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cadwright.rewards import similarity
from cadwright.rewards.alignment import Transform, align, pose_surface
from cadwright.rewards.hygiene import unit_interval
from cadwright.rewards.normalise import Manifold, Solid
from cadwright.rewards.score import Term
from cadwright.rewards.scoring import Scoring
from cadwright.rewards.similarity import Overlap
from cadwright.rewards.surface import PART_STREAM, REFERENCE_STREAM, Surface
from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.part import FloatArray

# What is left of the validity term for a part that is not a valid solid, so that a group of failed
# rollouts still has an order: parses < runs < makes something < makes a solid < right.
FAILED_CREDIT: Mapping[Outcome, float] = {
    Outcome.INVALID_GEOMETRY: 0.5,
    Outcome.NOT_A_SOLID: 0.3,
    Outcome.EMPTY_GEOMETRY: 0.2,
    Outcome.NO_RESULT: 0.1,
    Outcome.PYTHON_ERROR: 0.05,
}


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A part as the judge sees it.

    Attributes:
        solid: Its normalised shape.
        outcome: Result of the validity layers.
        message: What failed, where something did.
    """

    solid: Solid
    outcome: Outcome = Outcome.OK
    message: str = ""


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
    """

    def __init__(
        self,
        solid: Solid,
        *,
        is_exact: bool,
        num_points: int,
        seed: int,
        facet_deg: float = 17.0,
        problem: str = "",
    ) -> None:
        self.solid = solid
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
    def pose_surface(self) -> Surface:
        """The same surface under the small sample that alignment searches with."""
        return pose_surface(self.surface.triangles, seed=self.seed, stream=REFERENCE_STREAM)

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
    """

    def __init__(
        self,
        part: Candidate,
        reference: Reference,
        scoring: Scoring,
        *,
        is_exact_allowed: bool = True,
    ) -> None:
        self.part = part
        self.reference = reference
        self.scoring = scoring
        self._is_exact_allowed = is_exact_allowed
        # both shapes live in the reference's own frame: small numbers, exact booleans
        self._offset: FloatArray = part.solid.centre - reference.solid.centre

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
        vertices = self.transform.apply(self.part.solid.vertices + self._offset)
        return Surface(
            vertices[self.part.solid.faces],
            num_points=self.scoring.num_points,
            seed=self.scoring.seed,
            stream=PART_STREAM,
        )

    @cached_property
    def manifold(self) -> Manifold | None:
        """The aligned part for booleans, or None."""
        if self.part.solid.manifold is None or not self._is_exact_allowed:
            return None
        return self.part.solid.manifold.transform(self.transform.from_frame(self._offset).matrix)

    @cached_property
    def extents_mm(self) -> FloatArray:
        """(3,) size of the part after rotation, before scaling."""
        extents: FloatArray = self.surface.extents / self.transform.scale
        return extents

    @cached_property
    def overlap(self) -> Overlap:
        """Volume overlap, exact where both shapes allow it."""
        is_exact = self.manifold is not None and not self.reference.problem
        if is_exact:
            overlap = similarity.exact_overlap(self.manifold, self.reference.solid.manifold)
            if overlap is not None:
                return overlap
        return similarity.raster_overlap(self.surface.triangles, self.reference.surface.triangles)

    @cached_property
    def deviation_mm(self) -> tuple[FloatArray, FloatArray]:
        """Distances between the surfaces, part to reference and back."""
        return similarity.surface_deviation_mm(self.surface, self.reference.surface)

    @cached_property
    def sample_gaps_mm(self) -> tuple[FloatArray, FloatArray]:
        """Distances between the samples, part to reference and back."""
        return similarity.sample_gaps_mm(self.surface, self.reference.surface)


def measure_terms(measurement: Measurement, names: list[str]) -> tuple[Term, ...]:
    """Return the named terms, each with the weight that the scoring gives it."""
    return tuple(MEASURES[name](measurement) for name in names)


def _validity(m: Measurement) -> Term:
    credit = 1.0 if m.part.outcome is Outcome.OK else FAILED_CREDIT.get(m.part.outcome, 0.0)
    return _term(m, "validity", None, "", credit, m.part.message or m.part.outcome.value)


def _iou(m: Measurement) -> Term:
    overlap = m.overlap
    if overlap.iou is None:
        return _term(m, "iou", None, "ratio", None, "undefined: both shapes are empty")
    note = ""
    if overlap.method != similarity.EXACT:
        note = f"approximate ({overlap.method} cells), error about {overlap.error:.2g}"
    credit = unit_interval(overlap.iou / m.scoring.iou_target)
    return _term(m, "iou", overlap.iou, "ratio", credit, note)


def _surface(m: Measurement) -> Term:
    there, back = m.deviation_mm
    gap = float(there.mean() + back.mean()) / 2
    return _distance_term(m, "surface", gap)


def _deviation(m: Measurement) -> Term:
    there, back = m.deviation_mm
    return _distance_term(m, "deviation", float(max(there.max(), back.max())))


def _f1(m: Measurement) -> Term:
    tolerance = m.scoring.tolerances.get("f1", 0.01) * m.reference.surface.diagonal
    value = similarity.f1_from(*m.deviation_mm, tolerance)
    return _term(m, "f1", value, "ratio", value, f"within {tolerance:.4g} mm")


def _size(m: Measurement) -> Term:
    note = f"{_box(m.extents_mm)} against {_box(m.reference.surface.extents)} mm"
    ratio = similarity.size_ratio(m.extents_mm, m.reference.surface.extents)
    return _ratio_term(m, "size", ratio, note)


def _proportions(m: Measurement) -> Term:
    part, reference = m.extents_mm, m.reference.surface.extents
    ratio = similarity.size_ratio(part / part.max(), reference / reference.max())
    return _ratio_term(m, "proportions", ratio, "extents over the largest one")


def _volume(m: Measurement) -> Term:
    part, reference = m.part.solid.volume_mm3, m.reference.solid.volume_mm3
    if part is None or reference is None:
        return _term(m, "volume", None, "ratio", None, "no volume: a surface is not closed")
    ratio = similarity.volume_ratio(part, reference)
    return _ratio_term(m, "volume", ratio, f"{part:.6g} against {reference:.6g} mm3")


def _volume_error(m: Measurement) -> Term:
    part, reference = m.part.solid.volume_mm3, m.reference.solid.volume_mm3
    if part is None or reference is None:
        return _term(m, "volume_error", None, "ratio", None, "no volume: a surface is not closed")
    return _error_term(m, "volume_error", abs(part - reference) / reference, "ratio")


def _box_error(m: Measurement) -> Term:
    part, reference = np.sort(m.extents_mm), np.sort(m.reference.surface.extents)
    return _error_term(m, "box_error_mm", float(np.abs(part - reference).max()), "mm")


def _watertight(m: Measurement) -> Term:
    solid = m.part.solid
    is_tight = solid.manifold is not None and solid.num_tangled == 0
    note = solid.problem or ("" if is_tight else f"{solid.num_tangled} tangled edges")
    return _term(m, "watertight", float(is_tight), "bool", float(is_tight), note)


def _shells(m: Measurement) -> Term:
    found, asked = m.part.solid.shells, m.reference.solid.shells
    note = f"{found} against {asked}"
    return _term(m, "shells", float(found), "count", float(found == asked), note)


def _chamfer_l2(m: Measurement) -> Term:
    gap = similarity.chamfer_l2_mm(*m.sample_gaps_mm)
    return _chamfer_term(m, "chamfer_l2_mm", gap, "mm")


def _chamfer_sq_unit(m: Measurement) -> Term:
    extent = float(m.reference.surface.extents.max())
    gap = similarity.chamfer_sq_unit_x1000(*m.sample_gaps_mm, extent)
    return _chamfer_term(m, "chamfer_sq_unit_x1000", gap, "unit cube squared x1000")


def _hausdorff95(m: Measurement) -> Term:
    gap = similarity.hausdorff95_mm(*m.sample_gaps_mm)
    return _error_term(m, "hausdorff95_mm", gap, "mm")


MEASURES: Mapping[str, Callable[[Measurement], Term]] = {
    "validity": _validity,
    "iou": _iou,
    "surface": _surface,
    "deviation": _deviation,
    "size": _size,
    "proportions": _proportions,
    "volume": _volume,
    "volume_error": _volume_error,
    "box_error_mm": _box_error,
    "watertight": _watertight,
    "shells": _shells,
    "f1": _f1,
    "chamfer_l2_mm": _chamfer_l2,
    "chamfer_sq_unit_x1000": _chamfer_sq_unit,
    "hausdorff95_mm": _hausdorff95,
}


def credit_of_error(error: float, tolerance: float, half: float | None) -> float:
    """Return the credit of an error: 1 up to the tolerance, then halved every ``half`` further.

    Args:
        error: At least 0, in any unit.
        tolerance: Error that still earns full credit.
        half: Further error that halves the credit; None makes it pass or fail.
    """
    beyond = error - tolerance
    if beyond <= 0.0:
        return 1.0
    return 0.0 if half is None or half <= 0.0 else unit_interval(2.0 ** (-beyond / half))


def _distance_term(m: Measurement, name: str, gap_mm: float) -> Term:
    """Credit a distance whose tolerances are shares of the reference's diagonal."""
    diagonal = m.reference.surface.diagonal
    tolerance = m.scoring.tolerances.get(name, 0.0) * diagonal
    credit = _credit(m, name, gap_mm / diagonal)
    return _term(m, name, gap_mm, "mm", credit, f"full credit up to {tolerance:.4g} mm")


def _chamfer_term(m: Measurement, name: str, gap: float, unit: str) -> Term:
    """Credit a chamfer; where credit is partial, only what exceeds the noise floor counts."""
    floor = m.reference.noise_floor[name]
    is_graded = f"{name}_half" in m.scoring.tolerances
    credit = _credit(m, name, max(0.0, gap - floor) if is_graded else gap)
    return _term(m, name, gap, unit, credit, f"noise floor {floor:.4g}")


def _error_term(m: Measurement, name: str, error: float, unit: str) -> Term:
    tolerance = m.scoring.tolerances.get(name, 0.0)
    return _term(m, name, error, unit, _credit(m, name, error), f"full credit up to {tolerance:g}")


def _credit(m: Measurement, name: str, error: float) -> float | None:
    """Return the credit of an error, or None where the scoring gives it no tolerance."""
    tolerance = m.scoring.tolerances.get(name)
    half = m.scoring.tolerances.get(f"{name}_half")
    if tolerance is None and half is None:
        return None
    return credit_of_error(error, tolerance or 0.0, half)


def _ratio_term(m: Measurement, name: str, ratio: float, note: str) -> Term:
    tolerance = m.scoring.tolerances.get(name, 0.0)
    return _term(m, name, ratio, "ratio", unit_interval(ratio / (1.0 - tolerance)), note)


def _term(
    m: Measurement, name: str, raw: float | None, unit: str, value: float | None, note: str
) -> Term:
    return Term(name, m.scoring.weights.get(name, 0.0), raw, unit, value, note)


def _box(extents: FloatArray) -> str:
    return " x ".join(f"{size:.6g}" for size in extents)
