"""How well one found hole answers one asked hole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cadwright.rewards.constraints import kinds_holes as kinds
from cadwright.rewards.constraints.matching import Aspects, cost_of, wrong
from cadwright.rewards.constraints.places import (
    angle_deg,
    line_angle_deg,
    line_distance,
    segment_distance,
    shown,
    shown_direction,
)
from cadwright.rewards.constraints.result import Aspect
from cadwright.rewards.constraints.values import Place
from cadwright.tools.geometry.features import Counterbore, Countersink, HoleFeature
from cadwright.tools.geometry.part import Vector

ANGLE_HALF_DEG = 5.0
POSITION_HALVES = 2.0  # a place halves the credit after this many times the half of the diameter
CONE_TOLERANCE_DEG = 1.0


@dataclass(frozen=True, slots=True)
class Mouth:
    """One open end of a hole; ``rim`` is a cone that only breaks its edge."""

    outward: Vector
    counterbore: Counterbore | None
    countersink: Countersink | None
    rim: Countersink | None = None


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a hole is asked. ``is_line``: anywhere along the axis, in front of the part too."""

    place: Place | None = None
    is_line: bool = False


def compare_hole(asked: kinds.HoleLike, spot: Spot, hole: HoleFeature) -> Aspects:
    """Return the aspects of a hole, seen from the mouth where it answers best."""
    common = (*_size(asked, hole), *_position(asked, spot, hole))
    ends = [(*common, *_mouth(asked, mouth)) for mouth in mouths(hole)]
    return min(ends, key=cost_of)


def mouths(hole: HoleFeature) -> tuple[Mouth, ...]:
    """Return the open ends of a hole."""
    x, y, z = hole.axis
    entry = Mouth((-x, -y, -z), hole.counterbore, hole.countersink, hole.rim)
    if not hole.is_through:
        return (entry,)
    far = Mouth(hole.axis, hole.far_counterbore, hole.far_countersink, hole.far_rim)
    return (entry, far)


def describe_hole(hole: HoleFeature) -> str:
    """Return a hole in words."""
    depth = "through" if hole.is_through else f"{hole.depth_mm:.4g} deep"
    extra = ""
    for mouth in mouths(hole):
        if mouth.counterbore is not None:
            extra += f", counterbore d {mouth.counterbore.diameter_mm:.4g}"
        if mouth.countersink is not None:
            extra += f", countersink d {mouth.countersink.diameter_mm:.4g}"
    opens = shown_direction(mouths(hole)[0].outward)
    return f"d {hole.diameter_mm:.4g} {depth}{extra} at {shown(hole.position_mm)} from {opens}"


def _size(asked: kinds.HoleLike, hole: HoleFeature) -> Iterator[Aspect]:
    slack = asked.slack
    yield _length(asked, "diameter", hole.diameter_mm, asked.bore)
    if asked.axis is not None:
        turn = line_angle_deg(asked.axis, hole.axis)
        yield Aspect("axis", turn, "deg", asked.angle_tolerance, ANGLE_HALF_DEG)
    if asked.through is not None:
        said = "not through" if asked.through else "through, not blind"
        yield wrong(said, is_wrong=hole.is_through != asked.through)
    if asked.depth is not None:
        residual = abs(hole.depth_mm - asked.depth)
        yield Aspect("depth", residual, "mm", slack.tolerance, POSITION_HALVES * slack.half)
    if asked.bottom is not None:
        yield wrong(f"bottom {hole.bottom}", is_wrong=hole.bottom != asked.bottom)


def _position(asked: kinds.HoleLike, spot: Spot, hole: HoleFeature) -> Iterator[Aspect]:
    if spot.place is None:
        return
    if spot.is_line:
        point = [0.0 if value is None else value for value in spot.place]
        gap = line_distance(point, hole.position_mm, hole.axis)
    else:
        gap = segment_distance(spot.place, hole.position_mm, hole.end_mm)
    half = POSITION_HALVES * asked.slack.half
    yield Aspect("position", gap, "mm", asked.place_tolerance, half)


def _mouth(asked: kinds.HoleLike, mouth: Mouth) -> Iterator[Aspect]:
    if asked.opens is not None:
        turn = angle_deg(asked.opens, mouth.outward)
        yield Aspect("side it opens to", turn, "deg", asked.angle_tolerance, ANGLE_HALF_DEG)
    if asked.counterbore is not None:
        yield from _counterbore(asked, asked.counterbore, mouth.counterbore)
    if asked.countersink is not None:
        yield from _countersink(asked, asked.countersink, mouth.countersink or mouth.rim)


def _counterbore(
    asked: kinds.HoleLike, wanted: kinds.Counterbore, got: Counterbore | None
) -> Iterator[Aspect]:
    yield wrong("no counterbore", is_wrong=got is None)
    if got is not None:
        yield _length(asked, "counterbore diameter", got.diameter_mm, wanted.diameter)
        if wanted.depth is not None:
            yield _length(asked, "counterbore depth", got.depth_mm, wanted.depth)


def _countersink(
    asked: kinds.HoleLike, wanted: kinds.Countersink, got: Countersink | None
) -> Iterator[Aspect]:
    yield wrong("no countersink", is_wrong=got is None)
    if got is not None:
        yield _length(asked, "countersink diameter", got.diameter_mm, wanted.diameter)
        if wanted.angle is not None:
            turn = abs(got.angle_deg - wanted.angle)
            yield Aspect("countersink angle", turn, "deg", CONE_TOLERANCE_DEG, ANGLE_HALF_DEG)


def _length(asked: kinds.HoleLike, name: str, got: float, wanted: float) -> Aspect:
    slack = asked.slack
    return Aspect(name, abs(got - wanted), "mm", slack.tolerance, slack.half)
