"""Mesh operations that change the shape: booleans, cuts, halves, cavities, bodies."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, islice, pairwise
from typing import Any

import numpy as np

from cadwright.envs.domains.mesh_plan import Call, Given, Plan, call, stored
from cadwright.envs.domains.mesh_shapes import mesh_from, pick, step_of
from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.solids import Manifold
from cadwright.tools.meshing import combining, moving, offsetting
from cadwright.tools.meshing.primitives import primitive
from cadwright.tools.meshing.solid import mesh_of, solid_of
from cadwright.tools.meshing.triangles import bounds, canonical, joined

_UP = np.array((0.0, 0.0, 1.0))
_SHARED = 0.03  # of the volume: less overlap is forgiven, and the start would be the answer
_WORTH = 0.004  # of the volume: a feature that changes less cannot be told from noise
_MOST_DRAWS = 200


@dataclass(frozen=True, slots=True)
class _Feature:
    """A basic solid that is added or taken away."""

    kind: str
    shape: str
    size: tuple[float, ...]
    centre: tuple[float, float, float]

    @property
    def solid(self) -> Manifold:
        return primitive(self.shape, self.size, np.array(self.centre), _UP)

    @property
    def words(self) -> str:
        x, y, z = (f"{value:g}" for value in self.centre)
        verb = "add" if self.kind == "union" else "cut away"
        if self.shape == "box":
            size = " x ".join(f"{value:g}" for value in self.size)
            return f"{verb} a box of {size} mm with its middle at ({x}, {y}, {z})"
        diameter, height = (f"{value:g}" for value in self.size)
        return (
            f"{verb} an upright cylinder of diameter {diameter} mm and height {height} mm with its "
            f"middle at ({x}, {y}, {z})"
        )


def combine(given: Given) -> Plan:
    """Add and cut away basic solids."""
    solid, features = solid_of(given.mesh), list[_Feature]()
    draws = islice(count(), _MOST_DRAWS)
    while len(features) < given.difficulty:
        if next(draws, None) is None:
            raise GeometryError("no place for a feature")
        feature = _feature(given)
        after = solid + feature.solid if feature.kind == "union" else solid - feature.solid
        change = abs(after.volume() - solid.volume())
        if change > _WORTH * solid.volume() and len(after.decompose()) == 1:
            solid, features = after, [*features, feature]
    told = "; then ".join(feature.words for feature in features)
    wordings = (
        f"Change this {given.shape.title}: {told}. Lengths are mm, the result is one solid.",
        f"On the {given.shape.title} that is given, {told}.",
    )
    calls = tuple(one for k, feature in enumerate(features) for one in _calls(feature, k))
    return Plan(given.one_of(*wordings), given.mesh, calls, mesh_of(solid), features=len(features))


def _calls(feature: _Feature, index: int) -> tuple[Call, ...]:
    name = f"tool_{index + 1}"
    add = call(
        "add", shape=feature.shape, size_mm=list(feature.size), centre_mm=list(feature.centre),
        name=name,
    )  # fmt: skip
    return add, call("combine", kind=feature.kind, others=[name], name="part")


def _feature(given: Given) -> _Feature:
    low, high = bounds(given.mesh)
    step, rng = step_of(given.difficulty), given.rng
    x, y = (round(float(rng.uniform(0.8 * low[k], 0.8 * high[k])) / step) * step for k in range(2))
    kind = ("difference", "union")[int(rng.integers(2))]
    height = float(np.ceil(high[2] - low[2]))
    if rng.random() < 0.5:
        size = tuple(pick(rng, 6, 16, step) for _ in range(2))
        tall = height + pick(rng, 3, 8, step)
        return _Feature(kind, "box", (*size, tall), (x, y, tall / 2))
    tall = height + pick(rng, 3, 10, step)
    return _Feature(kind, "cylinder", (pick(rng, 5, 14, step), tall), (x, y, tall / 2))


def cut(given: Given) -> Plan:
    """Cut something off and close the cut."""
    mesh, told, calls = given.mesh, list[str](), list[Call]()
    for k in range(1 + given.difficulty // 3):
        normal = _plane(given, k)
        reach = np.sort(mesh.vertices @ normal)[[0, -1]]
        offset = round(float(reach[0] + given.rng.uniform(0.55, 0.8) * np.ptp(reach)), 1)
        mesh = _below(mesh, normal, offset)
        told.append(f"everything beyond {_where(normal, offset)}")
        calls.append(call("cut", normal=normal.tolist(), offset_mm=offset, keep="below"))
    wordings = (
        f"Cut off from this {given.shape.title} {', and '.join(told)}. Close the cut: the rest "
        "is a solid.",
        f"This {given.shape.title} is too long. Take away {', and '.join(told)}, and close it.",
    )
    return Plan(given.one_of(*wordings), given.mesh, tuple(calls), mesh, features=given.difficulty)


def _plane(given: Given, index: int) -> FloatArray:
    """Return (3,) a normal: along an axis, or leaning, for the harder ones, in whole thirds."""
    axis = (int(given.rng.integers(3)) + index) % 3
    if given.difficulty % 3 != 2:
        return np.array(np.eye(3)[axis])
    normal = np.array([(2.0, 1.0, 2.0), (1.0, 2.0, 2.0), (2.0, 2.0, 1.0)][axis]) / 3.0
    return normal


def _where(normal: FloatArray, offset: float) -> str:
    if np.count_nonzero(normal) == 1:
        return f"{'XYZ'[int(np.argmax(normal))]} = {offset:g}"
    x, y, z = np.rint(3.0 * normal).astype(int).tolist()
    return f"the plane ({x} X + {y} Y + {z} Z) / 3 = {offset:g}"


def _below(mesh: Mesh, normal: FloatArray, offset: float) -> Mesh:
    below = solid_of(mesh).split_by_plane(normal.tolist(), offset)[1]
    if len(below.decompose()) != 1:
        raise GeometryError("the rest falls apart")
    return mesh_of(below)


def mirror(given: Given) -> Plan:
    """Half of a symmetric part: complete it."""
    axis = 0 if given.difficulty <= 2 else int(given.rng.integers(2))
    offset = 0.0 if given.difficulty <= 3 else pick(given.rng, 1, 5)
    normal = np.eye(3)[axis]
    half = stored(mesh_from(solid_of(given.mesh).split_by_plane(normal.tolist(), offset)[0]))
    whole = combining.combined("union", {"a": half, "b": moving.mirrored(half, axis, offset)})
    if len(combining.split(whole)) != 1:
        raise GeometryError("the halves do not meet")
    plane = f"{'XYZ'[axis]} = {offset:g}"
    wordings = (
        f"Only half of this {given.shape.title} was modelled. Complete it by its mirror image in "
        f"the plane {plane}, as one solid.",
        f"Make the {given.shape.title} whole: it is symmetric about {plane}.",
    )
    calls = (call("mirror", axis="xyz"[axis], offset_mm=offset, keep=True),)
    return Plan(given.one_of(*wordings), half, calls, whole, features=given.difficulty)


def hollow(given: Given) -> Plan:
    """Save material: leave a wall, with holes for what is inside to run out."""
    wall = pick(given.rng, 2, 3, 0.5) if given.difficulty < 4 else pick(given.rng, 1.2, 2, 0.1)
    num_drains = (0, 1, 1, 2, 2)[given.difficulty - 1]
    drain = pick(given.rng, 3, 5, 0.5) if num_drains else 0.0
    drains = _drains(given, num_drains, wall + drain)
    told = _drains_told(drain, drains)
    reference = offsetting.hollowed(given.mesh, wall, drain_mm=drain, drains=drains)
    wordings = (
        f"Hollow out this {given.shape.title} for printing: a wall of {wall:g} mm everywhere, "
        f"{told}.",
        f"To save resin, leave only a wall of {wall:g} mm of the {given.shape.title}; {told}.",
    )
    calls = (call("hollow", wall_mm=wall, drain_mm=drain, drains_mm=drains),)
    return Plan(given.one_of(*wordings), given.mesh, calls, reference, features=given.difficulty)


def _drains_told(drain: float, drains: list[list[float]]) -> str:
    if not drains:
        return "no opening"
    holes = f"{len(drains)} drain hole{'s' if len(drains) > 1 else ''} of {drain:g} mm"
    places = " and ".join(f"({x:g}, {y:g})" for x, y in drains)
    return f"{holes} drilled upwards from below into it, at (X, Y) = {places}"


def _drains(given: Given, number: int, margin: float) -> list[list[float]]:
    """Return (x, y) of drains inside the foot, apart from each other."""
    low, high = bounds(given.mesh)
    foot = solid_of(given.mesh).slice(float(low[2]) + 0.5)
    room = foot.offset(-margin)
    if number and room.area() <= 0.0:
        raise GeometryError("the foot is too small for a drain")
    found: list[list[float]] = []
    for _ in range(_MOST_DRAWS):
        if len(found) == number:
            return found
        place = [round(float(given.rng.uniform(low[k], high[k]))) * 1.0 for k in range(2)]
        is_apart = all(np.hypot(place[0] - x, place[1] - y) > 2 * margin for x, y in found)
        if is_apart and _holds(room, place):
            found.append(place)
    raise GeometryError("no room for the drains")


def _holds(outline: Any, place: list[float]) -> bool:
    import manifold3d

    speck = manifold3d.CrossSection.square((0.01, 0.01), True).translate(tuple(place))
    return bool((outline ^ speck).area() > 0.9e-4)


def thicken(given: Given) -> Plan:
    """A surface without thickness becomes a sheet-metal part."""
    sheet = stored(canonical(_sheet(given)))
    thickness = pick(given.rng, 1, 3, 0.5) if given.difficulty < 4 else pick(given.rng, 0.8, 2, 0.1)
    side = ("out", "out", "in", "both", "both")[given.difficulty - 1]
    reference = offsetting.thickened(sheet, thickness, side)
    told = {
        "out": "to the outside, the side that its triangles face",
        "in": "to the inside, away from the side that its triangles face",
        "both": "half to each side",
    }[side]
    wordings = (
        f"This {given.shape.title} is a bare surface. Give it a thickness of {thickness:g} mm "
        f"{told}.",
        f"Turn the open surface of a {given.shape.title} into a solid sheet, {thickness:g} mm "
        f"thick, {told}.",
    )
    calls = (call("thicken", thickness_mm=thickness, side=side),)
    return Plan(
        given.one_of(*wordings), sheet, calls, reference, features=given.difficulty,
        meta={"start_is_broken": True},
    )  # fmt: skip


def _sheet(given: Given) -> Mesh:
    """Return the surface of a solid without its flat bottom."""
    low = bounds(given.mesh)[0, 2]
    heights = given.mesh.vertices[given.mesh.faces][..., 2]
    kept = ~(heights < low + 1e-3).all(axis=1)
    return Mesh(given.mesh.vertices, given.mesh.faces[kept], given.mesh.face_ids[kept])


def split(given: Given) -> Plan:
    """Several bodies in one file: one is wanted."""
    bodies = _kit(given)
    start = stored(joined(bodies))
    parts = combining.split(start)
    rank = int(given.rng.integers(min(given.difficulty, len(parts))))
    words = ("largest", "second largest", "third largest", "fourth largest", "fifth largest")
    wordings = (
        f"The file holds {len(parts)} bodies. Keep only the one with the {words[rank]} volume, "
        "where it is.",
        f"Take out of these {len(parts)} bodies the {words[rank]} by volume and hand in that one "
        "alone, without moving it.",
    )
    calls = (call("split"), call("submit", name=f"part_{rank + 1}"))
    features = len(parts)
    return Plan(given.one_of(*wordings), start, calls, parts[rank], features=features)


def _kit(given: Given) -> list[Mesh]:
    """Return the shape and copies of it in other sizes, apart from each other."""
    size = np.ptp(bounds(given.mesh), axis=0)
    bodies, offset = [given.mesh], 0.0
    for _ in range(given.difficulty):
        factor = round(float(given.rng.uniform(0.35, 0.9)), 2)
        offset += 1.15 * float(size[0]) * (0.5 + 0.5 * factor)
        small = moving.scaled(given.mesh, np.full(3, factor), np.zeros(3))
        bodies.append(moving.moved(small, np.array((offset + size[0] * 0.2, 0.0, 0.0))))
        offset += 0.5 * float(size[0]) * factor
    volumes = sorted(round(float(solid_of(body).volume()), 3) for body in bodies)
    if any(b < 1.05 * a for a, b in pairwise(volumes)):
        raise GeometryError("two bodies are about equally large")
    return bodies


def join(given: Given) -> Plan:
    """Bodies that overlap without being joined: make them one."""
    solid, pieces = solid_of(given.mesh), [given.mesh]
    draws = islice(count(), _MOST_DRAWS)
    while len(pieces) <= given.difficulty:
        if next(draws, None) is None:
            raise GeometryError("no place for a body")
        feature = _feature(given)
        after = solid + feature.solid
        shared = (solid ^ feature.solid).volume()
        is_worth = after.volume() > (1.0 + _WORTH) * solid.volume()
        if is_worth and shared > _SHARED * after.volume():
            solid = after
            pieces.append(stored(mesh_from(feature.solid)))
    start = stored(joined(pieces))
    wordings = (
        f"This {given.shape.title} was exported as {len(pieces)} bodies that overlap. Unite them "
        "into one solid without inner walls.",
        f"The {len(pieces)} bodies of this {given.shape.title} run through each other. Make one "
        "clean solid of them.",
    )
    calls = (call("combine", kind="union"),)
    reference = combining.self_united(start)
    return Plan(given.one_of(*wordings), start, calls, reference, features=len(pieces))
