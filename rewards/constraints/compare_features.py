"""How well other found features answer asked ones: slots, pockets, bosses, round faces, edges."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cadwright.rewards.constraints import kinds_features as kinds
from cadwright.rewards.constraints.compare_holes import ANGLE_HALF_DEG, POSITION_HALVES
from cadwright.rewards.constraints.matching import wrong
from cadwright.rewards.constraints.places import (
    angle_deg,
    line_angle_deg,
    place_distance,
    segment_distance,
    shown,
    shown_direction,
)
from cadwright.rewards.constraints.result import Aspect
from cadwright.rewards.constraints.subject import Subject
from cadwright.rewards.constraints.values import Place
from cadwright.tools.geometry import features as found
from cadwright.tools.geometry.faces import CylinderFace
from cadwright.tools.geometry.part import Vector

# A place on a sharp edge is this far from its fillet, in radii: sqrt(2) - 1; a chamfer is nearer
# than its size.
CORNER = 0.42


def compare_slot(asked: kinds.Slot, place: Place | None, slot: found.Slot) -> Iterator[Aspect]:
    """Yield the aspects of a slot."""
    yield _length(asked, "width", slot.width_mm, asked.width)
    yield from _optional(asked, "length", slot.length_mm, asked.length)
    yield from _optional(asked, "depth", slot.depth_mm, asked.depth)
    if asked.through is not None:
        yield wrong(
            "through" if slot.is_through else "not through",
            is_wrong=slot.is_through != asked.through,
        )
    if asked.opens is not None:
        yield _side(asked, asked.opens, slot.axis, is_through=slot.is_through)
    if asked.along is not None:
        turn = line_angle_deg(asked.along, slot.direction)
        yield Aspect("direction", turn, "deg", asked.angle_tolerance, ANGLE_HALF_DEG)
    yield from _along(
        asked, place, slot.position_mm, _beyond(slot.position_mm, slot.axis, slot.depth_mm)
    )


def describe_slot(slot: found.Slot) -> str:
    """Return a slot in words."""
    depth = "through" if slot.is_through else f"{slot.depth_mm:.4g} deep"
    return f"{slot.length_mm:.4g} x {slot.width_mm:.4g} {depth} at {shown(slot.position_mm)}"


def compare_pocket(
    asked: kinds.Pocket, place: Place | None, pocket: found.Pocket
) -> Iterator[Aspect]:
    """Yield the aspects of a pocket."""
    if asked.size is not None:
        long, short = max(asked.size), min(asked.size)
        yield _length(asked, "length", pocket.length_mm, long)
        yield _length(asked, "width", pocket.width_mm, short)
    yield from _optional(asked, "depth", pocket.depth_mm, asked.depth)
    if asked.corner_radius is not None:
        radius = pocket.corner_radius_mm
        yield wrong("corner radii differ", is_wrong=radius is None)
        yield from _optional(asked, "corner radius", radius or 0.0, asked.corner_radius)
    if asked.opens is not None:
        yield _side(asked, asked.opens, pocket.axis, is_through=pocket.is_through)
    end = _beyond(pocket.position_mm, pocket.axis, pocket.depth_mm)
    yield from _along(asked, place, pocket.position_mm, end)


def describe_pocket(pocket: found.Pocket) -> str:
    """Return a pocket in words."""
    size = f"{pocket.length_mm:.4g} x {pocket.width_mm:.4g}"
    return f"{size}, {pocket.depth_mm:.4g} deep at {shown(pocket.position_mm)}"


def compare_boss(asked: kinds.Boss, place: Place | None, boss: found.Boss) -> Iterator[Aspect]:
    """Yield the aspects of a boss."""
    yield wrong("not round", is_wrong=boss.shape != "round")
    yield _length(asked, "diameter", boss.width_mm, asked.diameter)
    yield from _optional(asked, "height", boss.height_mm, asked.height)
    if asked.points is not None:
        turn = angle_deg(asked.points, boss.axis)
        yield Aspect("direction", turn, "deg", asked.angle_tolerance, ANGLE_HALF_DEG)
    yield from _along(
        asked, place, boss.position_mm, _beyond(boss.position_mm, boss.axis, boss.height_mm)
    )


def describe_boss(boss: found.Boss) -> str:
    """Return a boss in words."""
    size = f"d {boss.width_mm:.4g}" if boss.shape == "round" else boss.shape
    return f"{size}, {boss.height_mm:.4g} high at {shown(boss.position_mm)}"


def compare_cylinder(
    asked: kinds.Cylinder, place: Place | None, cylinder: CylinderFace
) -> Iterator[Aspect]:
    """Yield the aspects of a round face."""
    yield wrong("wrong side of the material", is_wrong=cylinder.is_inner != asked.inner)
    yield _length(asked, "diameter", cylinder.diameter_mm, asked.diameter)
    yield from _optional(asked, "length", cylinder.length_mm, asked.length)
    if asked.axis is not None:
        turn = line_angle_deg(asked.axis, cylinder.axis)
        yield Aspect("axis", turn, "deg", asked.angle_tolerance, ANGLE_HALF_DEG)
    half = cylinder.length_mm / 2
    start = _beyond(cylinder.position_mm, cylinder.axis, -half)
    yield from _along(asked, place, start, _beyond(cylinder.position_mm, cylinder.axis, half))


def describe_cylinder(cylinder: CylinderFace) -> str:
    """Return a round face in words."""
    side = "inner" if cylinder.is_inner else "outer"
    size = f"{side} d {cylinder.diameter_mm:.4g}, {cylinder.length_mm:.4g} long"
    return f"{size} along {shown_direction(cylinder.axis)} at {shown(cylinder.position_mm)}"


def compare_fillet(
    asked: kinds.Fillet, place: Place | None, fillet: found.Fillet, subject: Subject
) -> Iterator[Aspect]:
    """Yield the aspects of a rounded edge."""
    yield _length(asked, "radius", fillet.radius_mm, asked.radius)
    if asked.convex is not None:
        said = "convex" if fillet.is_convex else "concave"
        yield wrong(said, is_wrong=fillet.is_convex != asked.convex)
    yield from _edge(asked, asked.along, fillet.axis)
    yield from _on_faces(asked, place, fillet.faces, CORNER * asked.radius, subject)


def describe_fillet(fillet: found.Fillet) -> str:
    """Return a fillet in words."""
    side = "convex" if fillet.is_convex else "concave"
    return f"{side} r {fillet.radius_mm:.4g} around {shown(fillet.position_mm)}"


def compare_chamfer(
    asked: kinds.Chamfer, place: Place | None, chamfer: found.Chamfer, subject: Subject
) -> Iterator[Aspect]:
    """Yield the aspects of a bevelled edge."""
    yield _length(asked, "size", chamfer.sizes_mm[0], asked.size)
    if asked.angle is not None:
        wanted, got = (min(a, 90.0 - a) for a in (asked.angle, chamfer.angle_deg))
        yield Aspect("angle", abs(got - wanted), "deg", asked.angle_tolerance, ANGLE_HALF_DEG)
    yield from _edge(asked, asked.along, chamfer.axis)
    yield from _on_faces(asked, place, chamfer.faces, max(chamfer.sizes_mm), subject)


def describe_chamfer(chamfer: found.Chamfer) -> str:
    """Return a chamfer in words."""
    first, second = chamfer.sizes_mm
    return f"{first:.4g} x {second:.4g} around {shown(chamfer.position_mm)}"


def _length(asked: kinds.Feature, name: str, got: float, wanted: float) -> Aspect:
    slack = asked.slack
    return Aspect(name, abs(got - wanted), "mm", slack.tolerance, slack.half)


def _optional(
    asked: kinds.Feature, name: str, got: float, wanted: float | None
) -> Iterator[Aspect]:
    if wanted is not None:
        yield _length(asked, name, got, wanted)


def _side(asked: kinds.Feature, opens: Vector, inward: Vector, *, is_through: bool) -> Aspect:
    turn = 180.0 - angle_deg(opens, inward)
    if is_through:
        turn = min(turn, 180.0 - turn)
    return Aspect("side it opens to", turn, "deg", asked.angle_tolerance, ANGLE_HALF_DEG)


def _along(
    asked: kinds.Feature, place: Place | None, start: Vector, end: Vector
) -> Iterator[Aspect]:
    if place is not None:
        gap = segment_distance(place, start, end)
        half = POSITION_HALVES * asked.slack.half
        yield Aspect("position", gap, "mm", asked.place_tolerance, half)


def _edge(asked: kinds.Feature, along: Vector | None, axis: Vector | None) -> Iterator[Aspect]:
    """Yield the direction of an edge; a corner between edges has none and is compared by size."""
    if along is not None and axis is not None:
        turn = line_angle_deg(along, axis)
        yield Aspect("direction", turn, "deg", asked.angle_tolerance, ANGLE_HALF_DEG)


def _on_faces(
    asked: kinds.Feature,
    place: Place | None,
    faces: tuple[int, ...],
    reach: float,
    subject: Subject,
) -> Iterator[Aspect]:
    """Yield how far a place on the former sharp edge is from the faces that replaced it."""
    if place is None:
        return
    point = [value for value in place if value is not None]
    if len(point) == 3:
        gap = subject.distance_to_faces(np.array(point), faces)
    else:
        corners = subject.face_points(faces)
        gap = min(place_distance(place, corner) for corner in corners)
    tolerance = asked.place_tolerance + reach
    yield Aspect("position", gap, "mm", tolerance, POSITION_HALVES * asked.slack.half)


def _beyond(point: Vector, axis: Vector, length: float) -> Vector:
    x, y, z = (p + length * a for p, a in zip(point, axis, strict=True))
    return (x, y, z)
