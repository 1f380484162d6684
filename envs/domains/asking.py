"""Constraint records as families write them: what to ask of a part, in one line each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cadwright.envs.domains.family import Dimension, Unit

Record = Mapping[str, Any]
Place = Sequence[float | None]

_DECIMALS = 6  # enough for any volume, and the same text in every process


def dimensions(names: str, unit: Unit = "mm") -> tuple[Dimension, ...]:
    """Return dimensions with their names as labels: ``bore_diameter`` is ``bore diameter``."""
    return tuple(Dimension(name, name.replace("_", " "), unit) for name in names.split())


def box(size: Sequence[float], centre: Sequence[float]) -> Record:
    """Ask for the extents of the bounding box and for its middle, mm."""
    return {"kind": "bounding_box", "size": _plain(size), "centre": _plain(centre)}


def volume(value: float) -> Record:
    """Ask for a volume in mm³."""
    return {"kind": "volume", "value": round(float(value), _DECIMALS)}


def bodies(count: int = 1) -> Record:
    """Ask for a number of separate solids."""
    return {"kind": "bodies", "count": count}


def hole(diameter: float, *places: Place, axis: str = "z", **more: Any) -> Record:
    """Ask for holes of one diameter at these places; None leaves a coordinate open."""
    spots = [_plain(place) for place in places]
    return {"kind": "hole", "diameter": diameter, "at": spots, "axis": axis, **more}


def circle(
    diameter: float, count: int, pitch_circle: float, centre: Place, *, axis: str = "z"
) -> Record:
    """Ask for through holes evenly spread on a circle."""
    return {
        "kind": "hole_circle",
        "diameter": diameter,
        "count": count,
        "circle": pitch_circle,
        "centre": _plain(centre),
        "axis": axis,
    }


def cylinder(diameter: float, place: Place, **more: Any) -> Record:
    """Ask for a round surface."""
    return {"kind": "cylinder", "diameter": diameter, "at": [_plain(place)], **more}


def face(normal: str, place: Sequence[float], **more: Any) -> Record:
    """Ask for a planar face through a place, looking this way."""
    return {"kind": "face", "normal": normal, "at": _plain(place), **more}


def keep_out(low: Sequence[float], high: Sequence[float]) -> Record:
    """Ask for a box without material."""
    return {"kind": "keep_out", "region": {"min": _plain(low), "max": _plain(high)}}


def filled(low: Sequence[float], high: Sequence[float]) -> Record:
    """Ask for a box full of material."""
    return {"kind": "filled", "region": {"min": _plain(low), "max": _plain(high)}}


def when(is_asked: bool, *records: Record) -> tuple[Record, ...]:
    """Return the records where they apply, nothing otherwise."""
    return records if is_asked else ()


def corners(along: float, across: float, middle: Sequence[float | None]) -> list[Place]:
    """Return the four corners of a rectangle around a middle, in the XY plane, z left open."""
    x, y = middle[0] or 0.0, middle[1] or 0.0
    return [(x + a * along / 2, y + b * across / 2, None) for a in (-1, 1) for b in (-1, 1)]


def disc(diameter: float) -> float:
    """Return the area of a circle, mm²."""
    return math.pi * diameter**2 / 4


def rounded_rectangle(length: float, width: float, radius: float) -> float:
    """Return the area of a rectangle with round corners, mm²."""
    return length * width - (4 - math.pi) * radius**2


def cone(first: float, second: float, height: float) -> float:
    """Return the volume of a cone frustum between two diameters, mm³."""
    return math.pi * height * (first**2 + first * second + second**2) / 12


def bevel(size: float, across: float) -> float:
    """Return what a chamfer of 45 degrees takes from the end of a round bar, mm³."""
    return disc(across) * size - cone(across, across - 2 * size, size)


def prismoid(first: float, middle: float, last: float, height: float) -> float:
    """Return the volume between two sections, exact where areas grow with the square at most."""
    return height * (first + 4 * middle + last) / 6


def bevelled(length: float, width: float, radius: float, size: float) -> float:
    """Return the volume of the top layer of a plate whose top edge has a chamfer of 45 degrees.

    Args:
        length: Of the plate, mm.
        width: Of the plate, mm.
        radius: Of its vertical edges, at least ``size``, or 0 for sharp ones.
        size: Of the chamfer, and so the height of the layer, mm.
    """
    sections = [
        rounded_rectangle(length - 2 * t, width - 2 * t, max(radius - t, 0))
        for t in (0, size / 2, size)
    ]
    return prismoid(sections[0], sections[1], sections[2], size)


def _plain(numbers: Iterable[float | None]) -> list[float | None]:
    return [None if n is None else round(float(n), _DECIMALS) + 0.0 for n in numbers]
