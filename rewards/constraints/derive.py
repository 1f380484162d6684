"""Propose constraints from a part: what a drawing of it would say, and nothing twice.

Patterns stand for their holes, a group of equal holes for each of them. Every proposal is checked
against the part itself, and one that the part does not meet is left out.
"""

from __future__ import annotations

import math
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
from cadwright.tools.geometry.part import FloatArray, Vector
from cadwright.tools.geometry.thickness import thickness

Plain = dict[str, Any]

DIGITS = 4  # decimals of lengths in mm of usual parts: far inside every tolerance
# Significant digits of what is small: of the largest extent, of an amount.
LENGTH_DIGITS, AMOUNT_DIGITS = 6, 7
DIRECTION_DIGITS = 6
# A pattern fits its holes this well, small ones better, or they are listed one by one.
PATTERN_RESIDUAL_MM, PATTERN_RESIDUAL_SHARE = 0.05, 0.05
TIP_SHARE = 0.002  # of the largest extent: what is thinner is the tip of a wedge rather than a wall
CENTRE_SHARE = 0.003  # of the largest extent: what the centre of mass may move
CENTRE_MM, SMALL_CENTRE_SHARE = 0.1, 0.01  # and what it may at least, of a small part less
CENTRE_HALF_MM, SMALL_HALF_SHARE = 2.0, 0.1  # past which it has half of the credit, likewise
WHOLE_TURN_DEG = 359.0


def derive(subject: Subject) -> tuple[Constraint, ...]:
    """Return constraints with ids that the part meets, in the order of a drawing."""
    plain = _Sheet(_decimals(max(subject.measures.size_mm), LENGTH_DIGITS)).all(subject)
    named = [{"id": f"{index:02}_{one['kind']}", **one} for index, one in enumerate(plain, 1)]
    proposed = parse_constraints(named)
    results = evaluate(proposed, subject).results
    pairs = zip(proposed, results, strict=True)
    return tuple(one for one, result in pairs if result.verdict is CheckVerdict.MET)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A feature as a constraint without a place, and its place."""

    asked: Plain
    place: Vector


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What a drawing of one part says, its lengths to so many decimals."""

    decimals: int

    def all(self, subject: Subject) -> Iterator[Plain]:
        """Yield every proposal."""
        yield from self._whole(subject)
        yield from self._features(subject.features)
        yield from self._making(subject)

    def number(self, value: float) -> float:
        """Return a length as it is written."""
        return round(value, self.decimals)

    def place(self, values: Sequence[float] | FloatArray) -> list[float]:
        """Return a place or sizes as they are written."""
        return [round(float(value), self.decimals) + 0.0 for value in values]

    def _whole(self, subject: Subject) -> Iterator[Plain]:
        measures = subject.measures
        low, high = np.array(measures.bbox_mm)
        yield {
            "kind": "bounding_box",
            "size": self.place(measures.size_mm),
            "centre": self.place((low + high) / 2),
        }
        if measures.volume_mm3 is not None:
            yield {"kind": "volume", "value": _amount(measures.volume_mm3)}
        yield {"kind": "bodies", "count": measures.bodies}
        extent = max(measures.size_mm)
        least = min(CENTRE_MM, SMALL_CENTRE_SHARE * extent)
        half = min(CENTRE_HALF_MM, SMALL_HALF_SHARE * extent)
        yield {
            "kind": "centre_of_mass",
            "at": self.place(measures.centre_mm),
            "tolerance": self.number(max(least, CENTRE_SHARE * extent)),
            **({} if half == CENTRE_HALF_MM else {"half": self.number(half)}),
        }
        if subject.solid.manifold is not None:
            yield {"kind": "genus", "count": subject.num_handles}

    def _features(self, features: Features) -> Iterator[Plain]:
        yield from self._holes(features)
        yield from self._grouped(self._cuts(features))
        yield from self._grouped(self._rounds(features))
        yield from self._edges(features)

    def _holes(self, features: Features) -> Iterator[Plain]:
        holes = features.holes
        taken: set[int] = set()
        for pattern in sorted(features.patterns, key=lambda p: -len(p.holes)):
            alike = {self._hole_key(holes[index]) for index in pattern.holes}
            is_free = not taken & set(pattern.holes)
            slack = min(PATTERN_RESIDUAL_MM, PATTERN_RESIDUAL_SHARE * pattern.hole_diameter_mm)
            if is_free and len(alike) == 1 and pattern.residual_mm < slack:
                taken |= set(pattern.holes)
                yield self._pattern(pattern, holes[pattern.holes[0]])
        yield from self._grouped(
            _Placed(self._hole(hole), hole.position_mm)
            for index, hole in enumerate(holes)
            if index not in taken
        )
        if holes:
            yield {"kind": "hole_count", "count": len(holes)}

    def _hole_key(self, hole: HoleFeature) -> str:
        return repr(sorted(self._hole(hole).items()))

    def _hole(self, hole: HoleFeature) -> Plain:
        asked: Plain = {"kind": "hole", "diameter": self.number(hole.diameter_mm)}
        entry = mouths(hole)[0]
        if hole.is_through:
            asked |= {"axis": _direction(hole.axis), "through": True}
        else:
            asked |= {"opens": _direction(entry.outward), "through": False}
            asked |= {"depth": self.number(hole.depth_mm)}
        if entry.counterbore is not None or entry.countersink is not None:
            asked["opens"] = _direction(entry.outward)
        if entry.counterbore is not None:
            sizes = (entry.counterbore.diameter_mm, entry.counterbore.depth_mm)
            asked["counterbore"] = {
                "diameter": self.number(sizes[0]),
                "depth": self.number(sizes[1]),
            }
        if entry.countersink is not None:
            cone = (entry.countersink.diameter_mm, entry.countersink.angle_deg)
            asked["countersink"] = {"diameter": self.number(cone[0]), "angle": self.number(cone[1])}
        return asked

    def _pattern(self, pattern: Pattern, hole: HoleFeature) -> Plain:
        asked = self._hole(hole) | {
            "kind": f"hole_{pattern.kind}",
            "centre": self.place(pattern.centre_mm),
        }
        asked.setdefault("axis", _direction(pattern.axis))
        along = _direction(pattern.direction)
        if pattern.kind == "circle":
            circle = self.number(pattern.diameter_mm or 0.0)
            return asked | {"count": pattern.counts[0], "circle": circle, "start": along}
        pitches = [self.number(pitch) for pitch in pattern.pitches_mm]
        if pattern.kind == "line":
            return asked | {"count": pattern.counts[0], "pitch": pitches[0], "along": along}
        return asked | {"count": list(pattern.counts), "pitch": pitches, "along": along}

    def _cuts(self, features: Features) -> Iterator[_Placed]:
        for slot in features.slots:
            size = {"width": self.number(slot.width_mm), "length": self.number(slot.length_mm)}
            rest = {"through": slot.is_through, "opens": _turned(slot.axis)}
            depth = {} if slot.is_through else {"depth": self.number(slot.depth_mm)}
            along = {"along": _direction(slot.direction)}
            yield _Placed({"kind": "slot", **size, **depth, **rest, **along}, slot.position_mm)
        for pocket in (*features.pockets, *features.leaning_pockets):
            asked: Plain = {
                "kind": "pocket",
                "size": [self.number(pocket.length_mm), self.number(pocket.width_mm)],
                "depth": self.number(pocket.depth_mm),
                "opens": _turned(pocket.axis),
            }
            if pocket.corner_radius_mm is not None:
                asked["corner_radius"] = self.number(pocket.corner_radius_mm)
            yield _Placed(asked, pocket.position_mm)

    def _rounds(self, features: Features) -> Iterator[_Placed]:
        round_bosses = [boss for boss in features.bosses if boss.shape == "round"]
        for boss in round_bosses:
            size = {"diameter": self.number(boss.width_mm), "height": self.number(boss.height_mm)}
            asked = {"kind": "boss", **size, "points": _direction(boss.axis)}
            yield _Placed(asked, boss.position_mm)
        standing = {face for boss in round_bosses for face in boss.faces}
        for cylinder in features.cylinders:
            is_whole = not cylinder.is_inner and cylinder.swept_deg > WHOLE_TURN_DEG
            if is_whole and not standing & set(cylinder.faces):
                yield _Placed(
                    {
                        "kind": "cylinder",
                        "diameter": self.number(cylinder.diameter_mm),
                        "axis": _direction(cylinder.axis),
                        "length": self.number(cylinder.length_mm),
                    },
                    cylinder.position_mm,
                )

    def _edges(self, features: Features) -> Iterator[Plain]:
        counts: dict[str, tuple[Plain, int]] = {}
        asked: Plain
        for fillet in features.fillets:
            asked = {
                "kind": "fillet",
                "radius": self.number(fillet.radius_mm),
                "convex": fillet.is_convex,
            }
            _count(counts, asked, fillet.num_edges)
        for chamfer in features.chamfers:
            asked = {"kind": "chamfer", "size": self.number(chamfer.sizes_mm[0])}
            asked |= {"angle": self.number(chamfer.angle_deg)}
            _count(counts, asked, chamfer.num_edges)
        for one, number in counts.values():
            yield {**one, "count": number}

    def _making(self, subject: Subject) -> Iterator[Plain]:
        if subject.solid.manifold is None:
            return
        try:
            thinnest = thickness(subject.gauged).min_mm
        except GeometryError:
            thinnest = 0.0  # a ball has no walls
        if thinnest > TIP_SHARE * max(subject.measures.size_mm):
            yield {"kind": "wall_thickness", "min": self.number(thinnest)}
        for normal in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]):
            yield {"kind": "symmetry", "mirror": normal}

    def _grouped(self, placed: Iterator[_Placed]) -> Iterator[Plain]:
        """Yield one constraint for all features that differ by their place alone."""
        groups: dict[str, tuple[Plain, list[Vector]]] = {}
        for one in placed:
            groups.setdefault(repr(one.asked), (one.asked, []))[1].append(one.place)
        for asked, places in groups.values():
            yield {**asked, "at": [self.place(place) for place in places]}


def _count(counts: dict[str, tuple[Plain, int]], asked: Plain, number: int) -> None:
    key = repr(asked)
    counts[key] = (asked, counts.get(key, (asked, 0))[1] + max(1, number))


def _turned(axis: Vector) -> list[float]:
    x, y, z = axis
    return _direction((-x, -y, -z))


def _direction(values: Sequence[float]) -> list[float]:
    return [round(float(value), DIRECTION_DIGITS) + 0.0 for value in values]


def _amount(value: float) -> float:
    return round(value, _decimals(value, AMOUNT_DIGITS))


def _decimals(size: float, digits: int) -> int:
    """Return the decimals that give what is so large its significant digits; the usual at least."""
    return DIGITS if size <= 0.0 else max(DIGITS, digits - 1 - math.floor(math.log10(size)))
