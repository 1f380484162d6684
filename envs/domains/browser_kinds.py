"""The kinds of part that browser tasks are about: shapes of the modeller, and words for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cadwright.envs.domains.browser_shapes import Shape, Shapes
from cadwright.envs.domains.family import number

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Made:
    """One part of a kind.

    Attributes:
        shapes: How the modeller makes it.
        told: All of it in words, sizes and places included.
        volume: mm³, worked out from the sizes, for tasks that ask for it.
    """

    shapes: Shapes
    told: str
    volume: float


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of part: its word in ids, what it is called, and how one is drawn.

    Attributes:
        name: Word in domain ids.
        title: In words.
        make: Draws one; a higher difficulty has more features or odder numbers.
    """

    name: str
    title: str
    make: Callable[[Rng, int], Made]


def _block(rng: Rng, difficulty: int) -> Made:
    a, b, c = _sizes(rng, difficulty, (20, 60), (20, 50), (8, 30))
    told = f"A block {_x(a, b, c)} mm in X, Y and Z, its lowest corner in the origin."
    return Made((_box(a, b, c),), told, a * b * c)


def _rod(rng: Rng, difficulty: int) -> Made:
    d, h = _sizes(rng, difficulty, (10, 40), (15, 60))
    told = f"A cylinder of diameter {number(d)} and height {number(h)} mm, standing on the origin."
    return Made((Shape("cylinder", {"diameter": d, "height": h}),), told, _disc(d) * h)


def _bushing(rng: Rng, difficulty: int) -> Made:
    d, h = _sizes(rng, difficulty, (20, 44), (10, 40))
    bore = _less(rng, d, 8)
    shapes = (
        Shape("cylinder", {"diameter": d, "height": h}),
        Shape("cylinder", {"diameter": bore, "height": h + 5, "operation": "cut"}),
    )
    told = (
        f"A bushing on the Z axis from Z = 0 to Z = {number(h)}: outside diameter {number(d)}, "
        f"through bore of diameter {number(bore)} mm."
    )
    return Made(shapes, told, (_disc(d) - _disc(bore)) * h)


def _plate(rng: Rng, difficulty: int) -> Made:
    a, b, c = _sizes(rng, difficulty, (30, 60), (30, 50), (5, 15))
    d = _less(rng, min(a, b) / 2, 4)
    hole = Shape("hole", {"x": a / 2, "y": b / 2, "diameter": d, "offset": c})
    told = (
        f"A plate {_x(a, b, c)} mm in X, Y and Z with its lowest corner in the origin, and a "
        f"through hole of diameter {number(d)} along Z in its middle."
    )
    return Made((_box(a, b, c), hole), told, (a * b - _disc(d)) * c)


def _row(rng: Rng, difficulty: int) -> Made:
    b, c, d = _sizes(rng, difficulty, (20, 40), (5, 12), (4, 8))
    count, pitch = int(rng.integers(2, 5)), int(rng.integers(12, 20))
    a = pitch * (count + 1)
    cut = {"x": pitch, "y": b / 2, "z": -1, "diameter": d, "height": c + 2, "operation": "cut"}
    row = Shape("linear", {"source": 1, "count": count, "spacing": pitch})
    told = (
        f"A strip {_x(a, b, c)} mm in X, Y and Z with its lowest corner in the origin. {count} "
        f"through holes of diameter {number(d)} along Z stand in a row at Y = {number(b / 2)}, "
        f"{pitch} apart, the first at X = {pitch}."
    )
    return Made((_box(a, b, c), Shape("cylinder", cut), row), told, (a * b - count * _disc(d)) * c)


def _flange(rng: Rng, difficulty: int) -> Made:
    d, c = _sizes(rng, difficulty, (50, 80), (6, 14))
    bore, hole, count = _less(rng, d / 3, 8), int(rng.integers(4, 7)), int(rng.integers(3, 9))
    ring = round((d + bore) / 4)
    shapes = (
        Shape("cylinder", {"diameter": d, "height": c}),
        _drill(bore, c),
        _drill(hole, c, x=ring),
        Shape("circular", {"source": 2, "count": count}),
    )
    told = (
        f"A flange on the Z axis, {number(c)} mm thick from Z = 0: diameter {number(d)}, bore of "
        f"diameter {number(bore)}, and {count} through holes of diameter {hole} evenly on a circle "
        f"of radius {ring}, the first on the +X axis."
    )
    return Made(shapes, told, (_disc(d) - _disc(bore) - count * _disc(hole)) * c)


def _bracket(rng: Rng, difficulty: int) -> Made:
    a, b, h = _sizes(rng, difficulty, (40, 60), (24, 40), (30, 50))
    t, d = int(rng.integers(4, 9)), int(rng.integers(4, 9))
    x = round((a + t) / 2)
    shapes = (
        _box(a, b, t),
        _box(t, b, h, operation="add"),
        _drill(d, t, x=x, y=b / 2),
    )
    told = (
        f"An angle bracket with its lowest corner in the origin. The foot is {_x(a, b, t)} mm in "
        f"X, Y and Z. The wall stands over its left end at X = 0: {t} thick in X, {number(b)} "
        f"wide in Y, up to Z = {number(h)}. A hole of diameter {d} goes through the foot along Z "
        f"at X = {x}, Y = {number(b / 2)}."
    )
    return Made(shapes, told, (a * b - _disc(d)) * t + t * b * (h - t))


def _tray(rng: Rng, difficulty: int) -> Made:
    a, b, c = _sizes(rng, difficulty, (40, 70), (30, 60), (12, 30))
    wall = int(rng.integers(2, 5))
    inside = {"x": wall, "y": wall, "z": wall, "operation": "cut"}
    shapes = (_box(a, b, c), _box(a - 2 * wall, b - 2 * wall, c, **inside))
    told = (
        f"An open tray {_x(a, b, c)} mm in X, Y and Z with its lowest corner in the origin: walls "
        f"and floor {wall} thick, open at the top."
    )
    return Made(shapes, told, a * b * c - (a - 2 * wall) * (b - 2 * wall) * (c - wall))


def _shaft(rng: Rng, difficulty: int) -> Made:
    d, h, k = _sizes(rng, difficulty, (20, 40), (15, 40), (10, 30))
    e = _less(rng, d, 8)
    upper = Shape("cylinder", {"diameter": e, "height": h + k, "operation": "add"})
    told = (
        f"A stepped shaft on the Z axis from Z = 0: diameter {number(d)} for {number(h)} mm, then "
        f"diameter {number(e)} for another {number(k)} mm."
    )
    shapes = (Shape("cylinder", {"diameter": d, "height": h}), upper)
    return Made(shapes, told, _disc(d) * h + _disc(e) * k)


def _post(rng: Rng, difficulty: int) -> Made:
    a, c, h = _sizes(rng, difficulty, (30, 50), (5, 12), (15, 30))
    low, middle = _less(rng, a, 14), a / 2
    high = _less(rng, low, 5)
    cone = {"bottom": low, "top": high, "height": h, "x": middle, "y": middle, "z": c}
    told = (
        f"A square foot {_x(a, a, c)} mm in X, Y and Z with its lowest corner in the origin. On "
        f"the middle of its top stands a cone {number(h)} high: diameter {number(low)} below and "
        f"{number(high)} above."
    )
    shapes = (_box(a, a, c), Shape("cone", {**cone, "operation": "add"}))
    thirds = np.pi / 12 * (low**2 + low * high + high**2)
    return Made(shapes, told, a * a * c + float(thirds) * h)


def _yoke(rng: Rng, difficulty: int) -> Made:
    a, b, h = _sizes(rng, difficulty, (40, 70), (20, 40), (20, 40))
    t = int(rng.integers(4, 9))
    ear = _box(t, b, h, operation="add")
    shapes = (_box(a, b, t), ear, Shape("mirror", {"source": 1, "offset": a / 2}))
    told = (
        f"A yoke with its lowest corner in the origin: a floor {_x(a, b, t)} mm in X, Y and Z, and "
        f"at either end in X an ear {t} thick, as wide as the floor, up to Z = {number(h)}."
    )
    return Made(shapes, told, a * b * t + 2 * t * b * (h - t))


def _pin_and_plate(rng: Rng, difficulty: int) -> Made:
    a, c = _sizes(rng, difficulty, (30, 50), (8, 15))
    d, h, gap, middle = int(rng.integers(8, 16)), int(rng.integers(20, 40)), 0.5, a / 2
    shapes = (
        _box(a, a, c),
        _drill(d + 2 * gap, c, x=middle, y=middle),
        Shape("cylinder", {"diameter": d, "height": h, "x": middle, "y": middle}),
    )
    told = (
        f"Two bodies. A plate {_x(a, a, c)} mm in X, Y and Z with its lowest corner in the origin "
        f"and a through hole of diameter {number(d + 2 * gap)} along Z in its middle; and, as a "
        f"body of its own, a pin of diameter {d} and length {h} in the middle of the hole, from "
        f"Z = 0 up."
    )
    return Made(shapes, told, (a * a - _disc(d + 2 * gap)) * c + _disc(d) * h)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("block", "block", _block),
        Kind("bracket", "angle bracket", _bracket),
        Kind("bushing", "bushing", _bushing),
        Kind("flange", "flange", _flange),
        Kind("pin_and_plate", "plate with a pin", _pin_and_plate),
        Kind("plate", "plate with a hole", _plate),
        Kind("post", "foot with a cone", _post),
        Kind("rod", "cylinder", _rod),
        Kind("row", "strip with a row of holes", _row),
        Kind("shaft", "stepped shaft", _shaft),
        Kind("tray", "open tray", _tray),
        Kind("yoke", "yoke", _yoke),
    )
}


def _sizes(rng: Rng, difficulty: int, *ranges: tuple[int, int]) -> tuple[float, ...]:
    """Draw sizes: even ones when it should be easy, with a half when it is hard."""
    step = {1: 5, 2: 2, 3: 1}.get(difficulty, 0.5)
    drawn = (rng.integers(int(low / step), int(high / step) + 1) * step for low, high in ranges)
    return tuple(float(v) if v % 1 else int(v) for v in np.maximum(list(drawn), 4))


def _less(rng: Rng, size: float, by: int) -> int:
    """Draw a whole size clearly below another."""
    return int(rng.integers(max(4, int(size * 0.4)), max(5, int(size) - by) + 1))


def _box(a: float, b: float, c: float, **more: object) -> Shape:
    return Shape("box", {"width": a, "depth": b, "height": c, **more})


def _drill(diameter: float, through: float, *, x: float = 0, y: float = 0) -> Shape:
    place = {"x": x, "y": y, "z": -1} if x or y else {"z": -1}
    size = {"diameter": diameter, "height": through + 2}
    return Shape("cylinder", {**size, **place, "operation": "cut"})


def _disc(diameter: float) -> float:
    return float(np.pi) * diameter**2 / 4


def _x(*sizes: float) -> str:
    return " x ".join(map(number, sizes))
