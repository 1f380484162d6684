"""Gates: factors on a score for what no honest part has, 1 for everything else.

A weighted mean can be gamed one term at a time: a speck far away mends the bounding box, a thin
skin has the right surface, a second copy doubles the volume that a report shows. So a scoring
multiplies its mean by a factor for each of these. Every gate is measured against the reference:
what the reference itself has is never held against a part.

The factors act on what lies above the value of the best invalid part, so that a valid part stays
above every invalid one. The law behind the bodies: a disjoint speck never raises a score. A valid
part has at least its share for validity; a part with a stray body keeps less than that.

Where a task has no reference, the part that it starts from takes its place: who makes a part
lighter takes material away, and neither hides a void in it nor fills another shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cadwright.rewards.credit import credit
from cadwright.tools.geometry.part import FloatArray

if TYPE_CHECKING:
    from cadwright.rewards.measurement import Candidate, Measurement, Reference
    from cadwright.rewards.normalise import Solid
    from cadwright.tools.geometry.solids import Manifold

GATES: Mapping[str, str] = {
    "stray_bodies": "factor for each body that the reference has no place for",
    "pieces": "factor for each further body inside the reference: one body in several pieces",
    "redundant_bodies": "factor for each body that repeats another or lies in it",
    "inside_out": "factor for a part whose surfaces face inwards",
    "cavities": "factor for each closed void that the reference has not",
    "overlap": "volume shared by bodies, as a share of the whole, that halves the score",
    "material": "share of the reference's volume below which a score falls with the volume",
    "extents": "ratio of the worst extent below which a score falls with it",
    "inside": "share of the part inside the reference below which a score falls with it",
}
# Where the alignment forgives size these look at nothing, and are said not to.
SIZE_GATES = frozenset({"extents"})
SIZE_FORGIVEN = "not applicable: the alignment forgives size"
# A body with less than this share of its volume inside the reference is outside.
INSIDE = 0.5
# A body below this share of the reference's smallest body is a speck, wherever it is.
SPECK = 0.01
# Bodies closer than this share of the diagonal meet but for the facets of a curved face.
TOUCHING = 2e-3
# More pieces than this are dust: no honest part breaks into so many.
MAX_PIECES = 64
# Unfused bodies overlap a little to be sure to touch: that costs nothing. With more of it they are
# no sound part, whatever their union looks like: a sum of volumes counts twice what they share.
FREE_OVERLAP = 0.01
_INSIDE_OUT = "inside_out"


@dataclass(frozen=True, slots=True)
class Gate:
    """One factor.

    Attributes:
        name: Its name in ``GATES``.
        found: What was counted or measured.
        factor: In [0, 1]; what the score is multiplied with.
        note: Plain words: what was found, or why it was not looked for; empty where nothing was.
    """

    name: str
    found: float
    factor: float
    note: str = ""


def measure_gates(m: Measurement) -> tuple[Gate, ...]:
    """Return the gates of a scoring, each with its factor for this part."""
    return tuple(
        Gate(name, 0.0, 1.0, SIZE_FORGIVEN)
        if name in m.scoring.dropped
        else _MEASURES[name](m, value)
        for name, value in m.scoring.gates.items()
    )


@dataclass(frozen=True, slots=True)
class Pieces:
    """The separate bodies of a part that the reference does not have.

    Attributes:
        num_stray: Outside the reference, or specks.
        num_inside: Inside the reference.
        extents_mm: (3,) size of the bodies that are not stray, or None where none was looked for.
    """

    num_stray: int = 0
    num_inside: int = 0
    extents_mm: FloatArray | None = None


def find_pieces(part: Manifold, reference: Manifold, *, is_exact: bool = True) -> Pieces:
    """Return what a part has more of than its reference, both in one frame.

    The largest overlaps are taken for the bodies that were asked for; what is left is extra. A
    speck is extra even where a body is missing. Without exact booleans every extra body is stray.
    """
    bodies, wanted = _bodies(part), _bodies(reference)
    if len(bodies) - len(wanted) > MAX_PIECES:
        return Pieces(num_stray=len(bodies) - len(wanted))
    volumes = np.array([body.volume() for body in bodies])
    inside = np.array([(body ^ reference).volume() if is_exact else 0.0 for body in bodies])
    order = np.lexsort((-volumes, -inside))
    is_extra = np.arange(len(bodies)) >= len(wanted)
    is_speck = volumes[order] < SPECK * min(body.volume() for body in wanted)
    is_speck[0] = False
    is_outside = inside[order] < INSIDE * volumes[order]
    is_stray = is_speck | (is_extra & is_outside)
    apart = [bodies[i] for i in order[is_extra & ~is_stray]]
    kept = [bodies[i] for i in order[~is_extra]]
    gap_mm = TOUCHING * float(np.linalg.norm(np.ptp(_corners(reference), axis=0)))
    num_inside = sum(not _touches(body, kept, gap_mm) for body in apart)
    corners = np.concatenate([_corners(bodies[i]) for i in order[~is_stray]])
    return Pieces(int(is_stray.sum()), num_inside, np.ptp(corners, axis=0))


def _touches(body: Manifold, others: list[Manifold], gap_mm: float) -> bool:
    return any(body.min_gap(other, gap_mm) < gap_mm for other in others)


def _corners(solid: Manifold) -> FloatArray:
    return np.array(solid.bounding_box()).reshape(2, 3)


def _bodies(solid: Manifold) -> list[Manifold]:
    """Return the outsides of the separate pieces of material."""
    return [shell for shell in solid.decompose() if shell.volume() > 0]


def _stray(m: Measurement, factor: float) -> Gate:
    count = m.pieces.num_stray
    note = f"{count} bodies that the reference has no place for" if count else ""
    return Gate("stray_bodies", count, factor**count, note)


def _pieces(m: Measurement, factor: float) -> Gate:
    count = m.pieces.num_inside
    note = f"{count} pieces more than the reference" if count else ""
    return Gate("pieces", count, factor**count, note)


def _redundant(m: Measurement, factor: float) -> Gate:
    count = m.part.solid.census.num_redundant - m.reference.solid.census.num_redundant
    note = f"{count} bodies lie in others" if count > 0 else ""
    return Gate("redundant_bodies", max(0, count), factor ** max(0, count), note)


def _inside_out(m: Measurement, factor: float) -> Gate:
    is_turned = _INSIDE_OUT in _codes(m.part) and _INSIDE_OUT not in _codes(m.reference)
    note = "its surfaces face inwards" if is_turned else ""
    return Gate(_INSIDE_OUT, float(is_turned), factor if is_turned else 1.0, note)


def _cavities(m: Measurement, factor: float) -> Gate:
    count = m.part.solid.census.num_cavities - m.reference.solid.census.num_cavities
    note = f"{count} closed voids that no tool can reach" if count > 0 else ""
    return Gate("cavities", max(0, count), factor ** max(0, count), note)


def _overlap(m: Measurement, half: float) -> Gate:
    share = _shared(m.part.solid) - _shared(m.reference.solid)
    factor = credit(max(0.0, share), FREE_OVERLAP, half)
    note = f"bodies share {share:.1%} of the volume" if factor < 1 else ""
    return Gate("overlap", max(0.0, share), factor, note)


def _material(m: Measurement, least: float) -> Gate:
    part, reference = m.part.solid.volume_mm3, m.reference.solid.volume_mm3
    if part is None or reference is None:
        return Gate("material", 0.0, 1.0)
    ratio = part * m.transform.scale**3 / reference
    note = f"{ratio:.1%} of the reference's volume" if ratio < least else ""
    return Gate("material", ratio, min(1.0, ratio / least), note)


def _extents(m: Measurement, least: float) -> Gate:
    """Without stray bodies: a speck must not mend a bounding box."""
    part = m.extents_mm if m.pieces.extents_mm is None else m.pieces.extents_mm
    reference = m.reference.surface.extents
    larger = np.maximum(part, reference)
    ratios = np.divide(np.minimum(part, reference), larger, out=np.ones(3), where=larger > 0)
    worst = float(ratios.min())
    note = f"an extent is off by a factor of {1 / max(worst, 1e-9):.3g}" if worst < least else ""
    return Gate("extents", worst, min(1.0, worst / least), note)


def _inside(m: Measurement, least: float) -> Gate:
    part, reference, iou = m.part.solid.volume_mm3, m.reference.solid.volume_mm3, m.overlap.iou
    if not part or reference is None or iou is None:
        return Gate("inside", 0.0, 1.0)
    placed = part * m.transform.scale**3
    share = iou * (placed + reference) / ((1.0 + iou) * placed)
    note = f"{share:.1%} of it lies where it should" if share < least else ""
    return Gate("inside", share, min(1.0, share / least), note)


def _codes(shape: Candidate | Reference) -> set[str]:
    return {notice.code for notice in shape.all_notices}


def _shared(solid: Solid) -> float:
    volume = solid.volume_mm3
    return 0.0 if not volume else solid.census.overlap_mm3 / volume


_MEASURES: Mapping[str, Callable[[Measurement, float], Gate]] = {
    "stray_bodies": _stray,
    "pieces": _pieces,
    "redundant_bodies": _redundant,
    "inside_out": _inside_out,
    "cavities": _cavities,
    "overlap": _overlap,
    "material": _material,
    "extents": _extents,
    "inside": _inside,
}
