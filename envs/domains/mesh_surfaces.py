"""Mesh operations that leave the shape alone: repair it, thin it out, scale it, turn it, lay it."""

from __future__ import annotations

from typing import Any

import numpy as np

from cadwright.envs.domains.mesh_plan import Call, Given, Plan, call
from cadwright.envs.domains.mesh_shapes import pick
from cadwright.envs.domains.mesh_vandal import DAMAGES, vandalised
from cadwright.rewards.scoring import BODY_GATES
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.triangles import triangle_areas
from cadwright.tools.meshing import moving, orienting, resampling
from cadwright.tools.meshing.distance import Target
from cadwright.tools.meshing.triangles import bounds, corners, diagonal_mm, plain, signed_volumes

_KEEP_SHARE = {1: 0.6, 2: 0.45, 3: 0.32, 4: 0.22, 5: 0.15}  # of the triangles
_ROOM = 1.6  # times what a good decimation needs: a bound that several ways meet
_GATES = {**BODY_GATES, "extents": 0.8}

# In whatever pose, it has to be the same shape: a flat slab of its volume and area lies as well.
_LAID = {
    "alignment": "rigid",
    "iou_target": 0.98,
    "weights": {"validity": 0.05, "iou": 0.35, "constraints": 0.6},
}

UNITS = {"inches": 25.4, "metres": 1000.0, "centimetres": 10.0}


def repair(given: Given) -> Plan:
    """A vandal was at the mesh: make it sound again."""
    damage = DAMAGES[given.difficulty]
    told = ", ".join(damage.words)
    wordings = (
        f"This mesh of a {given.shape.title} came damaged out of a scanner: {told}. Repair it "
        "so that it is one watertight solid of the original shape.",
        f"The slicer refuses this {given.shape.title}. Found in the file: {told}. Make it a sound, "
        "closed solid again without changing its shape.",
        f"Mend the mesh of a {given.shape.title}. It has {told}. What is flat stays flat; the "
        "result must be watertight and face outwards.",
    )
    specks_mm = round(0.02 * diagonal_mm(given.mesh), 3) if damage.specks else 0.0
    calls = (
        call("clean", weld_mm=0.01 if damage.cracks else 0.0, min_body_mm=specks_mm),
        call("fix_winding"),
        call("fill_holes"),
    )
    return Plan(
        given.one_of(*wordings),
        vandalised(given.mesh, damage, given.rng),
        calls,
        given.mesh,
        features=len(damage.words) + damage.holes,
        meta={"start_is_broken": True},
    )


def decimate(given: Given) -> Plan:
    """Bring a fine mesh under a budget of triangles without leaving a bound."""
    budget = 10 * max(6, round(_KEEP_SHARE[given.difficulty] * len(given.mesh.faces) / 10))
    thin = resampling.decimated(given.mesh, budget)
    needed = _farthest(given.mesh, thin)
    bound_mm = max(0.02, np.ceil(_ROOM * needed * 50.0) / 50.0)
    share = bound_mm / diagonal_mm(given.mesh)
    scoring: dict[str, Any] = {
        "weights": {"validity": 0.1, "deviation": 0.3, "volume": 0.1, "constraints": 0.5},
        "tolerances": {"deviation": share, "deviation_half": share / 2, "volume": 0.05},
        "gates": _GATES,
    }
    wordings = (
        f"Reduce this {given.shape.title} to at most {budget} triangles. No point of the surface "
        f"may move by more than {bound_mm:.2f} mm. It must stay a closed solid.",
        f"For the web viewer this {given.shape.title} has too many triangles: {budget} are "
        f"allowed. Keep the Hausdorff distance to the original at or below {bound_mm:.2f} mm.",
    )
    return Plan(
        given.one_of(*wordings),
        given.mesh,
        (call("decimate", max_triangles=budget),),
        given.mesh,
        ({"kind": "triangle_count", "max": budget},),
        scoring,
        features=given.difficulty,
    )


def _farthest(mesh: Mesh, thin: Mesh) -> float:
    """Return about the largest distance between a fine mesh and a thinner one, either way."""
    return max(_reach(mesh, thin), _reach(thin, mesh))


def _reach(source: Mesh, target: Mesh) -> float:
    points = np.concatenate([source.vertices, corners(source).mean(axis=1)])
    return float(Target(target).bounds(points).max())


def units(given: Given) -> Plan:
    """The file was written in another unit, or its scale was lost: bring it to mm."""
    size = np.ptp(bounds(given.mesh), axis=0)
    if given.difficulty <= 2:
        unit = list(UNITS)[int(given.rng.integers(len(UNITS)))]
        factor = UNITS[unit]
        told = f"Its numbers are {unit}, not mm."
        wordings = (
            f"This {given.shape.title} was exported in the wrong unit. {told} Bring it to mm.",
            f"{told} Convert this {given.shape.title} to millimetres; its origin stays.",
        )
    else:
        factor = round(float(given.rng.uniform(1.2, 9.0)), 3)
        axis = int(given.rng.integers(3))
        told = f"{size[axis]:.4f} mm along {'XYZ'[axis]}"
        wordings = (
            f"The scale of this {given.shape.title} was lost. It should measure {told}. Scale it "
            "evenly about the origin.",
            f"Somebody rescaled this {given.shape.title} by an unknown factor about the origin. "
            f"Undo it: the part is {told}.",
        )
    start = plain(given.mesh.vertices / factor, given.mesh.faces)
    calls: tuple[Call, ...] = (call("scale", factors=[factor]),)
    brief = given.one_of(*wordings)
    if given.difficulty >= 4:
        lift = pick(given.rng, 1, 9)
        start = moving.moved(start, np.array((0.0, 0.0, lift)))
        calls = (*calls, call("move", offset_mm=[0.0, 0.0, -lift * factor]))
        brief += " Then set it down on Z = 0."
    features = len(calls) + (given.difficulty > 2)
    return Plan(brief, start, calls, given.mesh, features=features)


def turn(given: Given) -> Plan:
    """The part lies wrong; what was done to it is told, and has to be taken back."""
    turns = [_one_turn(given, k) for k in range(1 + given.difficulty // 2)]
    offset = [pick(given.rng, -30, 30) for _ in range(3)] if given.difficulty >= 2 else []
    mesh, told = given.mesh, []
    for axis, angle in turns:
        mesh = moving.rotated(mesh, np.eye(3)[axis], angle, np.zeros(3))
        told.append(f"by {angle:g} degrees about {'XYZ'[axis]}")
    calls = [
        call("rotate", axis=np.eye(3)[axis].tolist(), angle_deg=-angle)
        for axis, angle in reversed(turns)
    ]
    moved = ""
    if offset:
        mesh = moving.moved(mesh, np.array(offset))
        moved = f", then moved by ({', '.join(f'{v:g}' for v in offset)}) mm"
        calls.insert(0, call("move", offset_mm=[-v + 0.0 for v in offset]))
    done = ", then ".join(told) + moved
    wordings = (
        f"This {given.shape.title} was turned about the origin {done}. Put it back.",
        f"The exporter used another frame: the {given.shape.title} was rotated about the origin "
        f"{done}. Bring it back to where it was.",
    )
    features = len(turns) + bool(offset)
    return Plan(given.one_of(*wordings), mesh, tuple(calls), given.mesh, features=features)


def _one_turn(given: Given, index: int) -> tuple[int, float]:
    axis = (int(given.rng.integers(3)) + index) % 3
    if given.difficulty <= 2:
        return axis, float(given.rng.choice([90.0, -90.0, 180.0]))
    return axis, float(given.rng.integers(5, 170)) * float(given.rng.choice([1.0, -1.0]))


def lay(given: Given) -> Plan:
    """The part is tilted: lay it down so that it prints well."""
    best, lie = orienting.oriented(given.mesh)
    axis = given.rng.normal(size=3)
    angle = float(given.rng.uniform(25.0, 155.0))
    start = moving.rotated(best, axis / np.linalg.norm(axis), angle, np.zeros(3))
    allowed, foot = np.ceil(1.1 * lie.overhang_mm2 + 5.0), np.floor(0.95 * lie.foot_mm2)
    volume = float(signed_volumes(given.mesh)[0])
    area = float(triangle_areas(corners(given.mesh)).sum())
    constraints = (
        {"kind": "overhang", "max_area": float(allowed), "weight": 2.0},
        {"kind": "base_area", "min_area": float(foot), "weight": 2.0},
        {"kind": "volume", "value": round(volume, 3)},
        {"kind": "area", "value": round(area, 3)},
    )
    wordings = (
        f"Lay this {given.shape.title} down for printing along Z: at most {allowed:g} mm2 may "
        f"overhang by more than 45 degrees, at least {foot:g} mm2 must lie flat on the bed. Do not "
        "change its shape.",
        f"This {given.shape.title} hangs askew in the slicer. Turn it so that it stands on at "
        f"least {foot:g} mm2 and needs support under no more than {allowed:g} mm2.",
    )
    return Plan(
        given.one_of(*wordings),
        start,
        (call("orient"),),
        best,
        constraints,
        _LAID,
        features=given.difficulty,
    )
