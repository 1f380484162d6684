"""Does a part mate: all its mating features at once, under one rigid pose.

A bracket drawn somewhere else in space still bolts on; one whose holes are each right, but not to
each other, does not. So one pose of the part is searched under which the asked features fit best
together, and volumes to leave free or to stay in are tested in that same pose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cadwright.rewards.constraints.evaluate import evaluate
from cadwright.rewards.constraints.kinds_features import Boss, Cylinder, Feature, Pocket, Slot
from cadwright.rewards.constraints.kinds_holes import SpottedHole
from cadwright.rewards.constraints.kinds_patterns import HolePattern
from cadwright.rewards.constraints.kinds_space import Clearance, Spatial
from cadwright.rewards.constraints.motion import Pose, moved
from cadwright.rewards.constraints.patterns import layout_of
from cadwright.rewards.constraints.record import Constraint
from cadwright.rewards.constraints.result import ConstraintReport
from cadwright.rewards.constraints.subject import Subject
from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.features import Features
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.solids import frame_along

# Pairs of asked features that poses are made from: one missing feature spoils nothing.
MAX_PAIRS = 3
MAX_POSES = 400
MAX_TIES = 12  # poses in which the features fit equally well, tried against the volumes
SAME_VALUE = 1e-9
REACH = 0.25  # of the distance of two features: how much it may be off and still suggest a pose


@dataclass(frozen=True, slots=True)
class InterfaceScore:
    """How well a part mates.

    Attributes:
        value: Weighted mean credit of features and volumes under the pose; None where nothing
            could be checked.
        is_mating: Every one is met.
        pose: What moves the part to where it mates.
        report: One result for each constraint, in that pose.
    """

    value: float | None
    is_mating: bool
    pose: Pose
    report: ConstraintReport

    def to_json(self) -> dict[str, Any]:
        """Return the score as plain data."""
        return {
            "value": self.value,
            "is_mating": self.is_mating,
            "rotation": self.pose.rotation.tolist(),
            "translation_mm": self.pose.translation.tolist(),
            "report": self.report.to_json(),
        }


def interface_score(constraints: Sequence[Constraint], subject: Subject) -> InterfaceScore:
    """Return how well a part mates, in the one rigid pose that suits all constraints best.

    Args:
        constraints: Mating features (with full places) and volumes, where they are wanted.
        subject: The part, anywhere.

    Raises:
        UsageError: A constraint has no place, so it cannot tell one pose from another.
    """
    volumes = [one for one in constraints if isinstance(one, Spatial | Clearance)]
    features = [one for one in constraints if one not in volumes]
    best: InterfaceScore | None = None
    for pose in _best_poses(features, subject):
        score = _score(constraints, features, volumes, subject, pose)
        if best is None or (score.value or 0.0) > (best.value or 0.0) + SAME_VALUE:
            best = score
        if score.is_mating:
            break
    return best or _score(constraints, features, volumes, subject, Pose.identity())


def _best_poses(features: Sequence[Constraint], subject: Subject) -> list[Pose]:
    """Return the poses in which the features fit best: through holes may slide along their axes."""
    best: list[Pose] = []
    reach = -1.0
    for pose in _poses(features, subject.features):
        value = _features_in(features, subject, pose).value
        if value is None or value < reach - SAME_VALUE:
            continue
        if value > reach + SAME_VALUE:
            best, reach = [], value
        best.append(pose)
        if value == 1.0 and len(best) >= MAX_TIES:
            break
    return best[:MAX_TIES]


def _score(
    constraints: Sequence[Constraint],
    features: Sequence[Constraint],
    volumes: Sequence[Constraint],
    subject: Subject,
    pose: Pose,
) -> InterfaceScore:
    placed = replace(subject, mesh=pose.mesh(subject.mesh))
    reports = (_features_in(features, subject, pose), evaluate(volumes, placed))
    results = {result.id: result for report in reports for result in report.results}
    report = ConstraintReport(tuple(results[one.id] for one in constraints)).without_hiding()
    return InterfaceScore(report.value, report.all_met, pose, report)


def _features_in(features: Sequence[Constraint], subject: Subject, pose: Pose) -> ConstraintReport:
    """Check features against a part in a pose, by moving what is asked the other way."""
    back = pose.inverse
    return evaluate([moved(one, back) for one in features], subject)


@dataclass(frozen=True, slots=True, eq=False)
class _Anchor:
    """A point with a direction that a feature fixes: ``ends`` are the points it may stand for."""

    name: str
    ends: tuple[FloatArray, ...]
    axis: FloatArray


def _poses(features: Sequence[Constraint], found: Features) -> Iterator[Pose]:
    """Yield the motions of the part that put two of its features where two are asked."""
    yield Pose.identity()
    asked = [anchor for one in features for anchor in _asked_anchors(one)]
    candidates = _found_anchors(found)
    poses = _single_poses(asked, candidates) if len(asked) < 2 else _pair_poses(asked, candidates)
    for _, pose in zip(range(MAX_POSES), poses, strict=False):
        yield pose


def _single_poses(asked: Sequence[_Anchor], found: Sequence[_Anchor]) -> Iterator[Pose]:
    for wanted in asked:
        for got in found:
            for turned, end in _ways(wanted, got):
                yield _placing(frame_along(got.axis), frame_along(turned), end, wanted.ends[0])


def _pair_poses(asked: Sequence[_Anchor], found: Sequence[_Anchor]) -> Iterator[Pose]:
    for first, second in _far_pairs(asked):
        span = second.ends[0] - first.ends[0]
        for got in found:
            for other in found:
                if other is got or (got.name, other.name) != (first.name, second.name):
                    continue
                for turned, end in _ways(first, got):
                    pose = _pose_of(first.ends[0], turned, span, end, got.axis, other.ends[0])
                    if pose is not None:
                        yield pose


def _pose_of(
    place: FloatArray,
    axis: FloatArray,
    span: FloatArray,
    end: FloatArray,
    got_axis: FloatArray,
    other: FloatArray,
) -> Pose | None:
    """Return the motion of the part, or None where the two spans do not go together."""
    wanted, got = _frame(axis, span), _frame(got_axis, other - end)
    if wanted is None or got is None:
        return None
    wide, narrow = (
        float(np.linalg.norm(np.cross(a, s))) for a, s in ((axis, span), (got_axis, other - end))
    )
    if abs(wide - narrow) > REACH * max(wide, narrow):
        return None
    return _placing(got, wanted, end, place)


def _placing(source: FloatArray, target: FloatArray, start: FloatArray, end: FloatArray) -> Pose:
    """Return the motion that takes one frame at ``start`` to another at ``end``."""
    rotation = target @ source.T
    return Pose(rotation, end - rotation @ start)


def _ways(wanted: _Anchor, got: _Anchor) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the asked axis both ways round, with each end of the found feature."""
    for sign in (1.0, -1.0):
        for end in got.ends:
            yield sign * wanted.axis, end


def _frame(axis: FloatArray, span: FloatArray) -> FloatArray | None:
    """Return (3, 3) the frame of an axis and the direction across it to another feature."""
    across = span - (span @ axis) * axis
    length = float(np.linalg.norm(across))
    if length < 1e-9:
        return None
    first = across / length
    return np.column_stack([first, np.cross(axis, first), axis])


def _far_pairs(asked: Sequence[_Anchor]) -> list[tuple[_Anchor, _Anchor]]:
    """Return a few pairs that lie far apart: small errors turn the part least."""
    pairs = [(a, b) for a in asked for b in asked if a is not b]
    apart = [float(np.linalg.norm(np.cross(a.axis, b.ends[0] - a.ends[0]))) for a, b in pairs]
    order = sorted(range(len(pairs)), key=lambda index: -apart[index])
    return [pairs[index] for index in order[: 2 * MAX_PAIRS]]


def _asked_anchors(one: Constraint) -> Iterator[_Anchor]:
    if isinstance(one, HolePattern):
        yield from _pattern_anchors(one)
    elif isinstance(one, SpottedHole):
        yield from _spot_anchors(one, "holes", one.opens or one.axis)
    elif isinstance(one, Boss):
        yield from _spot_anchors(one, "bosses", one.points)
    elif isinstance(one, Cylinder):
        yield from _spot_anchors(one, "cylinders", one.axis)
    elif isinstance(one, Slot | Pocket):
        name = "slots" if isinstance(one, Slot) else "pockets"
        yield from _spot_anchors(one, name, one.opens)


def _spot_anchors(one: SpottedHole | Feature, name: str, axis: Any) -> Iterator[_Anchor]:
    if one.at is None or axis is None or any(None in place for place in one.at):
        raise UsageError(f"{one.id}: a mating feature needs full places and a direction")
    for place in one.at:
        yield _Anchor(name, (np.array(place, dtype=float),), np.array(axis))


def _pattern_anchors(one: HolePattern) -> Iterator[_Anchor]:
    layout, axis = layout_of(one), one.opens if one.axis is None else one.axis
    if layout.centre is None or layout.along is None or axis is None:
        raise UsageError(f"{one.id}: a mating pattern needs centre, direction and axis")
    along = np.array(layout.along)
    frame = np.stack([along, np.cross(np.array(axis), along)])
    for point in layout.points:
        yield _Anchor("holes", (np.array(layout.centre) + point @ frame,), np.array(axis))


def _found_anchors(found: Features) -> list[_Anchor]:
    anchors = [
        _Anchor("holes", (np.array(h.position_mm), np.array(h.end_mm)), np.array(h.axis))
        for h in found.holes
    ]
    for name in ("bosses", "slots", "pockets", "cylinders"):
        anchors += [
            _Anchor(name, (np.array(item.position_mm),), np.array(item.axis))
            for item in getattr(found, name)
        ]
    return anchors
