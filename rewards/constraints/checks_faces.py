"""Checks of faces to each other.

A face is selected by a point and a direction within a wide angle, so that one out of true is
found and measured. How far it lies from its point counts too, beyond a share of the part's size:
a point in the air selects nothing, and a face that is not there is one missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Generic, TypeVar

import numpy as np

from cadwright.rewards.constraints import kinds_faces as kinds
from cadwright.rewards.constraints.matching import MISSING_COST, absent
from cadwright.rewards.constraints.places import (
    angle_deg,
    line_angle_deg,
    line_distance,
    segment_distance,
    shown,
    shown_direction,
)
from cadwright.rewards.constraints.registry import checks
from cadwright.rewards.constraints.result import Aspect, Finding, plain_aspect
from cadwright.rewards.constraints.subject import Subject
from cadwright.tools.geometry.faces import CylinderFace, PlaneFace
from cadwright.tools.geometry.part import FloatArray

ANGLE_HALF_DEG = 5.0
DIAMETER_WEIGHT = 1.0  # one mm of diameter counts like one mm of distance, in selecting a cylinder
# Of the largest extent of the part: how far a face may be from the point that selects it. A face
# that moved with an edit is still the one meant; a point outside the part means none.
WITHIN_SHARE = 0.05

FaceT = TypeVar("FaceT", bound=PlaneFace | CylinderFace)


@dataclass(frozen=True, slots=True)
class _Pick(Generic[FaceT]):
    """A face that a point may select. ``off``: how far from it, as an aspect."""

    face: FaceT
    off: Aspect

    @property
    def shortfall(self) -> tuple[Aspect, ...]:
        """The aspect where the face is too far away: it says nothing otherwise."""
        return () if self.off.is_met else (self.off,)


@dataclass(frozen=True, slots=True)
class _Pair(Generic[FaceT]):
    """The two faces of a constraint, and what is wrong with their places."""

    first: FaceT
    second: FaceT
    shortfall: tuple[Aspect, ...]


@checks(kinds.Face)
def face(asked: kinds.Face, subject: Subject) -> Finding:
    """Compare a plane with the best of the found ones."""
    if not subject.features.planes:
        subject.needs("planes")
        return absent("the part has no planar face")
    plane, aspects = _best_plane(asked, subject)
    text = f"{plane.area_mm2:.4g} mm2 facing {shown_direction(plane.normal)}"
    return Finding(f"{text} around {shown(plane.centre_mm)}", aspects)


def _best_plane(asked: kinds.Face, subject: Subject) -> tuple[PlaneFace, tuple[Aspect, ...]]:
    """Return the plane that costs least; a distance is measured only where it could decide."""
    least, best = math.inf, None
    for plane in subject.features.planes:
        rest = _plain_aspects(asked, plane)
        if best is not None and sum(aspect.cost for aspect in rest) >= least:
            continue
        off = subject.distance_to_faces(np.array(asked.at), plane.faces)
        aspects = (plain_aspect(asked, off, "position"), *rest)
        cost = sum(aspect.cost for aspect in aspects)
        if cost < least or best is None:
            least, best = cost, (plane, aspects)
    assert best is not None  # there is a plane
    return best


def _plain_aspects(asked: kinds.Face, plane: PlaneFace) -> tuple[Aspect, ...]:
    """Return direction and area of a plane against what is asked."""
    turn = angle_deg(asked.normal, plane.normal)
    aspects = [Aspect("direction", turn, "deg", asked.angle_tolerance, ANGLE_HALF_DEG)]
    if asked.min_area is not None:
        lacks = max(0.0, asked.min_area - plane.area_mm2)
        aspects.append(Aspect("area", lacks, "mm2", 1e-3 * asked.min_area, 0.1 * asked.min_area))
    return tuple(aspects)


@checks(kinds.Parallel)
def parallel(asked: kinds.Parallel, subject: Subject) -> Finding:
    """Measure the angle between two planes."""

    def between(first: PlaneFace, second: PlaneFace) -> tuple[str, float]:
        off = line_angle_deg(first.normal, second.normal)
        return f"{off:.3g} deg between them", off

    return _of_planes(asked, subject, between)


@checks(kinds.Perpendicular)
def perpendicular(asked: kinds.Perpendicular, subject: Subject) -> Finding:
    """Measure what is missing to a right angle."""

    def between(first: PlaneFace, second: PlaneFace) -> tuple[str, float]:
        angle = line_angle_deg(first.normal, second.normal)
        return f"{angle:.4g} deg between them", 90.0 - angle

    return _of_planes(asked, subject, between)


@checks(kinds.Coplanar)
def coplanar(asked: kinds.Coplanar, subject: Subject) -> Finding:
    """Measure the step from each face's middle to the plane of the other."""

    def between(first: PlaneFace, second: PlaneFace) -> tuple[str, float]:
        there, back = _above(first, second.centre_mm), _above(second, first.centre_mm)
        step = max(abs(there), abs(back))
        return f"step of {step:.4g} mm", step

    return _of_planes(asked, subject, between, is_one_enough=True)


@checks(kinds.FaceDistance)
def face_distance(asked: kinds.FaceDistance, subject: Subject) -> Finding:
    """Measure how far the second face's middle is from the first plane."""

    def between(first: PlaneFace, second: PlaneFace) -> tuple[str, float]:
        got = abs(_above(first, second.centre_mm))
        return f"{got:.6g} mm", abs(got - asked.value)

    return _of_planes(asked, subject, between)


@checks(kinds.Coaxial)
def coaxial(asked: kinds.Coaxial, subject: Subject) -> Finding:
    """Measure the distance of the axes at the middle of either face."""
    pair = _pair(_rounds(asked.first, subject), _rounds(asked.second, subject))
    if pair is None:
        subject.needs("cylinders")
        return absent("there are no two such round faces at these points")
    first, second = pair.first, pair.second
    off = max(
        line_distance(first.position_mm, second.position_mm, second.axis),
        line_distance(second.position_mm, first.position_mm, first.axis),
    )
    text = f"axes of d {first.diameter_mm:.4g} and d {second.diameter_mm:.4g}: {off:.4g} mm apart"
    return Finding(text, (plain_aspect(asked, off), *pair.shortfall))


def _of_planes(
    asked: kinds.FacePair,
    subject: Subject,
    between: Callable[[PlaneFace, PlaneFace], tuple[str, float]],
    *,
    is_one_enough: bool = False,
) -> Finding:
    """Return what two planes have between them, or that one is missing."""
    options = [_planes(wanted, subject) for wanted in (asked.first, asked.second)]
    pair = _pair(options[0], options[1], is_one_enough=is_one_enough)
    if pair is None:
        subject.needs("planes")
        wanted = " and ".join(_wanted(one) for one in (asked.first, asked.second))
        return absent(f"there are no two planar faces {wanted}")
    text, residual = between(pair.first, pair.second)
    return Finding(text, (plain_aspect(asked, residual), *pair.shortfall))


def _wanted(one: kinds.FaceAt) -> str:
    return f"about {shown_direction(one.normal)} at {shown(one.at)}"


def _pair(
    firsts: Sequence[_Pick[FaceT]],
    seconds: Sequence[_Pick[FaceT]],
    *,
    is_one_enough: bool = False,
) -> _Pair[FaceT] | None:
    """Return the two nearest faces, two different ones unless one is enough for both."""
    pairs = [
        (one, other)
        for one, other in product(_nearest(firsts), _nearest(seconds))
        if is_one_enough or one.face != other.face
    ]
    if not pairs:
        return None
    first, second = min(pairs, key=lambda pair: pair[0].off.residual + pair[1].off.residual)
    return _Pair(first.face, second.face, (*first.shortfall, *second.shortfall))


def _nearest(picks: Sequence[_Pick[FaceT]]) -> list[_Pick[FaceT]]:
    """Return the two nearest: one of them is no face that the other point needs."""
    near = [pick for pick in picks if pick.off.cost < MISSING_COST]
    return sorted(near, key=lambda pick: pick.off.residual)[:2]


def _planes(wanted: kinds.FaceAt, subject: Subject) -> list[_Pick[PlaneFace]]:
    point: FloatArray = np.array(wanted.at)
    return [
        _Pick(plane, _off(subject.distance_to_faces(point, plane.faces), wanted.within, subject))
        for plane in subject.features.planes
        if angle_deg(wanted.normal, plane.normal) <= wanted.about_deg
    ]


def _rounds(wanted: kinds.RoundAt, subject: Subject) -> list[_Pick[CylinderFace]]:
    return [
        _Pick(cylinder, _off(_round_cost(wanted, cylinder), wanted.within, subject))
        for cylinder in subject.features.cylinders
        if wanted.inner in (None, cylinder.is_inner)
    ]


def _off(distance: float, within: float | None, subject: Subject) -> Aspect:
    reach = WITHIN_SHARE * max(subject.measures.size_mm) if within is None else within
    return Aspect("face from its point", distance, "mm", reach, reach)


def _round_cost(wanted: kinds.RoundAt, cylinder: CylinderFace) -> float:
    half = np.array(cylinder.axis) * (cylinder.length_mm / 2)
    middle = np.array(cylinder.position_mm)
    cost = segment_distance(wanted.at, middle - half, middle + half)
    if wanted.diameter is not None:
        cost += DIAMETER_WEIGHT * abs(wanted.diameter - cylinder.diameter_mm)
    return cost


def _above(plane: PlaneFace, point: tuple[float, float, float]) -> float:
    return float(np.dot(plane.normal, point)) - plane.offset_mm
