"""Checks against the space around a part, and against what it was made from."""

from __future__ import annotations

import numpy as np

from cadwright.rewards.constraints import kinds_space as kinds
from cadwright.rewards.constraints.moved_surface import Side, moves
from cadwright.rewards.constraints.registry import checks
from cadwright.rewards.constraints.result import CannotCheck, Finding, plain_aspect
from cadwright.rewards.constraints.subject import BoolArray, Subject
from cadwright.rewards.distances import probes_of
from cadwright.tools.geometry.clearance import fraction, gap_mm, overlap_mm3, surface_gap_mm
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.shares import Share, region_body, share
from cadwright.tools.geometry.solids import Manifold, arrays_of
from cadwright.tools.geometry.winding import winding_numbers

HALF = 0.5  # of the smaller volume
# Share of a round region's volume by which facets of a part without surfaces differ from it.
FACETED = 0.003


@checks(kinds.KeepOut)
def keep_out(asked: kinds.KeepOut, subject: Subject) -> Finding:
    """Measure the material inside the region."""
    found = _share(asked, subject)
    return _fault(asked, found.fraction.inside_mm3 - found.blur_mm3, "inside it")


@checks(kinds.KeepIn)
def keep_in(asked: kinds.KeepIn, subject: Subject) -> Finding:
    """Measure the material outside the region."""
    found = _share(asked, subject)
    return _fault(asked, found.fraction.outside_mm3 - found.blur_mm3, "outside it")


@checks(kinds.Filled)
def filled(asked: kinds.Filled, subject: Subject) -> Finding:
    """Measure what is missing in the region."""
    found = _share(asked, subject)
    return _fault(asked, found.fraction.vacant_mm3 - found.blur_mm3, "missing")


@checks(kinds.Clearance)
def clearance(asked: kinds.Clearance, subject: Subject) -> Finding:
    """Measure the gap; bodies that overlap have none."""
    solid, other = subject.manifold, subject.region_solid(asked.region)
    # searched twice as far as asked: the number in the table tells by how much it is met
    exact = surface_gap_mm(subject.gauged, subject.region_of(asked.region), 2.0 * asked.min)
    overlap = overlap_mm3(solid, other)
    # facets of surfaces that are apart may cross a little; one body inside the other is no little
    is_inside = overlap > HALF * min(float(solid.volume()), float(other.volume()))
    if overlap > 0.0 and (not exact or is_inside):
        return Finding(f"overlap {overlap:.4g} mm3", (plain_aspect(asked, asked.min, "gap"),))
    gap = gap_mm(solid, other, within_mm=2.0 * asked.min) if exact is None else exact
    text = f"{gap:.4g} mm" if gap < 2.0 * asked.min else f"more than {gap:.4g} mm"
    return Finding(text, (plain_aspect(asked, max(0.0, asked.min - gap), "gap"),))


@checks(kinds.Preserved)
def preserved(asked: kinds.Preserved, subject: Subject) -> Finding:
    """Measure how far the surface moved where it had to stay."""
    old = Side(subject.start_surface, subject.start_gauged)
    new = Side(subject.surface, subject.gauged)
    region = None
    if asked.region is not None:
        region = subject.region_solid(asked.region).translate(subject.solid.centre.tolist())
    moved = [
        distance
        for source, target in ((old, new), (new, old))
        for distance in _moved(source, target, region, is_inside=asked.inside)
    ]
    if not moved:
        raise CannotCheck("no surface lies where the part must stay as it was")
    worst = max(moved)
    return Finding(f"moved by at most {worst:.4g} mm", (plain_aspect(asked, worst, "surface"),))


def _moved(source: Side, target: Side, region: Manifold | None, *, is_inside: bool) -> list[float]:
    """Return the largest distance from one surface to another, of the points that count."""
    chosen = None
    if region is not None:
        chosen = inside_of(probes_of(source.surface)[0], region) == is_inside
        if not chosen.any():
            return []
    return [float(moves(source, target, chosen).max())]


def inside_of(points: FloatArray, solid: Manifold) -> BoolArray:
    """Return which of (n, 3) points lie inside a solid."""
    vertices, faces = arrays_of(solid)
    result: BoolArray = winding_numbers(points, vertices[faces]) > 0.5
    return result


def _share(asked: kinds.Spatial, subject: Subject) -> Share:
    """Measure surfaces where the part has them and needed no repair, else triangles."""
    solid, region = subject.manifold, subject.region_solid(asked.region)
    is_untouched = np.array_equal(subject.solid.faces, subject.mesh.faces)
    if is_untouched and subject.gauged.part.brep is not None:
        return share(subject.gauged, region_body(subject.region_of(asked.region)))
    return Share(fraction(solid, region), FACETED * asked.region.round_mm3)


def _fault(asked: kinds.Spatial, volume_mm3: float, what: str) -> Finding:
    volume_mm3 = max(0.0, volume_mm3)
    return Finding(f"{volume_mm3:.4g} mm3 {what}", (plain_aspect(asked, volume_mm3, "volume"),))
