"""Propose constraints from a part: what a drawing of it would say, and nothing twice.

Patterns stand for their holes, a group of equal holes for each of them. Every proposal is checked
against the part itself, and one that the part does not meet is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadwright.rewards.constraints.compare_holes import mouths
from cadwright.rewards.constraints.evaluate import evaluate
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.rewards.constraints.record import Constraint
from cadwright.rewards.constraints.result import CheckVerdict
from cadwright.rewards.constraints.subject import Subject
from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.features import Features, HoleFeature, Pattern
from cadwright.tools.geometry.part import Vector
from cadwright.tools.geometry.thickness import thickness

Plain = dict[str, Any]

DIGITS = 4  # of lengths in mm: far inside every tolerance
# A pattern fits its holes this well, or they are listed one by one.
PATTERN_RESIDUAL_MM = 0.05
WALL_SHARE = 0.95  # a rounded facet may come this near to the other side before the wall is thinner
CENTRE_SHARE = 0.003  # of the largest extent: what the centre of mass may move
WHOLE_TURN_DEG = 359.0


def derive(subject: Subject) -> tuple[Constraint, ...]:
    """Return constraints with ids that the part meets, in the order of a drawing."""
    plain = [*_whole(subject), *_features(subject.features), *_making(subject)]
    named = [{"id": f"{index:02}_{one['kind']}", **one} for index, one in enumerate(plain, 1)]
    proposed = parse_constraints(named)
    results = evaluate(proposed, subject).results
    pairs = zip(proposed, results, strict=True)
    return tuple(one for one, result in pairs if result.verdict is CheckVerdict.MET)


def _whole(subject: Subject) -> Iterator[Plain]:
    measures = subject.measures
    low, high = np.array(measures.bbox_mm)
    yield {
        "kind": "bounding_box",
        "size": _rounded(measures.size_mm),
        "centre": _rounded((low + high) / 2),
    }
    if measures.volume_mm3 is not None:
        yield {"kind": "volume", "value": _number(measures.volume_mm3)}
    yield {"kind": "bodies", "count": measures.bodies}
    yield {
        "kind": "centre_of_mass",
        "at": _rounded(measures.centre_mm),
        "tolerance": _number(max(0.1, CENTRE_SHARE * max(measures.size_mm))),
    }
    if subject.solid.manifold is not None:
        yield {"kind": "genus", "count": subject.num_handles}


def _features(features: Features) -> Iterator[Plain]:
    yield from _holes(features)
    yield from _grouped(_cuts(features))
    yield from _grouped(_rounds(features))
    yield from _edges(features)


def _holes(features: Features) -> Iterator[Plain]:
    holes = features.holes
    taken: set[int] = set()
    for pattern in sorted(features.patterns, key=lambda p: -len(p.holes)):
        alike = {_hole_key(holes[index]) for index in pattern.holes}
        is_free = not taken & set(pattern.holes)
        if is_free and len(alike) == 1 and pattern.residual_mm < PATTERN_RESIDUAL_MM:
            taken |= set(pattern.holes)
            yield _pattern(pattern, holes[pattern.holes[0]])
    yield from _grouped(
        _Placed(_hole(hole), hole.position_mm)
        for index, hole in enumerate(holes)
        if index not in taken
    )
    if holes:
        yield {"kind": "hole_count", "count": len(holes)}


def _hole_key(hole: HoleFeature) -> str:
    return repr(sorted(_hole(hole).items()))


def _hole(hole: HoleFeature) -> Plain:
    asked: Plain = {"kind": "hole", "diameter": _number(hole.diameter_mm)}
    entry = mouths(hole)[0]
    if hole.is_through:
        asked |= {"axis": _rounded(hole.axis, 6), "through": True}
    else:
        asked |= {"opens": _rounded(entry.outward, 6), "through": False}
        asked |= {"depth": _number(hole.depth_mm)}
    if entry.counterbore is not None or entry.countersink is not None:
        asked["opens"] = _rounded(entry.outward, 6)
    if entry.counterbore is not None:
        sizes = (entry.counterbore.diameter_mm, entry.counterbore.depth_mm)
        asked["counterbore"] = {"diameter": _number(sizes[0]), "depth": _number(sizes[1])}
    if entry.countersink is not None:
        cone = (entry.countersink.diameter_mm, entry.countersink.angle_deg)
        asked["countersink"] = {"diameter": _number(cone[0]), "angle": _number(cone[1])}
    return asked


def _pattern(pattern: Pattern, hole: HoleFeature) -> Plain:
    asked = _hole(hole) | {"kind": f"hole_{pattern.kind}", "centre": _rounded(pattern.centre_mm)}
    asked.setdefault("axis", _rounded(pattern.axis, 6))
    along = _rounded(pattern.direction, 6)
    if pattern.kind == "circle":
        circle = _number(pattern.diameter_mm or 0.0)
        return asked | {"count": pattern.counts[0], "circle": circle, "start": along}
    pitches = [_number(pitch) for pitch in pattern.pitches_mm]
    if pattern.kind == "line":
        return asked | {"count": pattern.counts[0], "pitch": pitches[0], "along": along}
    return asked | {"count": list(pattern.counts), "pitch": pitches, "along": along}


@dataclass(frozen=True, slots=True)
class _Placed:
    """A feature as a constraint without a place, and its place."""

    asked: Plain
    place: Vector


def _cuts(features: Features) -> Iterator[_Placed]:
    for slot in features.slots:
        size = {"width": _number(slot.width_mm), "length": _number(slot.length_mm)}
        rest = {"through": slot.is_through, "opens": _turned(slot.axis)}
        depth = {} if slot.is_through else {"depth": _number(slot.depth_mm)}
        along = {"along": _rounded(slot.direction, 6)}
        yield _Placed({"kind": "slot", **size, **depth, **rest, **along}, slot.position_mm)
    for pocket in features.pockets:
        asked: Plain = {
            "kind": "pocket",
            "size": [_number(pocket.length_mm), _number(pocket.width_mm)],
            "depth": _number(pocket.depth_mm),
            "opens": _turned(pocket.axis),
        }
        if pocket.corner_radius_mm is not None:
            asked["corner_radius"] = _number(pocket.corner_radius_mm)
        yield _Placed(asked, pocket.position_mm)


def _rounds(features: Features) -> Iterator[_Placed]:
    round_bosses = [boss for boss in features.bosses if boss.shape == "round"]
    for boss in round_bosses:
        size = {"diameter": _number(boss.width_mm), "height": _number(boss.height_mm)}
        asked = {"kind": "boss", **size, "points": _rounded(boss.axis, 6)}
        yield _Placed(asked, boss.position_mm)
    standing = {face for boss in round_bosses for face in boss.faces}
    for cylinder in features.cylinders:
        is_whole = not cylinder.is_inner and cylinder.swept_deg > WHOLE_TURN_DEG
        if is_whole and not standing & set(cylinder.faces):
            yield _Placed(
                {
                    "kind": "cylinder",
                    "diameter": _number(cylinder.diameter_mm),
                    "axis": _rounded(cylinder.axis, 6),
                    "length": _number(cylinder.length_mm),
                },
                cylinder.position_mm,
            )


def _edges(features: Features) -> Iterator[Plain]:
    counts: dict[str, tuple[Plain, int]] = {}
    asked: Plain
    for fillet in features.fillets:
        asked = {"kind": "fillet", "radius": _number(fillet.radius_mm), "convex": fillet.is_convex}
        _count(counts, asked, fillet.num_edges)
    for chamfer in features.chamfers:
        asked = {"kind": "chamfer", "size": _number(chamfer.sizes_mm[0])}
        asked |= {"angle": _number(chamfer.angle_deg)}
        _count(counts, asked, chamfer.num_edges)
    for one, number in counts.values():
        yield {**one, "count": number}


def _count(counts: dict[str, tuple[Plain, int]], asked: Plain, number: int) -> None:
    key = repr(asked)
    counts[key] = (asked, counts.get(key, (asked, 0))[1] + max(1, number))


def _making(subject: Subject) -> Iterator[Plain]:
    if subject.solid.manifold is None:
        return
    try:
        thinnest = thickness(subject.gauged).min_mm
        yield {"kind": "wall_thickness", "min": _number(WALL_SHARE * thinnest)}
    except GeometryError:
        pass  # a ball has no walls
    for normal in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]):
        yield {"kind": "symmetry", "mirror": normal}


def _grouped(placed: Iterator[_Placed]) -> Iterator[Plain]:
    """Yield one constraint for all features that differ by their place alone."""
    groups: dict[str, tuple[Plain, list[Vector]]] = {}
    for one in placed:
        groups.setdefault(repr(one.asked), (one.asked, []))[1].append(one.place)
    for asked, places in groups.values():
        yield {**asked, "at": [_rounded(place) for place in places]}


def _turned(axis: Vector) -> list[float]:
    x, y, z = axis
    return _rounded((-x, -y, -z), 6)


def _rounded(values: Sequence[float] | Any, digits: int = DIGITS) -> list[float]:
    return [round(float(value), digits) + 0.0 for value in values]


def _number(value: float) -> float:
    return round(value, DIGITS)
