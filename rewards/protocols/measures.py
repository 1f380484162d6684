"""The terms of published protocols, measured on the shapes that the judge holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from cadwright.rewards import similarity
from cadwright.rewards.agreement import topology_of
from cadwright.rewards.protocols import formulas
from cadwright.rewards.protocols.normals import angles_to_best, share_of_partners
from cadwright.rewards.protocols.voxels import Grid, solid_grid, unit_grid
from cadwright.rewards.score import Term

if TYPE_CHECKING:
    from cadwright.rewards.measurement import Measurement

NORMAL_AUC_REACH = 0.01  # of the part's largest extent
F1_REACH, F1_ANGLE_DEG = 0.005, 20.0  # of the reference's diagonal
SAMPLES_REACH = 0.03  # of the reference's diagonal
PITCH_MM = 1.0


def _cad_coder(m: Measurement) -> Term:
    extent = float(m.reference.surface.extents.max())
    chamfer = similarity.chamfer_sq_unit_x1000(*m.sample_gaps_mm, extent) / 1000
    note = "the format share of the reward needs the policy's text: left out"
    credit = formulas.cad_coder_geometry(chamfer)
    return _term(m, "cad_coder_geometry", chamfer, credit, note, unit="unit cube squared")


def _normal_auc(m: Measurement) -> Term:
    reach = NORMAL_AUC_REACH * float(m.surface.extents.max())
    angles = angles_to_best(m.reference.surface, m.surface, reach)
    lonely = float((angles >= np.pi).mean())
    value = formulas.normal_auc(angles)
    return _term(m, "normal_auc", value, value, f"{lonely:.1%} of the points without a partner")


def _surface_f1(m: Measurement) -> Term:
    value = _f1_with_normals(m)
    reach = F1_REACH * m.reference.surface.diagonal
    note = f"within {reach:.4g} mm and {F1_ANGLE_DEG:g} degrees"
    return _term(m, "surface_f1_normals", value, value, note)


def _shape_mean(m: Measurement) -> Term:
    value, note = _shape(m)
    return _term(m, "shape_mean", value, value, note)


def _shape_over_start(m: Measurement) -> Term:
    start = m.of_start
    if start is None:
        note = "the task has no start to compare with, or the start is no solid"
        return _term(m, "shape_over_start", None, None, note)
    (value, note), (base, _) = _shape(m), _shape(start)
    if value is None or base is None:
        return _term(m, "shape_over_start", None, None, note)
    credit = formulas.over_start(value, base)
    note = f"{value:.4g}, where the unedited start has {base:.4g}"
    return _term(m, "shape_over_start", value, credit, note)


def _topology(m: Measurement) -> Term:
    part, reference = topology_of(m.part.solid), topology_of(m.reference.solid)
    if part is None or reference is None:
        return _term(m, "topology_product", None, None, "a surface is not closed")
    value = formulas.topology_product(part.numbers, reference.numbers)
    note = f"bodies, handles, voids {part.numbers} against {reference.numbers}"
    return _term(m, "topology_product", value, value, note)


def _iou_tolerant(m: Measurement) -> Term:
    name, centre = "iou_tolerant_1mm", m.reference.solid.centre
    reference = solid_grid(m.reference.surface.triangles + centre, PITCH_MM)
    if reference is None:
        return _term(m, name, None, None, "the reference needs too many voxels of 1 mm")
    part = solid_grid(m.surface.triangles + centre, PITCH_MM)
    if part is None:
        return _term(m, name, 0.0, 0.0, "the part needs too many voxels of 1 mm: 0")
    value = _grid_overlap(part, reference)
    return _term(m, name, value, value, "one voxel of tolerance")


def _chamfer_gated(m: Measurement) -> Term:
    share = similarity.chamfer_l2_mm(*m.sample_gaps_mm) / m.reference.surface.diagonal
    gate = _f1_of_samples(m)
    note = f"chamfer over the diagonal {share:.4g}, gate {gate:.4g}"
    return _term(m, "chamfer_gated", share, max(0.0, 1.0 - share) * gate, note)


def _f1_samples(m: Measurement) -> Term:
    reach = SAMPLES_REACH * m.reference.surface.diagonal
    value = _f1_of_samples(m)
    return _term(m, "f1_samples", value, value, f"within {reach:.4g} mm")


def _voxel_iou(m: Measurement) -> Term:
    part, reference = (unit_grid(s.triangles) for s in (m.surface, m.reference.surface))
    union = int((part | reference).sum())
    value = int((part & reference).sum()) / union if union else 0.0
    return _term(m, "voxel_iou_64", value, value, "each shape in a unit cube of its own")


PUBLISHED_MEASURES: Mapping[str, Callable[[Measurement], Term]] = {
    "cad_coder_geometry": _cad_coder,
    "normal_auc": _normal_auc,
    "surface_f1_normals": _surface_f1,
    "shape_mean": _shape_mean,
    "shape_over_start": _shape_over_start,
    "topology_product": _topology,
    "iou_tolerant_1mm": _iou_tolerant,
    "chamfer_gated": _chamfer_gated,
    "f1_samples": _f1_samples,
    "voxel_iou_64": _voxel_iou,
}


def _shape(m: Measurement) -> tuple[float | None, str]:
    f1, iou = _f1_with_normals(m), m.overlap.iou
    if iou is None:
        return None, "the IoU is undefined"
    return (f1 + iou) / 2, f"F1 {f1:.4g}, IoU {iou:.4g}"


def _f1_with_normals(m: Measurement) -> float:
    reach = F1_REACH * m.reference.surface.diagonal
    pairs = ((m.surface, m.reference.surface), (m.reference.surface, m.surface))
    return _harmonic(*(share_of_partners(a, b, reach, F1_ANGLE_DEG) for a, b in pairs))


def _f1_of_samples(m: Measurement) -> float:
    reach = SAMPLES_REACH * m.reference.surface.diagonal
    return similarity.f1_from(*m.sample_gaps_mm, reach)


def _harmonic(precision: float, recall: float) -> float:
    total = precision + recall
    return 0.0 if total == 0 else 2 * precision * recall / total


def _grid_overlap(part: Grid, reference: Grid) -> float:
    """Compare around the reference only: a part far away must not cost its distance."""
    low, high = reference.first - 1, reference.first + reference.cells.shape + 1
    total = int(part.cells.sum() + reference.cells.sum())
    return formulas.tolerant_overlap(part.within(low, high), reference.within(low, high), total)


def _term(
    m: Measurement,
    name: str,
    raw: float | None,
    value: float | None,
    note: str,
    *,
    unit: str = "ratio",
) -> Term:
    return Term(name, m.scoring.weights.get(name, 0.0), raw, unit, value, note)
