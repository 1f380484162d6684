"""Checks against the space around a part, and against what it was made from."""

from __future__ import annotations

import numpy as np

from cadwright.rewards.constraints import kinds_space as kinds
from cadwright.rewards.constraints.registry import checks
from cadwright.rewards.constraints.result import CannotCheck, Finding, plain_aspect
from cadwright.rewards.constraints.subject import BoolArray, Subject
from cadwright.rewards.nesting import Manifold, arrays_of
from cadwright.rewards.surface import Surface, probe_distances
from cadwright.tools.geometry.part import FloatArray

CHUNK = 2_000_000  # points times triangles held in memory at once


@checks(kinds.KeepOut)
def keep_out(asked: kinds.KeepOut, subject: Subject) -> Finding:
    """Measure the material inside the region."""
    return _fault(asked, subject.manifold ^ subject.region_solid(asked.region), "inside it")


@checks(kinds.KeepIn)
def keep_in(asked: kinds.KeepIn, subject: Subject) -> Finding:
    """Measure the material outside the region."""
    return _fault(asked, subject.manifold - subject.region_solid(asked.region), "outside it")


@checks(kinds.Filled)
def filled(asked: kinds.Filled, subject: Subject) -> Finding:
    """Measure what is missing in the region."""
    return _fault(asked, subject.region_solid(asked.region) - subject.manifold, "missing")


@checks(kinds.Clearance)
def clearance(asked: kinds.Clearance, subject: Subject) -> Finding:
    """Measure the gap; bodies that overlap have none."""
    solid, other = subject.manifold, subject.region_solid(asked.region)
    inside = (solid ^ other).volume()
    # searched twice as far as asked: the number in the table tells by how much it is met
    gap = 0.0 if inside > 0.0 else float(solid.min_gap(other, 2.0 * asked.min))
    text = f"overlap {inside:.4g} mm3" if inside > 0.0 else f"{gap:.4g} mm"
    if gap >= 2.0 * asked.min:
        text = f"more than {gap:.4g} mm"
    return Finding(text, (plain_aspect(asked, max(0.0, asked.min - gap), "gap"),))


@checks(kinds.Preserved)
def preserved(asked: kinds.Preserved, subject: Subject) -> Finding:
    """Measure how far the surface moved where it had to stay."""
    old, new = subject.start_surface, subject.surface
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


def _moved(
    source: Surface, target: Surface, region: Manifold | None, *, is_inside: bool
) -> list[float]:
    """Return the largest distance from one surface to another, of the points that count."""
    probes = source.probes
    counts = np.ones(len(probes.points), dtype=bool)
    if region is not None:
        counts = inside_of(probes.points, region) == is_inside
    if not counts.any():
        return []
    points, normals = probes.points[counts], source.normals[probes.owners[counts]]
    return [float(probe_distances(points, normals, target).max())]


def inside_of(points: FloatArray, solid: Manifold) -> BoolArray:
    """Return which of (n, 3) points lie inside a solid."""
    vertices, faces = arrays_of(solid)
    triangles = vertices[faces]
    step = max(1, CHUNK // len(triangles))
    turns = [
        _solid_angles(points[start : start + step], triangles)
        for start in range(0, len(points), step)
    ]
    result: BoolArray = np.concatenate(turns) > 0.5
    return result


def _solid_angles(points: FloatArray, triangles: FloatArray) -> FloatArray:
    """Return (n,) how often a closed surface encloses each point."""
    a, b, c = (triangles[None, :, i] - points[:, None] for i in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    numerator = np.einsum("nij,nij->ni", a, np.cross(b, c))
    denominator = (
        la * lb * lc
        + np.einsum("nij,nij->ni", a, b) * lc
        + np.einsum("nij,nij->ni", b, c) * la
        + np.einsum("nij,nij->ni", c, a) * lb
    )
    turns: FloatArray = np.arctan2(numerator, denominator).sum(axis=1) / (2 * np.pi)
    return turns


def _fault(asked: kinds.Spatial, fault: Manifold, what: str) -> Finding:
    if fault.status().name != "NoError":
        raise CannotCheck("the part and the region could not be intersected")
    got = max(0.0, float(fault.volume()))
    return Finding(f"{got:.4g} mm3 {what}", (plain_aspect(asked, got, "volume"),))
