"""Checks of how the part will be made, by gauges of its surfaces; of a mesh, of its triangles."""

from __future__ import annotations

from cadwright.rewards.constraints import kinds_making as kinds
from cadwright.rewards.constraints.places import shown
from cadwright.rewards.constraints.registry import checks
from cadwright.rewards.constraints.result import Finding, plain_aspect
from cadwright.rewards.constraints.subject import Subject
from cadwright.tools.geometry import overhang as gauges
from cadwright.tools.geometry.thickness import thickness


@checks(kinds.WallThickness)
def wall_thickness(asked: kinds.WallThickness, subject: Subject) -> Finding:
    """Measure the thinnest wall."""
    found = thickness(subject.gauged)
    aspect = plain_aspect(asked, max(0.0, asked.min - found.min_mm), "wall too thin,")
    return Finding(f"{found.min_mm:.4g} mm at {shown(found.position_mm)}", (aspect,))


@checks(kinds.Draft)
def draft(asked: kinds.Draft, subject: Subject) -> Finding:
    """Find the side face that leans least."""
    least = gauges.draft(subject.gauged, asked.pull).min_deg
    if least is None:
        return Finding("no side faces", (plain_aspect(asked, 0.0),))
    aspect = plain_aspect(asked, max(0.0, asked.min - least), "draft too small,")
    return Finding(f"{least:.3g} deg", (aspect,))


@checks(kinds.Overhang)
def overhang(asked: kinds.Overhang, subject: Subject) -> Finding:
    """Add up the area that leans over too far and does not rest on the plate."""
    got = gauges.overhang(subject.gauged, asked.up, limit_deg=asked.angle).area_mm2
    aspect = plain_aspect(asked, max(0.0, got - asked.max_area), "overhang")
    return Finding(f"{got:.4g} mm2", (aspect,))


@checks(kinds.BaseArea)
def base_area(asked: kinds.BaseArea, subject: Subject) -> Finding:
    """Add up the area that rests on the plate."""
    got = gauges.overhang(subject.gauged, asked.up).bed_area_mm2
    return Finding(f"{got:.5g} mm2", (plain_aspect(asked, max(0.0, asked.min_area - got), "base"),))


@checks(kinds.TriangleCount)
def triangle_count(asked: kinds.TriangleCount, subject: Subject) -> Finding:
    """Count the triangles; the residual is how many too many, in percent of those allowed."""
    got = subject.measures.num_triangles
    excess = max(0.0, 100.0 * (got / asked.max - 1.0))
    return Finding(f"{got} triangles", (plain_aspect(asked, excess, "too many,"),))
