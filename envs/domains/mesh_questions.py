"""Questions about a mesh: a number is measured and handed in with ``answer``."""

from __future__ import annotations

from cadwright.envs.domains.mesh_plan import Given, Plan, call
from cadwright.envs.domains.mesh_shapes import pick
from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.triangles import triangle_areas
from cadwright.tools.meshing.solid import solid_of
from cadwright.tools.meshing.triangles import bounds, corners

_TOLERANCE = 0.005  # share of the right number
_LEAST_MM2 = 20.0  # of a section that is worth asking for


def inspect(given: Given) -> Plan:
    """Ask for area, volume, or the area of a section, the harder the further along."""
    ask = (_area, _volume, _section, _section, _removed)[given.difficulty - 1]
    return ask(given)


def _plan(given: Given, text: str, value: float, unit: str, *looks: dict[str, object]) -> Plan:
    answer = {"value": value, "unit": unit, "tolerance": _TOLERANCE}
    calls = (*looks, call("answer", value=value))
    return Plan(text, given.mesh, calls, answer=answer, features=given.difficulty)


def _area(given: Given) -> Plan:
    text = given.one_of(
        f"What is the area of the whole surface of this {given.shape.title}, in mm2?",
        f"How much surface of this {given.shape.title} has to be painted, in mm2?",
    )
    value = float(triangle_areas(corners(given.mesh)).sum())
    return _plan(given, text, value, "mm2", call("measure", what="mass"))


def _volume(given: Given) -> Plan:
    text = given.one_of(
        f"What is the volume of this {given.shape.title}, in mm3?",
        f"How much material does this {given.shape.title} take, in mm3?",
    )
    value = float(solid_of(given.mesh).volume())
    return _plan(given, text, value, "mm3", call("measure"))


def _section(given: Given) -> Plan:
    axis = 2 if given.difficulty < 4 else int(given.rng.integers(3))
    low, high = bounds(given.mesh)
    offset = pick(given.rng, round(float(low[axis])) + 1, round(float(high[axis])) - 1, 0.5)
    turn = ((0.0, -90.0, 0.0), (90.0, 0.0, 0.0), (0.0, 0.0, 0.0))[axis]
    value = abs(float(solid_of(given.mesh).rotate(turn).slice(offset).area()))
    if value < _LEAST_MM2:
        raise GeometryError("there is next to nothing in that plane")
    letter = "XYZ"[axis]
    text = given.one_of(
        f"What is the area of the section of this {given.shape.title} at {letter} = {offset:g}, in "
        "mm2?",
        f"How much material, in mm2, does the plane {letter} = {offset:g} go through?",
    )
    look = call("section", axis="xyz"[axis], offset_mm=offset)
    return _plan(given, text, value, "mm2", look)


def _removed(given: Given) -> Plan:
    low, high = bounds(given.mesh)
    offset = pick(given.rng, round(float(low[2])) + 2, round(float(high[2])) - 1, 0.5)
    above = solid_of(given.mesh).split_by_plane((0.0, 0.0, 1.0), offset)[0]
    value = float(above.volume())
    if value < _LEAST_MM2:
        raise GeometryError("there is next to nothing above that plane")
    text = given.one_of(
        f"How much volume of this {given.shape.title} lies above Z = {offset:g}, in mm3?",
        f"If this {given.shape.title} is milled down to Z = {offset:g}, how many mm3 become chips?",
    )
    look = call("cut", normal=[0.0, 0.0, 1.0], offset_mm=offset)
    return _plan(given, text, value, "mm3", look)
