"""Checks of faces to each other.

A face is selected by a point and a direction within a wide angle, so that one out of true is
found and measured. Where no face looks that way, nothing can be said about the pair: the missing
face is the residual of a ``face`` constraint.
"""

from __future__ import annotations

import numpy as np

from cadwright.rewards.constraints import kinds_faces as kinds
from cadwright.rewards.constraints.places import (
    angle_deg,
    line_angle_deg,
    line_distance,
    segment_distance,
    shown,
    shown_direction,
)
from cadwright.rewards.constraints.registry import checks
from cadwright.rewards.constraints.result import Aspect, CannotCheck, Finding, plain_aspect
from cadwright.rewards.constraints.subject import Subject
from cadwright.tools.geometry.faces import CylinderFace, PlaneFace
from cadwright.tools.geometry.part import FloatArray

ANGLE_HALF_DEG = 5.0
DIAMETER_WEIGHT = 1.0  # one mm of diameter counts like one mm of distance, in selecting a cylinder


@checks(kinds.Face)
def face(asked: kinds.Face, subject: Subject) -> Finding:
    """Compare a plane with the best of the found ones."""
    subject.needs("planes")
    if not subject.features.planes:
        raise CannotCheck("the part has no planar face")
    options = [_face_aspects(asked, plane, subject) for plane in subject.features.planes]
    best = min(range(len(options)), key=lambda i: sum(aspect.cost for aspect in options[i]))
    plane = subject.features.planes[best]
    text = f"{plane.area_mm2:.4g} mm2 facing {shown_direction(plane.normal)}"
    return Finding(f"{text} around {shown(plane.centre_mm)}", options[best])


def _face_aspects(asked: kinds.Face, plane: PlaneFace, subject: Subject) -> tuple[Aspect, ...]:
    turn = angle_deg(asked.normal, plane.normal)
    aspects = [
        plain_aspect(asked, subject.distance_to_faces(np.array(asked.at), plane.faces), "position"),
        Aspect("direction", turn, "deg", asked.angle_tolerance, ANGLE_HALF_DEG),
    ]
    if asked.min_area is not None:
        lacks = max(0.0, asked.min_area - plane.area_mm2)
        aspects.append(Aspect("area", lacks, "mm2", 1e-3 * asked.min_area, 0.1 * asked.min_area))
    return tuple(aspects)


@checks(kinds.Parallel)
def parallel(asked: kinds.Parallel, subject: Subject) -> Finding:
    """Measure the angle between two planes."""
    first, second = _pair(asked, subject)
    off = line_angle_deg(first.normal, second.normal)
    return Finding(f"{off:.3g} deg between them", (plain_aspect(asked, off),))


@checks(kinds.Perpendicular)
def perpendicular(asked: kinds.Perpendicular, subject: Subject) -> Finding:
    """Measure what is missing to a right angle."""
    first, second = _pair(asked, subject)
    off = 90.0 - line_angle_deg(first.normal, second.normal)
    return Finding(f"{90.0 - off:.4g} deg between them", (plain_aspect(asked, off),))


@checks(kinds.Coplanar)
def coplanar(asked: kinds.Coplanar, subject: Subject) -> Finding:
    """Measure the step from each face's middle to the plane of the other."""
    first, second = _pair(asked, subject)
    there, back = _above(first, second.centre_mm), _above(second, first.centre_mm)
    step = max(abs(there), abs(back))
    return Finding(f"step of {step:.4g} mm", (plain_aspect(asked, step),))


@checks(kinds.FaceDistance)
def face_distance(asked: kinds.FaceDistance, subject: Subject) -> Finding:
    """Measure how far the second face's middle is from the first plane."""
    first, second = _pair(asked, subject)
    got = abs(_above(first, second.centre_mm))
    return Finding(f"{got:.6g} mm", (plain_aspect(asked, abs(got - asked.value)),))


@checks(kinds.Coaxial)
def coaxial(asked: kinds.Coaxial, subject: Subject) -> Finding:
    """Measure the distance of the axes at the middle of either face."""
    subject.needs("cylinders")
    first, second = _round(asked.first, subject), _round(asked.second, subject)
    if first == second:
        raise CannotCheck("both points select the same round face: give diameter or inner")
    off = max(
        line_distance(first.position_mm, second.position_mm, second.axis),
        line_distance(second.position_mm, first.position_mm, first.axis),
    )
    text = f"axes of d {first.diameter_mm:.4g} and d {second.diameter_mm:.4g}: {off:.4g} mm apart"
    return Finding(text, (plain_aspect(asked, off),))


def _pair(asked: kinds.FacePair, subject: Subject) -> tuple[PlaneFace, PlaneFace]:
    subject.needs("planes")
    first, second = _plane(asked.first, subject), _plane(asked.second, subject)
    if first == second and asked.kind != kinds.Coplanar.kind:
        raise CannotCheck("both points select the same face")
    return first, second


def _plane(wanted: kinds.FaceAt, subject: Subject) -> PlaneFace:
    near = [
        plane
        for plane in subject.features.planes
        if angle_deg(wanted.normal, plane.normal) <= wanted.about_deg
    ]
    if not near:
        raise CannotCheck(f"no planar face looks about {shown_direction(wanted.normal)}")
    point: FloatArray = np.array(wanted.at)
    return min(near, key=lambda plane: subject.distance_to_faces(point, plane.faces))


def _round(wanted: kinds.RoundAt, subject: Subject) -> CylinderFace:
    fitting = [c for c in subject.features.cylinders if wanted.inner in (None, c.is_inner)]
    if not fitting:
        raise CannotCheck("the part has no such round face")
    return min(fitting, key=lambda cylinder: _round_cost(wanted, cylinder))


def _round_cost(wanted: kinds.RoundAt, cylinder: CylinderFace) -> float:
    half = np.array(cylinder.axis) * (cylinder.length_mm / 2)
    middle = np.array(cylinder.position_mm)
    cost = segment_distance(wanted.at, middle - half, middle + half)
    if wanted.diameter is not None:
        cost += DIAMETER_WEIGHT * abs(wanted.diameter - cylinder.diameter_mm)
    return cost


def _above(plane: PlaneFace, point: tuple[float, float, float]) -> float:
    return float(np.dot(plane.normal, point)) - plane.offset_mm
